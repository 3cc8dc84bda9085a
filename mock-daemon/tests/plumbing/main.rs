//! The plumbing of the fake daemon, seen from the other end of a bare socket.
//!
//! Responsible for: guards, script, faults, journal, start and end, and the program. Not for: what the routes answer.

mod faults;
mod guards;
mod journal;
mod life;
mod mocks;
mod program;
mod raw;
mod script;
