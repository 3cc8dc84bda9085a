//! What happens to a task.
//!
//! Responsible for: every change of a task's state that does not come from this node's own caller: what the other side does
//! and what time does. Not for: choosing the moves (`peer`) nor for the caller's own acts (`send`, `reply`, `pay`). Serves
//! control-plane 3.2 to 3.7 and 5.3.

use std::fmt::Write as _;

use crate::ids;
use crate::json::{Json, Members};
use crate::project::shape::{Content, Message, Metadata, Part, Role, TaskState};

use super::peer::{Behaviour, Move, Occasion, Reply, effect_of};
use super::task::{Deliverable, Effect, File, PayState, Receipt, Side, TaskResult, Verdict};
use super::{Event, State};

const DAY_MS: i64 = 24 * 3_600_000;

impl State {
    /// Writes a task's state: the sequence grows, the time is noted, waiters will be told.
    pub(crate) fn set_state(&mut self, index: usize, to: TaskState) {
        self.clock.wrote();
        self.writes += 1;
        let (now, order) = (self.clock.now(), self.writes);
        let kept_until = now + self.status.retention_days * DAY_MS;
        let task = &mut self.tasks[index];
        task.seq += 1;
        task.changed_at = now;
        task.changed_order = order;
        task.state = to;
        if to.terminal() {
            task.content_expires_at = Some(kept_until);
            task.held = false;
            task.delivery = None;
            task.cancel_requested = false;
            if task.skill.is_some() && matches!(task.effect, None | Some(Effect::PaymentRequired)) {
                task.effect = Some(match to {
                    TaskState::Rejected => Effect::Unavailable,
                    _ => Effect::Unverified,
                });
            }
            if to == TaskState::Rejected
                && task.reason.is_none()
                && task.retry_after_ms.is_none()
                && task.skill.is_some()
            {
                task.reason = Some("unavailable".to_owned());
            }
            if task.payment.receipts.is_empty() && task.payment.state == PayState::Failed {
                task.payment.error = None;
            }
        }
    }

    /// A message on a task, with a fresh id.
    pub(crate) fn message(&mut self, index: usize, role: Role, parts: Vec<Part>) -> Message {
        let task = &self.tasks[index];
        Message {
            message_id: self.ids.message(),
            context_id: task.shown_context().to_owned(),
            extensions: Vec::new(),
            metadata: Metadata::new(),
            parts,
            reference_task_ids: Vec::new(),
            role,
            task_id: task.id.clone(),
        }
    }

    /// Evidence of something on a task.
    pub(crate) fn record_on(&mut self, index: usize, event_type: &str, more: Members) {
        let task = &self.tasks[index];
        let payload = more.put("interaction_id", &task.id).put("peer_aid", &task.peer).sorted();
        self.record(event_type, payload);
    }

    /// The message behind a task reaches its peer, or waits; what the peer does then is played or put on the agenda.
    pub(crate) fn reach(&mut self, index: usize, occasion: Occasion) {
        let task = &self.tasks[index];
        let Some(agent) = self.agent(&task.peer) else {
            return;
        };
        let moves = Behaviour::moves(agent, task, occasion);
        let (id, now) = (task.id.clone(), self.clock.now());
        self.expect_answer(index);
        for (delay, step) in moves {
            if delay == 0 {
                self.play(index, step);
            } else {
                self.schedule(now + delay, Event::Moves(id.clone(), step));
            }
        }
    }

    /// From now on the peer's silence is counted.
    pub(crate) fn expect_answer(&mut self, index: usize) {
        let now = self.clock.now();
        self.tasks[index].heard_at = now;
        if self.no_response_ms > 0 && self.tasks[index].side == Side::Requester {
            let id = self.tasks[index].id.clone();
            self.schedule(now + self.no_response_ms, Event::NoResponse(id, now));
        }
    }

    /// Ends a task whose peer has not been heard since.
    pub(crate) fn check_silence(&mut self, index: usize, heard_at: i64) {
        let task = &self.tasks[index];
        let silent = task.side == Side::Requester
            && matches!(task.state, TaskState::Submitted | TaskState::Working)
            && task.heard_at == heard_at
            && task.delivery.is_none()
            && !task.held
            && !task.paid();
        if silent {
            self.record_on(index, "anet.task.no_response", Members::new());
            self.fail(index, "no_response", None);
        }
    }

