//! Worlds to begin with.
//!
//! Responsible for: the shipped scenarios. Not for: how a world moves (`world`).

mod busy;

pub use busy::busy;
