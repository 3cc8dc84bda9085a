//! The cases that need somebody's eye: by cause, each with what is asked, what is wrong, the diff, and both sides.

use maud::{Markup, html};

use super::{View, anchor, count, diagram, sentence, sign, text, tone, transcript};
use crate::report::diff::{self, Mark};
use crate::report::model::{CaseReport, CheckReport, FindingKind};
use crate::report::words;
use crate::requirement::{self, Level};
use crate::verdict::{Tag, Verdict};

/// A line of a diff is shortened to so many characters.
const LINE: usize = 600;
/// A message is shortened to so many characters.
const MESSAGE: usize = 1200;
/// Of one case, so many violations are told in full.
const VIOLATIONS: usize = 6;

/// A section of cases, grouped by cause.
pub(super) fn section(view: &View, id: &str, heading: &str, about: &str, groups: &[Vec<&CaseReport>]) -> Markup {
    let number: usize = groups.iter().map(Vec::len).sum();
    html! {
        section #(id) data-counted {
            h2 { (heading) " " span.n data-n=(number) { (number) } }
            @if number == 0 {
                p.about { "None." }
            } @else {
                p.about { (about) }
            }
            @for cases in groups {
                @if let Some(first) = cases.first() { (cause(view, first, cases)) }
            }
        }
    }
}

fn cause(view: &View, first: &CaseReport, cases: &[&CaseReport]) -> Markup {
    let violations = first.violations();
    html! {
        div.cause data-group data-counted {
            @if cases.len() > 1 {
                h3 {
                    @if let Some(worst) = violations.first() { code { (text(&worst.requirement, 100)) } " " }
                    (count(cases.len(), "case", "cases"))
                    span.n.quiet data-n=(cases.len()) data-only-filtered {}
                }
            }
            @for (index, case) in cases.iter().enumerate() {
                (shown(view, case, index == 0 || case.message != first.message))
            }
        }
    }
}

/// A case that can be opened. `with_message`: its message is not the one that stands just above.
fn shown(view: &View, case: &CaseReport, with_message: bool) -> Markup {
    html! {
        details.case data-v=(case.verdict.name()) data-l=(case.level) data-g=(case.group) data-t=[case.tool.as_deref()] {
            summary {
                (mark(case)) " "
                code.id { (text(&case.id, 300)) } " "
                span.ms { (case.duration_ms) " ms" }
                span.title { (text(&case.title, 300)) }
                @if with_message && !case.message.is_empty() { span.message { (sentence(&case.message, 240)) } }
            }
            // The anchor is inside: a browser opens what hides the place that it is led to.
            div.body id=(anchor(&case.id)) { (body(view, case)) }
        }
    }
}

/// A verdict as sign and word, with what stopped the candidate.
pub(super) fn mark(case: &CaseReport) -> Markup {
    let tag = match case.tag {
        Some(Tag::Crash) => ", crash",
        Some(Tag::Hang) => ", hang",
        None => "",
    };
    html! {
        span.mark.(tone(case.verdict)) {
            span aria-hidden="true" { (sign(case.verdict)) } " " (case.verdict.name()) (tag)
        }
    }
}

/// Everything about a case.
pub(super) fn body(view: &View, case: &CaseReport) -> Markup {
    let violations = case.violations();
    let told: Vec<_> = violations.iter().take(VIOLATIONS).copied().collect();
    let rest: Vec<_> = violations.iter().skip(VIOLATIONS).collect();
    let held = case.checks.iter().filter(|check| check.finding == FindingKind::Met).count();
    html! {
        @if let Some(reason) = &case.excused { p { strong { "Excused: " } (sentence(reason, MESSAGE)) } }
        @if told.is_empty() && !case.message.is_empty() { p.wrong { (sentence(&case.message, MESSAGE)) } }
        (untried(case))
        @for (index, check) in told.iter().enumerate() {
            @let told_before = told[..index].iter().any(|other| other.expected == check.expected && other.seen == check.seen);
            (violation(check, told_before))
        }
        @if !rest.is_empty() {
            p { "Also broken: " @for check in &rest { (link(check)) " " } }
        }
        p.about {
            @if held > 0 { (count(held, "other check", "other checks")) " of this case held. " }
            @if case.run_again_alone { "It had failed in company, and was run again alone. " }
            @if let Some(times) = case.repeated {
                "It came out so in " (times.with_this_verdict) " of " (count(times.runs, "run", "runs")) ". "
            }
            a href={ "#" (anchor(&case.id)) } { "Link to this case" }
        }
        (both_sides(view, case))
        p.again {
            "Again, this case alone: "
            code { (text(&words::again(&view.report.candidate.command, &case.id), 2000)) }
        }
    }
}

/// The diagram and the transcripts of a case.
fn both_sides(view: &View, case: &CaseReport) -> Markup {
    html! {
        @if case.transcript.is_empty() {
            p.about { "There is no transcript of this case." }
        } @else if view.tells(case) {
            (diagram::diagram(&case.transcript))
            (transcript::both(&case.transcript))
        } @else {
            p.about { "For the transcript there is no room on this page; the JSON report has it." }
        }
    }
}

/// The musts that could not be tried, with the reason of each.
fn untried(case: &CaseReport) -> Markup {
    let of_must: Vec<_> = case
        .checks
        .iter()
        .filter(|check| check.finding == FindingKind::NotExercised && check.level == Level::Must)
        .collect();
    html! {
        @if case.verdict == Verdict::NotExercised && !of_must.is_empty() {
            p { "These musts could not be tried:" }
            ul { @for check in of_must { li { (link(check)) ": " (sentence(&check.message, MESSAGE)) } } }
        }
    }
}

fn link(check: &CheckReport) -> Markup {
    html! {
        a href={ "#r-" (check.requirement) } { code { (text(&check.requirement, 100)) } }
        " (" (check.level) ")"
    }
}

fn violation(check: &CheckReport, told_before: bool) -> Markup {
    let requirement = requirement::find(&check.requirement);
    let says_all = check.expected.is_empty() && check.seen.is_empty();
    html! {
        div.violation {
            h4 {
                a href={ "#r-" (check.requirement) } { code { (text(&check.requirement, 100)) } }
                " " span.chip { (check.level) } " " span.chip { (check.basis) }
            }
            @if let Some(requirement) = requirement {
                p { (requirement.text) " " span.place { (requirement.place) } }
            }
            p.wrong { (sentence(&check.message, MESSAGE)) }
            @if !says_all && told_before {
                p.about { "Expected and seen are as above." }
            } @else if !says_all {
                (difference(check))
            }
            @if let Some(requirement) = requirement { p.advice { strong { "What to do: " } (requirement.advice) } }
        }
    }
}

fn difference(check: &CheckReport) -> Markup {
    html! {
        figure.difference {
            figcaption { del { "- expected" } " " ins { "+ seen" } }
            pre {
                @for (mark, line) in diff::lines(&check.expected, &check.seen, LINE) {
                    @match mark {
                        Mark::Missing => del { "- " (line) "\n" },
                        Mark::Extra => ins { "+ " (line) "\n" },
                        Mark::Same => span { "  " (line) "\n" },
                    }
                }
            }
        }
    }
}
