//! What a request body means to the daemon, by section 2 of the wire contract.
//!
//! Responsible for: bringing the spellings that the contract declares equal into one form, so that a server is failed
//! for what it says and not for how. Not for: deciding what a tool call must become; the cases say that.
//!
//! Equal are: an absent member and `null`, an empty string and none, a member and its documented default, the short
//! form of a message and its A2A form, both spellings of states and of the A2A configuration, members in any order.

use anet_mock_daemon::Route;

use crate::json::Json;
use crate::page::Tool;

/// The daemon's default for `timeout_ms`, in milliseconds (control-plane 1.7).
const DEFAULT_TIMEOUT_MS: i64 = 60_000;

/// Members that are integers. Go's decoder refuses `5.0` and `5e0` for them.
const INTEGERS: [&str; 7] =
    ["limit", "timeout_ms", "history_length", "max_task_bytes", "page_size", "after_seq", "since"];

/// The route of a tool; of `get_balance` the first, which asks [`Route::PaymentsStatus`] as well.
pub const fn route_of(tool: Tool) -> Route {
    match tool {
        Tool::ListAgents => Route::AgentsList,
        Tool::AgentCard => Route::AgentsCard,
        Tool::SendMessage => Route::TasksSend,
        Tool::GetTask => Route::TasksGet,
        Tool::ListTasks => Route::TasksList,
        Tool::WaitTask => Route::TasksWait,
        Tool::CancelTask => Route::TasksCancel,
        Tool::ReplyTask => Route::TasksReply,
        Tool::SubmitPayment | Tool::RejectPayment => Route::TasksPay,
        Tool::Balance => Route::Balance,
        Tool::Audit => Route::Evidence,
        Tool::NodeStatus => Route::Status,
        Tool::InboundPending => Route::InboundPending,
    }
}

/// The body in the one form in which equal meanings are equal values. Fails, with what is wrong, if the daemon would
/// refuse the body as malformed.
pub fn meaning(route: Route, body: &[u8]) -> Result<Json, String> {
    if matches!(route, Route::Balance | Route::Status | Route::InboundPending | Route::PaymentsStatus) {
        // The daemon does not read these bodies.
        return Ok(Json::object::<String>([]));
    }
    let json = Json::parse_bytes(body).map_err(|error| format!("the body is no JSON: {error}"))?;
    let Json::Object(members) = &json else { return Err("the body is no JSON object".to_owned()) };
    for (name, value) in members {
        if let Json::Number(literal) = value
            && INTEGERS.contains(&name.as_str())
            && literal.contains(['.', 'e', 'E'])
        {
            return Err(format!("`{name}` is written {literal}; the daemon reads only plain integers"));
        }
    }
    let body = Body(&json);
    let mut form = Form::default();
    match route {
        Route::AgentsList => {
            form.texts(&body, &["skill", "tag", "q", "cursor"]);
            form.unless(&body, "limit", &[0, 20]);
            form.flag(&body, "include_uncarded");
        }
        Route::AgentsCard => form.text("aid", body.text("aid").map(|aid| aid.trim().to_owned())),
        Route::TasksSend => send(&mut form, &body),
        Route::TasksGet => {
            form.texts(&body, &["task_id"]);
            form.values(&body, &["history_length", "max_task_bytes"]);
        }
        Route::TasksList => {
            form.texts(&body, &["context_id", "role", "peer", "page_token", "status_timestamp_after"]);
            form.text("state", body.text("status").or_else(|| body.text("state")).map(|state| store_spelling(&state)));
            form.unless(&body, "page_size", &[0, 50]);
            form.values(&body, &["history_length", "max_task_bytes"]);
            form.flag(&body, "include_artifacts");
        }
        Route::TasksWait => {
            form.texts(&body, &["task_id"]);
            form.unless(&body, "after_seq", &[0]);
            form.values(&body, &["history_length", "max_task_bytes"]);
            form.timeout(&body);
        }
        Route::TasksCancel => {
            form.texts(&body, &["task_id"]);
            form.values(&body, &["max_task_bytes"]);
        }
        Route::TasksReply => {
            form.texts(&body, &["task_id"]);
            let state = body.text("state").map(|state| store_spelling(&state));
            form.text("state", state.filter(|state| state != "input-required"));
            content(&mut form, &body, "ROLE_AGENT");
            form.values(&body, &["max_task_bytes"]);
        }
        Route::TasksPay => {
            form.texts(&body, &["task_id", "decision"]);
            form.values(&body, &["accept", "payload", "purpose", "amount", "pay"]);
        }
        Route::Evidence => {
            form.texts(&body, &["event_type"]);
            form.unless(&body, "since", &[0]);
            form.unless(&body, "limit", &[0, 50]);
        }
        Route::Balance | Route::Status | Route::InboundPending | Route::PaymentsStatus => {}
    }
    Ok(Json::Object(form.0))
}

