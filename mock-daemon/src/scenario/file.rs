//! Scenarios in TOML files.
//!
//! Responsible for: reading a file that people write, and saying where it is wrong. Not for: the shipped scenarios.
//!
//! ```toml
//! base = "quiet"              # a shipped scenario to begin with; "quiet" when absent
//! page = "0.3"                # or "0.2"
//! now = "2026-10-12T08:21:36.44Z"
//! inbound = "approve"         # closed, approve or open
//! peers = ["<aid>"]           # senders whose tasks are taken
//!
//! [limits]                    # each may be left out; a list of payees replaces the base's
//! auto_max = 2
//! agent_max = 5
//! agent_daily_max = 20
//! explicit_max = 10
//! daily_max = 50
//! payees = ["<aid>"]
//! balance = 100
//!
//! [[agents]]
//! name = "Lab-P"
//! aid = "bafyrei..."          # made from the name when absent
//! description = "Digests and reports."
//! behaviour = "answers"       # see `Behaviour::parse`
//! verification = "VERIFIED"   # or NONE, or a card-check code such as INVALID_SIGNATURE
//! official = true
//! skills = [{ id = "text.digest", name = "Text digest", price = 0, tags = ["text"] }]
//!
//! [[sent]]                    # a task that this node sends; `to` is a name, a behaviour or an AID
//! to = "Lab-P"
//! text = "Summarise this."    # or: skill = "text.digest"
//!
//! [[received]]                # a task that arrives; `from` likewise
//! from = "Anna"
//! id = "any string"
//! text = "Can you help?"
//! ```

use serde::Deserialize;
use toml::Spanned;

use crate::clock::{Clock, parse_rfc3339};
use crate::ids;
use crate::json::Json;
use crate::world::agents::{Agent, CARD_ERRORS, Skill, Verification};
use crate::world::inbound::{Inbound, Policy};
use crate::world::peer::Behaviour;
use crate::world::{Page, Said, State};

use super::busy::start;
use super::named;

