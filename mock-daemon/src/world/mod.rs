//! The world behind the control plane: this node, its network, its tasks and its money.
//!
//! Responsible for: the one state that all routes read and write, its clock and agenda, and telling waiters that it moved.
//! Not for: reading requests (`routes`) nor for the shape of a task in an answer (`project`). Serves control-plane 6.

pub mod agents;
pub mod check;
pub mod evidence;
pub mod inbound;
mod life;
mod operator;
pub mod pay;
pub mod peer;
pub mod pending;
pub mod quote;
mod reply;
mod send;
mod settle;
pub mod spend;
pub mod status;
pub mod task;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::answer::{Outcome, Waiting};
use crate::clock::Clock;
use crate::ids::Ids;
use crate::json::Json;
use crate::route::Route;
use crate::routes;

use agents::Agent;
use evidence::Chain;
use inbound::Policy;
use peer::{Behaviour, Move};
use pending::Pending;
use spend::Purse;
use status::Status;
use task::Task;

pub(crate) use life::file_part;
pub(crate) use send::{Said, Sending};

/// This node's AID in every shipped world.
pub const OWN_AID: &str = "bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi";
/// Its hub's AID.
pub const HUB_AID: &str = "bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy";
/// A requester hears nothing for so long, and the task has failed.
const NO_RESPONSE_MS: i64 = 15 * 60_000;
/// An undelivered message is given up after 14 days.
const DELIVERY_MS: i64 = 14 * 24 * 3_600_000;

/// Which specification the world follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// The public code, 0.2.1.
    V02,
    /// The page, 0.3.
    #[default]
    V03,
}

impl Page {
    /// The page of a version, `0.2` or `0.3`.
    pub fn parse(version: &str) -> Option<Self> {
        match version {
            "0.2" => Some(Self::V02),
            "0.3" => Some(Self::V03),
            _ => None,
        }
    }
}

/// A failure of the daemon itself, whatever it is asked (control-plane 2.1, `InternalError`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something inside breaks; the cause, which callers are told as it is.
    Cause(String),
    /// The request's own time is over before it is answered.
    Deadline,
}

/// Something that is due at a time.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A peer acts on a task.
    Moves(String, Move),
    /// A task fails unless its peer was heard since.
    NoResponse(String, i64),
    /// A message is given up unless it was delivered.
    DeliveryEnds(String),
    /// A held task is given up.
    PendingExpires(String),
}

/// Everything there is.
#[derive(Clone, Debug)]
pub struct State {
    /// What time it is.
    pub clock: Clock,
    /// Which specification is followed.
    pub page: Page,
    /// This node's AID.
    pub aid: String,
    /// The hub's AID.
    pub hub_aid: String,
    /// The network's agents.
    pub agents: Vec<Agent>,
    /// What may be spent, and what is there.
    pub purse: Purse,
    /// The evidence chain.
    pub evidence: Chain,
    /// What `/status` shows.
    pub status: Status,
    /// Who may send tasks.
    pub policy: Policy,
    /// Senders whose tasks are taken.
    pub peers: BTreeSet<String>,
    /// Senders whose tasks are refused.
    pub denied: BTreeSet<String>,
    /// The hub has a registry of cards; without one the directory is empty.
    pub registry: bool,
    /// After how many silent milliseconds a sent task fails; 0: never.
    pub no_response_ms: i64,
    /// Held tasks, oldest first.
    pub(crate) pending: Vec<Pending>,
    /// What every request fails with that can fail.
    pub(crate) failure: Option<Failure>,
    /// The pending store cannot be read; the sentence.
    pub(crate) pending_error: Option<String>,
    pub(crate) tasks: Vec<Task>,
    by_id: HashMap<String, usize>,
    pub(crate) ids: Ids,
    agenda: BTreeMap<(i64, u64), Event>,
    agenda_made: u64,
    /// Counts all writes: what waiters are told, and what lists are sorted by.
    pub(crate) writes: u64,
}

impl State {
    /// A node with nothing on it, but with the agents that stand in every world.
    pub fn empty(seed: u64) -> Self {
        let mut state = Self {
            clock: Clock::default(),
            page: Page::default(),
            aid: OWN_AID.to_owned(),
            hub_aid: HUB_AID.to_owned(),
            agents: Vec::new(),
            purse: Purse::default(),
            evidence: Chain::new(OWN_AID),
            status: Status::default(),
            policy: Policy::default(),
            peers: BTreeSet::new(),
            denied: BTreeSet::new(),
            registry: true,
            no_response_ms: NO_RESPONSE_MS,
            pending: Vec::new(),
            failure: None,
            pending_error: None,
            tasks: Vec::new(),
            by_id: HashMap::new(),
            ids: Ids::new(seed),
            agenda: BTreeMap::new(),
            agenda_made: 0,
            writes: 0,
        };
        for name in Behaviour::standing() {
            let behaviour = Behaviour::parse(&name).expect("every standing name is a behaviour");
            let mut agent = Agent::new(&Behaviour::aid(&name), &name, "Behaves as its name says.");
            agent.behaviour = behaviour;
            agent.listed = false;
            state.agents.push(agent);
        }
        state
    }