/// The body for an exact comparison: only what the contract itself leaves to the sender is made equal, which is the
/// `messageId` of a message with files.
pub fn exact(body: &[u8]) -> Result<Json, String> {
    if body.trim_ascii().is_empty() {
        return Ok(Json::object::<String>([]));
    }
    let mut json = Json::parse_bytes(body).map_err(|error| format!("the body is no JSON: {error}"))?;
    if let Json::Object(members) = &mut json
        && let Some((_, message)) = members.iter_mut().find(|(name, _)| name == "message")
        && message.member("messageId").is_some()
    {
        message.set("messageId", Json::string(""));
    }
    Ok(json)
}

fn send(form: &mut Form, body: &Body<'_>) {
    let message = body.value("message");
    let within = |name: &str, a2a: &str| match message {
        Some(message) => Body(message).text(a2a),
        None => body.text(name),
    };
    let task = within("task_id", "taskId");
    if task.is_none() {
        // The daemon ignores `to` when a task is continued.
        form.text("to", body.text("to"));
    }
    form.text("task_id", task);
    form.text("context_id", within("context_id", "contextId"));
    content(form, body, "ROLE_USER");
    form.texts(body, &["message_id"]);
    form.values(body, &["metadata"]);
    let configuration = body.value("configuration").unwrap_or(&Json::Null);
    let at_once = [body.value("return_immediately"), configuration.member("returnImmediately")]
        .into_iter()
        .flatten()
        .any(|flag| flag.as_bool() == Some(true));
    if at_once {
        form.0.push(("return_immediately".to_owned(), Json::Bool(true)));
        // The contract sends either this or a timeout, never both.
        form.values(body, &["timeout_ms"]);
    } else {
        form.timeout(body);
    }
    if body.value("history_length").is_some() {
        form.values(body, &["history_length"]);
    } else if let Some(length) = Body(configuration).value("historyLength") {
        form.0.push(("history_length".to_owned(), length.clone()));
    }
    form.values(body, &["max_task_bytes"]);
}

/// Text, capability call and files, from the short form or from an A2A message.
fn content(form: &mut Form, body: &Body<'_>, role: &str) {
    let Some(message) = body.value("message") else {
        form.texts(body, &["text", "skill"]);
        form.values(body, &["args"]);
        return;
    };
    let message_role = Body(message).text("role").unwrap_or_else(|| role.to_owned());
    if message_role != role && message_role != "ROLE_UNSPECIFIED" {
        form.0.push(("role".to_owned(), Json::string(message_role)));
    }
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    for part in message.member("parts").and_then(Json::as_array).unwrap_or_default() {
        if let Some(text) = Body(part).text("text") {
            texts.push(text);
        } else if let Some(data) = part.member("data") {
            form.text("skill", Body(data).text("skill"));
            form.values(&Body(data), &["args"]);
        } else {
            let mut file = Form::default();
            for name in ["raw", "filename", "mediaType", "url"] {
                file.text(name, Body(part).text(name));
            }
            files.push(Json::Object(file.0));
        }
    }
    form.text("text", (!texts.is_empty()).then(|| texts.join("\n")));
    if !files.is_empty() {
        form.0.push(("files".to_owned(), Json::Array(files)));
    }
}

/// `TASK_STATE_INPUT_REQUIRED` as `input-required`; a store spelling as it is.
fn store_spelling(state: &str) -> String {
    match state.strip_prefix("TASK_STATE_") {
        Some(rest) => rest.to_lowercase().replace('_', "-"),
        None => state.to_owned(),
    }
}

/// A body that is read member by member; `null` counts as absent.
struct Body<'j>(&'j Json);

impl<'j> Body<'j> {
    fn value(&self, name: &str) -> Option<&'j Json> {
        self.0.member(name).filter(|value| **value != Json::Null)
    }

    /// A string that is not empty.
    fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

/// The members of the one form.
#[derive(Default)]
struct Form(Vec<(String, Json)>);

