//! Codes of payments: on the task, on payment messages, in decisions, and beside the sentences of refused payments.

use super::task::on_task;
use super::{case, table};
use crate::case::Case;
use crate::cases::document::{TASK_TOOLS, Task, marked_message, quoted, task_answer, task_pointer};
use crate::page::Tool;

const TASK: &str = r#""task_id":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63""#;

pub(super) fn cases() -> Vec<Case> {
    [on_tasks(), on_messages(), decisions(), refusals(), holds(), forbids()].concat()
}

/// What `x402.payment.error` says, with the comma behind it; nothing if it says nothing.
fn error_member(error: &str) -> String {
    if error.is_empty() { String::new() } else { format!(r#""x402.payment.error":"{error}","#) }
}

fn on_tasks() -> Vec<Case> {
    let tools = TASK_TOOLS.into_iter().cycle();
    table::PAYMENT
        .iter()
        .zip(tools)
        .map(|((code, error, _), tool)| {
            let status = if error.is_empty() { "payment-required" } else { "payment-failed" };
            let mut task = Task::new("INPUT_REQUIRED")
                .meta("anet.reason", &quoted(code))
                .meta("anet.quote_expires_at", "1791880896440")
                .meta("x402.payment.status", &quoted(status));
            if !error.is_empty() {
                task = task.meta("x402.payment.error", &quoted(error));
            }
            on_task("payment", code, tool, "anet.reason", &task)
        })
        .collect()
}

fn on_messages() -> Vec<Case> {
    let tools = TASK_TOOLS.into_iter().cycle().skip(2);
    table::PAYMENT
        .iter()
        .zip(tools)
        .map(|((code, error, _), tool)| {
            let metadata = format!(r#"{{"anet.reason":"{code}",{}"x402.payment.receipts":[]}}"#, error_member(error));
            let task =
                Task::new("FAILED").status_message(marked_message("s1", &metadata, "The payment came to nothing."));
            case("payment", code, "message", tool, "on a payment message is passed on, and the answer is no error")
                .carries(
                    &task_answer(tool, &task.json()),
                    &format!("{}/status/message/metadata/anet.reason", task_pointer(tool)),
                    &quoted(code),
                )
        })
        .collect()
}

/// A decision that the daemon gives with 200 although something stands against the payment.
fn decisions() -> Vec<Case> {
    table::PAYMENT
        .iter()
        .zip([Tool::SubmitPayment, Tool::RejectPayment].into_iter().cycle())
        .map(|((code, error, _), tool)| {
            let json = format!(
                r#"{{{TASK},"state":"input-required","pay_state":"required","x402.payment.status":"payment-required",{}"anet.reason":"{code}"}}"#,
                error_member(error),
            );
            case("payment", code, "decision", tool, "in a decision is passed on, and the answer is no error").carries(
                &json,
                "/anet.reason",
                &quoted(code),
            )
        })
        .collect()
}

/// What this node itself refuses: the body carries sentence, reason and the decision; the caller gets the sentence.
fn refusals() -> Vec<Case> {
    table::PAYMENT
        .iter()
        .filter(|(_, _, status)| *status != 0)
        .map(|(code, error, status)| {
            let sentence = format!("The payment was refused and nothing was signed ({status}).");
            let body = format!(
                r#"{{"error":{},"reason":"{code}","result":{{{TASK},"state":"input-required","pay_state":"required","x402.payment.status":"payment-failed",{}"anet.reason":"{code}"}}}}"#,
                quoted(&sentence),
                error_member(error),
            );
            case("payment", code, "error", Tool::SubmitPayment, "beside a sentence does not enter it")
                .refuses(*status, &body, &sentence, code)
        })
        .collect()
}

/// 5.5: the payment waits for the operator. That is an answer, not a failure.
fn holds() -> Vec<Case> {
    table::HOLDS
        .iter()
        .map(|code| {
            let message = "Nothing was signed: the payment is more than agents may spend on this node. A person can settle it from a terminal with `anet pay ix_4a6aa9f24b67c9acf5e0b6f927d94f63`.";
            let json = format!(
                r#"{{{TASK},"state":"input-required","pay_state":"required","x402.payment.status":"payment-required","anet.reason":"needs_operator_approval","spend_refusal":"{code}","message":{}}}"#,
                quoted(message),
            );
            case("spending", code, "decision", Tool::SubmitPayment, "holds a payment; the decision is passed on, and is no error")
                .carries(&json, "/spend_refusal", &quoted(code))
        })
        .collect()
}

/// 5.5: refused with 403, as early daemons did with every code.
fn forbids() -> Vec<Case> {
    table::FORBIDS
        .iter()
        .chain(table::HOLDS)
        .map(|code| {
            let sentence = "Nothing was signed: the node's own rules are against this payment.";
            let body = format!(r#"{{"error":{},"reason":"{code}"}}"#, quoted(sentence));
            case("spending", code, "error", Tool::SubmitPayment, "beside a sentence does not enter it")
                .refuses(403, &body, sentence, code)
        })
        .collect()
}
