//! The routes about the node itself: balance, evidence, status, pending, payments.
//!
//! Responsible for: their requests and errors. Not for: what they show (`world`). Serves control-plane 2.11 to 2.15.

use crate::decode::{Fields, first_value};
use crate::json::{Json, Members};
use crate::world::status::{Hub, Waiting};
use crate::world::{Page, State};

use super::{Refusal, Result, Said};

/// `/balance`
pub(super) fn balance(state: &State) -> Result<Said> {
    if !state.purse.module {
        let refusal = Refusal::sentence(400, "This node has no payment module.");
        return Err(match state.page {
            Page::V02 => refusal,
            Page::V03 => refusal.because("module_absent"),
        });
    }
    if state.status.hub == Hub::None {
        return Err(Refusal::sentence(400, "This node has no hub: run `anet hub-register <url>` in a terminal."));
    }
    if let (Page::V02, Some(sentence)) = (state.page, &state.purse.balance_error) {
        return Err(Refusal::sentence(400, sentence.clone()));
    }
    let answer = state.purse.answer(&state.aid, &state.hub_aid, &state.status.hub_url, state.page);
    Ok(Said::Json(answer))
}

/// `/payments/status`
pub(super) fn payments(state: &State) -> Said {
    Said::Json(state.purse.status(state.page, state.clock.now()))
}

/// `/evidence`
pub(super) fn evidence(state: &State, body: &[u8]) -> Result<Said> {
    let read = || {
        let body = first_value(body)?;
        let fields = Fields::of(&body, "")?;
        Ok((fields.text("event_type")?, fields.unsigned("since")?, fields.int("limit")?))
    };
    let (event_type, since, limit) =
        read().map_err(|bad: crate::decode::BadBody| Refusal::sentence(400, bad.to_string()))?;
    let limit = if limit <= 0 { 50 } else { usize::try_from(limit.min(1000)).unwrap_or(1000) };
    Ok(Said::Json(state.evidence.answer(&event_type, since, limit)))
}

/// `/status`
pub(super) fn status(state: &State) -> Said {
    let now = state.clock.now();
    let waiting =
        state.tasks.iter().filter_map(|task| task.delivery.as_ref()).fold(Waiting::default(), |mut all, delivery| {
            all.awaiting += 1;
            all.oldest_ms = all.oldest_ms.max(now - delivery.since);
            all
        });
    Said::Json(state.status.document(&state.aid, state.policy.word(), waiting, state.page))
}

/// `/inbound/pending`
pub(super) fn pending(state: &State) -> Result<Said> {
    if let Some(sentence) = &state.pending_error {
        return Err(Refusal::sentence(500, sentence.clone()));
    }
    let held: Vec<Json> = state.pending().iter().map(crate::world::pending::Pending::json).collect();
    Ok(Said::Json(Members::new().put("pending", held).done()))
}
