//! A case in words: what is set up, what the client does, what must be true.

use std::borrow::Cow;
use std::fmt::Write as _;

use anet_mock_daemon::{Fault, On, Reply, Response, Rule, Times};

use super::layout::{document, hanging, paragraph};
use crate::case::{Case, DaemonSetting, PlantKind, Setting, Step};
use crate::expect::{Expect, ValueRule};
use crate::requirement;
use crate::revision::Revision;

/// Where documents stand below a step or an expectation.
const DOCUMENT: &str = "      ";

/// The case of that id, which may end with `@` and the revision in which it is told.
pub(super) fn find<'c>(id: &str, cases: &'c [Case]) -> Option<Cow<'c, Case>> {
    if let Some(found) = cases.iter().find(|case| case.id == id) {
        return Some(Cow::Borrowed(found));
    }
    let (plain, revision) = id.split_once('@')?;
    let revision: Revision = revision.parse().ok()?;
    cases.iter().find(|case| case.id == plain)?.in_revision(revision).map(Cow::Owned)
}

/// The case in words.
pub(super) fn explain(case: &Case) -> String {
    let mut out = format!("{}\n\n{}\n", case.id, paragraph(&case.title, ""));
    let set_up = setting(&case.setting);
    if !set_up.is_empty() {
        out.push_str("what is set up\n");
        for line in &set_up {
            out.push_str(&hanging("  - ", line));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "what the client does (MCP {})", case.revision);
    if !case.setting.no_handshake {
        out.push_str("  - opens the session\n");
    }
    for step in &case.steps {
        let (sentence, shown) = describe(step);
        out.push_str(&hanging("  - ", &sentence));
        if let Some(shown) = shown {
            out.push_str(&document(&shown, DOCUMENT));
        }
    }
    out.push_str("\nwhat must be true\n");
    for check in &case.checks {
        let level = requirement::find(check.requirement).map_or_else(String::new, |found| found.level.to_string());
        let _ = writeln!(out, "  {level:<8}{}", check.requirement);
        let (sentence, shown) = demand(&check.expect);
        out.push_str(&paragraph(&sentence, DOCUMENT));
        if let Some(shown) = shown {
            out.push_str(&document(shown, "        "));
        }
    }
    let _ =
        writeln!(out, "\nrun it: anet-conformance --only {} -- COMMAND", case.id.split('@').next().unwrap_or_default());
    out
}

fn setting(setting: &Setting) -> Vec<String> {
    let mut lines = Vec::new();
    if setting.alone {
        lines.push("a process and a daemon of its own".to_owned());
    }
    match &setting.daemon {
        DaemonSetting::Running => {}
        DaemonSetting::Down => lines.push("nothing listens at the address of config.json".to_owned()),
        DaemonSetting::Address(address) => lines.push(format!("config.json names the address {address}")),
        DaemonSetting::Empty => lines.push("the data directory is empty".to_owned()),
        DaemonSetting::NoToken => lines.push("there is a config.json and no control_token.txt".to_owned()),
        DaemonSetting::Config(text) => lines.push(format!("config.json holds {text}")),
    }
    if setting.minimal_env {
        lines.push("the environment has HOME, LOGNAME, PATH, SHELL, TERM, USER and the data directory only".to_owned());
    }
    lines.extend(setting.env.iter().map(|(name, value)| format!("the environment has {name}={value}")));
    lines.extend(setting.plants.iter().map(|plant| {
        let kind = match &plant.kind {
            PlantKind::File(content) => format!("a file of {} bytes", content.len()),
            PlantKind::Fifo => "a named pipe, which tells who opens it,".to_owned(),
        };
        format!("{kind} at {} below the directory {:?}", plant.path, plant.place)
    }));
    lines
}

/// What a step does, and the document that goes with it.
fn describe(step: &Step) -> (String, Option<String>) {
    let plain = |sentence: &str| (sentence.to_owned(), None);
    match step {
        Step::Script(rule) => script(rule),
        Step::Release(hold) => (format!("the daemon lets `{hold}` go"), None),
        Step::RestartDaemon => plain("the daemon comes back on another port with another token"),
        Step::StopDaemon => plain("the daemon stops listening"),
        Step::ResumeDaemon => plain("the daemon listens again"),
        Step::Open => plain("opens the session"),
        Step::Request(request) => {
            let id = request.id.as_ref().map_or_else(String::new, |id| format!(", with the id {id}"));
            match &request.params {
                Some(params) => (
                    format!("sends {} as `{}`{id}, with the params", request.method, request.label),
                    Some(params.clone()),
                ),
                None => (format!("sends {} as `{}`{id}, without params", request.method, request.label), None),
            }
        }
        Step::Await(label) => (format!("waits for the answer to `{label}`"), None),
        Step::AwaitAll(labels) => (format!("waits for the answers to {} requests", labels.len()), None),
        Step::AwaitDaemon { route, count } => (format!("waits for request {count} to {route}"), None),
        Step::AwaitHangUp(route) => (format!("waits for the end of the request to {route}"), None),
        Step::Notify { method, params } => (format!("notifies {method}"), params.clone()),
        Step::Cancel(label) => (format!("cancels `{label}`"), None),
        Step::Raw { bytes, .. } => (
            format!("writes these {} bytes as they are", bytes.len()),
            Some(String::from_utf8_lossy(bytes).escape_debug().to_string().replace("\\\"", "\"")),
        ),
        Step::ListTools(label) => (format!("lists the tools, all pages, as `{label}`"), None),
        Step::CloseInput => plain("closes stdin"),
        Step::Terminate => plain("sends SIGTERM"),
        Step::AwaitExit => plain("waits for the end of the process"),
        Step::Quiet(bound) => (format!("waits until nothing has come for {bound:?}"), None),
    }
}

fn script(rule: &Rule) -> (String, Option<String>) {
    let what = match &rule.on {
        On::Any => "every request".to_owned(),
        On::Route(route) => route.path().to_owned(),
        On::Path(path) => format!("the path {path}"),
    };
    let times = match rule.times {
        Times::Once => " once".to_owned(),
        Times::Exactly(count) => format!(" {count} times"),
        Times::Always => String::new(),
    };
    let (deed, shown) = reply(&rule.reply);
    (format!("the daemon answers {what}{times} {deed}"), shown)
}

/// What a reply is, in words that follow "answers", and its body.
fn reply(reply: &Reply) -> (String, Option<String>) {
    match reply {
        Reply::Respond(answer) => {
            (format!("with status {}{} and the body", answer.status, delayed(answer)), Some(body(answer)))
        }
        Reply::Hold { name, then } => {
            let (deed, shown) = self::reply(then);
            (format!("only when `{name}` is let go, then {deed}"), shown)
        }
        Reply::World => ("as it would by itself".to_owned(), None),
        Reply::Fault(fault) => match fault {
            Fault::CloseAtOnce => ("by closing the connection without a byte".to_owned(), None),
            Fault::ResetAtOnce => ("by resetting the connection without a byte".to_owned(), None),
            Fault::CutBody { response, keep, reset } => {
                let end = if *reset { "resets" } else { "closes" };
                let deed = format!("with status {} and {keep} bytes of the body, then {end}", response.status);
                (format!("{deed} the connection"), Some(body(response)))
            }
            Fault::WrongLength { response, claimed } => (
                format!("with status {}, a Content-Length of {claimed} and the body", response.status),
                Some(body(response)),
            ),
            Fault::Drip { response, chunk, every } => (
                format!("with status {} and the body, {chunk} bytes every {every:?}", response.status),
                Some(body(response)),
            ),
            Fault::EndlessHeaders => ("with headers without an end".to_owned(), None),
            Fault::Garbage(bytes) => {
                ("with what is no HTTP".to_owned(), Some(String::from_utf8_lossy(bytes).into_owned()))
            }
            Fault::Redirect { status, location } => {
                (format!("with status {status} and a Location of {location}"), None)
            }
            Fault::Silence => ("by silence".to_owned(), None),
        },
    }
}

fn delayed(answer: &Response) -> String {
    if answer.delay.is_zero() { String::new() } else { format!(" after {:?}", answer.delay) }
}

fn body(answer: &Response) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// What an expectation demands, and the document that it compares with.
fn demand(expect: &Expect) -> (String, Option<&str>) {
    let placed = match expect {
        Expect::InText { call, pointer, rule } => Some((format!("in the text of `{call}`, `{pointer}`"), rule)),
        Expect::InResult { call, pointer, rule } => Some((format!("in the result of `{call}`, `{pointer}`"), rule)),
        Expect::InBody { route, pointer, rule } => Some((format!("in the body for {route}, `{pointer}`"), rule)),
        _ => None,
    };
    match placed {
        Some((place, ValueRule::Is(json))) => return (format!("{place} is"), Some(json)),
        Some((place, ValueRule::IsLiterally(json))) => return (format!("{place} is to the letter"), Some(json)),
        _ => {}
    }
    let grade = |grade: &crate::json::Grade| format!("{grade:?}").to_lowercase();
    match expect {
        Expect::TextJson { call, json, grade: numbers } => {
            (format!("the text of `{call}` is this JSON (numbers: same {})", grade(numbers)), Some(json))
        }
        Expect::StructuredJson { call, json, grade: numbers } => {
            (format!("structuredContent of `{call}` is this JSON (numbers: same {})", grade(numbers)), Some(json))
        }
        Expect::TextOrder { call, json } => {
            (format!("the text of `{call}` keeps the daemon's order of members, which is"), Some(json))
        }
        Expect::TextIs { call, text } => (format!("the text of `{call}` is exactly"), Some(text)),
        Expect::Asks { route, body } => (format!("the daemon is asked {route} once, meaning"), Some(body)),
        Expect::AsksExactly { route, body } => (format!("the daemon is asked {route} once with exactly"), Some(body)),
        other => (other.describe(), None),
    }
}
