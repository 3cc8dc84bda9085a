//! Expectations on what the client saw: answers to requests, their texts and structured content.

use super::{TextRule, ValueRule};
use crate::json::{Grade, Json};
use crate::observation::{Answer, Exchange, Observation, first_text};
use crate::verdict::Finding;

pub(super) fn answered_once(seen: &Observation, call: &str) -> Finding {
    match exchange(seen, call) {
        Err(missing) => missing,
        Ok(exchange) if exchange.replies.is_empty() => unanswered_finding(seen, call),
        Ok(exchange) if exchange.replies.len() == 1 => Finding::Met,
        Ok(exchange) => Finding::differs(
            format!("the request `{call}` was answered {} times", exchange.replies.len()),
            "one answer",
            exchange.replies.iter().map(|reply| reply.message.to_string()).collect::<Vec<_>>().join("\n"),
        ),
    }
}

pub(super) fn unanswered(seen: &Observation, call: &str) -> Finding {
    match exchange(seen, call) {
        Err(missing) => missing,
        Ok(exchange) => match exchange.replies.first() {
            None => Finding::Met,
            Some(reply) => Finding::differs(
                format!("the request `{call}` was answered, and should not have been"),
                "no answer",
                reply.message.to_string(),
            ),
        },
    }
}

pub(super) fn succeeds(seen: &Observation, call: &str) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::Result(_) => Finding::Met,
        other => Finding::differs(format!("`{call}` did not succeed"), "a result without isError: true", shown(&other)),
    })
}

pub(super) fn fails_as_tool(seen: &Observation, call: &str) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::ToolError(_) => Finding::Met,
        other => Finding::differs(
            format!("`{call}` did not end in a tool error"),
            r#"a result with "isError": true"#,
            shown(&other),
        ),
    })
}

pub(super) fn fails(seen: &Observation, call: &str) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::ToolError(_) | Answer::RpcError { .. } => Finding::Met,
        other => Finding::differs(
            format!("`{call}` did not end in an error"),
            r#"a result with "isError": true (or, before MCP 2025-11-25, a JSON-RPC error)"#,
            shown(&other),
        ),
    })
}

pub(super) fn fails_as_rpc(seen: &Observation, call: &str, codes: &[i64]) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::RpcError { code: Some(code), .. } if codes.is_empty() || codes.contains(&code) => Finding::Met,
        other => {
            let codes: Vec<_> = codes.iter().map(i64::to_string).collect();
            let wanted = if codes.is_empty() { "any code".to_owned() } else { format!("code {}", codes.join(" or ")) };
            Finding::differs(
                format!("`{call}` did not end in the JSON-RPC error that is asked for"),
                format!("a JSON-RPC error with {wanted}"),
                shown(&other),
            )
        }
    })
}

pub(super) fn records_refusal(seen: &Observation, call: &str) -> Finding {
    with_answer(seen, call, |answer| {
        Finding::Observed(match answer {
            Answer::Result(_) => "accepted".to_owned(),
            Answer::ToolError(_) => "refused with isError: true".to_owned(),
            Answer::RpcError { code: Some(code), .. } => format!("refused with JSON-RPC error {code}"),
            Answer::RpcError { code: None, .. } => "refused with a JSON-RPC error without a code".to_owned(),
            Answer::Neither(_) => "answered with neither result nor error".to_owned(),
        })
    })
}

