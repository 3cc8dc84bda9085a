//! `list_agents` and `get_agent_card` (control-plane 2.2, 2.3).

use super::{Row, exchanges, meaning, row};
use crate::case::Case;
use crate::page::Tool;

pub(super) const ROWS: &[(Tool, &[Row])] = &[(Tool::ListAgents, LIST), (Tool::AgentCard, CARD)];

const LIST: &[Row] = &[
    row("minimal", "without arguments nothing is said", "{}", "{}"),
    row("skill", "skill alone", r#"{"skill":"text.digest"}"#, r#"{"skill":"text.digest"}"#),
    row("tag", "tag alone", r#"{"tag":"report"}"#, r#"{"tag":"report"}"#),
    row("query", "query travels as q", r#"{"query":"quarterly report"}"#, r#"{"q":"quarterly report"}"#),
    row("limit", "limit alone", r#"{"limit":7}"#, r#"{"limit":7}"#),
    row("limit-smallest", "the smallest limit", r#"{"limit":1}"#, r#"{"limit":1}"#),
    row("limit-largest", "the largest limit", r#"{"limit":100}"#, r#"{"limit":100}"#),
    row("cursor", "the cursor of the page before", r#"{"cursor":"uncarded:3"}"#, r#"{"cursor":"uncarded:3"}"#),
    row("include-uncarded", "include_uncarded true", r#"{"include_uncarded":true}"#, r#"{"include_uncarded":true}"#),
    meaning(row(
        "include-uncarded-false",
        "include_uncarded false says nothing",
        r#"{"include_uncarded":false}"#,
        "{}",
    )),
    row(
        "full",
        "all parameters together",
        r#"{"include_uncarded":true,"cursor":"c2VjcmV0LXBhZ2U=","limit":20,"query":"quarterly","tag":"report","skill":"text.digest"}"#,
        r#"{"skill":"text.digest","tag":"report","q":"quarterly","limit":20,"cursor":"c2VjcmV0LXBhZ2U=","include_uncarded":true}"#,
    ),
];

const CARD: &[Row] = &[
    row("minimal", "the card of an agent", r#"{"aid":"$AID"}"#, r#"{"aid":"$AID"}"#),
    meaning(row(
        "space-around",
        "white space around the AID is none of it",
        r#"{"aid":" $AID\n"}"#,
        r#"{"aid":"$AID"}"#,
    )),
];

pub(super) fn cases() -> Vec<Case> {
    ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect()
}
