//! How arguments are written: left out, `null`, twice the same member, words of the daemon instead of the page's.

use anet_mock_daemon::Route;

use super::{call_accepted, fill};
use crate::case::{Case, Group, Request, Step};
use crate::cases::exchange::answer;
use crate::cases::request;
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in Tool::ALL.into_iter().filter(|tool| tool.minimal_arguments() == "{}") {
        cases.push(without(tool, "no-arguments", "no `arguments` at all", None, "arguments.omitted"));
        cases.push(without(tool, "null-arguments", "`arguments` is null", Some("null"), "arguments.null-arguments"));
    }
    cases.push(twice(Tool::GetTask, "task_id", r#"{"task_id":"ix_first","task_id":"ix_second"}"#, "/task_id"));
    cases.push(twice(
        Tool::SubmitPayment,
        "accept",
        r#"{"task_id":"$TASK","accept":{"amount":"1"},"accept":{"amount":"2"}}"#,
        "/accept/amount",
    ));
    for (name, point, value) in [
        ("role", "daemon-word", r#""outbound""#),
        ("role", "upper-case", r#""Provider""#),
        ("state", "a2a-word", r#""TASK_STATE_COMPLETED""#),
    ] {
        cases.push(other_word(name, point, value));
    }
    cases
}

/// A call that counts as one with `{}`.
fn without(tool: Tool, point: &str, title: &str, arguments: Option<&str>, requirement: &'static str) -> Case {
    let route = request::route(tool);
    let case = Case::new(Group::Arguments, &format!("{tool}/{point}"), format!("{tool}: {title}"))
        .tool(tool)
        .daemon_answers(route, answer(tool));
    let case =
        if tool == Tool::Balance { case.daemon_answers(Route::PaymentsStatus, r#"{"agent_max":5}"#) } else { case };
    let body = request::body(tool, &Json::object::<String>([])).to_string();
    case.step(Step::Request(Request::call("call", tool.name(), arguments.map(str::to_owned))))
        .step(Step::Await("call".to_owned()))
        .check(requirement, Expect::Asks { route, body })
        .check(requirement, Expect::Succeeds { call: "call".to_owned() })
        .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
}

/// The same member twice: JSON leaves open which one counts.
fn twice(tool: Tool, name: &str, arguments: &str, pointer: &'static str) -> Case {
    let route = request::route(tool);
    call_accepted(tool, &format!("{name}/twice"), &format!("`{name}` stands there twice"), fill(arguments))
        .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("arguments.twice-one-call", Expect::AsksAtMost { route, times: 1 })
        .check(
            "arguments.twice",
            Expect::holds("which one counts is recorded", move |seen| which(seen, route, pointer)),
        )
        .expect_decent_refusal(&[name])
}

fn which(seen: &Observation, route: Route, pointer: &str) -> Finding {
    let Some(asked) = seen.asked_of(route).next() else {
        return Finding::Observed("refused".to_owned());
    };
    let body = Json::parse_bytes(&asked.body).unwrap_or(Json::Null);
    Finding::Observed(match body.pointer(pointer).and_then(Json::as_str) {
        Some("ix_first" | "1") => "the first counts".to_owned(),
        Some("ix_second" | "2") => "the last counts".to_owned(),
        _ => "neither is sent".to_owned(),
    })
}

/// A word that the page does not list and the daemon knows.
fn other_word(name: &str, point: &str, value: &str) -> Case {
    let route = Route::TasksList;
    call_accepted(
        Tool::ListTasks,
        &format!("{name}/{point}"),
        &format!("`{name}` {value}, which the page does not list"),
        format!(r#"{{"{name}":{value}}}"#),
    )
    .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
    .check(
        "arguments.other-words",
        Expect::holds("whether it is taken is recorded", move |seen| {
            let asked = seen.asked_of(route).next();
            Finding::Observed(
                asked.map_or("refused".to_owned(), |asked| String::from_utf8_lossy(&asked.body).trim().to_owned()),
            )
        }),
    )
    .expect_decent_refusal(&[name])
}
