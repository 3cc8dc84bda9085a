//! What this node's caller does with the tasks it sends: start, continue, cancel.
//!
//! Responsible for: recording what was said and bringing it to the peer. Not for: reading the request (`routes::message`).
//! Serves control-plane 2.4, 2.8 and 6.

use crate::ids;
use crate::json::{Json, Members};
use crate::project::shape::{Content, Message, Metadata, Part, Role, TaskState};

use super::peer::{Behaviour, Occasion};
use super::status::Hub;
use super::task::{Delivery, File, Side, Task};
use super::{DELIVERY_MS, Event, State};

/// What a caller said, already checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// The text of each text part, in order.
    pub texts: Vec<String>,
    /// Files: name, media type and bytes.
    pub files: Vec<(String, String, Vec<u8>)>,
    /// A capability and its arguments.
    pub skill: Option<(String, Json)>,
    /// The caller's own id for the message, or empty.
    pub message_id: String,
    /// The conversation, or empty.
    pub context_id: String,
    /// The task to continue, or empty.
    pub task_id: String,
    /// Metadata without the reserved names.
    pub metadata: Metadata,
    /// Extensions.
    pub extensions: Vec<String>,
    /// Other tasks it points to.
    pub references: Vec<String>,
}

/// What a start comes to.
#[derive(Clone, Debug)]
pub(crate) enum Sending {
    /// A new task.
    Started(usize),
    /// The task that an earlier message of this id started.
    Repeated(usize),
}

impl Said {
    /// Text alone.
    pub(crate) fn text(text: &str) -> Self {
        Self { texts: vec![text.to_owned()], ..Self::default() }
    }

    /// A capability call alone.
    pub(crate) fn call(skill: &str, args: Json) -> Self {
        Self { skill: Some((skill.to_owned(), args)), ..Self::default() }
    }

    /// The files as they are kept.
    pub(crate) fn kept_files(&self) -> Vec<File> {
        self.files
            .iter()
            .map(|(name, media_type, bytes)| File {
                name: name.clone(),
                media_type: media_type.clone(),
                cid: ids::raw_cid(bytes),
                size: bytes.len() as u64,
            })
            .collect()
    }
}

impl State {
    /// Why nothing can be sent, as a sentence and perhaps a reason.
    pub(crate) fn cannot_send(&self) -> Option<(String, Option<&str>)> {
        match &self.status.hub {
            Hub::Registered => None,
            Hub::None => Some(("this node has no hub; run `anet hub-register <url>` in a terminal".to_owned(), None)),
            Hub::Unreachable => Some((format!("the hub {} does not answer", self.status.hub_url), None)),
            Hub::PendingAdmission => Some((self.status.hub_words(&self.aid).1, Some("pending_admission"))),
            Hub::Other(state, message) => Some((message.clone(), Some(state))),
        }
    }

    /// The task that a repeat of a message belongs to.
    fn repeated(&self, to: &str, said: &Said) -> Option<usize> {
        if said.message_id.is_empty() {
            return None;
        }
        self.tasks.iter().position(|task| {
            task.side == Side::Requester
                && !task.state.terminal()
                && (if said.context_id.is_empty() { task.peer == to } else { task.context == said.context_id })
                && task
                    .history
                    .iter()
                    .any(|message| message.role == Role::User && message.message_id == said.message_id)
        })
    }

    /// Starts a task: records it. The peer hears of it with [`State::deliver`].
    pub(crate) fn start(&mut self, to: &str, said: &Said) -> Sending {
        if let Some(index) = self.repeated(to, said) {
            return Sending::Repeated(index);
        }
        let now = self.clock.now();
        let id = self.ids.task();
        let mut task = Task::new(id, Side::Requester, to.to_owned(), now);
        task.context = if said.context_id.is_empty() { self.ids.context() } else { said.context_id.clone() };
        task.request_cid = self.ids.cid("request");
        task.skill = said.skill.as_ref().map(|(skill, _)| skill.clone());
        let index = self.add(task);
        let message = self.say(index, Role::User, said);
        self.tasks[index].history.push(message);
        let request_cid = self.tasks[index].request_cid.clone();
        self.record_on(index, "anet.delegation.sent", Members::new().put("request_cid", request_cid));
        self.queue(index);
        self.set_state(index, TaskState::Submitted);
        Sending::Started(index)
    }

    /// Marks the task's message as waiting, when its peer does not collect its mail.
    fn queue(&mut self, index: usize) {
        let peer = &self.tasks[index].peer;
        if !self.agent(peer).is_some_and(|agent| agent.behaviour == Behaviour::Uncollected) {
            return;
        }
        let now = self.clock.now();
        let ordered = self.tasks.iter().any(|task| task.peer == *peer && task.delivery.is_some());
        let id = self.tasks[index].id.clone();
        self.tasks[index].delivery =
            Some(Delivery { unconfirmed: false, since: now, ends_at: now + DELIVERY_MS, ordered });
        self.schedule(now + DELIVERY_MS, Event::DeliveryEnds(id));
    }

    /// The peer gets what was recorded, and does what it does at once.
    pub(crate) fn deliver(&mut self, index: usize, occasion: Occasion) {
        if self.tasks[index].delivery.is_none() {
            self.reach(index, occasion);
        }
    }

    /// A message of this node's caller.
    pub(crate) fn say(&mut self, index: usize, role: Role, said: &Said) -> Message {
        let id = self.tasks[index].id.clone();
        let mut parts: Vec<Part> = said.texts.iter().map(Part::text).collect();
        if let Some((skill, args)) = &said.skill {
            let call = Json::object([("args", args.clone()), ("skill", Json::from(skill))]);
            parts.push(Part::data(call));
        }
        let files = said.kept_files();
        if parts.is_empty() && !files.is_empty() {
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            parts.push(Part::text(format!("attachments: {}", names.join(", "))));
        }
        parts.extend(files.iter().map(|file| super::life::file_part(&id, file)));
        let mut message = self.message(index, role, parts);
        if !said.message_id.is_empty() {
            message.message_id.clone_from(&said.message_id);
        }
        message.metadata.clone_from(&said.metadata);
        message.extensions.clone_from(&said.extensions);
        message.reference_task_ids.clone_from(&said.references);
        message
    }

    /// Continues a task: records what was said; true when the peer has to hear it.
    pub(crate) fn continue_task(&mut self, index: usize, said: &Said) {
        let message = self.say(index, Role::User, said);
        let bytes: usize = message
            .parts
            .iter()
            .map(|part| match &part.content {
                Content::Text(text) => text.len(),
                _ => 0,
            })
            .sum();
        self.tasks[index].history.push(message);
        self.tasks[index].note = None;
        let payload = Members::new().put("kind", "message").put("bytes", bytes).put("attachments", said.files.len());
        self.record_on(index, "anet.message.sent", payload);
        let next = match self.tasks[index].state {
            // A quote is still open whatever is said beside it.
            TaskState::InputRequired if self.tasks[index].open_quote().is_some() => TaskState::InputRequired,
            TaskState::InputRequired => TaskState::Working,
            other => other,
        };
        if next == TaskState::Working && !self.tasks[index].paid() {
            self.tasks[index].reason = None;
        }
        self.set_state(index, next);
    }

    /// Cancels a task that has not ended.
    pub(crate) fn cancel(&mut self, index: usize) {
        let task = &mut self.tasks[index];
        if task.side == Side::Requester && task.paid() {
            if !task.cancel_requested {
                task.cancel_requested = true;
                self.set_state(index, TaskState::Working);
            }
            return;
        }
        task.reason = None;
        task.note = None;
        self.set_state(index, TaskState::Canceled);
    }
}
