//! Tasks that wait for the operator, under the approve policy.
//!
//! Responsible for: holding them within the queue's limits, and their metadata, never their content, in the answer of
//! `/inbound/pending`. Not for: what becomes of them (`inbound`). Serves control-plane 2.14 and 8.4.

use crate::json::{Json, Members};

use super::inbound::Inbound;

/// All held items.
pub const MOST: usize = 200;
/// Held items of one sender.
pub const MOST_PER_PEER: usize = 3;
/// An item is held for 72 hours.
pub const HOLD_MS: i64 = 72 * 3_600_000;

/// A held task.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What arrived, with its id filled in.
    pub inbound: Inbound,
    /// When, in Unix milliseconds.
    pub arrived_at: i64,
    /// The request's CID.
    pub request_cid: String,
    /// How many further messages are held with it.
    pub followups: u64,
}

impl Pending {
    /// When it is given up, in Unix milliseconds.
    pub fn expires_at(&self) -> i64 {
        self.arrived_at + HOLD_MS
    }

    /// The item as listed.
    pub fn json(&self) -> Json {
        Members::new()
            .put("arrived_at", self.arrived_at)
            .put("attachments", self.inbound.files.len())
            .put("bytes", self.inbound.bytes())
            .maybe("capability", self.inbound.skill.as_ref())
            .put("expires_at", self.expires_at())
            .put("followups", self.followups)
            .put("interaction_id", &self.inbound.id)
            .put("request_cid", &self.request_cid)
            .put("requester", &self.inbound.from)
            .done()
    }
}
