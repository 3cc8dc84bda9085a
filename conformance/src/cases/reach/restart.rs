//! A daemon that goes and comes: what the next call does, and what is never sent twice.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Step};
use crate::cases::document::{Task, route_of};
use crate::cases::seen;
use crate::expect::{Expect, TextRule};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// Calls that must not be made twice, and one that only reads.
const TOOLS: [Tool; 3] = [Tool::GetTask, Tool::SendMessage, Tool::SubmitPayment];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in TOOLS {
        cases.push(stopped(tool));
        cases.push(elsewhere(tool));
        cases.push(unauthorized(tool));
    }
    cases.push(unauthorized_once());
    cases
}

fn document(tool: Tool) -> String {
    if tool == Tool::SubmitPayment { r#"{"state":"working"}"#.to_owned() } else { Task::new("WORKING").json() }
}

fn called(case: Case, label: &str, tool: Tool) -> Case {
    case.step(Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments()))))
        .step(Step::Await(label.to_owned()))
}

/// A case in which the daemon serves a first call.
fn begun(topic: &str, title: String, tool: Tool) -> Case {
    let case = Case::new(Group::Reach, topic, title).tool(tool).daemon_answers(route_of(tool), document(tool));
    called(case, "before", tool)
}

/// The daemon stops, and later serves again at the same address.
fn stopped(tool: Tool) -> Case {
    let route = route_of(tool);
    let case =
        begun(&format!("down/{tool}"), format!("{tool}: the daemon stops and comes back"), tool).step(Step::StopDaemon);
    let case = called(case, "while-down", tool).step(Step::ResumeDaemon);
    called(case, "after", tool)
        .check("reach.unreachable-answered", Expect::AnsweredOnce { call: "while-down".to_owned() })
        .check("reach.unreachable-answered", Expect::Fails { call: "while-down".to_owned() })
        .check("faults.tool-error", Expect::FailsAsTool { call: "while-down".to_owned() })
        .check(
            "reach.unreachable-sentence",
            Expect::Text {
                call: "while-down".to_owned(),
                rules: vec![TextRule::NotBlank, TextRule::English, TextRule::OneParagraph],
            },
        )
        .check(
            "reach.unreachable-hint",
            Expect::Text {
                call: "while-down".to_owned(),
                rules: vec![TextRule::any(["anet up", "anet daemon"]), TextRule::any(["127.0.0.1:"])],
            },
        )
        .check("reach.comes-back", Expect::AnsweredOnce { call: "after".to_owned() })
        .check("reach.comes-back", Expect::Succeeds { call: "after".to_owned() })
        .check("reach.not-sent-twice", seen::taken_at_most(route, 2))
}

/// The daemon comes back on another port with another token.
fn elsewhere(tool: Tool) -> Case {
    let route = route_of(tool);
    let case = begun(&format!("elsewhere/{tool}"), format!("{tool}: the daemon comes back elsewhere"), tool)
        .step(Step::RestartDaemon);
    called(case, "after", tool)
        .check("faults.answered-once", Expect::AnsweredOnce { call: "after".to_owned() })
        .check("reach.comes-back-elsewhere", Expect::Succeeds { call: "after".to_owned() })
        .check("reach.not-sent-twice", seen::taken_at_most(route, 2))
}

/// The daemon refuses the token, again and again.
fn unauthorized(tool: Tool) -> Case {
    let route = route_of(tool);
    let reply = Reply::Respond(Response::text(401, "unauthorized\n"));
    let case =
        Case::new(Group::Reach, &format!("unauthorized/{tool}"), format!("{tool}: the daemon refuses the token"))
            .tool(tool)
            .daemon(Rule { on: On::Route(route), times: Times::Always, reply });
    called(case, "call", tool)
        .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("errors.is-error", Expect::Fails { call: "call".to_owned() })
        .check("reach.refused-token", Expect::AsksAtMost { route, times: 2 })
        .check("reach.refused-token-retry", retried(route, 1))
        .check("reach.token-kept", Expect::SecretsKept)
}

/// The daemon refuses the token once; a second request would be served.
fn unauthorized_once() -> Case {
    let route = Route::TasksSend;
    let reply = Reply::Respond(Response::text(401, "unauthorized\n"));
    let case = Case::new(Group::Reach, "unauthorized/once", "send_message: the daemon refuses the token once")
        .tool(Tool::SendMessage)
        .daemon_answers(route, document(Tool::SendMessage))
        .daemon(Rule { on: On::Route(route), times: Times::Once, reply });
    let case = called(case, "call", Tool::SendMessage);
    called(case, "after", Tool::SendMessage)
        .check("faults.answered-once", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("reach.refused-token", Expect::AsksAtMost { route, times: 3 })
        .check("reach.refused-token-retry", retried(route, 2))
        .check("faults.next-call", Expect::Succeeds { call: "after".to_owned() })
}

/// Records whether so many calls became more requests than that.
fn retried(route: Route, calls: usize) -> Expect {
    Expect::holds("whether the call is sent again is recorded", move |seen: &Observation| {
        let again = seen.asked_of(route).count() > calls;
        Finding::Observed(if again { "sent again" } else { "not sent again" }.to_owned())
    })
}
