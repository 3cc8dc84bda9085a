//! The suite bites: every mutant is failed by the cases meant for it, for the requirement that it breaks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

/// A line of `mutant --list`.
struct Mutant {
    name: String,
    breaks: String,
    killed_by: String,
}

/// The program of the mutants, which `cargo test` builds beside the suite.
fn program() -> PathBuf {
    let path = Path::new(SUITE).with_file_name("examples").join("mutant");
    assert!(path.exists(), "{} is not built; `cargo build --example mutant` builds it", path.display());
    path
}

fn mutants() -> Vec<Mutant> {
    let output = Command::new(program()).arg("--list").output().expect("the mutants list themselves");
    let list = String::from_utf8(output.stdout).expect("names are UTF-8");
    list.lines()
        .map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            let mut next = || fields.next().expect("four fields a line");
            Mutant { name: next(), breaks: next(), killed_by: next() }
        })
        .collect()
}

/// Runs the cases meant for a mutant against it, and says what is wrong with the outcome.
fn complaint(mutant: &Mutant, directory: &Path) -> Option<String> {
    let report = directory.join(format!("{}.json", mutant.name));
    let output = Command::new(SUITE)
        .args(["run", "--quiet", "--jobs", "1", "--only", &mutant.killed_by, "--report"])
        .arg(format!("json={}", report.display()))
        .arg("--")
        .arg(program())
        .arg(&mutant.name)
        .output()
        .expect("the suite runs");
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    let Ok(report) = std::fs::read(&report) else {
        return Some(format!("no report was written: {}", said()));
    };
    let report: Value = serde_json::from_slice(&report).expect("the report is JSON");
    let results = report["results"].as_array().expect("the report has results");
    let mut killers = Vec::new();
    let mut level = String::new();
    for result in results {
        for check in result["checks"].as_array().into_iter().flatten() {
            if check["finding"] == "broken" && check["requirement"] == mutant.breaks.as_str() {
                killers.push(result["id"].as_str().unwrap_or_default().to_owned());
                check["level"].as_str().unwrap_or_default().clone_into(&mut level);
            }
        }
    }
    if killers.is_empty() {
        let broken: Vec<_> = results
            .iter()
            .flat_map(|result| result["checks"].as_array().into_iter().flatten())
            .filter(|check| check["finding"] == "broken")
            .map(|check| check["requirement"].as_str().unwrap_or_default())
            .collect();
        return Some(format!("no case of `{}` saw {} broken; broken are {broken:?}", mutant.killed_by, mutant.breaks));
    }
    let expected = if level == "must" { Some(1) } else { None };
    if expected.is_some() && output.status.code() != expected {
        return Some(format!("a must is violated, and the exit code is {:?}", output.status.code()));
    }
    None
}

#[test]
fn every_mutant_is_killed_by_the_cases_meant_for_it() {
    let mutants: Vec<_> = mutants().into_iter().filter(|mutant| mutant.killed_by != "-").collect();
    assert!(mutants.len() >= 60, "only {} mutants", mutants.len());
    let directory = tempfile::tempdir().expect("a directory for the reports");
    let next = AtomicUsize::new(0);
    let survivors = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(complaint) = complaint(mutant, directory.path()) {
                        let line = format!("{}: {complaint}", mutant.name);
                        survivors.lock().expect("no thread panicked").push(line);
                    }
                }
            });
        }
    });
    let survivors = survivors.into_inner().expect("no thread panicked");
    assert!(survivors.is_empty(), "{} mutants survive:\n{}", survivors.len(), survivors.join("\n"));
}

#[test]
fn a_candidate_that_ends_at_once_would_not_start() {
    let output = Command::new(SUITE)
        .args(["run", "--quiet", "--"])
        .arg(program())
        .arg("ends-at-once")
        .output()
        .expect("the suite runs");
    assert_eq!(output.status.code(), Some(6), "{}", String::from_utf8_lossy(&output.stderr));
}
