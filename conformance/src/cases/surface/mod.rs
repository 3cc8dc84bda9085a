//! What `tools/list` says: names, parameters, schemas, annotations, descriptions, pages, stability.
//!
//! Responsible for: reading the list that a candidate gives, and the cases about it, generated from the page's table.
//! Not for: what the tools do. Serves the requirements `surface.*`, `portability.*` and `facts.*`.

mod annotations;
mod descriptions;
mod listing;
mod parameters;
mod portability;
mod schema;

use self::schema::Schema;
use super::seen::shown;
use crate::case::{Case, Group, Step};
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::Tool;
use crate::verdict::Finding;

/// All cases of the group.
pub(super) fn cases() -> Vec<Case> {
    [listing::cases(), parameters::cases(), annotations::cases(), descriptions::cases(), portability::cases()].concat()
}

/// The label of the list.
const LIST: &str = "list";

/// A case that reads the whole list of tools.
fn listing_case(topic: &str, title: impl Into<String>) -> Case {
    Case::new(Group::Surface, topic, title).step(Step::ListTools(LIST.to_owned()))
}

/// The results of all pages of a list, or what came instead of one.
fn pages<'o>(seen: &'o Observation, label: &str) -> Result<Vec<&'o Json>, String> {
    let mut pages = Vec::new();
    for number in 1.. {
        let page = if number == 1 { label.to_owned() } else { format!("{label}.{number}") };
        match seen.answer(&page) {
            None if number > 1 && seen.exchange(&page).is_none() => break,
            Some(Answer::Result(result)) => pages.push(result),
            _ => return Err(shown(seen, &page)),
        }
    }
    Ok(pages)
}

/// Every tool that the list holds, in its order.
fn listed<'o>(seen: &'o Observation, label: &str) -> Result<Vec<&'o Json>, String> {
    let tools = |page: &'o Json| page.member("tools").and_then(Json::as_array).unwrap_or_default();
    Ok(pages(seen, label)?.into_iter().flat_map(tools).collect())
}

/// The names in the list.
fn names<'j>(tools: &[&'j Json]) -> Vec<&'j str> {
    tools.iter().filter_map(|tool| tool.member("name")?.as_str()).collect()
}

/// What is demanded of one listed tool. A tool that is not listed is another case's finding.
fn of_tool(tool: Tool, what: impl Into<String>, judge: impl Fn(&Json) -> Finding + Send + Sync + 'static) -> Expect {
    Expect::holds(what, move |seen| match listed(seen, LIST) {
        Err(instead) => Finding::NotExercised(format!("there is no list of tools: {instead}")),
        Ok(tools) => match tools.iter().find(|found| names(&[found]) == [tool.name()]) {
            Some(found) => judge(found),
            None => Finding::NotExercised(format!("`{tool}` is not listed")),
        },
    })
}

/// What is demanded of a tool's input schema.
fn of_schema(
    tool: Tool,
    what: impl Into<String>,
    judge: impl Fn(Schema<'_>) -> Finding + Send + Sync + 'static,
) -> Expect {
    of_tool(tool, what, move |listed| match listed.member("inputSchema") {
        Some(schema) => judge(Schema::whole(schema)),
        None => Finding::differs(format!("`{tool}` has no inputSchema"), "an inputSchema", listed.to_string()),
    })
}

/// What is demanded of the schema of one parameter. One that is not stated is the finding of `surface.parameters`.
fn of_parameter(
    tool: Tool,
    parameter: &'static str,
    what: impl Into<String>,
    judge: impl Fn(Schema<'_>) -> Finding + Send + Sync + 'static,
) -> Expect {
    of_schema(tool, what, move |schema| match schema.property(parameter) {
        Some(part) => judge(part),
        None => Finding::NotExercised(format!("`{parameter}` is not stated")),
    })
}

/// Met, or broken with these complaints.
fn none_of(complaints: &[String], message: impl Into<String>, seen: &Json) -> Finding {
    match complaints {
        [] => Finding::Met,
        complaints => Finding::differs(format!("{}: {}", message.into(), complaints.join("; ")), "", seen.to_string()),
    }
}
