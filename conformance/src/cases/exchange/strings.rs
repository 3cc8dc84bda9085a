//! Strings that must reach the daemon character for character, whatever they contain (control-plane 1.4, 2.0; mcp.md E).
//!
//! Responsible for: hostile texts in every parameter that takes free text. A task id on the provider's side is the
//! requester's choice, so it may be any string.

use super::{Demand, exchange, fill, send};
use crate::case::{Case, Group};
use crate::expect::Expect;
use crate::json::Json;
use crate::page::Tool;

/// Texts, each with what usually goes wrong with it.
const TEXTS: &[(&str, &str, &str)] = &[
    ("cjk", "Chinese, Japanese and Korean", "请总结。ありがとう。감사합니다。"),
    ("emoji", "characters beyond the basic plane, joined", "👩‍🔬 🏳️‍🌈 🧑🏽‍🚀 \u{10FFFF}"),
    ("combining", "combining marks that no one may normalise", "e\u{301} é \u{1E9B}\u{323} A\u{30A} Å"),
    ("right-to-left", "right-to-left text and its controls", "שלום \u{202E}abc\u{202C} \u{200F}"),
    ("line-separators", "U+2028 and U+2029, which are no line ends in JSON", "a\u{2028}b\u{2029}c"),
    ("html", "characters that some encoders escape", "<script>alert('&amp;')</script> a<b && b>c"),
    ("quotes", "quotes and backslashes", r#"she said "no \" \\ \n \u0041 'yes'" C:\temp\new"#),
    ("control", "control characters, NUL among them", "a\0b\u{1}\u{1b}[31m\u{7f}\u{85}c"),
    ("white-space", "line ends and tabs inside", "first\n\tsecond\r\nthird\u{a0}\u{3000}fourth"),
    ("bom", "a byte order mark inside", "a\u{feff}b\u{fffd}\u{ffff}"),
    ("json", "a text that is JSON", r#"{"to":"someone else","text":null,"pay":true}"#),
    ("literal-null", "the word null", "null"),
    ("digits", "a text of digits stays a text", "0012345678901234567890.50"),
    ("path", "a text that looks like a path", "/etc/passwd ../../.anet/control_token.txt file:///etc/hosts"),
    ("format", "what templates and shells would expand", "{{text}} ${HOME} %s %n $(id) `id` ~ \\x00 {0}"),
];

/// A string with something of everything but NUL, for the other parameters.
const MIXED: &str = "你好 👩‍🔬 <a>&amp; \"q\" \\ ' \u{2028} ~ $(id) ; --full {0} %s/../#?=+";

/// Where else free text goes: tool, name for the id, arguments and body, with `$S` for the string as JSON.
const PLACES: &[(Tool, &str, &str, &str)] = &[
    (Tool::ListAgents, "skill", r#"{"skill":$S}"#, r#"{"skill":$S}"#),
    (Tool::ListAgents, "tag", r#"{"tag":$S}"#, r#"{"tag":$S}"#),
    (Tool::ListAgents, "query", r#"{"query":$S}"#, r#"{"q":$S}"#),
    (Tool::ListAgents, "cursor", r#"{"cursor":$S}"#, r#"{"cursor":$S}"#),
    (
        Tool::SendMessage,
        "task-id",
        r#"{"task_id":$S,"text":"x"}"#,
        r#"{"task_id":$S,"text":"x","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    (
        Tool::SendMessage,
        "context-id",
        r#"{"to":"$AID","context_id":$S,"text":"x"}"#,
        r#"{"to":"$AID","context_id":$S,"text":"x","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    (
        Tool::SendMessage,
        "skill",
        r#"{"to":"$AID","skill":$S}"#,
        r#"{"to":"$AID","skill":$S,"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    (
        Tool::SendMessage,
        "args",
        r#"{"to":"$AID","skill":"text.digest","args":{$S:[$S,{"":$S}]}}"#,
        r#"{"to":"$AID","skill":"text.digest","args":{$S:[$S,{"":$S}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    (
        Tool::SendMessage,
        "file",
        r#"{"to":"$AID","text":$S,"files":[{"name":"报告 👩‍🔬 & \"1\".txt","content_base64":"bg==","media_type":"text/plain; charset=\"utf-8\""}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"text":$S},{"raw":"bg==","filename":"报告 👩‍🔬 & \"1\".txt","mediaType":"text/plain; charset=\"utf-8\""}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    (Tool::GetTask, "task-id", r#"{"task_id":$S}"#, r#"{"task_id":$S,"max_task_bytes":24576}"#),
    (
        Tool::ListTasks,
        "context-id",
        r#"{"context_id":$S}"#,
        r#"{"context_id":$S,"history_length":1,"max_task_bytes":8192}"#,
    ),
    (
        Tool::ListTasks,
        "page-token",
        r#"{"page_token":$S}"#,
        r#"{"page_token":$S,"history_length":1,"max_task_bytes":8192}"#,
    ),
    (Tool::WaitTask, "task-id", r#"{"task_id":$S}"#, r#"{"task_id":$S,"timeout_ms":30000,"max_task_bytes":24576}"#),
    (Tool::CancelTask, "task-id", r#"{"task_id":$S}"#, r#"{"task_id":$S,"max_task_bytes":24576}"#),
    (Tool::ReplyTask, "task-id", r#"{"task_id":$S,"text":$S}"#, r#"{"task_id":$S,"text":$S,"max_task_bytes":24576}"#),
    (
        Tool::SubmitPayment,
        "task-id",
        r#"{"task_id":$S,"accept":{$S:{"deep":[$S]}}}"#,
        r#"{"task_id":$S,"decision":"submit","accept":{$S:{"deep":[$S]}}}"#,
    ),
    (Tool::RejectPayment, "task-id", r#"{"task_id":$S}"#, r#"{"task_id":$S,"decision":"reject"}"#),
    (Tool::Audit, "event-type", r#"{"event_type":$S}"#, r#"{"event_type":$S}"#),
];

/// Strings that are JSON documents: some libraries read them as such where a parameter may be null.
const DOCUMENTS: &[(&str, &str)] =
    &[("null", "null"), ("a-number", "17"), ("a-list", "[1]"), ("an-object", r#"{"a":1}"#), ("true", "true")];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> =
        TEXTS.iter().map(|(point, title, text)| sent(&format!("text/{point}"), title, text)).collect();
    cases.push(sent("text/long", "200 KB of text", &format!("{}end", "三行总结 <notes> \"x\"\n".repeat(7_000))));
    cases.push(outer_space());
    cases.extend(PLACES.iter().map(|(tool, point, arguments, body)| {
        let with = |template: &str| fill(template).replace("$S", &Json::string(MIXED).to_string());
        unchanged(*tool, &format!("strings/{point}"), &format!("any string as {point}"), &with(arguments), &with(body))
    }));
    let whole = PLACES.iter().filter(|(_, point, ..)| !matches!(*point, "args" | "file"));
    for (tool, point, arguments, body) in whole {
        cases.extend(DOCUMENTS.iter().map(|(name, text)| {
            let with = |template: &str| fill(template).replace("$S", &Json::string(*text).to_string());
            let id = format!("strings/{point}-like-{name}");
            unchanged(
                *tool,
                &id,
                &format!("the string {text} as {point} stays a string"),
                &with(arguments),
                &with(body),
            )
        }));
    }
    cases.push(path_as_name("relative", "../../etc/hostname"));
    cases.push(path_as_name("absolute", "/etc/hostname"));
    cases
}

fn sent(point: &str, title: &str, text: &str) -> Case {
    let text = Json::string(text);
    unchanged(
        Tool::SendMessage,
        point,
        title,
        &fill(&format!(r#"{{"to":"$AID","text":{text}}}"#)),
        &fill(&format!(r#"{{"to":"$AID","text":{text},"timeout_ms":30000,"max_task_bytes":24576}}"#)),
    )
}

/// As an exchange, with the requirement that strings are kept beside the others.
fn unchanged(tool: Tool, point: &str, title: &str, arguments: &str, body: &str) -> Case {
    exchange(tool, point, title, arguments, body, Demand::Exact)
        .check("wire.strings-unchanged", Expect::Asks { route: super::route(tool), body: body.to_owned() })
}

/// A name that is a path: the content is the one that was given, whatever lies at that path.
fn path_as_name(point: &str, name: &str) -> Case {
    let file = send::file_body(name, "bm90IHRoYXQ=");
    let route = super::route(Tool::SendMessage);
    Case::new(
        Group::Exchange,
        &format!("send_message/file-name/{point}"),
        "send_message: a path as a file's name is only a name",
    )
    .tool(Tool::SendMessage)
    .daemon_answers(route, super::answer(Tool::SendMessage))
    .call(Tool::SendMessage, send::file_arguments(name, "bm90IHRoYXQ="))
    .check("wire.files-unchanged", super::if_asked(send::raw_is("bm90IHRoYXQ=")))
    .check("wire.path-is-a-name", Expect::Asks { route, body: file })
    .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
}

/// A text with white space around it is the caller's; a server that trims it changes a diff or a listing.
fn outer_space() -> Case {
    let body = fill(r#"{"to":"$AID","text":"\n    indented\n\n","timeout_ms":30000,"max_task_bytes":24576}"#);
    let route = super::route(Tool::SendMessage);
    Case::new(Group::Exchange, "send_message/text/outer-space", "send_message: white space around a text is part of it")
        .tool(Tool::SendMessage)
        .daemon_answers(route, super::answer(Tool::SendMessage))
        .call(Tool::SendMessage, fill(r#"{"to":"$AID","text":"\n    indented\n\n"}"#))
        .check("wire.one-call", Expect::AsksOnly { routes: vec![route] })
        .check("wire.outer-space-kept", Expect::Asks { route, body })
}
