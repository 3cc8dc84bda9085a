//! `explain ID`: what is asked, where it stands, what is tried, in words.
//!
//! Responsible for: finding what an id names (requirement, case, tool, ruling, sentence of the page, section of the
//! contract, or the beginning of ids), and the text on it. Not for: judging.

mod case;
mod layout;
mod place;
mod tool;

use std::fmt::Write as _;

use self::layout::{hanging, paragraph};
use self::place::Section;
use crate::case::Case;
use crate::ledger::{self, Class, Sentence};
use crate::page::Tool;
use crate::requirement::{self, Requirement};
use crate::ruling::{self, Ruling};
use crate::select;

/// How many cases of one requirement are named.
const NAMED: usize = 20;

/// There is nothing of that id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no requirement, case, tool, ruling (R1 to R{rulings}), section (control-plane 2.4) or sentence of the page \
     (page.1) `{id}`{hint}",
    rulings = ruling::all().len()
)]
pub struct Unknown {
    id: String,
    hint: String,
}

/// The explanation of whatever has that id. A beginning of ids (whole pieces: `errors`, `exchange/get_task`) is explained by
/// the list of what is below.
pub fn explain(id: &str, cases: &[Case]) -> Result<String, Unknown> {
    let id = id.trim();
    let exact = of_requirement_id(id, cases)
        .or_else(|| ledger::sentences().iter().find(|sentence| sentence.id == id).map(of_sentence))
        .or_else(|| ruling::find(id.trim_start_matches("rulings ")).map(of_ruling))
        .or_else(|| section_of(id).map(of_section))
        .or_else(|| Tool::from_name(id).map(|tool| tool::explain(tool, cases)))
        .or_else(|| case::find(id, cases).map(|found| case::explain(&found)));
    exact.or_else(|| below(id, cases)).ok_or_else(|| unknown(id, cases))
}

fn unknown(id: &str, cases: &[Case]) -> Unknown {
    let ids = requirement::all().keys().map(String::as_str).chain(cases.iter().map(|case| case.id.as_str()));
    let otherwise = "docs/requirements.md and `anet-conformance list` name them all";
    let hint = select::near(id, ids.chain(Tool::ALL.map(Tool::name)), otherwise);
    Unknown { id: id.to_owned(), hint }
}

/// `control-plane 2.4`, `control-plane section 2`.
fn section_of(id: &str) -> Option<&'static Section> {
    let number = id.strip_prefix("control-plane")?.trim().trim_start_matches("section").trim();
    place::section(number)
}

fn of_requirement_id(id: &str, cases: &[Case]) -> Option<String> {
    requirement::find(id).map(|requirement| of_requirement(requirement, cases))
}

fn of_requirement(requirement: &Requirement, cases: &[Case]) -> String {
    let mut out = format!("{}  [{}, {}]\n\n", requirement.id, requirement.level, requirement.basis);
    out.push_str(&paragraph(&requirement.text, ""));
    out.push('\n');
    out.push_str(&hanging("where          ", &requirement.place));
    for line in sources(&requirement.place) {
        out.push_str(&hanging("               ", &line));
    }
    let _ = writeln!(out, "since          page {}", requirement.since);
    if !requirement.revisions.is_empty() {
        out.push_str(&hanging("MCP revisions  ", &requirement.revisions.join(", ")));
    }
    out.push_str(&hanging("when it fails  ", &requirement.advice));
    let sentences: Vec<_> = ledger::sentences_of(&requirement.id).collect();
    if !sentences.is_empty() {
        out.push_str("\nthe page says\n");
        for sentence in sentences {
            out.push_str(&hanging(
                &format!("  {:<9} ", sentence.id),
                &format!("{} ({})", sentence.text, sentence.place),
            ));
        }
    }
    let serving: Vec<_> =
        cases.iter().filter(|case| case.checks.iter().any(|check| check.requirement == requirement.id)).collect();
    if serving.is_empty() {
        out.push_str("\nchecked in every case\n");
    } else {
        let _ = writeln!(out, "\n{}", counted(serving.len(), "case"));
        for case in serving.iter().take(NAMED) {
            let _ = writeln!(out, "  {}", case.id);
        }
        if serving.len() > NAMED {
            let _ = writeln!(out, "  ... and {} more: anet-conformance list", serving.len() - NAMED);
        }
    }
    out
}

