//! Where the control plane may be: on the loopback, and nowhere else.

use anet_mock_daemon::Route;

use crate::case::{Case, DaemonSetting, Group, Request, Setting, Step};
use crate::cases::document::Task;
use crate::cases::seen;
use crate::expect::{Expect, TextRule};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// Addresses that are not on the loopback. The first leads to the mock daemon all the same, so that a server that does not
/// look gives itself away.
const ELSEWHERE: &[(&str, &str)] = &[
    ("any-address", "0.0.0.0:{port}"),
    ("private-network", "10.0.0.1:{port}"),
    ("wildcard-name", "127.0.0.1.nip.io:{port}"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ELSEWHERE.iter().map(|(point, address)| elsewhere(point, address)).collect();
    cases.push(localhost());
    cases
}

fn two_calls(case: Case) -> Case {
    [("call", Tool::GetTask), ("second", Tool::SendMessage)].into_iter().fold(case, |case, (label, tool)| {
        case.step(Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments()))))
            .step(Step::Await(label.to_owned()))
    })
}

fn elsewhere(point: &str, address: &str) -> Case {
    let setting = Setting { daemon: DaemonSetting::Address(address.to_owned()), ..Setting::default() };
    let case = Case::new(Group::Reach, &format!("address/{point}"), format!("the control address is {address}"))
        .tool(Tool::GetTask)
        .setting(setting)
        .daemon_answers(Route::TasksGet, Task::new("COMPLETED").json());
    two_calls(case)
        .check("reach.loopback-only", untouched())
        .check("reach.unreachable-answered", seen::fails_or_ended(["call", "second"]))
        .check("reach.unreachable-sentence", seen::says("call", vec![TextRule::NotBlank, TextRule::English]))
        .check("reach.start-failure", Expect::holds("how it fails is recorded", how_it_fails))
        .check("reach.start-failure-told", told_if_ended())
}

/// Not even a look whether it is alive.
fn untouched() -> Expect {
    Expect::holds("the address is never contacted", |seen: &Observation| {
        if seen.asked.is_empty() {
            Finding::Met
        } else {
            Finding::differs(
                "a control address that is not on the loopback was contacted",
                "nothing",
                seen::requests(seen),
            )
        }
    })
}

fn localhost() -> Case {
    let task = Task::new("COMPLETED").json();
    let setting = Setting { daemon: DaemonSetting::Address("localhost:{port}".to_owned()), ..Setting::default() };
    Case::new(Group::Reach, "address/localhost", "the control address is localhost")
        .tool(Tool::GetTask)
        .setting(setting)
        .daemon_answers(Route::TasksGet, task.clone())
        .call(Tool::GetTask, Tool::GetTask.minimal_arguments())
        .check("reach.localhost", Expect::Succeeds { call: "call".to_owned() })
        .check("reach.localhost", Expect::AsksOnly { routes: vec![Route::TasksGet] })
        .expect_answer("call", task)
}

/// Records in which of the ways that are open to it a server without a control plane fails.
pub(super) fn how_it_fails(seen: &Observation) -> Finding {
    if let Some(exit) = seen.exit.filter(|_| seen::gave_up(seen)) {
        return match exit.code {
            Some(code) => Finding::Observed(format!("ends with status {code}")),
            None => Finding::broken("the candidate ended by a signal"),
        };
    }
    Finding::Observed(
        if seen::refused_open(seen).is_some() { "refuses the handshake" } else { "serves, and fails the calls" }
            .to_owned(),
    )
}

/// A server that ended said why on stderr, nothing on stdout, and did not end with 0.
pub(super) fn told_if_ended() -> Expect {
    Expect::holds(
        "a server that ends at the start says why on stderr, and ends with a status other than 0",
        |seen: &Observation| {
            let Some(exit) = seen.exit.filter(|_| seen::gave_up(seen)) else {
                return Finding::NotApplicable("it serves".to_owned());
            };
            if exit.code.is_none_or(|code| code == 0) {
                return Finding::differs(
                    "the candidate ended as if all were well",
                    "a status other than 0",
                    format!("{:?}", exit.code),
                );
            }
            if seen.stderr.trim_ascii().is_empty() {
                return Finding::broken("the candidate ended and said nothing on stderr");
            }
            match seen.lines.first() {
                None => Finding::Met,
                Some(line) => Finding::differs(
                    "the candidate wrote on stdout before it ended",
                    "nothing",
                    String::from_utf8_lossy(&line.bytes),
                ),
            }
        },
    )
}
