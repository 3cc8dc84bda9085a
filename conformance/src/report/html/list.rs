//! The cases that need nobody's eye: by group, closed, each in a line.

use maud::{Markup, html};

use super::{View, anchor, case, sentence, text};
use crate::report::model::CaseReport;

/// The section.
pub(super) fn section(view: &View) -> Markup {
    let mut groups: Vec<(&str, Vec<&CaseReport>)> = Vec::new();
    for case in &view.others {
        match groups.iter_mut().find(|(name, _)| *name == case.group) {
            Some((_, cases)) => cases.push(case),
            None => groups.push((&case.group, vec![case])),
        }
    }
    html! {
        section #others data-counted {
            h2 { "Other cases " span.n data-n=(view.others.len()) { (view.others.len()) } }
            @for (name, cases) in groups {
                details.list data-group data-counted {
                    summary { b { (text(name, 60)) } " " span.n data-n=(cases.len()) { (cases.len()) } }
                    ul { @for case in cases { (line(view, case)) } }
                }
            }
        }
    }
}

fn line(view: &View, case: &CaseReport) -> Markup {
    let content = html! {
        (case::mark(case)) " " code.id { (text(&case.id, 300)) } " " span.ms { (case.duration_ms) " ms" }
        span.title { (text(&case.title, 300)) }
        @if !case.message.is_empty() { span.message { (sentence(&case.message, 240)) } }
    };
    html! {
        li id=(anchor(&case.id)) data-v=(case.verdict.name()) data-l=(case.level) data-g=(case.group)
            data-t=[case.tool.as_deref()] {
            @if view.tells(case) {
                details { summary { (content) } div.body { (case::body(view, case)) } }
            } @else {
                (content)
            }
        }
    }
}
