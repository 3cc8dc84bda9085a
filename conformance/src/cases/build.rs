//! What many cases have in common: a scripted answer, an exact exchange, a refusal, a passed-on error.
//!
//! Responsible for: turning such a pattern into the checks that it consists of, each with its requirement and level.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::Case;
use crate::expect::Expect;
use crate::json::Grade;

/// The daemon answers every request to the route with this status and body.
pub(super) fn answers(route: Route, status: u16, body: impl Into<Vec<u8>>) -> Rule {
    Rule { on: On::Route(route), times: Times::Always, reply: Reply::Respond(Response::json(status, body.into())) }
}

impl Case {
    /// The daemon answers every request to the route with 200 and this JSON.
    pub(super) fn daemon_answers(self, route: Route, body: impl Into<Vec<u8>>) -> Self {
        self.daemon(answers(route, 200, body))
    }

    /// The daemon refuses every request to the route with this status and body.
    pub(super) fn daemon_refuses(self, route: Route, status: u16, body: impl Into<Vec<u8>>) -> Self {
        self.daemon(answers(route, status, body))
    }

    /// The one request to the daemon: this route, this body; nothing else is asked.
    pub(super) fn expect_request(self, route: Route, body: impl Into<String>) -> Self {
        let body = body.into();
        self.check("wire.request-meaning", Expect::Asks { route, body: body.clone() })
            .check("wire.request-exact", Expect::AsksExactly { route, body })
            .check("wire.one-call", Expect::AsksOnly { routes: vec![route] })
    }

    /// The answer to `call` is the daemon's JSON, unchanged, as text and as structured content.
    pub(super) fn expect_answer(self, call: &str, json: impl Into<String>) -> Self {
        let (call, json) = (call.to_owned(), json.into());
        self.check("results.success", Expect::Succeeds { call: call.clone() })
            .check("results.text", Expect::TextJson { call: call.clone(), json: json.clone(), grade: Grade::Double })
            .check(
                "results.numbers-literal",
                Expect::TextJson { call: call.clone(), json: json.clone(), grade: Grade::Literal },
            )
            .check("results.member-order", Expect::TextOrder { call: call.clone(), json: json.clone() })
            .check("results.one-text", Expect::OneText { call: call.clone() })
            .check("results.structured", Expect::StructuredJson { call: call.clone(), json, grade: Grade::Double })
            .check("results.structured-agrees", Expect::StructuredAgrees { call })
    }

    /// `call` fails with exactly the daemon's sentence.
    pub(super) fn expect_sentence(self, call: &str, sentence: impl Into<String>) -> Self {
        let call = call.to_owned();
        self.check("errors.is-error", Expect::FailsAsTool { call: call.clone() })
            .check("errors.sentence-exact", Expect::TextIs { call: call.clone(), text: sentence.into() })
            .check("errors.one-text", Expect::OneText { call: call.clone() })
            .check("errors.no-structured", Expect::NoStructured { call })
    }
}
