//! The line that shows how far the run is: on a terminal it is rewritten, elsewhere a new one comes every few seconds.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::run::Progress;

/// The line of one run.
pub(super) struct Live {
    silent: bool,
    terminal: bool,
    state: Mutex<(Progress, Instant)>,
}

impl Live {
    pub(super) fn new(silent: bool) -> Self {
        let none = Progress { done: 0, total: 0, failed: 0 };
        Self { silent, terminal: std::io::stderr().is_terminal(), state: Mutex::new((none, Instant::now())) }
    }

    pub(super) fn show(&self, progress: Progress, began: Instant) {
        let every = if self.terminal { Duration::from_millis(80) } else { Duration::from_secs(5) };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = progress;
        if self.silent || state.1.elapsed() < every {
            return;
        }
        state.1 = Instant::now();
        let Progress { done, total, failed } = progress;
        let line = format!("{done} of {total} cases, {failed} failed  {:.0} s", began.elapsed().as_secs_f64());
        if self.terminal { anstream::eprint!("\r\x1b[2K{line}") } else { anstream::eprintln!("{line}") }
    }

    /// Says what is waited for if no case is done soon. Never returns.
    pub(super) async fn tell_of_waiting(&self, bound: Duration) -> std::convert::Infallible {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let begun = self.state.lock().unwrap_or_else(PoisonError::into_inner).0.done > 0;
        if !begun && !self.silent {
            anstream::eprintln!("waiting for the candidate's first answer, {:.0} s at most", bound.as_secs_f64());
        }
        std::future::pending().await
    }

    pub(super) fn clear(&self) {
        if self.terminal && !self.silent {
            anstream::eprint!("\r\x1b[2K");
        }
    }
}
