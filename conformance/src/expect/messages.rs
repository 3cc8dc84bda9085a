//! Expectations on every message: stdout carries nothing but JSON-RPC, and each message has the shape that the revision
//! in force gives it. A table of the few kinds that a tools-only server sends, written from the MCP specification.

use crate::json::Json;
use crate::observation::{Line, Observation};
use crate::revision::Revision;
use crate::verdict::Finding;

pub(super) fn stdout_pure(seen: &Observation) -> Finding {
    for line in &seen.lines {
        let is_message = match &line.message {
            Some(Json::Object(_)) => true,
            Some(Json::Array(items)) => may_batch(seen) && !items.is_empty() && items.iter().all(Json::is_object),
            _ => false,
        };
        if !is_message {
            return Finding::differs(
                "stdout carries a line that is no JSON-RPC message",
                "one JSON-RPC message a line, and nothing else",
                shown(line),
            );
        }
    }
    if seen.unterminated.is_empty() {
        Finding::Met
    } else {
        Finding::differs(
            "stdout ends in the middle of a line",
            "a line end after every message",
            String::from_utf8_lossy(&seen.unterminated),
        )
    }
}

pub(super) fn messages_valid(seen: &Observation) -> Finding {
    for line in &seen.lines {
        let messages = match &line.message {
            Some(message @ Json::Object(_)) => std::slice::from_ref(message),
            Some(Json::Array(items)) => items.as_slice(),
            // That is a matter of purity.
            _ => continue,
        };
        for message in messages {
            if let Err(complaint) = valid(seen, message) {
                return Finding::differs(
                    format!("a message is not valid in MCP {}: {complaint}", seen.in_force()),
                    "a message of the shape that the revision in force gives it",
                    shown(line),
                );
            }
        }
    }
    Finding::Met
}

/// Batches exist in one revision, and only as an answer to one.
fn may_batch(seen: &Observation) -> bool {
    let version = Revision::V2025_03_26;
    (seen.revision == version || seen.in_force() == version)
        && seen.sent.iter().any(|sent| sent.bytes.trim_ascii_start().first() == Some(&b'['))
}

fn valid(seen: &Observation, message: &Json) -> Result<(), String> {
    if message.member("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(r#"`jsonrpc` is not "2.0""#.to_owned());
    }
    if let Some(name) = message.duplicate() {
        // A document that passed through may carry duplicates of its own; the envelope may not.
        let members = message.as_object().unwrap_or_default();
        if members.iter().filter(|(member, _)| member == name).count() > 1 {
            return Err(format!("`{name}` stands in it twice"));
        }
    }
    if let Some(method) = message.member("method") {
        return from_server(seen, message, method);
    }
    match (message.member("result"), message.member("error")) {
        (Some(result), None) => response(seen, message, result),
        (None, Some(error)) => failure(seen, message, error),
        (Some(_), Some(_)) => Err("it has both `result` and `error`".to_owned()),
        (None, None) => Err("it has neither `method` nor `result` nor `error`".to_owned()),
    }
}

fn from_server(seen: &Observation, message: &Json, method: &Json) -> Result<(), String> {
    if method.as_str().is_none() {
        return Err("`method` is no string".to_owned());
    }
    if message.member("params").is_some_and(|params| !params.is_object()) {
        return Err("`params` is no object".to_owned());
    }
    match message.member("id") {
        Some(_) if seen.in_force().is_modern() => Err("a server must not send requests in this revision".to_owned()),
        Some(id) if !is_id(id) => Err("`id` is neither string nor integer".to_owned()),
        _ => Ok(()),
    }
}

