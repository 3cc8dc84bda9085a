//! Tasks: `send_message`, `get_task`, `list_tasks`, `wait_task`, `cancel_task` and `reply_task`. Sections 2.4 to 2.9
//! of the control plane, R6, R9 and R16.

use serde_json::value::RawValue;

use super::{Answer, Hints, LISTED_TASK_BYTES, Plan, Spec, TASK_BYTES};
use crate::arguments::{ArgumentError, Arguments, Digits};
use crate::control::Route;
use crate::json::{Object, quoted};
use crate::schema::{Kind, Param};
use crate::texts;

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "send_message",
        title: "Send a message or start a task",
        description: texts::SEND_MESSAGE,
        hints: Hints::Sends,
        params: SEND,
        rules: Some(send_rules),
        plan: send_message,
    },
    Spec {
        name: "get_task",
        title: "Read a task",
        description: texts::GET_TASK,
        hints: Hints::ReadsHere,
        params: GET,
        rules: None,
        plan: get_task,
    },
    Spec {
        name: "list_tasks",
        title: "List tasks",
        description: texts::LIST_TASKS,
        hints: Hints::ReadsHere,
        params: LIST,
        rules: None,
        plan: list_tasks,
    },
    Spec {
        name: "wait_task",
        title: "Wait for a task",
        description: texts::WAIT_TASK,
        hints: Hints::ReadsHere,
        params: WAIT,
        rules: None,
        plan: wait_task,
    },
    Spec {
        name: "cancel_task",
        title: "Cancel a task",
        description: texts::CANCEL_TASK,
        hints: Hints::Cancels,
        params: CANCEL,
        rules: None,
        plan: cancel_task,
    },
    Spec {
        name: "reply_task",
        title: "Answer a task",
        description: texts::REPLY_TASK,
        hints: Hints::Sends,
        params: REPLY,
        rules: None,
        plan: reply_task,
    },
];

const TIMEOUT: Kind = Kind::Integer { least: 1, most: Some(300), default: Some(DEFAULT_TIMEOUT_SECONDS) };
const DEFAULT_TIMEOUT_SECONDS: u64 = 30;
const COUNT: Kind = Kind::Integer { least: 0, most: None, default: None };

const SEND: &[Param] = &[
    Param::optional("to", Kind::Text, "AID of the receiving agent. Starts a new task. Needed unless task_id is given."),
    Param::optional(
        "task_id",
        Kind::Text,
        "Task to continue, to answer the other side's question or to add to the task. Needed unless to is given.",
    ),
    Param::optional("context_id", Kind::Text, "Conversation that the new task belongs to."),
    Param::optional("text", Kind::Text, "The request in words."),
    Param::optional("skill", Kind::Text, "Capability of the agent's card to call, instead of words."),
    Param::optional("args", Kind::Object, "Arguments of that capability. Needs skill."),
    Param::optional(
        "files",
        Kind::Files,
        "Files to send, each with its content in base64. This server reads no local paths.",
    ),
    Param::optional("return_immediately", Kind::Flag, "Return as soon as the task is created, without waiting."),
    Param::optional(
        "timeout_seconds",
        TIMEOUT,
        "How long to wait until the task is finished or needs this node, in seconds, 1 to 300. Default 30.",
    ),
    Param::optional("history_length", COUNT, "At most this many of the latest messages; 0 for none."),
];

const GET: &[Param] = &[
    Param::required("task_id", Kind::Text, "The task."),
    Param::optional("history_length", COUNT, "At most this many of the latest messages; 0 for none."),
];

