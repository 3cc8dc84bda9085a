//! The tasks of the world, read by an independent implementation of A2A: the Python package `a2a-sdk`.
//!
//! Responsible for: every task of every shipped scenario, in both pages and over every route that shows tasks, parsed
//! strictly into the SDK's own types and written back without loss. Skipped, loudly, where there is no Python or no registry.

use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anet_mock_daemon::world::Page;
use anet_mock_daemon::{Outcome, Route, World, scenario};
use serde_json::{Value, json};

/// The version whose types the scenarios were read by first. Raised by hand, so that a new release breaks no old checkout.
const PACKAGE: &str = "a2a-sdk==1.3.0";
/// How long the installation may take: a slow registry must not hold up the tests.
const PATIENCE: Duration = Duration::from_secs(50);

/// Reads tasks, one a line; what the SDK does not know as a member or a value is an error, and so is what it forgets.
const READER: &str = r#"
import json, sys
from a2a.types import Task
from google.protobuf import json_format

def differs(path, ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            if name not in ours or name not in theirs:
                # Protocol buffers do not tell an empty list or text from an absent one.
                if (ours.get(name) or theirs.get(name)) not in ("", [], {}, None):
                    return f"{path}.{name}: only on one side"
                continue
            found = differs(f"{path}.{name}", ours[name], theirs[name])
            if found:
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs)):
            found = differs(f"{path}[{index}]", *pair)
            if found:
                return found
        return None
    if path.endswith("timestamp"):
        same = ours.rstrip("Z0").rstrip(".") == theirs.rstrip("Z0").rstrip(".")
    else:
        same = ours == theirs
    return None if same else f"{path}: {ours!r} became {theirs!r}"

count = 0
for line in sys.stdin:
    name, text = line.split("\t", 1)
    ours = json.loads(text)
    try:
        task = json_format.ParseDict(ours, Task())
    except json_format.ParseError as error:
        sys.exit(f"{name}: {error}")
    found = differs("task", ours, json_format.MessageToDict(task))
    if found:
        sys.exit(f"{name}: {found}")
    count += 1
print(count)
"#;

/// Runs a command to its end, or gives it up.
fn run(command: &mut Command, until: Instant) -> Result<Output, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            return Err("it took too long".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(output) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// A Python that has the package, kept below the target directory from run to run; else why there is none.
fn python() -> Result<PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE.replace("==", "-"));
    let python = home.join("bin/python");
    let whole = home.join("whole");
    if whole.exists() {
        return Ok(python);
    }
    let until = Instant::now() + PATIENCE;
    let _ = fs::remove_dir_all(&home);
    run(Command::new("python3").args(["-m", "venv"]).arg(&home), until).map_err(|why| format!("python3: {why}"))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
    run(Command::new(&python).args(install), until).map_err(|why| format!("pip install {PACKAGE}: {why}"))?;
    // An installation that was broken off is made anew.
    fs::write(&whole, "").map_err(|error| error.to_string())?;
    Ok(python)
}

fn ask(world: &World, route: Route, body: &Value) -> Value {
    let answer = match world.answer(route, body.to_string().as_bytes()) {
        Outcome::Now(answer) => answer,
        Outcome::Later(waiting) => (waiting.resume)(true).expect("a wait that timed out answers"),
    };
    assert_eq!(answer.status, 200, "{body}");
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// Every task of a world as its routes show it: whole, cut to size, and in lists.
fn shown(world: &World, name: &str, lines: &mut String) -> usize {
    let ids: Vec<String> = world.with(|state| state.tasks().iter().map(|task| task.id.clone()).collect());
    let mut count = 0;
    let mut note = |task: &Value, how: &str| {
        lines.extend([name, ", ", how, ", ", &task["id"].to_string(), "\t", &task.to_string(), "\n"]);
        count += 1;
    };
    for id in &ids {
        note(&ask(world, Route::TasksGet, &json!({"task_id": id})), "get");
        note(&ask(world, Route::TasksGet, &json!({"task_id": id, "max_task_bytes": 24_576})), "get with a bound");
    }
    let mut listed = 0;
    let mut token = json!("");
    loop {
        let answer = ask(
            world,
            Route::TasksList,
            &json!({"page_size": 100, "page_token": token, "include_artifacts": true, "max_task_bytes": 8192}),
        );
        for task in answer["tasks"].as_array().expect("a list") {
            note(task, "list");
            listed += 1;
        }
        token = answer["nextPageToken"].clone();
        if token == "" {
            break;
        }
    }
    assert_eq!(listed, ids.len(), "{name}: the list has them all");
    count
}

#[test]
fn every_task_of_every_scenario_is_a_task_to_the_a2a_sdk() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => {
            let why = why.lines().last().unwrap_or_default();
            // Not `eprintln!`: the test harness would keep that to itself.
            let loud = format!("\n*** SKIPPED: no task was read by {PACKAGE}: {why} ***\n");
            let _ = std::io::stderr().write_all(loud.as_bytes());
            return;
        }
    };
    let (mut lines, mut count) = (String::new(), 0);
    for (name, _) in scenario::NAMES {
        for page in [Page::V02, Page::V03] {
            let mut state = scenario::named(name).expect("a shipped scenario");
            state.page = page;
            count += shown(&World::new(state), &format!("{name} {page:?}"), &mut lines);
        }
    }
    assert!(count > 500, "{count}");
    // A reader that takes everything would prove nothing.
    let good = lines.lines().next().and_then(|line| line.split_once('\t')).expect("the first task").1.to_owned();
    for (from, to) in [
        ("TASK_STATE_", "TASK_STATUS_"),
        ("\"contextId\"", "\"conversation\""),
        ("\"history\":[", "\"history\":[7,"),
        ("\"parts\":[{", "\"parts\":[{\"kind\":\"text\","),
    ] {
        assert!(good.contains(from), "{from}: {good}");
        let read = read(&python, &format!("broken\t{}\n", good.replacen(from, to, 1)));
        assert!(read.is_err(), "{to} was taken");
    }
    assert_eq!(read(&python, &lines), Ok(count.to_string()));
}

/// Lets the SDK read these lines: how many tasks there are, or what is wrong with one.
fn read(python: &Path, lines: &str) -> Result<String, String> {
    let mut input = tempfile::tempfile().expect("a file");
    input.write_all(lines.as_bytes()).and_then(|()| input.rewind()).expect("written");
    let output = Command::new(python).args(["-c", READER]).stdin(input).output().expect("it was just used");
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
