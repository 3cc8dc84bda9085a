//! What this node may spend, and what it has.
//!
//! Responsible for: the limits, the payee list, the check order of control-plane 5.5, the hub's ledger as far as this node
//! sees it, and the answers of `/payments/status` and `/balance`. Not for: quotes and decisions (`pay`).

use crate::clock::rfc3339;
use crate::json::{Json, Members};

use super::Page;

const DAY_MS: i64 = 24 * 3_600_000;
/// The balance answer shows this many entries.
const SHOWN_ENTRIES: usize = 100;

/// For whom a payment is made: each has its own single limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The node pays of itself.
    Automatic,
    /// An agent asked for it (`submit_payment`).
    Agent,
    /// A person at a terminal.
    Operator,
}

/// Why the policy refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendRefusal {
    /// The code of control-plane 5.5.
    pub code: &'static str,
    /// Why, as the first half of a sentence.
    pub why: String,
    /// What the operator has to do first, as terminal commands.
    pub steps: Vec<String>,
}

/// A payment that was signed.
#[derive(Clone, Debug)]
struct Signed {
    at: i64,
    amount: u64,
    by_agent: bool,
}

/// An entry of the hub's ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Units of credit, negative when they left.
    pub delta: i64,
    /// Why.
    pub reason: String,
    /// When, in Unix milliseconds.
    pub at: i64,
}

/// What can be paid and with what.
#[derive(Clone, Debug)]
pub struct Purse {
    /// The payment module is in the binary and switched on.
    pub module: bool,
    /// The most that is paid automatically at once.
    pub auto_max: u64,
    /// The most that an agent may pay at once.
    pub agent_max: u64,
    /// The most that agents may pay in 24 hours.
    pub agent_daily_max: u64,
    /// The most that a person may pay at once.
    pub explicit_max: u64,
    /// The most that all may pay in 24 hours.
    pub daily_max: u64,
    /// The file with the payees; empty: no list, anybody may be paid.
    pub payees_file: String,
    /// Who stands in it; none when it cannot be read.
    pub payees: Option<Vec<String>>,
    /// Units of credit at the hub.
    pub balance: i64,
    /// The ledger, oldest first; none when it cannot be read.
    pub entries: Option<Vec<Entry>>,
    /// The sentence, when the balance cannot be read.
    pub balance_error: Option<String>,
    /// For an account that joined through open registration: until when it is on probation (Unix milliseconds).
    pub probation_until: Option<i64>,
    /// What such an account got to try with.
    pub trial: Option<Json>,
    signed: Vec<Signed>,
}

impl Default for Purse {
    /// A new node: nothing without a person.
    fn default() -> Self {
        Self {
            module: true,
            auto_max: 0,
            agent_max: 0,
            agent_daily_max: 0,
            explicit_max: 10,
            daily_max: 50,
            payees_file: "payees.allow".to_owned(),
            payees: Some(Vec::new()),
            balance: 0,
            entries: Some(Vec::new()),
            balance_error: None,
            probation_until: None,
            trial: None,
            signed: Vec::new(),
        }
    }
}

impl Purse {
    /// Asks the policy, in its order: zero, single limit, payee list, agents' day, everybody's day.
    pub fn check(&self, purpose: Purpose, amount: u64, payee: &str, now: i64) -> Result<(), SpendRefusal> {
        let refuse = |code, why: String, steps: Vec<String>| Err(SpendRefusal { code, why, steps });
        if amount == 0 {
            return refuse(
                "zero_amount",
                "the quote asks for nothing, so there is nothing to pay".to_owned(),
                Vec::new(),
            );
        }
        let (limit, who) = match purpose {
            Purpose::Automatic => (self.auto_max, "is paid automatically on this node"),
            Purpose::Agent => (self.agent_max, "agents may spend on this node"),
            Purpose::Operator => (self.explicit_max, "may be spent at once on this node"),
        };
        let raise =
            |name: &str, needed: u64, has: u64| (needed > has).then(|| format!("anet payments set {name}={needed}"));
        let listed = self.payees.as_ref().is_some_and(|payees| payees.iter().any(|known| known == payee));
        let mut steps: Vec<String> = Vec::new();
        if !self.payees_file.is_empty() {
            if self.payees.is_none() {
                steps.push(format!("repair the payee list {}", self.payees_file));
            } else if !listed {
                steps.push(format!("anet payees add {payee}"));
            }
        }
        steps.extend(raise("explicit_max", amount, self.explicit_max));
        steps.extend(raise("daily_max", self.spent(now).saturating_add(amount), self.daily_max));
        if amount > limit {
            return refuse(
                "over_single_limit",
                format!("a single payment of {amount} exceeds what {who} (limit {limit})"),
                steps,
            );
        }
        if !self.payees_file.is_empty() {
            if self.payees.is_none() {
                return refuse(
                    "payees_unreadable",
                    format!("the payee list {} cannot be read", self.payees_file),
                    steps,
                );
            }
            if !listed {
                return refuse(
                    "payee_not_allowed",
                    format!("{payee} is not in the payee list {}", self.payees_file),
                    steps,
                );
            }
        }
        let spent = self.spent_by_agents(now);
        if purpose == Purpose::Agent && spent.saturating_add(amount) > self.agent_daily_max {
            let limit = self.agent_daily_max;
            return refuse(
                "over_agent_daily_limit",
                format!(
                    "agents have signed {spent} in 24 hours and {amount} more exceeds their daily limit of {limit}"
                ),
                steps,
            );
        }
        let spent = self.spent(now);
        if spent.saturating_add(amount) > self.daily_max {
            let limit = self.daily_max;
            return refuse(
                "over_daily_limit",
                format!(
                    "this node has signed {spent} in 24 hours and {amount} more exceeds the daily limit of {limit}"
                ),
                steps,
            );
        }
        Ok(())
    }

