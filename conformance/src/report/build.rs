//! From what became of a run to the model that reports show: secrets removed, texts bounded.

use std::time::Duration;

use super::model::{Candidate, CaseReport, CheckReport, FORMAT, FindingKind, Kit, Moment, Report, Server, Totals, Who};
use crate::case::Case;
use crate::json::Json;
use crate::observation::Observation;
use crate::requirement::Level;
use crate::run::{Outcome, Ran};
use crate::verdict::{ExitCode, Finding, Verdict};

/// What a report says beside the results.
#[derive(Clone, Debug)]
pub struct About {
    /// The candidate's command, word by word.
    pub command: Vec<String>,
    /// How many cases the kit has in all.
    pub corpus: usize,
    /// Whether a `should` counts as a failure.
    pub strict: bool,
    /// The seed of the generated cases.
    pub seed: u64,
    /// The version of the page that was judged by.
    pub page: String,
}

/// The report on a run. `cases` are those that were selected, in the order of the outcome.
pub fn report(about: About, cases: &[Case], outcome: Outcome, took: Duration) -> Report {
    let text = |path: &[&str]| {
        outcome.greeting.as_ref().and_then(|greeting| greeting.at(path)).and_then(Json::as_str).map(str::to_owned)
    };
    let server = text(&["serverInfo", "name"])
        .map(|name| Server { name, version: text(&["serverInfo", "version"]).unwrap_or_default() });
    let mut report = Report {
        format: FORMAT,
        kit: Kit {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            page: about.page,
            cases: about.corpus,
        },
        candidate: Candidate { command: about.command, server, revision: text(&["protocolVersion"]) },
        strict: about.strict,
        seed: about.seed,
        stopped: outcome.stopped,
        duration_ms: millis(took),
        exit: ExitCode::Conformant,
        totals: Totals::default(),
        baseline: Vec::new(),
        results: outcome.ran.iter().map(|ran| case_report(&cases[ran.index], ran)).collect(),
    };
    report.settle();
    report
}

fn case_report(case: &Case, ran: &Ran) -> CaseReport {
    let level = ran.judgement.level();
    let secrets: Vec<_> = ran.observation.as_ref().map(|seen| seen.secrets.clone()).unwrap_or_default();
    let checks: Vec<_> = ran
        .judgement
        .judged
        .iter()
        .map(|judged| {
            let (finding, message, expected, seen) = match &judged.finding {
                Finding::Met => (FindingKind::Met, String::new(), String::new(), String::new()),
                Finding::Broken(broken) => {
                    (FindingKind::Broken, broken.message.clone(), broken.expected.clone(), broken.seen.clone())
                }
                Finding::Observed(choice) => (FindingKind::Observed, choice.clone(), String::new(), String::new()),
                Finding::NotApplicable(why) => (FindingKind::NotApplicable, why.clone(), String::new(), String::new()),
                Finding::NotExercised(why) => (FindingKind::NotExercised, why.clone(), String::new(), String::new()),
            };
            CheckReport {
                requirement: judged.requirement.clone(),
                level: judged.level,
                basis: judged.basis,
                finding,
                message: redacted(&message, &secrets),
                expected: bounded(&redacted(&expected, &secrets)),
                seen: bounded(&redacted(&seen, &secrets)),
            }
        })
        .collect();
    let worst = checks
        .iter()
        .filter(|check| matches!(check.finding, FindingKind::Broken | FindingKind::NotExercised))
        .max_by_key(|check| (check.level, check.finding == FindingKind::Broken));
    let message = match (worst, ran.judgement.verdict) {
        (Some(check), _) if check.level > Level::Observe => check.message.clone(),
        (_, Verdict::Observed) => checks
            .iter()
            .find(|check| check.finding == FindingKind::Observed)
            .map(|check| check.message.clone())
            .unwrap_or_default(),
        (_, Verdict::NotApplicable) => checks
            .iter()
            .find(|check| check.finding == FindingKind::NotApplicable)
            .map(|check| check.message.clone())
            .unwrap_or_default(),
        _ => String::new(),
    };
    CaseReport {
        id: case.id.clone(),
        title: case.title.clone(),
        group: case.group.name().to_owned(),
        tool: case.tool.map(|tool| tool.name().to_owned()),
        verdict: ran.judgement.verdict,
        level,
        tag: ran.judgement.tag,
        message,
        checks,
        excused: None,
        duration_ms: millis(ran.took),
        run_again_alone: ran.again,
        repeated: None,
        transcript: ran.observation.as_ref().map(transcript).unwrap_or_default(),
    }
}

