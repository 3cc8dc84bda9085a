//! Expectations: what a check demands, as data, and how each is evaluated on an observation.
//!
//! Responsible for: the closed set of expectations ([`Expect`]) and sending each to its evaluation. Not for: levels and
//! requirements, which the check names. What an expectation contains comes from the page, the contract or MCP, never
//! from what a server happens to answer. Nothing here has a default: a check without an expectation cannot be written.

mod daemon;
mod messages;
mod process;
mod reply;
mod text;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anet_mock_daemon::Route;

pub use self::text::TextRule;
use crate::json::Grade;
use crate::observation::Observation;
use crate::verdict::Finding;

/// What a check demands. `call` is always the label of a request.
#[derive(Clone)]
pub enum Expect {
    /// The request got exactly one answer, whatever it says.
    AnsweredOnce {
        /// The request.
        call: String,
    },
    /// The request got no answer.
    Unanswered {
        /// The request.
        call: String,
    },
    /// The answer is a result and no tool error.
    Succeeds {
        /// The request.
        call: String,
    },
    /// The answer is a result with `isError: true`.
    FailsAsTool {
        /// The request.
        call: String,
    },
    /// The answer is an error, be it of the tool or of JSON-RPC.
    Fails {
        /// The request.
        call: String,
    },
    /// The answer is a JSON-RPC error with one of these codes.
    FailsAsRpc {
        /// The request.
        call: String,
        /// The codes; empty: any integer.
        codes: Vec<i64>,
    },
    /// Records whether the request was refused as a tool error or as a JSON-RPC error (or not at all).
    RecordsRefusal {
        /// The request.
        call: String,
    },
    /// The first text of the result is JSON that equals `json`, numbers at `grade` or better, members in any order.
    TextJson {
        /// The request.
        call: String,
        /// The JSON document.
        json: String,
        /// How well numbers must agree.
        grade: Grade,
    },
    /// The first text of the result is JSON whose members stand in the order of `json`.
    TextOrder {
        /// The request.
        call: String,
        /// The JSON document.
        json: String,
    },
    /// The first text of the result or the message of the error is exactly this.
    TextIs {
        /// The request.
        call: String,
        /// The text.
        text: String,
    },
    /// The first text of the result, or the message of the error, follows these rules.
    Text {
        /// The request.
        call: String,
        /// The rules, all of which must hold.
        rules: Vec<TextRule>,
    },
    /// The result has exactly one content item, and it is a text.
    OneText {
        /// The request.
        call: String,
    },
    /// `structuredContent` equals `json`, numbers at `grade` or better.
    StructuredJson {
        /// The request.
        call: String,
        /// The JSON document.
        json: String,
        /// How well numbers must agree.
        grade: Grade,
    },
    /// `structuredContent` is there and holds the same value as the first text.
    StructuredAgrees {
        /// The request.
        call: String,
    },
    /// The result has no `structuredContent` (or `null`).
    NoStructured {
        /// The request.
        call: String,
    },
    /// In the JSON of the first text, a place holds what the rule says.
    InText {
        /// The request.
        call: String,
        /// JSON pointer.
        pointer: String,
        /// The rule.
        rule: ValueRule,
    },
    /// In the `result` of an answer as it stands on the wire, a place holds what the rule says.
    InResult {
        /// The request.
        call: String,
        /// JSON pointer below `result`.
        pointer: String,
        /// The rule.
        rule: ValueRule,
    },
    /// In the `error` of an answer, a place holds what the rule says.
    InError {
        /// The request.
        call: String,
        /// JSON pointer below `error`.
        pointer: String,
        /// The rule.
        rule: ValueRule,
    },
    /// Two answers carry the same `result`, byte for byte.
    SameResult {
        /// One request.
        call: String,
        /// The other.
        other: String,
    },
    /// The answers arrived in this order.
    AnsweredInOrder {
        /// The requests, the first answered first.
        calls: Vec<String>,
    },
    /// The daemon was asked this route exactly once, with a body that means what `body` means to the daemon.
    Asks {
        /// The route.
        route: Route,
        /// The body, as the contract spells it.
        body: String,
    },
    /// The daemon was asked this route exactly once, with a JSON body equal to `body`: nothing more, nothing less.
    AsksExactly {
        /// The route.
        route: Route,
        /// The body.
        body: String,
    },
    /// The daemon was asked these routes, each as often as it stands here, in any order, and no others.
    AsksOnly {
        /// The routes.
        routes: Vec<Route>,
    },
    /// The daemon was asked nothing.
    AsksNothing,
    /// The daemon was not asked any of these routes.
    NeverAsks {
        /// The routes.
        routes: Vec<Route>,
    },
    /// The daemon was asked this route at most so often.
    AsksAtMost {
        /// The route.
        route: Route,
        /// How often.
        times: usize,
    },
    /// No request to the daemon has a member of one of these names, at the top of its body.
    NeverSends {
        /// The names.
        members: Vec<String>,
    },
    /// No request to the daemon contains this string, in target, headers or body.
    NeverMentions {
        /// The string.
        text: String,
    },
    /// In the first request to the route, a place of the body holds what the rule says.
    InBody {
        /// The route.
        route: Route,
        /// JSON pointer.
        pointer: String,
        /// The rule.
        rule: ValueRule,
    },
    /// Every request to the route has an empty body: no bytes, or `{}`.
    EmptyBody {
        /// The route.
        route: Route,
    },
    /// Records what is sent as the empty body of the route.
    RecordsEmptyBody {
        /// The route.
        route: Route,
    },
    /// A caller of the route hung up.
    HangsUp {
        /// The route.
        route: Route,
    },
    /// The candidate ended by itself with this status.
    Exits {
        /// The status.
        code: i32,
    },
    /// The candidate ended by itself with a status other than 0.
    ExitsNonZero,
    /// The candidate ended within this time after its stdin was closed or it got SIGTERM.
    ExitsWithin {
        /// The time, before scaling.
        bound: Duration,
    },
    /// The candidate was running when the case ended.
    StaysAlive,
    /// No process of the candidate's group outlived it.
    NoOrphans,
    /// Something was written to stderr.
    SaysOnStderr,
    /// Nothing was written on stdout.
    SilentOnStdout,
    /// stdout carries nothing but JSON-RPC messages, one a line.
    StdoutPure,
    /// Every message is valid in the revision in force.
    MessagesValid,
    /// The daemon saw no trespass: no unknown path, wrong method, wrong host, foreign origin or garbage.
    NoTrespass,
    /// Every request to the daemon carried the token as the contract demands.
    Authorized,
    /// No secret left the candidate: not on stdout, not on stderr, and not to the daemon but as its token.
    SecretsKept,
    /// The data directory is as it was.
    DataUntouched,
    /// Nothing was written elsewhere, and no trap was opened.
    NothingWritten,
    /// What a function says of the whole observation; for what the others cannot say.
    Holds {
        /// What must hold, in words.
        what: String,
        /// Says whether it does. Pure.
        judge: Judge,
    },
}