/// What a place cites, with the file of the repository in which it stands.
fn sources(place: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if place.split(';').any(|piece| piece.trim().starts_with("page")) {
        lines.push(
            "page: the page \"MCP tools\" of anet, version 0.3; its sentences stand in docs/requirements.md".to_owned(),
        );
    }
    for cited in place::citations(place) {
        if let Some(section) = place::section(cited.section) {
            lines.push(format!("control-plane {}: {}, {}", section.number, section.title, section.link));
        }
    }
    for id in ruling::cited(place) {
        if let Some(ruling) = ruling::find(id) {
            lines.push(format!("{}: {}, docs/rulings.md", ruling.id, ruling.title));
        }
    }
    lines
}

fn of_sentence(sentence: &Sentence) -> String {
    let mut out = format!("{}  ({})\n\n{}\n", sentence.id, sentence.place, paragraph(&sentence.text, ""));
    match sentence.class {
        Class::Context => out.push_str("informative: nothing to obey\n"),
        Class::Hidden => out.push_str(&hanging("not observable  ", &sentence.why)),
        _ => out.push_str(&hanging("judged by  ", &sentence.by.join(", "))),
    }
    out
}

fn of_ruling(ruling: &Ruling) -> String {
    let mut out = format!("{}  {}  [{}]\n\n", ruling.id, ruling.title, ruling.levels());
    out.push_str(&paragraph(&ruling.text, ""));
    out.push('\n');
    out.push_str(&hanging("why    ", &ruling.why));
    out.push_str(&hanging(
        "where  ",
        "docs/rulings.md, with all others; what a server is failed for needs more than a ruling",
    ));
    out.push_str("\nthe requirements that cite it\n");
    for requirement in ruling.requirements() {
        out.push_str(&titled(requirement));
    }
    out
}

fn of_section(section: &Section) -> String {
    format!("{}\n\n{}\n", section.link, section.text)
}

/// The requirements and the cases whose ids begin so, or which the pattern selects.
fn below(id: &str, cases: &[Case]) -> Option<String> {
    if id.is_empty() {
        return None;
    }
    let requirements: Vec<_> =
        requirement::all().values().filter(|requirement| begins(&requirement.id, id, '.')).collect();
    let mut selected: Vec<_> = cases.iter().filter(|case| begins(&case.id, id, '/')).collect();
    if selected.is_empty() {
        selected = cases.iter().filter(|case| select::matches(id, &case.id)).collect();
    }
    if requirements.is_empty() && selected.is_empty() {
        return None;
    }
    let mut out = String::new();
    if !requirements.is_empty() {
        let _ = writeln!(out, "{} `{id}`\n", counted_begin(requirements.len()));
        for requirement in requirements {
            out.push_str(&titled(requirement));
        }
    }
    if !selected.is_empty() {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{} below `{id}`\n", counted(selected.len(), "case"));
        for case in selected {
            let _ = writeln!(out, "  {:<8}{}", case.level(), case.id);
            out.push_str(&paragraph(&case.title, "          "));
        }
    }
    Some(out)
}

/// Whether `id` begins with whole pieces: a misspelt id is no beginning of the right one.
fn begins(id: &str, beginning: &str, separator: char) -> bool {
    id.strip_prefix(beginning.trim_end_matches(separator)).is_some_and(|rest| rest.starts_with(separator))
}

/// A requirement in a list: level, id, and what it asks.
fn titled(requirement: &Requirement) -> String {
    format!("  {:<8}{}\n{}", requirement.level, requirement.id, paragraph(&requirement.text, "          "))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn counted_begin(count: usize) -> String {
    if count == 1 { "1 requirement begins with".to_owned() } else { format!("{count} requirements begin with") }
}
