//! Observations in which something went wrong: what a check must notice, if it notices anything.

use std::time::Duration;

use anet_mock_daemon::{Route, Trespass};

use crate::expect::Expect;
use crate::json::Json;
use crate::observation::{Asked, Exit, Line, Observation, StepEnd};
use crate::revision::Revision;

/// So many places are changed, one at a time, ...
const MOST_PLACES: usize = 6_000;
/// ... and of large observations fewer, so that no more bytes than these are copied; evenly spread over all places.
const MOST_BYTES: usize = 150 << 20;

/// What was seen, and exactly what the expectation forbids.
pub(super) fn aimed(expect: &Expect, seen: &Observation) -> Vec<Observation> {
    let asked = |requests: Vec<Asked>| {
        let mut other = seen.clone();
        other.asked.extend(requests);
        vec![other]
    };
    match expect {
        Expect::NeverSends { members } => {
            let bodies = members.iter().map(|member| Json::object([(member.as_str(), Json::string("turned"))]));
            bodies.flat_map(|body| asked(vec![request(Route::TasksSend, &body.to_string())])).collect()
        }
        Expect::NeverMentions { text } => {
            let body = Json::object([("text", Json::string(text.as_str()))]).to_string();
            asked(vec![request(Route::TasksSend, &body)])
        }
        Expect::AsksAtMost { route, times } => asked(vec![request(*route, "{}"); times + 1]),
        Expect::NeverAsks { routes } => asked(routes.iter().map(|route| request(*route, "{}")).collect()),
        _ => Vec::new(),
    }
}

/// Members of requests that no case asks for.
const STRANGE: &str = concat!(
    r#"{"message_id":"turned","task_id":"turned","to":"turned","text":"turned","decision":"submit","accept":{"turned":1},"#,
    r#""timeout_ms":987654321,"limit":987654321,"history_length":987654321,"max_task_bytes":1}"#
);

