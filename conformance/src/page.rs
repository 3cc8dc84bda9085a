//! What the page says of the 14 tools, as a table: names, parameters, types, ranges, defaults.
//!
//! Responsible for: the table that cases are generated from. It is written from the page (version 0.3) and from nothing
//! else; no server is asked. Not for: what a call becomes on the wire (`contract`).

use std::fmt;

/// One of the 14 tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// `list_agents`
    ListAgents,
    /// `get_agent_card`
    AgentCard,
    /// `send_message`
    SendMessage,
    /// `get_task`
    GetTask,
    /// `list_tasks`
    ListTasks,
    /// `wait_task`
    WaitTask,
    /// `cancel_task`
    CancelTask,
    /// `reply_task`
    ReplyTask,
    /// `submit_payment`
    SubmitPayment,
    /// `reject_payment`
    RejectPayment,
    /// `get_balance`
    Balance,
    /// `audit`
    Audit,
    /// `node_status`
    NodeStatus,
    /// `inbound_pending`
    InboundPending,
}

/// The type of a parameter, in JSON Schema's words, with what limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any string.
    Text,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// An integer; the page gives these bounds (none where it gives none).
    Integer {
        /// The smallest value the page allows.
        min: Option<i64>,
        /// The largest value the page allows.
        max: Option<i64>,
    },
    /// `true` or `false`.
    Boolean,
    /// An object of any members.
    Object,
    /// The array of files.
    Files,
}

impl Kind {
    /// The `type` that a schema states.
    pub const fn schema_type(self) -> &'static str {
        match self {
            Self::Text | Self::Choice(_) => "string",
            Self::Integer { .. } => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Files => "array",
        }
    }
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type and bounds.
    pub kind: Kind,
    /// Whether a call without it is an argument error.
    pub required: bool,
    /// The default that the page states for an integer.
    pub default: Option<i64>,
    /// A valid value, as JSON.
    pub sample: &'static str,
}

const fn text(name: &'static str, sample: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, required: false, default: None, sample }
}

const fn required(parameter: Parameter) -> Parameter {
    Parameter { required: true, ..parameter }
}

const fn integer(
    name: &'static str,
    min: Option<i64>,
    max: Option<i64>,
    default: Option<i64>,
    sample: &'static str,
) -> Parameter {
    Parameter { name, kind: Kind::Integer { min, max }, required: false, default, sample }
}

const fn boolean(name: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Boolean, required: false, default: None, sample: "true" }
}

/// An AID in the right form, of an agent that the mock daemon's world may or may not know.
pub const SAMPLE_AID: &str = "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq";
/// A task id in the right form.
pub const SAMPLE_TASK: &str = "ix_2f3d2f01f6c7467f40dc6858ddd3b0d6";
/// A conversation id in the right form.
pub const SAMPLE_CONTEXT: &str = "ctx_af4966cde811f2d3e746ab551762a17c";

const AID: &str = r#""bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq""#;
const TASK: &str = r#""ix_2f3d2f01f6c7467f40dc6858ddd3b0d6""#;
const CONTEXT: &str = r#""ctx_af4966cde811f2d3e746ab551762a17c""#;
const FILE: &str = r#"[{"name":"notes.txt","content_base64":"bm90ZXM=","media_type":"text/plain"}]"#;
/// The states that `list_tasks` filters by.
pub const LIST_STATES: &[&str] =
    &["submitted", "working", "input-required", "completed", "failed", "canceled", "rejected"];
/// The states that `reply_task` sets.
pub const REPLY_STATES: &[&str] = &["input-required", "working", "completed", "failed", "rejected", "canceled"];

