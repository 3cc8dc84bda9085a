//! The way to the daemon: no proxy, no redirect.

use anet_mock_daemon::{Fault, On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Setting, Step};
use crate::cases::document::{Task, route_of};
use crate::cases::seen;
use crate::expect::{Expect, TextRule};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// Nothing listens there: the discard port, which no daemon picks.
const NOBODY: &str = "http://127.0.0.1:9";

/// Sets of proxy variables, each of which some HTTP library obeys.
const PROXIES: &[(&str, &[&str])] =
    &[("upper-case", &["HTTP_PROXY", "ALL_PROXY"]), ("lower-case", &["http_proxy", "all_proxy"])];

/// Where a redirect points to: name, `Location`.
const TARGETS: &[(&str, &str)] = &[
    ("other-path", "/shutdown"),
    ("other-route", "/balance"),
    ("same-route", "SELF"),
    ("other-host", "http://127.0.0.1:9/tasks/get"),
    ("no-network", "file:///etc/passwd"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = PROXIES.iter().map(|(point, names)| proxied(point, names)).collect();
    for status in [301, 302, 303, 307, 308] {
        for (point, location) in TARGETS {
            cases.push(redirected(Tool::GetTask, status, point, location));
        }
    }
    for tool in [Tool::SendMessage, Tool::SubmitPayment, Tool::ReplyTask, Tool::Balance] {
        cases.push(redirected(tool, 307, "same-route", "SELF"));
        cases.push(redirected(tool, 308, "other-path", "/redeem"));
    }
    cases
}

/// Proxy settings of the environment are for the world, not for the loopback.
fn proxied(point: &str, names: &[&str]) -> Case {
    let env = names.iter().map(|name| ((*name).to_owned(), NOBODY.to_owned())).collect();
    let task = Task::new("COMPLETED").json();
    Case::new(Group::Reach, &format!("proxy/{point}"), format!("{} set", names.join(" and ")))
        .tool(Tool::GetTask)
        .setting(Setting { env, ..Setting::default() })
        .daemon_answers(Route::TasksGet, task.clone())
        .call(Tool::GetTask, Tool::GetTask.minimal_arguments())
        .check("reach.no-proxy", Expect::Succeeds { call: "call".to_owned() })
        .check("reach.no-proxy", Expect::AsksOnly { routes: vec![Route::TasksGet] })
        .expect_answer("call", task)
}

/// The daemon sends the caller elsewhere, and a second request would be served.
fn redirected(tool: Tool, status: u16, point: &str, location: &str) -> Case {
    let route = route_of(tool);
    let location = if location == "SELF" { route.path() } else { location }.to_owned();
    let next = if tool == Tool::Balance { "{}".to_owned() } else { Task::new("COMPLETED").json() };
    let followed = Response::json(200, next.clone());
    Case::new(
        Group::Reach,
        &format!("redirect/{tool}/{status}-{point}"),
        format!("{tool}: the answer is a redirect, {status}"),
    )
    .tool(tool)
    .daemon(Rule { on: On::Any, times: Times::Always, reply: Reply::Respond(followed) })
    .daemon(Rule {
        on: On::Route(route),
        times: Times::Once,
        reply: Reply::Fault(Fault::Redirect { status, location }),
    })
    .call(tool, tool.minimal_arguments())
    .step(Step::Request(Request::call("next", tool.name(), Some(tool.minimal_arguments()))))
    .step(Step::Await("next".to_owned()))
    .check("reach.no-redirect", not_followed(tool))
    // Once for each of the two calls: a redirect to the route itself that is followed makes three.
    .check("reach.no-redirect", Expect::AsksAtMost { route, times: 2 })
    .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
    .check(
        "faults.sentence",
        Expect::Text { call: "call".to_owned(), rules: vec![TextRule::NotBlank, TextRule::English] },
    )
    .check("faults.next-call", Expect::Succeeds { call: "next".to_owned() })
}

/// Only the route of the tool was asked, and the call failed: nothing that a redirect leads to is an answer. `get_balance`
/// may live on with its other route.
fn not_followed(tool: Tool) -> Expect {
    let own = [Some(route_of(tool)), (tool == Tool::Balance).then_some(Route::PaymentsStatus)];
    Expect::holds("the redirect is not followed, and the call fails", move |seen: &Observation| {
        let probe = |route| route == Some(Route::Status);
        if let Some(asked) = seen.asked.iter().find(|asked| !own.contains(&asked.route) && !probe(asked.route)) {
            let message = format!("the redirect was followed to {}", asked.target);
            return Finding::differs(message, "the request that was redirected, and no other", seen::requests(seen));
        }
        if tool == Tool::Balance || seen::failed(seen, "call") {
            Finding::Met
        } else {
            Finding::differs("a redirect passes for an answer", "an error", seen::shown(seen, "call"))
        }
    })
}