/// A pure function from an observation to a finding.
pub type Judge = Arc<dyn Fn(&Observation) -> Finding + Send + Sync>;

/// What a place in a JSON document must hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueRule {
    /// Exactly this JSON value (numbers by value).
    Is(String),
    /// Exactly this JSON value, numbers by literal.
    IsLiterally(String),
    /// One of these JSON values.
    OneOf(Vec<String>),
    /// Something, whatever it is.
    Present,
    /// Nothing.
    Absent,
    /// Something of this JSON Schema type: `object`, `array`, `string`, `integer`, `number`, `boolean`, `null`.
    Type(&'static str),
    /// An array or object of at least so many items.
    AtLeast(usize),
    /// An integer of at most this value.
    AtMost(i64),
    /// A string that follows this rule.
    Text(TextRule),
}

impl Expect {
    /// Evaluates it. Pure.
    pub fn evaluate(&self, seen: &Observation) -> Finding {
        match self {
            Self::AnsweredOnce { call } => reply::answered_once(seen, call),
            Self::Unanswered { call } => reply::unanswered(seen, call),
            Self::Succeeds { call } => reply::succeeds(seen, call),
            Self::FailsAsTool { call } => reply::fails_as_tool(seen, call),
            Self::Fails { call } => reply::fails(seen, call),
            Self::FailsAsRpc { call, codes } => reply::fails_as_rpc(seen, call, codes),
            Self::RecordsRefusal { call } => reply::records_refusal(seen, call),
            Self::TextJson { call, json, grade } => reply::text_json(seen, call, json, *grade),
            Self::TextOrder { call, json } => reply::text_order(seen, call, json),
            Self::TextIs { call, text } => reply::text_is(seen, call, text),
            Self::Text { call, rules } => reply::text(seen, call, rules),
            Self::OneText { call } => reply::one_text(seen, call),
            Self::StructuredJson { call, json, grade } => reply::structured_json(seen, call, json, *grade),
            Self::StructuredAgrees { call } => reply::structured_agrees(seen, call),
            Self::NoStructured { call } => reply::no_structured(seen, call),
            Self::InText { call, pointer, rule } => reply::in_text(seen, call, pointer, rule),
            Self::InResult { call, pointer, rule } => reply::in_member(seen, call, "result", pointer, rule),
            Self::InError { call, pointer, rule } => reply::in_member(seen, call, "error", pointer, rule),
            Self::SameResult { call, other } => reply::same_result(seen, call, other),
            Self::AnsweredInOrder { calls } => reply::answered_in_order(seen, calls),
            Self::Asks { route, body } => daemon::asks(seen, *route, body),
            Self::AsksExactly { route, body } => daemon::asks_exactly(seen, *route, body),
            Self::AsksOnly { routes } => daemon::asks_only(seen, routes),
            Self::AsksNothing => daemon::asks_nothing(seen),
            Self::NeverAsks { routes } => daemon::never_asks(seen, routes),
            Self::AsksAtMost { route, times } => daemon::asks_at_most(seen, *route, *times),
            Self::NeverSends { members } => daemon::never_sends(seen, members),
            Self::NeverMentions { text } => daemon::never_mentions(seen, text),
            Self::InBody { route, pointer, rule } => daemon::in_body(seen, *route, pointer, rule),
            Self::EmptyBody { route } => daemon::empty_body(seen, *route),
            Self::RecordsEmptyBody { route } => daemon::records_empty_body(seen, *route),
            Self::HangsUp { route } => daemon::hangs_up(seen, *route),
            Self::NoTrespass => daemon::no_trespass(seen),
            Self::Authorized => daemon::authorized(seen),
            Self::Exits { code } => process::exits(seen, *code),
            Self::ExitsNonZero => process::exits_non_zero(seen),
            Self::ExitsWithin { bound } => process::exits_within(seen, *bound),
            Self::StaysAlive => process::stays_alive(seen),
            Self::NoOrphans => process::no_orphans(seen),
            Self::SaysOnStderr => process::says_on_stderr(seen),
            Self::SilentOnStdout => process::silent_on_stdout(seen),
            Self::SecretsKept => process::secrets_kept(seen),
            Self::DataUntouched => process::data_untouched(seen),
            Self::NothingWritten => process::nothing_written(seen),
            Self::StdoutPure => messages::stdout_pure(seen),
            Self::MessagesValid => messages::messages_valid(seen),
            Self::Holds { judge, .. } => judge(seen),
        }
    }

