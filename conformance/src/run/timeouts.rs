//! Bounds on failure: none of them is an oracle, and none is reached by a candidate that works.

use std::time::Duration;

/// All bounds of a run, in one place.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the start of a process to its answer to `initialize`: interpreters start slowly on a busy machine.
    pub start: Duration,
    /// From a request to its answer, the daemon's part included.
    pub reply: Duration,
    /// Until the daemon has been asked, or a caller has hung up.
    pub daemon: Duration,
    /// From the end of standard input to the end of the process. Cases ask for less where the specification does.
    pub exit: Duration,
    /// From SIGTERM to SIGKILL, when the run itself must end a process.
    pub terminate: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            reply: Duration::from_secs(10),
            daemon: Duration::from_secs(10),
            exit: Duration::from_secs(6),
            terminate: Duration::from_secs(2),
        }
    }
}

impl Timeouts {
    /// All bounds times `factor`.
    pub fn scaled(self, factor: f64) -> Self {
        let scale = |bound: Duration| bound.mul_f64(factor);
        Self {
            start: scale(self.start),
            reply: scale(self.reply),
            daemon: scale(self.daemon),
            exit: scale(self.exit),
            terminate: scale(self.terminate),
        }
    }
}