fn response(seen: &Observation, message: &Json, result: &Json) -> Result<(), String> {
    // An id that no request should have had is the client's own fault when it comes back.
    let sent = |id: &&Json| seen.exchanges.iter().any(|exchange| same_id(&exchange.id, id));
    let id = message.member("id").filter(|id| is_id(id) || sent(id));
    let id = id.ok_or("a result without an `id` that is a string or integer")?;
    let exchange = seen
        .exchanges
        .iter()
        .find(|exchange| same_id(&exchange.id, id))
        .ok_or_else(|| format!("no request had the id {id}"))?;
    if !result.is_object() {
        return Err("`result` is no object".to_owned());
    }
    let request = Json::parse_bytes(exchange.sent.trim_ascii()).unwrap_or(Json::Null);
    match request.member("method").and_then(Json::as_str) {
        Some("initialize") => initialized(result),
        Some("tools/list") => tools(result),
        Some("tools/call") => tool_result(result, seen.in_force()),
        _ => Ok(()),
    }
}

fn failure(seen: &Observation, message: &Json, error: &Json) -> Result<(), String> {
    if error.member("code").and_then(Json::as_i64).is_none() {
        return Err("`error.code` is no integer".to_owned());
    }
    if error.member("message").and_then(Json::as_str).is_none() {
        return Err("`error.message` is no string".to_owned());
    }
    match message.member("id") {
        // The id of what could not be read is not known.
        None | Some(Json::Null) => Ok(()),
        Some(id) => {
            let text = id.to_string();
            let sent = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
            let known = seen.exchanges.iter().any(|exchange| same_id(&exchange.id, id))
                || seen.sent.iter().any(|line| sent(&line.bytes));
            if known { Ok(()) } else { Err(format!("no request had the id {id}")) }
        }
    }
}

fn initialized(result: &Json) -> Result<(), String> {
    for pointer in ["/protocolVersion", "/serverInfo/name", "/serverInfo/version"] {
        if result.pointer(pointer).and_then(Json::as_str).is_none() {
            return Err(format!("`result{pointer}` is no string"));
        }
    }
    match result.member("capabilities") {
        Some(Json::Object(_)) => Ok(()),
        _ => Err("`result/capabilities` is no object".to_owned()),
    }
}

fn tools(result: &Json) -> Result<(), String> {
    let tools = result.member("tools").and_then(Json::as_array).ok_or("`result/tools` is no array")?;
    for tool in tools {
        let name = tool.member("name").and_then(Json::as_str).ok_or("a tool has no `name`")?;
        let schema = tool.member("inputSchema").ok_or_else(|| format!("`{name}` has no `inputSchema`"))?;
        if schema.member("type").and_then(Json::as_str) != Some("object") {
            return Err(format!(r#"`inputSchema.type` of `{name}` is not "object""#));
        }
    }
    match result.member("nextCursor") {
        None | Some(Json::String(_)) => Ok(()),
        // `null` is what some servers write for "none"; the schema knows only strings.
        Some(other) => Err(format!("`result/nextCursor` is {other}, and must be a string or left out")),
    }
}

fn tool_result(result: &Json, revision: Revision) -> Result<(), String> {
    let content = result.member("content").and_then(Json::as_array).ok_or("`result/content` is no array")?;
    for item in content {
        match item.member("type").and_then(Json::as_str) {
            Some("text") if item.member("text").and_then(Json::as_str).is_none() => {
                return Err("a text item has no `text`".to_owned());
            }
            Some(_) => {}
            None => return Err("a content item has no `type`".to_owned()),
        }
    }
    if result.member("isError").is_some_and(|flag| flag.as_bool().is_none()) {
        return Err("`result/isError` is neither true nor false".to_owned());
    }
    match result.member("structuredContent") {
        Some(structured) if !structured.is_object() && !revision.is_modern() => {
            Err("`result/structuredContent` is no object".to_owned())
        }
        _ => Ok(()),
    }
}

fn is_id(id: &Json) -> bool {
    match id {
        Json::String(_) => true,
        Json::Number(literal) => !literal.contains(['.', 'e', 'E']),
        _ => false,
    }
}

/// Whether two ids are the same: the same type, and the same text or number.
fn same_id(a: &Json, b: &Json) -> bool {
    a.differences(b, crate::json::Grade::Value).is_empty()
}

fn shown(line: &Line) -> String {
    String::from_utf8_lossy(&line.bytes).into_owned()
}
