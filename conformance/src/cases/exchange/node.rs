//! `audit`, `node_status` and `inbound_pending` (control-plane 2.12 to 2.14).

use super::{Demand, Row, exchange, exchanges, meaning, row};
use crate::case::Case;
use crate::expect::{Expect, ValueRule};
use crate::page::Tool;

pub(super) const ROWS: &[(Tool, &[Row])] =
    &[(Tool::Audit, AUDIT), (Tool::NodeStatus, NODE_STATUS), (Tool::InboundPending, PENDING)];

const AUDIT: &[Row] = &[
    row("minimal", "without arguments nothing is said", "{}", "{}"),
    row(
        "event-type",
        "event_type alone",
        r#"{"event_type":"anet.capability.effect"}"#,
        r#"{"event_type":"anet.capability.effect"}"#,
    ),
    row("since", "since alone", r#"{"since":410}"#, r#"{"since":410}"#),
    meaning(row("since-zero", "since 0 is the whole chain", r#"{"since":0}"#, "{}")),
    row("limit", "limit alone", r#"{"limit":7}"#, r#"{"limit":7}"#),
    row("limit-smallest", "the smallest limit", r#"{"limit":1}"#, r#"{"limit":1}"#),
    row("limit-1000", "the page sets no upper bound of 100 here", r#"{"limit":1000}"#, r#"{"limit":1000}"#),
    row(
        "event-type-and-since",
        "event_type and since",
        r#"{"since":12,"event_type":"anet.policy.changed"}"#,
        r#"{"event_type":"anet.policy.changed","since":12}"#,
    ),
    row("since-and-limit", "since and limit", r#"{"since":12,"limit":3}"#, r#"{"since":12,"limit":3}"#),
    row(
        "full",
        "all parameters together",
        r#"{"limit":50,"since":1,"event_type":"anet.payment.settled"}"#,
        r#"{"event_type":"anet.payment.settled","since":1,"limit":50}"#,
    ),
];

const NODE_STATUS: &[Row] = &[row("minimal", "no parameters, the document as it is", "{}", "{}")];
const PENDING: &[Row] = &[row("minimal", "no parameters, the list as it is", "{}", "{}")];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect();
    cases.push(large_sequence());
    cases
}

fn large_sequence() -> Case {
    exchange(
        Tool::Audit,
        "since-beyond-doubles",
        "a sequence number beyond 2^53",
        r#"{"since":9007199254740993}"#,
        r#"{"since":9007199254740993}"#,
        Demand::Meaning,
    )
    .check(
        "wire.digits-kept",
        Expect::InBody {
            route: super::route(Tool::Audit),
            pointer: "/since".to_owned(),
            rule: ValueRule::IsLiterally("9007199254740993".to_owned()),
        },
    )
}
