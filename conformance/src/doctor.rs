//! `doctor`: whether a candidate can be judged at all, step by step, and what to do where it cannot.
//!
//! Responsible for: one conversation that every candidate must manage, and a plain answer on each of its stages. Not for:
//! judging; a candidate that passes here may still break a hundred musts.

use std::fmt::Write as _;

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Step};
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::Tool;

/// What is known about one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What was tried.
    pub name: &'static str,
    /// Whether it went well; none: it could not be tried.
    pub ok: Option<bool>,
    /// What was seen, in a sentence without its full stop.
    pub seen: String,
    /// What to do if it did not go well.
    pub advice: &'static str,
}

/// The task that the daemon of the doctor knows.
const TASK: &str =
    r#"{"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","contextId":"ctx_5b1e","status":{"state":"TASK_STATE_WORKING"}}"#;

/// The conversation: start, handshake, the tools, one call, the end.
pub fn conversation() -> Case {
    Case::new(Group::Protocol, "doctor", "the candidate starts, lists its tools, makes a call, and ends")
        .alone()
        .daemon(Rule {
            on: On::Route(Route::TasksGet),
            times: Times::Always,
            reply: Reply::Respond(Response::json(200, TASK)),
        })
        .step(Step::ListTools("list".to_owned()))
        .call(Tool::GetTask, r#"{"task_id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}"#)
        .step(Step::CloseInput)
        .step(Step::AwaitExit)
}

/// What was found out, stage by stage. `seen` is what became of [`conversation`].
pub fn stages(seen: &Observation) -> Vec<Stage> {
    let opened = seen.negotiated.is_some() || (seen.revision.is_modern() && seen.answer("list").is_some());
    vec![handshake(seen, opened), tools(seen, opened), call(seen, opened), purity(seen), stderr(seen), end(seen)]
}

fn handshake(seen: &Observation, opened: bool) -> Stage {
    let name = "handshake";
    let advice =
        "Answer `initialize` with protocolVersion, capabilities and serverInfo, one line on stdout, and flush.";
    let server = seen.exchange("open").and_then(|open| open.replies.first()).and_then(|reply| {
        let info = reply.message.at(&["result", "serverInfo"])?;
        let text = |member: &str| info.member(member).and_then(Json::as_str).unwrap_or("?").to_owned();
        Some(format!("{} {}", text("name"), text("version")))
    });
    let words = match (&seen.negotiated, opened) {
        (Some(version), _) => {
            let took = seen.lines.first().map_or(0, |line| line.at.as_millis());
            format!("MCP {version}, {}, after {took} ms", server.unwrap_or_else(|| "no serverInfo".to_owned()))
        }
        (None, true) => format!("MCP {}, without one", seen.revision),
        (None, false) => match seen.first_stop() {
            Some(stop) => stop.describe(),
            None => "no session was opened".to_owned(),
        },
    };
    Stage { name, ok: Some(opened), seen: words, advice }
}

fn tools(seen: &Observation, opened: bool) -> Stage {
    let name = "tools/list";
    let advice = "Offer exactly the 14 tools of the page, under their names.";
    if !opened {
        return untried(name, advice);
    }
    let Some(Answer::Result(list)) = seen.answer("list") else {
        return Stage { name, ok: Some(false), seen: "it was not answered with a result".to_owned(), advice };
    };
    let mut pages = vec![list];
    for page in 2.. {
        match seen.answer(&format!("list.{page}")) {
            Some(Answer::Result(next)) => pages.push(next),
            _ => break,
        }
    }
    let names: Vec<&str> = pages
        .iter()
        .filter_map(|page| page.member("tools").and_then(Json::as_array))
        .flatten()
        .filter_map(|tool| tool.member("name").and_then(Json::as_str))
        .collect();
    let missing: Vec<_> = Tool::ALL.into_iter().map(Tool::name).filter(|tool| !names.contains(tool)).collect();
    let strange: Vec<_> = names.iter().filter(|name| Tool::ALL.iter().all(|tool| tool.name() != **name)).collect();
    let mut words = format!("{} tools", names.len());
    if !missing.is_empty() {
        let _ = write!(words, "; missing are {}", missing.join(", "));
    }
    if !strange.is_empty() {
        let _ = write!(words, "; {} are not on the page", strange.len());
    }
    Stage { name, ok: Some(missing.is_empty() && strange.is_empty()), seen: words, advice }
}

fn call(seen: &Observation, opened: bool) -> Stage {
    let name = "a call";
    let advice = "get_task posts {\"task_id\": ..., \"max_task_bytes\": 24576} to /tasks/get at the address in \
                  $ANET_DATA_DIR/config.json, with the token in control_token.txt as bearer, and gives back what came.";
    if !opened {
        return untried(name, advice);
    }
    let reached = seen.asked_of(Route::TasksGet).next();
    let (ok, words) = match (reached, seen.answer("call")) {
        (Some(_), Some(Answer::Result(result))) => {
            let text = result.member("content").and_then(Json::as_array).and_then(|content| content.first());
            let text = text.and_then(|block| block.member("text")).and_then(Json::as_str);
            match text {
                Some(text) if text.contains("TASK_STATE_WORKING") => {
                    (true, "get_task reached the daemon, and its answer came back".to_owned())
                }
                _ => (false, "get_task reached the daemon, but its answer did not come back as text".to_owned()),
            }
        }
        (Some(_), _) => (false, "get_task reached the daemon, but the call did not succeed".to_owned()),
        (None, _) if !seen.asked.is_empty() => {
            let first = &seen.asked[0];
            (false, format!("get_task asked the daemon {} {}, not POST /tasks/get", first.method, first.target))
        }
        (None, Some(_)) => (false, "get_task was answered without asking the daemon".to_owned()),
        (None, None) => (false, "get_task got no answer, and the daemon was not asked".to_owned()),
    };
    Stage { name, ok: Some(ok), seen: words, advice }
}

fn purity(seen: &Observation) -> Stage {
    let junk =
        seen.lines.iter().find(|line| line.message.as_ref().is_none_or(|message| message.member("jsonrpc").is_none()));
    let words = match junk {
        None => format!("{} lines, all of them JSON-RPC", seen.lines.len()),
        Some(line) => {
            let text: String = String::from_utf8_lossy(&line.bytes).chars().take(60).collect();
            format!("something that is no JSON-RPC message: {text:?}")
        }
    };
    Stage {
        name: "stdout",
        ok: Some(junk.is_none()),
        seen: words,
        advice: "Send banners, prints and logs to stderr: stdout belongs to the protocol.",
    }
}

fn stderr(seen: &Observation) -> Stage {
    let text = String::from_utf8_lossy(&seen.stderr);
    let token = seen.secrets.iter().any(|(_, secret)| !secret.is_empty() && text.contains(secret.as_str()));
    let words = match (token, text.lines().count()) {
        (true, _) => "the control token stands on it".to_owned(),
        (false, 0) => "nothing".to_owned(),
        (false, count) => {
            let first: String = text.lines().next().unwrap_or_default().chars().take(50).collect();
            format!("{count} lines, the first {first:?}")
        }
    };
    Stage { name: "stderr", ok: Some(!token), seen: words, advice: "Never log the token." }
}

fn end(seen: &Observation) -> Stage {
    let name = "the end";
    let advice = "When stdin ends, finish what is in flight and exit; start nothing that outlives you.";
    let (ok, words) = match seen.exit {
        None => return untried(name, advice),
        Some(exit) if exit.killed => (false, "it did not end after stdin was closed, and had to be killed".to_owned()),
        Some(exit) if exit.after_end.is_none() => (false, "it ended before stdin was closed".to_owned()),
        Some(exit) => {
            let after = exit.after_end.map_or(0, |after| after.as_millis());
            let how = match (exit.code, exit.signal) {
                (Some(code), _) => format!("status {code}"),
                (None, signal) => format!("signal {}", signal.unwrap_or_default()),
            };
            (exit.code == Some(0), format!("{after} ms after stdin was closed, with {how}"))
        }
    };
    let outlived = seen.orphans > 0;
    let words = if outlived { format!("{words}; {} processes outlived it", seen.orphans) } else { words };
    Stage { name, ok: Some(ok && !outlived), seen: words, advice }
}

fn untried(name: &'static str, advice: &'static str) -> Stage {
    Stage { name, ok: None, seen: "could not be tried".to_owned(), advice }
}
