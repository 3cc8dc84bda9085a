//! The agents of the network, as the hub's directory and their cards show them.
//!
//! Responsible for: what is known of each agent, cards in publish form, and the entries of `/agents/list` and
//! `/agents/card`. Not for: paging (`routes::agents`) nor how an agent behaves (`peer`). Serves control-plane 2.2 and 2.3.

use crate::clock::rfc3339;
use crate::decode;
use crate::encode::compact;
use crate::ids;
use crate::json::{Json, Members};

use super::Page;
use super::peer::Behaviour;

/// The extension that declares prices are asked.
const X402_EXTENSION: &str = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

/// The card-check codes of `verificationError`.
pub const CARD_ERRORS: [&str; 11] = [
    "INVALID_SIGNATURE",
    "SEQ_ROLLBACK",
    "SEQ_FORK",
    "KEL_UNAVAILABLE",
    "UNSIGNED",
    "BINDING_MISMATCH",
    "KEY_NOT_CURRENT",
    "CARD_NOT_YET_VALID",
    "NOT_PUBLISH_FORM",
    "INVALID_CARD",
    "CARD_TOO_LARGE",
];

/// What is said of an agent without a card.
pub const NO_CARD: &str = "no card published; only the hub vouches for these fields";
/// The sentence of reason `extended_card_unavailable`.
pub const EXTENDED_CARD_UNAVAILABLE: &str =
    "The agent's signed prices could not be fetched, so none are shown; a quote in a task still names its price.";

/// What this node's own check of an agent's card found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// The card's signature holds.
    Verified,
    /// It does not, or could not be checked: a code of [`CARD_ERRORS`] or a sentence.
    Unverified(String),
    /// There is no card.
    None,
}

/// Whether an agent charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// For nothing.
    Free,
    /// For some skills.
    Partial,
    /// For every skill.
    Paid,
}

impl Charge {
    /// The word of `charge`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Partial => "partial",
            Self::Paid => "paid",
        }
    }
}

/// A skill on a card, and the price the agent signed for it (0: free).
#[derive(Clone, Debug)]
pub struct Skill {
    /// The capability's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Units of credit.
    pub price: u64,
}

impl Skill {
    /// A free skill.
    pub fn new(id: &str, name: &str, description: &str, tags: &[&str]) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            price: 0,
        }
    }

    /// The same at a price.
    pub fn priced(mut self, price: u64) -> Self {
        self.price = price;
        self
    }
}

/// An agent.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that the directory states")]
pub struct Agent {
    /// Its AID.
    pub aid: String,
    /// Its name, on the card or at the hub.
    pub name: String,
    /// What it says of itself, on the card or at the hub.
    pub description: String,
    /// Its skills.
    pub skills: Vec<Skill>,
    /// What the check of its card found.
    pub verification: Verification,
    /// The card's bytes, when they are not the ones made from the rest.
    pub card: Option<Json>,
    /// On the signed list of agents that the project runs.
    pub official: bool,
    /// The hub says it stopped collecting mail.
    pub quiet: bool,
    /// The hub confirmed its current key.
    pub key_fresh: bool,
    /// Its hub.
    pub home_hub: String,
    /// When it was last seen.
    pub last_seen: String,
    /// How many reviews it has.
    pub review_count: u64,
    /// Their average, as a JSON number.
    pub avg_rating: Option<String>,
    /// The agent listed this node: it shows it its extended card even when free.
    pub lists_us: bool,
    /// Its extended card can be fetched.
    pub reachable: bool,
    /// It stands in the directory.
    pub listed: bool,
    /// What it does with tasks.
    pub behaviour: Behaviour,
}

impl Agent {
    /// A verified free agent that answers.
    pub fn new(aid: &str, name: &str, description: &str) -> Self {
        Self {
            aid: aid.to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            skills: Vec::new(),
            verification: Verification::Verified,
            card: None,
            official: false,
            quiet: false,
            key_fresh: true,
            home_hub: "https://hub.example.org".to_owned(),
            last_seen: "2026-10-12T08:20:11Z".to_owned(),
            review_count: 0,
            avg_rating: None,
            lists_us: false,
            reachable: true,
            listed: true,
            behaviour: Behaviour::Answers,
        }
    }

