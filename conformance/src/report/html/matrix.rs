//! The boundary matrix as a heat map: tool and parameter by what was given for it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::{anchor, sign, text, tone};
use crate::report::model::{CaseReport, Report};
use crate::verdict::Verdict;

/// The columns, in the order in which they are read best; others come after these.
const ORDER: [&str; 21] = [
    "missing",
    "no-arguments",
    "null",
    "empty",
    "blank",
    "white-space",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "digits-in-string",
    "fraction",
    "integral-fraction",
    "exponent",
    "below",
    "negative",
    "above",
    "far-above",
    "overflowing",
    "beyond-64-bits",
];
/// A value has a column if so many rows try it.
const ROWS: usize = 4;

/// A case at its place in the matrix.
struct Place<'r> {
    tool: &'r str,
    parameter: &'r str,
    value: &'r str,
    case: &'r CaseReport,
}

/// The section; says so when no case of the group was judged.
pub(super) fn section(report: &Report) -> Markup {
    let places: Vec<_> = report.results.iter().filter(|case| case.group == "arguments").map(place).collect();
    let columns = columns(&places);
    let mut rows: BTreeMap<&str, BTreeMap<&str, Vec<&Place>>> = BTreeMap::new();
    for place in &places {
        rows.entry(place.tool).or_default().entry(place.parameter).or_default().push(place);
    }
    html! {
        section #matrix {
            h2 { "Boundaries" }
            @if places.is_empty() {
                p.about { "No case about arguments was judged in this run." }
            } @else {
                p.about {
                    "What was given for each parameter, and the verdict. Each sign leads to its case."
                }
                (legend(&places))
                div.scroll tabindex="0" role="region" aria-label="Boundary matrix" {
                    table.matrix {
                        thead {
                            tr {
                                th scope="col" { "Parameter" }
                                @for column in &columns { th.value scope="col" { span { (text(column, 40)) } } }
                                th.rest scope="col" { "Others" }
                            }
                        }
                        @for (tool, parameters) in &rows {
                            tbody {
                                tr.tool { th scope="rowgroup" colspan=(columns.len() + 2) { (text(tool, 60)) } }
                                @for (parameter, places) in parameters { (row(parameter, places, &columns)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where a case belongs: `arguments/TOOL/PARAMETER/VALUE`, or shorter; the drawn cases have the tool behind `random`.
fn place(case: &CaseReport) -> Place<'_> {
    let path = case.id.split('@').next().unwrap_or_default();
    let parts: Vec<_> = path.split('/').skip(1).collect();
    let tool = case.tool.as_deref().unwrap_or("no tool");
    let (parameter, value) = match parts.as_slice() {
        ["random", _, value] => ("random", *value),
        [_, parameter, value] => (*parameter, *value),
        [_, value] => ("no parameter", *value),
        _ => ("no parameter", path),
    };
    Place { tool, parameter, value, case }
}

/// Names that stand for a kind of case rather than for a parameter: their values are all different.
fn is_parameter(name: &str) -> bool {
    !matches!(name, "random" | "unknown" | "no parameter")
}

fn columns<'r>(places: &[Place<'r>]) -> Vec<&'r str> {
    let mut rows: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for place in places.iter().filter(|place| is_parameter(place.parameter)) {
        rows.entry(place.value).or_default().insert((place.tool, place.parameter));
    }
    // A few rows have no value in common with others; what the order names stays a column all the same.
    let mut columns: Vec<_> = rows
        .into_iter()
        .filter(|(value, rows)| rows.len() >= ROWS || ORDER.contains(value))
        .map(|(value, _)| value)
        .collect();
    columns.sort_by_key(|value| ORDER.iter().position(|known| known == value).unwrap_or(ORDER.len()));
    columns
}

fn row(parameter: &str, places: &[&Place], columns: &[&str]) -> Markup {
    let of = |column: &str| {
        let column = column.to_owned();
        places.iter().filter(move |place| is_parameter(place.parameter) && place.value == column)
    };
    let others = places.iter().filter(|place| !is_parameter(place.parameter) || !columns.contains(&place.value));
    html! {
        tr {
            th scope="row" { (text(parameter, 60)) }
            @for column in columns { td { @for place in of(column) { (cell(place)) } } }
            td.rest { @for place in others { (cell(place)) } }
        }
    }
}

fn cell(place: &Place) -> Markup {
    let verdict = place.case.verdict;
    let label = text(&format!("{} {} {}: {}", place.tool, place.parameter, place.value, verdict.name()), 200);
    html! {
        a.cell.(tone(verdict)) href={ "#" (anchor(&place.case.id)) } title=(label) aria-label=(label) { (sign(verdict)) }
    }
}

fn legend(places: &[Place]) -> Markup {
    let given: BTreeSet<Verdict> = places.iter().map(|place| place.case.verdict).collect();
    html! {
        ul.legend {
            @for verdict in given.into_iter().rev() {
                li { span.cell.(tone(verdict)) aria-hidden="true" { (sign(verdict)) } " " (verdict.name()) }
            }
        }
    }
}
