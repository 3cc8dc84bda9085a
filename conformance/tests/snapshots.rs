//! Golden exchanges: for each tool what the client sends, what the daemon is asked, and what the client gets back.
//!
//! They are made by the cases that fill every parameter, stand in the top-level `snapshots/`, one file each, and are read
//! by people: a change of one is a change of behaviour.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

/// The case whose exchange is golden, for each tool.
const GOLDEN: [(&str, &str); 16] = [
    ("list_agents", "exchange/list_agents/full"),
    ("get_agent_card", "exchange/get_agent_card/minimal"),
    ("send_message", "exchange/send_message/minimal"),
    ("send_message-capability", "exchange/send_message/args"),
    ("send_message-file", "exchange/send_message/file"),
    ("get_task", "exchange/get_task/minimal"),
    ("list_tasks", "exchange/list_tasks/full"),
    ("wait_task", "exchange/wait_task/full"),
    ("cancel_task", "exchange/cancel_task/minimal"),
    ("reply_task", "exchange/reply_task/full"),
    ("submit_payment", "exchange/submit_payment/full"),
    ("reject_payment", "exchange/reject_payment/minimal"),
    ("get_balance", "exchange/get_balance/minimal"),
    ("audit", "exchange/audit/full"),
    ("node_status", "exchange/node_status/minimal"),
    ("inbound_pending", "exchange/inbound_pending/minimal"),
];

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")
}

fn report(only: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory for the report");
    let file = directory.path().join("report.json");
    let mut command = Command::new(SUITE);
    command.args(["run", "--quiet", "--transcripts", "--report"]).arg(format!("json={}", file.display()));
    for pattern in only {
        command.args(["--only", pattern]);
    }
    let output = command.output().expect("the suite runs");
    let text =
        std::fs::read(&file).unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_slice(&text).expect("the report is JSON")
}

/// The golden form of a transcript: who said what, JSON over several lines, ids that the client counts left out.
fn golden(result: &Value) -> String {
    let mut out =
        format!("{}\n{}\n", result["id"].as_str().unwrap_or_default(), result["title"].as_str().unwrap_or_default());
    // Whether the case came first in its session, and so shows the handshake, depends on the number of processors.
    let moments = result["transcript"].as_array().expect("a transcript").iter();
    let is_call = |moment: &&Value| moment["text"].as_str().is_some_and(|text| text.contains("\"tools/call\""));
    for moment in moments.skip_while(|moment| !is_call(moment)) {
        let who = moment["who"].as_str().unwrap_or_default();
        let text = moment["text"].as_str().unwrap_or_default();
        let (head, body) = match text.find('{') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let body = match serde_json::from_str::<Value>(body) {
            Ok(mut json) => {
                if let Some(members) = json.as_object_mut()
                    && members.contains_key("jsonrpc")
                {
                    members.insert("id".to_owned(), Value::from("ID"));
                }
                format!("{json:#}")
            }
            Err(_) => body.to_owned(),
        };
        let _ = write!(out, "\n== {who}\n{head}{body}\n");
    }
    out
}

#[test]
fn each_tool_has_a_golden_exchange() {
    let patterns: Vec<_> = GOLDEN.iter().map(|(_, case)| *case).collect();
    let report = report(&patterns);
    let results = report["results"].as_array().expect("results");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(snapshots());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, case) in GOLDEN {
            let result =
                results.iter().find(|result| result["id"] == case).unwrap_or_else(|| panic!("{case} did not run"));
            assert_eq!(result["verdict"], "pass", "{case}");
            insta::assert_snapshot!(name, golden(result));
        }
    });
}

#[test]
fn no_snapshot_is_an_orphan() {
    let known: BTreeSet<_> = GOLDEN.iter().map(|(name, _)| format!("{name}.snap")).collect();
    for entry in std::fs::read_dir(snapshots()).expect("snapshots/ is there") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "snapshots/{name} belongs to no test");
    }
}