/// What was seen, disturbed as a whole in each of many ways.
pub(super) fn whole(seen: &Observation) -> Vec<Observation> {
    let ways: [fn(&mut Observation); 39] = [
        |seen| seen.exchanges.iter_mut().for_each(|exchange| exchange.replies.clear()),
        |seen| {
            for exchange in &mut seen.exchanges {
                let again = exchange.replies.clone();
                exchange.replies.extend(again);
            }
        },
        |seen| edit(seen, turn_success),
        |seen| edit(seen, |message| in_texts(message, std::string::String::clear)),
        |seen| edit(seen, |message| in_texts(message, |text| text.insert(0, ' '))),
        |seen| {
            edit(seen, |message| {
                in_texts(message, |text| text.push_str("\n\u{4e2d} [reason: limit_task] missing field `x` token"));
            });
        },
        |seen| edit(seen, |message| in_texts(message, |text| *text = text.chars().rev().collect())),
        |seen| edit(seen, |message| in_texts(message, |text| *text = text.repeat(40))),
        |seen| edit(seen, |message| in_texts(message, |text| "x".clone_into(text))),
        |seen| edit(seen, |message| in_texts(message, reorder)),
        |seen| edit(seen, |message| in_result(message, |result| result.remove("structuredContent"))),
        |seen| edit(seen, |message| in_result(message, |result| result.set("structuredContent", Json::string("x")))),
        |seen| edit(seen, |message| in_result(message, |result| result.remove("content"))),
        |seen| edit(seen, |message| in_result(message, twice_the_content)),
        |seen| edit(seen, |message| in_result(message, |result| *result = Json::object::<&str>([]))),
        |seen| edit(seen, |message| *message = rpc_error(-32_603)),
        |seen| edit(seen, |message| *message = rpc_error(-1)),
        |seen| edit(seen, |message| message.remove("jsonrpc")),
        |seen| seen.asked.clear(),
        |seen| {
            let again = seen.asked.clone();
            seen.asked.extend(again);
        },
        |seen| seen.asked.extend(Route::ALL.map(|route| request(route, STRANGE))),
        |seen| {
            let strangers =
                Route::ALL.map(|route| Asked { trespass: Some(Trespass::MissingToken), ..request(route, "") });
            seen.asked.extend(strangers);
        },
        |seen| seen.asked.iter_mut().for_each(|asked| asked.body = b"{}".to_vec()),
        |seen| seen.asked.iter_mut().for_each(|asked| asked.body = br#"{"turned":true}"#.to_vec()),
        |seen| seen.asked.iter_mut().for_each(|asked| asked.headers.clear()),
        |seen| seen.asked.iter_mut().for_each(|asked| asked.trespass = Some(Trespass::MissingToken)),
        |seen| {
            let mut strange = request(Route::Status, "");
            strange.route = None;
            "/turned".clone_into(&mut strange.target);
            strange.trespass = Some(Trespass::UnknownPath);
            seen.asked.push(strange);
        },
        |seen| {
            for asked in &mut seen.asked {
                asked.hung_up = if asked.hung_up.is_some() { None } else { Some(Duration::ZERO) };
            }
        },
        |seen| {
            // Everything that must not be said, said to the daemon.
            let all: Vec<_> = seen.secrets.iter().map(|(_, secret)| secret.clone()).collect();
            seen.asked.push(request(Route::Status, &format!("{{\"turned\":{}}}", Json::string(all.join(" ")))));
        },
        |seen| seen.lines.insert(0, Line { bytes: b"turned".to_vec(), message: None, at: Duration::ZERO }),
        |seen| seen.lines.clear(),
        |seen| {
            let all: Vec<_> = seen.secrets.iter().map(|(_, secret)| secret.clone()).collect();
            seen.stderr = all.join(" ").into_bytes();
        },
        |seen| seen.stderr.clear(),
        |seen| {
            seen.exit = Some(Exit {
                code: Some(1),
                signal: None,
                at: Duration::from_secs(99),
                after_end: Some(Duration::from_secs(99)),
                killed: false,
            });
        },
        |seen| {
            let exit = Exit { code: None, signal: Some(9), at: Duration::ZERO, after_end: None, killed: true };
            seen.exit = Some(exit);
            seen.orphans = 3;
        },
        |seen| seen.exit = None,
        |seen| {
            seen.touched = [
                "home/turned appeared",
                "data/config.json changed",
                "work/turned appeared",
                "home/x was opened",
                "data/x was opened",
                "work/x was opened",
            ]
            .map(str::to_owned)
            .to_vec();
        },
        |seen| {
            for step in &mut seen.steps {
                step.end = StepEnd::CandidateGone;
            }
            seen.negotiated = None;
        },
        |seen| {
            let oldest = if seen.negotiated.as_deref() == Some("2024-11-05") { "2025-11-25" } else { "2024-11-05" };
            seen.negotiated = Some(oldest.to_owned());
            seen.revision = Revision::V2024_11_05;
        },
    ];
    ways.into_iter()
        .map(|way| {
            let mut other = seen.clone();
            way(&mut other);
            other
        })
        .collect()
}

/// What was seen, with one place of one document changed, or taken out, at a time: in the answers, in the requests to the
/// daemon, and in the order of events.
pub(super) fn places(seen: &Observation) -> impl Iterator<Item = Observation> {
    answers(seen).chain(bodies(seen)).chain(events(seen))
}

fn answers(seen: &Observation) -> impl Iterator<Item = Observation> {
    let targets: Vec<(usize, usize, usize)> = seen
        .exchanges
        .iter()
        .enumerate()
        .flat_map(|(exchange, it)| {
            it.replies.iter().enumerate().flat_map(move |(reply, reply_it)| {
                (0..places_in(&reply_it.message)).map(move |place| (exchange, reply, place))
            })
        })
        .collect();
    let targets = spread(targets, seen);
    targets.into_iter().flat_map(move |(exchange, reply, place)| {
        [Change::Value, Change::Gone, Change::Longer].into_iter().map(move |change| {
            let mut other = seen.clone();
            let line = other.exchanges[exchange].replies[reply].line;
            let message = &mut other.exchanges[exchange].replies[reply].message;
            let mut left = place;
            change_at(message, &mut left, change);
            // A text of a result may itself be a document.
            let message = message.clone();
            if let Some(shown) = other.lines.get_mut(line) {
                shown.bytes = message.to_string().into_bytes();
                shown.message = Some(message);
            }
            other
        })
    })
}

fn bodies(seen: &Observation) -> impl Iterator<Item = Observation> {
    let documents: Vec<(usize, Json)> = seen
        .asked
        .iter()
        .enumerate()
        .filter_map(|(index, asked)| Some((index, Json::parse_bytes(&asked.body).ok()?)))
        .collect();
    documents.into_iter().flat_map(move |(index, document)| {
        spread((0..places_in(&document)).collect(), seen).into_iter().flat_map(move |place| {
            let document = document.clone();
            [Change::Value, Change::Gone, Change::Longer].into_iter().map(move |change| {
                let mut other = seen.clone();
                let mut changed = document.clone();
                change_at(&mut changed, &mut { place }, change);
                other.asked[index].body = changed.to_string().into_bytes();
                other
            })
        })
    })
}

/// As many of them as can be afforded, evenly spread.
fn spread<T>(all: Vec<T>, seen: &Observation) -> Vec<T> {
    let lines: usize = seen.lines.iter().map(|line| line.bytes.len()).sum();
    let bodies: usize = seen.asked.iter().map(|asked| asked.body.len()).sum();
    // A line stands there three times: as bytes, as a message, and in its exchange.
    let size = 3 * lines + bodies + 1;
    let affordable = (MOST_BYTES / size).clamp(30, MOST_PLACES);
    let every = all.len().div_ceil(affordable).max(1);
    all.into_iter().step_by(every).collect()
}

fn events(seen: &Observation) -> impl Iterator<Item = Observation> {
    let count = seen.exchanges.len();
    let silenced = (0..count).map(move |index| {
        let mut other = seen.clone();
        other.exchanges[index].replies.clear();
        other
    });
    let repeated = (0..count).map(move |index| {
        let mut other = seen.clone();
        let again = other.exchanges[index].replies.clone();
        other.exchanges[index].replies.extend(again);
        other
    });
    let refused = (0..count).map(move |index| {
        let mut other = seen.clone();
        for reply in &mut other.exchanges[index].replies {
            turn_success(&mut reply.message);
        }
        other
    });
    // The answers change places in time.
    let swapped = std::iter::once_with(move || {
        let mut other = seen.clone();
        let times: Vec<_> =
            other.exchanges.iter().flat_map(|e| e.replies.iter().map(|r| (r.at, r.line))).rev().collect();
        let replies = other.exchanges.iter_mut().flat_map(|exchange| &mut exchange.replies);
        for (reply, (at, line)) in replies.zip(times) {
            (reply.at, reply.line) = (at, line);
        }
        other
    });
    let late = std::iter::once_with(move || {
        let mut other = seen.clone();
        for reply in other.exchanges.iter_mut().flat_map(|exchange| &mut exchange.replies) {
            reply.at += Duration::from_secs(3_600);
        }
        for step in &mut other.steps {
            step.ended += Duration::from_secs(3_600);
        }
        other
    });
    silenced.chain(repeated).chain(refused).chain(swapped).chain(late)
}

#[derive(Clone, Copy)]
enum Change {
    /// Another value of another type.
    Value,
    /// Taken out.
    Gone,
    /// A string with something after it; an array without its first item; an object with a member more.
    Longer,
}

/// How many places a document has: itself, each member, each item, and those of documents in its strings.
fn places_in(json: &Json) -> usize {
    1 + match json {
        Json::Object(members) => members.iter().map(|(_, value)| places_in(value)).sum(),
        Json::Array(items) => items.iter().map(places_in).sum(),
        Json::String(text) => inner(text).map_or(0, |inner| places_in(&inner)),
        _ => 0,
    }
}

/// The document in a string, if there is one.
fn inner(text: &str) -> Option<Json> {
    if text.starts_with(['{', '[']) { Json::parse(text).ok() } else { None }
}

/// Changes the place of that number, counted as [`places_in`] does. Says whether it was found.
fn change_at(json: &mut Json, left: &mut usize, change: Change) -> bool {
    if *left == 0 {
        match (change, &mut *json) {
            (Change::Longer, Json::String(text)) => text.push_str(" turned"),
            (Change::Longer, Json::Array(items)) if !items.is_empty() => {
                items.remove(0);
            }
            (Change::Longer, Json::Object(members)) => members.push(("turned".to_owned(), Json::Bool(true))),
            (Change::Longer, Json::Bool(value)) => *value = !*value,
            (Change::Longer, Json::Number(number)) => "987654321987654321".clone_into(number),
            (_, leaf) => {
                *leaf = if matches!(leaf, Json::String(_)) { Json::Bool(true) } else { Json::string("turned") }
            }
        }
        return true;
    }
    *left -= 1;
    match json {
        Json::Object(members) => {
            for index in 0..members.len() {
                if *left == 0 && matches!(change, Change::Gone) {
                    members.remove(index);
                    return true;
                }
                if change_at(&mut members[index].1, left, change) {
                    return true;
                }
            }
            false
        }
        Json::Array(items) => {
            for index in 0..items.len() {
                if *left == 0 && matches!(change, Change::Gone) {
                    items.remove(index);
                    return true;
                }
                if change_at(&mut items[index], left, change) {
                    return true;
                }
            }
            false
        }
        Json::String(text) => match inner(text) {
            Some(mut document) => {
                let found = change_at(&mut document, left, change);
                if found {
                    *text = document.to_string();
                }
                found
            }
            None => false,
        },
        _ => false,
    }
}

/// Edits every answer, where it is matched to its request and where it stands on its line.
fn edit(seen: &mut Observation, with: impl Fn(&mut Json)) {
    for reply in seen.exchanges.iter_mut().flat_map(|exchange| &mut exchange.replies) {
        with(&mut reply.message);
        if let Some(line) = seen.lines.get_mut(reply.line) {
            line.bytes = reply.message.to_string().into_bytes();
            line.message = Some(reply.message.clone());
        }
    }
}

fn member_mut<'j>(json: &'j mut Json, name: &str) -> Option<&'j mut Json> {
    match json {
        Json::Object(members) => members.iter_mut().rev().find(|(n, _)| n == name).map(|(_, value)| value),
        _ => None,
    }
}