    /// What the agent's public card declares about money.
    pub fn charge(&self) -> Charge {
        let charging = self.skills.iter().filter(|skill| skill.price > 0).count();
        match charging {
            0 => Charge::Free,
            all if all == self.skills.len() => Charge::Paid,
            _ => Charge::Partial,
        }
    }

    /// The price the agent signed for a skill, if it has that skill.
    pub fn signed_price(&self, skill: &str) -> Option<u64> {
        self.skills.iter().find(|known| known.id == skill).map(|known| known.price)
    }

    /// The card as signed.
    pub fn card(&self, hub: &str) -> Json {
        self.card.clone().unwrap_or_else(|| self.published_card(hub))
    }

    /// A card in publish form: no default values but the two booleans of `capabilities`, numbers inside `params` as strings.
    fn published_card(&self, hub: &str) -> Json {
        let aid = self.aid.as_str();
        let params = Members::new()
            .put("aid", aid)
            .put("issuedAt", "1791446400123")
            .put("notBefore", "1791446340123")
            .put("seq", "1791446400")
            .done();
        let mut extensions = vec![
            Members::new()
                .put("description", "identity and card sequence")
                .put("params", params)
                .put("uri", "https://agentnetwork.org.cn/a2a/ext/anet-card/v1")
                .done(),
            Members::new()
                .put("description", "receipts and evidence metadata")
                .put("uri", "https://agentnetwork.org.cn/a2a/ext/anet-evidence/v1")
                .done(),
        ];
        if self.charge() != Charge::Free {
            let prices: Vec<Json> = self
                .skills
                .iter()
                .filter(|skill| skill.price > 0)
                .map(|skill| {
                    Json::object([("amount", skill.price.to_string().into()), ("skillId", Json::from(&skill.id))])
                })
                .collect();
            let params = Members::new().put("network", format!("hub:{hub}")).put("prices", prices).done();
            extensions.push(
                Members::new()
                    .put("params", params)
                    .put("uri", "https://agentnetwork.org.cn/a2a/ext/anet-pricing/v1")
                    .done(),
            );
            extensions.push(
                Members::new().only_true("required", self.charge() == Charge::Paid).put("uri", X402_EXTENSION).done(),
            );
        }
        let interface = Members::new()
            .put("protocolBinding", "https://agentnetwork.org.cn/a2a/bindings/anet-relay/v1")
            .put("protocolVersion", "1.0")
            .put("tenant", aid)
            .put("url", format!("{}/relay", self.home_hub))
            .done();
        let capabilities =
            Members::new().put("streaming", false).put("pushNotifications", false).put("extensions", extensions).done();
        let modes = || vec![Json::from("application/json")];
        let protected = ids::base64(format!("{{\"alg\":\"EdDSA\",\"kid\":\"did:anet:{aid}#0\"}}").as_bytes());
        let signature = Members::new()
            .put("protected", protected.trim_end_matches('='))
            .put("signature", ids::signature(format!("card of {aid}")).trim_end_matches('='))
            .done();
        let skills: Vec<Json> = self.skills.iter().map(skill_json).collect();
        Members::new()
            .put("name", &self.name)
            .text("description", &self.description)
            .put("supportedInterfaces", vec![interface])
            .put("version", "0.3.0")
            .put("capabilities", capabilities)
            .put("defaultInputModes", modes())
            .put("defaultOutputModes", modes())
            .maybe("skills", (!skills.is_empty()).then_some(skills))
            .put("signatures", vec![signature])
            .done()
    }

    /// The entry of `/agents/list`.
    pub fn entry(&self, hub: &str, page: Page) -> Json {
        let new = page == Page::V03;
        let members = Members::new().put("aid", &self.aid);
        match &self.verification {
            Verification::Verified => {
                let members = members
                    .put("card", self.card(hub))
                    .put("verification", "VERIFIED")
                    .put("hubVerification", "ok")
                    .text("name", &self.name);
                let members = self.hub_words(members).only_true("anet.official", self.official);
                if new {
                    members
                        .put("charge", self.charge().word())
                        .put("key_state", if self.key_fresh { "fresh" } else { "stale" })
                        .done()
                } else {
                    members.done()
                }
            }
            Verification::Unverified(why) => members
                .put("verification", "UNVERIFIED")
                .put("verificationError", why)
                .only_true("anet.official", self.official)
                .done(),
            Verification::None => {
                let members = members.put("verification", "NONE").put("verificationError", NO_CARD);
                if self.official {
                    // A hub must not put words into the mouth of an official agent.
                    return members.put("anet.official", true).done();
                }
                let caps: Vec<Json> = self.skills.iter().map(|skill| Json::from(&skill.id)).collect();
                let members = members
                    .text("name", &self.name)
                    .maybe("caps", (!caps.is_empty()).then_some(caps))
                    .text("summary", &self.description);
                self.hub_words(members).done()
            }
        }
    }

