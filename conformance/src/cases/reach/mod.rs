//! What the server reaches, reads and gives away, and how it finds its daemon.
//!
//! Responsible for: rulings R11 and R12, sections 1 and 10.2 of the contract. That no other route is asked, that the token
//! stays inside and that no file changes is checked in every case of every group; here stand the cases that provoke it.

mod address;
mod arguments;
mod config;
mod files;
mod network;
mod restart;
mod secrets;

use crate::case::Case;

/// The cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [
        arguments::cases(),
        files::cases(),
        secrets::cases(),
        network::cases(),
        address::cases(),
        config::cases(),
        restart::cases(),
    ]
    .concat()
}
