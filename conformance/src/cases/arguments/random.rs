//! Random argument objects, the same in every run: valid ones become the request they mean, broken ones are refused.

use super::grammar::{Break, Draw, UNKNOWN, broken, valid};
use super::required::missing;
use super::{answer, request};
use crate::case::{Case, Group};
use crate::page::Tool;

/// What every run begins with.
const SEED: u64 = 0x616E_6574_2030_2E33;
/// How many objects of each kind a tool with parameters gets.
const EACH: usize = 6;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, tool) in Tool::ALL.into_iter().enumerate() {
        let mut draw = Draw::new(SEED ^ (u64::try_from(index).unwrap_or_default() << 32));
        let (valid, broken) = if tool.parameters().is_empty() { (0, 2) } else { (EACH, EACH) };
        cases.extend((1..=valid).map(|number| valid_case(tool, number, &mut draw)));
        cases.extend((1..=broken).map(|number| broken_case(tool, number, &mut draw)));
    }
    cases
}

fn valid_case(tool: Tool, number: usize, draw: &mut Draw) -> Case {
    let arguments = valid(tool, draw);
    let route = request::route(tool);
    Case::new(
        Group::Arguments,
        &format!("random/{tool}/valid-{number}"),
        format!("{tool}: valid arguments drawn at random"),
    )
    .tool(tool)
    .daemon_answers(route, answer(tool))
    .call(tool, arguments.to_string())
    .expect_request(route, request::body(tool, &arguments).to_string())
    .expect_answer("call", answer(tool))
}

fn broken_case(tool: Tool, number: usize, draw: &mut Draw) -> Case {
    // Each tool begins elsewhere, so that all ways to break a call come up among few cases.
    let (arguments, way) = broken(tool, number + draw_offset(tool), draw);
    let topic = format!("random/{tool}/broken-{number}");
    let case = Case::new(Group::Arguments, &topic, format!("{tool}: {}", described(way))).tool(tool);
    // Where a violation fails the run, the daemon's own judgement counts as well.
    let case = if matches!(way, Break::Missing(_) | Break::NoReceiver | Break::Above(_) | Break::Choice(_)) {
        case
    } else {
        case.daemon_answers(request::route(tool), answer(tool))
    };
    let case = case.call(tool, arguments.to_string());
    match way {
        Break::Missing(name) => missing(case, name),
        Break::NoReceiver => case.expect_wrong("arguments.receiver", &["task_id", "`to`", "\"to\"", "'to'"]),
        Break::Type(name) => case.expect_wrong("arguments.type-refused", &[name]),
        Break::Above(name) => case.expect_wrong("arguments.above-range", &[name]),
        Break::Below(name) => case.expect_wrong("arguments.below-range", &[name]),
        Break::Choice(name) => case.expect_wrong("arguments.choice-unknown", &[name]),
        Break::Unknown => case.expect_wrong("arguments.unknown-refused", &[UNKNOWN]),
    }
}

fn draw_offset(tool: Tool) -> usize {
    tool.parameters().len()
}

fn described(way: Break) -> String {
    match way {
        Break::Missing(name) => format!("drawn at random, without `{name}`"),
        Break::NoReceiver => "drawn at random, without a receiver".to_owned(),
        Break::Type(name) => format!("drawn at random, `{name}` of another type"),
        Break::Above(name) => format!("drawn at random, `{name}` above its range"),
        Break::Below(name) => format!("drawn at random, `{name}` below its range"),
        Break::Choice(name) => format!("drawn at random, `{name}` no listed word"),
        Break::Unknown => "drawn at random, with a member that no tool has".to_owned(),
    }
}