fn in_result(message: &mut Json, with: impl FnOnce(&mut Json)) {
    if let Some(result) = member_mut(message, "result") {
        with(result);
    }
}

/// Success becomes failure, and the other way round.
fn turn_success(message: &mut Json) {
    if message.member("error").is_some() {
        message.remove("error");
        message.set("result", Json::object([("content", Json::Array(Vec::new()))]));
        return;
    }
    in_result(message, |result| {
        let failed = result.member("isError").and_then(Json::as_bool) == Some(true);
        result.set("isError", Json::Bool(!failed));
    });
}

/// Edits the text of every content item, and the message of an error.
fn in_texts(message: &mut Json, with: impl Fn(&mut String)) {
    if let Some(Json::String(text)) = member_mut(message, "error").and_then(|error| member_mut(error, "message")) {
        with(text);
    }
    if let Some(Json::Array(items)) = member_mut(message, "result").and_then(|result| member_mut(result, "content")) {
        for item in items {
            if let Some(Json::String(text)) = member_mut(item, "text") {
                with(text);
            }
        }
    }
}

/// A document in a text gets its members in the opposite order.
fn reorder(text: &mut String) {
    if let Some(Json::Object(mut members)) = inner(text) {
        members.reverse();
        *text = Json::Object(members).to_string();
    }
}

fn twice_the_content(result: &mut Json) {
    if let Some(Json::Array(items)) = member_mut(result, "content") {
        let again = items.clone();
        items.extend(again);
    }
}

fn rpc_error(code: i64) -> Json {
    let error = Json::object([("code", Json::integer(code)), ("message", Json::string("turned"))]);
    Json::object([("jsonrpc", Json::string("2.0")), ("id", Json::integer(1)), ("error", error)])
}

/// A request to the daemon that nobody asked for, without a token.
fn request(route: Route, body: &str) -> Asked {
    Asked {
        at: Duration::ZERO,
        method: "POST".to_owned(),
        target: route.path().to_owned(),
        route: Some(route),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
        trespass: None,
        answered: Some((200, b"{}".to_vec())),
        hung_up: None,
    }
}