pub(super) fn text_json(seen: &Observation, call: &str, json: &str, grade: Grade) -> Finding {
    with_text_json(seen, call, json, |expected, text, found| {
        let differences = expected.differences(found, grade);
        if differences.is_empty() {
            return Finding::Met;
        }
        let places: Vec<_> = differences
            .iter()
            .take(3)
            .map(|d| if d.pointer.is_empty() { "the whole" } else { d.pointer.as_str() }.to_owned())
            .collect();
        let more = differences.len().saturating_sub(places.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more places") };
        Finding::differs(
            format!("the text of `{call}` differs from the daemon's answer at {}{more}", places.join(", ")),
            json.trim(),
            text,
        )
    })
}

pub(super) fn text_order(seen: &Observation, call: &str, json: &str) -> Finding {
    with_text_json(seen, call, json, |expected, text, found| {
        if !expected.differences(found, Grade::Double).is_empty() {
            // That is another check's finding; said twice it would only be noise.
            return Finding::NotExercised("the answer differs in more than its order".to_owned());
        }
        if expected.same_order(found) {
            Finding::Met
        } else {
            Finding::differs(format!("the text of `{call}` has its members in another order"), json.trim(), text)
        }
    })
}

pub(super) fn text_is(seen: &Observation, call: &str, expected: &str) -> Finding {
    with_any_text(seen, call, |text| {
        if text == expected {
            Finding::Met
        } else {
            Finding::differs(format!("the text of `{call}` is not the one that is asked for"), expected, text)
        }
    })
}

pub(super) fn text(seen: &Observation, call: &str, rules: &[TextRule]) -> Finding {
    with_any_text(seen, call, |text| check_text(rules, text, &format!("the text of `{call}`")))
}

pub(super) fn one_text(seen: &Observation, call: &str) -> Finding {
    with_result(seen, call, |result| {
        let items = result.member("content").and_then(Json::as_array).unwrap_or_default();
        if items.len() == 1 && first_text(result).is_some() {
            Finding::Met
        } else {
            Finding::differs(
                format!("`{call}` has {} content items, or the first is no text", items.len()),
                r#"one content item of type "text""#,
                result.member("content").map(Json::to_string).unwrap_or_default(),
            )
        }
    })
}

pub(super) fn structured_json(seen: &Observation, call: &str, json: &str, grade: Grade) -> Finding {
    with_structured(seen, call, |structured, _| {
        let Ok(expected) = Json::parse(json) else { return broken_case(json) };
        let differences = expected.differences(structured, grade);
        match differences.first() {
            None => Finding::Met,
            Some(first) => Finding::differs(
                format!("structuredContent of `{call}` differs from the daemon's answer at `{}`", first.pointer),
                json.trim(),
                structured.to_string(),
            ),
        }
    })
}

pub(super) fn structured_agrees(seen: &Observation, call: &str) -> Finding {
    with_structured(seen, call, |structured, result| {
        let Some(text) = first_text(result) else {
            return Finding::broken(format!("`{call}` has no text to compare structuredContent with"));
        };
        let Ok(from_text) = Json::parse(text) else {
            return Finding::differs(format!("the text of `{call}` is not JSON"), structured.to_string(), text);
        };
        // The same double: clients that read numbers as doubles see the same document in both places.
        match from_text.differences(structured, Grade::Double).first() {
            None => Finding::Met,
            Some(first) => Finding::differs(
                format!("text and structuredContent of `{call}` differ at `{}`", first.pointer),
                text,
                structured.to_string(),
            ),
        }
    })
}

pub(super) fn no_structured(seen: &Observation, call: &str) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::Result(result) | Answer::ToolError(result) => match result.member("structuredContent") {
            None | Some(Json::Null) => Finding::Met,
            Some(structured) => Finding::differs(
                format!("`{call}` failed, and carries structuredContent all the same"),
                "no structuredContent",
                structured.to_string(),
            ),
        },
        Answer::RpcError { .. } | Answer::Neither(_) => Finding::Met,
    })
}

pub(super) fn in_text(seen: &Observation, call: &str, pointer: &str, rule: &ValueRule) -> Finding {
    with_result(seen, call, |result| {
        let Some(text) = first_text(result) else {
            return Finding::differs(format!("`{call}` has no text"), "a text", result.to_string());
        };
        match Json::parse(text) {
            Ok(json) => {
                check_value(rule, json.pointer(pointer), &format!("`{pointer}` in the text of `{call}`"), &json)
            }
            Err(_) => Finding::differs(format!("the text of `{call}` is not JSON"), "JSON", text),
        }
    })
}

