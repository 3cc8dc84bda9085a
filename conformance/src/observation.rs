//! What was seen while a case was carried out: both sides, in one timeline.
//!
//! Responsible for: the record that judging works on, and questions to it that many checks ask. Not for: any opinion.
//! All times are offsets from the beginning of the case.

use std::time::Duration;

use anet_mock_daemon::{Route, Trespass};

use crate::json::Json;
use crate::revision::Revision;

/// Everything that was seen in one case.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The revision in which the client spoke.
    pub revision: Revision,
    /// The revision the candidate answered to `initialize`, as it stood on the wire; none before or without handshake.
    pub negotiated: Option<String>,
    /// Every request that the client sent under a label, in order, with what came back.
    pub exchanges: Vec<Exchange>,
    /// Everything that the client wrote, in order.
    pub sent: Vec<Sent>,
    /// Every line that the candidate wrote on stdout, in order.
    pub lines: Vec<Line>,
    /// What stood on stdout after the last line end when the candidate ended.
    pub unterminated: Vec<u8>,
    /// What the candidate wrote on stderr; only the beginning and the end of a flood are kept.
    pub stderr: Vec<u8>,
    /// Every request that the daemon got, in order.
    pub asked: Vec<Asked>,
    /// How each step ended, in order; steps after the end of the candidate are recorded as well.
    pub steps: Vec<StepRecord>,
    /// How the candidate ended, if it did.
    pub exit: Option<Exit>,
    /// The strings that must not leave the candidate: name for the report, and the string. The daemon's tokens, old and
    /// new, stand here under the name `token`.
    pub secrets: Vec<(String, String)>,
    /// Files that appeared, changed or vanished, and pipes laid as traps that were opened: `home/...`, `work/...` or
    /// `data/...`, a blank, and what happened.
    pub touched: Vec<String>,
    /// Processes of the candidate's group that outlived it.
    pub orphans: usize,
    /// Whether the process was shared with other cases.
    pub shared: bool,
}

/// A request of the client and its answers.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The label under which the case speaks of it.
    pub label: String,
    /// The id, as JSON.
    pub id: Json,
    /// The line that was sent.
    pub sent: Vec<u8>,
    /// When.
    pub at: Duration,
    /// The messages that carried its id, in order: one, if all is well.
    pub replies: Vec<Reply>,
}

/// A message from the candidate that carried a request's id.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The message.
    pub message: Json,
    /// When it was complete.
    pub at: Duration,
    /// Which line it stood in (index into `lines`).
    pub line: usize,
}

/// Something that the client wrote.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The bytes, line end included.
    pub bytes: Vec<u8>,
    /// When.
    pub at: Duration,
}

/// A line on the candidate's stdout.
#[derive(Clone, Debug)]
pub struct Line {
    /// The bytes, without the line end.
    pub bytes: Vec<u8>,
    /// The message, if it is JSON.
    pub message: Option<Json>,
    /// When it was complete.
    pub at: Duration,
}

/// A request that the daemon got.
#[derive(Clone, Debug)]
pub struct Asked {
    /// When it was complete.
    pub at: Duration,
    /// The HTTP method.
    pub method: String,
    /// The request target.
    pub target: String,
    /// The route, if the target is one of the 14.
    pub route: Option<Route>,
    /// The headers in order, names as they were written.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// What was wrong with it, if anything.
    pub trespass: Option<Trespass>,
    /// The status and body of the daemon's answer, if it gave one.
    pub answered: Option<(u16, Vec<u8>)>,
    /// When the caller hung up before the answer was written, if it did.
    pub hung_up: Option<Duration>,
}

/// How a step ended.
#[derive(Clone, Debug)]
pub struct StepRecord {
    /// When it began.
    pub began: Duration,
    /// When it ended.
    pub ended: Duration,
    /// How.
    pub end: StepEnd,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// As it should.
    Done,
    /// The bound ran out first.
    RanOut {
        /// What was waited for, in words.
        waiting_for: String,
        /// How long.
        bound: Duration,
    },
    /// The candidate had ended or had closed its stdin or stdout.
    CandidateGone,
    /// The candidate refused it in a way that makes it pointless to go on (e.g. no answer to `initialize`).
    Impossible(String),
}