impl Form {
    fn text(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.0.push((name.to_owned(), Json::String(value)));
        }
    }

    /// Members that are strings; a value of another type is kept as it is, so that it differs.
    fn texts(&mut self, body: &Body<'_>, names: &[&str]) {
        for name in names {
            match body.value(name) {
                None => {}
                Some(Json::String(text)) if text.is_empty() => {}
                Some(value) => self.0.push(((*name).to_owned(), value.clone())),
            }
        }
    }

    fn values(&mut self, body: &Body<'_>, names: &[&str]) {
        for name in names {
            if let Some(value) = body.value(name) {
                self.0.push(((*name).to_owned(), value.clone()));
            }
        }
    }

    /// An integer that says nothing when it has one of these values.
    fn unless(&mut self, body: &Body<'_>, name: &str, defaults: &[i64]) {
        if let Some(value) = body.value(name)
            && !value.as_i64().is_some_and(|number| defaults.contains(&number))
        {
            self.0.push((name.to_owned(), value.clone()));
        }
    }

    fn flag(&mut self, body: &Body<'_>, name: &str) {
        if let Some(value) = body.value(name)
            && value.as_bool() != Some(false)
        {
            self.0.push((name.to_owned(), value.clone()));
        }
    }

    fn timeout(&mut self, body: &Body<'_>) {
        let value = body.value("timeout_ms").cloned();
        let value = value.filter(|value| value.as_i64() != Some(0));
        self.0.push(("timeout_ms".to_owned(), value.unwrap_or_else(|| Json::integer(DEFAULT_TIMEOUT_MS))));
    }
}

#[cfg(test)]
mod tests {
    use anet_mock_daemon::Route;

    use super::meaning;
    use crate::json::Grade;

    fn same(route: Route, a: &str, b: &str) -> bool {
        match (meaning(route, a.as_bytes()), meaning(route, b.as_bytes())) {
            (Ok(a), Ok(b)) => a.differences(&b, Grade::Double).is_empty(),
            _ => false,
        }
    }

    #[test]
    fn documented_spellings_are_equal() {
        let table = [
            (
                Route::AgentsList,
                r#"{"skill":"a"}"#,
                r#"{"limit":20,"skill":"a","tag":"","include_uncarded":false,"q":null}"#,
            ),
            (
                Route::TasksList,
                r#"{"state":"input-required","history_length":1}"#,
                r#"{"status":"TASK_STATE_INPUT_REQUIRED","page_size":50,"history_length":1}"#,
            ),
            (
                Route::TasksSend,
                r#"{"to":"a","text":"t","skill":"s","args":{"n":1.0},"timeout_ms":30000}"#,
                r#"{"to":"a","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"t"},{"data":{"skill":"s","args":{"n":1}},"mediaType":"application/json"}]},"timeout_ms":30000}"#,
            ),
            (
                Route::TasksSend,
                r#"{"task_id":"x","text":"t","timeout_ms":60000}"#,
                r#"{"task_id":"x","to":"a","text":"t"}"#,
            ),
            (
                Route::TasksReply,
                r#"{"task_id":"x","text":"t"}"#,
                r#"{"task_id":"x","state":"input-required","text":"t"}"#,
            ),
            (Route::Evidence, "{}", r#"{"since":0,"limit":50}"#),
            (Route::Status, "", r#"{"anything":1}"#),
        ];
        for (route, a, b) in table {
            assert!(same(route, a, b), "{route}: {a} and {b}");
        }
    }

    #[test]
    fn different_meanings_differ() {
        let table = [
            (Route::AgentsList, r#"{"q":"a"}"#, r#"{"query":"a"}"#),
            (Route::AgentsList, r#"{"limit":7}"#, r#"{"limit":5.0}"#),
            (Route::TasksGet, r#"{"task_id":"x","max_task_bytes":24576}"#, r#"{"task_id":"x"}"#),
            (Route::TasksGet, r#"{"task_id":"x","history_length":0}"#, r#"{"task_id":"x"}"#),
            (Route::TasksSend, r#"{"to":"a","text":"t","timeout_ms":30000}"#, r#"{"to":"a","text":"t"}"#),
            (
                Route::TasksSend,
                r#"{"to":"a","text":"t","return_immediately":true}"#,
                r#"{"to":"a","text":"t","return_immediately":true,"timeout_ms":30000}"#,
            ),
            (Route::TasksSend, r#"{"to":"a","text":"t"}"#, r#"{"to":"a","text":"t","message_id":"m"}"#),
            (Route::TasksPay, r#"{"task_id":"x","decision":"submit"}"#, r#"{"task_id":"x","decision":"reject"}"#),
            (Route::TasksList, r#"{"role":"inbound"}"#, r#"{"role":"provider"}"#),
        ];
        for (route, a, b) in table {
            assert!(!same(route, a, b), "{route}: {a} and {b}");
        }
    }

    #[test]
    fn what_the_daemon_cannot_read_is_an_error() {
        for body in ["", "[]", "{", "null"] {
            assert!(meaning(Route::TasksGet, body.as_bytes()).is_err(), "{body:?}");
        }
    }
}
