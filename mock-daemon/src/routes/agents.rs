//! `/agents/list` and `/agents/card`.
//!
//! Responsible for: their requests, paging and matching. Not for: what an agent's entry holds (`world::agents`). Serves
//! control-plane 2.2 and 2.3.

use crate::decode::{Fields, first_value};
use crate::ids::admissible_aid;
use crate::json::{Json, Members};
use crate::world::State;
use crate::world::agents::{Agent, Verification, nobody};
use crate::world::status::Hub;

use super::{Refusal, Result, Said};

const UNCARDED: &str = "uncarded:";

/// `/agents/list`
pub(super) fn list(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let (skill, tag, q) = (fields.text("skill")?, fields.text("tag")?, fields.text("q")?);
    let (limit, cursor) = (fields.int("limit")?, fields.text("cursor")?);
    let uncarded = fields.flag("include_uncarded")?;
    if !(0..=100).contains(&limit) {
        return Err(Refusal::invalid("limit must be between 1 and 100"));
    }
    let limit = if limit == 0 { 20 } else { usize::try_from(limit).unwrap_or(20) };
    let (carded_from, uncarded_from) = place(state, &cursor, uncarded)?;
    hub(state)?;

    let found = |with_card: bool| {
        let agents: Vec<&Agent> = state
            .agents
            .iter()
            .filter(|agent| state.registry && agent.listed && (agent.verification != Verification::None) == with_card)
            .filter(|agent| agent.published_under(&skill, &tag))
            .collect();
        agents
    };
    let carded = found(true);
    let mut shown: Vec<&Agent> = Vec::new();
    let mut next = String::new();
    let mut room = limit;
    if let Some(from) = carded_from {
        let page: Vec<&Agent> = carded.iter().skip(from).take(limit).copied().collect();
        room -= page.len();
        shown.extend(&page);
        if from + page.len() < carded.len() {
            next = token(state, "agents", from + page.len());
            room = 0;
        }
    }
    if uncarded && next.is_empty() {
        let others = found(false);
        let from = uncarded_from.unwrap_or(0);
        shown.extend(others.iter().skip(from).take(room));
        if from + room < others.len() {
            next = format!("{UNCARDED}{}", from + room);
        }
    }
    let agents: Vec<Json> = shown
        .into_iter()
        .filter(|agent| agent.matches(&q))
        .map(|agent| agent.entry(&state.hub_aid, state.page))
        .collect();
    Ok(Said::Json(Members::new().put("agents", agents).put("nextCursor", next).done()))
}

/// Where a page begins: among the registry's agents, or among those without a card.
fn place(state: &State, cursor: &str, uncarded: bool) -> Result<(Option<usize>, Option<usize>)> {
    if cursor.is_empty() {
        return Ok((Some(0), None));
    }
    if let Some(number) = cursor.strip_prefix(UNCARDED) {
        return match number.parse() {
            Ok(from) if uncarded => Ok((None, Some(from))),
            _ => Err(Refusal::invalid("cursor is not one of this list; begin again without it")),
        };
    }
    match read_token(state, "agents", cursor) {
        Some(from) => Ok((Some(from), None)),
        None => Err(Refusal::invalid("cursor is not one of this list; begin again without it")),
    }
}

fn hub(state: &State) -> Result<()> {
    match &state.status.hub {
        Hub::None => Err(Refusal::unavailable("this node has no hub; run `anet hub-register <url>` in a terminal")),
        Hub::Unreachable => Err(Refusal::unavailable(format!("the hub {} does not answer", state.status.hub_url))),
        Hub::Registered | Hub::PendingAdmission | Hub::Other(..) => Ok(()),
    }
}

/// `/agents/card`
pub(super) fn card(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let aid = Fields::of(&body, "")?.text("aid")?;
    if !admissible_aid(&aid) {
        return Err(Refusal::invalid("aid is not an agent id"));
    }
    hub(state)?;
    let now = state.clock.now();
    Ok(Said::Json(match state.agent(&aid) {
        Some(agent) => agent.card_answer(&state.hub_aid, state.page, now),
        None => nobody(&aid, false),
    }))
}

/// An opaque place in a list that only this node issues.
pub(super) fn token(state: &State, list: &str, place: usize) -> String {
    let plain = format!("{place}.{}", state.ids.seal(&format!("{list}/{place}")));
    crate::ids::base64(plain.as_bytes()).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// The place that a token names, if this node issued it for this list.
pub(super) fn read_token(state: &State, list: &str, given: &str) -> Option<usize> {
    use base64::Engine as _;
    let plain = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(given).ok()?;
    let plain = String::from_utf8(plain).ok()?;
    let place: usize = plain.split_once('.')?.0.parse().ok()?;
    (token(state, list, place) == given).then_some(place)
}
