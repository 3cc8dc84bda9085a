//! The choices that the candidate made where the specification leaves them.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{anchor, text};
use crate::report::model::{FindingKind, Report};

/// Of one requirement, so many choices are shown.
const CHOICES: usize = 12;

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let mut choices: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for case in &report.results {
        for check in case.checks.iter().filter(|check| check.finding == FindingKind::Observed) {
            choices.entry(&check.requirement).or_default().entry(&check.message).or_default().push(&case.id);
        }
    }
    html! {
        section #observed {
            h2 { "Choices" }
            @if choices.is_empty() {
                p.about { "Nothing was observed where the specification leaves the choice." }
            } @else {
                p.about { "Where the specification leaves the choice, this is what the candidate does." }
                dl.choices {
                    @for (id, by_choice) in &choices { (entry(id, by_choice)) }
                }
            }
        }
    }
}

fn entry(id: &str, by_choice: &BTreeMap<&str, Vec<&str>>) -> Markup {
    let mut by_choice: Vec<_> = by_choice.iter().collect();
    by_choice.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    html! {
        dt { a href={ "#r-" (id) } { code { (text(id, 100)) } } }
        @for (choice, cases) in by_choice.iter().take(CHOICES) {
            dd {
                (text(choice, 300)) " "
                @if let Some(first) = cases.first() {
                    a href={ "#" (anchor(first)) } {
                        @if cases.len() == 1 { "1 case" } @else { (cases.len()) " cases, the first of them" }
                    }
                }
            }
        }
        @if by_choice.len() > CHOICES { dd.about { (by_choice.len() - CHOICES) " other choices" } }
    }
}
