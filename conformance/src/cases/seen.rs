//! Questions to an observation that several groups ask and that no closed expectation covers.
//!
//! Responsible for: expectations with alternatives (refused *or* passed on, an error *or* an end of the process), and
//! those that look at several requests to one route. Not for: what a case demands of them; each is given in words.

use anet_mock_daemon::Route;

use crate::contract;
use crate::expect::{Expect, TextRule};
use crate::json::{Grade, Json};
use crate::observation::{Answer, Asked, Observation, first_text};
use crate::verdict::Finding;

/// The requests to the route that came in whole and passed the daemon's guards: those that it took.
pub(super) fn taken(seen: &Observation, route: Route) -> impl Iterator<Item = &Asked> {
    seen.asked_of(route).filter(|asked| asked.trespass.is_none())
}

/// Whether the request of that label ended in an error of either kind.
pub(super) fn failed(seen: &Observation, call: &str) -> bool {
    matches!(seen.answer(call), Some(Answer::ToolError(_) | Answer::RpcError { .. }))
}

/// The text that the caller reads: of a result, or of an error.
pub(super) fn text<'o>(seen: &'o Observation, call: &str) -> Option<&'o str> {
    match seen.answer(call)? {
        Answer::Result(result) | Answer::ToolError(result) => first_text(result),
        Answer::RpcError { message, .. } => Some(message),
        Answer::Neither(_) => None,
    }
}

/// The JSON document in the text of a result that is no error.
pub(super) fn document(seen: &Observation, call: &str) -> Option<Json> {
    match seen.answer(call)? {
        Answer::Result(result) => Json::parse(first_text(result)?).ok(),
        _ => None,
    }
}

/// The whole answer of a request, as it stood on the wire, for the report.
pub(super) fn shown(seen: &Observation, call: &str) -> String {
    let stopped = || seen.first_stop().map_or_else(String::new, |stop| format!(": {}", stop.describe()));
    match seen.exchange(call) {
        None => format!("`{call}` could not be sent{}", stopped()),
        Some(exchange) => match exchange.replies.first() {
            None => format!("`{call}` got no answer{}", stopped()),
            Some(reply) => reply.message.to_string(),
        },
    }
}

