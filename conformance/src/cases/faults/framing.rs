//! Whole answers, framed in every way that HTTP/1.1 has: they are results.

use std::time::Duration;

use anet_mock_daemon::{Fault, On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Step};
use crate::cases::document::{Task, message};
use crate::expect::Expect;
use crate::page::Tool;

/// How an answer is framed: name, requirement, head, and how the body is written.
const FRAMES: &[(&str, &str, &str, Body)] = &[
    (
        "chunked",
        "faults.framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        Body::Chunks(40),
    ),
    (
        "chunks-of-a-byte",
        "faults.framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        Body::Chunks(1),
    ),
    (
        "until-close",
        "faults.framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
        Body::Plain,
    ),
    (
        "lower-case",
        "faults.framing",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LENGTH\r\nconnection: close\r\n\r\n",
        Body::Plain,
    ),
    (
        "close-and-length",
        "faults.framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: LENGTH\r\nConnection: close\r\n\r\n",
        Body::Plain,
    ),
    (
        "padded-values",
        "faults.rare-framing",
        "HTTP/1.1 200 OK\r\nContent-Type:application/json\r\nContent-Length:  \tLENGTH  \r\n\r\n",
        Body::Plain,
    ),
    (
        "no-reason",
        "faults.rare-framing",
        "HTTP/1.1 200 \r\nContent-Type: application/json\r\nContent-Length: LENGTH\r\n\r\n",
        Body::Plain,
    ),
    (
        "charset",
        "faults.rare-framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: LENGTH\r\n\r\n",
        Body::Plain,
    ),
    ("no-type", "faults.rare-framing", "HTTP/1.1 200 OK\r\nContent-Length: LENGTH\r\n\r\n", Body::Plain),
    (
        "extensions-and-trailers",
        "faults.rare-framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n",
        Body::Extended,
    ),
    (
        "interim",
        "faults.rare-framing",
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: LENGTH\r\n\r\n",
        Body::Plain,
    ),
    ("old-version", "faults.rare-framing", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n", Body::Plain),
];

/// How a body is written.
#[derive(Clone, Copy)]
enum Body {
    /// As it is.
    Plain,
    /// In chunks of so many bytes.
    Chunks(usize),
    /// In chunks with extensions, and a trailer after them.
    Extended,
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> =
        FRAMES.iter().map(|(point, requirement, head, body)| framed(point, requirement, head, *body)).collect();
    cases.push(drip("drip", 97));
    cases.push(drip("drip-within-characters", 64));
    cases
}

/// A task whose text has characters of several bytes, so that a border can fall inside one.
fn task() -> String {
    let text = "余额 🪙 \u{2028} done. ".repeat(20);
    Task::new("COMPLETED").status_message(message("m2", "ROLE_AGENT", &[&text])).json()
}

fn framed(point: &str, requirement: &'static str, head: &str, body: Body) -> Case {
    let task = task();
    let mut bytes = head.replace("LENGTH", &task.len().to_string()).into_bytes();
    match body {
        Body::Plain => bytes.extend_from_slice(task.as_bytes()),
        Body::Chunks(size) => {
            for chunk in task.as_bytes().chunks(size) {
                bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                bytes.extend_from_slice(chunk);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
        }
        Body::Extended => {
            for chunk in task.as_bytes().chunks(100) {
                bytes.extend_from_slice(format!("{:X};name=\"value\"\r\n", chunk.len()).as_bytes());
                bytes.extend_from_slice(chunk);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0;last\r\nX-End: yes\r\n\r\n");
        }
    }
    whole(point, requirement, Fault::Garbage(bytes), task)
}

/// In small pieces, a little later each.
fn drip(point: &str, chunk: usize) -> Case {
    let task = task();
    let response = Response::json(200, task.clone());
    whole(point, "faults.framing", Fault::Drip { response, chunk, every: Duration::from_millis(2) }, task)
}

/// The answer is whole, however it comes: a result, and nothing is asked again.
fn whole(point: &str, requirement: &'static str, reply: Fault, task: String) -> Case {
    let next = Response::json(200, Task::new("WORKING").json());
    let tool = Tool::GetTask;
    let mut case = Case::new(
        Group::Faults,
        &format!("framing/{point}"),
        format!("get_task: a whole answer, {}", point.replace('-', " ")),
    )
    .tool(tool)
    .daemon(Rule { on: On::Route(Route::TasksGet), times: Times::Always, reply: Reply::Respond(next) })
    .daemon(Rule { on: On::Route(Route::TasksGet), times: Times::Once, reply: Reply::Fault(reply) });
    for label in ["call", "next"] {
        case = case
            .step(Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments()))))
            .step(Step::Await(label.to_owned()));
    }
    let case = case
        .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
        .check(requirement, Expect::Succeeds { call: "call".to_owned() })
        .check("faults.no-retry", Expect::AsksAtMost { route: Route::TasksGet, times: 2 })
        .check("faults.next-call", Expect::Succeeds { call: "next".to_owned() });
    // Where the framing itself is rare, what it carries is judged no harder.
    if requirement == "faults.framing" {
        case.expect_answer("call", task)
    } else {
        case.check(
            requirement,
            Expect::TextJson { call: "call".to_owned(), json: task, grade: crate::json::Grade::Double },
        )
    }
}
