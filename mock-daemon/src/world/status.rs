//! The node itself: what `/status` shows.
//!
//! Responsible for: every member of control-plane 8.1, in the shape of 0.2.1 and of 0.3, each settable. Not for: counting
//! (the world passes in what depends on tasks).

use std::collections::BTreeMap;

use crate::json::{Json, Members};

use super::Page;

/// Where the node stands with its hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hub {
    /// Registered: tasks can be sent.
    Registered,
    /// The hub's operator has not admitted the node.
    PendingAdmission,
    /// The node has no hub.
    None,
    /// The hub does not answer.
    Unreachable,
    /// Any other state and its message; nothing can be sent.
    Other(String, String),
}

/// Whether a recovery passphrase is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It is.
    Protected,
    /// It is not.
    Unprotected,
    /// Any other state and its message.
    Other(String, String),
}

/// The outbound queue, beyond what the tasks themselves say.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Messages that were not sent.
    pub not_sent: u64,
    /// Messages at the hub.
    pub queued_at_hub: u64,
    /// Messages that do not move.
    pub stuck: u64,
    /// Messages unconfirmed for a day.
    pub unconfirmed_24h: u64,
    /// How long the oldest stuck one is, in milliseconds.
    pub stuck_oldest_ms: i64,
    /// Why it is stuck.
    pub stuck_error: String,
    /// `ok`, `warn` or `error`; empty: derived.
    pub level: String,
    /// A sentence; empty: derived.
    pub message: String,
    /// A command; empty: derived.
    pub next: String,
    /// Delivery acknowledgements, each name without its prefix `dack-`.
    pub counters: BTreeMap<String, u64>,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            not_sent: 0,
            queued_at_hub: 0,
            stuck: 0,
            unconfirmed_24h: 0,
            stuck_oldest_ms: 0,
            stuck_error: String::new(),
            level: String::new(),
            message: String::new(),
            next: String::new(),
            counters: BTreeMap::from([("confirmed".to_owned(), 12), ("expired".to_owned(), 0)]),
        }
    }
}

/// The automatic reply's sandbox.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// `ready`, or why not in a word.
    pub state: String,
    /// The reason code, or empty.
    pub reason: String,
    /// A sentence.
    pub message: String,
    /// A command, or empty.
    pub next: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self {
            state: "ready".to_owned(),
            reason: String::new(),
            message: "the sandbox starts".to_owned(),
            next: String::new(),
        }
    }
}

/// The automatic reply.
#[derive(Clone, Debug)]
pub struct AutoReply {
    /// `exec` with an agent, or `openai` with a model.
    pub backend: Backend,
    /// What strangers get: `off` or `sandbox`.
    pub untrusted: String,
    /// What trusted senders get.
    pub trusted: String,
    /// Whether a key is set. The key itself is nowhere.
    pub api_key_set: bool,
    /// The model service.
    pub api_base: String,
    /// The sandbox (0.3).
    pub sandbox: Sandbox,
}

/// What answers automatically.
#[derive(Clone, Debug)]
pub enum Backend {
    /// A program.
    Exec {
        /// Its name.
        agent: String,
        /// Where it runs, or empty.
        work_dir: String,
    },
    /// A model behind an HTTP interface.
    OpenAi {
        /// Its name.
        model: String,
    },
}

/// Everything that `/status` shows and no task decides.
#[derive(Clone, Debug)]
pub struct Status {
    /// The data directory.
    pub data_dir: String,
    /// The control plane's port, for the console's address.
    pub port: u16,
    /// The hub's address.
    pub hub_url: String,
    /// The node's name.
    pub name: String,
    /// How it describes itself.
    pub profile: String,
    /// Its longer text.
    pub readme: String,
    /// What it says of prices.
    pub pricing: String,
    /// Its capabilities.
    pub caps: Vec<String>,
    /// The version; empty: the page's.
    pub version: String,
    /// The hub's word on the node.
    pub hub: Hub,
    /// The recovery passphrase.
    pub recovery: Recovery,
    /// How many days ended content is kept.
    pub retention_days: i64,
    /// For how many seconds the clock could not be confirmed.
    pub clock_closed_s: i64,
    /// The outbound queue; none: the node has none.
    pub queue: Option<Queue>,
    /// The automatic reply, when there is one.
    pub auto_reply: Option<AutoReply>,
    /// Received and refused messages since start.
    pub receive: BTreeMap<String, u64>,
    /// Modules in the binary.
    pub modules: Vec<String>,
    /// Modules that the configuration switches off.
    pub without: Vec<String>,
}

