//! The handshake: versions, capabilities, and what comes before and between its messages.

use std::time::Duration;

use super::{case, hello, messages, no_handshake, nothing_else_answered, survives};
use crate::case::{Case, Step};
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::Tool;
use crate::revision::Revision;
use crate::verdict::Finding;

/// A revision from before the first dated one that is published; SDKs still answer with it.
const BEFORE_THE_FIRST: &str = "2024-10-07";

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = Revision::LEGACY.into_iter().map(in_revision).collect();
    cases.extend(["1999-01-01", "2099-12-31"].map(unknown_version));
    cases.extend([
        early_ping(),
        early_requests(),
        early_notifications(),
        in_between(),
        odd_initialize(),
        again(),
        quiet_start(),
    ]);
    cases
}

fn in_revision(revision: Revision) -> Case {
    case(&format!("handshake/{revision}"), format!("a client that speaks MCP {revision} is welcomed"))
        .revision(revision)
        .setting(no_handshake())
        .asks("hello", "initialize", Some(&hello(revision.name())))
        .pings("ping in between")
        .notifies("notifications/initialized", None)
        .pings("ping after")
        .ends()
        .expect_each_answered("protocol.answered-once", &["hello", "ping in between", "ping after"])
        .check("protocol.version-known", version_known(revision.name()))
        .check("protocol.version-offered", offered())
        .check(
            "protocol.versions",
            Expect::holds("the version that is negotiated is recorded", move |seen| match version(seen) {
                Some(version) => Finding::Observed(format!("asked for {revision}, answered {version}")),
                None => Finding::Observed(format!("asked for {revision}, refused")),
            }),
        )
        .check(
            "protocol.tools-capability",
            welcomed("the tools capability is declared", |result| match result.pointer("/capabilities/tools") {
                Some(Json::Object(_)) => Finding::Met,
                _ => Finding::differs(
                    "the tools capability is not declared, so clients do not ask for the tools",
                    r#""capabilities":{"tools":{}}"#,
                    result.to_string(),
                ),
            }),
        )
        .check(
            "protocol.server-named",
            welcomed("the server says its name and version", |result| {
                let said = |pointer| {
                    result.pointer(pointer).and_then(Json::as_str).is_some_and(|text| !text.trim().is_empty())
                };
                if said("/serverInfo/name") && said("/serverInfo/version") {
                    return Finding::Met;
                }
                Finding::differs("serverInfo has no name or no version", "a name and a version", result.to_string())
            }),
        )
        .check("protocol.ping", after_welcome(Expect::Succeeds { call: "ping in between".to_owned() }))
        .check("protocol.ping", after_welcome(Expect::Succeeds { call: "ping after".to_owned() }))
        .check(
            "protocol.ping-empty",
            after_welcome(Expect::holds("the result of ping is {}", |seen| match seen.answer("ping after") {
                Some(Answer::Result(result)) if result.as_object().is_some_and(<[_]>::is_empty) => Finding::Met,
                Some(Answer::Result(result)) => {
                    Finding::differs("the result of ping is not empty", "{}", result.to_string())
                }
                _ => Finding::NotExercised("ping did not succeed".to_owned()),
            })),
        )
        .check("protocol.notifications-unanswered", nothing_else_answered())
        .check("protocol.no-requests", no_requests())
}

/// The result of `hello`.
fn welcome(seen: &Observation) -> Option<&Json> {
    match seen.answer("hello")? {
        Answer::Result(result) => Some(result),
        _ => None,
    }
}

fn version(seen: &Observation) -> Option<&str> {
    welcome(seen)?.member("protocolVersion")?.as_str()
}

/// What is demanded of the welcome, if there is one.
fn welcomed(what: &str, judge: impl Fn(&Json) -> Finding + Send + Sync + 'static) -> Expect {
    Expect::holds(what, move |seen| match welcome(seen) {
        Some(result) => judge(result),
        None => Finding::NotApplicable("this version is refused".to_owned()),
    })
}

/// What is demanded once a session is open.
fn after_welcome(expect: Expect) -> Expect {
    Expect::holds(expect.describe(), move |seen| match seen.answer("hello") {
        Some(Answer::RpcError { .. }) => Finding::NotApplicable("this version is refused".to_owned()),
        _ => expect.evaluate(seen),
    })
}

/// The version in the welcome is one that exists. An error is another matter.
fn version_known(requested: &str) -> Expect {
    let requested = requested.to_owned();
    Expect::holds("the version that is answered is one that exists", move |seen| match seen.answer("hello") {
        Some(Answer::RpcError { .. }) => Finding::NotApplicable("this version is refused".to_owned()),
        Some(Answer::Result(result)) => {
            let said = result.member("protocolVersion").and_then(Json::as_str).unwrap_or_default();
            if exists(said) && (said != requested || requested.parse::<Revision>().is_ok()) {
                return Finding::Met;
            }
            Finding::differs(
                format!("the version {said:?} is answered, which does not exist"),
                Revision::LEGACY.map(Revision::name).join(" or "),
                result.to_string(),
            )
        }
        _ => Finding::broken(format!("`initialize` is not answered: {}", super::shown(seen, "hello"))),
    })
}

/// A revision that the kit knows, or a date after all of them.
fn exists(version: &str) -> bool {
    let newest = Revision::V2026_07_28.name();
    let dated = version.len() == newest.len()
        && version
            .bytes()
            .zip(newest.bytes())
            .all(|(b, model)| if model == b'-' { b == b'-' } else { b.is_ascii_digit() });
    dated && (version == BEFORE_THE_FIRST || version.parse::<Revision>().is_ok() || version > newest)
}