    /// The agent of an AID.
    pub fn agent(&self, aid: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.aid == aid)
    }

    /// Where a task stands in the store.
    pub(crate) fn task_index(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The task of an id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.task_index(id).map(|index| &self.tasks[index])
    }

    /// All tasks, in the order of their making.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Held tasks, oldest first.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    pub(crate) fn add(&mut self, task: Task) -> usize {
        let index = self.tasks.len();
        self.by_id.insert(task.id.clone(), index);
        self.tasks.push(task);
        index
    }

    /// Appends to the evidence.
    pub(crate) fn record(&mut self, event_type: &str, payload: Json) {
        self.evidence.append(self.clock.now(), event_type, payload);
    }

    /// Counts a received or refused message.
    pub(crate) fn count(&mut self, reason: &str) {
        *self.status.receive.entry(reason.to_owned()).or_insert(0) += 1;
    }

    pub(crate) fn schedule(&mut self, due: i64, event: Event) {
        self.agenda_made += 1;
        self.agenda.insert((due, self.agenda_made), event);
    }

    /// When the next thing is due.
    pub(crate) fn next_due(&self) -> Option<i64> {
        self.agenda.keys().next().map(|(due, _)| *due)
    }

    /// Does what is due by now, in its order.
    pub(crate) fn tick(&mut self) {
        let now = self.clock.now();
        while let Some(entry) = self.agenda.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let event = entry.remove();
            self.happen(event);
        }
    }

    /// Lets time pass, doing what falls due on the way at its own time.
    pub(crate) fn advance(&mut self, by: Duration) {
        if self.clock.runs() {
            self.clock.advance(by);
            return self.tick();
        }
        let mut end = self.clock.clone();
        end.advance(by);
        let end = end.now();
        while let Some(due) = self.next_due().filter(|due| *due <= end) {
            self.clock.reach(due);
            self.tick();
        }
        self.clock.reach(end);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Moves(id, step) => {
                if let Some(index) = self.task_index(&id) {
                    self.play(index, step);
                }
            }
            Event::NoResponse(id, heard_at) => {
                if let Some(index) = self.task_index(&id) {
                    self.check_silence(index, heard_at);
                }
            }
            Event::DeliveryEnds(id) => {
                if let Some(index) = self.task_index(&id) {
                    self.give_up_delivery(index);
                }
            }
            Event::PendingExpires(id) => {
                self.refuse_held(&id, "pending_expired");
            }
        }
    }
}

/// A handle on the world. Clones share it.
#[derive(Clone, Debug)]
pub struct World {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    moved: watch::Sender<u64>,
}

impl Default for World {
    /// The scenario `busy`.
    fn default() -> Self {
        Self::new(crate::scenario::busy())
    }
}

impl World {
    /// A world from its state.
    pub fn new(state: State) -> Self {
        let moved = watch::Sender::new(state.writes);
        Self { shared: Arc::new(Shared { state: Mutex::new(state), moved }) }
    }

    /// Answers a request that passed the guards.
    pub fn answer(&self, route: Route, body: &[u8]) -> Outcome {
        let answered = self.with(|state| {
            state.tick();
            routes::answer(state, route, body)
        });
        let wait = match answered {
            routes::Answered::Now(answer) => return Outcome::Now(answer),
            routes::Answered::Later(wait) => wait,
        };
        // Subscribing before looking again: whatever moves in between wakes the waiter.
        let changed = self.shared.moved.subscribe();
        let world = self.clone();
        let timeout = wait.timeout;
        Outcome::Later(Waiting {
            timeout,
            changed,
            resume: Box::new(move |timed_out| {
                world.with(|state| {
                    state.tick();
                    wait.resume(state, timed_out)
                })
            }),
        })
    }

    /// Looks at the state, or changes it; waiters are told if a task was written.
    pub fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let before = state.writes;
        let seen = look(&mut state);
        let after = state.writes;
        drop(state);
        if after != before {
            self.shared.moved.send_replace(after);
        }
        seen
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in one request must not take the whole daemon with it.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// With the machine's clock: does what falls due, as it falls due, for ever. Without: nothing, for ever.
    pub async fn run_clock(&self) {
        let mut changed = self.shared.moved.subscribe();
        loop {
            let rest = self.with(|state| {
                if !state.clock.runs() {
                    return None;
                }
                state.tick();
                let now = state.clock.now();
                state.next_due().map(|due| Duration::from_millis(u64::try_from(due - now).unwrap_or(0).max(1)))
            });
            match rest {
                Some(rest) => {
                    tokio::select! {
                        () = tokio::time::sleep(rest) => {}
                        _ = changed.changed() => {}
                    }
                }
                None => {
                    // The sender lives in this very handle, so this only ends with a change.
                    let _ = changed.changed().await;
                }
            }
        }
    }
}
