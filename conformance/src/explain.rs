//! `explain ID`: a requirement or a case, in words.

use std::fmt::Write as _;

use crate::case::{Case, Step};
use crate::ledger::{self, Class, Sentence};
use crate::requirement::{self, Requirement};

/// The explanation of a requirement, a sentence of the page or a case; none if there is nothing of that id.
pub fn explain(id: &str, cases: &[Case]) -> Option<String> {
    if let Some(sentence) = ledger::sentences().iter().find(|sentence| sentence.id == id) {
        return Some(of_sentence(sentence));
    }
    if let Some(requirement) = requirement::find(id) {
        return Some(of_requirement(requirement, cases));
    }
    cases.iter().find(|case| case.id == id).map(of_case)
}

fn of_requirement(requirement: &Requirement, cases: &[Case]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}  [{}, {}]\n", requirement.id, requirement.level, requirement.basis);
    let _ = writeln!(out, "{}\n", requirement.text);
    let _ = writeln!(out, "where          {}", requirement.place);
    let _ = writeln!(out, "since          page {}", requirement.since);
    if !requirement.revisions.is_empty() {
        let _ = writeln!(out, "MCP revisions  {}", requirement.revisions.join(", "));
    }
    let _ = writeln!(out, "when it fails  {}", requirement.advice);
    let sentences: Vec<_> = ledger::sentences_of(&requirement.id).collect();
    if !sentences.is_empty() {
        let _ = writeln!(out, "\nthe page says");
        for sentence in sentences {
            let _ = writeln!(out, "  {:<9} {} ({})", sentence.id, sentence.text, sentence.place);
        }
    }
    let serving: Vec<_> =
        cases.iter().filter(|case| case.checks.iter().any(|check| check.requirement == requirement.id)).collect();
    if serving.is_empty() {
        let _ = writeln!(out, "\nchecked in every case");
    } else {
        let _ = writeln!(out, "\n{} cases", serving.len());
        for case in serving.iter().take(20) {
            let _ = writeln!(out, "  {}", case.id);
        }
        if serving.len() > 20 {
            let _ = writeln!(out, "  ... and {} more: anet-conformance list", serving.len() - 20);
        }
    }
    out
}

fn of_sentence(sentence: &Sentence) -> String {
    let mut out = format!("{}  ({})\n\n{}\n\n", sentence.id, sentence.place, sentence.text);
    let _ = match sentence.class {
        Class::Context => writeln!(out, "informative: nothing to obey"),
        Class::Hidden => writeln!(out, "not observable: {}", sentence.why),
        _ => writeln!(out, "judged by {}", sentence.by.join(", ")),
    };
    out
}

fn of_case(case: &Case) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n\n{}\n", case.id, case.title);
    let _ = writeln!(out, "what the client does (MCP {})", case.revision);
    if !case.setting.no_handshake {
        let _ = writeln!(out, "  opens the session");
    }
    for step in &case.steps {
        let _ = writeln!(out, "  {}", describe(step));
    }
    let _ = writeln!(out, "\nwhat must be true");
    for check in &case.checks {
        let level = requirement::find(check.requirement).map_or_else(String::new, |found| found.level.to_string());
        let _ = writeln!(out, "  {level:<8} {}\n           {}", check.requirement, check.expect.describe());
    }
    let _ = writeln!(out, "\nrun it: anet-conformance --only {} -- COMMAND", case.id);
    out
}

fn describe(step: &Step) -> String {
    let brief = |text: &str| -> String {
        if text.chars().count() > 200 {
            format!("{}... ({} bytes)", text.chars().take(200).collect::<String>(), text.len())
        } else {
            text.to_owned()
        }
    };
    match step {
        Step::Script(rule) => match &rule.reply {
            anet_mock_daemon::Reply::Respond(response) => format!(
                "the daemon answers {:?} with {}: {}",
                rule.on,
                response.status,
                brief(&String::from_utf8_lossy(&response.body))
            ),
            other => format!("the daemon is told, for {:?}: {}", rule.on, brief(&format!("{other:?}"))),
        },
        Step::Release(hold) => format!("the daemon lets `{hold}` go"),
        Step::RestartDaemon => "the daemon comes back on another port with another token".to_owned(),
        Step::StopDaemon => "the daemon stops listening".to_owned(),
        Step::ResumeDaemon => "the daemon listens again".to_owned(),
        Step::Open => "opens the session".to_owned(),
        Step::Request(request) => {
            format!(
                "sends {} as `{}`: {}",
                request.method,
                request.label,
                brief(request.params.as_deref().unwrap_or("no params"))
            )
        }
        Step::Await(label) => format!("waits for the answer to `{label}`"),
        Step::AwaitAll(labels) => format!("waits for the answers to {} requests", labels.len()),
        Step::AwaitDaemon { route, count } => format!("waits for request {count} to {route}"),
        Step::AwaitHangUp(route) => format!("waits for the end of the request to {route}"),
        Step::Notify { method, params } => {
            format!("notifies {method} {}", brief(params.as_deref().unwrap_or_default()))
        }
        Step::Cancel(label) => format!("cancels `{label}`"),
        Step::Raw { bytes, .. } => format!("writes {:?}", brief(&String::from_utf8_lossy(bytes))),
        Step::ListTools(label) => format!("lists the tools, all pages, as `{label}`"),
        Step::CloseInput => "closes stdin".to_owned(),
        Step::Terminate => "sends SIGTERM".to_owned(),
        Step::AwaitExit => "waits for the end of the process".to_owned(),
        Step::Quiet(bound) => format!("waits until nothing has come for {bound:?}"),
    }
}
