//! What a test, or a person at a terminal, does to the world from outside.
//!
//! Responsible for: the operator's interface of the library: the clock, the other side's moves, approvals, payments by hand.
//! Facets that are plain values (limits, payees, the hub's state, the recovery's, ...) are set through [`World::with`].

use std::time::Duration;

use super::inbound::{Arrival, Inbound};
use super::pay::{Decision, PayError};
use super::peer::{Move, Reply};
use super::spend::Purpose;
use super::status::{Hub, Recovery};
use super::{Failure, World};

impl World {
    /// This node's AID.
    pub fn aid(&self) -> String {
        self.with(|state| state.aid.clone())
    }

    /// Says where the daemon lives, for `/status`.
    pub fn located(&self, data_dir: &str, port: u16) {
        self.with(|state| {
            data_dir.clone_into(&mut state.status.data_dir);
            state.status.port = port;
        });
    }

    /// Lets time pass; what falls due on the way happens.
    pub fn advance(&self, by: Duration) {
        self.with(|state| state.advance(by));
    }

    /// Now, in Unix milliseconds.
    pub fn now(&self) -> i64 {
        self.with(|state| state.clock.now())
    }

    /// A task from another agent arrives at this node.
    pub fn deliver(&self, inbound: Inbound) -> Arrival {
        self.with(|state| state.arrive(inbound))
    }

    /// The other side acts on a task. False when there is no such task.
    pub fn play(&self, task_id: &str, step: Move) -> bool {
        self.with(|state| {
            state.tick();
            match state.task_index(task_id) {
                Some(index) => {
                    state.play(index, step);
                    true
                }
                None => false,
            }
        })
    }

    /// The other side answers a task that this node sent, or speaks on one that it serves. False when there is no such task.
    pub fn speak(&self, task_id: &str, text: &str) -> bool {
        let requester = self.with(|state| state.task(task_id).map(|task| task.side == super::task::Side::Requester));
        match requester {
            Some(true) => self.play(task_id, Move::Answers(Reply::text(text))),
            Some(false) => self.play(task_id, Move::Says(text.to_owned())),
            None => false,
        }
    }

    /// The operator approves a held task. False when none is held by this id.
    pub fn approve(&self, id: &str) -> bool {
        self.with(|state| state.approve(id))
    }

    /// The operator rejects a held task. False when none is held by this id.
    pub fn reject(&self, id: &str) -> bool {
        self.with(|state| state.refuse_held(id, "operator_rejected"))
    }

    /// The operator pays a quote at a terminal (`anet pay`), within `explicit_max` and `daily_max`.
    pub fn pay(&self, task_id: &str) -> Result<Decision, PayError> {
        self.with(|state| state.submit(task_id, Purpose::Operator, None, false))
    }

    /// Sets where the node stands with its hub.
    pub fn set_hub(&self, hub: Hub) {
        self.with(|state| state.status.hub = hub);
    }

    /// Sets whether a recovery passphrase is set.
    pub fn set_recovery(&self, recovery: Recovery) {
        self.with(|state| state.status.recovery = recovery);
    }

    /// Declares the evidence chain forked, or whole again.
    pub fn set_quarantined(&self, quarantined: bool) {
        self.with(|state| state.evidence.quarantined = quarantined);
    }

    /// Makes the balance unreadable, with this sentence, or readable again.
    pub fn set_balance_error(&self, sentence: Option<&str>) {
        self.with(|state| state.purse.balance_error = sentence.map(str::to_owned));
    }

    /// Takes the payment module away, or puts it back.
    pub fn set_payment_module(&self, present: bool) {
        self.with(|state| state.purse.module = present);
    }

    /// Makes every request fail that can fail in this way, or none any more.
    pub fn set_failure(&self, failure: Option<Failure>) {
        self.with(|state| state.failure = failure);
    }

    /// Makes the store of held tasks unreadable, with this sentence, or readable again.
    pub fn set_pending_error(&self, sentence: Option<&str>) {
        self.with(|state| state.pending_error = sentence.map(str::to_owned));
    }
}
