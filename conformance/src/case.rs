//! A case: what is set up, what the client does, and what is checked, as data.
//!
//! Responsible for: the vocabulary in which cases are written. Not for: carrying them out (`run`), judging (`expect`,
//! `judge`), or the cases themselves (`cases`).
//!
//! Every case asserts three sides: what the client saw, what the daemon was asked, and what it was never asked.

use std::fmt;
use std::time::Duration;

use anet_mock_daemon::{Route, Rule};

use crate::expect::Expect;
use crate::page::Tool;
use crate::requirement::{self, Level};
use crate::revision::Revision;

/// A group of cases; each lives in a file of its own under `cases/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `tools/list`: names, schemas, annotations, descriptions.
    Surface,
    /// Each tool: the exact request and the exact answer.
    Exchange,
    /// The boundary matrix of arguments.
    Arguments,
    /// What task results and node documents carry, passed on unchanged.
    Results,
    /// Every reason code, in each place where it can appear.
    Reasons,
    /// How large answers are held to their size.
    Truncation,
    /// Failed calls: statuses and bodies.
    Errors,
    /// Payments, balance, waiting, pending: what the page says of single tools.
    Node,
    /// What the server reaches, reads and gives away.
    Reach,
    /// MCP itself: handshake, framing, ids, end of input.
    Protocol,
    /// Faults between the server and the daemon.
    Faults,
    /// Sequences over the life of a task.
    Walks,
}

impl Group {
    /// All groups, in the order of the report.
    pub const ALL: [Self; 12] = [
        Self::Surface,
        Self::Exchange,
        Self::Arguments,
        Self::Results,
        Self::Reasons,
        Self::Truncation,
        Self::Errors,
        Self::Node,
        Self::Reach,
        Self::Protocol,
        Self::Faults,
        Self::Walks,
    ];

    /// The name, which begins the id of each of its cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Exchange => "exchange",
            Self::Arguments => "arguments",
            Self::Results => "results",
            Self::Reasons => "reasons",
            Self::Truncation => "truncation",
            Self::Errors => "errors",
            Self::Node => "node",
            Self::Reach => "reach",
            Self::Protocol => "protocol",
            Self::Faults => "faults",
            Self::Walks => "walks",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// `group/topic/point`; never changed, never reused.
    pub id: String,
    /// What it is about, in a short sentence.
    pub title: String,
    /// Its group.
    pub group: Group,
    /// The tool it is about, if it is about one.
    pub tool: Option<Tool>,
    /// The revision in which the client speaks.
    pub revision: Revision,
    /// Whether the case is about that revision, and means nothing in another.
    pub pinned: bool,
    /// What is set up before the candidate starts.
    pub setting: Setting,
    /// What the client does, in order.
    pub steps: Vec<Step>,
    /// What must be true afterwards.
    pub checks: Vec<Check>,
}

impl Case {
    /// A case without steps and checks, in the newest revision that has a handshake. `topic` follows the group's name
    /// in the id.
    pub fn new(group: Group, topic: &str, title: impl Into<String>) -> Self {
        Self {
            id: format!("{group}/{topic}"),
            title: title.into(),
            group,
            tool: None,
            revision: Revision::V2025_11_25,
            pinned: false,
            setting: Setting::default(),
            steps: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// Says which tool it is about.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tool = Some(tool);
        self
    }

    /// Says in which revision the client speaks, because the case is about that. It gets a process of its own.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = revision;
        self.pinned = true;
        self
    }

    /// Whether the case can be told in any revision: it is about none, and does not shake hands itself.
    pub fn is_movable(&self) -> bool {
        !self.pinned && !self.setting.no_handshake
    }

    /// The same case told in another revision, which its id then ends with. None for a case that is not movable.
    pub fn in_revision(&self, revision: Revision) -> Option<Self> {
        if !self.is_movable() {
            return None;
        }
        let mut moved = self.clone();
        if revision != self.revision {
            moved.id = format!("{}@{revision}", self.id);
            moved.revision = revision;
        }
        if revision.is_modern() {
            moved.steps.iter_mut().for_each(|step| add_metadata(step, revision));
        }
        Some(moved)
    }