fn offered() -> Expect {
    Expect::holds("`initialize` is answered with a version, not with an error", |seen| match seen.answer("hello") {
        Some(Answer::Result(_)) => Finding::Met,
        _ => Finding::differs(
            "the server refuses the version instead of offering one that it speaks",
            "a result with a version that the server speaks",
            super::shown(seen, "hello"),
        ),
    })
}

/// The client declares no capability, so there is nothing that it could be asked for but a sign of life.
fn no_requests() -> Expect {
    Expect::holds("the server asks nothing of a client that offers nothing", |seen| {
        let asks = |message: &&Json| {
            let method = message.member("method").and_then(Json::as_str);
            message.member("id").is_some() && method.is_some_and(|method| method != "ping")
        };
        match messages(seen).find(asks) {
            None => Finding::Met,
            Some(message) => Finding::differs(
                "the server sends a request for which the client declared no capability",
                "no request",
                message.to_string(),
            ),
        }
    })
}

fn unknown_version(version: &str) -> Case {
    case(
        &format!("handshake/unknown-{version}"),
        format!("the version {version}, which does not exist, is not agreed to"),
    )
    .setting(no_handshake())
    .asks("hello", "initialize", Some(&hello(version)))
    .check("protocol.version-known", version_known(version))
    .check("protocol.version-offered", offered())
    .expect_each_answered("protocol.answered-once", &["hello"])
}

fn early_ping() -> Case {
    case("handshake/early-ping", "ping is answered before initialize")
        .setting(no_handshake())
        .pings("ping")
        .shakes_hands(Revision::V2025_11_25)
        .check("protocol.ping-early", Expect::Succeeds { call: "ping".to_owned() })
        .check("protocol.early-requests", survives(vec!["hello".to_owned()]))
}

fn early_requests() -> Case {
    case("handshake/early-requests", "requests before initialize do not end the session")
        .setting(no_handshake())
        .sends("list", "tools/list", None)
        .calls("call", Tool::NodeStatus.name(), "{}")
        .sends("unknown", "no/such_method", None)
        .shakes_hands(Revision::V2025_11_25)
        .pings("after requests before initialize")
        .check(
            "protocol.early-requests",
            survives(vec!["hello".to_owned(), "after requests before initialize".to_owned()]),
        )
}

fn early_notifications() -> Case {
    case("handshake/early-notifications", "notifications before initialize do not end the session")
        .setting(no_handshake())
        .notifies("notifications/initialized", None)
        .notifies("notifications/cancelled", Some(r#"{"requestId":1}"#))
        .notifies("notifications/no_such", None)
        .shakes_hands(Revision::V2025_11_25)
        .pings("after notifications before initialize")
        .ends()
        .check(
            "protocol.early-requests",
            survives(vec!["hello".to_owned(), "after notifications before initialize".to_owned()]),
        )
        .check("protocol.notifications-unanswered", nothing_else_answered())
}

fn in_between() -> Case {
    case("handshake/in-between", "requests before notifications/initialized do not end the session")
        .setting(no_handshake())
        .asks("hello", "initialize", Some(&hello(Revision::V2025_11_25.name())))
        .sends("list", "tools/list", None)
        .notifies("notifications/initialized", None)
        .pings("after a request before notifications/initialized")
        .check("protocol.early-requests", survives(vec!["after a request before notifications/initialized".to_owned()]))
}

fn odd_initialize() -> Case {
    case("handshake/odd-initialize", "an initialize that is no good does not spoil the next one")
        .setting(no_handshake())
        .asks("no parameters", "initialize", None)
        .asks(
            "a number as version",
            "initialize",
            Some(r#"{"protocolVersion":20251125,"capabilities":{},"clientInfo":{"name":"k","version":"1"}}"#),
        )
        .asks("no client info", "initialize", Some(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#))
        .shakes_hands(Revision::V2025_11_25)
        .pings("after a bad initialize")
        .expect_each_answered("protocol.odd-initialize", &["no parameters", "a number as version", "no client info"])
        .check("protocol.odd-initialize", survives(vec!["after a bad initialize".to_owned()]))
}

fn again() -> Case {
    case("handshake/again", "a second initialize does not end the session")
        .setting(no_handshake())
        .shakes_hands(Revision::V2025_11_25)
        .asks("again", "initialize", Some(&hello(Revision::V2025_06_18.name())))
        .pings("after a second initialize")
        .check("protocol.second-initialize", Expect::RecordsRefusal { call: "again".to_owned() })
        .check("protocol.survives-requests", survives(vec!["after a second initialize".to_owned()]))
}

fn quiet_start() -> Case {
    case("handshake/quiet-start", "nothing is said before the first request")
        .setting(no_handshake())
        .step(Step::Quiet(Duration::from_millis(150)))
        .asks("hello", "initialize", Some(&hello(Revision::V2025_11_25.name())))
        .check(
            "protocol.quiet-start",
            Expect::holds("nothing is written before the first request", |seen| {
                let first = seen.exchange("hello").map(|hello| hello.at);
                match seen.lines.first() {
                    Some(line) if first.is_none_or(|at| line.at < at) => Finding::differs(
                        "the server speaks first",
                        "nothing before the first request",
                        String::from_utf8_lossy(&line.bytes),
                    ),
                    _ => Finding::Met,
                }
            }),
        )
}

#[cfg(test)]
mod tests {
    use super::exists;

    #[test]
    fn versions_that_exist() {
        for version in ["2024-10-07", "2024-11-05", "2025-11-25", "2026-07-28", "2027-03-01"] {
            assert!(exists(version), "{version}");
        }
        for version in ["", "1999-01-01", "2025-01-01", "1.0", "DRAFT-2026", "2025-11-2x"] {
            assert!(!exists(version), "{version}");
        }
    }
}
