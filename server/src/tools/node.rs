//! The node: `get_balance`, `audit`, `node_status` and `inbound_pending`. Sections 2.11 to 2.15 of the control plane.

use super::{Answer, Hints, Plan, Spec, forward};
use crate::arguments::Arguments;
use crate::control::Route;
use crate::json::Object;
use crate::schema::{Kind, Param};
use crate::texts;

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "get_balance",
        title: "Read balance and limits",
        description: texts::GET_BALANCE,
        hints: Hints::ReadsAbroad,
        params: &[],
        rules: None,
        plan: |_| Plan::Balance,
    },
    Spec {
        name: "audit",
        title: "Read the evidence chain",
        description: texts::AUDIT,
        hints: Hints::ReadsHere,
        params: AUDIT,
        rules: None,
        plan: audit,
    },
    Spec {
        name: "node_status",
        title: "Read the node's state",
        description: texts::NODE_STATUS,
        hints: Hints::ReadsHere,
        params: &[],
        rules: None,
        plan: |_| forward(Route::Status, Object::new().finish()),
    },
    Spec {
        name: "inbound_pending",
        title: "List tasks that wait for approval",
        description: texts::INBOUND_PENDING,
        hints: Hints::ReadsHere,
        params: &[],
        rules: None,
        plan: inbound_pending,
    },
];

const AUDIT: &[Param] = &[
    Param::optional("event_type", Kind::Text, "Only records of this type, for example anet.capability.effect."),
    Param::optional(
        "since",
        Kind::Integer { least: 0, most: None, default: None },
        "Only records whose sequence number is not below this one.",
    ),
    Param::optional(
        "limit",
        Kind::Integer { least: 1, most: None, default: Some(50) },
        "How many records to return, the newest last. Default 50.",
    ),
];

fn audit(arguments: &Arguments<'_>) -> Plan {
    let mut body = Object::new();
    body.text_if("event_type", arguments.text("event_type"));
    for name in ["since", "limit"] {
        if let Some(number) = arguments.integer(name) {
            body.raw(name, &number.value().to_string());
        }
    }
    forward(Route::Evidence, body.finish())
}

fn inbound_pending(_: &Arguments<'_>) -> Plan {
    Plan::Forward { route: Route::InboundPending, body: Object::new().finish(), answer: Answer::Pending }
}
