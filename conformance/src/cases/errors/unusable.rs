//! Answers that carry nothing to pass on.
//!
//! Responsible for: refusals without a usable sentence, and answers with status 200 that are no document. The call is
//! answered, as an error, in words of the server's own; the token is in none of them (a standing check); the next call
//! works. Nothing here comes from a healthy daemon.

use anet_mock_daemon::{On, Reply, Response, Rule, Times};

use super::case;
use crate::case::Case;
use crate::cases::document::{Task, route_of};
use crate::expect::{Expect, TextRule};
use crate::page::Tool;

const HTML: &str =
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n";

/// Tools whose one route is what the caller gets.
const TOOLS: [Tool; 13] = [
    Tool::GetTask,
    Tool::ListAgents,
    Tool::SendMessage,
    Tool::NodeStatus,
    Tool::WaitTask,
    Tool::AgentCard,
    Tool::SubmitPayment,
    Tool::Audit,
    Tool::ListTasks,
    Tool::ReplyTask,
    Tool::InboundPending,
    Tool::CancelTask,
    Tool::RejectPayment,
];

/// Refusals whose body holds no sentence.
pub(super) fn refusals() -> Vec<Case> {
    let json = |status, body: &str| Response::json(status, body);
    let rows = [
        ("empty", "an empty body", json(500, "")),
        ("null", "`null`", json(500, "null")),
        ("no-members", "`{}`", json(404, "{}")),
        ("array", "an array", json(400, r#"["the task is over"]"#)),
        ("number", "a number", json(400, "5")),
        ("string", "a string", json(400, r#""the task is over""#)),
        ("error-number", "an `error` that is a number", json(409, r#"{"error":5}"#)),
        ("error-null", "an `error` that is null", json(409, r#"{"error":null,"code":"InternalError"}"#)),
        ("error-object", "an `error` that is an object", json(422, r#"{"error":{"message":"the task is over"}}"#)),
        ("error-array", "an `error` that is an array", json(422, r#"{"error":["the task is over"]}"#)),
        ("error-true", "an `error` that is true", json(403, r#"{"error":true}"#)),
        ("error-empty", "an empty `error`", json(503, r#"{"error":"","reason":"not_accepting"}"#)),
        ("reason-only", "a reason without a sentence", json(403, r#"{"reason":"zero_amount"}"#)),
        ("cut", "JSON that ends in the middle", json(500, r#"{"error":"the ta"#)),
        ("twice", "two documents", json(500, r#"{"a":1}{"b":2}"#)),
        ("html", "a page of a gateway", Response::typed(502, "text/html", HTML)),
        ("html-as-json", "a page that calls itself JSON", json(502, HTML)),
        ("plain-404", "the plain text of an unknown path", Response::text(404, "404 page not found\n")),
        ("plain-405", "the plain text of a wrong method", Response::text(405, "Method Not Allowed\n")),
        (
            "plain-500",
            "plain text of many lines",
            Response::text(500, "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n"),
        ),
        ("plain-401", "the plain text of a wrong token", Response::text(401, "unauthorized\n")),
        ("not-utf-8", "bytes that are no text", Response::json(500, b"{\"error\":\"\xff\xfe\x80\"}".to_vec())),
        ("binary", "bytes of an image", Response::typed(500, "image/png", b"\x89PNG\r\n\x1a\n\x00\x00\x00".to_vec())),
        ("huge", "2 MB of text", Response::text(500, "the hub said no ".repeat(131_072))),
        ("teapot", "a status that no table has", json(418, "")),
        ("not-modified", "a status that has no body", json(304, "")),
    ];
    rows.into_iter()
        .zip(TOOLS.into_iter().cycle())
        .map(|((name, what, response), tool)| {
            let status = response.status;
            let plain = name.starts_with("plain");
            let first_line = String::from_utf8_lossy(&response.body).lines().next().unwrap_or_default().to_owned();
            // The first line of a plain text is what servers of 0.2 say.
            let says = if plain { vec![status.to_string(), first_line] } else { vec![status.to_string()] };
            broken(
                &format!("unusable/{name}"),
                tool,
                &format!("{tool}: {what} with status {status} is an error in plain words"),
                response,
            )
            .check("errors.unusable-fails", Expect::Fails { call: "call".to_owned() })
            .check("errors.unusable-tool-error", Expect::FailsAsTool { call: "call".to_owned() })
            .check(
                "errors.unusable-sentence",
                Expect::Text {
                    call: "call".to_owned(),
                    rules: vec![
                        TextRule::NotBlank,
                        TextRule::English,
                        TextRule::ContainsAny(says),
                        TextRule::MaxBytes(1000),
                        TextRule::none(["<html", "goroutine"]),
                    ],
                },
            )
        })
        .collect()
}

/// Answers with a good status that are no document.
pub(super) fn answers() -> Vec<Case> {
    let json = |body: &str| Response::json(200, body);
    let rows = [
        ("empty", "an empty body", json("")),
        ("blank", "nothing but a line end", json("\n")),
        ("null", "`null`", json("null\n")),
        ("array", "an array", json("[]")),
        ("string", "a string", json(r#""done""#)),
        ("number", "a number", json("5")),
        ("true", "`true`", json("true")),
        ("cut", "JSON that ends in the middle", json(r#"{"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","status":{"sta"#)),
        ("html", "a page", Response::typed(200, "text/html", HTML)),
        ("plain", "plain text", Response::text(200, "OK\n")),
        ("single-quotes", "what only looks like JSON", json("{'id': 'ix_1',}")),
        ("not-utf-8", "JSON with bytes that are no text", Response::json(200, b"{\"id\":\"\xff\xfe\x80\"}".to_vec())),
        ("no-content", "a status that has no body", json("")),
    ];
    rows.into_iter()
        .zip(TOOLS)
        .map(|((name, what, mut response), tool)| {
            if name == "no-content" {
                response.status = 204;
            }
            let status = response.status;
            broken(
                &format!("no-document/{name}"),
                tool,
                &format!("{tool}: {what} with status {status} is an error, not a result"),
                response,
            )
            .check("errors.no-document", Expect::Fails { call: "call".to_owned() })
            .check(
                "errors.no-document-sentence",
                Expect::Text {
                    call: "call".to_owned(),
                    rules: vec![TextRule::NotBlank, TextRule::English, TextRule::MaxBytes(1000)],
                },
            )
        })
        .collect()
}

/// The daemon answers the tool with this, whatever comes; the call is answered all the same, and the next one works.
fn broken(topic: &str, tool: Tool, title: &str, response: Response) -> Case {
    let (next, healthy) = match tool {
        Tool::NodeStatus => (Tool::GetTask, Task::new("WORKING").json()),
        _ => (Tool::NodeStatus, r#"{"aid":"a","version":"0.3.0"}"#.to_owned()),
    };
    case(topic, tool, title)
        .daemon(Rule { on: On::Route(route_of(tool)), times: Times::Always, reply: Reply::Respond(response) })
        .daemon_answers(route_of(next), healthy)
        .call_as("call", tool)
        .call_as("next", next)
        .check("errors.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("errors.next-call-works", Expect::Succeeds { call: "next".to_owned() })
}
