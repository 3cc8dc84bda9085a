//! Answers that the daemon cut: notices, marks and sizes pass unchanged.
//!
//! Responsible for: every form of a cut that the daemon makes (control-plane 4.3, 4.4): of a message, an artifact, a
//! status message, the history, the metadata, on a page, and with `anet.wait` added afterwards.

use super::case;
use crate::case::Case;
use crate::cases::document::{Task, page, quoted};
use crate::expect::{Expect, ValueRule};
use crate::page::{SAMPLE_TASK, Tool};

/// What the daemon writes in place of content, by which id it names.
fn notice(id: &str, bytes: usize) -> String {
    let text = format!(
        "({bytes} bytes, left out to keep this answer small; read the whole task in a terminal with `anet task get {id} --full`, its files with `anet pull {id}`)"
    );
    format!(r#"[{{"text":{},"metadata":{{"anet.truncated":true,"anet.size":{bytes}}}}}]"#, quoted(&text))
}

fn cut_message(id: &str, task: &str) -> String {
    let parts = notice(task, 1_048_576);
    format!(
        r#"{{"messageId":"{id}","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","metadata":{{"anet.size":1048576,"anet.state":"working","anet.truncated":true}},"parts":{parts},"role":"ROLE_AGENT","taskId":{}}}"#,
        quoted(SAMPLE_TASK),
    )
}

pub(super) fn cases() -> Vec<Case> {
    let marked = |state: &str| Task::new(state).meta("anet.truncated", "true");
    let artifact = format!(
        r#"{{"artifactId":"anet.reply","metadata":{{"anet.size":3145728,"anet.truncated":true}},"name":"anet.reply","parts":{}}}"#,
        notice(SAMPLE_TASK, 3_145_728),
    );
    let listed = r#"{"messageId":"m2","metadata":{"anet.truncated":true,"anet.size":20431},"parts":[{"text":"(20431 bytes, not in this list; use GetTask or get_task)","metadata":{"anet.truncated":true,"anet.size":20431}}],"role":"ROLE_AGENT"}"#;
    let message = cut_message("m2", SAMPLE_TASK);
    let hostile = cut_message("m2", "<task id>");
    let rows = [
        ("message", "a message", Tool::GetTask, marked("COMPLETED").history(vec![message.clone()]).json()),
        ("artifact", "an artifact", Tool::CancelTask, marked("COMPLETED").artifact(artifact).json()),
        (
            "status-message",
            "a status message",
            Tool::SendMessage,
            marked("INPUT_REQUIRED").status_message(message.clone()).json(),
        ),
        ("history", "older messages", Tool::ReplyTask, marked("WORKING").json()),
        (
            "metadata",
            "metadata",
            Tool::GetTask,
            Task::new("FAILED").bare().meta("anet.truncated", "true").meta("anet.effect_status", r#""FAILED""#).json(),
        ),
        (
            "wait",
            "a message, before time ran out",
            Tool::WaitTask,
            marked("WORKING").meta("anet.wait", r#""timed_out""#).history(vec![message]).json(),
        ),
        (
            "hostile-id",
            "a message of a task whose id is no plain one",
            Tool::WaitTask,
            marked("WORKING").id("x; rm -rf ~ #").history(vec![hostile]).json(),
        ),
        (
            "listed",
            "a message on a page",
            Tool::ListTasks,
            page(&[&marked("COMPLETED").history(vec![listed.to_owned()]).json()], ""),
        ),
    ];
    rows.into_iter()
        .map(|(name, what, tool, json)| {
            let pointer =
                if tool == Tool::ListTasks { "/tasks/0/metadata/anet.truncated" } else { "/metadata/anet.truncated" };
            case(&format!("daemon-cut/{name}"), tool, format!("{tool}: what the daemon cut passes as it is: {what}"))
                .passes("call", tool, &json)
                .check(
                    "truncation.daemon-cut-passes",
                    Expect::InText {
                        call: "call".to_owned(),
                        pointer: pointer.to_owned(),
                        rule: ValueRule::Is("true".to_owned()),
                    },
                )
        })
        .collect()
}