/// How the candidate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit status, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When.
    pub at: Duration,
    /// How long after its stdin was closed or SIGTERM was sent, if either was done.
    pub after_end: Option<Duration>,
    /// Whether the run had to kill it.
    pub killed: bool,
}

/// The answer to a request, sorted.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'o> {
    /// A `result` that is no tool error.
    Result(&'o Json),
    /// A `result` with `isError: true`.
    ToolError(&'o Json),
    /// An `error` with its code and message.
    RpcError {
        /// The code; none if it is missing or no integer.
        code: Option<i64>,
        /// The message; empty if there is none.
        message: &'o str,
    },
    /// A message with neither `result` nor `error`.
    Neither(&'o Json),
}

impl StepEnd {
    /// How the step ended, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::RanOut { waiting_for, bound } => format!("waited {bound:?} for {waiting_for}"),
            Self::CandidateGone => "the candidate had ended or closed its streams".to_owned(),
            Self::Impossible(why) => why.clone(),
        }
    }
}

impl Observation {
    /// The exchange of that label.
    pub fn exchange(&self, label: &str) -> Option<&Exchange> {
        self.exchanges.iter().find(|exchange| exchange.label == label)
    }

    /// The first answer to the request of that label.
    pub fn answer(&self, label: &str) -> Option<Answer<'_>> {
        self.exchange(label)?.replies.first().map(|reply| sort(&reply.message))
    }

    /// The requests to that route, in order.
    pub fn asked_of(&self, route: Route) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(move |asked| asked.route == Some(route))
    }

    /// The revision in force: what was negotiated, or else what the client spoke.
    pub fn in_force(&self) -> Revision {
        self.negotiated.as_deref().and_then(|name| name.parse().ok()).unwrap_or(self.revision)
    }

    /// The first step whose bound ran out or that could not be done: what it was, in words.
    pub fn first_stop(&self) -> Option<&StepEnd> {
        self.steps.iter().map(|step| &step.end).find(|end| **end != StepEnd::Done)
    }
}

/// What a trimmed observation keeps of one text, in bytes, and of the lines of a flood.
const KEPT_BYTES: usize = 64 << 10;
const KEPT_LINES: usize = 400;

impl Observation {
    /// What a report shows of it, and no more: long texts cut, the middle of a flood left out, no parsed messages. A run
    /// keeps the observations of all failures to its end, and a hostile candidate must not fill the memory with them.
    pub fn trimmed(mut self) -> Self {
        let cut = |bytes: &mut Vec<u8>| {
            if bytes.len() > KEPT_BYTES {
                let left_out = bytes.len() - KEPT_BYTES;
                bytes.truncate(KEPT_BYTES);
                bytes.extend_from_slice(format!("... {left_out} more bytes").as_bytes());
                bytes.shrink_to_fit();
            }
        };
        let count = self.lines.len();
        if count > KEPT_LINES {
            self.lines.drain(KEPT_LINES / 2..count - KEPT_LINES / 2);
            self.lines[KEPT_LINES / 2].bytes = format!("... {} lines left out", count - KEPT_LINES + 1).into_bytes();
        }
        for line in &mut self.lines {
            line.message = None;
            cut(&mut line.bytes);
        }
        for sent in &mut self.sent {
            cut(&mut sent.bytes);
        }
        for asked in &mut self.asked {
            cut(&mut asked.body);
            if let Some((_, body)) = &mut asked.answered {
                cut(body);
            }
        }
        self.exchanges = Vec::new();
        cut(&mut self.unterminated);
        self
    }
}

/// Sorts a message that answers a request.
pub fn sort(message: &Json) -> Answer<'_> {
    match (message.member("result"), message.member("error")) {
        (Some(result), None) if result.member("isError").and_then(Json::as_bool) == Some(true) => {
            Answer::ToolError(result)
        }
        (Some(result), None) => Answer::Result(result),
        (None, Some(error)) => Answer::RpcError {
            code: error.member("code").and_then(Json::as_i64),
            message: error.member("message").and_then(Json::as_str).unwrap_or_default(),
        },
        _ => Answer::Neither(message),
    }
}

/// The text of a tool result's first content item, if that is a text.
pub fn first_text(result: &Json) -> Option<&str> {
    let first = result.member("content")?.as_array()?.first()?;
    (first.member("type").and_then(Json::as_str) == Some("text")).then(|| first.member("text")?.as_str()).flatten()
}