/// Both sides of a case in one timeline.
pub(super) fn transcript(seen: &Observation) -> Vec<Moment> {
    let mut moments = Vec::new();
    let lossy =
        |bytes: &[u8]| bounded(&redacted(String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']), &seen.secrets));
    for sent in &seen.sent {
        moments.push(Moment { at_us: micros(sent.at), who: Who::Client, text: lossy(&sent.bytes) });
    }
    for line in &seen.lines {
        moments.push(Moment { at_us: micros(line.at), who: Who::Server, text: lossy(&line.bytes) });
    }
    for asked in &seen.asked {
        let body = lossy(&asked.body);
        moments.push(Moment {
            at_us: micros(asked.at),
            who: Who::ToDaemon,
            text: format!("{} {} {body}", asked.method, asked.target),
        });
        let end = match (&asked.answered, asked.hung_up) {
            (_, Some(_)) => "the caller hung up".to_owned(),
            (Some((status, body)), None) => format!("{status} {}", lossy(body)),
            (None, None) => "no answer".to_owned(),
        };
        moments.push(Moment { at_us: micros(asked.hung_up.unwrap_or(asked.at)), who: Who::FromDaemon, text: end });
    }
    let last = moments.iter().map(|moment| moment.at_us).max().unwrap_or_default();
    if !seen.stderr.trim_ascii().is_empty() && !seen.shared {
        for line in lossy(&seen.stderr).lines().take(12) {
            moments.push(Moment { at_us: last, who: Who::Process, text: format!("stderr: {line}") });
        }
    }
    for step in seen.steps.iter().filter(|step| step.end != crate::observation::StepEnd::Done) {
        moments.push(Moment { at_us: micros(step.ended), who: Who::Process, text: step.end.describe() });
    }
    if let Some(exit) = seen.exit {
        let how = match (exit.killed, exit.code, exit.signal) {
            (true, ..) => "had to be killed".to_owned(),
            (_, Some(code), _) => format!("ended with status {code}"),
            (_, None, signal) => format!("ended by signal {}", signal.unwrap_or_default()),
        };
        moments.push(Moment { at_us: micros(exit.at), who: Who::Process, text: how });
    }
    moments.sort_by_key(|moment| moment.at_us);
    moments
}

/// Of one text in a report, so many characters are kept; the middle of a longer one is left out.
const LONGEST_TEXT: usize = 64 << 10;
/// A text that is not too long for a report.
fn bounded(text: &str) -> String {
    if text.len() <= LONGEST_TEXT { text.to_owned() } else { super::text::shorten(text, LONGEST_TEXT) }
}

/// The text without the secrets.
fn redacted(text: &str, secrets: &[(String, String)]) -> String {
    secrets.iter().filter(|(_, secret)| !secret.is_empty()).fold(text.to_owned(), |text, (name, secret)| {
        if text.contains(secret) { text.replace(secret, &format!("<{name}>")) } else { text }
    })
}

impl CaseReport {
    /// A case that was not run, because the candidate says that it does not offer what it is about.
    pub fn not_offered(case: &Case, reason: &str) -> Self {
        let message = format!("not offered, as the candidate's file says: {reason}");
        Self {
            id: case.id.clone(),
            title: case.title.clone(),
            group: case.group.name().to_owned(),
            tool: case.tool.map(|tool| tool.name().to_owned()),
            verdict: Verdict::NotApplicable,
            level: case.level(),
            tag: None,
            message,
            excused: None,
            duration_ms: 0,
            run_again_alone: false,
            repeated: None,
            checks: Vec::new(),
            transcript: Vec::new(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
