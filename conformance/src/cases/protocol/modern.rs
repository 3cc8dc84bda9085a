//! The revision without a handshake: metadata on every request, `server/discover`, envelopes of results.
//!
//! A server that speaks only older revisions conforms: what it answers to `server/discover` decides, and the rest does
//! not apply to it.

use anet_mock_daemon::{Route, Times};

use super::{DOCUMENT, case, held, hello, no_handshake, sample_task, shown, survives};
use crate::case::{Case, Step};
use crate::expect::{Expect, ValueRule};
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::Tool;
use crate::revision::Revision;
use crate::verdict::Finding;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Metadata that lacks what every request must carry, and whether it shows all the same that a modern client speaks.
const LACKING: [(&str, bool); 4] =
    [("empty", false), ("no version", false), ("no capabilities", true), ("a number as version", true)];

pub(super) fn cases() -> Vec<Case> {
    vec![probe(), discover(), session(), metadata(), unsupported_version(), cancelled(), leftovers()]
}

fn modern(topic: &str, title: &str) -> Case {
    case(&format!("modern/{topic}"), title).revision(Revision::V2026_07_28).asks("discover", "server/discover", None)
}

/// Whether the server speaks the modern revision: it says so, or answers as only that revision does.
fn is_modern(seen: &Observation) -> bool {
    let result = |label| match seen.answer(label) {
        Some(Answer::Result(result)) => Some(result),
        _ => None,
    };
    let versions = result("discover").and_then(|result| result.member("supportedVersions")?.as_array());
    let says_so = versions.is_some_and(|versions| versions.contains(&Json::string(Revision::V2026_07_28.name())));
    says_so || result("list").is_some_and(|result| result.member("resultType").is_some())
}

/// The expectation holds only for a server that speaks the modern revision.
fn if_modern(expect: Expect) -> Expect {
    Expect::holds(format!("if MCP 2026-07-28 is spoken: {}", expect.describe()), move |seen| {
        if is_modern(seen) {
            expect.evaluate(seen)
        } else {
            Finding::NotApplicable(format!("the server does not speak MCP {}", Revision::V2026_07_28))
        }
    })
}

fn in_result(call: &str, pointer: &str, rule: ValueRule) -> Expect {
    if_modern(Expect::InResult { call: call.to_owned(), pointer: pointer.to_owned(), rule })
}

