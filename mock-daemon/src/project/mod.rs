//! A task of the world as an A2A task.
//!
//! Responsible for: which history, status message, artifacts and metadata a task shows. Not for: the JSON of them (`shape`)
//! nor for their size (`bound`). Serves control-plane 3.2 to 3.6.

pub mod shape;

use crate::clock;
use crate::json::{Json, Members};
use crate::world::pay::sentence_of_options;
use crate::world::status::Recovery;
use crate::world::task::{PayState, Side, Task, TaskResult};
use crate::world::{Page, State};

use shape::{Artifact, Message, Metadata, Part, Role, TaskState, TaskStatus};

/// What of a task is wanted.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The newest so many messages; none: all.
    pub history: Option<usize>,
    /// Artifacts and the receipt as well.
    pub artifacts: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { history: None, artifacts: true }
    }
}

/// The task as it is shown.
pub fn task(state: &State, task: &Task, view: View) -> shape::Task {
    let skipped = view.history.map_or(0, |newest| task.history.len().saturating_sub(newest));
    shape::Task {
        id: task.id.clone(),
        artifacts: if view.artifacts { artifacts(task) } else { Vec::new() },
        context_id: task.shown_context().to_owned(),
        history: task.history[skipped..].to_vec(),
        metadata: metadata(state, task, view.artifacts),
        status: TaskStatus {
            message: status_message(task),
            state: task.state,
            timestamp: clock::rfc3339(task.changed_at),
        },
    }
}

fn artifacts(task: &Task) -> Vec<Artifact> {
    if task.receipt.is_none() {
        return Vec::new();
    }
    match &task.result {
        None => Vec::new(),
        Some(TaskResult::Reply(text, files)) => {
            let mut parts: Vec<Part> = text.iter().map(Part::text).collect();
            parts.extend(files.iter().map(|file| crate::world::file_part(&task.id, file)));
            vec![Artifact::new("anet.reply", "anet.reply", parts)]
        }
        Some(TaskResult::Deliverable(deliverable)) => {
            vec![Artifact::new("anet.result", &deliverable.capability, vec![Part::data(deliverable.json())])]
        }
    }
}

fn receipt(state: &State, task: &Task) -> Option<Json> {
    let receipt = task.receipt.as_ref()?;
    let members = Members::new()
        .put("provider_aid", &receipt.provider)
        .maybe("provider_kel", receipt.kel.as_ref())
        .put("receipt", &receipt.signed)
        .put("receipt_cid", &receipt.cid)
        .put("request_cid", &task.request_cid)
        .maybe("result_cid", task.result_cid.as_ref())
        .put("verified", receipt.verdict.word());
    Some(match state.page {
        Page::V03 => members.put("completed_day", clock::day(receipt.completed_at)).sorted(),
        Page::V02 => {
            let requester = match task.side {
                Side::Requester => &state.aid,
                Side::Provider => &task.peer,
            };
            members
                .put("completed_at", receipt.completed_at)
                .put("interaction_id", &task.id)
                .put("requester_aid", requester)
                .sorted()
        }
    })
}

/// The x402 word for where the payment stands. A quote that ended unpaid leaves none (invariant 11).
fn payment_status(task: &Task) -> Option<&'static str> {
    let ended = task.state.terminal();
    match task.payment.state {
        PayState::None | PayState::Rejected => None,
        PayState::Required => (!ended).then_some("payment-required"),
        PayState::Failed => (!ended || !task.payment.receipts.is_empty()).then_some("payment-failed"),
        PayState::Submitted => Some("payment-submitted"),
        PayState::Completed => Some("payment-completed"),
    }
}

/// The x402 keys, which the task's metadata and the words of its end share.
fn payment_metadata(task: &Task) -> Metadata {
    let mut out = Metadata::new();
    if !task.payment.took_part() {
        return out;
    }
    if let Some(status) = payment_status(task) {
        out.insert("x402.payment.status".to_owned(), status.into());
    }
    if let Some(error) = task.payment.error {
        out.insert("x402.payment.error".to_owned(), error.into());
    }
    if task.state.terminal() || !task.payment.receipts.is_empty() {
        let receipts: Vec<Json> = task.payment.receipts.iter().map(|receipt| receipt.clone().sorted()).collect();
        out.insert("x402.payment.receipts".to_owned(), receipts.into());
    }
    if let Some(quote) = task.open_quote() {
        out.insert("x402.payment.required".to_owned(), quote.required());
        out.insert("anet.quote_expires_at".to_owned(), quote.expires_at.into());
    }
    out
}

