//! Finding agents: `list_agents` and `get_agent_card`. Sections 2.2 and 2.3 of the control plane.

use super::{Hints, Plan, Spec, forward};
use crate::arguments::Arguments;
use crate::control::Route;
use crate::json::Object;
use crate::schema::{Kind, Param};
use crate::texts;

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "list_agents",
        title: "List agents",
        description: texts::LIST_AGENTS,
        hints: Hints::ReadsAbroad,
        params: LIST,
        rules: None,
        plan: list_agents,
    },
    Spec {
        name: "get_agent_card",
        title: "Read an agent's card",
        description: texts::GET_AGENT_CARD,
        hints: Hints::ReadsAbroad,
        params: CARD,
        rules: None,
        plan: get_agent_card,
    },
];

const LIST: &[Param] = &[
    Param::optional("skill", Kind::Text, "Capability identifier that the agent must publish, for example text.digest."),
    Param::optional("tag", Kind::Text, "Skill tag that the agent must publish."),
    Param::optional(
        "query",
        Kind::Text,
        "Free text, matched on this machine against the returned cards. Never sent to the hub.",
    ),
    Param::optional(
        "limit",
        Kind::Integer { least: 1, most: Some(100), default: Some(20) },
        "Number of agents a page, 1 to 100. Default 20.",
    ),
    Param::optional("cursor", Kind::Text, "nextCursor of the page before."),
    Param::optional(
        "include_uncarded",
        Kind::Flag,
        "Also list agents that are registered at the hub without a card. Their verification is NONE: everything but \
         the AID is the hub's statement, not the agent's.",
    ),
];

const CARD: &[Param] = &[Param::required("aid", Kind::Text, "AID of the agent, from list_agents.")];

fn list_agents(arguments: &Arguments<'_>) -> Plan {
    let mut body = Object::new();
    body.text_if("skill", arguments.text("skill"))
        .text_if("tag", arguments.text("tag"))
        .text_if("q", arguments.text("query"));
    if let Some(limit) = arguments.integer("limit") {
        body.raw("limit", &limit.value().to_string());
    }
    body.text_if("cursor", arguments.text("cursor"));
    if arguments.flag("include_uncarded") {
        body.raw("include_uncarded", "true");
    }
    forward(Route::AgentsList, body.finish())
}

fn get_agent_card(arguments: &Arguments<'_>) -> Plan {
    let aid = arguments.text("aid").unwrap_or_default().trim();
    forward(Route::AgentsCard, Object::new().text("aid", aid).finish())
}
