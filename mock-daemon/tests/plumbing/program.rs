//! The program, as a person meets it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::raw::{Raw, Told};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anet-mock-daemon"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running program and the paragraph it printed.
struct Running {
    child: Child,
    paragraph: String,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("it is built");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut paragraph = String::new();
        while !paragraph.contains("Ctrl-C") {
            assert_ne!(stdout.read_line(&mut paragraph).expect("text"), 0, "it ended: {paragraph}");
        }
        Self { child, paragraph }
    }

    fn end(mut self, signal: Signal) -> (ExitStatus, String) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
        let mut log = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut log).expect("text");
        (self.child.wait().expect("it ends"), log)
    }
}

/// Asks as a client would that knows nothing but the data directory.
async fn ask(home: &Path, path: &str) -> Told {
    let config: serde_json::Value =
        serde_json::from_slice(&fs::read(home.join("config.json")).expect("a config")).expect("JSON");
    let address = config["control_addr"].as_str().expect("an address");
    let token = fs::read_to_string(home.join("control_token.txt")).expect("a token");
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Length: 2\r\n\r\n{{}}",
        token.trim()
    );
    let mut raw = Raw::to(address.parse().expect("an address")).await;
    raw.send(request.as_bytes()).await;
    raw.told().await.expect("an answer")
}

#[tokio::test]
async fn it_says_how_to_use_it_logs_and_leaves_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let root = TempDir::new().expect("a directory");
        let (home, journal) = (root.path().join("a/b/home"), root.path().join("journal.jsonl"));
        let running = Running::start(program().arg("--home").arg(&home).arg("--journal").arg(&journal));
        let told = format!("ANET_DATA_DIR={} anet mcp", home.display());
        assert!(running.paragraph.contains(&told) && running.paragraph.contains("curl "), "{}", running.paragraph);
        assert_eq!(ask(&home, "/status").await.status, 200);
        assert_eq!(ask(&home, "/shutdown").await.status, 404);
        let token = fs::read_to_string(home.join("control_token.txt")).expect("a token");
        let (status, log) = running.end(signal);
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(!root.path().join("a").exists(), "the directories above went as well");
        // Two connections at once: either may be over first.
        let line = |of: &str| log.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("{of}: {log}"));
        assert_eq!(log.lines().count(), 2, "{log}");
        assert!(line(" POST /status 200 ").ends_with(" ms"), "{log}");
        assert!(line(" POST /shutdown 404 (unknown path) ").ends_with(" ms"), "{log}");
        assert!(!log.contains('\u{1b}'), "no colours in a pipe");
        let records = fs::read_to_string(&journal).expect("a journal");
        assert!(!records.contains(token.trim()) && !log.contains(token.trim()));
        let mut records: Vec<serde_json::Value> =
            records.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        records.sort_by_key(|record| record["index"].as_u64());
        assert_eq!((&records[0]["route"], &records[1]["trespass"]), (&"/status".into(), &"unknown path".into()));
    }
}

#[tokio::test]
async fn without_a_home_it_makes_one_and_quiet_is_quiet() {
    let running = Running::start(program().arg("--quiet"));
    let home = running.paragraph.split("ANET_DATA_DIR=").nth(1).and_then(|rest| rest.split(' ').next()).expect("named");
    let home = Path::new(home).to_owned();
    assert_eq!(ask(&home, "/status").await.status, 200);
    let (status, log) = running.end(Signal::TERM);
    assert_eq!((status.code(), log.as_str()), (Some(0), ""));
    assert!(!home.exists());
}

#[test]
fn it_goes_by_the_name_that_it_is_called_by() {
    use std::os::unix::process::CommandExt as _;
    for name in ["anet-mock-daemon", "anet-conformance daemon"] {
        let help = program().arg0(name).arg("--help").output().expect("it ends");
        let help = String::from_utf8(help.stdout).expect("text");
        assert!(help.contains(&format!("Usage: {name} [OPTIONS]")), "{help}");
        let failed = program().arg0(name).args(["--scenario", "nothing"]).output().expect("it ends");
        let said = String::from_utf8(failed.stderr).expect("text");
        assert!(said.starts_with(&format!("{name}: There is no scenario")), "{said}");
    }
    let help = program().arg0("/usr/bin/anet-mock-daemon").arg("--help").output().expect("it ends");
    assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: anet-mock-daemon [OPTIONS]"));
}

