//! The routes of the control plane that `anet mcp` may call: a closed set.
//!
//! Responsible for: names and spelling of the 14 routes (control-plane 1.8). Not for: what they answer.

use std::fmt;

/// One of the 14 control-plane routes that the page names. Any other path is a trespass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Route {
    /// `POST /agents/list`
    AgentsList,
    /// `POST /agents/card`
    AgentsCard,
    /// `POST /tasks/send`
    TasksSend,
    /// `POST /tasks/get`
    TasksGet,
    /// `POST /tasks/list`
    TasksList,
    /// `POST /tasks/wait`
    TasksWait,
    /// `POST /tasks/cancel`
    TasksCancel,
    /// `POST /tasks/reply`
    TasksReply,
    /// `POST /tasks/pay`
    TasksPay,
    /// `POST /balance`
    Balance,
    /// `POST /evidence`
    Evidence,
    /// `POST /status`, which answers `GET` as well
    Status,
    /// `POST /inbound/pending`
    InboundPending,
    /// `POST /payments/status`, with an empty body
    PaymentsStatus,
}

impl Route {
    /// All 14, in the order in which the page names them.
    pub const ALL: [Self; 14] = [
        Self::AgentsList,
        Self::AgentsCard,
        Self::TasksSend,
        Self::TasksGet,
        Self::TasksList,
        Self::TasksWait,
        Self::TasksCancel,
        Self::TasksReply,
        Self::TasksPay,
        Self::Balance,
        Self::Evidence,
        Self::Status,
        Self::InboundPending,
        Self::PaymentsStatus,
    ];

    /// The path, as it stands in the request line.
    pub const fn path(self) -> &'static str {
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

    /// The route that has exactly this path (no query string, no trailing slash), or none.
    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.path() == path)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}

#[cfg(test)]
mod tests {
    use super::Route;

    #[test]
    fn every_route_is_found_by_its_own_path_alone() {
        for route in Route::ALL {
            assert_eq!(Route::from_path(route.path()), Some(route));
            assert_eq!(Route::from_path(&format!("{route}/")), None);
        }
        assert_eq!(Route::from_path("/shutdown"), None);
    }
}