    /// Changes what is set up. The case gets a process of its own.
    pub fn setting(mut self, setting: Setting) -> Self {
        self.setting = setting;
        self
    }

    /// Asks for a process and a daemon of its own: for cases that end the process or break the stream.
    pub fn alone(mut self) -> Self {
        self.setting.alone = true;
        self
    }

    /// Adds a step.
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds a rule for the daemon that holds until the case ends.
    pub fn daemon(self, rule: Rule) -> Self {
        self.step(Step::Script(rule))
    }

    /// Adds a `tools/call` that is awaited, under the label `call`.
    pub fn call(self, tool: Tool, arguments: impl Into<String>) -> Self {
        self.step(Step::Request(Request::call("call", tool.name(), Some(arguments.into()))))
            .step(Step::Await("call".to_owned()))
    }

    /// Adds a check.
    pub fn check(mut self, requirement: &'static str, expect: Expect) -> Self {
        self.checks.push(Check { requirement, expect });
        self
    }

    /// The highest level that one of its checks asks for.
    pub fn level(&self) -> Level {
        let levels = self.checks.iter().filter_map(|check| requirement::find(check.requirement));
        levels.map(|found| found.level).max().unwrap_or(Level::Observe)
    }

    /// Whether it can share a process with others: nothing but calls in a session opened in the usual way.
    pub fn can_share(&self) -> bool {
        !self.setting.alone
            && !self.pinned
            && self.setting.is_usual()
            && self.steps.iter().all(|step| {
                matches!(
                    step,
                    Step::Script(_)
                        | Step::Release(_)
                        | Step::Request(_)
                        | Step::Await(_)
                        | Step::AwaitAll(_)
                        | Step::AwaitDaemon { .. }
                        | Step::ListTools(_)
                )
            })
    }
}

/// Adds what a modern client must say to a request that has a `_meta` of its own; others get one when they are sent. Text
/// is spliced, so that all else stays as it was written.
fn add_metadata(step: &mut Step, revision: Revision) {
    const OPENING: &str = r#""_meta":{"#;
    let Step::Request(Request { params: Some(params), .. }) = step else { return };
    if let Some(at) = params.find(OPENING) {
        let (head, rest) = params.split_at(at + OPENING.len());
        let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
        *params = format!("{head}{}{comma}{rest}", revision.request_metadata());
    }
}

/// An expectation and the requirement that it serves.
#[derive(Clone, Debug)]
pub struct Check {
    /// The requirement's id.
    pub requirement: &'static str,
    /// What must be true.
    pub expect: Expect,
}

/// What is set up before the candidate starts.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// A process and a daemon of its own, even if the steps would allow sharing.
    pub alone: bool,
    /// The handshake is not done for the case: its steps do it (or do not).
    pub no_handshake: bool,
    /// Variables set for the candidate, beside or instead of the usual ones.
    pub env: Vec<(String, String)>,
    /// Nothing is inherited but what MCP hosts pass on: HOME, LOGNAME, PATH, SHELL, TERM, USER; and the data directory.
    pub minimal_env: bool,
    /// Where the control plane is said to be.
    pub daemon: DaemonSetting,
    /// Files laid out before the start; they must be as they were afterwards.
    pub plants: Vec<Plant>,
    /// Further strings that must not appear in anything that leaves the candidate, with a name for the report.
    pub secrets: Vec<(String, String)>,
}

impl Setting {
    fn is_usual(&self) -> bool {
        !self.no_handshake
            && self.env.is_empty()
            && !self.minimal_env
            && self.daemon == DaemonSetting::Running
            && self.plants.is_empty()
            && self.secrets.is_empty()
    }
}

/// Where the control plane is said to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DaemonSetting {
    /// The mock daemon runs, and the data directory points to it.
    #[default]
    Running,
    /// Nothing listens at the address that `config.json` names.
    Down,
    /// `config.json` names this address. `{port}` stands for the mock daemon's port.
    Address(String),
    /// The data directory is empty: no daemon ever ran.
    Empty,
    /// `config.json` is there, the token file is not.
    NoToken,
    /// `config.json` holds these bytes.
    Config(String),
}

