//! Exchanges: for each tool, what a call becomes at the daemon, to the member, and that the daemon's answer comes back
//! whole.
//!
//! Responsible for: rows of arguments and bodies (control-plane section 2, rulings R4 to R9). Not for: arguments that are
//! wrong (`arguments`), nor for what single states, reasons and sizes do to an answer.

mod agents;
mod answers;
mod node;
mod payments;
mod reply;
mod send;
mod strings;
mod tasks;

use crate::case::{Case, Group};
use crate::expect::Expect;
use crate::page::{SAMPLE_AID, SAMPLE_CONTEXT, SAMPLE_TASK, Tool};
use crate::verdict::Finding;

pub(super) use self::answers::answer;
use super::request::route;

/// All cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [agents::cases, send::cases, tasks::cases, reply::cases, payments::cases, node::cases, strings::cases]
        .into_iter()
        .flat_map(|part: fn() -> Vec<Case>| part())
        .collect()
}

/// What a row demands of the request.
#[derive(Clone, Copy, PartialEq)]
enum Demand {
    /// The members of the contract and no others.
    Exact,
    /// The meaning: the contract leaves the spelling open, or does not settle it.
    Meaning,
    /// The meaning, if the daemon is asked. It would refuse the combination, and so may the server.
    MayRefuse,
}

/// Arguments and the body that they become. `$AID`, `$TASK` and `$CONTEXT` stand for the samples.
#[derive(Clone, Copy)]
struct Row {
    /// The last part of the id.
    point: &'static str,
    title: &'static str,
    arguments: &'static str,
    body: &'static str,
    demand: Demand,
}

const fn row(point: &'static str, title: &'static str, arguments: &'static str, body: &'static str) -> Row {
    Row { point, title, arguments, body, demand: Demand::Exact }
}

const fn meaning(row: Row) -> Row {
    Row { demand: Demand::Meaning, ..row }
}

const fn may_refuse(row: Row) -> Row {
    Row { demand: Demand::MayRefuse, ..row }
}

/// A case for each row: the daemon gives the tool's answer, whole.
fn exchanges(tool: Tool, rows: &[Row]) -> Vec<Case> {
    rows.iter()
        .map(|row| exchange(tool, row.point, row.title, &fill(row.arguments), &fill(row.body), row.demand))
        .collect()
}

fn exchange(tool: Tool, point: &str, title: &str, arguments: &str, body: &str, demand: Demand) -> Case {
    let route = route(tool);
    let case = Case::new(Group::Exchange, &format!("{tool}/{point}"), format!("{tool}: {title}"))
        .tool(tool)
        .daemon_answers(route, answer(tool))
        .call(tool, arguments);
    let asks = Expect::Asks { route, body: body.to_owned() };
    match demand {
        Demand::Exact => case.expect_request(route, body).expect_answer("call", answer(tool)),
        Demand::Meaning => case
            .check("wire.request-meaning", asks)
            .check("wire.one-call", Expect::AsksOnly { routes: vec![route] })
            .expect_answer("call", answer(tool)),
        Demand::MayRefuse => case
            .check("wire.request-meaning", if_asked(asks.clone()))
            .check("wire.judged-by-daemon", asks)
            .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() }),
    }
}

/// Puts the samples in.
pub(super) fn fill(text: &str) -> String {
    text.replace("$AID", SAMPLE_AID).replace("$TASK", SAMPLE_TASK).replace("$CONTEXT", SAMPLE_CONTEXT)
}

/// The expectation, if the daemon is asked anything at all; otherwise it does not apply.
pub(super) fn if_asked(expect: Expect) -> Expect {
    Expect::holds(format!("{}, if it is asked anything", expect.describe()), move |seen| {
        match Expect::AsksNothing.evaluate(seen) {
            Finding::Met => Finding::NotApplicable("the server refuses the call itself".to_owned()),
            _ => expect.evaluate(seen),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Demand, agents, node, payments, reply, send, tasks};
    use super::{Row, fill};
    use crate::cases::request;
    use crate::json::{Grade, Json};
    use crate::page::Tool;

    /// The rows were written from the contract by hand; the mapping that cases are generated with must agree.
    #[test]
    fn rows_and_mapping_agree() {
        let tables: [&[(Tool, &[Row])]; 6] =
            [agents::ROWS, send::ROWS, tasks::ROWS, reply::ROWS, payments::ROWS, node::ROWS];
        for (tool, rows) in tables.into_iter().flatten() {
            for row in rows.iter().filter(|row| row.demand != Demand::Meaning) {
                let arguments = Json::parse(&fill(row.arguments)).expect("arguments are JSON");
                let body = Json::parse(&fill(row.body)).expect("bodies are JSON");
                let found = body.differences(&request::body(*tool, &arguments), Grade::Literal);
                assert!(found.is_empty(), "{tool}/{}: {found:?}", row.point);
            }
        }
    }
}
