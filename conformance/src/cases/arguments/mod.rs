//! Arguments at and beyond their bounds: what is refused, what counts as absent, and what must never reach the daemon.
//!
//! Responsible for: the boundary matrix, generated from the page's table (rulings R3, R4, R5, R16), the rules of
//! `send_message`, unknown arguments, and random argument objects. Not for: `arguments` that are no object, which is MCP's
//! affair (`protocol`), nor for valid calls one by one (`exchange`).
//!
//! Where a violation fails the run, the daemon's own world is in charge: a server that passes a wrong value on is refused
//! there, which is an error as good as its own. Elsewhere the daemon is scripted to say yes, so that a server that guesses
//! is seen, and so that nothing waits.

mod files;
mod grammar;
mod matrix;
mod random;
mod refusal;
mod required;
mod send;
mod spelling;
mod unknown;

use super::exchange::{answer, fill, if_asked};
use super::request;
use crate::case::{Case, Group};
use crate::expect::Expect;
use crate::json::Json;
use crate::page::Tool;

/// All cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [required::cases, matrix::cases, send::cases, files::cases, unknown::cases, spelling::cases, random::cases]
        .into_iter()
        .flat_map(|part: fn() -> Vec<Case>| part())
        .collect()
}

/// A call whose fate its checks decide; the daemon's world is in charge.
fn call(tool: Tool, point: &str, title: &str, arguments: impl Into<String>) -> Case {
    Case::new(Group::Arguments, &format!("{tool}/{point}"), format!("{tool}: {title}")).tool(tool).call(tool, arguments)
}

/// The same, with a daemon that says yes to everything.
fn call_accepted(tool: Tool, point: &str, title: &str, arguments: impl Into<String>) -> Case {
    Case::new(Group::Arguments, &format!("{tool}/{point}"), format!("{tool}: {title}"))
        .tool(tool)
        .daemon_answers(request::route(tool), answer(tool))
        .call(tool, arguments)
}

impl Case {
    /// The call counts as one with `arguments`: the daemon is asked for what they mean.
    fn expect_same_as(self, requirement: &'static str, tool: Tool, arguments: &Json) -> Self {
        let body = request::body(tool, arguments).to_string();
        self.check(requirement, Expect::Asks { route: request::route(tool), body })
            .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
            .expect_decent_refusal(&[])
    }
}

/// The arguments with one more, or with another value for it. `value` is JSON text; its number literals are kept.
fn with(arguments: &str, name: &str, value: &str) -> Json {
    let mut json = object(arguments);
    json.set(name, Json::parse(value).unwrap_or(Json::Null));
    json
}

/// The samples put in, as a document.
fn object(arguments: &str) -> Json {
    Json::parse(&fill(arguments)).unwrap_or(Json::Null)
}

/// Names, owned.
fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
