//! Ids that a requester chose to do harm.
//!
//! Responsible for: tasks with such ids that are too large, so that a server that cuts writes a notice: the id must not
//! enter the command in it (control-plane 2.0, 4.1); and the same ids on tasks that fit, which pass as they are.

use super::case;
use super::cut::Sent;
use crate::case::Case;
use crate::cases::document::{SINGLE_TASK_TOOLS, Task, quoted, route_of};
use crate::page::Tool;

/// Name and id: none may stand in a command.
const HOSTILE: &[(&str, &str)] = &[
    ("commands", "x; rm -rf ~ #"),
    ("option", "--help"),
    ("short-option", "-x"),
    ("blank", "ix_1 ix_2"),
    ("quotes", "ix'\"1"),
    ("back-tick", "ix_`id`"),
    ("substitution", "$(reboot)"),
    ("line-end", "ix_1\nrm -rf ~"),
    ("pipe", "ix_1|sh"),
    ("path", "../../etc/passwd"),
    ("chinese", "任务一"),
    ("escape", "ix_\u{1b}[2J"),
];

/// Name and id: outside the rule of the contract by length or first character, though no shell minds them.
fn unusual() -> [(&'static str, String); 4] {
    [
        ("129-characters", "a".repeat(129)),
        ("underscore", "_ix_1".to_owned()),
        ("dot", ".ix_1".to_owned()),
        ("4-kilobytes", "ix".repeat(2048)),
    ]
}

/// Name and id: plain, at the edges of the rule.
fn plain() -> [(&'static str, String); 4] {
    [
        ("1-character", "7".to_owned()),
        ("128-characters", "a".repeat(128)),
        ("all-kinds", "Ix_0.9:a-Z".to_owned()),
        ("digits", "20261012".to_owned()),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let tools = || SINGLE_TASK_TOOLS.into_iter().cycle();
    let hostile = HOSTILE.iter().zip(tools()).map(|((name, id), tool)| {
        let (case, sent) = too_large(&format!("id-hostile/{name}"), tool, id);
        case.expect_id_kept_out(&sent, "truncation.plain-id", id)
    });
    let unusual = unusual().into_iter().zip(tools()).map(|((name, id), tool)| {
        let (case, sent) = too_large(&format!("id-unusual/{name}"), tool, &id);
        case.expect_id_kept_out(&sent, "truncation.plain-id-rule", &id)
    });
    let plain = plain().into_iter().zip(tools()).map(|((name, id), tool)| {
        let (case, sent) = too_large(&format!("id-plain/{name}"), tool, &id);
        case.expect_notice(&sent, Some(format!("anet task get {id} --full")))
    });
    let empty = std::iter::once(too_large("id-hostile/empty", Tool::GetTask, "").0);
    let whole = HOSTILE.iter().zip(tools().skip(1)).map(|((name, id), tool)| {
        let json = Task::new("SUBMITTED").provider().id(id).json();
        case(
            &format!("id-passes/{name}"),
            tool,
            format!("{tool}: a task that fits keeps its id, whatever it is: {}", quoted(id)),
        )
        .passes("call", tool, &json)
    });
    hostile.chain(unusual).chain(plain).chain(empty).chain(whole).collect()
}

/// A task with this id and a message of 30 KB.
fn too_large(topic: &str, tool: Tool, id: &str) -> (Case, Sent) {
    let text = "report ".repeat(4400);
    let task = Task::new("SUBMITTED")
        .provider()
        .id(id)
        .history(vec![format!(r#"{{"messageId":"m1","parts":[{{"text":{}}}],"role":"ROLE_USER"}}"#, quoted(&text))]);
    let sent = Sent::new(task.json());
    let shown = if id.len() > 40 { format!("one of {} characters", id.len()) } else { quoted(id) };
    let case = case(topic, tool, format!("{tool}: a task that is too large has a requester's id: {shown}"))
        .daemon_answers(route_of(tool), sent.text())
        .call_as("call", tool)
        .expect_bounded_task(&sent);
    (case, sent)
}
