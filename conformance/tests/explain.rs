//! `explain`: what a stranger is told about an id, by the program itself.

use std::path::Path;
use std::process::{Command, Output};

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

fn run(arguments: &[&str]) -> Output {
    Command::new(SUITE).arg("explain").args(arguments).output().expect("the suite runs")
}

/// What it says about an id that exists.
fn said(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn has_all(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in:\n{text}");
    }
}

#[test]
fn a_ruling_is_told_with_its_reason_and_what_cites_it() {
    let text = said(&["R6"]);
    has_all(&text, &["R6  What is sent", "24576", "why ", "docs/rulings.md", "wire.request-meaning", "must"]);
    assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    assert_eq!(text, said(&["rulings", "R6"]));
    assert_eq!(text, said(&["r6"]));
}

#[test]
fn a_requirement_leads_to_the_files_in_which_its_sources_stand() {
    let text = said(&["wire.request-meaning"]);
    has_all(
        &text,
        &["control-plane section 2; rulings R6", "docs/contract.md#2-", "R6: What is sent", "docs/rulings.md"],
    );
    let text = said(&["errors.sentence-exact"]);
    has_all(&text, &["MCP tools", "docs/requirements.md", "R1: A failed tool call", "page."]);
}

#[test]
fn every_link_of_an_explanation_leads_to_a_heading() {
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contract.md");
    let contract = std::fs::read_to_string(contract).expect("the contract is in the repository");
    let headings: Vec<String> = contract
        .lines()
        .filter(|line| line.starts_with("##"))
        .map(|line| line.trim_start_matches('#').trim().to_lowercase().replace(['`', '.', ':', '/', ','], ""))
        .map(|heading| heading.replace(' ', "-"))
        .collect();
    for id in ["wire.request-meaning", "facts.instructions", "portability.items", "send_message", "audit"] {
        let text = said(&[id]);
        let link =
            text.split("docs/contract.md#").nth(1).expect("a link").split_whitespace().next().expect("an anchor");
        assert!(headings.iter().any(|heading| heading == link), "{id}: #{link} is not among {headings:?}");
    }
}

#[test]
fn a_section_of_the_contract_is_printed() {
    let text = said(&["control-plane", "2.7"]);
    has_all(&text, &["docs/contract.md#27-", "/tasks/wait", "timeout_ms", "anet.wait"]);
    assert!(!text.contains("/tasks/cancel"), "{text}");
    assert_eq!(text, said(&["control-plane section 2.7"]));
}

#[test]
fn a_tool_is_told_with_its_arguments_its_body_and_its_cases() {
    let text = said(&["get_task"]);
    has_all(
        &text,
        &[
            "get_task  POST /tasks/get",
            "docs/contract.md#25-",
            "task_id             string   -           required  task_id",
            "history_length      integer  from 0      -         history_length",
            r#""max_task_bytes":24576"#,
            "the smallest call",
            "  exchange  ",
            "cases on get_task",
            "anet-conformance --tool get_task",
        ],
    );
    let text = said(&["list_agents"]);
    has_all(
        &text,
        &[
            "limit               integer  1 to 100    20        limit",
            "query               string   -           -         q\n",
        ],
    );
    let text = said(&["send_message"]);
    has_all(&text, &["timeout_seconds     integer  1 to 300    30        timeout_ms", "files", "message", "ROLE_USER"]);
    let text = said(&["get_balance"]);
    has_all(&text, &["POST /balance", "/payments/status", "no arguments", "only these cases serve"]);
}

#[test]
fn every_tool_and_every_group_can_be_explained() {
    let list = Command::new(SUITE).arg("list").output().expect("the suite runs");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let groups: Vec<_> = list.lines().filter_map(|line| line.strip_suffix(" cases")?.split_once(": ")).collect();
    assert!(groups.len() >= 11, "{groups:?}");
    for (group, count) in groups {
        has_all(&said(&[group]), &[&format!("{count} cases below `{group}`")]);
    }
    for tool in anet_conformance::page::Tool::ALL {
        has_all(&said(&[tool.name()]), &["POST /", "cases on", "the smallest call"]);
    }
}

#[test]
fn the_beginning_of_an_id_lists_what_is_below() {
    let text = said(&["exchange/send_message"]);
    has_all(&text, &["cases below `exchange/send_message`", "exchange/send_message/minimal", "must"]);
    assert!(!text.contains("exchange/get_task"), "{text}");
    let text = said(&["wire"]);
    has_all(&text, &["requirements begin with `wire`", "wire.request-meaning", "must"]);
    let text = said(&["errors"]);
    has_all(&text, &["requirements begin with `errors`", "errors.sentence-exact", "cases below `errors`"]);
    let text = said(&["exchange/*/minimal"]);
    has_all(&text, &["exchange/wait_task/minimal", "exchange/audit/minimal"]);
}

#[test]
fn what_does_not_exist_is_answered_with_what_is_near() {
    for (wrong, near) in [
        ("wire.request-meanin", "wire.request-meaning"),
        ("get_tsak", "get_task"),
        ("exchange/get_tsak/minimal", "exchange/get_task/minimal"),
        ("errors.sentence_exact", "errors.sentence-exact"),
    ] {
        let output = run(&[wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("near are") && text.contains(&format!("`{near}`")), "{wrong}: {text}");
    }
    for wrong in ["R99", "control-plane 77", "", "@@@@"] {
        let output = run(&[wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_case_is_told_with_whole_documents_to_the_letter() {
    let text = said(&["exchange/wait_task/minimal"]);
    has_all(
        &text,
        &["what the client does", "the daemon is asked /tasks/wait once, meaning", "exchange/wait_task/minimal"],
    );
    assert!(text.split_whitespace().collect::<String>().contains(r#""timeout_ms":30000"#), "{text}");
    // Every case whose documents hold numbers in unusual spellings shows them as they are.
    let cases = anet_conformance::cases::all();
    let literal = cases.iter().filter_map(|case| {
        case.steps.iter().find_map(|step| match step {
            anet_conformance::case::Step::Script(rule) => match &rule.reply {
                anet_mock_daemon::Reply::Respond(answer) => {
                    let body = String::from_utf8(answer.body.clone()).ok()?;
                    (body.contains(":1.0") && body.chars().count() <= 4_000).then_some((case, body))
                }
                _ => None,
            },
            _ => None,
        })
    });
    let mut seen = 0;
    for (case, body) in literal.take(3) {
        seen += 1;
        let text = said(&[&case.id]);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert!(bare(&text).contains(&bare(&body)), "{} is cut or changed: {text}", case.id);
        assert!(text.contains("1.0"), "{text}");
    }
    assert!(seen > 0, "no case answers with 1.0");
}

#[test]
fn a_case_in_another_revision_is_told_too() {
    let text = said(&["exchange/get_task/minimal@2024-11-05"]);
    has_all(&text, &["MCP 2024-11-05", "--only exchange/get_task/minimal"]);
}

#[test]
fn every_id_is_explained_and_no_prose_runs_wide() {
    let cases = anet_conformance::cases::all();
    for requirement in anet_conformance::requirement::all().keys() {
        let text = anet_conformance::explain::explain(requirement, &cases).expect("it exists");
        for line in text.lines().filter(|line| !line.contains(['#', '/'])) {
            assert!(line.chars().count() <= 90, "{requirement}: {line}");
        }
    }
    for case in &cases {
        let text = anet_conformance::explain::explain(&case.id, &cases).expect("it exists");
        assert!(text.contains(&case.id) && !text.contains("Respond("), "{}", case.id);
    }
}
