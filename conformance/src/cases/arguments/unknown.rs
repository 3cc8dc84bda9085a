//! Arguments that the page does not list: refused by name, and in no case passed on.
//!
//! Responsible for: members that would change what the daemon does or is allowed to do, in each tool where they would;
//! and harmless ones. `wait_task` with `history_length` is recorded alone: 0.2.1 takes it, the page does not list it.

use anet_mock_daemon::Route;

use super::{call_accepted, fill, if_asked, list, object, with};
use crate::case::Case;
use crate::cases::request;
use crate::expect::Expect;
use crate::page::Tool;
use crate::verdict::Finding;

/// A word that stands in the strange members alone.
const CANARY: &str = "smuggled-7f3a";

/// What a strange member would do if it got through.
#[derive(Clone, Copy, PartialEq)]
enum Harm {
    /// It repeats an old call, pays, widens a policy or a bound of the page, or decides otherwise.
    Policy,
    /// Nothing that anyone states.
    None,
}

use Harm::{None, Policy};

/// The names that the page rules out everywhere.
const RULED_OUT: [(&str, &str); 4] = [
    ("message_id", r#""smuggled-7f3a""#),
    ("pay", "true"),
    ("purpose", r#""smuggled-7f3a""#),
    ("payload", r#"{"signature":"smuggled-7f3a"}"#),
];

/// Further members, by tool: name, value, what it would do.
const OTHERS: &[(Tool, &str, &str, Harm)] = &[
    (Tool::SendMessage, "metadata", r#"{"x402.payment.status":"payment-submitted","k":"smuggled-7f3a"}"#, Policy),
    (
        Tool::SendMessage,
        "message",
        r#"{"role":"ROLE_USER","messageId":"smuggled-7f3a","parts":[{"text":"other"}]}"#,
        Policy,
    ),
    (Tool::SendMessage, "configuration", r#"{"returnImmediately":true,"historyLength":99}"#, None),
    (Tool::SendMessage, "max_task_bytes", "100000000", Policy),
    (Tool::SendMessage, "timeout_ms", "3600000", Policy),
    (Tool::SendMessage, "amount", r#""smuggled-7f3a""#, None),
    (Tool::ReplyTask, "metadata", r#"{"anet.final":true,"k":"smuggled-7f3a"}"#, Policy),
    (
        Tool::ReplyTask,
        "message",
        r#"{"role":"ROLE_AGENT","messageId":"smuggled-7f3a","parts":[{"text":"other"}]}"#,
        Policy,
    ),
    (Tool::ReplyTask, "max_task_bytes", "100000000", Policy),
    (Tool::SubmitPayment, "decision", r#""reject""#, Policy),
    (Tool::SubmitPayment, "amount", r#""smuggled-7f3a""#, None),
    (Tool::SubmitPayment, "max_amount", r#""smuggled-7f3a""#, None),
    (Tool::RejectPayment, "decision", r#""submit""#, Policy),
    (Tool::RejectPayment, "accept", r#"{"amount":"5","k":"smuggled-7f3a"}"#, Policy),
    (Tool::GetTask, "max_task_bytes", "0", Policy),
    (Tool::GetTask, "role", r#""smuggled-7f3a""#, None),
    (Tool::GetTask, "full", "true", None),
    (Tool::ListTasks, "max_task_bytes", "0", Policy),
    (Tool::ListTasks, "status", r#""failed""#, None),
    (Tool::ListTasks, "status_timestamp_after", r#""2026-10-12T00:00:00Z""#, None),
    (Tool::ListTasks, "limit", "3", None),
    (Tool::WaitTask, "timeout_ms", "3600000", Policy),
    (Tool::WaitTask, "max_task_bytes", "0", Policy),
    (Tool::WaitTask, "preview", "true", None),
    (Tool::CancelTask, "reason", r#""smuggled-7f3a""#, None),
    (Tool::ListAgents, "q", r#""smuggled-7f3a""#, None),
    (Tool::ListAgents, "Limit", "3", None),
    (Tool::AgentCard, "fetch_prices", "true", None),
    (Tool::Audit, "path", r#""/shutdown""#, None),
    (Tool::Balance, "agent_max", "1000000", Policy),
    (Tool::Balance, "set", r#"{"payments.agent_max":1000000}"#, Policy),
    (Tool::NodeStatus, "inbound_policy", r#""open""#, Policy),
    (Tool::InboundPending, "approve", r#"["ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"]"#, Policy),
    (Tool::InboundPending, "include_content", "true", None),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in Tool::ALL {
        cases.push(strange(tool, "task_progress", r#""smuggled-7f3a""#, None));
        if matches!(tool, Tool::SendMessage | Tool::ReplyTask | Tool::SubmitPayment | Tool::RejectPayment) {
            cases.extend(RULED_OUT.map(|(name, value)| strange(tool, name, value, Policy)));
        } else {
            cases.push(all_ruled_out(tool));
        }
    }
    cases.extend(OTHERS.iter().map(|(tool, name, value, harm)| strange(*tool, name, value, *harm)));
    cases.push(unlisted_history_length());
    cases
}

/// A valid call with one member more.
fn strange(tool: Tool, name: &str, value: &str, harm: Harm) -> Case {
    let arguments = with(&tool.minimal_arguments(), name, value).to_string();
    let point = format!("unknown/{}", name.to_lowercase().replace('_', "-"));
    let case = call_accepted(tool, &point, &format!("`{name}` is not a parameter"), arguments).answer_limits();
    let case = kept_out(case, tool, &[name], harm);
    case.expect_wrong("arguments.unknown-refused", &[name])
}

/// A valid call with all the names that the page rules out.
fn all_ruled_out(tool: Tool) -> Case {
    let mut arguments = object(&tool.minimal_arguments());
    for (name, value) in RULED_OUT {
        arguments = with(&arguments.to_string(), name, value);
    }
    let names = RULED_OUT.map(|(name, _)| name);
    let case = call_accepted(tool, "unknown/ruled-out", "names that the page rules out", arguments.to_string())
        .answer_limits();
    kept_out(case, tool, &names, Policy).expect_wrong("arguments.unknown-refused", &names)
}

/// What the daemon is asked is what it would be asked without the strange members, and none of them gets there.
fn kept_out(case: Case, tool: Tool, names: &[&str], harm: Harm) -> Case {
    let route = request::route(tool);
    let body = request::body(tool, &object(&tool.minimal_arguments())).to_string();
    let level = if harm == Policy { "arguments.policy-kept-out" } else { "arguments.unknown-kept-out" };
    let case = if tool == Tool::Balance {
        case.check("balance.empty-body", if_asked(Expect::EmptyBody { route: Route::PaymentsStatus }))
    } else {
        let meaning = if harm == Policy { "wire.request-meaning" } else { level };
        case.check(meaning, if_asked(Expect::Asks { route, body }))
    };
    // Where the tool itself sends a member of that name, the meaning above says whether it is the right one.
    let sent_anyway = |name: &&str| matches!(*name, "decision" | "max_task_bytes" | "timeout_ms" | "message");
    let strange: Vec<_> = names.iter().copied().filter(|name| !sent_anyway(name)).collect();
    let case = case.check(level, Expect::NeverMentions { text: CANARY.to_owned() });
    if strange.is_empty() { case } else { case.check(level, Expect::NeverSends { members: list(&strange) }) }
}

/// 0.2.1 takes it, the page does not list it.
fn unlisted_history_length() -> Case {
    call_accepted(
        Tool::WaitTask,
        "unknown/history-length",
        "`history_length`, which only 0.2.1 lists",
        fill(r#"{"task_id":"$TASK","history_length":3}"#),
    )
    .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
    .check(
        "arguments.wait-history",
        Expect::holds("whether it is taken is recorded", |seen| {
            let mut asked =
                seen.asked_of(Route::TasksWait).map(|asked| String::from_utf8_lossy(&asked.body).into_owned());
            Finding::Observed(match asked.next() {
                Option::None => "refused".to_owned(),
                Some(body) if body.contains("history_length") => "passed on".to_owned(),
                Some(_) => "dropped".to_owned(),
            })
        }),
    )
    .expect_decent_refusal(&["history_length"])
}

impl Case {
    /// `/payments/status` answers as well, for `get_balance`.
    fn answer_limits(mut self) -> Self {
        if self.tool == Some(Tool::Balance) {
            let rule =
                crate::cases::build::answers(Route::PaymentsStatus, 200, r#"{"agent_max":5,"summary":"5 at most."}"#);
            self.steps.insert(0, crate::case::Step::Script(rule));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::OTHERS;

    #[test]
    fn no_strange_member_is_a_parameter() {
        for (tool, name, _, _) in OTHERS {
            assert!(tool.parameter(name).is_none(), "{tool}: {name}");
        }
    }
}
