//! The hints that a host decides by whether to ask its user before a call.

use super::{listing_case, of_tool};
use crate::case::Case;
use crate::expect::Expect;
use crate::json::Json;
use crate::page::Tool;
use crate::verdict::Finding;

/// The four hints, in the order of [`values`].
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// What each hint says of the tool; none: either value will do (of a tool that only reads).
const fn values(tool: Tool) -> [Option<bool>; 4] {
    match tool {
        Tool::ListAgents | Tool::AgentCard | Tool::Balance => [Some(true), None, None, Some(true)],
        Tool::GetTask | Tool::ListTasks | Tool::WaitTask | Tool::Audit | Tool::NodeStatus | Tool::InboundPending => {
            [Some(true), None, None, Some(false)]
        }
        Tool::SendMessage | Tool::ReplyTask => [Some(false), Some(false), Some(false), Some(true)],
        Tool::CancelTask => [Some(false), Some(true), Some(true), Some(true)],
        Tool::SubmitPayment => [Some(false), Some(true), Some(false), Some(true)],
        Tool::RejectPayment => [Some(false), Some(false), Some(true), Some(true)],
    }
}

pub(super) fn cases() -> Vec<Case> {
    Tool::ALL.into_iter().map(of).collect()
}

fn of(tool: Tool) -> Case {
    let case = listing_case(&format!("{tool}/annotations"), format!("{tool} states all four hints, and truly"))
        .tool(tool)
        .check("surface.annotations-stated", stated(tool));
    HINTS
        .into_iter()
        .zip(values(tool))
        .filter_map(|(hint, value)| Some((hint, value?)))
        .fold(case, |case, (hint, value)| case.check("surface.annotations-true", hinted(tool, hint, value)))
}

fn hint<'j>(listed: &'j Json, name: &str) -> Option<&'j Json> {
    listed.member("annotations")?.member(name)
}

fn stated(tool: Tool) -> Expect {
    of_tool(tool, format!("`{tool}` states {}", HINTS.join(", ")), |listed| {
        let missing = |name: &&str| hint(listed, name).and_then(Json::as_bool).is_none();
        let missing: Vec<_> = HINTS.into_iter().filter(missing).collect();
        if missing.is_empty() {
            return Finding::Met;
        }
        let seen = listed.member("annotations").map(Json::to_string).unwrap_or_default();
        Finding::differs(format!("hints are not stated: {}", missing.join(", ")), HINTS.join(", "), seen)
    })
}

fn hinted(tool: Tool, name: &'static str, value: bool) -> Expect {
    of_tool(tool, format!("{name} of `{tool}` is {value}"), move |listed| match hint(listed, name) {
        Some(Json::Bool(said)) if *said == value => Finding::Met,
        Some(said) => {
            Finding::differs(format!("`{tool}` says {name}: {said}"), format!("{name}: {value}"), said.to_string())
        }
        None => Finding::NotExercised(format!("{name} is not stated")),
    })
}
