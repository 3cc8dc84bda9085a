//! What the parameters of `send_message` ask of each other: a receiver, some content, `skill` for `args`.
//!
//! Responsible for: the page's rules for the tool. Every call that the daemon might take asks it to return at once, so that
//! nothing waits when a server lets it through.

use super::{call, call_accepted, fill};
use crate::case::Case;
use crate::page::Tool;

/// A rule of the page that arguments break, and what a refusal names.
struct Rule {
    point: &'static str,
    title: &'static str,
    arguments: &'static str,
}

const fn rule(point: &'static str, title: &'static str, arguments: &'static str) -> Rule {
    Rule { point, title, arguments }
}

/// How the two ways to name a receiver may be spelled in a sentence.
const RECEIVER: &[&str] = &["task_id", "`to`", "\"to\"", "'to'"];
const CONTENT: &[&str] = &["text", "files", "skill"];

const NO_RECEIVER: &[Rule] = &[
    rule("nothing", "no arguments at all", "{}"),
    rule("text-alone", "a text for nobody", r#"{"text":"x","return_immediately":true}"#),
    rule("skill-alone", "a capability of nobody", r#"{"skill":"text.digest","args":{},"return_immediately":true}"#),
    rule(
        "context-alone",
        "a conversation is no receiver",
        r#"{"context_id":"$CONTEXT","text":"x","return_immediately":true}"#,
    ),
    rule("to-null", "to is null", r#"{"to":null,"text":"x","return_immediately":true}"#),
    rule("to-empty", "to is empty", r#"{"to":"","text":"x","return_immediately":true}"#),
    rule("to-blank", "to is blank", r#"{"to":"   ","text":"x","return_immediately":true}"#),
    rule("both-empty", "to and task_id are empty", r#"{"to":"","task_id":"","text":"x","return_immediately":true}"#),
    rule(
        "file-alone",
        "a file for nobody",
        r#"{"files":[{"name":"n","content_base64":"bg=="}],"return_immediately":true}"#,
    ),
];

const NO_CONTENT: &[Rule] = &[
    rule("to-alone", "a receiver and nothing to say", r#"{"to":"$AID","return_immediately":true}"#),
    rule("task-id-alone", "a task and nothing to say", r#"{"task_id":"$TASK","return_immediately":true}"#),
    rule("text-null", "the text is null", r#"{"to":"$AID","text":null,"return_immediately":true}"#),
    rule("text-empty", "the text is empty", r#"{"to":"$AID","text":"","return_immediately":true}"#),
    rule("text-blank", "the text is blank", r#"{"to":"$AID","text":" \n\t ","return_immediately":true}"#),
    rule("files-empty", "an empty list of files", r#"{"to":"$AID","files":[],"return_immediately":true}"#),
    rule("skill-empty", "an empty skill", r#"{"to":"$AID","skill":"","return_immediately":true}"#),
    rule(
        "all-empty",
        "all three are empty",
        r#"{"task_id":"$TASK","text":"","files":[],"skill":"","return_immediately":true}"#,
    ),
];

const ARGS_ALONE: &[Rule] = &[
    rule("with-text", "args beside a text", r#"{"to":"$AID","text":"x","args":{"n":1},"return_immediately":true}"#),
    rule("alone", "args and nothing else", r#"{"to":"$AID","args":{"n":1},"return_immediately":true}"#),
    rule(
        "empty-object",
        "an empty object of args is one, too",
        r#"{"to":"$AID","text":"x","args":{},"return_immediately":true}"#,
    ),
    rule(
        "with-file",
        "args beside a file",
        r#"{"to":"$AID","files":[{"name":"n","content_base64":"bg=="}],"args":{"n":1},"return_immediately":true}"#,
    ),
    rule(
        "skill-empty",
        "args with an empty skill",
        r#"{"to":"$AID","text":"x","skill":"","args":{"n":1},"return_immediately":true}"#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of("no-receiver", NO_RECEIVER, "arguments.receiver", RECEIVER);
    cases.extend(of("no-content", NO_CONTENT, "arguments.content", CONTENT));
    cases.extend(args_alone());
    cases.push(blank_skill());
    cases
}

fn of(topic: &str, rules: &[Rule], requirement: &'static str, names: &[&str]) -> Vec<Case> {
    rules
        .iter()
        .map(|rule| {
            let point = format!("{topic}/{}", rule.point);
            call(Tool::SendMessage, &point, rule.title, fill(rule.arguments)).expect_wrong(requirement, names)
        })
        .collect()
}

/// The daemon would take these, so the server alone can see the mistake.
fn args_alone() -> Vec<Case> {
    ARGS_ALONE
        .iter()
        .map(|rule| {
            let point = format!("args-without-skill/{}", rule.point);
            let requirement = if matches!(rule.point, "with-text" | "alone" | "with-file") {
                "arguments.args-need-skill"
            } else {
                "arguments.args-need-skill-empty"
            };
            call_accepted(Tool::SendMessage, &point, rule.title, fill(rule.arguments))
                .expect_wrong(requirement, &["skill"])
        })
        .collect()
}

/// A skill of blanks names no capability; a server may leave that to the daemon.
fn blank_skill() -> Case {
    call_accepted(
        Tool::SendMessage,
        "skill/blank",
        "a skill of blanks names no capability",
        fill(r#"{"to":"$AID","skill":"   ","return_immediately":true}"#),
    )
    .expect_wrong("arguments.blank-skill", CONTENT)
}
