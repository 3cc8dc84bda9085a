//! Expectations on what the daemon was asked, and what it was never asked.

use anet_mock_daemon::{Route, Trespass};

use super::ValueRule;
use super::reply::check_value;
use crate::contract;
use crate::json::{Grade, Json};
use crate::observation::{Asked, Observation};
use crate::verdict::Finding;

/// Whether a request asks whether the daemon is alive, which the contract does at the start (control-plane 1.3, 1.4)
/// and others may do later: it is no call on behalf of a tool.
fn is_probe(asked: &Asked) -> bool {
    let path = asked.target.split('?').next().unwrap_or_default();
    let empty = matches!(asked.body.trim_ascii(), b"" | b"{}");
    (asked.route == Some(Route::Status) && empty) || (asked.method == "GET" && path == "/ping")
}

/// The requests made on behalf of tools: all but probes. Where the status itself is asked for, it counts.
fn calls<'o>(seen: &'o Observation, wanted: &[Route]) -> Vec<&'o Asked> {
    let status_counts = wanted.contains(&Route::Status);
    seen.asked
        .iter()
        .filter(|asked| !is_probe(asked) || (status_counts && asked.route == Some(Route::Status)))
        .collect()
}

pub(super) fn asks(seen: &Observation, route: Route, body: &str) -> Finding {
    compare(seen, route, body, |asked| {
        let expected = contract::meaning(route, body.as_bytes());
        let found = contract::meaning(route, &asked.body);
        match (expected, found) {
            (Err(_), _) => Finding::NotExercised(format!("the kit's own expectation is no request: {body}")),
            (Ok(_), Err(why)) => {
                Finding::differs(format!("the request to {route} is malformed: {why}"), body, lossy(&asked.body))
            }
            (Ok(expected), Ok(found)) => {
                // The difference is found in the one form of equal meanings; what is shown is what was really sent.
                match differences(route, &expected, &found, Grade::Double) {
                    Finding::Broken(broken) => Finding::differs(
                        format!("{}, as the daemon reads it", broken.message),
                        body,
                        lossy(&asked.body),
                    ),
                    met => met,
                }
            }
        }
    })
}

pub(super) fn asks_exactly(seen: &Observation, route: Route, body: &str) -> Finding {
    compare(seen, route, body, |asked| match (contract::exact(body.as_bytes()), contract::exact(&asked.body)) {
        (Err(_), _) => Finding::NotExercised(format!("the kit's own expectation is no request: {body}")),
        (Ok(_), Err(why)) => {
            Finding::differs(format!("the request to {route} is malformed: {why}"), body, lossy(&asked.body))
        }
        (Ok(expected), Ok(found)) => differences(route, &expected, &found, Grade::Literal),
    })
}

fn compare(seen: &Observation, route: Route, body: &str, judge: impl FnOnce(&Asked) -> Finding) -> Finding {
    let asked: Vec<_> = calls(seen, &[route]).into_iter().filter(|asked| asked.route == Some(route)).collect();
    match asked.as_slice() {
        [] => Finding::differs(
            format!("the daemon was never asked {route}"),
            format!("POST {route} {body}"),
            summary(seen),
        ),
        [only] => judge(only),
        // A probe and the call look the same here.
        [.., last] if route == Route::Status => judge(last),
        many => Finding::differs(
            format!("the daemon was asked {route} {} times for one call", many.len()),
            format!("once: POST {route} {body}"),
            summary(seen),
        ),
    }
}

fn differences(route: Route, expected: &Json, found: &Json, grade: Grade) -> Finding {
    let differences = expected.differences(found, grade);
    match differences.first() {
        None => Finding::Met,
        Some(first) => {
            let place = if first.pointer.is_empty() { "the whole" } else { first.pointer.trim_start_matches('/') };
            let said = match (&first.expected, &first.seen) {
                (Some(expected), Some(seen)) => format!("`{place}` is {}, not {}", brief(seen), brief(expected)),
                (Some(expected), None) => format!("`{place}` is missing, and must be {}", brief(expected)),
                (None, Some(seen)) => format!("`{place}` is there ({}), and must not be", brief(seen)),
                (None, None) => format!("`{place}` differs"),
            };
            Finding::differs(
                format!("the request to {route} is not the one that is asked for: {said}"),
                expected.to_string(),
                found.to_string(),
            )
        }
    }
}

