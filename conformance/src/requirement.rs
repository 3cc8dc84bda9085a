//! Requirements: what the page, MCP, the wire contract or a ruling asks of a server, as data.
//!
//! Responsible for: reading `spec/requirements/*.toml` into [`Requirement`]s and finding one by id. Not for: cases, which
//! name the requirements that their checks serve.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::revision::Revision;

/// What a violation does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing: the choice is recorded.
    Observe,
    /// A warning; a failure under `--strict`.
    Should,
    /// A failure.
    Must,
}

/// Who asks for it. `must` needs anything but a ruling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The page (version 0.3) states it.
    Page,
    /// The MCP specification states it.
    Mcp,
    /// The observed wire contract of the daemon: without it no real daemon answers.
    Wire,
    /// Decided by this project where the others are silent.
    Ruling,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Observe => "observe",
            Self::Should => "should",
            Self::Must => "must",
        })
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Page => "page",
            Self::Mcp => "mcp",
            Self::Wire => "wire",
            Self::Ruling => "ruling",
        })
    }
}

/// One requirement, as it stands in a file under `spec/requirements/`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its id: topic and point, lower case, e.g. `errors.sentence-exact`. Never changed, never reused.
    pub id: String,
    /// What a violation does.
    pub level: Level,
    /// Who asks for it.
    pub basis: Basis,
    /// What a server must, should or may do: one or two sentences, in our own words.
    pub text: String,
    /// Where it is stated: heading of the page, section of the contract or of MCP, number of the ruling.
    pub place: String,
    /// What usually went wrong and what to do about it.
    pub advice: String,
    /// The first version of the page that asks for it.
    #[serde(default = "first_page")]
    pub since: String,
    /// The MCP revisions for which it holds, by name; empty means all.
    #[serde(default)]
    pub revisions: Vec<String>,
}

impl Requirement {
    /// Whether it holds in that revision.
    pub fn holds_in(&self, revision: Revision) -> bool {
        self.revisions.is_empty() || self.revisions.iter().any(|name| name == revision.name())
    }
}

fn first_page() -> String {
    "0.3".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    requirement: Vec<Requirement>,
}

/// The files, by name, as they are built in.
pub const FILES: &[(&str, &str)] = &[
    ("arguments.toml", include_str!("../spec/requirements/arguments.toml")),
    ("faults.toml", include_str!("../spec/requirements/faults.toml")),
    ("node.toml", include_str!("../spec/requirements/node.toml")),
    ("protocol.toml", include_str!("../spec/requirements/protocol.toml")),
    ("reach.toml", include_str!("../spec/requirements/reach.toml")),
    ("results.toml", include_str!("../spec/requirements/results.toml")),
    ("surface.toml", include_str!("../spec/requirements/surface.toml")),
    ("wire.toml", include_str!("../spec/requirements/wire.toml")),
];

/// All requirements by id.
pub fn all() -> &'static BTreeMap<String, Requirement> {
    static ALL: OnceLock<BTreeMap<String, Requirement>> = OnceLock::new();
    ALL.get_or_init(|| {
        FILES
            .iter()
            .flat_map(|(name, text)| match toml::from_str::<File>(text) {
                Ok(file) => file.requirement,
                Err(error) => panic!("spec/requirements/{name}: {error}"),
            })
            .map(|requirement| (requirement.id.clone(), requirement))
            .collect()
    })
}

/// The requirement of that id, or none.
pub fn find(id: &str) -> Option<&'static Requirement> {
    all().get(id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Basis, FILES, File, Level, all};
    use crate::revision::Revision;

    #[test]
    fn ids_are_unique_and_well_formed() {
        let mut seen = BTreeSet::new();
        for (name, text) in FILES {
            let file: File = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            for requirement in file.requirement {
                let plain =
                    requirement.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b));
                assert!(plain && requirement.id.contains('.'), "{name}: id `{}`", requirement.id);
                assert!(seen.insert(requirement.id.clone()), "{name}: id `{}` is there twice", requirement.id);
            }
        }
    }

    #[test]
    fn nobody_fails_for_a_ruling_alone() {
        for requirement in all().values() {
            assert!(
                requirement.level < Level::Must || requirement.basis != Basis::Ruling,
                "{} is a must on a ruling",
                requirement.id
            );
        }
    }

    #[test]
    fn every_text_says_something_and_every_revision_exists() {
        for requirement in all().values() {
            for (what, text) in
                [("text", &requirement.text), ("place", &requirement.place), ("advice", &requirement.advice)]
            {
                assert!(text.trim().len() > 3, "{}: {what} is empty", requirement.id);
            }
            for name in &requirement.revisions {
                assert!(name.parse::<Revision>().is_ok(), "{}: revision `{name}`", requirement.id);
            }
        }
    }
}
