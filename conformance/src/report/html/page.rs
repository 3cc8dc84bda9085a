//! The skeleton of the page: head, policy, navigation, filters, sections in their order.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::{VERDICTS, View, case, list, matrix, observed, requirements, summary, text};
use crate::requirement::Level;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole page.
pub(super) fn page(view: &View) -> Markup {
    let style = one_line_end(STYLE);
    let script = one_line_end(SCRIPT);
    // The page shows what a stranger's program said. Nothing but these two texts may have an effect.
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                // Without it a browser asks the host for /favicon.ico.
                link rel="icon" href="data:,";
                title { (summary::title(view.report)) }
                style { (PreEscaped(style)) }
            }
            body {
                a.skip href="#main" { "Skip to the results" }
                header { (summary::head(view)) }
                (navigation(view))
                (filters(view))
                main #main {
                    (case::section(view, "failures", "Failures", "Each cause once, with all its cases.", &view.failures))
                    @if !view.warnings.is_empty() {
                        (case::section(
                            view, "warnings", "Warnings", "A violated should fails the run under --strict only.",
                            &view.warnings,
                        ))
                    }
                    @if !view.excused.is_empty() {
                        (case::section(
                            view, "excused", "Excused", "The baseline names these violations.", &view.excused,
                        ))
                    }
                    (matrix::section(view.report))
                    (requirements::section(view.report))
                    (observed::section(view.report))
                    (list::section(view))
                }
                footer {
                    p { (view.report.kit.name) " " (view.report.kit.version) ". The JSON report has every text whole." }
                }
                script { (PreEscaped(script)) }
            }
        }
    }
}

/// A text of the page as a browser reads it, whatever the line ends of a checkout are: its hash depends on them.
fn one_line_end(text: &str) -> String {
    text.replace('\r', "")
}

/// The hash by which a policy names an inline text.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn navigation(view: &View) -> Markup {
    let number = |groups: &[Vec<_>]| groups.iter().map(Vec::len).sum::<usize>();
    html! {
        nav aria-label="Sections" {
            ul {
                li { a href="#failures" { "Failures " b { (number(&view.failures)) } } }
                @if !view.warnings.is_empty() {
                    li { a href="#warnings" { "Warnings " b { (number(&view.warnings)) } } }
                }
                @if !view.excused.is_empty() {
                    li { a href="#excused" { "Excused " b { (number(&view.excused)) } } }
                }
                li { a href="#matrix" { "Boundaries" } }
                li { a href="#requirements" { "Requirements" } }
                li { a href="#observed" { "Choices" } }
                li { a href="#others" { "Other cases " b { (view.others.len()) } } }
            }
        }
    }
}

/// The filters, of use only where the script runs, which shows them.
fn filters(view: &View) -> Markup {
    let results = &view.report.results;
    let groups: Vec<&str> = {
        let mut seen = BTreeSet::new();
        results.iter().map(|case| case.group.as_str()).filter(|group| seen.insert(*group)).collect()
    };
    let tools: BTreeSet<&str> = results.iter().filter_map(|case| case.tool.as_deref()).collect();
    let verdicts: Vec<_> = VERDICTS
        .into_iter()
        .filter(|verdict| results.iter().any(|case| case.verdict == *verdict))
        .map(super::Verdict::name)
        .collect();
    let levels = [Level::Must, Level::Should, Level::Observe].map(|level| level.to_string());
    html! {
        form #filters role="search" aria-label="Filter the cases" hidden {
            label.wide { "Text " input name="q" type="search" placeholder="id, title or message" autocomplete="off"; }
            (choice("v", "Verdict", verdicts))
            (choice("l", "Level", levels.iter().map(String::as_str)))
            (choice("g", "Group", groups))
            (choice("t", "Tool", tools))
            span.buttons {
                button #clear type="button" { "Clear" }
                button #expand type="button" aria-pressed="false" { "Open all" }
            }
            output #matches aria-live="polite" {}
        }
    }
}

fn choice<'a>(name: &str, label: &str, values: impl IntoIterator<Item = &'a str>) -> Markup {
    html! {
        label {
            (label) " "
            select name=(name) {
                option value="" { "any" }
                @for value in values { option value=(value) { (text(value, 60)) } }
            }
        }
    }
}
