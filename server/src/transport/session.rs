//! The state of one session: requests in flight, the negotiated revision, batches and the way to the end.
//!
//! Responsible for giving each request a number of its own towards the SDK and its own id back towards the client,
//! so that no id is altered, lost or answered twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{ErrorData, ProtocolVersion};
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::envelope::Id;
use super::output::{self, Outbox};

/// How far a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Reading and answering.
    Running,
    /// Nothing more is read; what is in flight may still be answered.
    Draining,
    /// Calls still in flight are given up.
    Closing,
}

/// Raw JSON that a tool puts beside its text, handed over without passing through a `Value`.
pub(crate) type Structured = Arc<OnceLock<Box<RawValue>>>;

/// What the transport tells a tool about its call; travels in the request's extensions.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The arguments in the client's own bytes.
    pub(crate) arguments: Option<Arc<RawValue>>,
    /// Where a structured result goes; none when the revision does not know it.
    pub(crate) structured: Option<Structured>,
}

/// Shared by the reader, the transport and the handler.
#[derive(Debug)]
pub(crate) struct Session {
    flights: Mutex<Flights>,
    in_flight: watch::Sender<usize>,
    phase: watch::Sender<Phase>,
    negotiated: Mutex<Option<ProtocolVersion>>,
    outbox: Outbox,
}

#[derive(Debug, Default)]
struct Flights {
    last: i64,
    by_number: HashMap<i64, Flight>,
    by_id: HashMap<Id, i64>,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(super) struct Flight {
    id: Id,
    batch: Option<Arc<Batch>>,
    /// The request named a revision without a handshake: its result names the server.
    modern: bool,
    structured: Option<Structured>,
}

/// Messages that came together and are answered together.
#[derive(Debug)]
pub(super) struct Batch {
    state: Mutex<BatchState>,
    outbox: Outbox,
}

#[derive(Debug)]
struct BatchState {
    /// Answers still to come, and one for the reader as long as it is at work.
    outstanding: usize,
    answers: Vec<String>,
}

impl Session {
    pub(super) fn new(outbox: Outbox) -> Self {
        Self {
            flights: Mutex::default(),
            in_flight: watch::Sender::new(0),
            phase: watch::Sender::new(Phase::Running),
            negotiated: Mutex::default(),
            outbox,
        }
    }

    /// The revision that `initialize` settled on, if there was one.
    pub(super) fn negotiated(&self) -> Option<ProtocolVersion> {
        self.negotiated.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps to this revision from now on, also after a second handshake.
    pub(super) fn settle_on(&self, version: ProtocolVersion) {
        *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }

    /// Takes a request in. `None` when its id is in flight already.
    pub(super) fn take_off(
        &self,
        id: &Id,
        batch: Option<&Arc<Batch>>,
        modern: bool,
        structured: Option<Structured>,
    ) -> Option<i64> {
        let mut flights = self.flights();
        if flights.by_id.contains_key(id) {
            return None;
        }
        flights.last += 1;
        let number = flights.last;
        flights.by_id.insert(id.clone(), number);
        let flight = Flight { id: id.clone(), batch: batch.cloned(), modern, structured };
        flights.by_number.insert(number, flight);
        self.in_flight.send_replace(flights.by_number.len());
        Some(number)
    }

    /// Whether a request of this id waits for its answer.
    pub(super) fn is_in_flight(&self, id: &Id) -> bool {
        self.flights().by_id.contains_key(id)
    }

    /// Ends a request with its result or error, as one line or as a part of its batch.
    pub(super) fn land(&self, number: i64, answer: Result<String, &ErrorData>) {
        let Some(flight) = self.remove(number) else {
            return;
        };
        let text = match answer {
            Ok(result) => {
                let structured = flight.structured.as_ref().and_then(|slot| slot.get());
                output::result_line(flight.id.as_json(), result, structured.map(Box::as_ref), flight.modern)
            }
            Err(error) => output::error_line(Some(&flight.id), error),
        };
        self.answer(flight.batch.as_deref(), text);
    }

    /// Forgets a request that the client gave up: it gets no answer. Returns its number.
    pub(super) fn give_up(&self, id: &Id) -> Option<i64> {
        let number = self.flights().by_id.get(id).copied()?;
        let flight = self.remove(number)?;
        if let Some(batch) = flight.batch {
            batch.release();
        }
        Some(number)
    }

    /// Writes an answer of the transport's own.
    pub(super) fn refuse(&self, batch: Option<&Batch>, id: Option<&Id>, error: &ErrorData) {
        self.answer(batch, output::error_line(id, error));
    }

    fn answer(&self, batch: Option<&Batch>, text: String) {
        match batch {
            Some(batch) => batch.add(text),
            None => self.outbox.line(text),
        }
    }

    /// Resolves when nothing is in flight.
    pub(super) async fn landed(&self) {
        let _ = self.in_flight.subscribe().wait_for(|count| *count == 0).await;
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    /// Resolves when the session has come this far.
    pub(crate) async fn reached(&self, phase: Phase) {
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
    }

    /// A batch whose answers are collected until the reader and all its requests are done.
    pub(super) fn open_batch(&self) -> Arc<Batch> {
        let state = BatchState { outstanding: 1, answers: Vec::new() };
        Arc::new(Batch { state: Mutex::new(state), outbox: self.outbox.clone() })
    }

    fn remove(&self, number: i64) -> Option<Flight> {
        let mut flights = self.flights();
        let flight = flights.by_number.remove(&number)?;
        flights.by_id.remove(&flight.id);
        self.in_flight.send_replace(flights.by_number.len());
        Some(flight)
    }

    fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch {
    /// One more answer will come.
    pub(super) fn expect(&self) {
        self.state().outstanding += 1;
    }

    /// One answer fewer will come.
    pub(super) fn release(&self) {
        let mut state = self.state();
        state.outstanding -= 1;
        self.write_if_done(&mut state);
    }

    fn add(&self, answer: String) {
        let mut state = self.state();
        state.answers.push(answer);
        state.outstanding -= 1;
        self.write_if_done(&mut state);
    }

    fn write_if_done(&self, state: &mut BatchState) {
        // A batch of notifications alone is answered by nothing, not by an empty array.
        if state.outstanding == 0 && !state.answers.is_empty() {
            self.outbox.line(format!("[{}]", std::mem::take(&mut state.answers).join(",")));
        }
    }

    fn state(&self) -> MutexGuard<'_, BatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