pub(super) fn asks_only(seen: &Observation, routes: &[Route]) -> Finding {
    let mut expected = routes.to_vec();
    let mut found: Vec<_> = calls(seen, routes).into_iter().filter_map(|asked| asked.route).collect();
    expected.sort_unstable();
    found.sort_unstable();
    if routes == [Route::Status] {
        found.dedup();
    }
    if expected == found {
        return Finding::Met;
    }
    let names = |routes: &[Route]| routes.iter().map(|route| route.path()).collect::<Vec<_>>().join("\n");
    Finding::differs("the daemon was asked other routes than the call needs", names(&expected), names(&found))
}

pub(super) fn asks_nothing(seen: &Observation) -> Finding {
    match calls(seen, &[]).first() {
        None => Finding::Met,
        Some(first) => Finding::differs(
            format!("the daemon was asked {} {}, and should not have been", first.method, first.target),
            "no request to the daemon",
            summary(seen),
        ),
    }
}

pub(super) fn never_asks(seen: &Observation, routes: &[Route]) -> Finding {
    match seen.asked.iter().find(|asked| asked.route.is_some_and(|route| routes.contains(&route)) && !is_probe(asked)) {
        None => Finding::Met,
        Some(first) => Finding::differs(
            format!("the daemon was asked {}, and must not be", first.target),
            format!("no request to {}", first.target),
            lossy(&first.body),
        ),
    }
}

pub(super) fn asks_at_most(seen: &Observation, route: Route, times: usize) -> Finding {
    let count = seen.asked_of(route).count();
    if count <= times {
        Finding::Met
    } else {
        Finding::differs(
            format!("the daemon was asked {route} {count} times"),
            format!("at most {times}"),
            summary(seen),
        )
    }
}

pub(super) fn never_sends(seen: &Observation, members: &[String]) -> Finding {
    for asked in &seen.asked {
        let Ok(body) = Json::parse_bytes(&asked.body) else { continue };
        if let Some(name) = members.iter().find(|name| body.member(name).is_some()) {
            return Finding::differs(
                format!("the request to {} carries `{name}`, which must never be sent", asked.target),
                format!("no member `{name}`"),
                body.to_string(),
            );
        }
    }
    Finding::Met
}

pub(super) fn never_mentions(seen: &Observation, text: &str) -> Finding {
    let needle = text.as_bytes();
    let holds = |bytes: &[u8]| bytes.windows(needle.len().max(1)).any(|window| window == needle);
    let found = seen.asked.iter().find(|asked| {
        holds(asked.target.as_bytes())
            || holds(&asked.body)
            || asked.headers.iter().any(|(_, value)| holds(value.as_bytes()))
    });
    match found {
        None => Finding::Met,
        Some(asked) => Finding::differs(
            format!("the request to {} contains {text:?}, which must not reach the daemon", asked.target),
            format!("no {text:?}"),
            lossy(&asked.body),
        ),
    }
}

pub(super) fn in_body(seen: &Observation, route: Route, pointer: &str, rule: &ValueRule) -> Finding {
    let calls = calls(seen, &[route]);
    let Some(asked) = calls.into_iter().find(|asked| asked.route == Some(route)) else {
        return Finding::differs(format!("the daemon was never asked {route}"), format!("POST {route}"), summary(seen));
    };
    match Json::parse_bytes(&asked.body) {
        Ok(body) => check_value(rule, body.pointer(pointer), &format!("`{pointer}` in the request to {route}"), &body),
        Err(_) => Finding::differs(format!("the request to {route} is no JSON"), "JSON", lossy(&asked.body)),
    }
}

