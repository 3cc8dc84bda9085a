//! The six task routes: send, get, list, wait, cancel, reply.
//!
//! Responsible for: their requests and the order of their refusals. Not for: what then happens (`world`). Serves control-plane
//! 2.4 to 2.9.

use crate::bound;
use crate::clock::parse_rfc3339;
use crate::decode::{Fields, first_value};
use crate::ids::admissible_aid;
use crate::json::{Json, Members};
use crate::project::shape::TaskState;
use crate::project::{self, View};
use crate::world::check;
use crate::world::pay::PayError;
use crate::world::peer::Occasion;
use crate::world::spend::Purpose;
use crate::world::task::{Side, Task};
use crate::world::{Sending, State};

use super::agents::{read_token, token};
use super::message;
use super::wait::{Showing, Until, Wait, show, timeout};
use super::{Refusal, Result, Said};

/// Bodies of send and reply are held to 96 MiB.
const LARGEST_BODY: usize = 96 << 20;

fn showing(fields: Fields<'_>, history: Option<i64>) -> Result<Showing> {
    let max = fields.int("max_task_bytes")?;
    let history = history.map(usize::try_from).transpose();
    match (usize::try_from(max), history) {
        (Ok(max_bytes), Ok(history)) => Ok(Showing { history, max_bytes }),
        (Err(_), _) => Err(Refusal::invalid("max_task_bytes must not be negative")),
        (_, Err(_)) => Err(Refusal::invalid("history_length must not be negative")),
    }
}

fn timeout_of(fields: Fields<'_>) -> Result<std::time::Duration> {
    let millis = fields.int("timeout_ms")?;
    if millis < 0 {
        return Err(Refusal::invalid("timeout_ms must not be negative"));
    }
    Ok(timeout(millis))
}

/// The task that a request names.
fn named(state: &State, fields: Fields<'_>) -> Result<usize> {
    let id = fields.text("task_id")?;
    if id.is_empty() {
        return Err(Refusal::invalid("task id required"));
    }
    state.task_index(&id).ok_or_else(|| Refusal::not_found(&id))
}

fn shown(state: &State, index: usize, showing: Showing) -> Said {
    Said::Json(show(state, &state.tasks[index], showing).json())
}

/// `/tasks/send`
pub(super) fn send(state: &mut State, body: &[u8]) -> Result<Said> {
    if body.len() > LARGEST_BODY {
        return Err(Refusal::invalid("body: larger than 96 MiB"));
    }
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let nothing = Json::Null;
    let configuration = Fields::of(fields.any("configuration").unwrap_or(&nothing), "configuration")?;
    let history = match fields.maybe_int("history_length")? {
        Some(given) => Some(given),
        None => configuration.maybe_int("historyLength")?,
    };
    let showing = showing(fields, history)?;
    let timeout = timeout_of(fields)?;
    let at_once = fields.flag("return_immediately")? || configuration.flag("returnImmediately")?;
    let to = fields.text("to")?;
    let spoken = message::read(fields, "ROLE_USER")?;
    if !spoken.said.task_id.is_empty() {
        return go_on(state, &spoken, showing, timeout, at_once);
    }

    let to = to.trim();
    if to.is_empty() {
        return Err(Refusal::invalid("to is required to start a task"));
    }
    if to == state.aid {
        return Err(Refusal::invalid("to is this node itself"));
    }
    if !admissible_aid(to) {
        return Err(Refusal::invalid("to is not an agent id"));
    }
    message::check(&spoken.said)?;
    if let Some((sentence, reason)) = state.cannot_send() {
        let reason = reason.map(str::to_owned);
        return Err(match reason {
            // The page asks for exactly the sentence, to be passed on as it is.
            Some(reason) => Refusal::sentence(503, sentence).because(&reason),
            None => Refusal::unavailable(sentence),
        });
    }
    if state.agent(to).is_none() {
        return Err(Refusal::unavailable(format!("the hub has no encryption keys for {to}, so nothing was sent")));
    }
    let (index, repeated) = match state.start(to, &spoken.said) {
        Sending::Started(index) => (index, false),
        Sending::Repeated(index) => (index, true),
    };
    let task_id = state.tasks[index].id.clone();
    let recorded = shown(state, index, showing);
    if !repeated {
        let own_write = state.tasks[index].seq;
        state.deliver(index, Occasion::Sent);
        return Ok(if at_once {
            recorded
        } else {
            Said::Wait(Wait { task_id, until: Until::Asked(own_write), showing, timeout, repeated })
        });
    }
    let until = Until::Asked(0);
    let wait = Wait { task_id, until, showing, timeout, repeated };
    if at_once { Ok(now(state, &wait)) } else { Ok(Said::Wait(wait)) }
}

/// What a wait answers when its caller does not wait.
fn now(state: &State, wait: &Wait) -> Said {
    let mut task = state
        .task(&wait.task_id)
        .map_or_else(|| unreachable!("the task was just found"), |task| show(state, task, wait.showing));
    if wait.repeated {
        super::wait::mark(&mut task, "anet.deduplicated", true.into());
    }
    Said::Json(task.json())
}

