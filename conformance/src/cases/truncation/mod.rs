//! How large answers are held to their size.
//!
//! Responsible for: what fits and must come whole; what the daemon cut, which passes unchanged; what the server does
//! when a daemon ignores the bound, and how it cuts if it cuts (requirements `truncation.*`; page, Scope and limits;
//! control-plane 4; rulings R10). Not for: the bound in the request (`exchange`).

mod cut;
mod daemon_cut;
mod fits;
mod ids;
mod ignored;

use crate::case::{Case, Group};
use crate::page::Tool;

/// What a single task is held to, as the page has it ("about 24 KB") and the contract spells it.
const TASK_BYTES: usize = 24_576;

pub(super) fn cases() -> Vec<Case> {
    [fits::cases(), daemon_cut::cases(), ignored::cases(), ids::cases()].concat()
}

/// A case of this group that is about the tool.
fn case(topic: &str, tool: Tool, title: impl Into<String>) -> Case {
    Case::new(Group::Truncation, topic, title).tool(tool)
}
