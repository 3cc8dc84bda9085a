//! Waiting by sequence.
//!
//! Responsible for: when a blocking send and a wait are over, and what they then answer. Not for: being woken, which the
//! front does on every write. Serves control-plane section 6.

use std::time::Duration;

use crate::answer::Answer;
use crate::bound;
use crate::encode;
use crate::json::Json;
use crate::project::shape::TaskState;
use crate::project::{self, View, shape};
use crate::world::State;
use crate::world::check;
use crate::world::task::{Side, Task};

/// Waits are cut to an hour.
const LONGEST_MS: i64 = 3_600_000;
/// What a caller waits who does not say.
const USUAL_MS: i64 = 60_000;

/// How a single task is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Showing {
    /// The newest so many messages; none: all.
    pub(crate) history: Option<usize>,
    /// In about so many bytes; 0: whole.
    pub(crate) max_bytes: usize,
}

/// What ends a wait, besides the task's end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// The task needs this node, written after this sequence (`/tasks/wait`).
    Needed(i64),
    /// The requester must speak, written after this sequence (`/tasks/send`).
    Asked(i64),
}

/// A request that waits for a task.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub(crate) task_id: String,
    pub(crate) until: Until,
    pub(crate) showing: Showing,
    pub(crate) timeout: Duration,
    /// The send was recognised as a repeat.
    pub(crate) repeated: bool,
}

/// The timeout that a request asks for.
pub(crate) fn timeout(timeout_ms: i64) -> Duration {
    let millis = if timeout_ms == 0 { USUAL_MS } else { timeout_ms.min(LONGEST_MS) };
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

impl Wait {
    /// The answer, or none while the wait goes on.
    pub(crate) fn resume(&self, state: &State, timed_out: bool) -> Option<Answer> {
        // Tasks are never removed, so a task that was there when the wait began still is.
        let task = state.task(&self.task_id)?;
        let over = self.over(task);
        if !over && !timed_out {
            return None;
        }
        let mut json = show(state, task, self.showing);
        if self.repeated {
            mark(&mut json, "anet.deduplicated", true.into());
        }
        if !over && matches!(self.until, Until::Needed(_)) {
            mark(&mut json, "anet.wait", "timed_out".into());
        }
        Some(Answer::json(200, encode::body(&json.json())))
    }

    fn over(&self, task: &Task) -> bool {
        if task.state.terminal() {
            return true;
        }
        let asked = task.state == TaskState::InputRequired;
        match self.until {
            Until::Asked(after) => asked && task.seq > after,
            Until::Needed(after) => task.seq > after && asked == (task.side == Side::Requester),
        }
    }
}

/// A single task within its bound.
pub(crate) fn show(state: &State, task: &Task, showing: Showing) -> shape::Task {
    let whole = project::task(state, task, View { history: showing.history, artifacts: true });
    check::in_debug_builds(state, task, &whole);
    bound::task_read_within(&whole, showing.max_bytes)
}

pub(crate) fn mark(task: &mut shape::Task, name: &str, value: Json) {
    task.metadata.insert(name.to_owned(), value);
}
