//! A session: one candidate process, one daemon, and the client that carries out the steps of one case after another.
//!
//! Responsible for: the order of events on the client's side, matching answers to requests, and cutting the observation of
//! a case out of the session. Not for: which cases share a session (`schedule`).

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, Options, Restart, Route};

use super::candidate::{Process, code_and_signal};
use super::command::Command;
use super::home::Home;
use super::schedule::Patience;
use crate::case::{Case, Request, Setting, Step};
use crate::json::{Grade, Json};
use crate::observation::{Asked, Exchange, Exit, Line, Observation, Reply, Sent, StepEnd, StepRecord};
use crate::revision::Revision;

/// The label of the `initialize` request that opens a session.
pub(super) const OPEN: &str = "open";
/// `tools/list` is followed through so many pages; a list that never ends is cut off there.
const MOST_PAGES: usize = 50;
/// How often traps are looked at while an answer is awaited.
const TRAP: Duration = Duration::from_millis(40);

/// One candidate process with its daemon.
pub(super) struct Session {
    process: Process,
    daemon: Daemon,
    home: Home,
    revision: Revision,
    negotiated: Option<String>,
    patience: Arc<Patience>,
    exchanges: Vec<Open>,
    sent: Vec<(Vec<u8>, Instant)>,
    /// Lines that were looked at for answers.
    matched: usize,
    lines: Vec<(Vec<u8>, Option<Json>, Instant)>,
    next_id: u64,
    tokens: Vec<String>,
    orphans: usize,
    shared: bool,
    finished: bool,
}

/// A request and the lines that answered it.
struct Open {
    label: String,
    id: Json,
    sent: Vec<u8>,
    at: Instant,
    replies: Vec<(Json, Instant, usize)>,
}

/// Where the observation of a case begins.
struct Start {
    at: Instant,
    asked: usize,
}

impl Session {
    /// Starts daemon and candidate. Fails if either cannot be started; a candidate that ends at once is no failure here.
    pub(super) async fn start(
        command: &Command,
        setting: &Setting,
        case: &str,
        revision: Revision,
        shared: bool,
        patience: Arc<Patience>,
    ) -> Result<Self, StartFailure> {
        let daemon = Daemon::start(Options::default()).await.map_err(|error| StartFailure::Kit(error.to_string()))?;
        let home = Home::new(setting, &daemon).map_err(|error| StartFailure::Kit(error.to_string()))?;
        let directory = command.directory.clone().unwrap_or_else(|| home.work());
        let environment = home.environment(command, setting, case);
        let process = Process::start(command, &directory, environment).map_err(StartFailure::Spawn)?;
        let tokens = vec![daemon.token()];
        Ok(Self {
            process,
            daemon,
            home,
            revision,
            negotiated: None,
            patience,
            exchanges: Vec::new(),
            sent: Vec::new(),
            matched: 0,
            lines: Vec::new(),
            next_id: 1,
            tokens,
            orphans: 0,
            shared,
            finished: false,
        })
    }