    /// Gives an undelivered message up.
    pub(crate) fn give_up_delivery(&mut self, index: usize) {
        if self.tasks[index].delivery.is_some() {
            self.record_on(index, "anet.delivery.expired", Members::new());
            self.fail(index, "undeliverable", None);
        }
    }

    fn fail(&mut self, index: usize, reason: &str, note: Option<String>) {
        let note = note.map(|text| self.message(index, Role::Agent, vec![Part::text(text)]));
        let task = &mut self.tasks[index];
        task.reason = Some(reason.to_owned());
        if reason == "undeliverable" && task.skill.is_some() {
            // A message that was handed over may have been read.
            let handed_over = task.delivery.as_ref().is_some_and(|delivery| delivery.unconfirmed);
            task.effect = Some(if handed_over { Effect::Unverified } else { Effect::Unavailable });
        }
        task.note = note;
        self.set_state(index, TaskState::Failed);
    }

    /// The other side acts.
    pub(crate) fn play(&mut self, index: usize, step: Move) {
        let task = &self.tasks[index];
        if task.side == Side::Provider {
            return self.play_requester(index, step);
        }
        if task.state.terminal() {
            if let (Some("no_response"), Move::Answers(_)) = (task.reason.as_deref(), &step) {
                // The result is recorded though the task has ended; it does not come back to life.
                let cid = self.ids.cid("result");
                self.tasks[index].result_cid = Some(cid);
                self.record_on(index, "anet.result.accepted", Members::new());
                self.set_state(index, TaskState::Failed);
            }
            return;
        }
        if !matches!(&step, Move::Fails(reason) if reason == "undeliverable" || reason == "no_response") {
            self.tasks[index].delivery = None;
            self.expect_answer(index);
        }
        self.play_provider(index, step);
    }

    fn play_provider(&mut self, index: usize, step: Move) {
        match step {
            Move::Collects => {
                if self.tasks[index].state == TaskState::Submitted {
                    self.set_state(index, TaskState::Working);
                }
            }
            Move::Progress(text) => {
                let mut note = self.message(index, Role::Agent, vec![Part::text(text)]);
                note.metadata.insert("anet.state".to_owned(), "working".into());
                self.tasks[index].note = Some(note);
                self.tasks[index].held = false;
                if self.tasks[index].open_quote().is_none() {
                    self.set_state(index, TaskState::Working);
                }
            }
            Move::Asks(text) => {
                // A capability call has no conversation to ask in, and a question does not replace a quote.
                if self.tasks[index].skill.is_none() && !self.tasks[index].payment.took_part() {
                    let question = self.message(index, Role::Agent, vec![Part::text(text)]);
                    self.tasks[index].history.push(question.clone());
                    self.tasks[index].note = Some(question);
                    self.tasks[index].held = false;
                    self.record_on(index, "anet.message.received", Members::new().put("kind", "question"));
                    self.set_state(index, TaskState::InputRequired);
                }
            }
            Move::Holds => {
                let text = "The agent holds the task for its operator.";
                let note = self.message(index, Role::Agent, vec![Part::text(text)]);
                if self.tasks[index].state == TaskState::Submitted {
                    self.tasks[index].note = Some(note);
                    self.tasks[index].held = true;
                    self.set_state(index, TaskState::Submitted);
                }
            }
            Move::Answers(reply) => self.complete(index, reply),
            Move::EffectFails(text) => self.effect_fails(index, text),
            Move::Rejects(reason, retry) => {
                // What was paid for is never rejected.
                if !self.tasks[index].paid() {
                    let mut note = self.message(index, Role::Agent, vec![Part::text(refusal_text(&reason))]);
                    note.metadata.insert("anet.reason".to_owned(), reason.as_str().into());
                    let task = &mut self.tasks[index];
                    task.reason = Some(reason);
                    task.retry_after_ms = retry;
                    task.note = Some(note);
                    self.set_state(index, TaskState::Rejected);
                }
            }
            Move::Fails(reason) => self.fail(index, &reason, None),
            Move::Errs(name) => {
                let note = self.message(index, Role::Agent, vec![Part::text(format!("the provider answered {name}"))]);
                self.tasks[index].a2a_error = Some(name);
                self.tasks[index].note = Some(note);
                self.set_state(index, TaskState::Failed);
            }
            Move::Cancels => {
                if !self.tasks[index].paid() {
                    let note = self.message(index, Role::Agent, vec![Part::text("The agent withdrew from the task.")]);
                    self.tasks[index].note = Some(note);
                    self.tasks[index].reason = None;
                    self.set_state(index, TaskState::Canceled);
                }
            }
            Move::Quotes(price) => self.receive_quote(index, &price),
            Move::Settles => self.settle(index),
            Move::SettlementFails(reason) => self.settlement_fails(index, &reason),
            Move::SettlementPending => {
                if self.tasks[index].payment.state == PayState::Submitted {
                    self.tasks[index].reason = Some("settlement_pending".to_owned());
                    self.set_state(index, TaskState::Working);
                }
            }
            Move::Busy => {
                let task = &mut self.tasks[index];
                if task.payment.state == PayState::Submitted {
                    task.payment.state = PayState::Required;
                    task.reason = Some("provider_busy".to_owned());
                    self.set_state(index, TaskState::InputRequired);
                }
            }
            Move::Claims => {
                let claim = Members::new()
                    .put("amount", "5")
                    .put("network", format!("hub:{}", self.hub_aid))
                    .put("success", true)
                    .put("transaction", "claimed-by-the-provider")
                    .done();
                self.tasks[index].unverified_receipts.push(claim);
                let state = self.tasks[index].state;
                self.set_state(index, state);
            }
            Move::Says(_) => {}
        }
    }

