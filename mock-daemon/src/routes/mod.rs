//! What the 14 routes answer.
//!
//! Responsible for: sending a request to its route, and the shapes of answers, refusals and waits. Not for: the guards before
//! (`guard`) nor for the state (`world`). Serves control-plane 2.1.

mod agents;
mod message;
mod node;
mod pay;
mod tasks;
mod wait;

use crate::answer::Answer;
use crate::decode::BadBody;
use crate::encode;
use crate::json::{Json, Members};
use crate::route::Route;
use crate::world::{Failure, State};

pub(crate) use wait::Wait;

/// What a route decided.
pub(crate) enum Answered {
    /// The answer.
    Now(Answer),
    /// It waits for the world.
    Later(Wait),
}

/// What a route says when it says yes.
enum Said {
    Json(Json),
    Wait(Wait),
}

/// Why a route says no.
#[derive(Clone, Debug)]
struct Refusal {
    status: u16,
    code: Option<&'static str>,
    error: String,
    reason: Option<String>,
    result: Option<Json>,
}

impl Refusal {
    /// A named error of the task and agent routes.
    fn named(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        let error = if detail.is_empty() { code.to_owned() } else { format!("{code}: {detail}") };
        Self { status, code: Some(code), error, reason: None, result: None }
    }

    /// A sentence of the other routes, which carry no code.
    fn sentence(status: u16, error: impl Into<String>) -> Self {
        Self { status, code: None, error: error.into(), reason: None, result: None }
    }

    fn invalid(detail: impl Into<String>) -> Self {
        Self::named(400, "InvalidParamsError", detail)
    }

    fn not_found(id: &str) -> Self {
        Self::named(404, "TaskNotFoundError", id)
    }

    fn unsupported(detail: impl Into<String>) -> Self {
        Self::named(409, "UnsupportedOperationError", detail)
    }

    fn unavailable(detail: impl Into<String>) -> Self {
        Self::named(503, "UnavailableError", detail)
    }

    fn because(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    fn answer(self) -> Answer {
        let body = Members::new()
            .put("error", self.error)
            .maybe("code", self.code)
            .maybe("reason", self.reason)
            .maybe("result", self.result)
            .done();
        Answer::json(self.status, encode::body(&body))
    }
}

impl From<BadBody> for Refusal {
    fn from(bad: BadBody) -> Self {
        Self::invalid(bad.to_string())
    }
}

type Result<T> = std::result::Result<T, Refusal>;

/// Answers a request that passed the guards.
pub(crate) fn answer(state: &mut State, route: Route, body: &[u8]) -> Answered {
    if let Some(refusal) = state.failure.as_ref().and_then(|failure| failed(route, failure)) {
        return Answered::Now(refusal.answer());
    }
    let said = match route {
        Route::AgentsList => agents::list(state, body),
        Route::AgentsCard => agents::card(state, body),
        Route::TasksSend => tasks::send(state, body),
        Route::TasksGet => tasks::get(state, body),
        Route::TasksList => tasks::list(state, body),
        Route::TasksWait => tasks::wait(state, body),
        Route::TasksCancel => tasks::cancel(state, body),
        Route::TasksReply => tasks::reply(state, body),
        Route::TasksPay => pay::pay(state, body),
        Route::Balance => node::balance(state),
        Route::Evidence => node::evidence(state, body),
        Route::Status => Ok(node::status(state)),
        Route::InboundPending => node::pending(state),
        Route::PaymentsStatus => Ok(node::payments(state)),
    };
    match said {
        Ok(Said::Json(json)) => Answered::Now(ok(&json)),
        Ok(Said::Wait(wait)) => match wait.resume(state, false) {
            Some(answer) => Answered::Now(answer),
            None => Answered::Later(wait),
        },
        Err(refusal) => Answered::Now(refusal.answer()),
    }
}

/// What a route says when the daemon fails; none where it has no such answer (control-plane 2.1, 2.10, 2.11, 2.14).
fn failed(route: Route, failure: &Failure) -> Option<Refusal> {
    let (status, cause) = match failure {
        Failure::Cause(cause) => (500, cause.as_str()),
        Failure::Deadline => (504, "context deadline exceeded"),
    };
    match route {
        Route::Status | Route::PaymentsStatus | Route::Evidence => None,
        Route::InboundPending => (status == 500).then(|| Refusal::sentence(500, cause)),
        Route::TasksPay | Route::Balance => Some(Refusal::sentence(if status == 500 { 400 } else { 504 }, cause)),
        // The raw cause, without the name in front.
        _ => Some(Refusal { code: Some("InternalError"), ..Refusal::sentence(status, cause) }),
    }
}

fn ok(json: &Json) -> Answer {
    Answer::json(200, encode::body(json))
}
