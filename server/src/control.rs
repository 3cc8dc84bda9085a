//! The client of the control plane: one request to one of fourteen routes, and what came of it.
//!
//! Responsible for the allow-list, for the token staying with the daemon, for sending nothing twice that may have
//! arrived, and for turning an answer into either a JSON object in the daemon's own bytes or one sentence. Not for
//! what the object means. Serves sections 1.4, 1.5 and 1.8 of the control plane, R1, R6, R11 and R12.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Mutex;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, StatusCode, redirect, retry};
use serde_json::value::RawValue;

use crate::home::{Endpoint, Home};
use crate::json::Members;
use crate::listener;

/// A call may wait for a task; longer than this it has been forgotten.
const CALL_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Loopback connects at once or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Every route this server can call. There is no way to name a fifteenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Agents of the hub's registry.
    AgentsList,
    /// One agent's card.
    AgentsCard,
    /// Start or continue a task.
    TasksSend,
    /// One task.
    TasksGet,
    /// A page of tasks.
    TasksList,
    /// Wait for a task to change.
    TasksWait,
    /// Cancel a task.
    TasksCancel,
    /// Answer a task.
    TasksReply,
    /// Pay or reject a quote.
    TasksPay,
    /// What the node may spend.
    Balance,
    /// The evidence chain.
    Evidence,
    /// The node.
    Status,
    /// Tasks that wait for the operator.
    InboundPending,
    /// The spending limits.
    PaymentsStatus,
}

impl Route {
    /// The path on the wire.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::AgentsList => "/agents/list",
            Self::AgentsCard => "/agents/card",
            Self::TasksSend => "/tasks/send",
            Self::TasksGet => "/tasks/get",
            Self::TasksList => "/tasks/list",
            Self::TasksWait => "/tasks/wait",
            Self::TasksCancel => "/tasks/cancel",
            Self::TasksReply => "/tasks/reply",
            Self::TasksPay => "/tasks/pay",
            Self::Balance => "/balance",
            Self::Evidence => "/evidence",
            Self::Status => "/status",
            Self::InboundPending => "/inbound/pending",
            Self::PaymentsStatus => "/payments/status",
        }
    }

    /// Whether a request may change something, so that calling again is a decision.
    fn acts(self) -> bool {
        matches!(self, Self::TasksSend | Self::TasksCancel | Self::TasksReply | Self::TasksPay)
    }
}

/// A call that brought no object: the sentence for the caller, and the reason code for this program's own use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What the caller reads; the daemon's own sentence whenever it gave one.
    pub(crate) sentence: String,
    /// The daemon's `reason`, never shown.
    pub(crate) reason: Option<String>,
    /// Whether no daemon was reached at all.
    pub(crate) unreachable: bool,
}

impl Failure {
    fn own(sentence: String) -> Self {
        Self { sentence, reason: None, unreachable: false }
    }

    fn unreachable(sentence: String) -> Self {
        Self { sentence, reason: None, unreachable: true }
    }
}

/// The control plane of one node.
#[derive(Debug)]
pub(crate) struct Control {
    home: Home,
    client: Client,
    /// The daemon that answered last; found anew when it no longer does.
    known: Mutex<Option<Endpoint>>,
}

/// What became of one attempt to send a request.
enum Attempt {
    Answered(StatusCode, Vec<u8>),
    /// Nothing was sent: no connection came about.
    NotConnected(Endpoint, String),
    /// Nothing was sent: the port belongs to another user.
    Foreign(Endpoint),
    /// The request may have arrived, so it must not be sent again.
    Lost(Failure),
}

impl Control {
    /// A client for the daemon of this home. Reads and connects to nothing yet.
    pub(crate) fn new(home: Home) -> Result<Self, reqwest::Error> {
        // `localhost` is pinned to loopback: no resolver gets to decide where a token goes.
        let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let client = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .http1_only()
            .tcp_nodelay(true)
            // A connection for each call: a kept one may be closed by the daemon just when it is used again, and
            // then nobody knows whether the request arrived.
            .pool_max_idle_per_host(0)
            .resolve_to_addrs("localhost", &loopback.map(|ip| SocketAddr::new(ip, 0)))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            .build()?;
        Ok(Self { home, client, known: Mutex::new(None) })
    }

    /// Calls a route and returns the daemon's object in its own bytes, without white space around it.
    ///
    /// The request is sent a second time only when the first provably reached nobody or was refused with 401.
    pub(crate) async fn call(&self, route: Route, body: &str) -> Result<String, Failure> {
        let mut tried: Vec<Endpoint> = Vec::new();
        let mut last = None;
        let known = self.known.lock().ok().and_then(|known| known.clone());
        if let Some(endpoint) = known {
            let attempt = self.attempt(&endpoint, route, body).await;
            match self.conclude(attempt, &endpoint, route) {
                Outcome::Final(result) => return result,
                Outcome::Next(failure) => last = Some(failure),
            }
            tried.push(endpoint);
        }
        let endpoints = match self.home.endpoints() {
            Ok(endpoints) => endpoints,
            Err(error) => return Err(Failure::unreachable(error.to_string())),
        };
        // What the files say now explains a failure better than what was known before.
        let mut newest = None;
        for endpoint in endpoints {
            if tried.contains(&endpoint) {
                continue;
            }
            let attempt = self.attempt(&endpoint, route, body).await;
            match self.conclude(attempt, &endpoint, route) {
                Outcome::Final(result) => return result,
                Outcome::Next(failure) => newest = newest.or(Some(failure)),
            }
            tried.push(endpoint);
        }
        let last = newest.or(last);
        Err(last
            .unwrap_or_else(|| Failure::unreachable("No anet daemon is known; start it with `anet up`.".to_owned())))
    }

