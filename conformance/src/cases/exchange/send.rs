//! `send_message` (control-plane 2.4; rulings R5, R6): every parameter alone, and what they become together.

use anet_mock_daemon::Route;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Demand, Row, exchange, exchanges, fill, may_refuse, meaning, row};
use crate::case::Case;
use crate::expect::{Expect, ValueRule};
use crate::json::Json;
use crate::page::Tool;
use crate::verdict::Finding;

pub(super) const ROWS: &[(Tool, &[Row])] = &[(Tool::SendMessage, SEND)];

const SEND: &[Row] = &[
    row(
        "minimal",
        "a text to an agent, waiting for 30 seconds",
        r#"{"to":"$AID","text":"Summarise the notes."}"#,
        r#"{"to":"$AID","text":"Summarise the notes.","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "task-id",
        "a text continues a task",
        r#"{"task_id":"$TASK","text":"The week of 12 October."}"#,
        r#"{"task_id":"$TASK","text":"The week of 12 October.","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "to-and-task-id",
        "both: the task is continued",
        r#"{"to":"$AID","task_id":"$TASK","text":"More."}"#,
        r#"{"to":"$AID","task_id":"$TASK","text":"More.","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "context-id",
        "a new task in a conversation",
        r#"{"to":"$AID","context_id":"$CONTEXT","text":"Next."}"#,
        r#"{"to":"$AID","context_id":"$CONTEXT","text":"Next.","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "context-id-with-task-id",
        "a task continued, its conversation named",
        r#"{"task_id":"$TASK","context_id":"$CONTEXT","text":"Next."}"#,
        r#"{"task_id":"$TASK","context_id":"$CONTEXT","text":"Next.","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "skill",
        "a capability called without arguments",
        r#"{"to":"$AID","skill":"text.digest"}"#,
        r#"{"to":"$AID","skill":"text.digest","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "args",
        "a capability called with arguments",
        r#"{"to":"$AID","skill":"text.digest","args":{"text":"line one","deep":{"list":[1,null,"x",{"y":[]}],"no":false}}}"#,
        r#"{"to":"$AID","skill":"text.digest","args":{"text":"line one","deep":{"list":[1,null,"x",{"y":[]}],"no":false}},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "args-empty",
        "an empty object of arguments is sent",
        r#"{"to":"$AID","skill":"text.digest","args":{}}"#,
        r#"{"to":"$AID","skill":"text.digest","args":{},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    meaning(row(
        "args-numbers",
        "numbers of every spelling in args are the same numbers at the daemon",
        r#"{"to":"$AID","skill":"text.digest","args":{"a":1.0,"b":1e3,"c":0.1,"d":-0.0,"e":1e-7,"f":123456789012345678901234567890,"g":-42}}"#,
        r#"{"to":"$AID","skill":"text.digest","args":{"a":1.0,"b":1e3,"c":0.1,"d":-0.0,"e":1e-7,"f":123456789012345678901234567890,"g":-42},"timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    row(
        "file",
        "a file is a raw part of the message",
        r#"{"to":"$AID","files":[{"name":"notes.txt","content_base64":"bm90ZXM="}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"raw":"bm90ZXM=","filename":"notes.txt"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "file-media-type",
        "its media type goes along",
        r#"{"to":"$AID","files":[{"name":"n.csv","content_base64":"YSxi","media_type":"text/csv; charset=utf-8"}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"raw":"YSxi","filename":"n.csv","mediaType":"text/csv; charset=utf-8"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "two-files",
        "two files of one name stay two, in order",
        r#"{"to":"$AID","files":[{"name":"a","content_base64":"Mg=="},{"name":"a","content_base64":"MQ==","media_type":"text/plain"}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"raw":"Mg==","filename":"a"},{"raw":"MQ==","filename":"a","mediaType":"text/plain"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "file-and-text",
        "text and file in one message",
        r#"{"to":"$AID","text":"See the notes.","files":[{"name":"notes.txt","content_base64":"bm90ZXM="}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"text":"See the notes."},{"raw":"bm90ZXM=","filename":"notes.txt"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "file-with-task-id",
        "a file continues a task",
        r#"{"task_id":"$TASK","files":[{"name":"notes.txt","content_base64":"bm90ZXM="}]}"#,
        r#"{"message":{"messageId":"","taskId":"$TASK","role":"ROLE_USER","parts":[{"raw":"bm90ZXM=","filename":"notes.txt"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "file-with-context-id",
        "a file opens a task in a conversation",
        r#"{"to":"$AID","context_id":"$CONTEXT","files":[{"name":"notes.txt","content_base64":"bm90ZXM="}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","contextId":"$CONTEXT","role":"ROLE_USER","parts":[{"raw":"bm90ZXM=","filename":"notes.txt"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "at-once",
        "return_immediately excludes a timeout",
        r#"{"to":"$AID","text":"Go.","return_immediately":true}"#,
        r#"{"to":"$AID","text":"Go.","return_immediately":true,"max_task_bytes":24576}"#,
    ),
    row(
        "at-once-despite-timeout",
        "return_immediately wins over timeout_seconds",
        r#"{"to":"$AID","text":"Go.","return_immediately":true,"timeout_seconds":45}"#,
        r#"{"to":"$AID","text":"Go.","return_immediately":true,"max_task_bytes":24576}"#,
    ),
    meaning(row(
        "not-at-once",
        "return_immediately false waits for 30 seconds",
        r#"{"to":"$AID","text":"Go.","return_immediately":false}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    meaning(row(
        "not-at-once-with-timeout",
        "return_immediately false leaves timeout_seconds in force",
        r#"{"to":"$AID","text":"Go.","return_immediately":false,"timeout_seconds":45}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":45000,"max_task_bytes":24576}"#,
    )),
    row(
        "timeout",
        "seconds become milliseconds",
        r#"{"to":"$AID","text":"Go.","timeout_seconds":45}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":45000,"max_task_bytes":24576}"#,
    ),
    row(
        "timeout-smallest",
        "the shortest wait",
        r#"{"to":"$AID","text":"Go.","timeout_seconds":1}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":1000,"max_task_bytes":24576}"#,
    ),
    row(
        "timeout-largest",
        "the longest wait",
        r#"{"to":"$AID","text":"Go.","timeout_seconds":300}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":300000,"max_task_bytes":24576}"#,
    ),
    row(
        "history-length",
        "history_length goes along",
        r#"{"to":"$AID","text":"Go.","history_length":3}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":30000,"history_length":3,"max_task_bytes":24576}"#,
    ),
    row(
        "history-length-zero",
        "history_length 0 means none and is sent",
        r#"{"to":"$AID","text":"Go.","history_length":0}"#,
        r#"{"to":"$AID","text":"Go.","timeout_ms":30000,"history_length":0,"max_task_bytes":24576}"#,
    ),
    row(
        "full-text",
        "all parameters of a message without a capability",
        r#"{"history_length":2,"timeout_seconds":300,"return_immediately":false,"files":[{"name":"n","content_base64":"bg==","media_type":"text/plain"}],"text":"See.","context_id":"$CONTEXT","task_id":"$TASK","to":"$AID"}"#,
        r#"{"to":"$AID","message":{"messageId":"","contextId":"$CONTEXT","taskId":"$TASK","role":"ROLE_USER","parts":[{"text":"See."},{"raw":"bg==","filename":"n","mediaType":"text/plain"}]},"timeout_ms":300000,"history_length":2,"max_task_bytes":24576}"#,
    ),
    row(
        "full-skill",
        "all parameters of a capability call",
        r#"{"history_length":0,"return_immediately":true,"args":{"n":1},"skill":"text.digest","context_id":"$CONTEXT","to":"$AID"}"#,
        r#"{"to":"$AID","context_id":"$CONTEXT","skill":"text.digest","args":{"n":1},"return_immediately":true,"history_length":0,"max_task_bytes":24576}"#,
    ),
    may_refuse(row(
        "text-and-skill",
        "a capability call with a text: the daemon judges it",
        r#"{"to":"$AID","text":"Please.","skill":"text.digest"}"#,
        r#"{"to":"$AID","text":"Please.","skill":"text.digest","timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    may_refuse(row(
        "skill-with-task-id",
        "a capability call on a task: the daemon judges it",
        r#"{"task_id":"$TASK","skill":"text.digest","args":{}}"#,
        r#"{"task_id":"$TASK","skill":"text.digest","args":{},"timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    may_refuse(row(
        "file-and-skill",
        "a capability call with a file: the daemon judges it",
        r#"{"to":"$AID","skill":"text.digest","files":[{"name":"n","content_base64":"bg=="}]}"#,
        r#"{"to":"$AID","message":{"messageId":"","role":"ROLE_USER","parts":[{"data":{"skill":"text.digest"},"mediaType":"application/json"},{"raw":"bg==","filename":"n"}]},"timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    may_refuse(row(
        "full",
        "all parameters together: the daemon judges it",
        r#"{"to":"$AID","task_id":"$TASK","context_id":"$CONTEXT","text":"Go.","skill":"text.digest","args":{"n":1},"files":[{"name":"n","content_base64":"bg==","media_type":"text/plain"}],"return_immediately":true,"timeout_seconds":45,"history_length":3}"#,
        r#"{"to":"$AID","message":{"messageId":"","contextId":"$CONTEXT","taskId":"$TASK","role":"ROLE_USER","parts":[{"text":"Go."},{"data":{"skill":"text.digest","args":{"n":1}},"mediaType":"application/json"},{"raw":"bg==","filename":"n","mediaType":"text/plain"}]},"return_immediately":true,"history_length":3,"max_task_bytes":24576}"#,
    )),
];

