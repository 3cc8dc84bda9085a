//! The program from outside: arguments, streams, signals and the end.

mod fake;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use fake::{Fake, Reply, TOKEN, eventually};
use serde_json::Value;

/// The program in the environment that hosts give, and nothing else.
fn program(home: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anet-mcp"));
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
    command.current_dir(home);
    command
}

fn session(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn answers(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("nothing but JSON on standard output")).collect()
}

fn answer(output: &Output, id: u64) -> Value {
    answers(output).into_iter().find(|answer| answer["id"] == id).expect("an answer")
}

const HANDSHAKE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);
const STATUS: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"node_status"}}"#;

#[test]
fn a_piped_session_is_answered_in_full() {
    let fake =
        Fake::start(|_| Reply::ok("{\"aid\":\"bafy\",\"n\":1.0,\"text\":\"世😀\"}").after(Duration::from_millis(100)));
    let home = fake.home();
    for start in [&[][..], &["serve"], &["mcp"]] {
        let mut command = program(home.path());
        command
            .args(start)
            .env("ANET_DATA_DIR", home.path())
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("http_proxy", "http://127.0.0.1:9");
        let output = session(command, &format!("{HANDSHAKE}{STATUS}"));
        assert!(output.status.success());
        assert_eq!(
            answer(&output, 2)["result"]["content"][0]["text"],
            "{\"aid\":\"bafy\",\"n\":1.0,\"text\":\"世😀\"}"
        );
        assert!(output.stderr.is_empty(), "silent unless asked: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn without_a_daemon_it_serves_and_says_what_is_missing() {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.env("ANET_DATA_DIR", home.path().join("nowhere"));
    let output = session(command, &format!("{HANDSHAKE}{STATUS}"));
    assert!(output.status.success());
    let result = &answer(&output, 2)["result"];
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("`anet up`"));
    assert!(std::fs::read_dir(home.path()).unwrap().next().is_none(), "nothing is created");
}

#[test]
fn a_foreign_address_never_hears_the_token() {
    let fake = Fake::start(|_| Reply::ok("{}"));
    let home = fake.home();
    let port = fake.address().rsplit_once(':').unwrap().1.to_owned();
    fake::write_home(home.path(), &format!("0.0.0.0:{port}"), TOKEN);
    let mut command = program(home.path());
    command.env("ANET_DATA_DIR", home.path());
    let output = session(command, &format!("{HANDSHAKE}{STATUS}"));
    assert!(answer(&output, 2)["result"]["content"][0]["text"].as_str().unwrap().contains("not on this machine"));
    assert!(fake.seen().is_empty());
}

#[test]
fn the_token_is_in_no_log() {
    let fake = Fake::start(|_| Reply::ok("{}"));
    let home = fake.home();
    let mut command = program(home.path());
    command.args(["--log", "trace"]).env("ANET_DATA_DIR", home.path());
    let output = session(command, &format!("{HANDSHAKE}{STATUS}"));
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("calling the daemon"), "{log}");
    assert!(!log.contains(TOKEN) && !String::from_utf8(output.stdout).unwrap().contains(TOKEN));
}

fn started(home: &std::path::Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = program(home);
    command.env("ANET_DATA_DIR", home).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(HANDSHAKE.as_bytes()).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("protocolVersion"), "{line}");
    (child, output)
}

fn ends_well_within_two_seconds(mut child: Child) {
    let began = Instant::now();
    let mut status = None;
    while status.is_none() && began.elapsed() < Duration::from_secs(2) {
        status = child.try_wait().unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    assert!(status.expect("an end within 2 seconds").success());
}

#[test]
fn sigterm_ends_it_like_the_end_of_the_input() {
    let fake = Fake::start(|_| Reply::ok("{}").after(Duration::from_secs(60)));
    let home = fake.home();
    for busy in [false, true] {
        let (mut child, _output) = started(home.path());
        if busy {
            let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_task","arguments":{"task_id":"t"}}}"#;
            writeln!(child.stdin.as_mut().unwrap(), "{call}").unwrap();
            eventually("the call to arrive", || fake.seen().len() == 1);
        }
        let signalled = Command::new("kill").arg(child.id().to_string()).status().unwrap();
        assert!(signalled.success());
        // Its input stays open all the while.
        let input = child.stdin.take();
        ends_well_within_two_seconds(child);
        drop(input);
    }
}

#[test]
fn a_client_that_reads_nothing_does_not_keep_it_from_ending() {
    let large = format!("{{\"x\":\"{}\"}}", "y".repeat(4 << 20));
    let fake = Fake::start(move |_| Reply::ok(large.clone()));
    let home = fake.home();
    let (mut child, mut output) = started(home.path());
    writeln!(child.stdin.as_mut().unwrap(), "{STATUS}").unwrap();
    let mut some = [0; 16];
    output.read_exact(&mut some).unwrap();
    drop(child.stdin.take());
    ends_well_within_two_seconds(child);
    drop(output);
}

#[test]
fn help_and_version_teach() {
    let home = tempfile::tempdir().unwrap();
    let shown = |args: &[&str]| {
        let output = program(home.path()).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let help = shown(&["--help"]);
    for word in ["doctor", "ANET_DATA_DIR", "ANET_ID", "ANET_MCP_LOG", "--id", "control_token.txt", "initialize"] {
        assert!(help.contains(word), "{word}");
    }
    let version = shown(&["--version"]);
    assert!(
        version.contains("page 0.3") && version.contains("2024-11-05") && version.contains("2026-07-28"),
        "{version}"
    );
    let wrong = program(home.path()).arg("--nope").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stdout.is_empty() && !wrong.stderr.is_empty());
    let name = program(home.path()).args(["--id", "../x"]).output().unwrap();
    assert_eq!(name.status.code(), Some(2));
    assert!(name.stdout.is_empty());
}

#[test]
fn the_doctor_tells_what_would_happen_and_never_the_token() {
    let fake = Fake::start(|_| Reply::ok("{\"aid\":\"bafyexample\",\"version\":\"0.3.0\"}"));
    let home = fake.home();
    let examined = |dir: &std::path::Path| {
        let output = program(dir).arg("doctor").env("ANET_DATA_DIR", dir).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(TOKEN), "{text}");
        (output.status.code(), text)
    };
    let (code, text) = examined(home.path());
    assert_eq!(code, Some(0), "{text}");
    for word in [home.path().to_str().unwrap(), "ANET_DATA_DIR", &fake.address(), "bafyexample", "0.3.0", "mode 0600"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    drop(fake);
    let (code, text) = examined(home.path());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("`anet up`") && text.contains("connection refused"), "{text}");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(examined(empty.path()).0, Some(1));
}