impl Default for Status {
    fn default() -> Self {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            data_dir: "/home/lin/.anet".to_owned(),
            port: 39811,
            hub_url: "https://hub.example.org".to_owned(),
            name: "lin-laptop".to_owned(),
            profile: "digests".to_owned(),
            readme: String::new(),
            pricing: String::new(),
            caps: texts(&["text.digest"]),
            version: String::new(),
            hub: Hub::Registered,
            recovery: Recovery::Protected,
            retention_days: 30,
            clock_closed_s: 0,
            queue: Some(Queue::default()),
            auto_reply: None,
            receive: BTreeMap::new(),
            modules: texts(&["a2a", "autoreply", "mcp", "x402"]),
            without: texts(&["p2p"]),
        }
    }
}

/// What the tasks say about delivery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// Messages that nobody confirmed.
    pub awaiting: u64,
    /// How long the oldest waits, in milliseconds.
    pub oldest_ms: i64,
}

impl Status {
    /// The hub's state and message.
    pub fn hub_words(&self, aid: &str) -> (String, String) {
        match &self.hub {
            Hub::Registered => ("registered".to_owned(), "This node is registered at its hub.".to_owned()),
            Hub::PendingAdmission => (
                "pending_admission".to_owned(),
                format!("Your hub operator must admit this node: `anet-hub admit {aid}`"),
            ),
            Hub::None => {
                ("none".to_owned(), "This node has no hub: run `anet hub-register <url>` in a terminal.".to_owned())
            }
            Hub::Unreachable => {
                ("unreachable".to_owned(), "The hub does not answer; the node keeps trying.".to_owned())
            }
            Hub::Other(state, message) => (state.clone(), message.clone()),
        }
    }

    /// The recovery's state and message.
    pub fn recovery_words(&self) -> (String, String) {
        match &self.recovery {
            Recovery::Protected => ("protected".to_owned(), "A recovery passphrase is set.".to_owned()),
            Recovery::Unprotected => (
                "unprotected".to_owned(),
                "Set a recovery passphrase: run `anet identity protect` in a terminal.".to_owned(),
            ),
            Recovery::Other(state, message) => (state.clone(), message.clone()),
        }
    }

    /// The document.
    pub fn document(&self, aid: &str, policy: &str, waiting: Waiting, page: Page) -> Json {
        let version = match (self.version.as_str(), page) {
            ("", Page::V02) => "0.2.1",
            ("", Page::V03) => "0.3.0",
            (version, _) => version,
        };
        let caps =
            if self.caps.is_empty() { Json::Null } else { Json::Array(self.caps.iter().map(Json::from).collect()) };
        let receive = Json::Object(self.receive.iter().map(|(name, count)| (name.clone(), (*count).into())).collect());
        let members = Members::new()
            .put("aid", aid)
            .maybe("auto_reply", self.auto_reply.as_ref().map(|auto| auto.json(page)))
            .put("caps", caps)
            .put("console_url", format!("http://127.0.0.1:{}/console", self.port))
            .put("data_dir", &self.data_dir)
            .put("hub_url", if self.hub == Hub::None { "" } else { self.hub_url.as_str() })
            .put("inbound_policy", policy)
            .put("name", &self.name)
            .put("pricing", &self.pricing)
            .put("readme", &self.readme)
            .put("receive", receive)
            .put("version", version);
        if page == Page::V02 {
            return members.put("summary", &self.profile).sorted();
        }
        let list = |words: &[String]| words.iter().map(Json::from).collect::<Vec<_>>();
        let (hub_state, hub_message) = self.hub_words(aid);
        let (recovery_state, recovery_message) = self.recovery_words();
        let recovery = Members::new().put("message", &recovery_message).put("state", &recovery_state).done();
        let mut summary =
            vec![format!("hub: {hub_state}"), format!("identity: {recovery_state}"), format!("inbound: {policy}")];
        if self.queue.is_some() {
            summary.push(match waiting.awaiting {
                0 => "delivery: nothing waits".to_owned(),
                count => format!("delivery: {count} waiting"),
            });
        }
        members
            .put("build", Members::new().put("modules", list(&self.modules)).put("without", list(&self.without)).done())
            .maybe("delivery", self.queue.as_ref().map(|queue| queue.json(waiting)))
            .put("hub", Members::new().put("message", hub_message).put("state", hub_state).done())
            .put("identity", Members::new().put("recovery", recovery).done())
            .put(
                "privacy",
                Members::new()
                    .put("clock_closed_s", self.clock_closed_s)
                    .put("retention_days", self.retention_days)
                    .done(),
            )
            .put("profile", Members::new().put("summary", &self.profile).done())
            .put("summary", list(&summary))
            .sorted()
    }
}