    /// The requester of a task that this node serves acts.
    fn play_requester(&mut self, index: usize, step: Move) {
        if self.tasks[index].state.terminal() {
            if matches!(step, Move::Says(_)) {
                self.count("input-after-terminal");
            }
            return;
        }
        match step {
            Move::Says(text) if self.tasks[index].skill.is_none() => {
                let message = self.message(index, Role::User, vec![Part::text(text)]);
                self.tasks[index].history.push(message);
                self.tasks[index].note = None;
                self.record_on(index, "anet.message.received", Members::new().put("kind", "message"));
                let next = match self.tasks[index].state {
                    TaskState::InputRequired => TaskState::Working,
                    other => other,
                };
                self.set_state(index, next);
            }
            Move::Cancels => {
                self.tasks[index].note = None;
                self.set_state(index, TaskState::Canceled);
            }
            // For a capability that this node serves, the backend's end comes from outside too.
            Move::Answers(reply) if self.tasks[index].skill.is_some() => {
                self.complete(index, reply);
            }
            Move::EffectFails(text) => self.effect_fails(index, text),
            Move::Fails(reason) if self.tasks[index].skill.is_some() => {
                self.fail(index, &reason, None);
            }
            _ => {}
        }
    }

    fn effect_fails(&mut self, index: usize, text: String) {
        let note = self.message(index, Role::Agent, vec![Part::text(text)]);
        let task = &mut self.tasks[index];
        if task.skill.is_some() {
            task.effect = Some(Effect::Failed);
        }
        task.reason = None;
        task.note = Some(note);
        if task.skill.is_some() && task.side == Side::Provider {
            let capability = task.skill.clone().unwrap_or_default();
            self.record_on(
                index,
                "anet.capability.effect",
                Members::new().put("capability", capability).put("status", "FAILED"),
            );
        }
        self.set_state(index, TaskState::Failed);
    }

    /// The provider is done: reply, receipt, artifacts.
    pub(crate) fn complete(&mut self, index: usize, reply: Reply) {
        let effect = effect_of(&reply);
        let nonce = ids::base64(self.ids.message().as_bytes());
        if let Some(skill) = self.tasks[index].skill.clone() {
            let paid = self.tasks[index].payment.state == PayState::Completed;
            let deliverable = Deliverable {
                capability: skill.clone(),
                status: effect,
                verifiable: effect == Effect::Ok,
                metrics: None,
                message: if effect == Effect::Ok { reply.text } else { Some("no read-back".to_owned()) },
                nonce,
                paid,
            };
            if self.tasks[index].side == Side::Provider {
                let payload = Members::new().put("capability", skill).put("status", effect.word());
                self.record_on(index, "anet.capability.effect", payload);
            }
            self.tasks[index].result = Some(TaskResult::Deliverable(deliverable));
            self.tasks[index].effect = Some(effect);
        } else if reply.text.is_some() || !reply.files.is_empty() {
            self.final_reply(index, reply.text, reply.files, reply.metadata);
        }
        self.sign_receipt(index, reply.verdict);
    }