#[test]
fn what_cannot_work_is_said_with_what_to_do() {
    let home = TempDir::new().expect("a directory");
    fs::write(home.path().join("config.json"), "{}").expect("written");
    let broken = home.path().join("broken.toml");
    fs::write(&broken, "base = \"quiet\"\n\n[[agents]]\nname = \"x\"\nbehaviour = \"sings\"\n").expect("written");
    let broken = broken.to_str().expect("text");
    let place = format!("The scenario {broken} cannot be used: line 5: agents[0].behaviour: ");
    let unknown = home.path().join("unknown.toml");
    fs::write(&unknown, "\n[limits]\nmost = 1\n").expect("written");
    let unknown = unknown.to_str().expect("text");
    let table: [(&[&str], i32, &str); 9] = [
        (&["--scenario", "nothing"], 1, "Shipped are quiet, busy, market, provider, trouble, huge."),
        (&["--scenario", broken], 1, &place),
        (&["--scenario", unknown], 1, "line 3"),
        (&["--scenario", unknown], 1, "most"),
        (&["--page", "0.4"], 2, "0.2, 0.3"),
        (&["--home", home.path().to_str().expect("text")], 1, "Name a directory that is empty"),
        (&["--journal", "/nowhere/at/all"], 1, "Name a file that can be written"),
        (&["--port", "70000"], 2, "--port"),
        (&["--nonsense"], 2, "--help"),
    ];
    for (arguments, code, hint) in table {
        let output = program().args(arguments).output().expect("it ends");
        let log = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {log}");
        assert!(log.contains(hint) && output.stdout.is_empty(), "{arguments:?}: {log}");
    }
    let help = program().arg("--help").output().expect("it ends");
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--home <DIR>"));
    let help = String::from_utf8_lossy(&help.stdout);
    let list = program().arg("--list-scenarios").output().expect("it ends");
    assert!(list.status.success() && list.stderr.is_empty());
    let list = String::from_utf8_lossy(&list.stdout);
    for (name, what) in anet_mock_daemon::scenario::NAMES {
        assert!(help.contains(what) && list.contains(name) && list.contains(what), "{name}");
    }
    assert!(help.contains("approve ID"));
}

#[tokio::test]
async fn the_world_is_the_one_that_was_asked_for_and_time_passes() {
    let root = TempDir::new().expect("a directory");
    let (home, file) = (root.path().join("home"), root.path().join("world.toml"));
    let world = r#"
        [[agents]]
        name = "soon"
        behaviour = "answers-after-300"
        [[sent]]
        to = "soon"
        text = "hello"
        [[sent]]
        to = "silent"
        text = "hello"
    "#;
    fs::write(&file, world).expect("written");
    let running =
        Running::start(program().args(["--page", "0.2", "--quiet", "--scenario"]).arg(&file).arg("--home").arg(&home));
    let node = ask(&home, "/status").await.json();
    assert_eq!(node["version"], "0.2.1");
    assert_eq!(node["data_dir"].as_str(), home.to_str());
    let port = node["console_url"].as_str().expect("an address").to_owned();
    assert!(running.paragraph.contains(port.trim_start_matches("http://").trim_end_matches("/console")), "{port}");
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let states: Vec<_> = ask(&home, "/tasks/list").await.json()["tasks"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|task| task["status"]["state"].as_str().expect("a state").to_owned())
            .collect();
        assert_eq!(states.len(), 2);
        if states.contains(&"TASK_STATE_COMPLETED".to_owned()) {
            break;
        }
        assert!(Instant::now() < until, "{states:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(running.end(Signal::TERM).0.code(), Some(0));
}

#[tokio::test]
async fn commands_are_taken_on_stdin_and_its_end_is_not_the_programs() {
    let root = TempDir::new().expect("a directory");
    let home = root.path().join("home");
    let mut running = Running::start(program().stdin(Stdio::piped()).arg("--quiet").arg("--home").arg(&home));
    let held = ask(&home, "/inbound/pending").await.json();
    let id = held["pending"][0]["interaction_id"].as_str().expect("one is held").to_owned();
    let mut stdin = running.child.stdin.take().expect("piped");
    write!(stdin, "approve {id}\n\nsing\nadvance 1\nheld").expect("it reads");
    drop(stdin);
    let mut said = BufReader::new(running.child.stderr.take().expect("piped"));
    let mut lines = Vec::new();
    for _ in 0..4 {
        let mut line = String::new();
        said.read_line(&mut line).expect("text");
        lines.push(line);
    }
    assert_eq!(lines[0], format!("Approved {id}.\n"));
    assert!(lines[1].starts_with("Not understood: sing. "), "{lines:?}");
    assert!(lines[2].starts_with("It is 2026-10-12T08:21:"), "{lines:?}");
    assert!(lines[3].contains(" from "), "{lines:?}");
    assert_eq!(ask(&home, "/inbound/pending").await.json()["pending"].as_array().map(Vec::len), Some(1));
    running.child.stderr = Some(said.into_inner());
    assert_eq!(running.end(Signal::TERM).0.code(), Some(0));
}

#[tokio::test]
async fn a_caller_that_waits_does_not_keep_it_from_ending() {
    let root = TempDir::new().expect("a directory");
    let home = root.path().join("home");
    let running = Running::start(program().arg("--home").arg(&home).arg("--quiet"));
    let config: serde_json::Value =
        serde_json::from_slice(&fs::read(home.join("config.json")).expect("a config")).expect("JSON");
    let idle = TcpStream::connect(config["control_addr"].as_str().expect("an address")).await.expect("it listens");
    assert_eq!(running.end(Signal::TERM).0.code(), Some(0));
    drop(idle);
}