    /// A function of the whole observation, with what must hold in words.
    pub fn holds(what: impl Into<String>, judge: impl Fn(&Observation) -> Finding + Send + Sync + 'static) -> Self {
        Self::Holds { what: what.into(), judge: Arc::new(judge) }
    }
}

impl fmt::Debug for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl Expect {
    /// What it demands, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::AnsweredOnce { call } => format!("`{call}` is answered exactly once"),
            Self::Unanswered { call } => format!("`{call}` gets no answer"),
            Self::Succeeds { call } => format!("`{call}` succeeds"),
            Self::FailsAsTool { call } => format!("`{call}` ends in a result with isError: true"),
            Self::Fails { call } => format!("`{call}` ends in an error"),
            Self::FailsAsRpc { call, codes } if codes.is_empty() => format!("`{call}` ends in a JSON-RPC error"),
            Self::FailsAsRpc { call, codes } => format!("`{call}` ends in a JSON-RPC error with code {}", list(codes)),
            Self::RecordsRefusal { call } => format!("how `{call}` is refused is recorded"),
            Self::TextJson { call, json, grade } => {
                format!("the text of `{call}` is this JSON (numbers: same {}): {}", grade_name(*grade), brief(json))
            }
            Self::TextOrder { call, .. } => format!("the text of `{call}` keeps the daemon's order of members"),
            Self::TextIs { call, text } => format!("the text of `{call}` is exactly {text:?}"),
            Self::Text { call, rules } => {
                let rules: Vec<_> = rules.iter().map(TextRule::describe).collect();
                format!("the text of `{call}` {}", rules.join(", and "))
            }
            Self::OneText { call } => format!("`{call}` has one content item, a text"),
            Self::StructuredJson { call, json, grade } => format!(
                "structuredContent of `{call}` is this JSON (numbers: same {}): {}",
                grade_name(*grade),
                brief(json)
            ),
            Self::StructuredAgrees { call } => format!("text and structuredContent of `{call}` hold the same value"),
            Self::NoStructured { call } => format!("`{call}` has no structuredContent"),
            Self::InText { call, pointer, rule } => {
                format!("in the text of `{call}`, `{pointer}` {}", rule.describe())
            }
            Self::InResult { call, pointer, rule } => {
                format!("in the result of `{call}`, `{pointer}` {}", rule.describe())
            }
            Self::InError { call, pointer, rule } => {
                format!("in the error of `{call}`, `{pointer}` {}", rule.describe())
            }
            Self::SameResult { call, other } => format!("`{call}` and `{other}` have the same result, byte for byte"),
            Self::AnsweredInOrder { calls } => format!("answers arrive in the order {}", calls.join(", ")),
            Self::Asks { route, body } => format!("the daemon is asked {route} once, meaning {}", brief(body)),
            Self::AsksExactly { route, body } => {
                format!("the daemon is asked {route} once with exactly {}", brief(body))
            }
            Self::AsksOnly { routes } => {
                let routes: Vec<_> = routes.iter().map(|route| route.path()).collect();
                format!("the daemon is asked {} and nothing else", routes.join(", "))
            }
            Self::AsksNothing => "the daemon is asked nothing".to_owned(),
            Self::NeverAsks { routes } => {
                let routes: Vec<_> = routes.iter().map(|route| route.path()).collect();
                format!("the daemon is never asked {}", routes.join(", "))
            }
            Self::AsksAtMost { route, times } => format!("the daemon is asked {route} at most {times} times"),
            Self::NeverSends { members } => format!("no request has a member {}", members.join(", ")),
            Self::NeverMentions { text } => format!("no request contains {text:?}"),
            Self::InBody { route, pointer, rule } => {
                format!("in the body for {route}, `{pointer}` {}", rule.describe())
            }
            Self::EmptyBody { route } => format!("the body for {route} is empty or {{}}"),
            Self::RecordsEmptyBody { route } => format!("how the body for {route} is empty is recorded"),
            Self::HangsUp { route } => format!("the request to {route} is aborted"),
            Self::Exits { code } => format!("the candidate ends with status {code}"),
            Self::ExitsNonZero => "the candidate ends with a status other than 0".to_owned(),
            Self::ExitsWithin { bound } => format!("the candidate ends within {bound:?}"),
            Self::StaysAlive => "the candidate goes on running".to_owned(),
            Self::NoOrphans => "no process outlives the candidate".to_owned(),
            Self::SaysOnStderr => "something is said on stderr".to_owned(),
            Self::SilentOnStdout => "nothing is written on stdout".to_owned(),
            Self::StdoutPure => "stdout carries nothing but JSON-RPC messages, one a line".to_owned(),
            Self::MessagesValid => "every message is valid".to_owned(),
            Self::NoTrespass => "the daemon sees no request outside the contract".to_owned(),
            Self::Authorized => "every request carries the bearer token".to_owned(),
            Self::SecretsKept => "no secret leaves the candidate".to_owned(),
            Self::DataUntouched => "the data directory is as it was".to_owned(),
            Self::NothingWritten => "no file is written, no trap is opened".to_owned(),
            Self::Holds { what, .. } => what.clone(),
        }
    }
}

impl ValueRule {
    /// What it demands, in words that follow the place.
    pub fn describe(&self) -> String {
        match self {
            Self::Is(json) => format!("is {}", brief(json)),
            Self::IsLiterally(json) => format!("is {} to the letter", brief(json)),
            Self::OneOf(all) => format!("is one of {}", all.join(", ")),
            Self::Present => "is there".to_owned(),
            Self::Absent => "is not there".to_owned(),
            Self::Type(name) => format!("is of type {name}"),
            Self::AtLeast(count) => format!("has at least {count} items"),
            Self::AtMost(max) => format!("is at most {max}"),
            Self::Text(rule) => rule.describe(),
        }
    }
}

fn grade_name(grade: Grade) -> &'static str {
    match grade {
        Grade::Literal => "literal",
        Grade::Value => "value",
        Grade::Double => "double",
    }
}

fn list(codes: &[i64]) -> String {
    codes.iter().map(i64::to_string).collect::<Vec<_>>().join(" or ")
}

/// A document short enough for a sentence: at most 160 characters.
fn brief(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((cut, _)) => format!("{}... ({} bytes)", &text[..cut], text.len()),
        None => text.to_owned(),
    }
}
