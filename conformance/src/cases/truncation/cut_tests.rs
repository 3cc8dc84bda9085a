//! That the checks on cuts find bad ones and let good ones pass.

use std::time::Duration;

use super::{CALL, Sent};
use crate::case::{Case, Group};
use crate::cases::document::{Task, quoted};
use crate::json::Json;
use crate::observation::{Exchange, Observation, Reply};
use crate::revision::Revision;
use crate::verdict::Finding;

const COMMAND: &str = "anet task get ix_1 --full";

/// What is seen when the only call is answered with this text, in both copies.
fn answered(text: &str) -> Observation {
    let structured = if Json::parse(text).is_ok() { text } else { "{}" };
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{}}}],"structuredContent":{structured}}}}}"#,
        quoted(text),
    );
    let message = Json::parse(&message).expect("JSON");
    let at = Duration::ZERO;
    Observation {
        revision: Revision::V2025_11_25,
        negotiated: None,
        exchanges: vec![Exchange {
            label: CALL.to_owned(),
            id: Json::integer(1),
            sent: Vec::new(),
            at,
            replies: vec![Reply { message, at, line: 0 }],
        }],
        sent: Vec::new(),
        lines: Vec::new(),
        unterminated: Vec::new(),
        stderr: Vec::new(),
        asked: Vec::new(),
        steps: Vec::new(),
        exit: None,
        secrets: Vec::new(),
        touched: Vec::new(),
        orphans: 0,
        shared: false,
    }
}

fn sent() -> Sent {
    let message = format!(r#"{{"messageId":"m","parts":[{{"text":"{}"}}],"role":"ROLE_USER"}}"#, "任务".repeat(5000));
    Sent::new(Task::new("COMPLETED").id("ix_1").history(vec![message]).json())
}

/// The requirements that are broken when the candidate answers `text` to a task that is too large.
fn broken(text: &str) -> Vec<&'static str> {
    let sent = sent();
    let case = Case::new(Group::Truncation, "x", "x")
        .expect_bounded_task(&sent)
        .expect_verdicts_kept(&sent, &["anet.role"])
        .expect_notice(&sent, Some(COMMAND.to_owned()))
        .expect_id_kept_out(&sent, "truncation.plain-id", "x; y");
    let seen = answered(text);
    let broken = case.checks.iter().filter(|check| matches!(check.expect.evaluate(&seen), Finding::Broken(_)));
    broken.map(|check| check.requirement).collect()
}

/// A good cut, with this text in place of the message.
fn cut(notice: &str) -> String {
    let message = format!(r#"{{"messageId":"m","parts":[{{"text":{}}}],"role":"ROLE_USER"}}"#, quoted(notice));
    Task::new("COMPLETED").id("ix_1").meta("anet.truncated", "true").history(vec![message]).json()
}

#[test]
fn a_good_cut_is_good() {
    assert_eq!(broken(&cut("(30000 bytes; read it with `anet task get ix_1 --full`)")), Vec::<&str>::new());
}

#[test]
fn what_is_passed_whole_is_only_too_large() {
    // The daemon was not asked to cut either.
    assert_eq!(broken(sent().text()), ["truncation.bound", "truncation.held"]);
}

#[test]
fn a_notice_may_stand_behind_what_is_left() {
    let text = format!("{} (30000 bytes; read it with `anet task get ix_1 --full`)", "任务".repeat(3000));
    assert_eq!(broken(&cut(&text)), Vec::<&str>::new());
}

#[test]
fn each_bad_cut_is_found() {
    let good = cut("(30000 bytes; read it with `anet task get ix_1 --full`)");
    let whole = sent();
    let half = &whole.text()[..20_000];
    let table = [
        (half.to_owned(), "truncation.still-json"),
        (good.replace("ix_1\",\"contextId", "ix_2\",\"contextId"), "truncation.keeps-id"),
        (good.replace("COMPLETED", "FAILED"), "truncation.keeps-id"),
        (good.replace(r#""anet.truncated":true"#, r#""anet.truncated":false"#), "truncation.marked"),
        (good.replace(r#""anet.truncated":true"#, r#""anet.truncated":"30000 bytes""#), "truncation.mark-form"),
        (good.replace(r#""anet.role":"requester","#, ""), "truncation.verdicts-kept"),
        (cut("(too long; read it with `anet task get ix_1 --full`)"), "truncation.size-stated"),
        (cut(&format!("{} (too long)", "任务".repeat(3000))), "truncation.size-stated"),
        (cut("(30000 bytes)"), "truncation.names-command"),
        (cut("(30000 bytes; read it with `anet task get ID --full`)"), "truncation.command-has-id"),
        (cut("任\u{fffd} (30000 bytes; `anet task get ix_1 --full`)"), "truncation.whole-characters"),
        (cut("(30000 bytes; `anet task get ix_1 --full`, anet task get x; y)"), "truncation.plain-id"),
    ];
    for (text, requirement) in table {
        assert!(broken(&text).contains(&requirement), "{requirement}: {:?} {text:.200}", broken(&text));
    }
}