/// Why a scenario file cannot be used. The text names the place in the file; the file's name is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// It is not the TOML that is expected; the message has line, column and key.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A key has a value that means nothing.
    #[error("line {line}: {key}: {why}")]
    Value {
        /// The line of the value, counted from 1.
        line: usize,
        /// Which key, such as `agents[2].behaviour`.
        key: String,
        /// What is wrong and what is taken.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base: Option<Spanned<String>>,
    page: Option<Spanned<String>>,
    now: Option<Spanned<String>>,
    inbound: Option<Spanned<String>>,
    #[serde(default)]
    peers: Vec<String>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    agents: Vec<AgentEntry>,
    #[serde(default)]
    sent: Vec<Sent>,
    #[serde(default)]
    received: Vec<Received>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    auto_max: Option<u64>,
    agent_max: Option<u64>,
    agent_daily_max: Option<u64>,
    explicit_max: Option<u64>,
    daily_max: Option<u64>,
    payees: Option<Vec<String>>,
    balance: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentEntry {
    name: String,
    aid: Option<String>,
    #[serde(default)]
    description: String,
    behaviour: Option<Spanned<String>>,
    verification: Option<Spanned<String>>,
    #[serde(default)]
    official: bool,
    #[serde(default)]
    skills: Vec<SkillEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillEntry {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    price: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    to: Spanned<String>,
    text: Option<String>,
    skill: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Received {
    from: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    text: String,
    skill: Option<String>,
}

/// The text of a file, in which places are looked up.
#[derive(Clone, Copy)]
struct Source<'a>(&'a str);

impl Source<'_> {
    fn wrong<T, V>(self, at: &Spanned<V>, key: impl Into<String>, why: impl Into<String>) -> Result<T, ScenarioError> {
        let before = self.0.as_bytes().iter().take(at.span().start);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        Err(ScenarioError::Value { line, key: key.into(), why: why.into() })
    }
}

/// The state that a scenario file describes.
pub fn parse(text: &str) -> Result<State, ScenarioError> {
    let file: File = toml::from_str(text)?;
    let source = Source(text);
    let mut state = begin(source, &file)?;
    for (index, entry) in file.agents.iter().enumerate() {
        let agent = agent(source, entry, index)?;
        state.agents.retain(|known| known.aid != agent.aid);
        state.agents.push(agent);
    }
    for peer in &file.peers {
        let aid = aid_of(&state, peer);
        state.peers.insert(aid);
    }
    limits(&mut state, &file.limits);
    for (index, sent) in file.sent.iter().enumerate() {
        let to = aid_of(&state, sent.to.get_ref());
        if state.agent(&to).is_none() {
            let why = format!("{:?} is no agent of this scenario and no behaviour", sent.to.get_ref());
            return source.wrong(&sent.to, format!("sent[{index}].to"), why);
        }
        let said = match (&sent.text, &sent.skill) {
            (Some(text), None) => Said::text(text),
            (None, Some(skill)) => Said::call(skill, Json::Object(Vec::new())),
            _ => return source.wrong(&sent.to, format!("sent[{index}]"), "give either text or skill"),
        };
        start(&mut state, &to, &said);
    }
    for received in &file.received {
        let from = aid_of(&state, &received.from);
        state.arrive(Inbound {
            id: received.id.clone(),
            skill: received.skill.clone(),
            ..Inbound::text(&from, &received.text)
        });
    }
    Ok(state)
}

/// The base, with what the head of the file changes in it.
fn begin(source: Source<'_>, file: &File) -> Result<State, ScenarioError> {
    let mut state = match &file.base {
        None => named("quiet").expect("a shipped scenario"),
        Some(base) => match named(base.get_ref()) {
            Some(state) => state,
            None => return source.wrong(base, "base", format!("there is no scenario {:?}", base.get_ref())),
        },
    };
    if let Some(page) = &file.page {
        state.page = match Page::parse(page.get_ref()) {
            Some(page) => page,
            None => return source.wrong(page, "page", format!("{:?} is neither \"0.2\" nor \"0.3\"", page.get_ref())),
        };
    }
    if let Some(text) = &file.now {
        let Some(now) = parse_rfc3339(text.get_ref()) else {
            return source.wrong(text, "now", format!("{:?} is no RFC 3339 time", text.get_ref()));
        };
        state.clock = Clock::Fixed { now, step: 0 };
    }
    if let Some(policy) = &file.inbound {
        state.policy = match policy.get_ref().as_str() {
            "closed" => Policy::Closed,
            "approve" => Policy::Approve,
            "open" => Policy::Open,
            other => {
                return source.wrong(policy, "inbound", format!("{other:?} is none of closed, approve and open"));
            }
        };
    }
    Ok(state)
}

/// Who is meant: an agent's name, a behaviour's name, or an AID as it stands.
fn aid_of(state: &State, word: &str) -> String {
    state
        .agents
        .iter()
        .rev()
        .find(|agent| agent.name == word)
        .map_or_else(|| word.to_owned(), |agent| agent.aid.clone())
}

fn agent(source: Source<'_>, entry: &AgentEntry, index: usize) -> Result<Agent, ScenarioError> {
    let aid = entry.aid.clone().unwrap_or_else(|| ids::aid(&entry.name));
    let mut agent = Agent::new(&aid, &entry.name, &entry.description);
    agent.official = entry.official;
    if let Some(name) = &entry.behaviour {
        let Some(behaviour) = Behaviour::parse(name.get_ref()) else {
            let why = format!("there is no behaviour {:?}", name.get_ref());
            return source.wrong(name, format!("agents[{index}].behaviour"), why);
        };
        agent.behaviour = behaviour;
    }
    if let Some(word) = &entry.verification {
        agent.verification = match word.get_ref().as_str() {
            "VERIFIED" => Verification::Verified,
            "NONE" => Verification::None,
            code if CARD_ERRORS.contains(&code) => Verification::Unverified(code.to_owned()),
            other => {
                let why = format!("{other:?} is neither VERIFIED nor NONE nor a card-check code");
                return source.wrong(word, format!("agents[{index}].verification"), why);
            }
        };
    }
    agent.skills = entry
        .skills
        .iter()
        .map(|skill| Skill {
            id: skill.id.clone(),
            name: if skill.name.is_empty() { skill.id.clone() } else { skill.name.clone() },
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            price: skill.price,
        })
        .collect();
    Ok(agent)
}

fn limits(state: &mut State, limits: &Limits) {
    let now = state.clock.now();
    let payees = limits.payees.as_ref().map(|payees| payees.iter().map(|payee| aid_of(state, payee)).collect());
    let purse = &mut state.purse;
    for (given, limit) in [
        (limits.auto_max, &mut purse.auto_max),
        (limits.agent_max, &mut purse.agent_max),
        (limits.agent_daily_max, &mut purse.agent_daily_max),
        (limits.explicit_max, &mut purse.explicit_max),
        (limits.daily_max, &mut purse.daily_max),
    ] {
        *limit = given.unwrap_or(*limit);
    }
    if payees.is_some() {
        purse.payees = payees;
    }
    if let Some(balance) = limits.balance {
        let delta = i64::from(balance) - purse.balance;
        if delta != 0 {
            purse.book(delta, "opening balance", now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::project::shape::TaskState;
    use crate::world::Page;

    #[test]
    fn a_file_makes_a_world() {
        let state = parse(
            r#"
            page = "0.2"
            now = "2027-01-01T00:00:00Z"
            inbound = "closed"
            peers = ["Anna"]
            [limits]
            agent_max = 7
            payees = ["Lab"]
            balance = 30
            [[agents]]
            name = "Lab"
            skills = [{ id = "a.b", price = 5 }]
            [[agents]]
            name = "Anna"
            verification = "SEQ_FORK"
            [[sent]]
            to = "Lab"
            skill = "a.b"
            [[sent]]
            to = "refuses-denied"
            text = "please"
            [[received]]
            from = "Anna"
            id = "-- any"
            text = "for you"
            [[received]]
            from = "a stranger"
            text = "turned away"
            "#,
        )
        .unwrap();
        assert_eq!((state.page, state.purse.agent_max, state.purse.balance), (Page::V02, 7, 30));
        let states: Vec<_> = state.tasks().iter().map(|task| task.state).collect();
        assert_eq!(states, [TaskState::InputRequired, TaskState::Rejected, TaskState::Submitted]);
        assert_eq!(state.tasks()[2].id, "-- any");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, place) in [
            ("base = \"none\"", "line 1: base: "),
            ("page = \"1\"", "page: "),
            ("now = \"today\"", "now: "),
            ("inbound = \"maybe\"", "inbound: "),
            ("colour = 1", "unknown field `colour`"),
            ("\n\n[limits]\nagent_max = -1", "line 4"),
            ("[[agents]]\nname = \"x\"\nbehaviour = \"sings\"", "line 3: agents[0].behaviour: "),
            ("[[agents]]\nname = \"x\"\nverification = \"MAYBE\"", "agents[0].verification: "),
            ("[[sent]]\nto = \"nobody\"\ntext = \"x\"", "line 2: sent[0].to: "),
            ("[[sent]]\nto = \"answers\"", "sent[0]: "),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(place), "{text:?}: {error}");
        }
    }
}