const LIST: &[Param] = &[
    Param::optional(
        "role",
        Kind::Choice { of: &["requester", "provider"], default: None },
        "requester: tasks that this node sent. provider: tasks that were sent to this node. Both when left out.",
    ),
    Param::optional("context_id", Kind::Text, "Only tasks of this conversation."),
    Param::optional(
        "state",
        Kind::Choice {
            of: &["submitted", "working", "input-required", "completed", "failed", "canceled", "rejected"],
            default: None,
        },
        "Only tasks in this state.",
    ),
    Param::optional("peer", Kind::Text, "Only tasks with the agent of this AID."),
    Param::optional(
        "page_size",
        Kind::Integer { least: 1, most: Some(100), default: Some(50) },
        "Number of tasks a page, 1 to 100. Default 50.",
    ),
    Param::optional("page_token", Kind::Text, "nextPageToken of the page before."),
    Param::optional(
        "history_length",
        Kind::Integer { least: 0, most: None, default: Some(1) },
        "Latest messages of each task. Default 1; 0 for none.",
    ),
    Param::optional("include_artifacts", Kind::Flag, "Include results, receipts and files."),
];

const WAIT: &[Param] = &[
    Param::required("task_id", Kind::Text, "The task."),
    Param::optional("timeout_seconds", TIMEOUT, "How long to wait, in seconds, 1 to 300. Default 30."),
    Param::optional("after_seq", COUNT, "anet.state_seq of the task as last seen: waits for a change after it."),
    Param::optional("history_length", COUNT, "At most this many of the latest messages; 0 for none."),
];

const CANCEL: &[Param] = &[Param::required("task_id", Kind::Text, "The task, one that this node sent.")];

const REPLY: &[Param] = &[
    Param::required("task_id", Kind::Text, "The task, from list_tasks with role provider."),
    Param::optional("text", Kind::Text, "The answer; the reason when the task fails or is rejected."),
    Param::optional(
        "files",
        Kind::Files,
        "Files to send, each with its content in base64. This server reads no local paths.",
    ),
    Param::optional(
        "state",
        Kind::Choice {
            of: &["input-required", "working", "completed", "failed", "rejected", "canceled"],
            default: Some("input-required"),
        },
        "input-required asks the requester (default); working reports progress; completed finishes the task and signs \
         a receipt; failed, rejected and canceled end it.",
    ),
];

/// Who it goes to, what it says, and that arguments belong to a capability.
fn send_rules(arguments: &Arguments<'_>) -> Result<(), ArgumentError> {
    if arguments.text_not_blank("to").is_none() && arguments.text_not_blank("task_id").is_none() {
        return Err(ArgumentError::missing(
            "send_message",
            "to",
            "the AID of the agent to start a task with, unless task_id names a task to continue",
        ));
    }
    let skill = arguments.text_not_blank("skill");
    if arguments.object("args").is_some() && skill.is_none() {
        return Err(ArgumentError::new(
            "send_message: args needs skill, the capability of the agent's card that takes them.",
        ));
    }
    if arguments.text_not_blank("text").is_none() && arguments.files().is_empty() && skill.is_none() {
        return Err(ArgumentError::new(
            "send_message: the message is empty; give text, files or skill, at least one of them.",
        ));
    }
    Ok(())
}

fn send_message(arguments: &Arguments<'_>) -> Plan {
    // A blank `to` is a missing one; so is a blank `task_id` or `skill`.
    let (to, task_id) = (arguments.text_not_blank("to"), arguments.text_not_blank("task_id"));
    let skill = arguments.text_not_blank("skill");
    let args = arguments.object("args").map(RawValue::get);
    let files = arguments.files();
    let mut body = Object::new();
    body.text_if("to", to);
    if files.is_empty() {
        body.text_if("task_id", task_id)
            .text_if("context_id", arguments.text("context_id"))
            .text_if("text", arguments.text("text"))
            .text_if("skill", skill)
            .raw_if("args", args);
    } else {
        let mut parts = Vec::new();
        if let Some(text) = arguments.text("text") {
            parts.push(Object::new().text("text", text).finish());
        }
        if let Some(skill) = skill {
            let data = Object::new().text("skill", skill).raw_if("args", args).finish();
            parts.push(Object::new().raw("data", &data).text("mediaType", "application/json").finish());
        }
        let mut message = Object::new();
        // The member is always there for the daemon; empty means that it makes an id of its own.
        message.text("messageId", "").text_if("contextId", arguments.text("context_id")).text_if("taskId", task_id);
        finish_message(&mut message, "ROLE_USER", parts, arguments);
        body.raw("message", &message.finish());
    }
    waiting(&mut body, arguments, arguments.flag("return_immediately"));
    task(Route::TasksSend, body)
}

