//! `wait_task` and the wait of `send_message`: what runs out, what changes, how long.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Step};
use crate::cases::document::{Task, message, route_of};
use crate::cases::{request, seen};
use crate::expect::{Expect, ValueRule};
use crate::json::Json;
use crate::observation::Observation;
use crate::page::{SAMPLE_AID, SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// Timeouts above the page's maximum, and some whose product with 1000 leaves an integer type.
const TOO_LONG: &[(&str, &str)] = &[
    ("just-over", "301"),
    ("hour", "3600"),
    ("past-32-bits", "2147484"),
    ("past-32-bits-unsigned", "4294968"),
    ("past-64-bits", "9223372036854776"),
    ("past-64-bits-unsigned", "18446744073709552"),
];

/// The longest wait that the page allows, in milliseconds.
const LONGEST: f64 = 300_000.0;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        timed_out("working", "WORKING"),
        timed_out("input-required", "INPUT_REQUIRED"),
        again(),
        after_large_seq(),
    ];
    for tool in [Tool::WaitTask, Tool::SendMessage] {
        cases.push(change(tool));
        for (point, seconds) in TOO_LONG {
            cases.push(too_long(tool, point, seconds));
        }
    }
    cases.push(longest(Tool::WaitTask));
    cases.push(longest(Tool::SendMessage));
    cases.push(still_going());
    cases
}

/// The smallest arguments of the tool with one more member.
fn arguments(tool: Tool, more: &str) -> String {
    let least = tool.minimal_arguments();
    format!("{},{more}}}", least.strip_suffix('}').unwrap_or(&least))
}

/// The body that the contract gives for these arguments.
fn body(tool: Tool, arguments: &str) -> String {
    request::body(tool, &Json::parse(arguments).unwrap_or(Json::Null)).to_string()
}

