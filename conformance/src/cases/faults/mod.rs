//! Faults between the server and the control plane: an answer that breaks, and answers that are only framed unusually.
//!
//! Responsible for: one answer to each call, no request sent again, the next call served (control-plane 1.4, 1.5, 10.5).
//! Not for: whole answers that mean something odd (`errors`), nor for a daemon that is not there (`reach`).

mod broken;
mod framing;

use crate::case::Case;

/// The cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [broken::cases(), framing::cases()].concat()
}
