//! The engine: carries cases out on a candidate and records what was seen.
//!
//! Responsible for: processes, daemons, bytes, bounds and scheduling. Not for: judging (it asks `judge` only whether a case
//! must be run again alone) or reporting.

mod candidate;
mod command;
mod home;
mod schedule;
mod session;
mod timeouts;

pub use command::{Command, quoted};
pub use schedule::{Outcome, Progress, Ran, Refused, Runner, Watch, kill_all};
pub use timeouts::Timeouts;
