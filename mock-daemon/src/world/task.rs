//! A task as the node's store holds it.
//!
//! Responsible for: everything that is remembered of a task on either side. Not for: how it changes (`life`), nor for how an
//! answer shows it (`project`). Serves control-plane 3.5 and 3.6.

use crate::json::{Json, Members};
use crate::project::shape::{Message, Metadata, TaskState};

use super::quote::{Authorization, Quote};

/// Which side of a task this node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// This node sent it.
    Requester,
    /// It was sent to this node.
    Provider,
}

impl Side {
    /// The word of `anet.role`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requester => "requester",
            Self::Provider => "provider",
        }
    }
}

/// How far a provider-side task's sender is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// On the list of peers.
    Peer,
    /// Anybody, under the open policy.
    Public,
    /// Anybody, for a public capability.
    PublicCap,
    /// Approved by the operator.
    Approved,
}

impl Trust {
    /// The word of `anet.trust`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Peer => "peer",
            Self::Public => "public",
            Self::PublicCap => "public_cap",
            Self::Approved => "approved",
        }
    }
}

/// What a capability call did, as far as anybody can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It ran and the effect is proven.
    Ok,
    /// It ran, or may have, and nothing proves the effect.
    Unverified,
    /// It ran and failed.
    Failed,
    /// It did not run.
    Unavailable,
    /// It has a price first.
    PaymentRequired,
}

impl Effect {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Ok, Self::Unverified, Self::Failed, Self::Unavailable, Self::PaymentRequired];

    /// The word of `anet.effect_status`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Unverified => "UNVERIFIED",
            Self::Failed => "FAILED",
            Self::Unavailable => "UNAVAILABLE",
            Self::PaymentRequired => "PAYMENT_REQUIRED",
        }
    }
}

/// What this node found when it checked a receipt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    #[default]
    Verified,
    /// It could not be checked, which does not mean forged.
    Unverified,
    /// Nobody knows.
    Unknown,
    /// The signed conversation changes what the requester said (0.3).
    Mismatch,
}

impl Verdict {
    /// The word of `anet.receipt_verified`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unverified => "unverified",
            Self::Unknown => "unknown",
            Self::Mismatch => "mismatch",
        }
    }
}

/// A provider's signed statement that a task is done.
#[derive(Clone, Debug)]
pub struct Receipt {
    /// The signed object, in base64.
    pub signed: String,
    /// Its CID.
    pub cid: String,
    /// What this node found.
    pub verdict: Verdict,
    /// Who signed.
    pub provider: String,
    /// When the task was done, in Unix milliseconds.
    pub completed_at: i64,
    /// The provider's key history in base64, when known.
    pub kel: Option<String>,
}

/// A file that went with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its media type, or empty.
    pub media_type: String,
    /// Its content's CID.
    pub cid: String,
    /// Its size in bytes.
    pub size: u64,
}

/// What a task brought.
#[derive(Clone, Debug)]
pub enum TaskResult {
    /// A text task's last reply: its text, if any, and its files.
    Reply(Option<String>, Vec<File>),
    /// A capability call's deliverable.
    Deliverable(Deliverable),
}

/// What a capability call hands over.
#[derive(Clone, Debug)]
pub struct Deliverable {
    /// Which capability ran.
    pub capability: String,
    /// What it did.
    pub status: Effect,
    /// Whether the effect can be proven.
    pub verifiable: bool,
    /// Measurements, if any.
    pub metrics: Option<Json>,
    /// Words, if any.
    pub message: Option<String>,
    /// A nonce.
    pub nonce: String,
    /// The provider's own claim that it was paid.
    pub paid: bool,
}

impl Deliverable {
    /// The object that the artifact's data part holds.
    pub fn json(&self) -> Json {
        Members::new()
            .put("capability", &self.capability)
            .put("status", self.status.word())
            .put("verifiable", self.verifiable)
            .maybe("metrics", self.metrics.clone())
            .maybe("message", self.message.as_ref())
            .put("nonce", &self.nonce)
            .only_true("paid", self.paid)
            .done()
    }
}

/// Where a payment stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PayState {
    /// Nobody asked for money.
    #[default]
    None,
    /// A quote waits.
    Required,
    /// A signed payment went out.
    Submitted,
    /// The hub settled it.
    Completed,
    /// An attempt failed; the quote is open.
    Failed,
    /// The quote was refused.
    Rejected,
}

impl PayState {
    /// The word of `pay_state` in a decision.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Required => "required",
            Self::Submitted => "submitted",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
        }
    }
}

