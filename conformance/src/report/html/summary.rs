//! The head of the page: the verdict, who was judged and how, the totals, what is wrong with the baseline.

use std::time::Duration;

use maud::{Markup, html};

use super::{VERDICTS, View, bar, count, sentence, sign, text, tone};
use crate::report::model::{Report, Server};
use crate::report::words;
use crate::run::quoted;
use crate::verdict::ExitCode;

/// The title of the page: what the tab of a browser shows.
pub(super) fn title(report: &Report) -> String {
    format!("{}: {}", name(report), words::outcome(report))
}

/// The head.
pub(super) fn head(view: &View) -> Markup {
    let report = view.report;
    let outcome = words::outcome(report);
    html! {
        h1.(tone_of(report.exit)) {
            span.outcome { (capital(outcome)) }
            " " span.exit { "exit " (report.exit as u8) }
        }
        p.who {
            bdi { (name(report)) }
            @if let Some(revision) = &report.candidate.revision { ", MCP " (text(revision, 40)) }
            ": " (report.results.len()) " of " (count(report.kit.cases, "case", "cases")) " in "
            (format!("{:.1}", Duration::from_millis(report.duration_ms).as_secs_f64())) " s"
        }
        @if let Some(stopped) = &report.stopped {
            p.notice.bad { strong { "Stopped early: " } (sentence(stopped, 400)) }
        }
        (baseline(report))
        (totals(report))
        (facts(report))
    }
}

/// What the candidate calls itself.
fn name(report: &Report) -> String {
    match &report.candidate.server {
        Some(Server { name, version }) => format!("{} {}", text(name, 60), text(version, 30)).trim().to_owned(),
        None => "a server that gives no name".to_owned(),
    }
}

fn tone_of(exit: ExitCode) -> &'static str {
    match exit {
        ExitCode::Conformant => "good",
        ExitCode::Incomplete | ExitCode::Baseline => "warn",
        ExitCode::Violation | ExitCode::Usage | ExitCode::Harness | ExitCode::NoStart => "bad",
    }
}

fn capital(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn baseline(report: &Report) -> Markup {
    html! {
        @if !report.baseline.is_empty() {
            div.notice.warn {
                p { strong { "The baseline is out of date" } " (" (count(report.baseline.len(), "entry", "entries")) ")" }
                ul {
                    @for problem in &report.baseline {
                        li {
                            b { (text(&problem.kind, 40)) } " " code { (text(&problem.place, 200)) } ": "
                            (sentence(&problem.message, 600))
                            " " a href={ "#" (super::anchor(&problem.case)) } { (text(&problem.case, 200)) }
                        }
                    }
                }
            }
        }
    }
}

fn totals(report: &Report) -> Markup {
    let of = |verdict: super::Verdict| report.totals.by_verdict.get(verdict.name()).copied().unwrap_or_default();
    let given: Vec<_> = VERDICTS.into_iter().filter(|verdict| of(*verdict) > 0).collect();
    let levels = report.by_level();
    html! {
        (bar::bar(of))
        div.scroll tabindex="0" role="region" aria-label="Totals" {
            table.totals {
                thead {
                    tr {
                        th scope="col" { "Level" }
                        @for verdict in &given {
                            th scope="col" {
                                span.sign.(tone(*verdict)) aria-hidden="true" { (sign(*verdict)) } " " (verdict.name())
                            }
                        }
                    }
                }
                tbody {
                    @for (level, counts) in &levels {
                        tr {
                            th scope="row" { (level) }
                            @for verdict in &given {
                                td { (counts.get(verdict.name()).copied().unwrap_or_default()) }
                            }
                        }
                    }
                    @if levels.len() > 1 {
                        tr.sum {
                            th scope="row" { "all" }
                            @for verdict in &given { td { (of(*verdict)) } }
                        }
                    }
                }
            }
        }
    }
}

fn facts(report: &Report) -> Markup {
    let command = report.candidate.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    html! {
        details.facts {
            summary { "How it was judged" }
            dl {
                dt { "Command" } dd { code { (text(&command, 2000)) } }
                dt { "Judged by" } dd { (report.kit.name) " " (report.kit.version) ", page " (text(&report.kit.page, 20)) }
                dt { "MCP revision" }
                dd { (report.candidate.revision.as_deref().map_or("none agreed to".to_owned(), |name| text(name, 40))) }
                dt { "Cases" } dd { (report.results.len()) " of " (report.kit.cases) }
                dt { "Duration" } dd { (report.duration_ms) " ms" }
                dt { "Seed" } dd { (report.seed) }
                dt { "A violated should" } dd { @if report.strict { "fails the run (--strict)" } @else { "warns" } }
            }
        }
    }
}