    /// Notes a payment that was signed: what counts for the limits, settled or not.
    pub fn sign(&mut self, amount: u64, purpose: Purpose, now: i64) {
        self.signed.retain(|signed| now - signed.at < DAY_MS);
        self.signed.push(Signed { at: now, amount, by_agent: purpose == Purpose::Agent });
    }

    /// Books what the hub settled.
    pub fn book(&mut self, delta: i64, reason: &str, now: i64) {
        self.balance += delta;
        if let Some(entries) = &mut self.entries {
            entries.push(Entry { delta, reason: reason.to_owned(), at: now });
        }
    }

    /// What was signed in 24 hours.
    pub fn spent(&self, now: i64) -> u64 {
        self.signed.iter().filter(|signed| now - signed.at < DAY_MS).map(|signed| signed.amount).sum()
    }

    /// What was signed for agents in 24 hours.
    pub fn spent_by_agents(&self, now: i64) -> u64 {
        self.signed
            .iter()
            .filter(|signed| signed.by_agent && now - signed.at < DAY_MS)
            .map(|signed| signed.amount)
            .sum()
    }

    /// The answer of `/payments/status`.
    pub fn status(&self, page: Page, now: i64) -> Json {
        let members = Members::new()
            .put("auto_max", self.auto_max)
            .put("agent_max", self.agent_max)
            .put("agent_daily_max", self.agent_daily_max)
            .put("explicit_max", self.explicit_max)
            .put("daily_max", self.daily_max)
            .put("payees_file", &self.payees_file)
            .put("spent_24h", self.spent(now))
            .put("agent_spent_24h", self.spent_by_agents(now));
        match page {
            Page::V02 => members.done(),
            Page::V03 => members.put("summary", self.summary(now)).done(),
        }
    }

    /// What an agent can still do today, in a sentence.
    pub fn summary(&self, now: i64) -> String {
        if self.agent_max == 0 {
            return "An agent may not pay anything on this node; a person can with `anet pay`.".to_owned();
        }
        let rest = self
            .agent_daily_max
            .saturating_sub(self.spent_by_agents(now))
            .min(self.daily_max.saturating_sub(self.spent(now)));
        format!("An agent may pay at most {} at once and {rest} more today.", self.agent_max)
    }

    /// The answer of `/balance` while there is a balance to read.
    pub fn answer(&self, aid: &str, hub: &str, hub_url: &str, page: Page) -> Json {
        let members = Members::new().put("aid", aid).put("asset", "credit");
        let members = match &self.balance_error {
            Some(sentence) => members.put("balance_error", sentence),
            None => members.put("balance", self.balance).maybe("entries", self.entries.as_deref().map(entries_json)),
        };
        let members = members.put("hub", hub_url).put("network", format!("hub:{hub}"));
        match page {
            Page::V02 => members.sorted(),
            Page::V03 => members
                .maybe("probation_until", self.probation_until.map(rfc3339))
                .maybe("trial", self.trial.clone())
                .sorted(),
        }
    }
}

fn entries_json(entries: &[Entry]) -> Vec<Json> {
    let from = entries.len().saturating_sub(SHOWN_ENTRIES);
    entries[from..]
        .iter()
        .map(|entry| {
            Members::new().put("at", rfc3339(entry.at)).put("delta", entry.delta).put("reason", &entry.reason).done()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{DAY_MS, Purpose, Purse};

    fn code(purse: &Purse, purpose: Purpose, amount: u64, payee: &str) -> &'static str {
        purse.check(purpose, amount, payee, 0).err().map_or("", |refusal| refusal.code)
    }

    #[test]
    fn the_policy_is_asked_in_its_order() {
        let mut purse = Purse::default();
        assert_eq!(code(&purse, Purpose::Agent, 0, "p"), "zero_amount");
        assert_eq!(code(&purse, Purpose::Agent, 1, "p"), "over_single_limit");
        purse.agent_max = 5;
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "payee_not_allowed");
        purse.payees = None;
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "payees_unreadable");
        purse.payees_file.clear();
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "over_agent_daily_limit");
        purse.agent_daily_max = 100;
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "");
        purse.daily_max = 4;
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "over_daily_limit");
    }

    #[test]
    fn signed_payments_count_for_a_day() {
        let mut purse = Purse { agent_max: 10, agent_daily_max: 10, payees_file: String::new(), ..Purse::default() };
        purse.sign(6, Purpose::Agent, 0);
        purse.sign(3, Purpose::Automatic, 0);
        assert_eq!((purse.spent(0), purse.spent_by_agents(0)), (9, 6));
        assert_eq!(code(&purse, Purpose::Agent, 5, "p"), "over_agent_daily_limit");
        assert_eq!(purse.spent(DAY_MS), 0);
        assert!(purse.check(Purpose::Agent, 5, "p", DAY_MS).is_ok());
    }
}