    fn conclude(&self, attempt: Attempt, endpoint: &Endpoint, route: Route) -> Outcome {
        match attempt {
            Attempt::Answered(status, body) if status == StatusCode::UNAUTHORIZED => {
                let own = refused_token(endpoint);
                Outcome::Next(refusal(&body).unwrap_or(own))
            }
            Attempt::Answered(status, body) => {
                if let Ok(mut known) = self.known.lock() {
                    *known = Some(endpoint.clone());
                }
                Outcome::Final(read_answer(route, status, body))
            }
            Attempt::NotConnected(endpoint, cause) => Outcome::Next(Failure::unreachable(format!(
                "The anet daemon does not answer at {} ({cause}); start it with `anet up`, then call again.",
                endpoint.address
            ))),
            Attempt::Foreign(endpoint) => Outcome::Next(Failure::unreachable(format!(
                "The process that listens at {} belongs to another user, so the control token was not sent to it; \
                 start your own daemon with `anet up`, then call again.",
                endpoint.address
            ))),
            Attempt::Lost(failure) => Outcome::Final(Err(failure)),
        }
    }

    async fn attempt(&self, endpoint: &Endpoint, route: Route, body: &str) -> Attempt {
        if listener::is_foreign(&endpoint.address) {
            return Attempt::Foreign(endpoint.clone());
        }
        let Ok(mut bearer) = HeaderValue::from_str(&endpoint.token.bearer()) else {
            return Attempt::Lost(Failure::own("The control token cannot travel in a header.".to_owned()));
        };
        // A sensitive header is left out of every Debug output below.
        bearer.set_sensitive(true);
        let path = route.path();
        tracing::debug!(address = %endpoint.address, path, bytes = body.len(), "calling the daemon");
        let request = self
            .client
            .post(format!("http://{}{path}", endpoint.address))
            .header(AUTHORIZATION, bearer)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_owned());
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => {
                return Attempt::NotConnected(endpoint.clone(), connect_cause(&error));
            }
            Err(error) => return Attempt::Lost(lost(endpoint, route, &error)),
        };
        let status = response.status();
        match response.bytes().await {
            Ok(body) => {
                tracing::debug!(status = status.as_u16(), bytes = body.len(), "the daemon answered");
                Attempt::Answered(status, body.into())
            }
            // A refusal counts even if its text was cut off.
            Err(_) if status == StatusCode::UNAUTHORIZED => Attempt::Answered(status, Vec::new()),
            Err(error) => Attempt::Lost(lost(endpoint, route, &error)),
        }
    }
}

enum Outcome {
    Final(Result<String, Failure>),
    Next(Failure),
}

fn refused_token(endpoint: &Endpoint) -> Failure {
    Failure::own(format!(
        "The anet daemon at {} refused the control token of {} with HTTP status 401; restart it with `anet up`, then \
         call again.",
        endpoint.address,
        endpoint.data_dir.display()
    ))
}

fn connect_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    loop {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return match io.kind() {
                std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
                std::io::ErrorKind::TimedOut => "no connection in time".to_owned(),
                kind => kind.to_string(),
            };
        }
        match cause.source() {
            Some(next) => cause = next,
            None => return "no connection".to_owned(),
        }
    }
}

/// The request went out and no whole answer came: what it may have done must be said.
fn lost(endpoint: &Endpoint, route: Route, error: &reqwest::Error) -> Failure {
    let what =
        if error.is_timeout() { "did not answer in time" } else { "broke the connection before it had answered" };
    let then = if route.acts() {
        "so whether the call had an effect is not known; look before you call again"
    } else {
        "so nothing was learned; call again"
    };
    Failure::own(format!(
        "The anet daemon at {} {what} to {}, {then}, and if the daemon is down, start it with `anet up`.",
        endpoint.address,
        route.path()
    ))
}

/// The daemon's own words in the body of a refusal, if there are any.
fn refusal(body: &[u8]) -> Option<Failure> {
    let members = std::str::from_utf8(body).ok().and_then(Members::of)?;
    let sentence = members.text("error").filter(|sentence| !sentence.trim().is_empty())?;
    Some(Failure { sentence, reason: members.text("reason"), unreachable: false })
}

/// Section 1.5: what an answer means.
fn read_answer(route: Route, status: StatusCode, body: Vec<u8>) -> Result<String, Failure> {
    let path = route.path();
    let own = |what: &str| {
        Failure::own(format!("The anet daemon's answer to {path} (HTTP status {}) {what}.", status.as_u16()))
    };
    if !status.is_success() {
        let unexplained = || own("was an error without a sentence that explains it");
        return Err(refusal(&body).unwrap_or_else(unexplained));
    }
    let text = String::from_utf8(body);
    let text = text.map_err(|_| own("is not text in UTF-8"))?;
    let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
    if trimmed.is_empty() {
        return Err(own("was empty"));
    }
    if serde_json::from_str::<&RawValue>(trimmed).is_err() {
        return Err(own("is not JSON"));
    }
    if trimmed == "null" {
        return Err(own("was empty: it said null"));
    }
    if !trimmed.starts_with('{') {
        return Err(own("is not a JSON object"));
    }
    if trimmed.len() == text.len() { Ok(text) } else { Ok(trimmed.to_owned()) }
}

#[cfg(test)]
mod tests;