/// What the daemon was asked, a line each, for the report.
pub(super) fn requests(seen: &Observation) -> String {
    let line = |asked: &Asked| {
        let note = asked.trespass.map_or_else(String::new, |trespass| format!(" ({trespass})"));
        format!("{} {}{note} {}", asked.method, asked.target, String::from_utf8_lossy(&asked.body).trim())
    };
    match seen.asked.as_slice() {
        [] => "nothing".to_owned(),
        asked => asked.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// The daemon took at most so many requests to the route; what its guards turned away does not count.
pub(super) fn taken_at_most(route: Route, times: usize) -> Expect {
    Expect::holds(format!("the daemon takes {route} at most {times} times"), move |seen| {
        let count = taken(seen, route).count();
        if count <= times {
            return Finding::Met;
        }
        Finding::differs(
            format!("the daemon took {route} {count} times, and {times} at most are asked for"),
            format!("at most {times}"),
            requests(seen),
        )
    })
}

/// The daemon was asked the route exactly with these bodies, one after the other, by meaning.
pub(super) fn asked_in_turn<const N: usize>(route: Route, bodies: &[String; N]) -> Expect {
    let bodies = bodies.to_vec();
    Expect::holds(format!("the daemon is asked {route} {N} times, in turn: {}", bodies.join(", ")), move |seen| {
        let found: Vec<_> = seen.asked_of(route).collect();
        if found.len() != bodies.len() {
            let message = format!("the daemon was asked {route} {} times, not {}", found.len(), bodies.len());
            return Finding::differs(message, bodies.join("\n"), requests(seen));
        }
        for (body, asked) in bodies.iter().zip(found) {
            let same = match (contract::meaning(route, body.as_bytes()), contract::meaning(route, &asked.body)) {
                (Ok(expected), Ok(found)) => expected.differences(&found, Grade::Double).is_empty(),
                _ => false,
            };
            if !same {
                let message = format!("a request to {route} does not mean what it must");
                return Finding::differs(message, body.as_str(), String::from_utf8_lossy(&asked.body));
            }
        }
        Finding::Met
    })
}

/// No part of the answer to `call` contains this, however it is escaped.
pub(super) fn never_shows(call: &str, part: &str) -> Expect {
    let (call, part) = (call.to_owned(), part.to_owned());
    Expect::holds(format!("the answer to `{call}` does not contain {part:?}"), move |seen| match seen.exchange(&call) {
        Some(exchange) if !exchange.replies.is_empty() => {
            let shows = exchange.replies.iter().any(|reply| holds_text(&reply.message, &part));
            if shows {
                let message = format!("the answer to `{call}` contains {part:?}");
                Finding::differs(message, format!("no {part:?} anywhere"), shown(seen, &call))
            } else {
                Finding::Met
            }
        }
        _ => Finding::broken(shown(seen, &call)),
    })
}

/// Whether a string of the document, or a document inside such a string, contains the part.
fn holds_text(json: &Json, part: &str) -> bool {
    match json {
        Json::Null | Json::Bool(_) => false,
        Json::Number(literal) => literal.contains(part),
        Json::String(text) => {
            // The text of a result is a document of its own, in which the part may be escaped.
            text.contains(part)
                || Json::parse(text).is_ok_and(|inner| !matches!(inner, Json::String(_)) && holds_text(&inner, part))
        }
        Json::Array(items) => items.iter().any(|item| holds_text(item, part)),
        Json::Object(members) => members.iter().any(|(name, value)| name.contains(part) || holds_text(value, part)),
    }
}

/// What is said, on whichever way, when no call can be served: by the answer to `call`, or else on stderr.
pub(super) fn says(call: &str, rules: Vec<TextRule>) -> Expect {
    let call = call.to_owned();
    let wanted: Vec<_> = rules.iter().map(TextRule::describe).collect();
    Expect::holds(format!("what is said about it {}", wanted.join(", and ")), move |seen| {
        let on_stderr = String::from_utf8_lossy(&seen.stderr).into_owned();
        let said = text(seen, &call).or_else(|| refused_open(seen)).unwrap_or(&on_stderr);
        match rules.iter().find_map(|rule| rule.complaint(said)) {
            None => Finding::Met,
            Some(complaint) => Finding::differs(
                format!("what is said about it is not as it must be: {complaint}"),
                wanted.join("\n"),
                said,
            ),
        }
    })
}

/// The message of the error that answered the handshake, if that is how it ended.
pub(super) fn refused_open(seen: &Observation) -> Option<&str> {
    match seen.answer("open")? {
        Answer::RpcError { message, .. } => Some(message),
        _ => None,
    }
}

/// Whether the candidate ended by itself at the start: it never opened the session, and nobody had to kill it.
pub(super) fn gave_up(seen: &Observation) -> bool {
    let opened = if seen.revision.is_modern() {
        // There is nothing to open: whoever answers serves.
        seen.exchanges.iter().any(|exchange| !exchange.replies.is_empty())
    } else {
        seen.negotiated.is_some()
    };
    !opened && seen.exit.is_some_and(|exit| !exit.killed)
}

/// Each of these calls ended in an error, or the handshake did, or the candidate had ended.
pub(super) fn fails_or_ended<const N: usize>(calls: [&'static str; N]) -> Expect {
    let what = format!("each of {} ends in an error, or the candidate has ended", calls.join(", "));
    Expect::holds(what, move |seen| {
        if gave_up(seen) || refused_open(seen).is_some() {
            let made_up = calls.iter().find(|call| matches!(seen.answer(call), Some(Answer::Result(_))));
            return match made_up {
                None => Finding::Met,
                Some(call) => Finding::differs(format!("`{call}` succeeded"), "an error", shown(seen, call)),
            };
        }
        match calls.iter().find(|call| !failed(seen, call)) {
            None => Finding::Met,
            Some(call) => Finding::differs(format!("`{call}` did not end in an error"), "an error", shown(seen, call)),
        }
    })
}
