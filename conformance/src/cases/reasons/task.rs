//! Codes on tasks: the names of A2A errors, refusals by the provider, and what became of a call.

use super::{case, table};
use crate::case::Case;
use crate::cases::document::{TASK_TOOLS, Task, marked_message, quoted, task_answer, task_pointer};
use crate::page::Tool;

pub(super) fn cases() -> Vec<Case> {
    a2a_errors().chain(policy()).chain(policy_messages()).chain(execution()).chain(possibly_delivered()).collect()
}

/// The tools that return tasks, in turn.
fn in_turn() -> impl Iterator<Item = Tool> {
    TASK_TOOLS.into_iter().cycle()
}

/// A case in which the task carries the code as this metadata key.
pub(super) fn on_task(section: &str, code: &str, tool: Tool, key: &str, task: &Task) -> Case {
    case(section, code, "task", tool, "on a task is passed on, and the answer is no error").carries(
        &task_answer(tool, &task.json()),
        &format!("{}/metadata/{key}", task_pointer(tool)),
        &quoted(code),
    )
}

/// 5.1, where a provider reported the name.
fn a2a_errors() -> impl Iterator<Item = Case> {
    table::A2A_ERRORS.iter().zip(in_turn()).map(|((code, ..), tool)| {
        let task = Task::new("FAILED").meta("anet.a2aError", &quoted(code)).meta("anet.reason", r#""undeliverable""#);
        on_task("a2a", code, tool, "anet.a2aError", &task)
    })
}

/// 5.2, in the task's metadata.
fn policy() -> impl Iterator<Item = Case> {
    table::POLICY.iter().zip(in_turn()).map(|(code, tool)| {
        let mut task = Task::new("REJECTED").meta("anet.reason", &quoted(code));
        if code.starts_with("quota") {
            task = task.meta("anet.retry_after_ms", "60000");
        }
        on_task("policy", code, tool, "anet.reason", &task)
    })
}

/// 5.2, in the metadata of the provider's notice.
fn policy_messages() -> impl Iterator<Item = Case> {
    table::POLICY.iter().zip(in_turn().skip(1)).map(|(code, tool)| {
        let notice =
            marked_message("s1", &format!(r#"{{"anet.reason":"{code}"}}"#), "This node takes no such task from you.");
        let task = Task::new("REJECTED").status_message(notice);
        case("policy", code, "message", tool, "on a message is passed on, and the answer is no error").carries(
            &task_answer(tool, &task.json()),
            &format!("{}/status/message/metadata/anet.reason", task_pointer(tool)),
            &quoted(code),
        )
    })
}

/// 5.3.
fn execution() -> impl Iterator<Item = Case> {
    table::EXECUTION.iter().zip(in_turn()).map(|((code, state, effect, capability), tool)| {
        let mut task = Task::new(state).meta("anet.reason", &quoted(code)).meta("anet.effect_status", &quoted(effect));
        if *capability {
            task = task.meta("anet.skill", r#""lab.notes.append""#);
        }
        on_task("execution", code, tool, "anet.reason", &task)
    })
}

/// 5.3: `undeliverable` when the message may have been delivered; `no_response` of a text task, which has no effect.
fn possibly_delivered() -> impl Iterator<Item = Case> {
    let with = |code: &str, tool, task: &Task| on_task("execution-variant", code, tool, "anet.reason", task);
    let failed = |code| Task::new("FAILED").meta("anet.reason", &quoted(code));
    [
        with("undeliverable", Tool::WaitTask, &failed("undeliverable").meta("anet.effect_status", r#""UNVERIFIED""#)),
        with("no_response", Tool::ListTasks, &failed("no_response")),
    ]
    .into_iter()
}
