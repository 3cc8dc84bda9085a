//! Payments, balance, waiting, pending tasks, the state of the node: what the page says of single tools.
//!
//! Responsible for: rulings R2, R8, R9 and R17, sections 2.9 to 2.15, 6 and 8 of the contract. Not for: how arguments become
//! requests in general (`exchange`), nor for each reason code (`reasons`).

mod balance;
mod documents;
mod failing_balance;
mod payments;
mod pending;
mod tasks;
mod waiting;

use crate::case::Case;

/// The cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [
        balance::cases(),
        failing_balance::cases(),
        waiting::cases(),
        payments::cases(),
        documents::cases(),
        pending::cases(),
        tasks::cases(),
    ]
    .concat()
}