impl Queue {
    fn json(&self, waiting: Waiting) -> Json {
        let counters = self.counters.iter().map(|(name, count)| (format!("dack-{name}"), Json::from(*count))).collect();
        let derived = match (self.stuck, waiting.awaiting) {
            (0, 0) => ("ok", "nothing waits".to_owned(), ""),
            (0, 1) => ("warn", "1 message waits for the other side".to_owned(), "anet delivery list"),
            (0, count) => ("warn", format!("{count} messages wait for the other side"), "anet delivery list"),
            (count, _) => ("error", format!("{count} stuck: {}", self.stuck_error), "anet delivery list"),
        };
        let or = |own: &str, derived: &str| {
            if own.is_empty() { derived.to_owned() } else { own.to_owned() }
        };
        let members = Members::new()
            .put("awaiting_confirmation", waiting.awaiting)
            .put("counters", Json::Object(counters))
            .put("level", or(&self.level, derived.0))
            .put("message", or(&self.message, &derived.1))
            .put("next", or(&self.next, derived.2))
            .put("not_sent", self.not_sent)
            .put("oldest_awaiting_ms", waiting.oldest_ms)
            .put("queued_at_hub", self.queued_at_hub)
            .put("stuck", self.stuck)
            .put("unconfirmed_24h", self.unconfirmed_24h);
        if self.stuck > 0 {
            members.put("stuck_error", &self.stuck_error).put("stuck_oldest_ms", self.stuck_oldest_ms).done()
        } else {
            members.done()
        }
    }
}

impl AutoReply {
    fn json(&self, page: Page) -> Json {
        let members = match &self.backend {
            Backend::Exec { agent, work_dir } => {
                let members = Members::new().put("backend", "exec").put("agent", agent).text("work_dir", work_dir);
                // For a program, the address of the model service is a matter of 0.3's sandbox.
                if page == Page::V03 { members.text("api_base", &self.api_base) } else { members }
            }
            Backend::OpenAi { model } => {
                Members::new().put("backend", "openai").put("model", model).text("api_base", &self.api_base)
            }
        };
        let members = members.put("untrusted", &self.untrusted);
        if page == Page::V02 {
            return members.sorted();
        }
        let sandbox = Members::new()
            .put("budget", Json::object([("per_day", Json::from(20_i64))]))
            .put("detail", "bubblewrap")
            .put("egress_allow", vec![Json::from("api.example.org:443")])
            .put("kind", "bwrap")
            .put("limits", Json::object([("memory_mb", Json::from(1024_i64))]))
            .put("message", &self.sandbox.message)
            .put("next", &self.sandbox.next)
            .put("reason", &self.sandbox.reason)
            .put("state", &self.sandbox.state)
            .done();
        members.put("api_key_set", self.api_key_set).put("sandbox", sandbox).put("trusted", &self.trusted).sorted()
    }
}
