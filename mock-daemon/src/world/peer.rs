//! How the other side behaves.
//!
//! Responsible for: the moves that a peer can make on a task, and behaviours: which moves follow when a task is sent to a
//! peer, when it is spoken to and when it is paid. Not for: what a move does to the task (`life`).

use crate::ids;
use crate::project::shape::Metadata;

use super::agents::Agent;
use super::quote::{FAILURES, Offer, Price};
use super::task::{Effect, File, Task, Verdict};

/// Every reason of control-plane 5.2: why a provider takes no task.
pub const REFUSALS: [&str; 14] = [
    "not_accepting",
    "denied",
    "capability_not_public",
    "capability_not_served",
    "args_too_large",
    "quota_caller_per_min",
    "quota_caller_per_day",
    "quota_global_per_min",
    "max_inflight",
    "pending_full",
    "pending_expired",
    "operator_rejected",
    "sandbox_unavailable",
    "task_nonce_required",
];

/// The reasons of control-plane 5.3 that end a task from the other side.
pub const BREAKS: [&str; 6] =
    ["timeout", "connection_lost", "interrupted", "unavailable", "undeliverable", "no_response"];

/// One thing that the other side does, or that happens to a task on the way there.
#[derive(Clone, Debug)]
pub enum Move {
    /// Collects the message, and says nothing.
    Collects,
    /// Reports progress.
    Progress(String),
    /// Asks.
    Asks(String),
    /// Holds the task for its operator.
    Holds,
    /// Is done.
    Answers(Reply),
    /// The capability failed (`FAILED`) in these words.
    EffectFails(String),
    /// Refuses for a reason of 5.2 or `unavailable`, perhaps with a time to try again.
    Rejects(String, Option<i64>),
    /// Fails for a reason.
    Fails(String),
    /// Fails and names an A2A error.
    Errs(String),
    /// Withdraws the task.
    Cancels,
    /// Asks a price.
    Quotes(Price),
    /// The hub settles the payment, if the balance allows.
    Settles,
    /// The settlement fails for a reason of 5.4.
    SettlementFails(String),
    /// Whether the payment settled is not known yet.
    SettlementPending,
    /// No slot for the paid call; nothing settled.
    Busy,
    /// Claims a settlement that this node cannot verify.
    Claims,
    /// The requester speaks, on a task that this node serves.
    Says(String),
}

/// An answer that completes a task.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Its text; none: the provider never spoke.
    pub text: Option<String>,
    /// Its files.
    pub files: Vec<File>,
    /// For a capability call: the effect is not proven.
    pub unproven: bool,
    /// What this node finds when it checks the receipt.
    pub verdict: Verdict,
    /// What the peer puts on its message.
    pub metadata: Metadata,
}

impl Reply {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }
}

/// What a peer does with the tasks it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers at once; asks the price on its card first.
    Answers,
    /// Answers after so many milliseconds.
    AnswersAfter(i64),
    /// Asks a question first.
    Asks,
    /// Asks a price, whatever its card says.
    Prices(Price, Settlement),
    /// Never answers.
    Silent,
    /// Reports progress and never finishes.
    Works,
    /// Refuses for a reason.
    Refuses(String),
    /// Fails for a reason.
    Breaks(String),
    /// Names an A2A error.
    Errs(String),
    /// Completes without proof of the effect.
    Unproven,
    /// The capability fails.
    EffectFails,
    /// Answers with so many bytes.
    Huge(usize),
    /// Answers with files.
    SendsFiles,
    /// Answers with so many bytes of metadata.
    Plants(usize),
    /// Withdraws.
    Cancels,
    /// Holds the task for its operator.
    Holds,
    /// Does not collect its mail.
    Uncollected,
    /// Answers with a receipt that is found to be so.
    Attests(Verdict),
    /// Answers and claims a settlement that nobody can verify.
    Claims,
}

/// What becomes of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// It settles, and the provider answers.
    Settles,
    /// Nobody knows yet.
    Pending,
    /// It fails for a reason of 5.4.
    Fails(String),
    /// The provider has no slot.
    Busy,
}

/// When a peer acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The task reached it.
    Sent,
    /// A further message reached it.
    Spoken,
    /// A payment reached it.
    Paid,
}