    /// Opens the session in its revision. True if it is open.
    pub(super) async fn open(&mut self) -> StepEnd {
        if self.revision.is_modern() {
            return StepEnd::Done;
        }
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"anet-conformance","version":"{}"}}}}"#,
            self.revision,
            env!("CARGO_PKG_VERSION")
        );
        let end = self.request(&Request::new(OPEN, "initialize", Some(params))).await;
        if end != StepEnd::Done {
            return end;
        }
        let end = self.reply(OPEN, self.patience.bounds.start).await;
        if end != StepEnd::Done {
            return end;
        }
        let answer = self.exchanges.iter().rev().find(|open| open.label == OPEN).and_then(|open| open.replies.first());
        let version =
            answer.and_then(|(message, ..)| message.at(&["result", "protocolVersion"])).and_then(Json::as_str);
        let Some(version) = version.map(str::to_owned) else {
            return StepEnd::Impossible("`initialize` was not answered with a protocol version".to_owned());
        };
        self.negotiated = Some(version);
        self.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await
    }

    /// Carries out a case and gives back what was seen. A case of its own ends the session.
    pub(super) async fn carry_out(&mut self, case: &Case) -> Observation {
        self.process.begin_case();
        if self.shared {
            self.daemon.clear_script();
        }
        // What came since the last case belongs to this one: a banner before the first, a stray line after an answer. Left
        // between two cases it would be nobody's, and nobody would be failed for it. Requests at the daemon are another
        // matter: a probe at the start is no call.
        let asked = if self.shared { self.daemon.journal().len() } else { 0 };
        let start = Start { at: Instant::now(), asked };
        let mut steps = Vec::new();
        let opening = (!self.shared && !case.setting.no_handshake).then_some(&Step::Open);
        for step in opening.into_iter().chain(&case.steps) {
            let began = Instant::now();
            let end = self.step(step, &start).await;
            self.home.look_at_traps();
            steps.push(StepRecord { began: since(start.at, began), ended: start.at.elapsed(), end: end.clone() });
            // Without an open session nothing that follows means anything; any other step may go wrong and the rest
            // still shows something.
            if matches!(end, StepEnd::Impossible(_)) || (matches!(step, Step::Open) && end != StepEnd::Done) {
                break;
            }
        }
        if !self.shared {
            self.finish().await;
        }
        self.observation(case, &start, steps)
    }

    /// Ends the candidate and everything it started.
    pub(super) async fn finish(&mut self) {
        if !self.finished {
            self.finished = true;
            let (exit, terminate) = self.patience.end();
            self.orphans = self.process.finish(exit, terminate).await;
        }
    }

    /// Whether the process can serve another case.
    pub(super) async fn is_fit(&mut self) -> bool {
        !self.finished && !self.process.ended(Duration::ZERO).await && !self.process.heard(|heard| heard.closed)
    }

    async fn step(&mut self, step: &Step, start: &Start) -> StepEnd {
        match step {
            Step::Script(rule) => self.daemon.script(rule.clone()),
            Step::Release(hold) => self.daemon.release(hold),
            Step::RestartDaemon => {
                if let Err(error) = self.daemon.restart(Restart { new_port: true, new_token: true }).await {
                    return StepEnd::Impossible(format!("the mock daemon did not come back: {error}"));
                }
                self.tokens.push(self.daemon.token());
                self.home.remember();
            }
            Step::StopDaemon => self.daemon.stop_listening(),
            Step::ResumeDaemon => {
                if let Err(error) = self.daemon.resume_listening().await {
                    return StepEnd::Impossible(format!("the mock daemon did not come back: {error}"));
                }
            }
            Step::Open => return self.open().await,
            Step::Request(request) => return self.request(request).await,
            Step::Await(label) => return self.reply(label, self.patience.reply()).await,
            Step::AwaitAll(labels) => {
                for label in labels {
                    let end = self.reply(label, self.patience.reply()).await;
                    if end != StepEnd::Done {
                        return end;
                    }
                }
            }
            Step::AwaitDaemon { route, count } => {
                let (route, count, first) = (*route, *count, start.asked);
                return self
                    .daemon_event(&format!("request {count} to {route}"), move |entries| {
                        entries.iter().skip(first).filter(|entry| entry.route == Some(route)).count() >= count
                    })
                    .await;
            }
            Step::AwaitHangUp(route) => return self.hang_up(*route, start.asked).await,
            Step::Notify { method, params } => {
                let method = Json::string(method.as_str());
                let params = params.as_ref().map_or_else(String::new, |params| format!(r#","params":{params}"#));
                return self.write(format!(r#"{{"jsonrpc":"2.0","method":{method}{params}}}"#).as_bytes()).await;
            }
            Step::Cancel(label) => {
                let Some(open) = self.find(label) else {
                    return StepEnd::Impossible(format!("there is no request `{label}` to cancel"));
                };
                let id = &self.exchanges[open].id;
                let line =
                    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
                return self.write(line.as_bytes()).await;
            }
            Step::Raw { bytes, expecting } => {
                for (label, id) in expecting {
                    let id = Json::parse(id).unwrap_or(Json::Null);
                    self.expect(label, id, bytes.clone());
                }
                return self.write_bytes(bytes.clone()).await;
            }
            Step::ListTools(label) => return self.list_tools(label).await,
            Step::CloseInput => self.process.close_input(),
            Step::Terminate => self.process.terminate(),
            Step::AwaitExit => {
                let bound = self.patience.bounds.exit;
                if !self.process.ended(bound).await {
                    return StepEnd::RanOut { waiting_for: "the end of the candidate".to_owned(), bound };
                }
            }
            Step::Quiet(bound) => self.quiet(*bound).await,
        }
        StepEnd::Done
    }

    async fn request(&mut self, request: &Request) -> StepEnd {
        let id = if let Some(id) = &request.id {
            Json::parse(id).unwrap_or(Json::Null)
        } else {
            self.next_id += 1;
            Json::Number((self.next_id - 1).to_string())
        };
        let written = request.id.clone().unwrap_or_else(|| id.to_string());
        let method = Json::string(request.method.as_str());
        let params = self.with_metadata(request.params.as_deref());
        let params = params.map_or_else(String::new, |params| format!(r#","params":{params}"#));
        let line = format!(r#"{{"jsonrpc":"2.0","id":{written},"method":{method}{params}}}"#);
        self.expect(&request.label, id, line.clone().into_bytes());
        self.write(line.as_bytes()).await
    }

    /// In a modern revision every request carries who asks and how.
    fn with_metadata(&self, params: Option<&str>) -> Option<String> {
        if !self.revision.is_modern() {
            return params.map(str::to_owned);
        }
        let meta = format!(r#""_meta":{{{}}}"#, self.revision.request_metadata());
        let Some(params) = params else { return Some(format!("{{{meta}}}")) };
        // Spliced as text, so that what the case wrote reaches the candidate as it was written.
        match params.trim().strip_prefix('{') {
            Some(_) if params.contains(r#""_meta""#) => Some(params.to_owned()),
            Some(rest) if rest.trim() == "}" => Some(format!("{{{meta}}}")),
            Some(rest) => Some(format!("{{{meta},{rest}")),
            None => Some(params.to_owned()),
        }
    }

    fn expect(&mut self, label: &str, id: Json, sent: Vec<u8>) {
        self.exchanges.push(Open { label: label.to_owned(), id, sent, at: Instant::now(), replies: Vec::new() });
    }

    async fn write(&mut self, line: &[u8]) -> StepEnd {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        self.write_bytes(bytes).await
    }

    async fn write_bytes(&mut self, bytes: Vec<u8>) -> StepEnd {
        let bound = self.patience.reply();
        let taken = self.process.write(&bytes, bound).await;
        self.sent.push((bytes, Instant::now()));
        if taken { StepEnd::Done } else { StepEnd::CandidateGone }
    }

    async fn reply(&mut self, label: &str, bound: Duration) -> StepEnd {
        let began = Instant::now();
        let deadline = began + bound;
        let mut news = self.process.news();
        loop {
            news.borrow_and_update();
            self.answer_server().await;
            let Some(open) = self.find(label) else {
                return StepEnd::Impossible(format!("no request `{label}` was sent"));
            };
            if !self.exchanges[open].replies.is_empty() {
                self.patience.heard_after(began.elapsed());
                return StepEnd::Done;
            }
            if self.process.heard(|heard| heard.flooded) {
                let why = "the candidate floods stdout with more than anybody asked for";
                return StepEnd::Impossible(why.to_owned());
            }
            if self.process.heard(|heard| heard.closed) {
                return StepEnd::CandidateGone;
            }
            // A candidate that speaks, and not the protocol, is no slow starter.
            let nonsense = self.lines.iter().any(|(_, message, _)| message.is_none());
            let deadline = if nonsense { deadline.min(began + self.patience.bounds.reply) } else { deadline };
            // Whoever opens a trap is stuck until it is opened from this side, too.
            let look = tokio::time::sleep(if self.home.has_traps() { TRAP } else { bound });
            tokio::select! {
                changed = news.changed() => if changed.is_err() && !self.process.heard(|heard| heard.closed) {
                    return StepEnd::CandidateGone;
                },
                () = look, if self.home.has_traps() => self.home.look_at_traps(),
                () = tokio::time::sleep_until(deadline.into()) => {
                    self.patience.hung();
                    let bound = deadline.saturating_duration_since(began);
                    return StepEnd::RanOut { waiting_for: format!("the answer to `{label}`"), bound };
                }
            }
        }
    }

    /// Takes new lines, gives each answer to its request, and answers what the server asks of a client.
    async fn answer_server(&mut self) {
        for answer in self.match_lines() {
            self.write(answer.as_bytes()).await;
        }
    }

    /// Gives each new answer to its request. Gives back what is to be said to requests of the server.
    fn match_lines(&mut self) -> Vec<String> {
        self.take_lines();
        let mut answers = Vec::new();
        for index in self.matched..self.lines.len() {
            let (_, message, at) = &self.lines[index];
            let messages = match message {
                Some(Json::Array(items)) => items.as_slice(),
                Some(message) => std::slice::from_ref(message),
                None => &[],
            };
            for message in messages {
                let Some(id) = message.member("id") else { continue };
                match message.member("method").and_then(Json::as_str) {
                    Some("ping") => answers.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)),
                    Some(_) => answers.push(format!(
                        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
                    )),
                    None => {
                        let same = |open: &Open| open.id.differences(id, Grade::Value).is_empty();
                        // Ids may be used again: an answer belongs to the oldest request that has none yet.
                        let open = self.exchanges.iter().position(|open| same(open) && open.replies.is_empty());
                        let open = open.or_else(|| self.exchanges.iter().rposition(same));
                        // An id that came back as another type is wrong, which every case says; waiting for the right
                        // one would only hide it behind a timeout.
                        let alike = |open: &Open| open.replies.is_empty() && looks_alike(&open.id, id);
                        let open = open.or_else(|| self.exchanges.iter().position(alike));
                        if let Some(open) = open {
                            self.exchanges[open].replies.push((message.clone(), *at, index));
                        }
                    }
                }
            }
        }
        self.matched = self.lines.len();
        answers
    }

    /// Reads what has come into lines; gives back how many there are.
    fn take_lines(&mut self) -> usize {
        for (bytes, at) in self.process.take_lines() {
            let message = Json::parse_bytes(&bytes).ok();
            self.lines.push((bytes, message, at));
        }
        self.lines.len()
    }

    fn find(&self, label: &str) -> Option<usize> {
        self.exchanges.iter().rposition(|open| open.label == label)
    }

    async fn list_tools(&mut self, label: &str) -> StepEnd {
        let mut cursor: Option<String> = None;
        for page in 1..=MOST_PAGES {
            let name = if page == 1 { label.to_owned() } else { format!("{label}.{page}") };
            let params = cursor.as_ref().map(|cursor| format!(r#"{{"cursor":{cursor}}}"#));
            let params = params.or_else(|| Some("{}".to_owned()));
            let end = self.request(&Request::new(&name, "tools/list", params)).await;
            if end != StepEnd::Done {
                return end;
            }
            let end = self.reply(&name, self.patience.reply()).await;
            if end != StepEnd::Done {
                return end;
            }
            let answer = self.find(&name).and_then(|open| self.exchanges[open].replies.first());
            let next = answer.and_then(|(message, ..)| message.at(&["result", "nextCursor"]));
            match next.filter(|next| next.as_str().is_some()).map(Json::to_string) {
                Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
                _ => return StepEnd::Done,
            }
        }
        StepEnd::Done
    }

    async fn daemon_event(
        &mut self,
        what: &str,
        mut happened: impl FnMut(&[anet_mock_daemon::Entry]) -> bool,
    ) -> StepEnd {
        let bound = self.patience.daemon();
        if self.daemon.journal().wait_until(Instant::now() + bound, |entries| happened(entries)).await {
            StepEnd::Done
        } else {
            StepEnd::RanOut { waiting_for: format!("{what} at the daemon"), bound }
        }
    }

    async fn hang_up(&mut self, route: Route, first: usize) -> StepEnd {
        self.daemon_event(&format!("the end of the request to {route}"), move |entries| {
            entries.iter().skip(first).any(|entry| entry.route == Some(route) && entry.hung_up_at.is_some())
        })
        .await
    }

    /// Waits until nothing new has come from the candidate or to the daemon for so long.
    async fn quiet(&mut self, bound: Duration) {
        let mut news = self.process.news();
        loop {
            news.borrow_and_update();
            let asked = self.daemon.journal().len();
            let more = self.daemon.journal().clone();
            tokio::select! {
                changed = news.changed() => if changed.is_err() { return },
                new = more.wait_until(Instant::now() + bound, |entries| entries.len() > asked) => if !new { break },
            }
        }
        self.answer_server().await;
    }

    fn observation(&mut self, case: &Case, start: &Start, steps: Vec<StepRecord>) -> Observation {
        // Answers that came after the last step still belong to their requests; nobody is left to be answered.
        self.match_lines();
        // The observation takes them along; a case that follows begins behind them.
        self.matched = 0;
        let exit = self.process.exit().map(|(status, at, killed)| {
            let (code, signal) = code_and_signal(status);
            Exit {
                code,
                signal,
                at: since(start.at, at),
                after_end: self.process.told_to_end.map(|told| at.saturating_duration_since(told)),
                killed,
            }
        });
        let mut secrets: Vec<_> = self.tokens.iter().map(|token| ("token".to_owned(), token.clone())).collect();
        secrets.extend(case.setting.secrets.iter().cloned());
        Observation {
            revision: self.revision,
            negotiated: self.negotiated.clone(),
            exchanges: self.exchanges.drain(..).map(|open| open.exchange(start)).collect(),
            sent: self.sent.drain(..).map(|(bytes, at)| Sent { bytes, at: since(start.at, at) }).collect(),
            lines: self
                .lines
                .drain(..)
                .map(|(bytes, message, at)| Line { bytes, message, at: since(start.at, at) })
                .collect(),
            unterminated: if self.finished { self.process.heard(|heard| heard.rest.clone()) } else { Vec::new() },
            stderr: self.process.heard(super::candidate::Heard::stderr),
            asked: self.daemon.journal().since(start.asked).into_iter().map(|entry| asked(entry, start.at)).collect(),
            steps,
            exit,
            secrets,
            touched: self.home.touched(),
            orphans: self.orphans,
            shared: self.shared,
        }
    }
}

impl Open {
    fn exchange(self, start: &Start) -> Exchange {
        Exchange {
            label: self.label,
            id: self.id,
            sent: self.sent,
            at: since(start.at, self.at),
            replies: self
                .replies
                .into_iter()
                .map(|(message, at, line)| Reply { message, at: since(start.at, at), line })
                .collect(),
        }
    }
}

/// Why a session could not be started.
#[derive(Debug)]
pub(super) enum StartFailure {
    /// The program could not be run.
    Spawn(io::Error),
    /// The kit's own part went wrong.
    Kit(String),
}

/// Whether two ids differ only in being a string or a number.
fn looks_alike(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(number), Json::String(text)) | (Json::String(text), Json::Number(number)) => number == text,
        _ => false,
    }
}

fn since(start: Instant, at: Instant) -> Duration {
    at.saturating_duration_since(start)
}

fn asked(entry: anet_mock_daemon::Entry, start: Instant) -> Asked {
    Asked {
        at: since(start, entry.at),
        method: entry.method,
        target: entry.target,
        route: entry.route,
        headers: entry.headers,
        body: entry.body,
        trespass: entry.trespass,
        answered: entry.answered.map(|answered| (answered.status, answered.body)),
        hung_up: entry.hung_up_at.map(|at| since(start, at)),
    }
}
