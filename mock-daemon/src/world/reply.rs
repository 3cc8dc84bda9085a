//! What this node's caller does with the tasks that others sent.
//!
//! Responsible for: asking back, reporting progress, completing, failing, rejecting. Not for: reading the request
//! (`routes::tasks`). Serves control-plane 2.9.

use crate::json::Members;
use crate::project::shape::{Part, Role, TaskState};

use super::State;
use super::send::Said;
use super::task::Verdict;

impl State {
    /// Brings a provider-side task into a state, with what was said on the way. The caller checked that it may.
    pub(crate) fn reply(&mut self, index: usize, to: TaskState, said: &Said) {
        let content = !said.texts.is_empty() || !said.files.is_empty();
        match to {
            TaskState::InputRequired => {
                let question = self.say(index, Role::Agent, said);
                self.tasks[index].history.push(question.clone());
                self.tasks[index].note = Some(question);
                self.sent(index, said);
                self.set_state(index, TaskState::InputRequired);
            }
            TaskState::Completed => {
                if content {
                    let text = (!said.texts.is_empty()).then(|| said.texts.join("\n"));
                    self.final_reply(index, text, said.kept_files(), said.metadata.clone());
                    if !said.message_id.is_empty()
                        && let Some(message) = self.tasks[index].history.last_mut()
                    {
                        message.message_id.clone_from(&said.message_id);
                    }
                    self.sent(index, said);
                }
                self.sign_receipt(index, Verdict::Verified);
            }
            TaskState::Failed | TaskState::Rejected => {
                let text = said.texts.join("\n");
                let note = (!text.is_empty()).then(|| self.message(index, Role::Agent, vec![Part::text(text)]));
                self.tasks[index].note = note;
                self.set_state(index, to);
            }
            TaskState::Canceled => self.cancel(index),
            TaskState::Working | TaskState::Submitted => {
                let note = content.then(|| {
                    let mut progress = self.say(index, Role::Agent, said);
                    progress.metadata.insert("anet.state".to_owned(), "working".into());
                    progress
                });
                self.tasks[index].note = note;
                if content {
                    self.sent(index, said);
                }
                self.set_state(index, TaskState::Working);
            }
        }
    }

    fn sent(&mut self, index: usize, said: &Said) {
        let payload = Members::new().put("attachments", said.files.len()).put("kind", "reply");
        self.record_on(index, "anet.message.sent", payload);
    }
}