impl Behaviour {
    /// The behaviour of this name, such as `answers`, `answers-after-5000`, `priced-5` or `refuses-denied`.
    pub fn parse(name: &str) -> Option<Self> {
        let price = |amount: &str, offer| {
            amount.parse::<u64>().ok()?;
            Some(Self::Prices(Price { amount: amount.to_owned(), offer, pay_to: None }, Settlement::Settles))
        };
        let settles_as = |settlement| Self::Prices(Price::of(5), settlement);
        Some(match name {
            "answers" => Self::Answers,
            "asks" => Self::Asks,
            "silent" => Self::Silent,
            "works" => Self::Works,
            "unproven" => Self::Unproven,
            "effect-fails" => Self::EffectFails,
            "files" => Self::SendsFiles,
            "cancels" => Self::Cancels,
            "holds" => Self::Holds,
            "uncollected" => Self::Uncollected,
            "claims" => Self::Claims,
            "settlement-pending" => settles_as(Settlement::Pending),
            "provider-busy" => settles_as(Settlement::Busy),
            "pays-elsewhere" => {
                Self::Prices(Price { pay_to: Some(ids::aid("a third party")), ..Price::of(5) }, Settlement::Settles)
            }
            _ => {
                if let Some(rest) = name.strip_prefix("answers-after-") {
                    Self::AnswersAfter(rest.parse().ok().filter(|delay| *delay >= 0)?)
                } else if let Some(rest) = name.strip_prefix("priced-several-") {
                    price(rest, Offer::Several)?
                } else if let Some(rest) = name.strip_prefix("priced-unpayable-") {
                    price(rest, Offer::Unpayable)?
                } else if let Some(rest) = name.strip_prefix("priced-") {
                    price(rest, Offer::One)?
                } else if let Some(rest) = name.strip_prefix("settlement-fails-") {
                    FAILURES.iter().find(|(code, _)| *code == rest)?;
                    settles_as(Settlement::Fails(rest.to_owned()))
                } else if let Some(rest) = name.strip_prefix("refuses-") {
                    REFUSALS.contains(&rest).then(|| Self::Refuses(rest.to_owned()))?
                } else if let Some(rest) = name.strip_prefix("breaks-") {
                    BREAKS.contains(&rest).then(|| Self::Breaks(rest.to_owned()))?
                } else if let Some(rest) = name.strip_prefix("errs-") {
                    Self::Errs(rest.to_owned())
                } else if let Some(rest) = name.strip_prefix("huge-") {
                    Self::Huge(rest.parse().ok()?)
                } else if let Some(rest) = name.strip_prefix("plants-") {
                    Self::Plants(rest.parse().ok()?)
                } else {
                    let verdict = name.strip_prefix("receipt-")?;
                    let all = [Verdict::Verified, Verdict::Unverified, Verdict::Unknown, Verdict::Mismatch];
                    Self::Attests(all.into_iter().find(|known| known.word() == verdict)?)
                }
            }
        })
    }

    /// The AID of the agent that stands in every world, unlisted, and behaves by this name.
    pub fn aid(name: &str) -> String {
        ids::aid(&format!("behaviour {name}"))
    }

    /// The names of the behaviours for which an agent stands in every world.
    pub fn standing() -> Vec<String> {
        let plain = [
            "answers",
            "answers-after-5000",
            "asks",
            "silent",
            "works",
            "unproven",
            "effect-fails",
            "files",
            "cancels",
            "holds",
            "uncollected",
            "claims",
            "settlement-pending",
            "provider-busy",
            "pays-elsewhere",
            "priced-0",
            "priced-5",
            "priced-1000",
            "priced-several-5",
            "priced-unpayable-5",
            "errs-TaskNotFoundError",
            "huge-3145728",
            "plants-40960",
            "receipt-unverified",
            "receipt-unknown",
            "receipt-mismatch",
        ];
        plain
            .into_iter()
            .map(str::to_owned)
            .chain(REFUSALS.iter().map(|reason| format!("refuses-{reason}")))
            .chain(BREAKS.iter().map(|reason| format!("breaks-{reason}")))
            .chain(FAILURES.iter().map(|(reason, _)| format!("settlement-fails-{reason}")))
            .collect()
    }

