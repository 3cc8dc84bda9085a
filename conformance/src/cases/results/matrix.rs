//! Every state with every effect status, receipt verdict and role that the contract allows together.
//!
//! Responsible for: the rows of control-plane 3.7, each as `get_task` and one other task tool answers it. The page's
//! point: a state is never changed by an effect or a verdict, and none of them is an error.

use crate::case::{Case, Group};
use crate::cases::document::{Task, message, quoted, task_answer, task_pointer};
use crate::expect::{Expect, ValueRule};
use crate::page::Tool;

/// What the receipt of a completed task was found to be.
const VERDICTS: [&str; 4] = ["verified", "unverified", "unknown", "mismatch"];

/// One combination.
struct Row {
    state: &'static str,
    effect: Option<&'static str>,
    reason: Option<&'static str>,
    verdict: Option<&'static str>,
}

const fn row(state: &'static str) -> Row {
    Row { state, effect: None, reason: None, verdict: None }
}

fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("SUBMITTED"),
        row("WORKING"),
        row("INPUT_REQUIRED"),
        row("CANCELED"),
        Row { reason: Some("not_accepting"), ..row("REJECTED") },
        Row { reason: Some("no_response"), ..row("FAILED") },
        Row { effect: Some("PAYMENT_REQUIRED"), ..row("INPUT_REQUIRED") },
        Row { effect: Some("FAILED"), ..row("FAILED") },
        Row { effect: Some("UNVERIFIED"), reason: Some("interrupted"), ..row("FAILED") },
        Row { effect: Some("UNAVAILABLE"), reason: Some("undeliverable"), ..row("FAILED") },
        Row { effect: Some("UNVERIFIED"), ..row("CANCELED") },
        Row { effect: Some("UNAVAILABLE"), reason: Some("unavailable"), ..row("REJECTED") },
    ];
    for verdict in VERDICTS {
        rows.push(Row { verdict: Some(verdict), ..row("COMPLETED") });
        for effect in ["OK", "UNVERIFIED"] {
            rows.push(Row { verdict: Some(verdict), effect: Some(effect), ..row("COMPLETED") });
        }
        // A receipt can also cover a call that failed (3.5: "any task that has a receipt").
        rows.push(Row { verdict: Some(verdict), effect: Some("FAILED"), ..row("FAILED") });
    }
    rows
}

pub(super) fn cases() -> Vec<Case> {
    let sent = [Tool::WaitTask, Tool::SendMessage, Tool::ListTasks, Tool::CancelTask];
    let received = [Tool::ReplyTask, Tool::ListTasks, Tool::WaitTask];
    rows()
        .iter()
        .enumerate()
        .flat_map(|(index, row)| {
            [("requester", sent[index % sent.len()]), ("provider", received[index % received.len()])]
                .map(|(role, other)| case(row, role, other))
        })
        .collect()
}

fn case(row: &Row, role: &str, other: Tool) -> Case {
    let facts: Vec<_> = [Some(row.state), row.effect, row.verdict].into_iter().flatten().collect();
    let id = facts.join(".").to_lowercase().replace('_', "-");
    let title = format!("A {role}'s task: {}", facts.join(", "));
    let task = task(row, role);
    let case = Case::new(Group::Results, &format!("matrix/{role}.{id}"), title)
        .tool(Tool::GetTask)
        .passes("call", Tool::GetTask, &task)
        .passes("other", other, &task_answer(other, &task));
    facts_stand(facts_stand(case, row, "call", ""), row, "other", task_pointer(other))
}

/// The state, the effect and the verdict stand where the daemon put them, as it put them.
fn facts_stand(case: Case, row: &Row, call: &str, task: &str) -> Case {
    let state = format!("TASK_STATE_{}", row.state);
    [
        ("/status/state", Some(state.as_str())),
        ("/metadata/anet.effect_status", row.effect),
        ("/metadata/anet.receipt_verified", row.verdict),
    ]
    .into_iter()
    .fold(case, |case, (place, value)| {
        let rule = value.map_or(ValueRule::Absent, |value| ValueRule::Is(quoted(value)));
        let pointer = format!("{task}{place}");
        case.check("results.state-effect-receipt", Expect::InText { call: call.to_owned(), pointer, rule })
    })
}

fn task(row: &Row, role: &str) -> String {
    let mut task = Task::new(row.state);
    if role == "provider" {
        task = task.provider();
    }
    if let Some(effect) = row.effect {
        task = task.meta("anet.effect_status", &quoted(effect)).meta("anet.skill", r#""lab.notes.append""#).history(vec![
            r#"{"messageId":"m1","parts":[{"data":{"args":{"text":"sample B"},"skill":"lab.notes.append"},"mediaType":"application/json"}],"role":"ROLE_USER"}"#.to_owned(),
        ]);
    }
    if let Some(reason) = row.reason {
        task = task.meta("anet.reason", &quoted(reason)).status_message(message(
            "s1",
            "ROLE_AGENT",
            &[&format!("{}: {reason}", row.state.to_lowercase())],
        ));
    }
    if let Some(verdict) = row.verdict {
        let status = row.effect.unwrap_or("OK");
        task = task
            .meta("anet.receipt_verified", &quoted(verdict))
            .meta("anet.receipt", &receipt(verdict))
            .artifact(if row.effect.is_some() {
                format!(
                    r#"{{"artifactId":"anet.result","name":"lab.notes.append","parts":[{{"data":{{"capability":"lab.notes.append","status":"{status}","verifiable":{},"nonce":"bm9uY2U="}},"mediaType":"application/json"}}]}}"#,
                    status == "OK",
                )
            } else {
                r#"{"artifactId":"anet.reply","name":"anet.reply","parts":[{"text":"Three points: cost, schedule, staffing."}]}"#.to_owned()
            });
    }
    task.json()
}

/// A receipt of 0.3: it names neither the requester nor the interaction.
pub(super) fn receipt(verdict: &str) -> String {
    format!(
        r#"{{"completed_day":"2026-10-12","provider_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","receipt":"hEOhAScoQAA=","receipt_cid":"bafyreiatymuxz6grqyzwe3my5kkotv32eyd3igvtcqknuamks3hcweisci","request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","result_cid":"bafyreighwcqhzkrkfwvxgsjsqy3tm3tvjmbcrqfdvm7eggf7ewkmcw2ipa","verified":{}}}"#,
        quoted(verdict),
    )
}
