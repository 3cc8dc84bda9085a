//! Candidates that lie, flood, hang or die: each gets a clear verdict within its bound, and leaves nothing behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

/// Runs a few cases against a shell script, with short bounds.
fn judged(script: &str, arguments: &[&str]) -> (Output, Duration) {
    let directory = tempfile::tempdir().expect("a directory for the script");
    let path = directory.path().join("candidate");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the script is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the script is executable");
    let began = Instant::now();
    let output = Command::new(SUITE)
        .args(["run", "--quiet", "--time-scale", "0.1", "--jobs", "2"])
        .args(arguments)
        .arg("--")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("the suite runs");
    (output, began.elapsed())
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The answers of a server that opens a session and lists no tools; what follows decides what it does with calls.
const GREETS: &str = r#"
while read -r line; do
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}' ;;
"#;

#[test]
fn those_that_do_not_start_are_told_apart_from_those_that_fail() {
    let table = [
        ("exits at once", "exit 3", "exit status 3"),
        ("says why on stderr", "echo 'no such module' >&2; exit 1", "no such module"),
        ("answers nothing", "cat > /dev/null", "initialize"),
        ("prints a banner only", "echo 'server ready'; cat > /dev/null", "no JSON-RPC message"),
        ("speaks nonsense", "while read -r line; do echo '{\"hello\":1}'; done", "initialize"),
        ("echoes", "cat", "initialize"),
    ];
    for (what, script, expected) in table {
        let (output, took) = judged(script, &[]);
        assert_eq!(output.status.code(), Some(6), "{what}: {}", said(&output));
        assert!(said(&output).contains(expected), "{what}: {}", said(&output));
        assert!(said(&output).contains("what to do"), "{what}: {}", said(&output));
        assert!(took < Duration::from_secs(20), "{what} took {took:?}");
    }
}

#[test]
fn what_cannot_be_run_is_said_so() {
    let output = Command::new(SUITE).args(["run", "--", "/no/such/program"]).output().expect("the suite runs");
    assert_eq!(output.status.code(), Some(6), "{}", said(&output));
    assert!(said(&output).contains("cannot be run"), "{}", said(&output));
}

#[test]
fn one_that_greets_and_then_hangs_fails_and_ends() {
    let (output, took) = judged(&format!("{GREETS}  esac\ndone"), &["--only", "exchange/**"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("Stopped early"), "{}", said(&output));
    assert!(took < Duration::from_secs(60), "took {took:?}");
}

#[test]
fn one_that_dies_of_a_call_fails_each_time() {
    let script = format!("{GREETS}    *'\"tools/call\"'*) exit 9 ;;\n  esac\ndone");
    let (output, _) = judged(&script, &["--only", "exchange/get_task"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("(crash)"), "{}", said(&output));
}

#[test]
fn a_flood_costs_no_memory() {
    let script = format!(
        "head -c 300000000 /dev/zero | tr '\\0' 'x' >&2 &\n{GREETS}    *'\"tools/call\"'*) yes x | head -c 30000000 ;;\n  esac\ndone"
    );
    let (output, took) = judged(&script, &["--only", "exchange/get_task/minimal"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(took < Duration::from_secs(60), "took {took:?}");
}

#[test]
fn one_that_ignores_sigterm_and_leaves_a_child_behind_is_cleaned_up() {
    let directory = tempfile::tempdir().expect("a directory for the trace");
    let trace = directory.path().join("pid");
    let script = format!(
        "trap '' TERM\nsleep 300 > /dev/null 2>&1 < /dev/null &\necho $! > {}\n{GREETS}  esac\ndone\nsleep 300",
        trace.display()
    );
    let (output, took) = judged(&script, &["--only", "exchange/get_task/minimal"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(took < Duration::from_secs(60), "took {took:?}");
    let child = fs::read_to_string(&trace).expect("the child was started");
    // A process that is gone has no entry, and one that nobody has waited for yet is a zombie.
    let status = fs::read_to_string(Path::new("/proc").join(child.trim()).join("status")).unwrap_or_default();
    assert!(status.is_empty() || status.contains("State:\tZ"), "the child outlived the run: {status}");
}

#[test]
fn an_interrupted_run_says_so_and_leaves_nothing_running() {
    let mut run = Command::new(SUITE)
        .args(["run", "--quiet", "--", "sh", "-c", "cat > /dev/null; sleep 300"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the suite runs");
    std::thread::sleep(Duration::from_millis(500));
    let interrupt = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill runs");
    assert!(interrupt.success());
    let status = run.wait().expect("the run ends");
    assert_eq!(status.code(), Some(130));
}
