//! Tasks that other agents send to this node.
//!
//! Responsible for: taking, holding or refusing them under the inbound policy, and what the operator decides about held ones.
//! Not for: the replies to them (`reply`). Serves control-plane 2.14, 5.2 and 8.4.

use crate::json::{Json, Members};
use crate::project::shape::{Part, Role, TaskState};

use super::pending::{MOST, MOST_PER_PEER, Pending};
use super::task::{File, Side, Task, Trust};
use super::{Event, State};

/// Who may send tasks to this node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The peers on the list.
    #[default]
    Closed,
    /// The peers on the list; others after the operator's approval.
    Approve,
    /// Anybody.
    Open,
}

impl Policy {
    /// The word of `inbound_policy`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Approve => "approve",
            Self::Open => "open",
        }
    }
}

/// A task on its way to this node.
#[derive(Clone, Debug, Default)]
pub struct Inbound {
    /// Its id, chosen by the sender: any string. Empty: a fresh one in the usual form.
    pub id: String,
    /// The sender's AID.
    pub from: String,
    /// Its conversation, or empty.
    pub context: String,
    /// What it says.
    pub text: String,
    /// A capability call instead of text.
    pub skill: Option<String>,
    /// The call's arguments.
    pub args: Option<Json>,
    /// Its files.
    pub files: Vec<File>,
}

impl Inbound {
    /// A text task.
    pub fn text(from: &str, text: &str) -> Self {
        Self { from: from.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    /// The size of the message's body.
    pub(crate) fn bytes(&self) -> usize {
        let args = self.args.as_ref().map_or(0, |args| crate::encode::compact(args).len());
        // What a signed envelope adds to the content.
        512 + self.text.len() + args
    }
}

/// What became of a task that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is a task now, by this id.
    Taken(String),
    /// It is held for the operator, by this id.
    Held(String),
    /// It was refused, for this reason of 5.2.
    Refused(&'static str),
}

impl State {
    /// A task arrives.
    pub(crate) fn arrive(&mut self, mut inbound: Inbound) -> Arrival {
        if inbound.id.is_empty() {
            inbound.id = self.ids.task();
        }
        if self.task_index(&inbound.id).is_some() || self.pending.iter().any(|held| held.inbound.id == inbound.id) {
            self.count("ix-collision");
            return self.turn_away(&inbound, "denied");
        }
        if self.denied.contains(&inbound.from) {
            self.count("denied");
            return self.turn_away(&inbound, "denied");
        }
        let peer = self.peers.contains(&inbound.from);
        match (peer, self.policy) {
            (true, _) => self.take(&inbound, Trust::Peer),
            (false, Policy::Open) => {
                let trust = if inbound.skill.is_some() { Trust::PublicCap } else { Trust::Public };
                self.take(&inbound, trust)
            }
            (false, Policy::Closed) => {
                self.count("not-accepting");
                self.turn_away(&inbound, "not_accepting")
            }
            (false, Policy::Approve) => {
                let of_sender = self.pending.iter().filter(|held| held.inbound.from == inbound.from).count();
                if self.pending.len() >= MOST || of_sender >= MOST_PER_PEER {
                    self.count("refused-pending_full");
                    return self.turn_away(&inbound, "pending_full");
                }
                let now = self.clock.now();
                let id = inbound.id.clone();
                let held = Pending { inbound, arrived_at: now, request_cid: self.ids.cid("request"), followups: 0 };
                self.schedule(held.expires_at(), Event::PendingExpires(id.clone()));
                self.pending.push(held);
                self.writes += 1;
                Arrival::Held(id)
            }
        }
    }

    fn turn_away(&mut self, inbound: &Inbound, reason: &'static str) -> Arrival {
        let payload = Members::new().put("peer_aid", &inbound.from).put("reason", reason).done();
        self.record("anet.delegation.refused_summary", payload);
        self.writes += 1;
        Arrival::Refused(reason)
    }

    fn take(&mut self, inbound: &Inbound, trust: Trust) -> Arrival {
        let id = inbound.id.clone();
        let request_cid = self.ids.cid("request");
        self.take_as(inbound, trust, request_cid);
        Arrival::Taken(id)
    }

    fn take_as(&mut self, inbound: &Inbound, trust: Trust, request_cid: String) {
        let now = self.clock.now();
        let mut task = Task::new(inbound.id.clone(), Side::Provider, inbound.from.clone(), now);
        task.context.clone_from(&inbound.context);
        task.trust = Some(trust);
        task.skill.clone_from(&inbound.skill);
        task.request_cid = request_cid;
        let index = self.add(task);
        let mut parts = Vec::new();
        if let Some(skill) = &inbound.skill {
            let args = inbound.args.clone().unwrap_or(Json::Object(Vec::new()));
            parts.push(Part::data(Json::object([("args", args.sorted()), ("skill", Json::from(skill))])));
        } else if !inbound.text.is_empty() {
            parts.push(Part::text(&inbound.text));
        }
        parts.extend(inbound.files.iter().map(|file| super::life::file_part(&inbound.id, file)));
        let message = self.message(index, Role::User, parts);
        self.tasks[index].history.push(message);
        let payload = Members::new()
            .put("interaction_id", &inbound.id)
            .put("peer_aid", &inbound.from)
            .put("request_cid", &self.tasks[index].request_cid)
            .done();
        self.record("anet.delegation.received", payload);
        self.set_state(index, TaskState::Submitted);
        if inbound.skill.is_some() {
            // A capability runs of itself; only its end is somebody's decision.
            self.set_state(index, TaskState::Working);
        }
    }

    /// The operator approves a held task.
    pub(crate) fn approve(&mut self, id: &str) -> bool {
        let Some(place) = self.pending.iter().position(|held| held.inbound.id == id) else {
            return false;
        };
        let held = self.pending.remove(place);
        self.take_as(&held.inbound, Trust::Approved, held.request_cid);
        true
    }

    /// A held task is refused: by the operator, or because its time is over.
    pub(crate) fn refuse_held(&mut self, id: &str, reason: &'static str) -> bool {
        let Some(place) = self.pending.iter().position(|held| held.inbound.id == id) else {
            return false;
        };
        let held = self.pending.remove(place);
        self.turn_away(&held.inbound, reason);
        true
    }
}