/// A file laid out before the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plant {
    /// Where.
    pub place: Place,
    /// The path below it.
    pub path: String,
    /// What it is.
    pub kind: PlantKind,
}

/// A directory that the candidate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `HOME`.
    Home,
    /// The working directory.
    Work,
    /// The data directory.
    Data,
}

/// What is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlantKind {
    /// A file with this content.
    File(Vec<u8>),
    /// A named pipe: whoever opens it to read gives himself away. The run notes whether it was opened.
    Fifo,
}

/// One thing that the client does.
#[derive(Clone, Debug)]
pub enum Step {
    /// The daemon follows this rule from here on, until the case ends.
    Script(Rule),
    /// The daemon lets go what it holds under this name.
    Release(String),
    /// The daemon comes back on another port, with another token.
    RestartDaemon,
    /// The daemon stops listening: connections are refused.
    StopDaemon,
    /// The daemon listens again, at the same address, with the same token.
    ResumeDaemon,
    /// The client opens the session in the case's revision: `initialize`, its answer, `notifications/initialized`. In a
    /// revision without a handshake nothing is sent. Done before the first step unless the setting says otherwise.
    Open,
    /// Sends a request and does not wait.
    Request(Request),
    /// Waits for the answer to the request of that label.
    Await(String),
    /// Waits for the answers to all these requests; the first that does not come ends the waiting.
    AwaitAll(Vec<String>),
    /// Waits until the daemon has been asked this route `count` times since the case began.
    AwaitDaemon {
        /// The route.
        route: Route,
        /// How often in all.
        count: usize,
    },
    /// Waits until a caller of this route has hung up.
    AwaitHangUp(Route),
    /// Sends a notification.
    Notify {
        /// The method.
        method: String,
        /// The parameters, as JSON text; none: the member is left out.
        params: Option<String>,
    },
    /// Sends `notifications/cancelled` for the request of that label.
    Cancel(String),
    /// Sends these bytes as they are. A request inside it whose answer matters is announced by `expecting`: label and
    /// id (as JSON text) of each.
    Raw {
        /// The bytes, with the line end if one is meant.
        bytes: Vec<u8>,
        /// Label and id of each request inside.
        expecting: Vec<(String, String)>,
    },
    /// Follows `tools/list` through all its pages; page n is labelled `label`, `label.2`, `label.3`, ...
    ListTools(String),
    /// Closes the candidate's standard input.
    CloseInput,
    /// Sends SIGTERM to the candidate.
    Terminate,
    /// Waits for the candidate to end.
    AwaitExit,
    /// Waits until nothing has been heard from the candidate and the daemon for this long. Only for cases that must see
    /// that something does *not* come; prefer an event.
    Quiet(Duration),
}

/// A request of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name under which its answer is found.
    pub label: String,
    /// The method.
    pub method: String,
    /// The parameters as JSON text; none: the member is left out. In a modern revision the client adds `_meta`.
    pub params: Option<String>,
    /// The id as JSON text; none: the client counts.
    pub id: Option<String>,
}

impl Request {
    /// A request for that method.
    pub fn new(label: &str, method: &str, params: Option<String>) -> Self {
        Self { label: label.to_owned(), method: method.to_owned(), params, id: None }
    }

    /// A `tools/call`. `arguments` is JSON text that is sent as it is; none leaves the member out.
    pub fn call(label: &str, tool: &str, arguments: Option<String>) -> Self {
        let name = crate::json::Json::string(tool);
        let params = match arguments {
            Some(arguments) => format!(r#"{{"name":{name},"arguments":{arguments}}}"#),
            None => format!(r#"{{"name":{name}}}"#),
        };
        Self::new(label, "tools/call", Some(params))
    }

    /// Gives it an id, as JSON text.
    pub fn with_id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }
}
