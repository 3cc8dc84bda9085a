//! What the world says to a request: at once, or later.
//!
//! Responsible for: the shape that the routes hand to the plumbing (control-plane 2, 6). Not for: the guards before them
//! (`guard`), nor for the bytes of HTTP (`http`, `front`).

use std::fmt;
use std::time::Duration;

use tokio::sync::watch;

/// One whole answer of a route. The security headers and the length are added on the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The body, exactly as it goes out: nothing is appended.
    pub body: Vec<u8>,
}

impl Answer {
    /// JSON as the daemon writes it: `application/json` without a charset. The trailing newline is the caller's.
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type: "application/json", body: body.into() }
    }

    /// Plain text, as Go's HTTP library answers what no route handles (401, 404, 405).
    pub fn text(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: body.into() }
    }

    /// A failure of ours, as the routes with codes tell it.
    pub(crate) fn internal(sentence: &str) -> Self {
        Self::json(500, format!("{}\n", serde_json::json!({ "error": sentence, "code": "InternalError" })))
    }

    /// A wait that its time did not end: against what [`Resume`] promises.
    pub(crate) fn interrupted() -> Self {
        Self::internal("The wait ended without an answer.")
    }
}

/// What a route decided.
#[derive(Debug)]
pub enum Outcome {
    /// The answer is there.
    Now(Answer),
    /// The answer depends on what happens next, or on time that passes (a blocking send, a wait).
    Later(Waiting),
}

/// An answer that waits for the world to move.
///
/// The front asks `resume(false)` at once and after each change, and `resume(true)` when the timeout is over, so nothing
/// is missed between the route's decision and the first look. Dropping it (the caller hung up) ends the wait and writes
/// nothing.
pub struct Waiting {
    /// How long the caller is willing to wait, counted from when the request was answered with this.
    pub timeout: Duration,
    /// Moves whenever the world changes in a way that may end a wait.
    pub changed: watch::Receiver<u64>,
    /// The answer, or none while the wait goes on. With `true` (timed out) it must answer.
    pub resume: Resume,
}

/// Looks whether a wait is over; the argument says whether its time is.
pub type Resume = Box<dyn Fn(bool) -> Option<Answer> + Send + Sync>;

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
