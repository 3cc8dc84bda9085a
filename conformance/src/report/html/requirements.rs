//! Every requirement, with what this run found about it: the broken ones first, those that it did not touch last.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{anchor, count, text};
use crate::report::model::{CheckReport, FindingKind, Report};
use crate::requirement::{self, Level, Requirement};

/// Of one requirement, so many cases that break it are named.
const NAMED: usize = 40;

/// In how many cases a requirement held, was broken, and so on.
#[derive(Default)]
struct Tally<'r> {
    level: Option<Level>,
    broken: Vec<&'r str>,
    untried: usize,
    held: usize,
    observed: usize,
    not_applicable: usize,
}

/// What a run found about a requirement, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Failed,
    Warned,
    Untried,
    Held,
    Chosen,
    DoesNotApply,
    Untouched,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Failed => "broken",
            Self::Warned => "warned",
            Self::Untried => "not tried",
            Self::Held => "held",
            Self::Chosen => "observed",
            Self::DoesNotApply => "does not apply",
            Self::Untouched => "not in this run",
        }
    }

    const fn look(self) -> (&'static str, &'static str) {
        match self {
            Self::Failed => ("bad", "\u{2717}"),
            Self::Warned => ("warn", "!"),
            Self::Untried => ("warn", "?"),
            Self::Held => ("good", "\u{2713}"),
            Self::Chosen => ("calm", "o"),
            Self::DoesNotApply | Self::Untouched => ("calm", "\u{2013}"),
        }
    }
}

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let tallies = tallies(report);
    let nothing = Tally::default();
    // A report of another kit may name requirements that this one does not know.
    let mut ids: Vec<&str> = requirement::all().keys().map(String::as_str).collect();
    ids.extend(tallies.keys().filter(|id| requirement::find(id).is_none()));
    let mut rows: Vec<_> = ids
        .into_iter()
        .map(|id| {
            let tally = tallies.get(id).unwrap_or(&nothing);
            let level = requirement::find(id).map(|known| known.level).or(tally.level).unwrap_or(Level::Observe);
            (tally.state(level, report.strict), level, id, tally)
        })
        .collect();
    rows.sort_by_key(|(state, level, id, _)| (*state, std::cmp::Reverse(*level), *id));
    let touched = rows.iter().filter(|(state, ..)| *state != State::Untouched).count();
    html! {
        section #requirements data-counted {
            h2 { "Requirements " span.n data-n=(rows.len()) { (rows.len()) } }
            p.about { (touched) " of " (rows.len()) " were checked in this run; broken ones first." }
            @for (state, level, id, tally) in rows { (entry(state, level, id, tally)) }
        }
    }
}

fn tallies(report: &Report) -> BTreeMap<&str, Tally<'_>> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for case in &report.results {
        for id in case.requirements() {
            let of_this = || case.checks.iter().filter(|check| check.requirement == id);
            let has = |finding: FindingKind| of_this().any(|check: &CheckReport| check.finding == finding);
            let tally = tallies.entry(id).or_default();
            tally.level = of_this().map(|check| check.level).max();
            // Of several checks in one case the worst counts.
            if has(FindingKind::Broken) {
                tally.broken.push(&case.id);
            } else if has(FindingKind::NotExercised) {
                tally.untried += 1;
            } else if has(FindingKind::Met) {
                tally.held += 1;
            } else if has(FindingKind::Observed) {
                tally.observed += 1;
            } else {
                tally.not_applicable += 1;
            }
        }
    }
    tallies
}

impl Tally<'_> {
    fn state(&self, level: Level, strict: bool) -> State {
        match level {
            Level::Must if !self.broken.is_empty() => State::Failed,
            Level::Should if !self.broken.is_empty() && strict => State::Failed,
            Level::Should if !self.broken.is_empty() => State::Warned,
            Level::Must | Level::Should if self.untried > 0 => State::Untried,
            _ if self.held > 0 => State::Held,
            _ if self.observed > 0 || !self.broken.is_empty() || self.untried > 0 => State::Chosen,
            _ if self.not_applicable > 0 => State::DoesNotApply,
            _ => State::Untouched,
        }
    }

    fn words(&self) -> Vec<String> {
        [
            (self.broken.len(), "broken"),
            (self.untried, "not tried"),
            (self.held, "held"),
            (self.observed, "observed"),
            (self.not_applicable, "does not apply"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect()
    }
}

fn entry(state: State, level: Level, id: &str, tally: &Tally) -> Markup {
    let (tone, sign) = state.look();
    let known = requirement::find(id);
    let words = tally.words();
    html! {
        article.requirement.untouched[state == State::Untouched] id={ "r-" (id) } data-r=(level) {
            h3 {
                span.mark.(tone) { span aria-hidden="true" { (sign) } " " (state.name()) } " "
                code { (text(id, 100)) } " "
                span.chip { (level) } " "
                @if let Some(known) = known { span.chip { (known.basis) } " " }
                @if !words.is_empty() { span.counts { (words.join(", ")) } }
            }
            @if let Some(known) = known { (words_of(known)) } @else { p.about { "This kit does not know it." } }
            @if !tally.broken.is_empty() { (breaking(tally, known)) }
        }
    }
}

fn words_of(known: &Requirement) -> Markup {
    html! {
        p { (known.text) " " span.place { (known.place) } }
        @if !known.revisions.is_empty() { p.about { "Only in MCP " (known.revisions.join(", ")) "." } }
    }
}

fn breaking(tally: &Tally, known: Option<&Requirement>) -> Markup {
    html! {
        @if let Some(known) = known { p.advice { strong { "What to do: " } (known.advice) } }
        details {
            summary { "Broken in " (count(tally.broken.len(), "case", "cases")) }
            ul.ids {
                @for id in tally.broken.iter().take(NAMED) {
                    li { a href={ "#" (anchor(id)) } { code { (text(id, 300)) } } }
                }
                @if tally.broken.len() > NAMED { li { "and " (tally.broken.len() - NAMED) " more" } }
            }
        }
    }
}