    /// What the agent does on an occasion: moves, each after so many milliseconds.
    pub fn moves(agent: &Agent, task: &Task, occasion: Occasion) -> Vec<(i64, Move)> {
        let at_once = |step: Move| vec![(0, step)];
        let answer = || Move::Answers(usual_reply(task));
        let paid = |settlement: &Settlement| match settlement {
            Settlement::Settles => vec![(0, Move::Settles), (0, answer())],
            Settlement::Pending => at_once(Move::SettlementPending),
            Settlement::Fails(reason) => at_once(Move::SettlementFails(reason.clone())),
            Settlement::Busy => at_once(Move::Busy),
        };
        match (&agent.behaviour, occasion) {
            (Self::Prices(_, settlement), Occasion::Paid) => paid(settlement),
            (_, Occasion::Paid) => paid(&Settlement::Settles),
            (Self::Answers, _) => match (&task.skill, agent.skills.is_empty()) {
                (Some(skill), false) => match agent.signed_price(skill) {
                    None => at_once(Move::Rejects("capability_not_served".to_owned(), None)),
                    Some(0) => at_once(answer()),
                    Some(price) => at_once(Move::Quotes(Price::of(price))),
                },
                _ => at_once(answer()),
            },
            (Self::AnswersAfter(delay), _) => vec![(0, Move::Collects), (*delay, answer())],
            (Self::Asks, Occasion::Sent) => at_once(Move::Asks("Which of the two do you mean?".to_owned())),
            (Self::Asks, Occasion::Spoken) => at_once(answer()),
            (Self::Prices(price, _), Occasion::Sent) => at_once(Move::Quotes(price.clone())),
            (Self::Prices(..) | Self::Uncollected, _) => Vec::new(),
            (Self::Silent, _) => at_once(Move::Collects),
            (Self::Works, _) => at_once(Move::Progress("Still at it.".to_owned())),
            (Self::Refuses(reason), _) => {
                let retry = reason.starts_with("quota_").then_some(60_000);
                at_once(Move::Rejects(reason.clone(), retry))
            }
            (Self::Breaks(reason), _) if reason == "unavailable" => at_once(Move::Rejects(reason.clone(), None)),
            (Self::Breaks(reason), _) => at_once(Move::Fails(reason.clone())),
            (Self::Errs(name), _) => at_once(Move::Errs(name.clone())),
            (Self::Unproven, _) => at_once(Move::Answers(Reply { unproven: true, ..usual_reply(task) })),
            (Self::EffectFails, _) => at_once(Move::EffectFails("the instrument reported an error".to_owned())),
            (Self::Huge(bytes), _) => {
                at_once(Move::Answers(Reply::text("0123456789abcdef".repeat(bytes / 16 + 1)[..*bytes].to_owned())))
            }
            (Self::SendsFiles, _) => at_once(Move::Answers(Reply {
                files: vec![file("summary.md", "text/markdown", 2143), file("table.csv", "text/csv", 512)],
                ..usual_reply(task)
            })),
            (Self::Plants(bytes), _) => at_once(Move::Answers(Reply {
                metadata: Metadata::from([("note.planted".to_owned(), "p".repeat(*bytes).into())]),
                ..usual_reply(task)
            })),
            (Self::Cancels, _) => at_once(Move::Cancels),
            (Self::Holds, _) => at_once(Move::Holds),
            (Self::Attests(verdict), _) => at_once(Move::Answers(Reply { verdict: *verdict, ..usual_reply(task) })),
            (Self::Claims, _) => vec![(0, Move::Claims), (0, answer())],
        }
    }
}

/// A file of a name, whose content nobody has.
pub fn file(name: &str, media_type: &str, size: u64) -> File {
    File {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        cid: ids::raw_cid(format!("{name} of {size} bytes")),
        size,
    }
}

/// What a peer says when nothing special is wanted of it.
fn usual_reply(task: &Task) -> Reply {
    let said = task
        .history
        .last()
        .and_then(|message| {
            message.parts.iter().find_map(|part| match &part.content {
                crate::project::shape::Content::Text(text) => Some(text.as_str()),
                _ => None,
            })
        })
        .unwrap_or_default();
    let heard: String = said.chars().take(80).collect();
    Reply::text(match &task.skill {
        Some(skill) => format!("{skill} ran"),
        None => format!("Done: {heard}"),
    })
}

/// What a deliverable says of its effect.
pub(crate) const fn effect_of(reply: &Reply) -> Effect {
    if reply.unproven { Effect::Unverified } else { Effect::Ok }
}

#[cfg(test)]
mod tests {
    use super::Behaviour;

    #[test]
    fn every_standing_name_is_a_behaviour() {
        let names = Behaviour::standing();
        for name in &names {
            assert!(Behaviour::parse(name).is_some(), "{name}");
        }
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        for wrong in ["", "priced-", "priced-x", "refuses-nothing", "breaks-", "receipt-forged", "answers-after--1"] {
            assert_eq!(Behaviour::parse(wrong), None, "{wrong}");
        }
    }
}
