//! The ledger: the page sentence by sentence, and where each is judged.
//!
//! Responsible for: reading `spec/page.toml`, holding it to account (every sentence classified, every reference alive),
//! and writing `docs/requirements.md`. Not for: the requirements themselves (`requirement`).

use std::fmt::Write as _;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::case::Case;
use crate::requirement::{self, Requirement};

/// What becomes of a sentence of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Judged by cases.
    Requirement,
    /// The choice is recorded.
    Observe,
    /// Not observable from outside a server.
    Hidden,
    /// A promise of the daemon, which a server keeps by passing on what it is told.
    Daemon,
    /// Nothing to obey.
    Context,
}

/// A sentence of the page, in our own words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// `page.N`; never changed, never reused.
    pub id: String,
    /// The page's heading.
    pub place: String,
    /// What it says.
    pub text: String,
    /// What becomes of it.
    pub class: Class,
    /// The requirements that judge it.
    #[serde(default)]
    pub by: Vec<String>,
    /// Why it cannot be judged.
    #[serde(default)]
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sentence: Vec<Sentence>,
}

/// All sentences, in the page's order.
pub fn sentences() -> &'static [Sentence] {
    static ALL: OnceLock<Vec<Sentence>> = OnceLock::new();
    ALL.get_or_init(|| match toml::from_str::<File>(include_str!("../spec/page.toml")) {
        Ok(file) => file.sentence,
        Err(error) => panic!("spec/page.toml: {error}"),
    })
}

/// The sentences that a requirement judges.
pub fn sentences_of(requirement: &str) -> impl Iterator<Item = &'static Sentence> {
    sentences().iter().filter(move |sentence| sentence.by.iter().any(|id| id == requirement))
}

/// `docs/requirements.md`: the requirements with their cases, then the page's sentences with their requirements.
pub fn markdown(cases: &[Case]) -> String {
    let mut out = String::from(
        "# Requirements\n\n\
         <!-- Generated from conformance/spec/; `UPDATE_DOCS=1 cargo test -p anet-conformance --lib ledger` writes it. -->\n\n\
         A `must` fails the run, a `should` warns (and fails under `--strict`), an `observe` is recorded. The basis says who\n\
         asks: the page (version 0.3), MCP, the wire contract of the daemon, or a ruling of this project.\n",
    );
    let mut topic = "";
    for requirement in requirement::all().values() {
        let head = requirement.id.split('.').next().unwrap_or_default();
        if head != topic {
            topic = head;
            let _ = write!(out, "\n## {topic}\n");
        }
        entry(&mut out, requirement, cases);
    }
    out.push_str("\n## The page, sentence by sentence\n\n| | Heading | Sentence | Judged by |\n|---|---|---|---|\n");
    for sentence in sentences() {
        let judged = match sentence.class {
            Class::Context => "informative".to_owned(),
            Class::Hidden => format!("not observable: {}", sentence.why),
            _ => sentence.by.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(out, "| {} | {} | {} | {judged} |", sentence.id, sentence.place, sentence.text);
    }
    out
}

fn entry(out: &mut String, requirement: &Requirement, cases: &[Case]) {
    let serving: Vec<_> = cases
        .iter()
        .filter(|case| case.checks.iter().any(|check| check.requirement == requirement.id))
        .map(|case| case.id.as_str())
        .collect();
    let _ = write!(
        out,
        "\n### `{}`\n\n**{}** ({}): {}\n\n{}.",
        requirement.id, requirement.level, requirement.basis, requirement.text, requirement.place
    );
    if !requirement.revisions.is_empty() {
        let _ = write!(out, " Only in MCP {}.", requirement.revisions.join(", "));
    }
    let _ = match serving.as_slice() {
        [] => write!(out, " Checked in every case."),
        [only] => write!(out, " One case: `{only}`."),
        [first, ..] => write!(out, " {} cases, e.g. `{first}`.", serving.len()),
    };
    let _ = writeln!(out, "\n\n*When it fails:* {}", requirement.advice);
}

/// Fails unless a generated document of the repository is what the data say; with `UPDATE_DOCS` set it is written first.
#[cfg(test)]
pub(crate) fn assert_fresh(document: &str, fresh: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, fresh).expect("docs/ can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == fresh, "{document} is not what the data say; UPDATE_DOCS=1 writes it");
}

#[cfg(test)]
mod tests {
    use super::{Class, markdown, sentences, sentences_of};
    use crate::requirement::{self, Basis};

    #[test]
    fn sentences_are_numbered_without_a_gap() {
        for (index, sentence) in sentences().iter().enumerate() {
            assert_eq!(sentence.id, format!("page.{}", index + 1));
        }
        assert_eq!(sentences().len(), 100, "a sentence that was added or removed is a change of the page");
    }

    #[test]
    fn every_sentence_is_accounted_for() {
        for sentence in sentences() {
            match sentence.class {
                Class::Requirement | Class::Observe | Class::Daemon => {
                    assert!(!sentence.by.is_empty(), "{} is judged by nothing", sentence.id);
                }
                Class::Hidden => assert!(!sentence.why.is_empty(), "{} gives no reason", sentence.id),
                Class::Context => assert!(sentence.by.is_empty(), "{} is informative and judged", sentence.id),
            }
            for id in &sentence.by {
                assert!(requirement::find(id).is_some(), "{}: no requirement `{id}`", sentence.id);
            }
        }
    }

    #[test]
    fn every_requirement_of_the_page_points_to_a_sentence() {
        for requirement in requirement::all().values().filter(|requirement| requirement.basis == Basis::Page) {
            assert!(sentences_of(&requirement.id).next().is_some(), "no sentence asks for {}", requirement.id);
        }
    }

    #[test]
    fn the_document_is_fresh() {
        super::assert_fresh("docs/requirements.md", &markdown(&crate::cases::all()));
    }
}