/// `/tasks/send` with a task id.
fn go_on(
    state: &mut State,
    spoken: &message::Spoken,
    showing: Showing,
    timeout: std::time::Duration,
    at_once: bool,
) -> Result<Said> {
    let said = &spoken.said;
    let id = &said.task_id;
    let index = state.task_index(id).ok_or_else(|| Refusal::not_found(id))?;
    let task = &state.tasks[index];
    if task.side == Side::Provider {
        return Err(Refusal::invalid(format!("the task {id} was sent to this node; answer it with /tasks/reply")));
    }
    if !said.context_id.is_empty() && said.context_id != task.shown_context() {
        return Err(Refusal::invalid("context_id is not the one of the task"));
    }
    if task.state.terminal() {
        return Err(Refusal::unsupported(format!("the task {id} has ended ({})", task.state)));
    }
    let task_id = id.clone();
    if !spoken.payment.is_empty() {
        let before = task.seq;
        decide(state, &task_id, &spoken.payment)?;
        if at_once {
            return Ok(shown(state, index, showing));
        }
        return Ok(Said::Wait(Wait { task_id, until: Until::Asked(before), showing, timeout, repeated: false }));
    }
    if task.skill.is_some() {
        return Err(Refusal::unsupported(format!(
            "the task {id} is a capability call, which takes no further messages"
        )));
    }
    if said.skill.is_some() {
        return Err(Refusal::invalid("a capability call starts a task of its own; it cannot continue one"));
    }
    message::check(said)?;
    if let Some((sentence, reason)) = state.cannot_send() {
        let refusal = Refusal::unavailable(sentence);
        return Err(match reason.map(str::to_owned) {
            Some(reason) => refusal.because(&reason),
            None => refusal,
        });
    }
    state.continue_task(index, said);
    let own_write = state.tasks[index].seq;
    let recorded = shown(state, index, showing);
    state.deliver(index, Occasion::Spoken);
    Ok(if at_once {
        recorded
    } else {
        Said::Wait(Wait { task_id, until: Until::Asked(own_write), showing, timeout, repeated: false })
    })
}

/// A payment decision inside a message: the agent's, as on `/tasks/pay`.
fn decide(state: &mut State, id: &str, payment: &project::shape::Metadata) -> Result<()> {
    let word = payment.get("x402.payment.status").and_then(Json::as_str).unwrap_or_default();
    let done = match word {
        "payment-rejected" => state.reject_quote(id).map(|_| ()),
        "payment-submitted" => {
            let accept = payment.get("anet.payment.accept").filter(|accept| !accept.is_null());
            let payload = payment.contains_key("x402.payment.payload");
            state.submit(id, Purpose::Agent, accept, payload).map(|_| ())
        }
        _ => {
            return Err(Refusal::invalid("x402.payment.status must be payment-submitted or payment-rejected"));
        }
    };
    match done {
        Ok(()) => Ok(()),
        Err(PayError::Local(reason, ..)) => {
            state.note_refused_payment(id, reason);
            Ok(())
        }
        Err(PayError::Conflict(_, Some("quote_expired"))) => {
            state.note_refused_payment(id, "quote_expired");
            Ok(())
        }
        Err(PayError::Conflict(why, Some(reason)) | PayError::Policy(reason, why)) => {
            Err(Refusal::unsupported(why).because(reason))
        }
        Err(PayError::Conflict(why, None)) => Err(Refusal::unsupported(why)),
        Err(PayError::Unknown(id)) => Err(Refusal::not_found(&id)),
        Err(PayError::Other(why)) => Err(Refusal::invalid(why)),
    }
}

/// `/tasks/get`
pub(super) fn get(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let showing = showing(fields, fields.maybe_int("history_length")?)?;
    let index = named(state, fields)?;
    Ok(shown(state, index, showing))
}

/// `/tasks/wait`
pub(super) fn wait(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let showing = showing(fields, fields.maybe_int("history_length")?)?;
    let timeout = timeout_of(fields)?;
    let until = Until::Needed(fields.int("after_seq")?);
    let index = named(state, fields)?;
    let task_id = state.tasks[index].id.clone();
    Ok(Said::Wait(Wait { task_id, until, showing, timeout, repeated: false }))
}

/// `/tasks/cancel`
pub(super) fn cancel(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let showing = showing(fields, fields.maybe_int("history_length")?)?;
    let index = named(state, fields)?;
    not_ended(&state.tasks[index])?;
    state.cancel(index);
    Ok(shown(state, index, showing))
}

fn not_ended(task: &Task) -> Result<()> {
    if task.state.terminal() {
        return Err(Refusal::named(409, "TaskNotCancelableError", format!("the task {} is {}", task.id, task.state)));
    }
    Ok(())
}

