//! The reference server passes every case, and so does a server in another language that shares no code with it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

/// Runs the whole suite and gives back what it printed and its report.
fn judged(arguments: &[&str], candidate: &[&str]) -> (Output, Value) {
    let directory = tempfile::tempdir().expect("a directory for the report");
    let file = directory.path().join("report.json");
    let mut command = Command::new(SUITE);
    command.args(["run", "--quiet", "--report"]).arg(format!("json={}", file.display())).args(arguments);
    if !candidate.is_empty() {
        command.arg("--").args(candidate);
    }
    let output = command.output().expect("the suite runs");
    let report =
        std::fs::read(&file).unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    (output, serde_json::from_slice(&report).expect("the report is JSON"))
}

fn ids_with(report: &Value, verdict: &str) -> Vec<String> {
    let results = report["results"].as_array().expect("the report has results");
    results
        .iter()
        .filter(|result| result["verdict"] == verdict)
        .map(|result| {
            format!("{}: {}", result["id"].as_str().unwrap_or_default(), result["message"].as_str().unwrap_or_default())
        })
        .collect()
}

#[test]
fn the_reference_passes_every_must_and_every_should() {
    let (output, report) = judged(&["--strict"], &[]);
    for verdict in ["fail", "warn", "not-exercised", "harness-error"] {
        let found = ids_with(&report, verdict);
        assert!(found.is_empty(), "{verdict}:\n{}", found.join("\n"));
    }
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(report["totals"]["cases"], report["kit"]["cases"], "a case was left out");
}

#[test]
fn a_server_in_plain_python_passes_every_must() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: python3 is not on PATH, so the Python example was not judged");
        return;
    }
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python-plain/server.py");
    let server = server.to_str().expect("the path is UTF-8");
    let (output, report) = judged(&[], &["python3", server]);
    for verdict in ["fail", "not-exercised", "harness-error"] {
        let found = ids_with(&report, verdict);
        assert!(found.is_empty(), "{verdict}:\n{}", found.join("\n"));
    }
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}