const LIST_AGENTS: &[Parameter] = &[
    text("skill", r#""text.digest""#),
    text("tag", r#""report""#),
    text("query", r#""quarterly report""#),
    integer("limit", Some(1), Some(100), Some(20), "7"),
    text("cursor", r#""c2VjcmV0LXBhZ2U=""#),
    boolean("include_uncarded"),
];
const AGENT_CARD: &[Parameter] = &[required(text("aid", AID))];
const SEND_MESSAGE: &[Parameter] = &[
    text("to", AID),
    text("task_id", TASK),
    text("context_id", CONTEXT),
    text("text", r#""Summarise the attached notes in three lines.""#),
    text("skill", r#""text.digest""#),
    Parameter {
        name: "args",
        kind: Kind::Object,
        required: false,
        default: None,
        sample: r#"{"text":"line one","deep":{"list":[1,null,"x"]}}"#,
    },
    Parameter { name: "files", kind: Kind::Files, required: false, default: None, sample: FILE },
    boolean("return_immediately"),
    integer("timeout_seconds", Some(1), Some(300), Some(30), "45"),
    integer("history_length", Some(0), None, None, "3"),
];
const GET_TASK: &[Parameter] = &[required(text("task_id", TASK)), integer("history_length", Some(0), None, None, "3")];
const LIST_TASKS: &[Parameter] = &[
    Parameter {
        name: "role",
        kind: Kind::Choice(&["requester", "provider"]),
        required: false,
        default: None,
        sample: r#""requester""#,
    },
    text("context_id", CONTEXT),
    Parameter {
        name: "state",
        kind: Kind::Choice(LIST_STATES),
        required: false,
        default: None,
        sample: r#""input-required""#,
    },
    text("peer", AID),
    integer("page_size", Some(1), Some(100), Some(50), "7"),
    text("page_token", r#""dG9rZW4=""#),
    integer("history_length", Some(0), None, Some(1), "3"),
    boolean("include_artifacts"),
];
const WAIT_TASK: &[Parameter] = &[
    required(text("task_id", TASK)),
    integer("timeout_seconds", Some(1), Some(300), Some(30), "45"),
    integer("after_seq", Some(0), None, None, "4"),
];
const TASK_ONLY: &[Parameter] = &[required(text("task_id", TASK))];
const REPLY_TASK: &[Parameter] = &[
    required(text("task_id", TASK)),
    text("text", r#""Which week do you mean?""#),
    Parameter { name: "files", kind: Kind::Files, required: false, default: None, sample: FILE },
    Parameter {
        name: "state",
        kind: Kind::Choice(REPLY_STATES),
        required: false,
        default: None,
        sample: r#""completed""#,
    },
];
const SUBMIT_PAYMENT: &[Parameter] = &[
    required(text("task_id", TASK)),
    Parameter {
        name: "accept",
        kind: Kind::Object,
        required: false,
        default: None,
        sample: r#"{"scheme":"anet-credit","network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","amount":"5","asset":"credit","payTo":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","maxTimeoutSeconds":300}"#,
    },
];
const AUDIT: &[Parameter] = &[
    text("event_type", r#""anet.capability.effect""#),
    integer("since", Some(0), None, None, "410"),
    integer("limit", Some(1), None, Some(50), "7"),
];

impl Tool {
    /// All 14, in the order of the page's overview.
    pub const ALL: [Self; 14] = [
        Self::ListAgents,
        Self::AgentCard,
        Self::SendMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::WaitTask,
        Self::CancelTask,
        Self::ReplyTask,
        Self::SubmitPayment,
        Self::RejectPayment,
        Self::Balance,
        Self::Audit,
        Self::NodeStatus,
        Self::InboundPending,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListAgents => "list_agents",
            Self::AgentCard => "get_agent_card",
            Self::SendMessage => "send_message",
            Self::GetTask => "get_task",
            Self::ListTasks => "list_tasks",
            Self::WaitTask => "wait_task",
            Self::CancelTask => "cancel_task",
            Self::ReplyTask => "reply_task",
            Self::SubmitPayment => "submit_payment",
            Self::RejectPayment => "reject_payment",
            Self::Balance => "get_balance",
            Self::Audit => "audit",
            Self::NodeStatus => "node_status",
            Self::InboundPending => "inbound_pending",
        }
    }

    /// The tool of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Its parameters, in the page's order. `wait_task` takes `history_length` as well in 0.2.1, which the page does
    /// not list: servers may take it or not (R16).
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::ListAgents => LIST_AGENTS,
            Self::AgentCard => AGENT_CARD,
            Self::SendMessage => SEND_MESSAGE,
            Self::GetTask => GET_TASK,
            Self::ListTasks => LIST_TASKS,
            Self::WaitTask => WAIT_TASK,
            Self::CancelTask | Self::RejectPayment => TASK_ONLY,
            Self::ReplyTask => REPLY_TASK,
            Self::SubmitPayment => SUBMIT_PAYMENT,
            Self::Audit => AUDIT,
            Self::Balance | Self::NodeStatus | Self::InboundPending => &[],
        }
    }

    /// The parameter of that name.
    pub fn parameter(self, name: &str) -> Option<&'static Parameter> {
        self.parameters().iter().find(|parameter| parameter.name == name)
    }

    /// Whether its result is a single task, held to about 24 KB.
    pub const fn returns_task(self) -> bool {
        matches!(self, Self::SendMessage | Self::GetTask | Self::WaitTask | Self::CancelTask | Self::ReplyTask)
    }

    /// The smallest valid arguments, as JSON text.
    pub fn minimal_arguments(self) -> String {
        match self {
            Self::SendMessage => format!(r#"{{"to":{AID},"text":"Summarise the attached notes in three lines."}}"#),
            Self::ReplyTask => format!(r#"{{"task_id":{TASK},"text":"Which week do you mean?"}}"#),
            _ => {
                let members: Vec<_> = self
                    .parameters()
                    .iter()
                    .filter(|parameter| parameter.required)
                    .map(|parameter| format!(r#""{}":{}"#, parameter.name, parameter.sample))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Words that no tool name may contain.
pub const BANNED_WORDS: [&str; 9] =
    ["identity", "rotate", "recover", "deactivate", "retention", "preview", "autoreply", "hub", "payees"];

#[cfg(test)]
mod tests {
    use super::{BANNED_WORDS, Kind, Tool};
    use crate::json::Json;

    #[test]
    fn the_table_is_sound() {
        for tool in Tool::ALL {
            assert_eq!(Tool::from_name(tool.name()), Some(tool));
            assert!(!BANNED_WORDS.iter().any(|word| tool.name().contains(word)));
            assert!(Json::parse(&tool.minimal_arguments()).is_ok_and(|json| json.is_object()), "{tool}");
            for parameter in tool.parameters() {
                let sample = Json::parse(parameter.sample).expect("samples are JSON");
                match parameter.kind {
                    Kind::Text => assert!(sample.as_str().is_some()),
                    Kind::Choice(choices) => assert!(choices.contains(&sample.as_str().unwrap_or_default())),
                    Kind::Integer { min, max } => {
                        let value = sample.as_i64().expect("an integer");
                        assert!(min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max));
                        assert_ne!(parameter.default, Some(value), "a default would prove nothing");
                    }
                    Kind::Boolean => assert_eq!(sample.as_bool(), Some(true)),
                    Kind::Object => assert!(sample.is_object()),
                    Kind::Files => assert!(sample.as_array().is_some()),
                }
            }
        }
    }
}
