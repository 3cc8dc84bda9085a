//! What task results and node documents carry: it comes back as the control plane wrote it.
//!
//! Responsible for: every state with every effect, receipt verdict and role; every metadata key; unknown members;
//! numbers, strings and order of members; cards; status documents (requirements `results.*`, control-plane 2.2, 3, 8).
//! Not for: reason codes (`reasons`) and size (`truncation`).

mod cards;
mod documents;
mod matrix;
mod metadata;
mod values;

use crate::case::Case;

pub(super) fn cases() -> Vec<Case> {
    [matrix::cases(), metadata::cases(), documents::cases(), values::cases(), cards::cases()].concat()
}