/// Contents of files, in the standard alphabet with padding.
const CONTENTS: [(&str, &str, &str); 6] = [
    ("one-byte", "one byte, padded twice", "/w=="),
    ("two-bytes", "two bytes, padded once", "//8="),
    ("three-bytes", "three bytes, not padded", "////"),
    ("plus-and-slash", "the two characters that set the alphabets apart", "+/+/"),
    ("nul-bytes", "zero bytes", "AAAAAAAA"),
    ("looks-like-text", "a content that decodes to base64 again", "Ym05MFpYTT0="),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect();
    cases.push(args_digits());
    cases.extend(CONTENTS.map(|(point, title, content)| file(point, title, content)));
    cases.push(file("large", "256 KiB of every byte", &every_byte(1024)));
    cases
}

fn args_digits() -> Case {
    exchange(
        Tool::SendMessage,
        "args-beyond-doubles",
        "integers beyond 2^53 in args",
        &fill(r#"{"to":"$AID","skill":"text.digest","args":{"n":9007199254740993,"deep":[18446744073709551615]}}"#),
        &fill(r#"{"to":"$AID","skill":"text.digest","args":{"n":9007199254740993,"deep":[18446744073709551615]},"timeout_ms":30000,"max_task_bytes":24576}"#),
        Demand::Meaning,
    )
    .check("wire.digits-kept", digits("n", "9007199254740993"))
    .check("wire.digits-kept", digits("deep/0", "18446744073709551615"))
}

/// The number at this place below the call's arguments, in either form of the message.
fn digits(place: &str, literal: &str) -> Expect {
    let short = Expect::InBody {
        route: Route::TasksSend,
        pointer: format!("/args/{place}"),
        rule: ValueRule::IsLiterally(literal.to_owned()),
    };
    let whole = Expect::InBody {
        route: Route::TasksSend,
        pointer: format!("/message/parts/0/data/args/{place}"),
        rule: ValueRule::IsLiterally(literal.to_owned()),
    };
    Expect::holds(short.describe(), move |seen| match whole.evaluate(seen) {
        Finding::Met => Finding::Met,
        _ => short.evaluate(seen),
    })
}

/// A file that reaches the daemon byte for byte.
fn file(point: &str, title: &str, content: &str) -> Case {
    exchange(
        Tool::SendMessage,
        &format!("file-content/{point}"),
        title,
        &file_arguments("f.bin", content),
        &file_body("f.bin", content),
        Demand::Meaning,
    )
    .check("wire.files-unchanged", raw_is(content))
}

/// The arguments that send one file.
pub(super) fn file_arguments(name: &str, content: &str) -> String {
    let name = Json::string(name);
    fill(&format!(r#"{{"to":"$AID","files":[{{"name":{name},"content_base64":"{content}"}}]}}"#))
}

/// The body that they become.
pub(super) fn file_body(name: &str, content: &str) -> String {
    let name = Json::string(name);
    fill(&format!(
        r#"{{"to":"$AID","message":{{"messageId":"","role":"ROLE_USER","parts":[{{"raw":"{content}","filename":{name}}}]}},"timeout_ms":30000,"max_task_bytes":24576}}"#
    ))
}

/// The daemon gets this content.
pub(super) fn raw_is(content: &str) -> Expect {
    Expect::InBody {
        route: Route::TasksSend,
        pointer: "/message/parts/0/raw".to_owned(),
        rule: ValueRule::Is(format!("\"{content}\"")),
    }
}

/// Every byte value, so many times over, as base64.
fn every_byte(times: usize) -> String {
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(256 * times).collect();
    STANDARD.encode(bytes)
}
