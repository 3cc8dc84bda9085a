//! Files in `send_message` and `reply_task`: name, base64, and nothing read from disk.
//!
//! Responsible for: each way to get `files` wrong. Not for: contents that are right (`exchange`).

use anet_mock_daemon::Route;

use super::{call, call_accepted, fill};
use crate::case::Case;
use crate::cases::request;
use crate::expect::Expect;
use crate::json::Json;
use crate::page::Tool;
use crate::verdict::Finding;

/// Contents that are not base64 in the standard alphabet with padding.
const NOT_STANDARD: &[(&str, &str, &str)] = &[
    ("url-safe", "the alphabet for URLs", "-_-_"),
    ("url-safe-mixed", "one character of the alphabet for URLs", "ab-/"),
    ("no-padding", "no padding", "bm90ZXM"),
    ("half-padding", "half of the padding", "bg="),
    ("too-much-padding", "more padding than there is room for", "bm90ZXM=="),
    ("padding-inside", "padding in the middle", "bg==bg=="),
    ("one-character", "a single character", "b"),
    ("blank-inside", "a blank inside", "bm90 ZXM="),
    ("data-url", "a data URL", "data:text/plain;base64,bm90ZXM="),
    ("plain-text", "plain text", "hello, world!"),
    ("accents", "characters that no alphabet has", "naïv"),
    ("path", "a path instead of a content", "/etc/hostname."),
];

/// Line ends, which some decoders skip.
const LINE_ENDS: &[(&str, &str, &str)] = &[
    ("line-end-inside", "a line end inside", "bm90\\nZXM="),
    ("line-end-after", "a line end after it", "bm90ZXM=\\n"),
    ("carriage-return", "line ends of mail", "bm90\\r\\nZXM="),
];

/// Files that lack what the page says that each one has.
const INCOMPLETE: &[(&str, &str, &str)] = &[
    ("no-name", "a file without a name", r#"[{"content_base64":"bm90ZXM="}]"#),
    ("no-content", "a file without a content", r#"[{"name":"notes.txt"}]"#),
    ("content-null", "a content that is null", r#"[{"name":"notes.txt","content_base64":null}]"#),
    (
        "second-incomplete",
        "one good file and one without a content",
        r#"[{"name":"a","content_base64":"YQ=="},{"name":"b"}]"#,
    ),
    ("path-alone", "a path instead of a file", r#"[{"path":"/etc/hostname"}]"#),
    ("item-string", "a name instead of a file", r#"["/etc/hostname"]"#),
    ("item-null", "null instead of a file", "[null]"),
];

/// Files with something of another type, or something that no file has.
const STRANGE: &[(&str, &str, &str)] = &[
    ("name-empty", "an empty name", r#"[{"name":"","content_base64":"bm90ZXM="}]"#),
    ("name-number", "a name that is a number", r#"[{"name":5,"content_base64":"bm90ZXM="}]"#),
    ("content-number", "a content that is a number", r#"[{"name":"n","content_base64":5}]"#),
    (
        "media-type-number",
        "a media type that is a number",
        r#"[{"name":"n","content_base64":"bm90ZXM=","media_type":5}]"#,
    ),
    (
        "unknown-path",
        "a path beside the content",
        r#"[{"name":"n","content_base64":"bm90ZXM=","path":"/etc/hostname"}]"#,
    ),
    (
        "unknown-url",
        "a URL beside the content",
        r#"[{"name":"n","content_base64":"bm90ZXM=","url":"file:///etc/hostname"}]"#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let content = |content: &str| format!(r#"[{{"name":"notes.txt","content_base64":"{content}"}}]"#);
    let mut cases = Vec::new();
    for (point, title, text) in NOT_STANDARD {
        cases.push(refused(Tool::SendMessage, &format!("base64-{point}"), title, &content(text), "arguments.base64"));
    }
    for (point, title, text) in &[NOT_STANDARD[0], NOT_STANDARD[2], NOT_STANDARD[7], NOT_STANDARD[9]] {
        cases.push(refused(Tool::ReplyTask, &format!("base64-{point}"), title, &content(text), "arguments.base64"));
    }
    for (point, title, text) in LINE_ENDS {
        let case = accepted(Tool::SendMessage, &format!("base64-{point}"), title, &content(text));
        cases.push(case.expect_wrong("arguments.base64-line-ends", FILES));
    }
    for (point, title, files) in INCOMPLETE {
        cases.push(refused(Tool::SendMessage, point, title, files, "arguments.file-complete"));
    }
    for (point, title, files) in &INCOMPLETE[..2] {
        cases.push(refused(Tool::ReplyTask, point, title, files, "arguments.file-complete"));
    }
    for (point, title, files) in STRANGE {
        let case = accepted(Tool::SendMessage, point, title, files)
            .check("arguments.path-kept-out", Expect::NeverMentions { text: "/etc/hostname".to_owned() });
        cases.push(case.expect_wrong("arguments.type-refused", FILES));
    }
    cases.extend([empty_list(), empty_content(), media_type_empty()]);
    cases
}

/// What a refusal may name: the parameter, or the member that is wrong.
const FILES: &[&str] = &["files", "content_base64", "name", "media_type"];

fn arguments(tool: Tool, files: &str) -> String {
    match tool {
        Tool::ReplyTask => fill(&format!(r#"{{"task_id":"$TASK","state":"working","files":{files}}}"#)),
        _ => fill(&format!(r#"{{"to":"$AID","return_immediately":true,"files":{files}}}"#)),
    }
}

/// Refused by the server, or by the daemon, which can read no such file either.
fn refused(tool: Tool, point: &str, title: &str, files: &str, requirement: &'static str) -> Case {
    call(tool, &format!("files/{point}"), title, arguments(tool, files)).expect_wrong(requirement, FILES)
}

fn accepted(tool: Tool, point: &str, title: &str, files: &str) -> Case {
    call_accepted(tool, &format!("files/{point}"), title, arguments(tool, files))
}

/// An empty list beside a text counts as none.
fn empty_list() -> Case {
    let text = fill(r#"{"to":"$AID","text":"x"}"#);
    call_accepted(
        Tool::SendMessage,
        "files/empty-list",
        "an empty list beside a text counts as none",
        fill(r#"{"to":"$AID","text":"x","files":[]}"#),
    )
    .expect_same_as("arguments.empty-absent", Tool::SendMessage, &Json::parse(&text).unwrap_or(Json::Null))
}

/// Whether an empty file can be sent is nobody's word.
fn empty_content() -> Case {
    accepted(Tool::SendMessage, "empty-content", "an empty file", r#"[{"name":"empty.txt","content_base64":""}]"#)
        .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check(
            "arguments.empty-file",
            Expect::holds("what becomes of it is recorded", |seen| {
                let sent = seen.asked_of(Route::TasksSend).next();
                Finding::Observed(sent.map_or("refused", |_| "sent").to_owned())
            }),
        )
        .expect_decent_refusal(FILES)
}

/// An empty media type counts as none.
fn media_type_empty() -> Case {
    let with = arguments(Tool::SendMessage, r#"[{"name":"n","content_base64":"bg==","media_type":""}]"#);
    let without = arguments(Tool::SendMessage, r#"[{"name":"n","content_base64":"bg=="}]"#);
    let body = request::body(Tool::SendMessage, &Json::parse(&without).unwrap_or(Json::Null)).to_string();
    call_accepted(Tool::SendMessage, "files/media-type-empty", "an empty media type counts as none", with)
        .check("arguments.empty-absent", Expect::Asks { route: Route::TasksSend, body })
        .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
}