/// What money was asked for a task, and what became of it.
#[derive(Clone, Debug, Default)]
pub struct Payment {
    /// The quote, as long as the task remembers it.
    pub quote: Option<Quote>,
    /// Where it stands.
    pub state: PayState,
    /// The last signed payment.
    pub authorization: Option<Authorization>,
    /// Settlements that were found, and failures.
    pub receipts: Vec<Json>,
    /// The x402 word for the last failure.
    pub error: Option<&'static str>,
    /// Whether the node paid, or tried to pay, of itself: it does so once at most.
    pub automatic: bool,
}

impl Payment {
    /// Whether the task ever took part in a payment flow.
    pub fn took_part(&self) -> bool {
        self.state != PayState::None
    }
}

/// A message that has not been delivered.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Handed over, and the other side did not confirm.
    pub unconfirmed: bool,
    /// When it was queued, in Unix milliseconds.
    pub since: i64,
    /// When the task gives it up.
    pub ends_at: i64,
    /// It waits behind an earlier message.
    pub ordered: bool,
}

/// A task.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id. On the provider's side the requester chose it: any string.
    pub id: String,
    /// Its conversation, or empty.
    pub context: String,
    /// Which side this node is.
    pub side: Side,
    /// The other party.
    pub peer: String,
    /// Where it stands.
    pub state: TaskState,
    /// Grows with every write.
    pub seq: i64,
    /// When the state was last written, in Unix milliseconds.
    pub changed_at: i64,
    /// The place of that write among all writes of the node: what lists are sorted by.
    pub changed_order: u64,
    /// When the other side was last heard, in Unix milliseconds.
    pub heard_at: i64,
    /// The conversation.
    pub history: Vec<Message>,
    /// The words that go with the state, if somebody spoke them.
    pub note: Option<Message>,
    /// The capability, for a capability task.
    pub skill: Option<String>,
    /// The request's CID.
    pub request_cid: String,
    /// The result's CID.
    pub result_cid: Option<String>,
    /// What came of it.
    pub result: Option<TaskResult>,
    /// The provider's receipt.
    pub receipt: Option<Receipt>,
    /// What the call did.
    pub effect: Option<Effect>,
    /// The machine reason.
    pub reason: Option<String>,
    /// When the provider said to try again.
    pub retry_after_ms: Option<i64>,
    /// The A2A error that the provider named.
    pub a2a_error: Option<String>,
    /// The provider holds it for its operator.
    pub held: bool,
    /// It was to be cancelled after money went out.
    pub cancel_requested: bool,
    /// How far the sender is trusted; provider side only.
    pub trust: Option<Trust>,
    /// Money.
    pub payment: Payment,
    /// Settlements that the provider claims and this node could not verify.
    pub unverified_receipts: Vec<Json>,
    /// The undelivered message.
    pub delivery: Option<Delivery>,
    /// A sentence about the payment (0.3).
    pub payment_note: Option<String>,
    /// What the spending policy said to the quote (0.3).
    pub spend_check: Option<String>,
    /// When the node deletes the content (0.3).
    pub content_expires_at: Option<i64>,
    /// Whatever else stands in the metadata.
    pub extra: Metadata,
}

impl Task {
    /// A task that was just recorded.
    pub fn new(id: String, side: Side, peer: String, now: i64) -> Self {
        Self {
            id,
            context: String::new(),
            side,
            peer,
            state: TaskState::Submitted,
            seq: 0,
            changed_at: now,
            changed_order: 0,
            heard_at: now,
            history: Vec::new(),
            note: None,
            skill: None,
            request_cid: String::new(),
            result_cid: None,
            result: None,
            receipt: None,
            effect: None,
            reason: None,
            retry_after_ms: None,
            a2a_error: None,
            held: false,
            cancel_requested: false,
            trust: None,
            payment: Payment::default(),
            unverified_receipts: Vec::new(),
            delivery: None,
            payment_note: None,
            spend_check: None,
            content_expires_at: None,
            extra: Metadata::new(),
        }
    }

    /// The conversation as it is shown: a task without one stands for itself.
    pub fn shown_context(&self) -> &str {
        if self.context.is_empty() { &self.id } else { &self.context }
    }

    /// The quote that waits for this node's decision.
    pub fn open_quote(&self) -> Option<&Quote> {
        (self.side == Side::Requester
            && self.state == TaskState::InputRequired
            && matches!(self.payment.state, PayState::Required | PayState::Failed))
        .then_some(self.payment.quote.as_ref())?
    }

    /// Whether money is out and the outcome is not this node's to stop.
    pub fn paid(&self) -> bool {
        matches!(self.payment.state, PayState::Submitted | PayState::Completed)
    }
}
