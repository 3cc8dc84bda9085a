//! Failed calls: whatever the status and the body, the caller gets the control plane's sentence and nothing else.
//!
//! Responsible for: every tool with every status and every shape of body; sentences that a careless passage changes;
//! answers without a usable sentence (requirements `errors.*`; page, Scope and limits; rulings R1, R7). Not for:
//! redirects and unreachable daemons (`reach`, `faults`), nor for the codes beside the sentence (`reasons`).

mod sentences;
mod unusable;

use anet_mock_daemon::Route;

use crate::case::{Case, Group};
use crate::cases::document::{quoted, route_of};
use crate::expect::Expect;
use crate::page::Tool;

const STATUSES: [u16; 10] = [400, 401, 403, 404, 409, 422, 429, 500, 503, 504];

/// What stands beside the sentence.
const SHAPES: [(&str, &str); 4] = [
    ("sentence", ""),
    ("with-code", r#","code":"InvalidParamsError""#),
    ("with-reason", r#","reason":"not_accepting""#),
    (
        "with-result",
        r#","reason":"option_not_offered","result":{"task_id":"t","state":"input-required","anet.reason":"option_not_offered"}"#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    [matrix(), both_balances(), sentences::cases(), unusable::refusals(), unusable::answers()].concat()
}

/// A case of this group that is about the tool.
fn case(topic: &str, tool: Tool, title: impl Into<String>) -> Case {
    Case::new(Group::Errors, topic, title).tool(tool)
}

/// Every tool with every status, the shapes in turn. `get_balance` asks two routes and is judged for itself.
fn matrix() -> Vec<Case> {
    let mut cases = Vec::new();
    for (row, tool) in Tool::ALL.into_iter().filter(|tool| *tool != Tool::Balance).enumerate() {
        for (column, status) in STATUSES.into_iter().enumerate() {
            let (shape, beside) = SHAPES[(row + column) % SHAPES.len()];
            let sentence =
                format!("The node could not do that (case {row}-{column}): try `anet status` in a terminal.");
            let body = format!(r#"{{"error":{}{beside}}}"#, quoted(&sentence));
            let route = route_of(tool);
            let case = case(
                &format!("status/{tool}.{status}"),
                tool,
                format!("{tool} refused with {status} fails with exactly the sentence ({})", shape.replace('-', " ")),
            )
            .daemon_refuses(route, status, body)
            .call_as("call", tool);
            cases.push(if status == 401 {
                // A 401 may also be met by reading the token anew, and by words of the server's own.
                case.check("errors.unusable-fails", Expect::Fails { call: "call".to_owned() })
                    .check("errors.sentence-of-401", Expect::TextIs { call: "call".to_owned(), text: sentence })
            } else {
                case.expect_sentence("call", sentence).check("wire.one-call", Expect::AsksOnly { routes: vec![route] })
            });
        }
    }
    cases
}

/// `get_balance` when neither of its routes answers.
fn both_balances() -> Vec<Case> {
    [400, 500, 503]
        .map(|status| {
            let sentence = format!("The hub did not give the balance ({status}).");
            let body = format!(r#"{{"error":{}}}"#, quoted(&sentence));
            case(
                &format!("status/get_balance.{status}"),
                Tool::Balance,
                format!("get_balance fails with the sentence of /balance when both routes refuse with {status}"),
            )
            .daemon_refuses(Route::Balance, status, body)
            .daemon_refuses(Route::PaymentsStatus, status, r#"{"error":"The limits cannot be read."}"#)
            .call_as("call", Tool::Balance)
            .check("errors.balance-both", Expect::FailsAsTool { call: "call".to_owned() })
            .check("errors.balance-both", Expect::TextIs { call: "call".to_owned(), text: sentence })
        })
        .into()
}
