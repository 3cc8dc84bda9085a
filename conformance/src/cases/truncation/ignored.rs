//! Daemons that ignore the bound, as older ones do.
//!
//! Responsible for: what is too large in every place of a task, in every width of character, from just too much to
//! megabytes; pages of such tasks. That the server cuts itself is a `should` (the page speaks of the tools, the public
//! server leaves it to the daemon); that a cut is sound is a `must`.

use super::cut::Sent;
use super::{TASK_BYTES, case};
use crate::case::Case;
use crate::cases::document::{SINGLE_TASK_TOOLS, Task, message, page, quoted, route_of};
use crate::page::{SAMPLE_TASK, Tool};

/// What the node says of a task, kept by the daemon's cuts before anything else.
const VERDICTS: &[&str] =
    &["anet.effect_status", "anet.role", "anet.receipt_verified", "anet.peer_aid", "anet.state_seq"];

/// What is too large in a task.
enum Shape {
    /// One thing with a lot of content: a notice takes its place.
    Single,
    /// Much of something: some of it is left out.
    Many,
}

fn said(text: &str) -> String {
    format!(r#"{{"messageId":"m2","parts":[{{"text":{}}}],"role":"ROLE_AGENT"}}"#, quoted(text))
}

fn task() -> Task {
    Task::new("COMPLETED")
        .meta("anet.effect_status", r#""UNVERIFIED""#)
        .meta("anet.receipt_verified", r#""unverified""#)
}

pub(super) fn cases() -> Vec<Case> {
    single_tasks().into_iter().chain(pages()).collect()
}

fn single_tasks() -> Vec<Case> {
    let many = |count: usize, each: usize| {
        let text = "a line of it ".repeat(each / 13);
        (0..count).map(|index| message(&format!("m{index}"), "ROLE_AGENT", &[&text])).collect::<Vec<_>>()
    };
    let artifact = |text: &str| {
        format!(r#"{{"artifactId":"anet.reply","name":"anet.reply","parts":[{{"text":{}}}]}}"#, quoted(text))
    };
    let data = |bytes: usize| {
        let points: Vec<_> = (0..bytes / 8).map(|index| format!("{:07}", 1_000_000 + index)).collect();
        format!(
            r#"{{"artifactId":"anet.result","name":"lab.measure","parts":[{{"data":{{"status":"OK","points":[{}]}},"mediaType":"application/json"}}]}}"#,
            points.join(",")
        )
    };
    let parts = |count: usize| {
        let parts: Vec<_> = (0..count).map(|index| format!(r#"{{"text":"part {index}"}}"#)).collect();
        format!(r#"{{"messageId":"m2","parts":[{}],"role":"ROLE_AGENT"}}"#, parts.join(","))
    };
    let receipts: Vec<_> =
        (0..400).map(|index| format!(r#"{{"success":true,"transaction":"tx_{index:032}"}}"#)).collect();
    let reason = "because ".repeat(5000);
    let large_metadata = |bytes: usize| {
        format!(
            r#"{{"messageId":"m2","metadata":{{"x.note":{}}},"parts":[{{"text":"short"}}],"role":"ROLE_AGENT"}}"#,
            quoted(&"n".repeat(bytes))
        )
    };
    let small = || message("m1", "ROLE_USER", &["Summarise the notes."]);
    let history = |last: String| task().history(vec![small(), last]);
    let rows = [
        ("message/ascii.just-over", Shape::Single, history(said(&"x".repeat(TASK_BYTES + 1200)))),
        ("message/ascii.30kb", Shape::Single, history(said(&"word ".repeat(6000)))),
        ("message/digits.30kb", Shape::Single, history(said(&"0123456789".repeat(3000)))),
        ("message/cjk.30kb", Shape::Single, history(said(&"三点：成本、进度。".repeat(1112)))),
        ("message/cjk-offset.30kb", Shape::Single, history(said(&format!("x{}", "任务".repeat(5000))))),
        ("message/emoji.30kb", Shape::Single, history(said(&format!("xy{}", "🧪".repeat(7500))))),
        ("message/joined-emoji.200kb", Shape::Single, history(said(&"👩‍🔬".repeat(18_000)))),
        ("message/escapes.30kb", Shape::Single, history(said(&"\"\\\n".repeat(5000)))),
        ("message/markup.30kb", Shape::Single, history(said(&"<&>".repeat(10_000)))),
        ("message/controls.30kb", Shape::Single, history(said(&"\u{1}".repeat(5000)))),
        ("message/cjk.200kb", Shape::Single, history(said(&"任".repeat(66_666)))),
        ("message/ascii.3mb", Shape::Single, history(said(&"x".repeat(3 << 20)))),
        ("message/parts", Shape::Single, history(parts(3000))),
        ("message/metadata", Shape::Many, history(large_metadata(30_000))),
        ("first-message/ascii.200kb", Shape::Many, task().history(vec![said(&"x".repeat(200_000)), small()])),
        ("artifact/text.200kb", Shape::Single, task().artifact(artifact(&"成本 ".repeat(28_000)))),
        ("artifact/data.100kb", Shape::Single, task().artifact(data(100_000))),
        ("status-message/text.30kb", Shape::Single, task().status_message(said(&"why ".repeat(7500)))),
        ("history/many.60kb", Shape::Many, task().history(many(60, 1000))),
        ("history/three.30kb", Shape::Many, task().history(many(3, 10_000))),
        (
            "history/two-of-metadata",
            Shape::Many,
            task()
                .history(vec![large_metadata(3900), large_metadata(3900)])
                .meta("anet.reason", &quoted(&"r".repeat(22_000)))
                .status_message(said(&"x".repeat(30_000))),
        ),
        (
            "artifacts/many",
            Shape::Many,
            (0..200).fold(task(), |task, index| {
                task.artifact(format!(r#"{{"artifactId":"a{index}","parts":[{{"text":"{}"}}]}}"#, "y".repeat(150)))
            }),
        ),
        (
            "metadata/reason-and-receipts",
            Shape::Many,
            task()
                .meta("anet.reason", &quoted(&reason))
                .meta("anet.unverified_receipts", &format!("[{}]", receipts.join(","))),
        ),
        (
            "everything",
            Shape::Many,
            history(said(&"x".repeat(30_000)))
                .artifact(artifact(&"y".repeat(30_000)))
                .status_message(said(&"z".repeat(30_000)))
                .meta("anet.reason", &quoted(&reason)),
        ),
        ("huge/message.8mb", Shape::Single, history(said(&"x".repeat(8 << 20)))),
    ];
    let command = || format!("anet task get {SAMPLE_TASK} --full");
    rows.into_iter()
        .zip(SINGLE_TASK_TOOLS.into_iter().cycle())
        .map(|((name, shape, task), tool)| {
            let sent = Sent::new(task.json());
            let kilobytes = sent.text().len() / 1024;
            let case = case(
                &format!("ignored/{name}"),
                tool,
                format!("{tool}: a daemon that ignores the bound sends {kilobytes} KB"),
            )
            .daemon_answers(route_of(tool), sent.text())
            .call_as("call", tool)
            .expect_bounded_task(&sent)
            .expect_verdicts_kept(&sent, VERDICTS);
            match shape {
                Shape::Single => case.expect_notice(&sent, Some(command())),
                Shape::Many => case,
            }
        })
        .collect()
}

/// Pages of tasks of 12 KB each, and one with a single task that is far too large.
fn pages() -> Vec<Case> {
    let large = |index: usize| task().id(&format!("ix_{index:032}")).history(vec![said(&"任务 ".repeat(1800))]).json();
    let small = |index: usize| task().id(&format!("ix_{index:032}")).json();
    let mixed = vec![small(1), task().history(vec![said(&"x".repeat(300_000))]).json(), small(2)];
    let rows = [
        ("1", vec![large(0)]),
        ("50", (0..50).map(large).collect()),
        ("100", (0..100).map(large).collect()),
        ("one-among-small", mixed),
    ];
    rows.into_iter()
        .map(|(name, tasks)| {
            let tool = Tool::ListTasks;
            let tasks: Vec<_> = tasks.iter().map(String::as_str).collect();
            let sent = Sent::new(page(&tasks, "bmV4dA=="));
            case(
                &format!("ignored/page.{name}"),
                tool,
                format!("A daemon that ignores the bound lists {} tasks, too large", tasks.len()),
            )
            .daemon_answers(route_of(tool), sent.text())
            .call_as("call", tool)
            .expect_bounded_page(&sent)
            .expect_verdicts_kept(&sent, VERDICTS)
            .expect_notice(&sent, None)
        })
        .collect()
}