/// Time runs out: the task comes back, and nobody waits again.
fn timed_out(point: &str, state: &str) -> Case {
    let task = Task::new(state).meta("anet.wait", r#""timed_out""#).json();
    Case::new(Group::Node, &format!("waiting/timed-out/{point}"), "wait_task: the time runs out")
        .tool(Tool::WaitTask)
        .daemon_answers(Route::TasksWait, task.clone())
        .call(Tool::WaitTask, Tool::WaitTask.minimal_arguments())
        .check("waiting.timed-out", Expect::Succeeds { call: "call".to_owned() })
        .check(
            "waiting.timed-out",
            Expect::InText {
                call: "call".to_owned(),
                pointer: "/metadata/anet.wait".to_owned(),
                rule: ValueRule::Is(r#""timed_out""#.to_owned()),
            },
        )
        .check("waiting.timed-out", Expect::AsksAtMost { route: Route::TasksWait, times: 1 })
        .expect_request(Route::TasksWait, body(Tool::WaitTask, &Tool::WaitTask.minimal_arguments()))
        .expect_answer("call", task)
}

/// The caller waits again with the sequence number that came back.
fn again() -> Case {
    let first = Task::new("WORKING").meta("anet.wait", r#""timed_out""#).meta("anet.state_seq", "4").json();
    let second = Task::new("INPUT_REQUIRED").meta("anet.state_seq", "5").json();
    let after = arguments(Tool::WaitTask, r#""after_seq":4"#);
    Case::new(Group::Node, "waiting/again", "wait_task twice: the second wait begins where the first ended")
        .tool(Tool::WaitTask)
        .daemon_answers(Route::TasksWait, second.clone())
        .daemon(Rule {
            on: On::Route(Route::TasksWait),
            times: Times::Once,
            reply: Reply::Respond(Response::json(200, first.clone())),
        })
        .step(Step::Request(Request::call("first", "wait_task", Some(Tool::WaitTask.minimal_arguments()))))
        .step(Step::Await("first".to_owned()))
        .step(Step::Request(Request::call("second", "wait_task", Some(after.clone()))))
        .step(Step::Await("second".to_owned()))
        .check(
            "waiting.after-seq",
            seen::asked_in_turn(
                Route::TasksWait,
                &[body(Tool::WaitTask, &Tool::WaitTask.minimal_arguments()), body(Tool::WaitTask, &after)],
            ),
        )
        .expect_answer("first", first)
        .expect_answer("second", second)
}

/// A sequence number beyond what a double holds. Some JSON libraries refuse it, which is no fault of the caller's.
fn after_large_seq() -> Case {
    let arguments = arguments(Tool::WaitTask, r#""after_seq":9007199254740993"#);
    let body = body(Tool::WaitTask, &arguments);
    Case::new(Group::Node, "waiting/large-seq", "wait_task after a sequence number beyond 2^53")
        .tool(Tool::WaitTask)
        .daemon_answers(Route::TasksWait, Task::new("COMPLETED").meta("anet.state_seq", "9007199254740995").json())
        .call(Tool::WaitTask, arguments)
        .check("waiting.large-seq", Expect::Succeeds { call: "call".to_owned() })
        .check("waiting.large-seq", Expect::AsksExactly { route: Route::TasksWait, body })
}

/// The daemon answers when something has changed, and not before.
fn change(tool: Tool) -> Case {
    let route = route_of(tool);
    let task = Task::new("INPUT_REQUIRED")
        .status_message(message("m2", "ROLE_AGENT", &["Which week do you mean?"]))
        .meta("anet.state_seq", "4")
        .json();
    let then = Box::new(Reply::Respond(Response::json(200, task.clone())));
    Case::new(
        Group::Node,
        &format!("waiting/change/{tool}"),
        format!("{tool}: the daemon answers once the task has changed"),
    )
    .tool(tool)
    .daemon(Rule {
        on: On::Route(route),
        times: Times::Always,
        reply: Reply::Hold { name: format!("change of {tool}"), then },
    })
    .step(Step::Request(Request::call("call", tool.name(), Some(tool.minimal_arguments()))))
    .step(Step::AwaitDaemon { route, count: 1 })
    .step(Step::Release(format!("change of {tool}")))
    .step(Step::Await("call".to_owned()))
    .check("waiting.change", Expect::AnsweredOnce { call: "call".to_owned() })
    .check("waiting.change", Expect::Succeeds { call: "call".to_owned() })
    .expect_request(route, body(tool, &tool.minimal_arguments()))
    .expect_answer("call", task)
}

/// A timeout above the maximum is refused or cut: the daemon never waits longer.
fn too_long(tool: Tool, point: &str, seconds: &str) -> Case {
    let route = route_of(tool);
    Case::new(
        Group::Node,
        &format!("waiting/too-long/{tool}/{point}"),
        format!("{tool} with timeout_seconds {seconds}"),
    )
    .tool(tool)
    .daemon_answers(route, Task::new("COMPLETED").json())
    .call(tool, arguments(tool, &format!(r#""timeout_seconds":{seconds}"#)))
    .check("waiting.cap", Expect::AnsweredOnce { call: "call".to_owned() })
    .check(
        "waiting.cap",
        timeouts(route, "the daemon is never asked to wait longer than 300 s", |timeout| {
            timeout.is_none_or(|literal| literal.parse::<f64>().is_ok_and(|timeout| timeout <= LONGEST))
        }),
    )
    .check(
        "waiting.cap-or-refusal",
        timeouts(route, "the daemon is asked to wait 300 s, or nothing", |timeout| {
            timeout.is_some_and(|literal| literal.parse::<f64>().is_ok_and(|timeout| (timeout - LONGEST).abs() < 0.5))
        }),
    )
}

/// The `timeout_ms` of every request to the route, as it is written, is as it must be.
fn timeouts(route: Route, what: &'static str, allowed: fn(Option<&str>) -> bool) -> Expect {
    Expect::holds(what, move |seen: &Observation| {
        for asked in seen.asked_of(route) {
            let body = Json::parse_bytes(&asked.body).unwrap_or(Json::Null);
            let timeout = body.member("timeout_ms").map(Json::to_string);
            if !allowed(timeout.as_deref()) {
                let message = format!("`timeout_ms` is {}", timeout.unwrap_or_else(|| "missing".to_owned()));
                return Finding::differs(message, what, body.to_string());
            }
        }
        Finding::Met
    })
}

/// The maximum itself is allowed.
fn longest(tool: Tool) -> Case {
    let arguments = arguments(tool, r#""timeout_seconds":300"#);
    let task = Task::new("COMPLETED").json();
    Case::new(Group::Node, &format!("waiting/longest/{tool}"), format!("{tool} with timeout_seconds 300"))
        .tool(tool)
        .daemon_answers(route_of(tool), task.clone())
        .call(tool, arguments.clone())
        .check("waiting.cap", Expect::Succeeds { call: "call".to_owned() })
        .expect_request(route_of(tool), body(tool, &arguments))
        .expect_answer("call", task)
}

/// After the wait of `send_message` the task is still going: normal, and no reason to ask further.
fn still_going() -> Case {
    let task = Task::new("WORKING").id(SAMPLE_TASK).json();
    let arguments = format!(r#"{{"to":"{SAMPLE_AID}","text":"A long piece of work.","timeout_seconds":1}}"#);
    Case::new(Group::Node, "waiting/still-going", "send_message: the task is still going after the wait")
        .tool(Tool::SendMessage)
        .daemon_answers(Route::TasksSend, task.clone())
        .call(Tool::SendMessage, arguments.clone())
        .check("waiting.timed-out", Expect::Succeeds { call: "call".to_owned() })
        .expect_request(Route::TasksSend, body(Tool::SendMessage, &arguments))
        .expect_answer("call", task)
}
