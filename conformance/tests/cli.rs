//! The command line: exit codes, help, and what a mistake is answered with.

use std::process::{Command, Output};

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

fn run(arguments: &[&str]) -> Output {
    Command::new(SUITE).args(arguments).output().expect("the suite runs")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn mistakes_are_named_and_exit_with_2() {
    let table: [(&[&str], &str); 11] = [
        (&["--only", "exchange/get_tsak"], "exchange/get_task"),
        (&["--skip", "no/such"], "matches no case"),
        (&["--only", "exchange/**", "--skip", "exchange/**"], "no case"),
        (&["--report", "pdf=x"], "known is json"),
        (&["--report", "json="], "file is missing"),
        (&["--jobs", "0"], "jobs"),
        (&["--time-scale", "fast"], "0.01 to 1000"),
        (&["--"], "no command stands behind"),
        (&["run", "--only", "exchange/**", "--"], "no command stands behind"),
        (&["explain", "no.such"], "no requirement"),
        (&["python3", "server.py"], "stands behind `--`"),
    ];
    for (arguments, expected) in table {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn help_teaches_what_a_candidate_is_and_what_the_exit_codes_mean() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for word in ["ANET_DATA_DIR", "Exit codes", "Examples", "serve", "daemon", "explain", "--only"] {
        assert!(said(&output).contains(word), "{word} is missing: {}", said(&output));
    }
    assert!(said(&output).lines().all(|line| line.chars().count() <= 100), "{}", said(&output));
}

#[test]
fn a_selection_against_the_reference_exits_with_0() {
    let output = run(&["--quiet", "--only", "exchange/node_status"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_the_run() {
    let output = run(&["--quiet", "--only", "exchange/node_status", "--report", "json=/no/such/directory/report.json"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("/no/such/directory"), "{}", said(&output));
    assert!(!said(&output).contains("conformant"), "the run was not spared: {}", said(&output));
}

#[test]
fn a_full_disk_is_a_fault_of_the_kit_and_loses_nothing() {
    let output = run(&["--quiet", "--only", "exchange/node_status", "--report", "json=/dev/full"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("json=/dev/full"), "{}", said(&output));
    assert!(said(&output).contains("conformant"), "the report was not printed: {}", said(&output));
}

#[test]
fn a_report_on_standard_output_stands_alone() {
    let output = run(&["--quiet", "--only", "exchange/node_status", "--report", "json=-"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = anet_conformance::report::read(&output.stdout).expect("stdout is the report");
    assert!(!report.results.is_empty());
}

#[test]
fn every_case_and_every_requirement_can_be_explained() {
    let list = run(&["list"]);
    assert_eq!(list.status.code(), Some(0));
    let text = said(&list);
    let ids: Vec<_> =
        text.lines().filter(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert!(ids.len() >= 600, "{} cases are listed", ids.len());
    for id in ["errors.sentence-exact", ids[0], ids[ids.len() - 1]] {
        let output = run(&["explain", id]);
        assert_eq!(output.status.code(), Some(0), "{id}: {}", said(&output));
        assert!(said(&output).contains(id), "{}", said(&output));
    }
}

#[test]
fn output_in_a_pipe_has_no_colours_and_colours_can_be_asked_for() {
    let plain = run(&["--only", "exchange/node_status"]);
    assert!(!said(&plain).contains('\u{1b}'), "{}", said(&plain));
    let coloured = run(&["--only", "exchange/node_status", "--color", "always"]);
    assert!(String::from_utf8_lossy(&coloured.stdout).contains('\u{1b}'));
}

#[test]
fn the_reference_and_the_daemon_are_carried_along() {
    for program in ["serve", "daemon"] {
        let output = run(&[program, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{program}: {}", said(&output));
        assert!(said(&output).contains("Usage"), "{program}: {}", said(&output));
    }
}
