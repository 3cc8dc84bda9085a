//! `get_task`, `list_tasks`, `wait_task` and `cancel_task` (control-plane 2.5 to 2.8).

use super::{Demand, Row, exchange, exchanges, fill, meaning, row};
use crate::case::Case;
use crate::expect::{Expect, ValueRule};
use crate::page::{LIST_STATES, Tool};

pub(super) const ROWS: &[(Tool, &[Row])] =
    &[(Tool::GetTask, GET), (Tool::ListTasks, LIST), (Tool::WaitTask, WAIT), (Tool::CancelTask, CANCEL)];

const GET: &[Row] = &[
    row(
        "minimal",
        "the task, held to its size",
        r#"{"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","max_task_bytes":24576}"#,
    ),
    row(
        "history-length",
        "history_length goes along",
        r#"{"task_id":"$TASK","history_length":3}"#,
        r#"{"task_id":"$TASK","max_task_bytes":24576,"history_length":3}"#,
    ),
    row(
        "history-length-zero",
        "history_length 0 means none and is sent",
        r#"{"task_id":"$TASK","history_length":0}"#,
        r#"{"task_id":"$TASK","max_task_bytes":24576,"history_length":0}"#,
    ),
    row(
        "history-length-large",
        "the page sets no upper bound for history_length",
        r#"{"history_length":100000,"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","max_task_bytes":24576,"history_length":100000}"#,
    ),
];

const LIST: &[Row] = &[
    row("minimal", "one message a task, each held to its size", "{}", r#"{"history_length":1,"max_task_bytes":8192}"#),
    row(
        "role-requester",
        "requester is outbound",
        r#"{"role":"requester"}"#,
        r#"{"role":"outbound","history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "role-provider",
        "provider is inbound",
        r#"{"role":"provider"}"#,
        r#"{"role":"inbound","history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "context-id",
        "context_id alone",
        r#"{"context_id":"$CONTEXT"}"#,
        r#"{"context_id":"$CONTEXT","history_length":1,"max_task_bytes":8192}"#,
    ),
    row("peer", "peer alone", r#"{"peer":"$AID"}"#, r#"{"peer":"$AID","history_length":1,"max_task_bytes":8192}"#),
    row(
        "page-size",
        "page_size alone",
        r#"{"page_size":7}"#,
        r#"{"page_size":7,"history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "page-size-smallest",
        "the smallest page",
        r#"{"page_size":1}"#,
        r#"{"page_size":1,"history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "page-size-largest",
        "the largest page",
        r#"{"page_size":100}"#,
        r#"{"page_size":100,"history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "page-token",
        "the token of the page before",
        r#"{"page_token":"b3BhcXVl+/8="}"#,
        r#"{"page_token":"b3BhcXVl+/8=","history_length":1,"max_task_bytes":8192}"#,
    ),
    row(
        "history-length",
        "more messages a task",
        r#"{"history_length":3}"#,
        r#"{"history_length":3,"max_task_bytes":8192}"#,
    ),
    row(
        "history-length-zero",
        "history_length 0 means none and does not become the default",
        r#"{"history_length":0}"#,
        r#"{"history_length":0,"max_task_bytes":8192}"#,
    ),
    row(
        "include-artifacts",
        "include_artifacts true",
        r#"{"include_artifacts":true}"#,
        r#"{"include_artifacts":true,"history_length":1,"max_task_bytes":8192}"#,
    ),
    meaning(row(
        "include-artifacts-false",
        "include_artifacts false says nothing",
        r#"{"include_artifacts":false}"#,
        r#"{"history_length":1,"max_task_bytes":8192}"#,
    )),
    row(
        "full",
        "all parameters together",
        r#"{"role":"provider","context_id":"$CONTEXT","state":"input-required","peer":"$AID","page_size":50,"page_token":"dG9rZW4=","history_length":2,"include_artifacts":true}"#,
        r#"{"role":"inbound","context_id":"$CONTEXT","state":"input-required","peer":"$AID","page_size":50,"page_token":"dG9rZW4=","history_length":2,"include_artifacts":true,"max_task_bytes":8192}"#,
    ),
];

const WAIT: &[Row] = &[
    row(
        "minimal",
        "30 seconds unless the caller says otherwise",
        r#"{"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","timeout_ms":30000,"max_task_bytes":24576}"#,
    ),
    row(
        "timeout",
        "seconds become milliseconds",
        r#"{"task_id":"$TASK","timeout_seconds":45}"#,
        r#"{"task_id":"$TASK","timeout_ms":45000,"max_task_bytes":24576}"#,
    ),
    row(
        "timeout-smallest",
        "the shortest wait",
        r#"{"task_id":"$TASK","timeout_seconds":1}"#,
        r#"{"task_id":"$TASK","timeout_ms":1000,"max_task_bytes":24576}"#,
    ),
    row(
        "timeout-largest",
        "the longest wait",
        r#"{"task_id":"$TASK","timeout_seconds":300}"#,
        r#"{"task_id":"$TASK","timeout_ms":300000,"max_task_bytes":24576}"#,
    ),
    row(
        "after-seq",
        "after_seq goes along",
        r#"{"task_id":"$TASK","after_seq":4}"#,
        r#"{"task_id":"$TASK","timeout_ms":30000,"after_seq":4,"max_task_bytes":24576}"#,
    ),
    meaning(row(
        "after-seq-zero",
        "after_seq 0 is what the daemon takes anyway",
        r#"{"task_id":"$TASK","after_seq":0}"#,
        r#"{"task_id":"$TASK","timeout_ms":30000,"max_task_bytes":24576}"#,
    )),
    row(
        "full",
        "all parameters together",
        r#"{"after_seq":12,"timeout_seconds":299,"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","timeout_ms":299000,"after_seq":12,"max_task_bytes":24576}"#,
    ),
];

const CANCEL: &[Row] = &[row(
    "minimal",
    "the task, and the size of the answer",
    r#"{"task_id":"$TASK"}"#,
    r#"{"task_id":"$TASK","max_task_bytes":24576}"#,
)];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect();
    cases.extend(LIST_STATES.iter().map(|state| listed(state)));
    cases.push(large_sequence());
    cases
}

/// The states that the page names are the daemon's own words for them.
fn listed(state: &str) -> Case {
    exchange(
        Tool::ListTasks,
        &format!("state-{state}"),
        &format!("only the tasks that are {state}"),
        &format!(r#"{{"state":"{state}"}}"#),
        &format!(r#"{{"state":"{state}","history_length":1,"max_task_bytes":8192}}"#),
        Demand::Exact,
    )
}

/// Sequence numbers may pass 2^53, where a double skips every other integer.
fn large_sequence() -> Case {
    exchange(
        Tool::WaitTask,
        "after-seq-beyond-doubles",
        "a sequence number beyond 2^53",
        &fill(r#"{"task_id":"$TASK","after_seq":9007199254740993}"#),
        &fill(r#"{"task_id":"$TASK","timeout_ms":30000,"after_seq":9007199254740993,"max_task_bytes":24576}"#),
        Demand::Meaning,
    )
    .check(
        "wire.digits-kept",
        Expect::InBody {
            route: super::route(Tool::WaitTask),
            pointer: "/after_seq".to_owned(),
            rule: ValueRule::IsLiterally("9007199254740993".to_owned()),
        },
    )
}
