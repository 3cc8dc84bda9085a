//! The model of a run: what every report shows, and the exit code.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::case::Case;
use crate::json::Json;
use crate::observation::Observation;
use crate::requirement::Level;
use crate::run::{Outcome, Ran};
use crate::verdict::{self, ExitCode, Finding, Tag, Verdict};

/// A run, ready to be shown.
#[derive(Debug)]
pub struct Report {
    /// The candidate's command.
    pub command: Vec<String>,
    /// Name and version that the candidate gave of itself, if it did.
    pub server: Option<(String, String)>,
    /// The MCP revision that it answered to the newest one with a handshake.
    pub revision: Option<String>,
    /// How many cases the kit has in all.
    pub corpus: usize,
    /// Whether a `should` counts as a failure.
    pub strict: bool,
    /// Each case that was selected.
    pub results: Vec<CaseReport>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<String>,
    /// How long the run took.
    pub took: Duration,
    /// The exit code.
    pub exit: ExitCode,
}

/// What became of a case.
#[derive(Debug)]
pub struct CaseReport {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its group.
    pub group: &'static str,
    /// The tool that it is about.
    pub tool: Option<&'static str>,
    /// The verdict.
    pub verdict: Verdict,
    /// The level of the worst violation, or the highest level asked for.
    pub level: Level,
    /// Crash or hang.
    pub tag: Option<Tag>,
    /// The worst thing that was found, in a sentence; empty if all is well.
    pub message: String,
    /// Every check.
    pub checks: Vec<CheckReport>,
    /// How long it took.
    pub took: Duration,
    /// Whether it was run again alone.
    pub again: bool,
    /// Both sides in one timeline; empty for a case that passed unless everything is kept.
    pub transcript: Vec<Moment>,
}

/// What was found about a check.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The requirement.
    pub requirement: String,
    /// Its level.
    pub level: Level,
    /// Who asks for it.
    pub basis: &'static str,
    /// `met`, `broken`, `observed`, `not-applicable` or `not-exercised`.
    pub finding: &'static str,
    /// What is wrong, what was observed, or why it was not tried.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What was seen.
    pub seen: String,
}

/// One moment of a transcript.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When, from the beginning of the case.
    pub at: Duration,
    /// Who spoke.
    pub who: Who,
    /// What was said, secrets removed.
    pub text: String,
}

/// Who spoke to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The client to the candidate.
    Client,
    /// The candidate to the client.
    Server,
    /// The candidate to the daemon.
    ToDaemon,
    /// The daemon to the candidate.
    FromDaemon,
    /// The candidate on stderr, or about its end.
    Process,
}

impl Who {
    /// The arrow that a transcript shows.
    pub const fn arrow(self) -> &'static str {
        match self {
            Self::Client => "client -> server",
            Self::Server => "client <- server",
            Self::ToDaemon => "server -> daemon",
            Self::FromDaemon => "server <- daemon",
            Self::Process => "process",
        }
    }
}

impl Report {
    /// From what became of a run. `cases` are those that were selected, in the order of the outcome.
    pub fn new(
        command: Vec<String>,
        cases: &[Case],
        corpus: usize,
        outcome: Outcome,
        strict: bool,
        took: Duration,
    ) -> Self {
        let text = |path: &[&str]| {
            outcome.greeting.as_ref().and_then(|greeting| greeting.at(path)).and_then(Json::as_str).map(str::to_owned)
        };
        let server =
            text(&["serverInfo", "name"]).map(|name| (name, text(&["serverInfo", "version"]).unwrap_or_default()));
        let revision = text(&["protocolVersion"]);
        let results: Vec<_> = outcome.ran.iter().map(|ran| CaseReport::new(&cases[ran.index], ran)).collect();
        let verdicts: Vec<_> = results.iter().map(|result| result.verdict).collect();
        let exit = verdict::of_run(&verdicts, strict);
        Self { command, server, revision, corpus, strict, results, stopped: outcome.stopped, took, exit }
    }

    /// How often each verdict was given.
    pub fn by_verdict(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for result in &self.results {
            *counts.entry(result.verdict.name()).or_default() += 1;
        }
        counts
    }

    /// How often each verdict was given to cases of each level, the highest level first.
    pub fn by_level(&self) -> Vec<(Level, BTreeMap<&'static str, usize>)> {
        [Level::Must, Level::Should, Level::Observe]
            .into_iter()
            .map(|level| {
                let mut counts = BTreeMap::new();
                for result in self.results.iter().filter(|result| result.level == level) {
                    *counts.entry(result.verdict.name()).or_default() += 1;
                }
                (level, counts)
            })
            .filter(|(_, counts)| !counts.is_empty())
            .collect()
    }
}

