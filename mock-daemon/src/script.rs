//! What the fake answers instead of its world: rules, and the replies they play.
//!
//! Responsible for: which rule meets a request, how often it may, and who lets a held answer go. Not for: writing the
//! bytes (`front`, `fault`).

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::fault::Fault;
use crate::route::Route;

/// One rule of the script. Of several that meet a request the one added last is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which requests it meets.
    pub on: On,
    /// How often it is played; then it is gone.
    pub times: Times,
    /// What it does.
    pub reply: Reply,
}

/// Which requests a rule meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// Every request that can be read as one, trespassing or not.
    Any,
    /// A request for this route that the guards let through: a trespass gets its refusal and uses nothing up.
    Route(Route),
    /// Every request with exactly this path (query left out), trespassing or not.
    Path(String),
}

impl On {
    /// Whether a request with this path meets the rule; `admitted` is its route, if the guards let it through.
    fn meets(&self, path: &str, admitted: Option<Route>) -> bool {
        match self {
            Self::Any => true,
            Self::Route(route) => admitted == Some(*route),
            Self::Path(wanted) => wanted == path,
        }
    }
}

/// How often a rule is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Once.
    Once,
    /// This often.
    Exactly(u32),
    /// For as long as it is there.
    Always,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Answers with exactly this.
    Respond(Response),
    /// Waits until [`release`](crate::Daemon::release) is called with the name, then goes on.
    Hold {
        /// The name to release.
        name: String,
        /// What follows.
        then: Box<Reply>,
    },
    /// Lets the guards and the world answer, as if there were no rule.
    World,
    /// Breaks the connection in a way that HTTP does not allow for.
    Fault(Fault),
}

/// One answer, exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Names and values in order. The security headers and `Content-Length` are added unless they stand here.
    pub headers: Vec<(String, String)>,
    /// The body, to the byte.
    pub body: Vec<u8>,
    /// How long the answer is kept back.
    pub delay: Duration,
}

impl Response {
    /// A JSON answer with exactly these bytes: nothing is checked or appended.
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// A plain text answer with exactly these bytes.
    pub fn text(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::typed(status, "text/plain; charset=utf-8", body)
    }

    /// An answer of any type with exactly these bytes.
    pub fn typed(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body: body.into(),
            delay: Duration::ZERO,
        }
    }

    /// The same answer with one more header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same answer, kept back for a while.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The rules in force and the holds that were let go.
#[derive(Debug)]
pub(crate) struct Script {
    rules: Mutex<Vec<Rule>>,
    released: watch::Sender<BTreeSet<String>>,
}

impl Script {
    /// No rules, nothing released.
    pub(crate) fn new() -> Self {
        Self { rules: Mutex::new(Vec::new()), released: watch::Sender::new(BTreeSet::new()) }
    }

    /// Adds a rule that wins over all before it.
    pub(crate) fn add(&self, rule: Rule) {
        self.rules().push(rule);
    }

    /// Forgets all rules. Replies that are being played go on.
    pub(crate) fn clear(&self) {
        self.rules().clear();
    }

    /// Takes the reply of the newest rule that meets this request, and uses it up by one.
    pub(crate) fn take(&self, path: &str, admitted: Option<Route>) -> Option<Reply> {
        let mut rules = self.rules();
        rules.retain(|rule| rule.times != Times::Exactly(0));
        let index = rules.iter().rposition(|rule| rule.on.meets(path, admitted))?;
        match &mut rules[index].times {
            Times::Always => Some(rules[index].reply.clone()),
            Times::Exactly(left) if *left > 1 => {
                *left -= 1;
                Some(rules[index].reply.clone())
            }
            Times::Once | Times::Exactly(_) => Some(rules.remove(index).reply),
        }
    }

    /// Lets go what is held under this name, now and later.
    pub(crate) fn release(&self, hold: &str) {
        self.released.send_modify(|released| {
            released.insert(hold.to_owned());
        });
    }

    /// Returns when the name was released.
    pub(crate) async fn released(&self, hold: &str) {
        let mut released = self.released.subscribe();
        // The sender lives as long as `self`, so the channel cannot close under the borrow.
        let _ = released.wait_for(|released| released.contains(hold)).await;
    }

    fn rules(&self) -> MutexGuard<'_, Vec<Rule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(on: On, times: Times, body: &str) -> Rule {
        Rule { on, times, reply: Reply::Respond(Response::json(200, body)) }
    }

    fn body(reply: Option<Reply>) -> Option<String> {
        match reply? {
            Reply::Respond(response) => Some(String::from_utf8(response.body).expect("text")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_newest_rule_wins_until_it_is_used_up() {
        let script = Script::new();
        script.add(rule(On::Any, Times::Always, "any"));
        script.add(rule(On::Route(Route::Status), Times::Exactly(2), "twice"));
        script.add(rule(On::Path("/status".into()), Times::Once, "once"));
        script.add(rule(On::Any, Times::Exactly(0), "never"));
        let ask = || body(script.take("/status", Some(Route::Status)));
        let said: Vec<_> = std::iter::repeat_with(ask).take(5).flatten().collect();
        assert_eq!(said, ["once", "twice", "twice", "any", "any"]);
        script.clear();
        assert_eq!(ask(), None);
    }

    #[test]
    fn a_route_rule_waits_for_a_request_that_the_guards_let_through() {
        let script = Script::new();
        script.add(rule(On::Route(Route::Status), Times::Once, "status"));
        assert_eq!(body(script.take("/status", None)), None);
        assert_eq!(body(script.take("/balance", Some(Route::Balance))), None);
        assert_eq!(body(script.take("/status", Some(Route::Status))), Some("status".into()));
    }
}