    /// The provider's last words, as a turn of the conversation and as the artifact.
    pub(crate) fn final_reply(&mut self, index: usize, text: Option<String>, files: Vec<File>, metadata: Metadata) {
        let id = self.tasks[index].id.clone();
        let mut parts: Vec<Part> = text.iter().map(Part::text).collect();
        parts.extend(files.iter().map(|file| file_part(&id, file)));
        let mut message = self.message(index, Role::Agent, parts);
        message.metadata = metadata;
        message.metadata.insert("anet.final".to_owned(), true.into());
        message.metadata.insert("anet.state".to_owned(), "working".into());
        self.tasks[index].history.push(message);
        self.tasks[index].result = Some(TaskResult::Reply(text, files));
    }

    /// The receipt over everything, and the end.
    pub(crate) fn sign_receipt(&mut self, index: usize, verdict: Verdict) {
        let completed_at = self.clock.now();
        let (result_cid, cid) = (self.ids.cid("result"), self.ids.cid("receipt"));
        let task = &mut self.tasks[index];
        let provider = match task.side {
            Side::Requester => task.peer.clone(),
            Side::Provider => self.aid.clone(),
        };
        task.receipt = Some(Receipt {
            signed: ids::signature(format!("receipt {cid}")),
            cid,
            verdict,
            provider,
            completed_at,
            kel: None,
        });
        task.result_cid = Some(result_cid.clone());
        task.reason = None;
        task.note = None;
        let requester = task.side == Side::Requester;
        if requester {
            self.record_on(index, "anet.result.accepted", Members::new().put("result_cid", result_cid));
        }
        let receipt = Members::new().put("receipt_verified", verdict == Verdict::Verified);
        self.record_on(index, "anet.interaction.receipt", receipt);
        self.set_state(index, TaskState::Completed);
    }
}

/// A file as a part: where it is, never its bytes.
pub(crate) fn file_part(task_id: &str, file: &File) -> Part {
    let url = format!("anet:attachment?interaction_id={}&cid={}", query_escape(task_id), query_escape(&file.cid));
    Part {
        content: Content::Url(url),
        filename: safe_name(&file.name),
        media_type: file.media_type.clone(),
        metadata: Metadata::from([
            ("anet.attachment_cid".to_owned(), Json::from(&file.cid)),
            ("anet.cid".to_owned(), Json::from(&file.cid)),
            ("anet.size".to_owned(), Json::from(file.size)),
        ]),
    }
}

/// A file's name without anything that a path or a terminal would understand.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().map(|character| if character.is_control() { '_' } else { character }).collect();
    let clean = clean.trim_start_matches('.').trim();
    if clean.is_empty() { "attachment".to_owned() } else { clean.to_owned() }
}

fn query_escape(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            other => write!(out, "%{other:02X}").expect("writing to a string does not fail"),
        }
        out
    })
}

fn refusal_text(reason: &str) -> String {
    match reason {
        "not_accepting" => "this node takes no tasks from you".to_owned(),
        "denied" => "this node refuses tasks from you".to_owned(),
        "capability_not_public" => "that capability is not open to strangers".to_owned(),
        "capability_not_served" => "nobody serves that capability here".to_owned(),
        "args_too_large" => "the arguments are too large for that capability".to_owned(),
        "max_inflight" => "too many calls are in flight".to_owned(),
        "pending_full" => "the approval queue is full".to_owned(),
        "pending_expired" => "the task was not approved in time".to_owned(),
        "operator_rejected" => "the operator rejected the task".to_owned(),
        "sandbox_unavailable" => "the sandbox cannot run".to_owned(),
        "task_nonce_required" => "the request carried no task nonce".to_owned(),
        quota if quota.starts_with("quota_") => "the quota is used up for now".to_owned(),
        other => format!("rejected: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{query_escape, safe_name};

    #[test]
    fn names_lose_their_paths_and_ids_are_escaped() {
        for (name, safe) in [
            ("a.txt", "a.txt"),
            ("../../etc/passwd", "passwd"),
            ("c:\\x\\y", "y"),
            ("..", "attachment"),
            ("", "attachment"),
            ("a\nb", "a_b"),
            (".bashrc", "bashrc"),
        ] {
            assert_eq!(safe_name(name), safe);
        }
        assert_eq!(query_escape("ix_0 é&<"), "ix_0+%C3%A9%26%3C");
    }
}
