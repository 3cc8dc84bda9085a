//! Failures that have the same cause, told once with all their cases.

use super::model::{CaseReport, Report};
use crate::verdict::Verdict;

/// The cases that need somebody's eye, grouped by cause, in the order in which they appear: those that make the run fail,
/// those that could not be tried, and those of which the baseline expects something else.
pub(super) fn groups(report: &Report) -> Vec<Vec<&CaseReport>> {
    let shown = |case: &&CaseReport| {
        report.fails(case)
            || case.verdict == Verdict::NotExercised
            || (case.verdict == Verdict::Stale && !case.violations().is_empty())
    };
    by_cause(report.results.iter().filter(shown))
}

/// The cases grouped by cause, in the order in which they come.
pub(super) fn by_cause<'r>(cases: impl Iterator<Item = &'r CaseReport>) -> Vec<Vec<&'r CaseReport>> {
    let mut groups: Vec<(String, Vec<&CaseReport>)> = Vec::new();
    for case in cases {
        let key = cause(case);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cases)) => cases.push(case),
            None => groups.push((key, vec![case])),
        }
    }
    groups.into_iter().map(|(_, cases)| cases).collect()
}

/// What makes two failures the same: the broken requirements of the highest level, and what is wrong in words without
/// what differs from case to case.
fn cause(case: &CaseReport) -> String {
    match case.violations().first() {
        None => format!("{:?} {}", case.verdict, case.message),
        Some(first) => {
            let plain: String = first.message.split('`').step_by(2).collect::<Vec<_>>().join("_");
            let plain: String = plain.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            format!("{} {} {plain}", first.level, first.requirement)
        }
    }
}