pub(super) fn empty_body(seen: &Observation, route: Route) -> Finding {
    let mut asked = seen.asked_of(route).peekable();
    if asked.peek().is_none() {
        return Finding::NotExercised(format!("the daemon was never asked {route}"));
    }
    match asked.find(|asked| !matches!(asked.body.trim_ascii(), b"" | b"{}")) {
        None => Finding::Met,
        Some(asked) => {
            Finding::differs(format!("the body for {route} is not empty"), "no bytes, or {}", lossy(&asked.body))
        }
    }
}

pub(super) fn records_empty_body(seen: &Observation, route: Route) -> Finding {
    match seen.asked_of(route).next() {
        None => Finding::NotApplicable(format!("{route} is not asked")),
        Some(asked) if asked.body.is_empty() => Finding::Observed("no bytes".to_owned()),
        Some(asked) => Finding::Observed(lossy(&asked.body)),
    }
}

pub(super) fn hangs_up(seen: &Observation, route: Route) -> Finding {
    let mut asked = seen.asked_of(route).peekable();
    if asked.peek().is_none() {
        return Finding::broken(format!("the daemon was never asked {route}"));
    }
    if asked.any(|asked| asked.hung_up.is_some()) {
        Finding::Met
    } else {
        Finding::broken(format!("the request to {route} was left open"))
    }
}

pub(super) fn no_trespass(seen: &Observation) -> Finding {
    let trespass = |asked: &&Asked| {
        matches!(
            asked.trespass,
            Some(
                Trespass::UnknownPath
                    | Trespass::WrongMethod
                    | Trespass::WrongHost
                    | Trespass::ForeignOrigin
                    | Trespass::Malformed
            )
        )
    };
    match seen.asked.iter().find(trespass) {
        None => Finding::Met,
        Some(asked) => Finding::differs(
            format!("the daemon got a request outside the contract: {}", named(asked.trespass.as_ref())),
            "POST to one of the 14 routes, Host as in config.json, no Origin of another site",
            format!("{} {}\n{}", asked.method, asked.target, headers(asked)),
        ),
    }
}

pub(super) fn authorized(seen: &Observation) -> Finding {
    let tokens: Vec<_> =
        seen.secrets.iter().filter(|(name, _)| name == "token").map(|(_, token)| format!("Bearer {token}")).collect();
    let wrong = seen.asked.iter().find(|asked| match &asked.trespass {
        Some(Trespass::MissingToken) => true,
        // A token that was right before the daemon came back with another one is no fault.
        Some(Trespass::WrongToken) => {
            let given = asked.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
            !given.is_some_and(|(_, value)| tokens.contains(value))
        }
        _ => false,
    });
    match wrong {
        None => Finding::Met,
        Some(asked) => Finding::differs(
            format!("the request to {} does not carry the token as the contract demands", asked.target),
            "Authorization: Bearer <the trimmed content of control_token.txt>",
            headers(asked),
        ),
    }
}

fn named(trespass: Option<&Trespass>) -> &'static str {
    match trespass {
        Some(Trespass::UnknownPath) => "its path is none of the 14 routes",
        Some(Trespass::WrongMethod) => "its method is not POST",
        Some(Trespass::WrongHost) => "its Host is not the address in config.json",
        Some(Trespass::ForeignOrigin) => "its Origin is another site",
        Some(Trespass::MissingToken) => "it carries no token",
        Some(Trespass::WrongToken) => "it carries another token",
        Some(Trespass::Malformed) => "it is no HTTP request",
        None => "nobody knows why",
    }
}

/// What the daemon was asked, a line each.
fn summary(seen: &Observation) -> String {
    if seen.asked.is_empty() {
        return "the daemon was asked nothing".to_owned();
    }
    let lines: Vec<_> = seen
        .asked
        .iter()
        .map(|asked| format!("{} {} {}", asked.method, asked.target, brief(&lossy(&asked.body))))
        .collect();
    lines.join("\n")
}

fn headers(asked: &Asked) -> String {
    asked.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{}... ({} bytes)", &text[..cut], text.len()),
        None => text.to_owned(),
    }
}
