//! `reply_task` (control-plane 2.9; ruling R16): each state, with text, files, both and neither.

use super::{Demand, Row, exchange, exchanges, may_refuse, row};
use crate::case::Case;
use crate::page::{REPLY_STATES, Tool};

use super::fill;

pub(super) const ROWS: &[(Tool, &[Row])] = &[(Tool::ReplyTask, REPLY)];

const REPLY: &[Row] = &[
    row(
        "minimal",
        "without a state the text is a question",
        r#"{"task_id":"$TASK","text":"Which week do you mean?"}"#,
        r#"{"task_id":"$TASK","text":"Which week do you mean?","max_task_bytes":24576}"#,
    ),
    row(
        "files",
        "files travel as raw parts of an agent's message",
        r#"{"task_id":"$TASK","files":[{"name":"notes.txt","content_base64":"bm90ZXM="}]}"#,
        r#"{"task_id":"$TASK","message":{"messageId":"","role":"ROLE_AGENT","parts":[{"raw":"bm90ZXM=","filename":"notes.txt"}]},"max_task_bytes":24576}"#,
    ),
    row(
        "two-files",
        "two files keep their order and types",
        r#"{"task_id":"$TASK","files":[{"name":"b.txt","content_base64":"Yg==","media_type":"text/plain"},{"name":"a.bin","content_base64":"AAECAw=="}]}"#,
        r#"{"task_id":"$TASK","message":{"messageId":"","role":"ROLE_AGENT","parts":[{"raw":"Yg==","filename":"b.txt","mediaType":"text/plain"},{"raw":"AAECAw==","filename":"a.bin"}]},"max_task_bytes":24576}"#,
    ),
    row(
        "full",
        "all parameters together",
        r#"{"state":"completed","files":[{"media_type":"text/plain","content_base64":"bm90ZXM=","name":"notes.txt"}],"text":"Done.","task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","state":"completed","message":{"messageId":"","role":"ROLE_AGENT","parts":[{"text":"Done."},{"raw":"bm90ZXM=","filename":"notes.txt","mediaType":"text/plain"}]},"max_task_bytes":24576}"#,
    ),
    may_refuse(row(
        "nothing",
        "neither text nor files nor state: the daemon knows what it needs",
        r#"{"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","max_task_bytes":24576}"#,
    )),
];

/// What a reply holds beside its state: arguments and members of the body.
const CONTENTS: [(&str, &str, &str); 4] = [
    ("text", r#","text":"好的 <ok>""#, r#","text":"好的 <ok>""#),
    (
        "files",
        r#","files":[{"name":"r.txt","content_base64":"cg=="}]"#,
        r#","message":{"messageId":"","role":"ROLE_AGENT","parts":[{"raw":"cg==","filename":"r.txt"}]}"#,
    ),
    (
        "both",
        r#","text":"See the file.","files":[{"name":"r.txt","content_base64":"cg=="}]"#,
        r#","message":{"messageId":"","role":"ROLE_AGENT","parts":[{"text":"See the file."},{"raw":"cg==","filename":"r.txt"}]}"#,
    ),
    ("nothing", "", ""),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect();
    for state in REPLY_STATES {
        for (content, arguments, members) in CONTENTS {
            // A question without content is one that the daemon refuses, and a server may as well.
            let demand = match (*state, content) {
                ("input-required", "nothing") => Demand::MayRefuse,
                _ => Demand::Exact,
            };
            cases.push(exchange(
                Tool::ReplyTask,
                &format!("state-{state}/{content}"),
                &format!("{state} with {content}"),
                &fill(&format!(r#"{{"task_id":"$TASK","state":"{state}"{arguments}}}"#)),
                &fill(&format!(r#"{{"task_id":"$TASK","state":"{state}"{members},"max_task_bytes":24576}}"#)),
                demand,
            ));
        }
    }
    cases
}