/// `/tasks/reply`
pub(super) fn reply(state: &mut State, body: &[u8]) -> Result<Said> {
    if body.len() > LARGEST_BODY {
        return Err(Refusal::invalid("body: larger than 96 MiB"));
    }
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let showing = showing(fields, fields.maybe_int("history_length")?)?;
    let word = fields.text("state")?;
    let to = match word.as_str() {
        "" => TaskState::InputRequired,
        word => match TaskState::parse(word) {
            Some(TaskState::Submitted) | None => {
                return Err(Refusal::invalid(
                    "state must be input-required, working, completed, failed, rejected or canceled",
                ));
            }
            Some(to) => to,
        },
    };
    let mut spoken = message::read(fields, "ROLE_AGENT")?;
    let said = &mut spoken.said;
    let id = match fields.text("task_id")? {
        id if id.is_empty() => said.task_id.clone(),
        id => id,
    };
    if id.is_empty() {
        return Err(Refusal::invalid("task id required"));
    }
    let index = state.task_index(&id).ok_or_else(|| Refusal::not_found(&id))?;
    let task = &state.tasks[index];
    if task.side == Side::Requester {
        return Err(Refusal::invalid(format!("this node sent the task {id}; continue it with /tasks/send")));
    }
    if said.skill.is_some() {
        return Err(Refusal::invalid("a capability call is no reply"));
    }
    if task.skill.is_some() {
        return Err(Refusal::unsupported(format!("the task {id} is a capability call; its capability answers it")));
    }
    if to == TaskState::Canceled {
        not_ended(task)?;
    }
    if task.state.terminal() {
        return Err(Refusal::unsupported(format!("the task {id} has ended ({})", task.state)));
    }
    said.texts.retain(|text| !text.trim().is_empty());
    if to == TaskState::InputRequired && said.texts.is_empty() && said.files.is_empty() {
        return Err(Refusal::invalid("a question needs text or files"));
    }
    state.reply(index, to, said);
    Ok(shown(state, index, showing))
}

/// `/tasks/list`
pub(super) fn list(state: &mut State, body: &[u8]) -> Result<Said> {
    let body = first_value(body)?;
    let fields = Fields::of(&body, "")?;
    let showing = showing(fields, fields.maybe_int("history_length")?)?;
    let (context, peer) = (fields.text("context_id")?, fields.text("peer")?);
    let (role, status) = (fields.text("role")?, fields.text("status")?);
    let wanted_state = if status.is_empty() { fields.text("state")? } else { status };
    let (page_size, place) = (fields.int("page_size")?, fields.text("page_token")?);
    let after = fields.text("status_timestamp_after")?;
    let artifacts = fields.flag("include_artifacts")?;
    let side = match role.as_str() {
        "" => None,
        "inbound" => Some(Side::Provider),
        "outbound" => Some(Side::Requester),
        _ => return Err(Refusal::invalid("role must be inbound or outbound")),
    };
    let wanted = match wanted_state.as_str() {
        "" => None,
        "TASK_STATE_AUTH_REQUIRED" => Some(None),
        word => match TaskState::parse(word) {
            Some(known) => Some(Some(known)),
            None => return Err(Refusal::invalid(format!("unknown state {word}"))),
        },
    };
    if !(0..=100).contains(&page_size) {
        return Err(Refusal::invalid("page_size must be between 1 and 100"));
    }
    let page_size = if page_size == 0 { 50 } else { usize::try_from(page_size).unwrap_or(50) };
    let after = match after.as_str() {
        "" => None,
        text => match parse_rfc3339(text) {
            Some(moment) => Some(moment),
            None => {
                return Err(Refusal::invalid("status_timestamp_after must be an RFC 3339 time"));
            }
        },
    };
    let from = match place.as_str() {
        "" => 0,
        given => read_token(state, "tasks", given)
            .ok_or_else(|| Refusal::invalid("page_token was not issued by this node"))?,
    };
    let mut found: Vec<&Task> = state
        .tasks
        .iter()
        .filter(|task| {
            side.is_none_or(|side| task.side == side)
                && wanted.is_none_or(|wanted| wanted == Some(task.state))
                && (context.is_empty() || task.shown_context() == context)
                && (peer.is_empty() || task.peer == peer)
                && after.is_none_or(|moment| task.changed_at >= moment)
        })
        .collect();
    found.sort_by_key(|task| std::cmp::Reverse(task.changed_order));
    let tasks: Vec<Json> = found
        .iter()
        .skip(from)
        .take(page_size)
        .map(|task| {
            let whole = project::task(state, task, View { history: showing.history, artifacts });
            check::in_debug_builds(state, task, &whole);
            bound::task_within(&whole, showing.max_bytes).json()
        })
        .collect();
    let next = if from + tasks.len() < found.len() && !tasks.is_empty() {
        token(state, "tasks", from + tasks.len())
    } else {
        String::new()
    };
    Ok(Said::Json(
        Members::new()
            .put("tasks", tasks)
            .put("totalSize", found.len())
            .put("pageSize", page_size)
            .put("nextPageToken", next)
            .done(),
    ))
}
