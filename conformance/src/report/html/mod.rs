//! The report as one HTML file that asks for nothing from elsewhere.
//!
//! Responsible for: which cases are shown in which section, and which with their transcripts, so that the file stays small
//! enough to be opened on a phone. Every word that a candidate said is shown as text: escaped, control and direction marks
//! made visible, and, should that ever fail, kept from running by a policy that names the one script and the one style
//! sheet by their hashes. Not for: verdicts, which the model holds, nor the words for them.

mod bar;
mod case;
mod diagram;
mod list;
mod matrix;
mod observed;
mod page;
mod requirements;
mod summary;
mod transcript;

use std::collections::BTreeSet;

use super::cause;
use super::model::{CaseReport, Report};
use super::text::{shorten, visible};
use crate::verdict::Verdict;

/// The transcripts and diagrams of all cases together may grow to about so many bytes; the cases that come after are shown
/// without, which the page says.
const ROOM: usize = 3 << 20;

/// The report as an HTML document.
pub(super) fn render(report: &Report) -> Vec<u8> {
    page::page(&View::of(report)).into_string().into_bytes()
}

/// A report, sorted into the sections of the page.
struct View<'r> {
    report: &'r Report,
    /// What makes the run fail or could not be tried, by cause.
    failures: Vec<Vec<&'r CaseReport>>,
    /// Violated shoulds that do not fail the run, by cause.
    warnings: Vec<Vec<&'r CaseReport>>,
    /// What the baseline excuses, by cause.
    excused: Vec<Vec<&'r CaseReport>>,
    /// All others.
    others: Vec<&'r CaseReport>,
    /// The cases whose transcripts are shown, by id.
    told: BTreeSet<&'r str>,
}

impl<'r> View<'r> {
    fn of(report: &'r Report) -> Self {
        let failures = cause::groups(report);
        let failing: BTreeSet<_> = failures.iter().flatten().map(|case| case.id.as_str()).collect();
        let rest = || report.results.iter().filter(|case| !failing.contains(case.id.as_str()));
        let warnings = cause::by_cause(rest().filter(|case| case.verdict == Verdict::Warn));
        let excused = cause::by_cause(rest().filter(|case| case.verdict == Verdict::Known));
        let others: Vec<_> = rest().filter(|case| !matches!(case.verdict, Verdict::Warn | Verdict::Known)).collect();
        let told = told([&failures, &warnings, &excused], &others);
        Self { report, failures, warnings, excused, others, told }
    }

    /// Whether there is room for the transcript of this case.
    fn tells(&self, case: &CaseReport) -> bool {
        self.told.contains(case.id.as_str())
    }
}

/// The cases whose transcripts fit: of each cause one, then the others, then what passed.
fn told<'r>(grouped: [&[Vec<&'r CaseReport>]; 3], others: &[&'r CaseReport]) -> BTreeSet<&'r str> {
    let firsts = grouped.iter().copied().flatten().filter_map(|cases| cases.first());
    let rest = grouped.iter().copied().flatten().flat_map(|cases| cases.iter().skip(1));
    let mut left = ROOM;
    let mut told = BTreeSet::new();
    for case in firsts.chain(rest).chain(others).filter(|case| !case.transcript.is_empty()) {
        let size = transcript::size(case);
        if size <= left {
            left -= size;
            told.insert(case.id.as_str());
        }
    }
    told
}

/// A text for the page: at most `max` characters, the middle left out, nothing unseen in it.
fn text(text: &str, max: usize) -> String {
    visible(&shorten(text, max))
}

/// A number of things, in words.
fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// A sentence that ends with a full stop, whether it had one or not.
fn sentence(message: &str, max: usize) -> String {
    let shown = text(message, max);
    if shown.ends_with(['.', '!', '?']) { shown } else { format!("{shown}.") }
}

/// A verdict as a sign, so that nothing is told by colour alone.
const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "\u{2713}",
        Verdict::Observed => "o",
        Verdict::NotApplicable => "\u{2013}",
        Verdict::Warn => "!",
        Verdict::Known => "k",
        Verdict::Stale => "s",
        Verdict::NotExercised => "?",
        Verdict::Fail => "\u{2717}",
        Verdict::HarnessError => "E",
    }
}

/// The class that colours a verdict.
const fn tone(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "good",
        Verdict::Observed | Verdict::NotApplicable | Verdict::Known => "calm",
        Verdict::Warn | Verdict::Stale | Verdict::NotExercised => "warn",
        Verdict::Fail | Verdict::HarnessError => "bad",
    }
}

/// All verdicts, the worst first.
const VERDICTS: [Verdict; 9] = [
    Verdict::HarnessError,
    Verdict::Fail,
    Verdict::NotExercised,
    Verdict::Stale,
    Verdict::Warn,
    Verdict::Known,
    Verdict::Observed,
    Verdict::NotApplicable,
    Verdict::Pass,
];

/// A place on the page to which a case's links lead.
fn anchor(case: &str) -> String {
    format!("c-{case}")
}
