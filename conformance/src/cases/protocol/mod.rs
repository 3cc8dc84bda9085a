//! MCP itself over stdio: handshake, envelopes, ids, framing, concurrency, cancellation, the end of the session.
//!
//! Responsible for: steps and expectations that several files here share, and the registry of the group. Not for: what
//! tools do. Serves the requirements `protocol.*`, `effects.*` and `modern.*`.

mod cancel;
mod concurrency;
mod effects;
mod ending;
mod envelope;
mod framing;
mod handshake;
mod ids;
mod modern;
mod strings;

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use super::seen::shown;
use crate::case::{Case, Group, Request, Setting, Step};
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::SAMPLE_TASK;
use crate::revision::Revision;
use crate::verdict::Finding;

/// All cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [
        handshake::cases(),
        envelope::cases(),
        ids::cases(),
        framing::cases(),
        concurrency::cases(),
        cancel::cases(),
        ending::cases(),
        effects::cases(),
        strings::cases(),
        modern::cases(),
    ]
    .concat()
}

/// The document that most cases here let the daemon answer with.
const DOCUMENT: &str = r#"{"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","metadata":{"anet.role":"requester","anet.state_seq":3},"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-10-12T08:23:05.107Z"}}"#;

/// Where the handshake is a step of the case.
fn no_handshake() -> Setting {
    Setting { alone: true, no_handshake: true, ..Setting::default() }
}

/// The parameters of `initialize` for this version, as JSON text.
fn hello(version: &str) -> String {
    let version = Json::string(version);
    format!(
        r#"{{"protocolVersion":{version},"capabilities":{{}},"clientInfo":{{"name":"anet-conformance","version":"1"}}}}"#
    )
}

/// Arguments that name the sample task.
fn sample_task() -> String {
    format!(r#"{{"task_id":"{SAMPLE_TASK}"}}"#)
}

fn case(topic: &str, title: impl Into<String>) -> Case {
    Case::new(Group::Protocol, topic, title)
}

/// The daemon holds its answer to the route back until `name` is released.
fn held(route: Route, times: Times, name: &str) -> Rule {
    let then = Box::new(Reply::Respond(Response::json(200, DOCUMENT)));
    Rule { on: On::Route(route), times, reply: Reply::Hold { name: name.to_owned(), then } }
}

impl Case {
    /// Sends a request without waiting.
    fn sends(self, label: &str, method: &str, params: Option<&str>) -> Self {
        self.step(Step::Request(Request::new(label, method, params.map(str::to_owned))))
    }

    /// Sends a request and waits for its answer.
    fn asks(self, label: &str, method: &str, params: Option<&str>) -> Self {
        self.sends(label, method, params).waits(label)
    }

    /// Waits for an answer.
    fn waits(self, label: &str) -> Self {
        self.step(Step::Await(label.to_owned()))
    }

    /// Sends `ping` and waits for its answer.
    fn pings(self, label: &str) -> Self {
        self.asks(label, "ping", None)
    }

    /// Sends a `tools/call` without waiting.
    fn calls(self, label: &str, tool: &str, arguments: &str) -> Self {
        self.step(Step::Request(Request::call(label, tool, Some(arguments.to_owned()))))
    }

    /// Sends a notification.
    fn notifies(self, method: &str, params: Option<&str>) -> Self {
        self.step(Step::Notify { method: method.to_owned(), params: params.map(str::to_owned) })
    }

    /// Sends bytes as they are, in which no request is.
    fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Raw { bytes: bytes.into(), expecting: Vec::new() })
    }

    /// Sends bytes as they are, with these requests inside: label and id.
    fn raw_with(self, bytes: impl Into<Vec<u8>>, expecting: &[(&str, &str)]) -> Self {
        let expecting = expecting.iter().map(|(label, id)| ((*label).to_owned(), (*id).to_owned())).collect();
        self.step(Step::Raw { bytes: bytes.into(), expecting })
    }

    /// Does the handshake as steps of the case: `hello`, and the notification that ends it.
    fn shakes_hands(self, revision: Revision) -> Self {
        self.asks("hello", "initialize", Some(&hello(revision.name()))).notifies("notifications/initialized", None)
    }

    /// Closes the input and waits for the end, so that everything that the candidate ever says is seen.
    fn ends(self) -> Self {
        self.step(Step::CloseInput).step(Step::AwaitExit)
    }

    /// Each of these requests is answered exactly once.
    fn expect_each_answered(self, requirement: &'static str, calls: &[&str]) -> Self {
        calls.iter().fold(self, |case, call| case.check(requirement, Expect::AnsweredOnce { call: (*call).to_owned() }))
    }

    /// Each of these requests succeeds.
    fn expect_success(self, requirement: &'static str, calls: &[&str]) -> Self {
        calls.iter().fold(self, |case, call| case.check(requirement, Expect::Succeeds { call: (*call).to_owned() }))
    }
}

/// The messages that the candidate sent, those in batches one by one.
fn messages(seen: &Observation) -> impl Iterator<Item = &Json> {
    seen.lines.iter().filter_map(|line| line.message.as_ref()).flat_map(|message| match message {
        Json::Array(items) => items.as_slice(),
        message => std::slice::from_ref(message),
    })
}

/// The answers that carry no id at all.
fn answers_to_nothing(seen: &Observation) -> Vec<&Json> {
    let to_nothing =
        |message: &&Json| message.member("method").is_none() && matches!(message.member("id"), None | Some(Json::Null));
    messages(seen).filter(to_nothing).collect()
}

/// Nothing but the requests is answered: notifications get no answer.
fn nothing_else_answered() -> Expect {
    Expect::holds("no message answers what was no request", |seen| match answers_to_nothing(seen).first() {
        None => Finding::Met,
        Some(message) => {
            Finding::differs("a notification was answered", "no answer to a notification", message.to_string())
        }
    })
}

/// After each of these lines the next request is answered with success; the label says which line it was.
fn survives(labels: Vec<String>) -> Expect {
    Expect::holds("after each line the next request is answered", move |seen| {
        // The revision without a handshake has no `ping`: that nobody knows it is an answer, too.
        let answered = |label: &String| match seen.answer(label) {
            Some(Answer::Result(_)) => true,
            Some(Answer::RpcError { .. }) => seen.revision.is_modern(),
            _ => false,
        };
        let lost = labels.iter().find(|label| !answered(label));
        match lost {
            None => Finding::Met,
            Some(label) => Finding::differs(
                format!("the session does not go on {label}"),
                "an answer to the next request",
                shown(seen, label),
            ),
        }
    })
}
