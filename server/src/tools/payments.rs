//! Quotes: `submit_payment` and `reject_payment`. Section 2.10 of the control plane.
//!
//! The body holds the task, the decision and at most the chosen option: no amount, no purpose, no payload can be said.

use serde_json::value::RawValue;

use super::{Hints, Plan, Spec, forward};
use crate::arguments::Arguments;
use crate::control::Route;
use crate::json::Object;
use crate::schema::{Kind, Param};
use crate::texts;

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "submit_payment",
        title: "Pay a quote",
        description: texts::SUBMIT_PAYMENT,
        hints: Hints::Pays,
        params: SUBMIT,
        rules: None,
        plan: submit_payment,
    },
    Spec {
        name: "reject_payment",
        title: "Reject a quote",
        description: texts::REJECT_PAYMENT,
        hints: Hints::Declines,
        params: REJECT,
        rules: None,
        plan: reject_payment,
    },
];

const SUBMIT: &[Param] = &[
    Param::required("task_id", Kind::Text, "The task that holds the quote."),
    Param::optional(
        "accept",
        Kind::Object,
        "The chosen option, copied unchanged from x402.payment.required.accepts. May be left out when there is only \
         one.",
    ),
];

const REJECT: &[Param] = &[Param::required("task_id", Kind::Text, "The task that holds the quote.")];

fn submit_payment(arguments: &Arguments<'_>) -> Plan {
    let mut body = decision(arguments, "submit");
    body.raw_if("accept", arguments.object("accept").map(RawValue::get));
    forward(Route::TasksPay, body.finish())
}

fn reject_payment(arguments: &Arguments<'_>) -> Plan {
    forward(Route::TasksPay, decision(arguments, "reject").finish())
}

fn decision(arguments: &Arguments<'_>, decision: &str) -> Object {
    let mut body = Object::new();
    body.text_if("task_id", arguments.text("task_id")).text("decision", decision);
    body
}