fn get_task(arguments: &Arguments<'_>) -> Plan {
    let mut body = task_body(arguments);
    history(&mut body, arguments);
    task(Route::TasksGet, body)
}

fn list_tasks(arguments: &Arguments<'_>) -> Plan {
    let mut body = Object::new();
    // The control plane says it from the direction of the message.
    let role = arguments.text("role").map(|role| if role == "provider" { "inbound" } else { "outbound" });
    body.text_if("role", role)
        .text_if("context_id", arguments.text("context_id"))
        .text_if("state", arguments.text("state"))
        .text_if("peer", arguments.text("peer"));
    if let Some(size) = arguments.integer("page_size") {
        body.raw("page_size", &size.value().to_string());
    }
    body.text_if("page_token", arguments.text("page_token"));
    let history = arguments.integer("history_length").map_or(1, Digits::value);
    body.raw("history_length", &history.to_string());
    if arguments.flag("include_artifacts") {
        body.raw("include_artifacts", "true");
    }
    body.raw("max_task_bytes", &LISTED_TASK_BYTES.to_string());
    Plan::Forward { route: Route::TasksList, body: body.finish(), answer: Answer::TaskPage }
}

fn wait_task(arguments: &Arguments<'_>) -> Plan {
    let mut body = task_body(arguments);
    // 0 and absent mean the same to the daemon.
    if let Some(after) = arguments.integer("after_seq").filter(|after| after.value() > 0) {
        body.raw("after_seq", &after.value().to_string());
    }
    waiting(&mut body, arguments, false);
    task(Route::TasksWait, body)
}

fn cancel_task(arguments: &Arguments<'_>) -> Plan {
    task(Route::TasksCancel, task_body(arguments))
}

fn reply_task(arguments: &Arguments<'_>) -> Plan {
    let mut body = task_body(arguments);
    body.text_if("state", arguments.text("state"));
    if arguments.files().is_empty() {
        body.text_if("text", arguments.text("text"));
    } else {
        let parts = arguments.text("text").map(|text| Object::new().text("text", text).finish());
        let mut message = Object::new();
        message.text("messageId", "");
        finish_message(&mut message, "ROLE_AGENT", parts.into_iter().collect(), arguments);
        body.raw("message", &message.finish());
    }
    task(Route::TasksReply, body)
}

fn task_body(arguments: &Arguments<'_>) -> Object {
    let mut body = Object::new();
    body.text_if("task_id", arguments.text("task_id"));
    body
}

fn history(body: &mut Object, arguments: &Arguments<'_>) {
    if let Some(length) = arguments.integer("history_length") {
        body.raw("history_length", &length.value().to_string());
    }
}

fn waiting(body: &mut Object, arguments: &Arguments<'_>, return_immediately: bool) {
    if return_immediately {
        body.raw("return_immediately", "true");
    } else {
        let seconds = arguments.integer("timeout_seconds").map_or(DEFAULT_TIMEOUT_SECONDS, Digits::value);
        body.raw("timeout_ms", &(seconds * 1000).to_string());
    }
    history(body, arguments);
}

/// Role and parts of an A2A message that carries files.
fn finish_message(message: &mut Object, role: &str, mut parts: Vec<String>, arguments: &Arguments<'_>) {
    for file in arguments.files() {
        let mut part = Object::new();
        part.text("raw", &file.content).text("filename", &file.name);
        part.text_if("mediaType", file.media_type.as_deref());
        parts.push(part.finish());
    }
    message.raw("role", &quoted(role)).raw("parts", &format!("[{}]", parts.join(",")));
}

fn task(route: Route, mut body: Object) -> Plan {
    body.raw("max_task_bytes", &TASK_BYTES.to_string());
    Plan::Forward { route, body: body.finish(), answer: Answer::Task }
}