impl CaseReport {
    fn new(case: &Case, ran: &Ran) -> Self {
        let level = ran.judgement.level();
        let secrets: Vec<_> = ran.observation.as_ref().map(|seen| seen.secrets.clone()).unwrap_or_default();
        let checks: Vec<_> = ran
            .judgement
            .judged
            .iter()
            .map(|judged| {
                let (finding, message, expected, seen) = match &judged.finding {
                    Finding::Met => ("met", String::new(), String::new(), String::new()),
                    Finding::Broken(broken) => {
                        ("broken", broken.message.clone(), broken.expected.clone(), broken.seen.clone())
                    }
                    Finding::Observed(choice) => ("observed", choice.clone(), String::new(), String::new()),
                    Finding::NotApplicable(why) => ("not-applicable", why.clone(), String::new(), String::new()),
                    Finding::NotExercised(why) => ("not-exercised", why.clone(), String::new(), String::new()),
                };
                CheckReport {
                    requirement: judged.requirement.clone(),
                    level: judged.level,
                    basis: basis_name(judged.basis),
                    finding,
                    message: redacted(&message, &secrets),
                    expected: bounded(&redacted(&expected, &secrets)),
                    seen: bounded(&redacted(&seen, &secrets)),
                }
            })
            .collect();
        let worst = checks
            .iter()
            .filter(|check| matches!(check.finding, "broken" | "not-exercised"))
            .max_by_key(|check| (check.level, check.finding == "broken"));
        let message = match (worst, ran.judgement.verdict) {
            (Some(check), _) if check.level > Level::Observe => check.message.clone(),
            (_, Verdict::Observed) => checks
                .iter()
                .find(|check| check.finding == "observed")
                .map(|check| check.message.clone())
                .unwrap_or_default(),
            (_, Verdict::NotApplicable) => checks
                .iter()
                .find(|check| check.finding == "not-applicable")
                .map(|check| check.message.clone())
                .unwrap_or_default(),
            _ => String::new(),
        };
        Self {
            id: case.id.clone(),
            title: case.title.clone(),
            group: case.group.name(),
            tool: case.tool.map(crate::page::Tool::name),
            verdict: ran.judgement.verdict,
            level,
            tag: ran.judgement.tag,
            message,
            checks,
            took: ran.took,
            again: ran.again,
            transcript: ran.observation.as_ref().map(transcript).unwrap_or_default(),
        }
    }

    /// The requirements that the case's checks serve, each once.
    pub fn requirements(&self) -> Vec<&str> {
        let mut ids: Vec<_> = self.checks.iter().map(|check| check.requirement.as_str()).collect();
        ids.dedup();
        let mut seen = Vec::new();
        ids.retain(|id| {
            let new = !seen.contains(id);
            seen.push(*id);
            new
        });
        ids
    }

    /// The violations, the worst first; of equal ones, an answer that never came before what follows from it.
    pub fn violations(&self) -> Vec<&CheckReport> {
        let mut found: Vec<_> = self.checks.iter().filter(|check| check.finding == "broken").collect();
        found.sort_by_key(|check| (std::cmp::Reverse(check.level), !check.message.contains("got no answer")));
        found
    }
}

/// Both sides of a case in one timeline.
pub(super) fn transcript(seen: &Observation) -> Vec<Moment> {
    let mut moments = Vec::new();
    let lossy =
        |bytes: &[u8]| bounded(&redacted(String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']), &seen.secrets));
    for sent in &seen.sent {
        moments.push(Moment { at: sent.at, who: Who::Client, text: lossy(&sent.bytes) });
    }
    for line in &seen.lines {
        moments.push(Moment { at: line.at, who: Who::Server, text: lossy(&line.bytes) });
    }
    for asked in &seen.asked {
        let body = lossy(&asked.body);
        moments.push(Moment {
            at: asked.at,
            who: Who::ToDaemon,
            text: format!("{} {} {body}", asked.method, asked.target),
        });
        let end = match (&asked.answered, asked.hung_up) {
            (_, Some(_)) => "the caller hung up".to_owned(),
            (Some((status, body)), None) => format!("{status} {}", lossy(body)),
            (None, None) => "no answer".to_owned(),
        };
        moments.push(Moment { at: asked.hung_up.unwrap_or(asked.at), who: Who::FromDaemon, text: end });
    }
    let last = moments.iter().map(|moment| moment.at).max().unwrap_or_default();
    if !seen.stderr.trim_ascii().is_empty() && !seen.shared {
        for line in lossy(&seen.stderr).lines().take(12) {
            moments.push(Moment { at: last, who: Who::Process, text: format!("stderr: {line}") });
        }
    }
    for step in seen.steps.iter().filter(|step| step.end != crate::observation::StepEnd::Done) {
        moments.push(Moment { at: step.ended, who: Who::Process, text: step.end.describe() });
    }
    if let Some(exit) = seen.exit {
        let how = match (exit.killed, exit.code, exit.signal) {
            (true, ..) => "had to be killed".to_owned(),
            (_, Some(code), _) => format!("ended with status {code}"),
            (_, None, signal) => format!("ended by signal {}", signal.unwrap_or_default()),
        };
        moments.push(Moment { at: exit.at, who: Who::Process, text: how });
    }
    moments.sort_by_key(|moment| moment.at);
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

fn basis_name(basis: crate::requirement::Basis) -> &'static str {
    use crate::requirement::Basis;
    match basis {
        Basis::Page => "page",
        Basis::Mcp => "mcp",
        Basis::Wire => "wire",
        Basis::Ruling => "ruling",
    }
}