fn metadata(state: &State, task: &Task, with_receipt: bool) -> Metadata {
    let mut out = task.extra.clone();
    let mut put = |name: &str, value: Json| {
        out.insert(name.to_owned(), value);
    };
    put("anet.peer_aid", Json::from(&task.peer));
    put("anet.role", task.side.word().into());
    put("anet.state_seq", task.seq.into());
    if let Some(trust) = task.trust {
        put("anet.trust", trust.word().into());
    }
    if !task.request_cid.is_empty() {
        put("anet.request_cid", Json::from(&task.request_cid));
    }
    if let Some(cid) = &task.result_cid {
        put("anet.result_cid", Json::from(cid));
    }
    let verdict = task.receipt.as_ref().map(|receipt| receipt.verdict.word());
    if let Some(verdict) = verdict.or((task.state == TaskState::Completed).then_some("unknown")) {
        put("anet.receipt_verified", verdict.into());
    }
    if with_receipt && let Some(receipt) = receipt(state, task) {
        put("anet.receipt", receipt);
    }
    if let Some(skill) = &task.skill {
        put("anet.skill", Json::from(skill));
    }
    if let Some(effect) = task.effect {
        put("anet.effect_status", effect.word().into());
    }
    if let Some(reason) = &task.reason {
        put("anet.reason", Json::from(reason));
    }
    if let Some(retry) = task.retry_after_ms {
        put("anet.retry_after_ms", retry.into());
    }
    if let Some(error) = &task.a2a_error {
        put("anet.a2aError", Json::from(error));
    }
    if task.held {
        put("anet.inbound", "pending_approval".into());
    }
    if task.cancel_requested {
        put("anet.cancel_requested", true.into());
    }
    if !task.unverified_receipts.is_empty() && task.side == Side::Requester {
        put("anet.unverified_receipts", task.unverified_receipts.clone().into());
    }
    if state.page == Page::V03 {
        if let Some(delivery) = &task.delivery {
            let (word, detail) = if delivery.unconfirmed {
                ("unconfirmed", "the agent has not confirmed the message yet")
            } else {
                ("pending", "the agent has not collected the message yet")
            };
            put("anet.delivery", word.into());
            put("anet.delivery_detail", detail.into());
            put("anet.delivery_since", delivery.since.into());
            put("anet.delivery_ends_at", delivery.ends_at.into());
            if delivery.ordered {
                put("anet.delivery_ordered", true.into());
                put("anet.delivery_wait", "it goes out after an earlier message to the same agent".into());
            }
        }
        if let Some(note) = &task.payment_note {
            put("anet.payment_note", Json::from(note));
        }
        if let Some(check) = &task.spend_check {
            put("anet.spend_check", Json::from(check));
        }
        if let Some(moment) = task.content_expires_at {
            put("anet.content_expires_at", moment.into());
        }
        if state.status.recovery == Recovery::Unprotected {
            put("anet.identity_note", state.status.recovery_words().1.into());
        }
    }
    out.append(&mut payment_metadata(task));
    out
}

fn synthesized(task: &Task, text: String) -> Message {
    Message {
        message_id: format!("{}.status.{}", task.id, task.seq),
        context_id: task.shown_context().to_owned(),
        extensions: Vec::new(),
        metadata: Metadata::new(),
        parts: vec![Part::text(text)],
        reference_task_ids: Vec::new(),
        role: Role::Agent,
        task_id: task.id.clone(),
    }
}

fn status_message(task: &Task) -> Option<Message> {
    let state = task.state;
    match state {
        TaskState::Submitted | TaskState::Working => task.note.clone(),
        TaskState::InputRequired => {
            let Some(quote) = task.open_quote() else {
                return task.note.clone();
            };
            let mut message = task.note.clone().unwrap_or_else(|| {
                let mut asked =
                    synthesized(task, "The payment did not go through; the quote is still open.".to_owned());
                asked.parts.push(Part::text(sentence_of_options(quote, &task.id)));
                asked
            });
            message.metadata.append(&mut payment_metadata(task));
            Some(message)
        }
        TaskState::Completed => task.payment.took_part().then(|| {
            let text = match task.payment.state {
                PayState::Completed => "Payment completed.",
                _ => "Completed without a settled payment.",
            };
            let mut message = synthesized(task, text.to_owned());
            message.metadata = payment_metadata(task);
            message
        }),
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected => {
            let mut message = task.note.clone().unwrap_or_else(|| {
                synthesized(
                    task,
                    match &task.reason {
                        Some(reason) => format!("{state}: {reason}"),
                        None => state.to_string(),
                    },
                )
            });
            message.metadata.append(&mut payment_metadata(task));
            Some(message)
        }
    }
}
