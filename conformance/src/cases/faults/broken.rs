//! Answers that break. The fault is played once, after the daemon has read the whole request; whoever asked again would be
//! served, and would give himself away.

use anet_mock_daemon::{Fault, On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Step};
use crate::cases::document::{Task, message, route_of};
use crate::expect::{Expect, TextRule};
use crate::page::Tool;

/// A read, and the calls whose effect must not happen twice.
const TOOLS: [Tool; 4] = [Tool::GetTask, Tool::SendMessage, Tool::SubmitPayment, Tool::ReplyTask];

/// Bytes that are no HTTP answer.
const GARBAGE: &[(&str, &[u8])] = &[
    ("text", b"hello\r\n\r\n"),
    ("json", b"{\"state\":\"working\"}\n"),
    ("tls", b"\x15\x03\x01\x00\x02\x02\x28"),
    ("half-a-line", b"HTTP/1.1 20"),
    ("half-a-head", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Le"),
    ("no-status", b"HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\n{}"),
    ("binary", b"\x00\xff\xfe\x80\r\n\x00"),
];

/// Heads and beginnings of bodies that end too early, as raw bytes: chunked answers are not whole without their last chunk.
const CUT_CHUNKS: &[(&str, &[u8])] = &[
    ("no-last-chunk", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n{\"state\":\"working\r\n"),
    ("bad-size", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in TOOLS {
        for (point, fault) in faults(tool) {
            cases.push(broken(tool, point, fault, false));
        }
        cases.push(broken(tool, "close-reused", Fault::CloseAtOnce, true));
        cases.push(broken(tool, "reset-reused", Fault::ResetAtOnce, true));
        cases.push(endless(tool));
    }
    for (point, bytes) in GARBAGE.iter().chain(CUT_CHUNKS) {
        cases.push(broken(Tool::GetTask, point, Fault::Garbage(bytes.to_vec()), false));
    }
    cases.push(balance("balance-close", Route::Balance, Fault::CloseAtOnce));
    cases.push(balance("limits-close", Route::PaymentsStatus, Fault::CloseAtOnce));
    cases
}

/// What the daemon would say if all went well, of a few kilobytes.
fn answer(tool: Tool) -> Response {
    let long = "All is well. ".repeat(200);
    let document = if tool == Tool::SubmitPayment {
        format!(r#"{{"task_id":"ix_4a6a","state":"working","message":"{long}"}}"#)
    } else {
        Task::new("WORKING").status_message(message("m2", "ROLE_AGENT", &[&long])).json()
    };
    Response::json(200, document)
}

/// The ways in which an answer breaks.
fn faults(tool: Tool) -> Vec<(&'static str, Fault)> {
    let (response, length) = (answer(tool), answer(tool).body.len());
    let cut = |keep, reset| Fault::CutBody { response: response.clone(), keep, reset };
    vec![
        ("close", Fault::CloseAtOnce),
        ("reset", Fault::ResetAtOnce),
        ("no-body", cut(0, false)),
        ("half-a-body", cut(length / 2, false)),
        ("all-but-a-byte", cut(length - 1, false)),
        ("half-a-body-and-reset", cut(length / 2, true)),
        ("length-too-small", Fault::WrongLength { response: response.clone(), claimed: length / 2 }),
        ("garbage", Fault::Garbage(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
    ]
}

/// The fault is played on the first call, or on the second so that it meets a connection that was used before.
fn broken(tool: Tool, point: &str, fault: Fault, reused: bool) -> Case {
    let route = route_of(tool);
    let mut case = Case::new(
        Group::Faults,
        &format!("{tool}/{point}"),
        format!("{tool}: the answer breaks, {}", point.replace('-', " ")),
    )
    .tool(tool)
    .daemon(Rule { on: On::Route(route), times: Times::Always, reply: Reply::Respond(answer(tool)) });
    let calls = if reused { 3 } else { 2 };
    if reused {
        case = called(case, "before", tool)
            .check("faults.answered-once", Expect::AnsweredOnce { call: "before".to_owned() });
    }
    case = case.daemon(Rule { on: On::Route(route), times: Times::Once, reply: Reply::Fault(fault) });
    called(called(case, "call", tool), "next", tool)
        .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("faults.is-error", Expect::Fails { call: "call".to_owned() })
        .check("faults.tool-error", Expect::FailsAsTool { call: "call".to_owned() })
        .check("faults.sentence", sentence("call"))
        .check("faults.no-retry", Expect::AsksAtMost { route, times: calls })
        .check("faults.next-call", Expect::AnsweredOnce { call: "next".to_owned() })
        .check("faults.next-call", Expect::Succeeds { call: "next".to_owned() })
}

/// Headers without end: not every HTTP library gives up.
fn endless(tool: Tool) -> Case {
    let route = route_of(tool);
    let case = Case::new(
        Group::Faults,
        &format!("{tool}/endless-headers"),
        format!("{tool}: the headers of the answer never end"),
    )
    .tool(tool)
    .daemon(Rule { on: On::Route(route), times: Times::Always, reply: Reply::Respond(answer(tool)) })
    .daemon(Rule { on: On::Route(route), times: Times::Once, reply: Reply::Fault(Fault::EndlessHeaders) });
    called(called(case, "call", tool), "next", tool)
        .check("faults.no-retry", Expect::AsksAtMost { route, times: 2 })
        .check("faults.endless", Expect::Fails { call: "call".to_owned() })
        .check("faults.sentence", sentence("call"))
        .check("faults.endless", Expect::Succeeds { call: "next".to_owned() })
}

/// One of the two routes of `get_balance` breaks off: one answer, and neither is asked again.
fn balance(point: &str, route: Route, fault: Fault) -> Case {
    let (balance, limits) = (r#"{"asset":"credit","balance":137}"#, r#"{"agent_max":5,"summary":"5 at once"}"#);
    let case = Case::new(Group::Faults, &format!("get_balance/{point}"), format!("get_balance: {route} breaks off"))
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, balance)
        .daemon_answers(Route::PaymentsStatus, limits)
        .daemon(Rule { on: On::Route(route), times: Times::Once, reply: Reply::Fault(fault) });
    called(called(case, "call", Tool::Balance), "next", Tool::Balance)
        .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("faults.no-retry", Expect::AsksAtMost { route, times: 2 })
        .check("faults.next-call", Expect::Succeeds { call: "next".to_owned() })
        .check("balance.odd-answers", Expect::Succeeds { call: "call".to_owned() })
}

fn called(case: Case, label: &str, tool: Tool) -> Case {
    case.step(Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments()))))
        .step(Step::Await(label.to_owned()))
}

fn sentence(call: &str) -> Expect {
    let rules = vec![TextRule::NotBlank, TextRule::English, TextRule::OneParagraph, TextRule::NoParserWording];
    Expect::Text { call: call.to_owned(), rules }
}