/// What a modern client does with a server that it does not know: it asks, and falls back.
fn probe() -> Case {
    let metadata = format!(r#"{{"_meta":{{"{VERSION}":"2026-07-28","{CAPABILITIES}":{{}}}}}}"#);
    case("modern/probe", "a client that asks for the modern revision first can still shake hands")
        .setting(no_handshake())
        .asks("discover", "server/discover", Some(&metadata))
        .asks("hello", "initialize", Some(&hello(Revision::V2025_11_25.name())))
        .notifies("notifications/initialized", None)
        .pings("after server/discover")
        .check(
            "modern.era",
            Expect::holds("which era the server speaks is recorded", |seen| {
                let modern = is_modern(seen);
                let legacy = matches!(seen.answer("hello"), Some(Answer::Result(_)));
                Finding::Observed(match (legacy, modern) {
                    (true, true) => "with and without a handshake".to_owned(),
                    (true, false) => "with a handshake only".to_owned(),
                    (false, true) => "without a handshake only".to_owned(),
                    (false, false) => "neither".to_owned(),
                })
            }),
        )
        .check("modern.probe", Expect::AnsweredOnce { call: "discover".to_owned() })
        .check(
            "modern.probe",
            Expect::holds("the handshake goes on after the probe", |seen| {
                let legacy = matches!(seen.answer("after server/discover"), Some(Answer::Result(_)));
                if legacy || is_modern(seen) {
                    return Finding::Met;
                }
                Finding::differs(
                    "after `server/discover` the handshake does not work",
                    "an answer",
                    shown(seen, "hello"),
                )
            }),
        )
}

fn discover() -> Case {
    modern("discover", "server/discover says what a client needs")
        .check("modern.discover", in_result("discover", "/supportedVersions", ValueRule::AtLeast(1)))
        .check("modern.discover", in_result("discover", "/capabilities/tools", ValueRule::Type("object")))
        .check("modern.result-type", in_result("discover", "/resultType", ValueRule::Is("\"complete\"".to_owned())))
        .check("modern.cache", cache("discover"))
        .check(
            "modern.server-info",
            in_result("discover", "/_meta/io.modelcontextprotocol~1serverInfo/name", ValueRule::Present),
        )
}

/// How long and for whom a result may be kept.
fn cache(call: &'static str) -> Expect {
    if_modern(Expect::holds(format!("`{call}` states ttlMs and cacheScope"), move |seen| {
        let Some(Answer::Result(result)) = seen.answer(call) else {
            return Finding::broken(format!("`{call}` has no result: {}", shown(seen, call)));
        };
        let ttl = result.member("ttlMs").and_then(Json::as_i64).is_some_and(|ttl| ttl >= 0);
        let scope = result.member("cacheScope").and_then(Json::as_str);
        if ttl && matches!(scope, Some("public" | "private")) {
            return Finding::Met;
        }
        Finding::differs(
            format!("`{call}` does not say how long and for whom it may be kept"),
            r#"ttlMs, an integer from 0, and cacheScope, "public" or "private""#,
            result.to_string(),
        )
    }))
}

fn session() -> Case {
    modern("session", "tools are listed and called without a handshake")
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .asks("list", "tools/list", None)
        .calls("call", "get_task", &sample_task())
        .waits("call")
        .calls("bad", "get_task", "{}")
        .waits("bad")
        .calls("unknown", "unknown_tool", "{}")
        .waits("unknown")
        .check("modern.session", if_modern(Expect::Succeeds { call: "list".to_owned() }))
        .check("modern.session", if_modern(Expect::Succeeds { call: "call".to_owned() }))
        .check("modern.session", if_modern(Expect::Fails { call: "bad".to_owned() }))
        .check("modern.session", if_modern(Expect::Fails { call: "unknown".to_owned() }))
        .check("modern.result-type", in_result("list", "/resultType", ValueRule::Is("\"complete\"".to_owned())))
        .check("modern.result-type", in_result("call", "/resultType", ValueRule::Is("\"complete\"".to_owned())))
        .check("modern.cache", cache("list"))
        .check(
            "modern.server-info",
            in_result("call", "/_meta/io.modelcontextprotocol~1serverInfo/name", ValueRule::Present),
        )
}

/// A request without the metadata that every modern request carries. One that could as well be of an older revision
/// may be taken for that.
fn metadata() -> Case {
    let case =
        LACKING.into_iter().fold(modern("metadata", "metadata that lacks something is refused"), |case, (label, _)| {
            case.asks(label, "tools/list", Some(&format!(r#"{{"_meta":{}}}"#, lacking(label))))
        });
    let case = LACKING.into_iter().fold(case, |case, (label, shows)| {
        let refused = if_modern(Expect::FailsAsRpc { call: label.to_owned(), codes: vec![-32602] });
        case.check(if shows { "modern.metadata" } else { "modern.no-metadata" }, refused)
    });
    case.asks("list", "tools/list", None)
        .check("modern.session", if_modern(Expect::Succeeds { call: "list".to_owned() }))
}

fn lacking(label: &str) -> String {
    match label {
        "no version" => format!(r#"{{"{CAPABILITIES}":{{}}}}"#),
        "no capabilities" => format!(r#"{{"{VERSION}":"2026-07-28"}}"#),
        "a number as version" => format!(r#"{{"{VERSION}":20260728,"{CAPABILITIES}":{{}}}}"#),
        _ => "{}".to_owned(),
    }
}

fn unsupported_version() -> Case {
    let params = format!(r#"{{"_meta":{{"{VERSION}":"1999-01-01","{CAPABILITIES}":{{}}}}}}"#);
    let in_error =
        |pointer: &str, rule| if_modern(Expect::InError { call: "old".to_owned(), pointer: pointer.to_owned(), rule });
    modern("unsupported-version", "a version that does not exist is refused with those that are spoken")
        .asks("old", "tools/list", Some(&params))
        .check(
            "modern.unsupported-version",
            if_modern(Expect::FailsAsRpc { call: "old".to_owned(), codes: vec![-32022] }),
        )
        .check("modern.unsupported-version", in_error("/data/supported", ValueRule::AtLeast(1)))
        .check("modern.unsupported-version", in_error("/data/requested", ValueRule::Is("\"1999-01-01\"".to_owned())))
}

fn cancelled() -> Case {
    modern("cancelled", "after a cancellation nothing more is said of the call")
        .tool(Tool::WaitTask)
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .calls("get", "get_task", &sample_task())
        .waits("get")
        .calls("wait", "wait_task", &sample_task())
        .step(Step::Cancel("wait".to_owned()))
        // Whoever answers this has read the cancellation, and only then the daemon answers.
        .asks("list", "tools/list", None)
        .step(Step::Release("wait".to_owned()))
        .asks("list again", "tools/list", None)
        .ends()
        .check("modern.session", if_modern(Expect::Succeeds { call: "get".to_owned() }))
        .check("modern.cancel-silent", if_modern(Expect::Unanswered { call: "wait".to_owned() }))
}

/// What older revisions have and this one has not.
fn leftovers() -> Case {
    modern("leftovers", "what becomes of ping and initialize in the modern revision")
        .sends("ping", "ping", None)
        .asks("list", "tools/list", None)
        .waits("ping")
        .check("modern.ping", if_modern(Expect::RecordsRefusal { call: "ping".to_owned() }))
        .check("modern.survives", if_modern(survives(vec!["list".to_owned()])))
}
