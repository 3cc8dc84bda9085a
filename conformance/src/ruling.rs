//! Rulings: what this project decided where the page and the wire contract are silent, as data.
//!
//! Responsible for: reading `spec/rulings.toml` into [`Ruling`]s, finding one by id, and writing `docs/rulings.md`. Not for:
//! judging by them; the requirements cite the rulings in their places.

use std::fmt::Write as _;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::requirement::{self, Level, Requirement};

/// One ruling.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// `R1`, `R2`, ...; never changed, never reused.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The levels of the requirements that cite it, the strictest first.
    pub level: Vec<Level>,
    /// What is decided.
    pub text: String,
    /// Why.
    pub why: String,
}

impl Ruling {
    /// The requirements that cite it.
    pub fn requirements(&self) -> impl Iterator<Item = &'static Requirement> {
        requirement::all().values().filter(|requirement| cited(&requirement.place).contains(&self.id.as_str()))
    }

    /// The levels, as words.
    pub fn levels(&self) -> String {
        self.level.iter().map(Level::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    ruling: Vec<Ruling>,
}

/// All rulings, in their order.
pub fn all() -> &'static [Ruling] {
    static ALL: OnceLock<Vec<Ruling>> = OnceLock::new();
    ALL.get_or_init(|| match toml::from_str::<File>(include_str!("../spec/rulings.toml")) {
        Ok(file) => file.ruling,
        Err(error) => panic!("spec/rulings.toml: {error}"),
    })
}

/// The ruling of that id, in upper or lower case, or none.
pub fn find(id: &str) -> Option<&'static Ruling> {
    all().iter().find(|ruling| ruling.id.eq_ignore_ascii_case(id))
}

/// The ids of the rulings that a requirement's place cites, whether there are such rulings or not.
pub fn cited(place: &str) -> Vec<&str> {
    place
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.strip_prefix('R').is_some_and(|number| number.parse::<u16>().is_ok()))
        .collect()
}

/// `docs/rulings.md`.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Rulings\n\n\
         <!-- Generated from conformance/spec/; `UPDATE_DOCS=1 cargo test -p anet-conformance --lib ruling` writes it. -->\n\n\
         What this project decided where the page (version 0.3) and the [wire contract](contract.md) are silent or leave room.\n\
         The kit, the reference server and the mock daemon follow them alike. The levels are those of the requirements that\n\
         cite a ruling: where the page, MCP or the contract speaks as well, that may be a `must`; nobody fails for what stands\n\
         on a ruling alone. `anet-conformance explain R6` prints one.\n",
    );
    for ruling in all() {
        let _ = write!(
            out,
            "\n## {} {}\n\n*{}.* {}\n\n**Why:** {}\n\n**Cited by:** ",
            ruling.id,
            ruling.title,
            ruling.levels(),
            ruling.text.trim(),
            ruling.why
        );
        let citing: Vec<_> = ruling.requirements().map(|requirement| format!("`{}`", requirement.id)).collect();
        let _ = writeln!(out, "{}.", citing.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{all, cited, find, markdown};
    use crate::requirement;
    use std::collections::BTreeSet;

    #[test]
    fn rulings_are_numbered_without_a_gap_and_say_something() {
        for (index, ruling) in all().iter().enumerate() {
            assert_eq!(ruling.id, format!("R{}", index + 1));
            for text in [&ruling.title, &ruling.text, &ruling.why] {
                assert!(text.trim().len() > 3, "{} leaves something empty", ruling.id);
            }
        }
        assert_eq!(all().len(), 17);
        assert!(find("r6").is_some() && find("R18").is_none());
    }

    #[test]
    fn every_citation_leads_to_a_ruling_and_every_ruling_is_cited() {
        assert_eq!(cited("rulings R7 (strings survive), R10; control-plane 4.2; RFC 8259"), ["R7", "R10"]);
        for requirement in requirement::all().values() {
            for id in cited(&requirement.place) {
                assert!(find(id).is_some(), "{} cites {id}", requirement.id);
            }
        }
        for ruling in all() {
            assert!(ruling.requirements().next().is_some(), "{} is cited by nothing", ruling.id);
        }
    }

    #[test]
    fn the_levels_are_those_of_the_requirements() {
        for ruling in all() {
            let stated: BTreeSet<_> = ruling.level.iter().copied().collect();
            let asked: BTreeSet<_> = ruling.requirements().map(|requirement| requirement.level).collect();
            assert_eq!(stated, asked, "{}", ruling.id);
        }
    }

    #[test]
    fn the_document_is_fresh() {
        crate::ledger::assert_fresh("docs/rulings.md", &markdown());
    }
}