pub(super) fn in_member(seen: &Observation, call: &str, member: &str, pointer: &str, rule: &ValueRule) -> Finding {
    with_first_reply(seen, call, |message| match message.member(member) {
        Some(value) => {
            check_value(rule, value.pointer(pointer), &format!("`{pointer}` in the {member} of `{call}`"), value)
        }
        None => Finding::differs(format!("the answer to `{call}` has no {member}"), member, message.to_string()),
    })
}

pub(super) fn same_result(seen: &Observation, call: &str, other: &str) -> Finding {
    with_first_reply(seen, call, |first| {
        with_first_reply(seen, other, |second| {
            let shown = |message: &Json| message.member("result").map(Json::to_string).unwrap_or_default();
            if shown(first) == shown(second) {
                Finding::Met
            } else {
                Finding::differs(format!("`{call}` and `{other}` got different results"), shown(first), shown(second))
            }
        })
    })
}

pub(super) fn answered_in_order(seen: &Observation, calls: &[String]) -> Finding {
    let mut lines = Vec::new();
    for call in calls {
        match exchange(seen, call).map(|exchange| exchange.replies.first()) {
            Err(missing) => return missing,
            Ok(None) => return unanswered_finding(seen, call),
            Ok(Some(reply)) => lines.push((reply.line, call.as_str())),
        }
    }
    if lines.is_sorted() {
        return Finding::Met;
    }
    lines.sort_unstable();
    let order: Vec<_> = lines.into_iter().map(|(_, call)| call).collect();
    Finding::differs("the answers arrived in another order", calls.join(", "), order.join(", "))
}

/// Checks a value, or that there is none, against a rule. `whole` is the document around it, for the report.
pub(super) fn check_value(rule: &ValueRule, value: Option<&Json>, place: &str, whole: &Json) -> Finding {
    let ok = match (rule, value) {
        (ValueRule::Absent, None) | (ValueRule::Present, Some(_)) => true,
        (ValueRule::Is(json), Some(value)) => equals(json, value, Grade::Value),
        (ValueRule::IsLiterally(json), Some(value)) => equals(json, value, Grade::Literal),
        (ValueRule::OneOf(all), Some(value)) => all.iter().any(|json| equals(json, value, Grade::Value)),
        (ValueRule::Type(name), Some(value)) => is_of_type(value, name),
        (ValueRule::AtLeast(count), Some(Json::Array(items))) => items.len() >= *count,
        (ValueRule::AtLeast(count), Some(Json::Object(members))) => members.len() >= *count,
        (ValueRule::AtMost(max), Some(value)) => value.as_i64().is_some_and(|number| number <= *max),
        (ValueRule::Text(rule), Some(Json::String(text))) => {
            return check_text(std::slice::from_ref(rule), text, place);
        }
        // Something where nothing may be, nothing where something must be, or a value of another type.
        (ValueRule::Absent | ValueRule::AtLeast(_) | ValueRule::Text(_), Some(_)) | (_, None) => false,
    };
    if ok {
        Finding::Met
    } else {
        let seen = value.map_or_else(|| format!("nothing there, in {whole}"), Json::to_string);
        Finding::differs(format!("{place} is not as it must be"), format!("it {}", rule.describe()), seen)
    }
}

fn equals(json: &str, value: &Json, grade: Grade) -> bool {
    Json::parse(json).is_ok_and(|expected| expected.differences(value, grade).is_empty())
}

fn is_of_type(value: &Json, name: &str) -> bool {
    match value {
        Json::Null => name == "null",
        Json::Bool(_) => name == "boolean",
        Json::Number(literal) => name == "number" || (name == "integer" && !literal.contains(['.', 'e', 'E'])),
        Json::String(_) => name == "string",
        Json::Array(_) => name == "array",
        Json::Object(_) => name == "object",
    }
}

