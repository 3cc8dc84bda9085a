//! A tool in words: its route, its arguments, what they become, and what is tried.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::layout::{document, hanging, paragraph};
use super::{counted, place, titled};
use crate::case::{Case, Group};
use crate::cases::request_body;
use crate::contract;
use crate::json::Json;
use crate::page::{Kind, Parameter, Tool};
use crate::requirement;

/// The tool in words.
pub(super) fn explain(tool: Tool, cases: &[Case]) -> String {
    let mut out = format!("{tool}  POST {}", contract::route_of(tool).path());
    if tool == Tool::Balance {
        out.push_str(", then POST /payments/status with an empty body");
    }
    out.push('\n');
    let heading = place::sections().iter().find(|section| {
        let names = section.title.split(": ").next().unwrap_or_default();
        names.split(" and ").any(|name| name == tool.name())
    });
    if let Some(section) = heading {
        let _ = writeln!(out, "\ncontrol-plane {}: {}", section.number, section.link);
    }
    arguments(&mut out, tool);
    bodies(&mut out, tool);
    tried(&mut out, tool, cases);
    out
}

fn arguments(out: &mut String, tool: Tool) {
    if tool.parameters().is_empty() {
        out.push_str("\nno arguments\n");
        return;
    }
    out.push_str("\narguments\n");
    let _ = writeln!(out, "  {:<20}{:<9}{:<12}{:<10}in the body", "name", "type", "bounds", "default");
    for parameter in tool.parameters() {
        let line = format!(
            "  {:<20}{:<9}{:<12}{:<10}{}",
            parameter.name,
            parameter.kind.schema_type(),
            bounds(parameter.kind),
            default(parameter),
            becomes(tool, parameter)
        );
        let _ = writeln!(out, "{}", line.trim_end());
        if let Kind::Choice(choices) = parameter.kind {
            out.push_str(&hanging("                      one of ", &choices.join(", ")));
        }
    }
}

fn bounds(kind: Kind) -> String {
    match kind {
        Kind::Integer { min: Some(min), max: Some(max) } => format!("{min} to {max}"),
        Kind::Integer { min: Some(min), max: None } => format!("from {min}"),
        Kind::Integer { min: None, max: Some(max) } => format!("up to {max}"),
        _ => "-".to_owned(),
    }
}

fn default(parameter: &Parameter) -> String {
    match (parameter.required, parameter.default) {
        (true, _) => "required".to_owned(),
        (false, Some(value)) => value.to_string(),
        (false, None) => "-".to_owned(),
    }
}

/// The members of the body that the argument alone adds or changes.
fn becomes(tool: Tool, parameter: &Parameter) -> String {
    let without = request_body(tool, &Json::object::<String>([]));
    let sample = Json::parse(parameter.sample).unwrap_or(Json::Null);
    let with = request_body(tool, &Json::object([(parameter.name, sample)]));
    let members = with.as_object().unwrap_or_default().iter();
    let changed = members.filter(|(name, value)| without.member(name) != Some(value)).map(|(name, _)| name.as_str());
    changed.collect::<Vec<_>>().join(", ")
}

fn bodies(out: &mut String, tool: Tool) {
    let smallest = tool.minimal_arguments();
    let all = Json::object(tool.parameters().iter().map(|parameter| {
        let value = Json::parse(parameter.sample).unwrap_or(Json::Null);
        (parameter.name, value)
    }));
    out.push_str("\nthe smallest call\n");
    example(out, tool, &smallest);
    let all = all.to_string();
    if all != smallest {
        out.push_str("\na call with every argument\n");
        example(out, tool, &all);
    }
}

fn example(out: &mut String, tool: Tool, arguments: &str) {
    out.push_str(&document(arguments, "    "));
    out.push_str("  becomes the body\n");
    let body = Json::parse(arguments).map_or(Json::Null, |json| request_body(tool, &json));
    out.push_str(&document(&body.to_string(), "    "));
}

fn tried(out: &mut String, tool: Tool, cases: &[Case]) {
    let mine: Vec<_> = cases.iter().filter(|case| case.tool == Some(tool)).collect();
    let _ = writeln!(out, "\n{} on {tool}", counted(mine.len(), "case"));
    for group in Group::ALL {
        let count = mine.iter().filter(|case| case.group == group).count();
        if count > 0 {
            let _ = writeln!(out, "  {:<12}{count:>5}", group.name());
        }
    }
    // Per requirement: how many cases serve it, and how many of them are on this tool.
    let mut served: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in cases {
        let mut asked: Vec<_> = case.checks.iter().map(|check| check.requirement).collect();
        asked.sort_unstable();
        asked.dedup();
        for id in asked {
            let (all, own) = served.entry(id).or_default();
            *all += 1;
            *own += usize::from(case.tool == Some(tool));
        }
    }
    let (only, shared): (Vec<_>, Vec<_>) =
        served.into_iter().filter(|(_, (_, own))| *own > 0).partition(|(_, (all, own))| all == own);
    if !only.is_empty() {
        out.push_str("\nrequirements that only these cases serve\n");
        only.iter().filter_map(|(id, _)| requirement::find(id)).for_each(|found| out.push_str(&titled(found)));
    }
    let names: Vec<_> = shared.into_iter().map(|(id, _)| id).collect();
    if !names.is_empty() {
        let _ = writeln!(out, "\nand, beside other cases, {}", counted(names.len(), "requirement"));
        out.push_str(&paragraph(&names.join(", "), "  "));
    }
    let _ = writeln!(out, "\nrun them: anet-conformance --tool {tool} -- COMMAND");
}
