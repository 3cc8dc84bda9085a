//! Documents as the daemon sends them: tasks, pages of tasks, and which route a tool asks.
//!
//! Responsible for: writing such a document as the JSON text that the scripted daemon answers with and that the case
//! expects back (control-plane 3). Not for: what a case changes in it.

use crate::case::{Case, Request, Step};
pub(super) use crate::contract::route_of;
use crate::json::Json;
use crate::page::{SAMPLE_AID, SAMPLE_CONTEXT, SAMPLE_TASK, Tool};

/// The tools that return one task.
pub(super) const SINGLE_TASK_TOOLS: [Tool; 5] =
    [Tool::GetTask, Tool::WaitTask, Tool::SendMessage, Tool::CancelTask, Tool::ReplyTask];

/// The tools that return tasks: one, or a page of them.
pub(super) const TASK_TOOLS: [Tool; 6] =
    [Tool::GetTask, Tool::WaitTask, Tool::SendMessage, Tool::ListTasks, Tool::CancelTask, Tool::ReplyTask];

/// What `tool` answers about this task: the task, or a page with nothing else in it.
pub(super) fn task_answer(tool: Tool, task: &str) -> String {
    if tool == Tool::ListTasks { page(&[task], "") } else { task.to_owned() }
}

/// Where the task stands in the answer of `tool`, as the beginning of a JSON pointer.
pub(super) const fn task_pointer(tool: Tool) -> &'static str {
    if matches!(tool, Tool::ListTasks) { "/tasks/0" } else { "" }
}

/// A page of tasks, with the token of the next.
pub(super) fn page(tasks: &[&str], next: &str) -> String {
    let (count, next) = (tasks.len(), Json::string(next));
    format!(r#"{{"tasks":[{}],"totalSize":{count},"pageSize":50,"nextPageToken":{next}}}"#, tasks.join(","))
}

/// A JSON string with this text.
pub(super) fn quoted(text: &str) -> String {
    Json::string(text).to_string()
}

/// A task, written with its members in the daemon's order. All parts are JSON text.
#[derive(Clone, Debug)]
pub(super) struct Task {
    id: String,
    context: String,
    artifacts: Vec<String>,
    history: Vec<String>,
    metadata: Vec<(String, String)>,
    message: Option<String>,
    state: String,
}

impl Task {
    /// A task that this node sent, with one message of the requester, in this state (`COMPLETED`).
    pub(super) fn new(state: &str) -> Self {
        Self {
            id: quoted(SAMPLE_TASK),
            context: quoted(SAMPLE_CONTEXT),
            artifacts: Vec::new(),
            history: vec![message("m1", "ROLE_USER", &["Summarise the attached notes in three lines."])],
            metadata: vec![
                ("anet.peer_aid".to_owned(), quoted(SAMPLE_AID)),
                ("anet.role".to_owned(), quoted("requester")),
                ("anet.state_seq".to_owned(), "3".to_owned()),
            ],
            message: None,
            state: format!("TASK_STATE_{state}"),
        }
    }

    /// The same with this id.
    pub(super) fn id(mut self, id: &str) -> Self {
        self.id = quoted(id);
        self
    }

    /// The same with this context id.
    pub(super) fn context(mut self, context: &str) -> Self {
        self.context = quoted(context);
        self
    }

    /// The same, sent to this node instead of by it.
    pub(super) fn provider(self) -> Self {
        self.meta("anet.role", r#""provider""#).meta("anet.trust", r#""peer""#)
    }

    /// The same with this metadata key; `value` is JSON text.
    pub(super) fn meta(mut self, key: &str, value: &str) -> Self {
        self.metadata.retain(|(old, _)| old != key);
        self.metadata.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The same with no metadata but what is added from here on.
    pub(super) fn bare(mut self) -> Self {
        self.metadata.clear();
        self
    }

    /// The same with these messages for its history, as JSON text.
    pub(super) fn history(mut self, messages: Vec<String>) -> Self {
        self.history = messages;
        self
    }

    /// The same with one more artifact, as JSON text.
    pub(super) fn artifact(mut self, artifact: impl Into<String>) -> Self {
        self.artifacts.push(artifact.into());
        self
    }

    /// The same with this status message, as JSON text.
    pub(super) fn status_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The task as the daemon writes it: its order of members, metadata sorted by key.
    pub(super) fn json(&self) -> String {
        let mut metadata = self.metadata.clone();
        metadata.sort();
        let metadata: Vec<_> = metadata.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
        let list = |name: &str, items: &[String]| match items {
            [] => String::new(),
            items => format!(r#","{name}":[{}]"#, items.join(",")),
        };
        let message = self.message.as_ref().map_or_else(String::new, |message| format!(r#""message":{message},"#));
        format!(
            r#"{{"id":{}{},"contextId":{}{},"metadata":{{{}}},"status":{{{message}"state":"{}","timestamp":"2026-10-12T08:23:05.107Z"}}}}"#,
            self.id,
            list("artifacts", &self.artifacts),
            self.context,
            list("history", &self.history),
            metadata.join(","),
            self.state,
        )
    }
}

/// A message with these texts.
pub(super) fn message(id: &str, role: &str, texts: &[&str]) -> String {
    let parts: Vec<_> = texts.iter().map(|text| format!(r#"{{"text":{}}}"#, quoted(text))).collect();
    format!(r#"{{"messageId":{},"parts":[{}],"role":"{role}"}}"#, quoted(id), parts.join(","))
}

/// A message with metadata, as JSON text, and one text.
pub(super) fn marked_message(id: &str, metadata: &str, text: &str) -> String {
    format!(
        r#"{{"messageId":{},"metadata":{metadata},"parts":[{{"text":{}}}],"role":"ROLE_AGENT"}}"#,
        quoted(id),
        quoted(text),
    )
}

impl Case {
    /// The daemon gives this JSON to what `tool` asks, the tool is called with its smallest arguments under `label`, and
    /// the answer is the daemon's, unchanged.
    pub(super) fn passes(self, label: &str, tool: Tool, json: &str) -> Self {
        self.daemon_answers(route_of(tool), json).call_as(label, tool).expect_answer(label, json)
    }

    /// A `tools/call` with the smallest arguments, awaited, under this label.
    pub(super) fn call_as(self, label: &str, tool: Tool) -> Self {
        self.step(Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments()))))
            .step(Step::Await(label.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Task;
    use crate::json::Json;

    #[test]
    fn a_task_is_written_as_the_daemon_writes_it() {
        let task = Task::new("FAILED").id("a\"b").meta("anet.effect_status", r#""UNVERIFIED""#).provider().json();
        let json = Json::parse(&task).expect("JSON");
        let names: Vec<_> = json.as_object().expect("an object").iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", "contextId", "history", "metadata", "status"]);
        assert_eq!(json.duplicate(), None);
        assert_eq!(json.at(&["id"]).and_then(Json::as_str), Some("a\"b"));
        assert_eq!(json.at(&["metadata", "anet.role"]).and_then(Json::as_str), Some("provider"));
        assert_eq!(json.at(&["status", "state"]).and_then(Json::as_str), Some("TASK_STATE_FAILED"));
    }
}