fn check_text(rules: &[TextRule], text: &str, place: &str) -> Finding {
    let complaints: Vec<_> = rules.iter().filter_map(|rule| Some((rule, rule.complaint(text)?))).collect();
    match complaints.first() {
        None => Finding::Met,
        Some((_, first)) => {
            let wanted: Vec<_> = complaints.iter().map(|(rule, _)| format!("it {}", rule.describe())).collect();
            Finding::differs(format!("{place} is not as it must be: {first}"), wanted.join("\n"), text)
        }
    }
}

fn broken_case(json: &str) -> Finding {
    Finding::NotExercised(format!("the kit's own expectation is no JSON: {json}"))
}

fn shown(answer: &Answer<'_>) -> String {
    match answer {
        Answer::Result(json) | Answer::ToolError(json) | Answer::Neither(json) => json.to_string(),
        Answer::RpcError { code, message } => {
            let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
            format!("JSON-RPC error {code}: {message}")
        }
    }
}

fn exchange<'o>(seen: &'o Observation, call: &str) -> Result<&'o Exchange, Finding> {
    seen.exchange(call).ok_or_else(|| {
        let why = seen.first_stop().map_or_else(String::new, |stop| format!(": {}", stop.describe()));
        Finding::broken(format!("the request `{call}` could not be sent{why}"))
    })
}

fn unanswered_finding(seen: &Observation, call: &str) -> Finding {
    let why = seen.first_stop().map_or_else(String::new, |stop| format!(": {}", stop.describe()));
    Finding::broken(format!("the request `{call}` got no answer{why}"))
}

fn with_first_reply(seen: &Observation, call: &str, judge: impl FnOnce(&Json) -> Finding) -> Finding {
    match exchange(seen, call).map(|exchange| exchange.replies.first()) {
        Err(missing) => missing,
        Ok(None) => unanswered_finding(seen, call),
        Ok(Some(reply)) => judge(&reply.message),
    }
}

fn with_answer(seen: &Observation, call: &str, judge: impl FnOnce(Answer<'_>) -> Finding) -> Finding {
    with_first_reply(seen, call, |message| judge(crate::observation::sort(message)))
}

fn with_result(seen: &Observation, call: &str, judge: impl FnOnce(&Json) -> Finding) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::Result(result) | Answer::ToolError(result) => judge(result),
        other => Finding::differs(format!("`{call}` has no result"), "a tool result", shown(&other)),
    })
}

/// The text that a caller reads: the first text of a result, or the message of an error.
fn with_any_text(seen: &Observation, call: &str, judge: impl FnOnce(&str) -> Finding) -> Finding {
    with_answer(seen, call, |answer| match answer {
        Answer::Result(result) | Answer::ToolError(result) => match first_text(result) {
            Some(text) => judge(text),
            None => Finding::differs(format!("`{call}` has no text"), "a text", result.to_string()),
        },
        Answer::RpcError { message, .. } => judge(message),
        Answer::Neither(message) => {
            Finding::differs(format!("`{call}` has neither result nor error"), "one of them", message.to_string())
        }
    })
}

fn with_text_json(
    seen: &Observation,
    call: &str,
    json: &str,
    judge: impl FnOnce(&Json, &str, &Json) -> Finding,
) -> Finding {
    with_result(seen, call, |result| {
        let Some(text) = first_text(result) else {
            return Finding::differs(format!("`{call}` has no text"), json.trim(), result.to_string());
        };
        let Ok(expected) = Json::parse(json) else { return broken_case(json) };
        match Json::parse(text) {
            Ok(found) => judge(&expected, text, &found),
            Err(_) => Finding::differs(format!("the text of `{call}` is not JSON"), json.trim(), text),
        }
    })
}

fn with_structured(seen: &Observation, call: &str, judge: impl FnOnce(&Json, &Json) -> Finding) -> Finding {
    with_result(seen, call, |result| match result.member("structuredContent") {
        Some(structured) if *structured != Json::Null => judge(structured, result),
        _ => Finding::differs(format!("`{call}` has no structuredContent"), "structuredContent", result.to_string()),
    })
}
