//! Worlds to begin with.
//!
//! Responsible for: the shipped scenarios, by name ([`named`]), and scenarios in files ([`parse`], [`load`]). Not for: how a world moves
//! (`world`).

mod busy;
mod file;
mod more;

pub use busy::busy;
pub use file::{ScenarioError, parse};

use std::io;
use std::path::Path;

use crate::world::State;

/// The names of the shipped scenarios, each with what it is for.
pub const NAMES: [(&str, &str); 6] = [
    ("quiet", "a new node: nobody known, no tasks, nothing to spend"),
    ("busy", "a node in daily use: every verification, every state, a quote, held tasks"),
    ("market", "agents that charge, and limits that allow some of it"),
    ("provider", "tasks from others that wait for this node's answer"),
    ("trouble", "every refusal, failure and hostile peer"),
    ("huge", "answers and metadata that do not fit"),
];

/// The state of the scenario of this name.
pub fn named(name: &str) -> Option<State> {
    Some(match name {
        "quiet" => more::quiet(),
        "busy" => busy(),
        "market" => more::market(),
        "provider" => more::provider(),
        "trouble" => more::trouble(),
        "huge" => more::huge(),
        _ => return None,
    })
}

/// Why a scenario cannot be had, with the file that is at fault.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is neither shipped nor a file that can be read.
    #[error(
        "There is no scenario {name:?}, and no file of that name can be read: {source}. Shipped are {}.",
        shipped()
    )]
    Unreadable {
        /// What was asked for.
        name: String,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// The file does not describe a world.
    #[error("The scenario {file} cannot be used: {source}")]
    Broken {
        /// The file.
        file: String,
        /// Where and why.
        source: ScenarioError,
    },
}

/// The state of a shipped scenario or of a file; a shipped name wins.
pub fn load(name: &str) -> Result<State, LoadError> {
    if let Some(state) = named(name) {
        return Ok(state);
    }
    let text = std::fs::read_to_string(Path::new(name))
        .map_err(|source| LoadError::Unreadable { name: name.to_owned(), source })?;
    parse(&text).map_err(|source| LoadError::Broken { file: name.to_owned(), source })
}

fn shipped() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::{NAMES, named};
    use crate::project::{self, View};
    use crate::world::check;

    #[test]
    fn every_scenario_holds_the_invariants_and_its_chain() {
        for (name, _) in NAMES {
            let state = named(name).expect("every listed scenario is there");
            assert!(state.evidence.holds(), "{name}");
            for task in state.tasks() {
                let shown = project::task(&state, task, View::default());
                assert_eq!(check::broken(&state, task, &shown), Vec::<String>::new(), "{name}: {task:?}");
            }
        }
        assert!(named("nothing").is_none());
    }
}
