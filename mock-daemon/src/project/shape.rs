//! The A2A types as the control plane writes them.
//!
//! Responsible for: task, status, message, artifact and part, and their JSON with the fixed key order of control-plane 3.1.
//! Not for: what a task of the world looks like in them (`project`), nor for their size (`bound`).

use std::collections::BTreeMap;
use std::fmt;

use crate::json::{Json, Members};

/// Free metadata; sorted, as Go writes maps.
pub type Metadata = BTreeMap<String, Json>;

/// The state of a task, in both spellings that the daemon uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// Recorded, nothing heard yet.
    Submitted,
    /// The provider works.
    Working,
    /// The requester must speak or pay.
    InputRequired,
    /// The provider is done.
    Completed,
    /// The provider could not.
    Failed,
    /// One side withdrew it.
    Canceled,
    /// The provider would not.
    Rejected,
}

impl TaskState {
    /// All seven.
    pub const ALL: [Self; 7] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    /// The spelling of the daemon's store.
    pub const fn stored(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::InputRequired => "input-required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
        }
    }

    /// The spelling of A2A.
    pub const fn a2a(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::Rejected => "TASK_STATE_REJECTED",
        }
    }

    /// The state that either spelling names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.stored() == text || state.a2a() == text)
    }

    /// Whether nothing can follow.
    pub const fn terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.stored())
    }
}

/// Who speaks: the same on both nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The requester.
    User,
    /// The provider.
    Agent,
}

impl Role {
    /// The spelling of A2A.
    pub const fn a2a(self) -> &'static str {
        match self {
            Self::User => "ROLE_USER",
            Self::Agent => "ROLE_AGENT",
        }
    }
}

/// What a part holds: exactly one of four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes, as standard base64 with padding.
    Raw(String),
    /// Any JSON but `null`.
    Data(Json),
    /// Where the content is.
    Url(String),
}

/// A piece of a message or of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it holds.
    pub content: Content,
    /// A file's name, or empty.
    pub filename: String,
    /// A media type, or empty.
    pub media_type: String,
    /// Its metadata.
    pub metadata: Metadata,
}

impl Part {
    /// A part of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: Content::Text(text.into()),
            filename: String::new(),
            media_type: String::new(),
            metadata: Metadata::new(),
        }
    }

    /// A part of JSON data.
    pub fn data(data: Json) -> Self {
        Self {
            content: Content::Data(data),
            filename: String::new(),
            media_type: "application/json".to_owned(),
            metadata: Metadata::new(),
        }
    }

    /// The part as JSON.
    pub fn json(&self) -> Json {
        let members = match &self.content {
            Content::Text(text) => Members::new().put("text", text),
            Content::Raw(base64) => Members::new().put("raw", base64),
            Content::Data(data) => Members::new().put("data", data.clone()),
            Content::Url(url) => Members::new().put("url", url),
        };
        members
            .text("filename", &self.filename)
            .text("mediaType", &self.media_type)
            .maybe("metadata", some_metadata(&self.metadata))
            .done()
    }
}

/// One turn of a conversation, or a state's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its id.
    pub message_id: String,
    /// The conversation, or empty.
    pub context_id: String,
    /// URIs of extensions it uses.
    pub extensions: Vec<String>,
    /// Its metadata.
    pub metadata: Metadata,
    /// What it says.
    pub parts: Vec<Part>,
    /// Other tasks it points to.
    pub reference_task_ids: Vec<String>,
    /// Who speaks.
    pub role: Role,
    /// The task, or empty.
    pub task_id: String,
}

impl Message {
    /// The message as JSON.
    pub fn json(&self) -> Json {
        Members::new()
            .put("messageId", &self.message_id)
            .text("contextId", &self.context_id)
            .maybe("extensions", some_list(&self.extensions))
            .maybe("metadata", some_metadata(&self.metadata))
            .put("parts", self.parts.iter().map(Part::json).collect::<Vec<_>>())
            .maybe("referenceTaskIds", some_list(&self.reference_task_ids))
            .put("role", self.role.a2a())
            .text("taskId", &self.task_id)
            .done()
    }
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its id.
    pub artifact_id: String,
    /// What it is, or empty.
    pub description: String,
    /// URIs of extensions it uses.
    pub extensions: Vec<String>,
    /// Its metadata.
    pub metadata: Metadata,
    /// Its name, or empty.
    pub name: String,
    /// What it holds.
    pub parts: Vec<Part>,
}

impl Artifact {
    /// An artifact of these parts.
    pub fn new(id: &str, name: &str, parts: Vec<Part>) -> Self {
        Self {
            artifact_id: id.to_owned(),
            description: String::new(),
            extensions: Vec::new(),
            metadata: Metadata::new(),
            name: name.to_owned(),
            parts,
        }
    }

    /// The artifact as JSON.
    pub fn json(&self) -> Json {
        Members::new()
            .put("artifactId", &self.artifact_id)
            .text("description", &self.description)
            .maybe("extensions", some_list(&self.extensions))
            .maybe("metadata", some_metadata(&self.metadata))
            .text("name", &self.name)
            .put("parts", self.parts.iter().map(Part::json).collect::<Vec<_>>())
            .done()
    }
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// The words that go with the state.
    pub message: Option<Message>,
    /// The state.
    pub state: TaskState,
    /// When it was reached (RFC 3339).
    pub timestamp: String,
}

/// A task as every task route answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// Its results.
    pub artifacts: Vec<Artifact>,
    /// Its conversation.
    pub context_id: String,
    /// What was said, oldest first.
    pub history: Vec<Message>,
    /// What the node states about it.
    pub metadata: Metadata,
    /// Where it stands.
    pub status: TaskStatus,
}

impl Task {
    /// The task as JSON.
    pub fn json(&self) -> Json {
        let list = |items: Vec<Json>| (!items.is_empty()).then_some(items);
        Members::new()
            .put("id", &self.id)
            .maybe("artifacts", list(self.artifacts.iter().map(Artifact::json).collect()))
            .put("contextId", &self.context_id)
            .maybe("history", list(self.history.iter().map(Message::json).collect()))
            .maybe("metadata", some_metadata(&self.metadata))
            .put(
                "status",
                Members::new()
                    .maybe("message", self.status.message.as_ref().map(Message::json))
                    .put("state", self.status.state.a2a())
                    .text("timestamp", &self.status.timestamp)
                    .done(),
            )
            .done()
    }
}

/// Metadata as a JSON object.
pub fn metadata_json(metadata: &Metadata) -> Json {
    Json::Object(metadata.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn some_metadata(metadata: &Metadata) -> Option<Json> {
    (!metadata.is_empty()).then(|| metadata_json(metadata))
}

fn some_list(texts: &[String]) -> Option<Vec<Json>> {
    (!texts.is_empty()).then(|| texts.iter().map(Json::from).collect())
}