    fn hub_words(&self, members: Members) -> Members {
        members
            .text("homeHub", &self.home_hub)
            .text("lastSeen", &self.last_seen)
            .only_true("quiet", self.quiet)
            .maybe("reviewCount", (self.review_count > 0).then_some(self.review_count))
            .maybe("avgRating", self.avg_rating.clone().map(Json::Number))
    }

    /// The answer of `/agents/card`.
    pub fn card_answer(&self, hub: &str, page: Page, now: i64) -> Json {
        let members = Members::new().put("aid", &self.aid);
        match &self.verification {
            Verification::Verified => {
                let members = members
                    .put("card", self.card(hub))
                    .put("verification", "VERIFIED")
                    .text("name", &self.name)
                    .only_true("anet.official", self.official);
                if page == Page::V02 {
                    return members.done();
                }
                let members = members.put("charge", self.charge().word());
                if self.charge() == Charge::Free && !self.lists_us {
                    members.done()
                } else if self.reachable {
                    let prices: Vec<Json> = self
                        .skills
                        .iter()
                        .map(|skill| {
                            Json::object([
                                ("skillId", Json::from(&skill.id)),
                                ("amount", skill.price.to_string().into()),
                            ])
                        })
                        .collect();
                    members.put("prices", prices).put("pricesFetchedAt", rfc3339(now)).done()
                } else {
                    members.put("priceNote", EXTENDED_CARD_UNAVAILABLE).done()
                }
            }
            Verification::Unverified(why) => members
                .put("verification", "UNVERIFIED")
                .put("verificationError", why)
                .only_true("anet.official", self.official)
                .done(),
            Verification::None => nobody(&self.aid, self.official),
        }
    }

    /// Whether the hub's registry finds the agent under a capability and a tag (empty: any).
    pub fn published_under(&self, skill: &str, tag: &str) -> bool {
        (skill.is_empty() || self.skills.iter().any(|known| known.id == skill))
            && (tag.is_empty()
                || (self.verification != Verification::None
                    && self.skills.iter().any(|known| known.tags.iter().any(|own| own == tag))))
    }

    /// Whether the free text is found in what is shown of the agent.
    pub fn matches(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let found = |shown: &str| shown.to_lowercase().contains(&text);
        if text.is_empty() || found(&self.aid) {
            return true;
        }
        match self.verification {
            Verification::Unverified(_) => false,
            Verification::None if self.official => false,
            Verification::None => {
                found(&self.name) || found(&self.description) || self.skills.iter().any(|skill| found(&skill.id))
            }
            Verification::Verified => {
                found(&self.name)
                    || found(&self.description)
                    || self.skills.iter().any(|skill| {
                        found(&skill.id)
                            || found(&skill.name)
                            || found(&skill.description)
                            || skill.tags.iter().any(|tag| found(tag))
                    })
            }
        }
    }

    /// Sets the exact card that the agent signed, from its JSON text: digits and order stay.
    pub fn signed_card(mut self, text: &str) -> Result<Self, decode::BadBody> {
        self.card = Some(decode::first_value(text.as_bytes())?);
        Ok(self)
    }
}

/// The entry of an AID that published nothing.
pub fn nobody(aid: &str, official: bool) -> Json {
    Members::new()
        .put("aid", aid)
        .put("verification", "NONE")
        .put("verificationError", NO_CARD)
        .only_true("anet.official", official)
        .done()
}

fn skill_json(skill: &Skill) -> Json {
    let tags: Vec<Json> = skill.tags.iter().map(Json::from).collect();
    Members::new()
        .put("id", &skill.id)
        .put("name", &skill.name)
        .text("description", &skill.description)
        .maybe("tags", (!tags.is_empty()).then_some(tags))
        .done()
}

/// The length of a card's JSON, which the network holds to 64 KiB.
pub fn card_size(card: &Json) -> usize {
    compact(card).len()
}
