//! What a tool call becomes: the route and the body that the contract gives for a tool and its arguments.
//!
//! Responsible for: the mapping of control-plane section 2 (0.3) for valid arguments, as a pure function, so that cases can
//! be generated. Not for: saying which arguments are valid. The hand-written rows of the exchange cases and this mapping
//! are checked against each other in a test there.

pub(super) use crate::contract::route_of as route;
use crate::json::Json;
use crate::page::Tool;

/// What a single task is held to.
const TASK_BYTES: i64 = 24_576;
/// What each task of a list is held to.
const LISTED_TASK_BYTES: i64 = 8_192;
/// Waiting time when the caller names none, in seconds.
const DEFAULT_TIMEOUT: i64 = 30;

/// The body for these arguments, which must be valid. `null` and empty strings count as absent.
pub(super) fn body(tool: Tool, arguments: &Json) -> Json {
    let mut body = Body { arguments, members: Vec::new() };
    match tool {
        Tool::ListAgents => {
            body.text("skill", "skill").text("tag", "tag").text("query", "q").text("cursor", "cursor");
            body.integer("limit", "limit").flag("include_uncarded");
        }
        Tool::AgentCard => {
            let aid = body.string("aid").unwrap_or_default().trim().to_owned();
            body.put("aid", Json::String(aid));
        }
        Tool::SendMessage => send(&mut body),
        Tool::GetTask => {
            body.text("task_id", "task_id").integer("history_length", "history_length");
            body.put("max_task_bytes", Json::integer(TASK_BYTES));
        }
        Tool::ListTasks => list(&mut body),
        Tool::WaitTask => {
            body.text("task_id", "task_id").timeout().integer("after_seq", "after_seq");
            body.put("max_task_bytes", Json::integer(TASK_BYTES));
        }
        Tool::CancelTask => {
            body.text("task_id", "task_id").put("max_task_bytes", Json::integer(TASK_BYTES));
        }
        Tool::ReplyTask => {
            body.text("task_id", "task_id").text("state", "state");
            if body.files().is_empty() {
                body.text("text", "text");
            } else {
                let message = message("ROLE_AGENT", None, &body);
                body.put("message", message);
            }
            body.put("max_task_bytes", Json::integer(TASK_BYTES));
        }
        Tool::SubmitPayment => {
            body.text("task_id", "task_id").put("decision", Json::string("submit"));
            body.value("accept", "accept");
        }
        Tool::RejectPayment => {
            body.text("task_id", "task_id").put("decision", Json::string("reject"));
        }
        Tool::Audit => {
            body.text("event_type", "event_type").integer("since", "since").integer("limit", "limit");
        }
        Tool::Balance | Tool::NodeStatus | Tool::InboundPending => {}
    }
    Json::Object(body.members)
}

fn send(body: &mut Body<'_>) {
    body.text("to", "to");
    if body.files().is_empty() {
        body.text("task_id", "task_id").text("context_id", "context_id").text("text", "text").text("skill", "skill");
        body.value("args", "args");
    } else {
        let mut call = Body { arguments: body.arguments, members: Vec::new() };
        call.text("skill", "skill").value("args", "args");
        let call = (!call.members.is_empty()).then(|| {
            Json::object([("data", Json::Object(call.members)), ("mediaType", Json::string("application/json"))])
        });
        let message = message("ROLE_USER", call, body);
        body.put("message", message);
    }
    if body.arguments.member("return_immediately").and_then(Json::as_bool) == Some(true) {
        body.put("return_immediately", Json::Bool(true));
    } else {
        body.timeout();
    }
    body.integer("history_length", "history_length").put("max_task_bytes", Json::integer(TASK_BYTES));
}

fn list(body: &mut Body<'_>) {
    match body.string("role") {
        Some("requester") => body.put("role", Json::string("outbound")),
        Some("provider") => body.put("role", Json::string("inbound")),
        _ => body,
    };
    body.text("context_id", "context_id").text("state", "state").text("peer", "peer");
    body.integer("page_size", "page_size").text("page_token", "page_token");
    if body.given("history_length").is_some() {
        body.integer("history_length", "history_length");
    } else {
        body.put("history_length", Json::integer(1));
    }
    body.flag("include_artifacts").put("max_task_bytes", Json::integer(LISTED_TASK_BYTES));
}

/// The A2A message that carries files.
fn message(role: &str, call: Option<Json>, body: &Body<'_>) -> Json {
    let mut ids = Body { arguments: body.arguments, members: vec![("messageId".to_owned(), Json::string(""))] };
    if role == "ROLE_USER" {
        ids.text("context_id", "contextId").text("task_id", "taskId");
    }
    let text = body.string("text").map(|text| Json::object([("text", Json::string(text))]));
    let files = body.files().iter().map(|file| {
        let mut part = Body { arguments: file, members: Vec::new() };
        part.text("content_base64", "raw").text("name", "filename").text("media_type", "mediaType");
        Json::Object(part.members)
    });
    let parts = text.into_iter().chain(call).chain(files).collect();
    ids.put("role", Json::string(role)).put("parts", Json::Array(parts));
    Json::Object(ids.members)
}

/// A body in the making.
struct Body<'a> {
    arguments: &'a Json,
    members: Vec<(String, Json)>,
}

impl<'a> Body<'a> {
    /// An argument that is there and not `null`.
    fn given(&self, name: &str) -> Option<&'a Json> {
        self.arguments.member(name).filter(|value| **value != Json::Null)
    }

    fn string(&self, name: &str) -> Option<&'a str> {
        self.given(name).and_then(Json::as_str).filter(|text| !text.is_empty())
    }

    fn files(&self) -> &'a [Json] {
        self.given("files").and_then(Json::as_array).unwrap_or_default()
    }

    fn put(&mut self, name: &str, value: Json) -> &mut Self {
        self.members.push((name.to_owned(), value));
        self
    }

    fn text(&mut self, name: &str, wire: &str) -> &mut Self {
        match self.string(name) {
            Some(text) => self.put(wire, Json::string(text)),
            None => self,
        }
    }

    fn value(&mut self, name: &str, wire: &str) -> &mut Self {
        match self.given(name) {
            Some(value) => self.put(wire, value.clone()),
            None => self,
        }
    }

    /// An integer, which may be written `5.0`: the daemon reads only plain ones.
    fn integer(&mut self, name: &str, wire: &str) -> &mut Self {
        match self.given(name) {
            Some(Json::Number(literal)) => {
                let plain = literal.strip_suffix(".0").unwrap_or(literal);
                self.put(wire, Json::Number(plain.to_owned()))
            }
            _ => self,
        }
    }

    fn flag(&mut self, name: &str) -> &mut Self {
        match self.given(name) {
            Some(Json::Bool(true)) => self.put(name, Json::Bool(true)),
            _ => self,
        }
    }

    fn timeout(&mut self) -> &mut Self {
        let seconds = self.given("timeout_seconds").and_then(|value| match value {
            Json::Number(literal) => literal.strip_suffix(".0").unwrap_or(literal).parse().ok(),
            _ => None,
        });
        self.put("timeout_ms", Json::integer(seconds.unwrap_or(DEFAULT_TIMEOUT) * 1000))
    }
}
