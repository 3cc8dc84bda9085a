//! The model of a run: what every report shows, and the exit code.
//!
//! Responsible for: the one shape from which all reports are rendered; written as JSON it is the report that other
//! programs read, and that `merge`, `compare` and `--last-failed` read back. Not for: filling it (`build`), rendering it,
//! or any verdict.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::requirement::{Basis, Level};
use crate::verdict::{ExitCode, Tag, Verdict};

/// The format of the JSON report. It grows when a reader of the earlier one would be misled.
pub const FORMAT: u32 = 1;

/// A run, ready to be shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The format of this document: [`FORMAT`].
    pub format: u32,
    /// What judged.
    pub kit: Kit,
    /// What was judged.
    pub candidate: Candidate,
    /// Whether a `should` counts as a failure.
    pub strict: bool,
    /// From which number the generated cases were drawn and the order was shuffled.
    pub seed: u64,
    /// Why the run stopped early, if it did.
    pub stopped: Option<String>,
    /// How long the run took, in milliseconds.
    pub duration_ms: u64,
    /// The exit code.
    pub exit: ExitCode,
    /// How often each verdict was given. Counted anew by whoever changes the results.
    pub totals: Totals,
    /// What is wrong with the baseline: entries that match nothing, are stale, expired or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline: Vec<BaselineProblem>,
    /// Each case that was selected, in the order of the corpus.
    pub results: Vec<CaseReport>,
}

/// What judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kit {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The version of the page that was judged by.
    pub page: String,
    /// How many cases the kit has in all.
    pub cases: usize,
}

/// What was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The command, word by word.
    pub command: Vec<String>,
    /// What it called itself, if it did.
    pub server: Option<Server>,
    /// The MCP revision that it agreed to in the first session.
    pub revision: Option<String>,
}

/// What a server calls itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How often each verdict was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// How many cases there are.
    pub cases: usize,
    /// By the verdict's name.
    pub by_verdict: BTreeMap<String, usize>,
    /// By the level's name, then by the verdict's.
    pub by_level: BTreeMap<String, BTreeMap<String, usize>>,
}

/// What is wrong with an entry of the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineProblem {
    /// `unmatched`, `stale`, `expired` or `changed`.
    pub kind: String,
    /// The case that the entry names.
    pub case: String,
    /// File and line of the entry.
    pub place: String,
    /// What is wrong and what to do, in a sentence.
    pub message: String,
}

/// What became of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseReport {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its group.
    pub group: String,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The level of the worst violation, or the highest level asked for.
    pub level: Level,
    /// Crash or hang.
    pub tag: Option<Tag>,
    /// The worst thing that was found, in a sentence; empty if all is well.
    pub message: String,
    /// Why a violation is excused, in the words of the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excused: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it had failed in company and was run again alone.
    pub run_again_alone: bool,
    /// How often it was run, and in how many of these runs it got the verdict shown; only under `--repeat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// Every check.
    pub checks: Vec<CheckReport>,
    /// Both sides in one timeline; empty for a case that passed unless everything is kept.
    pub transcript: Vec<Moment>,
}

/// How a case that was run several times came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// How often it was run.
    pub runs: usize,
    /// How many of the runs got the verdict that is shown, the worst.
    pub with_this_verdict: usize,
}

/// What was found about a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The requirement.
    pub requirement: String,
    /// Its level.
    pub level: Level,
    /// Who asks for it.
    pub basis: Basis,
    /// What was found.
    pub finding: FindingKind,
    /// What is wrong, what was observed, or why it was not tried.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What was seen.
    pub seen: String,
}

/// What was found about a check, without the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// It holds.
    Met,
    /// A choice was recorded.
    Observed,
    /// It does not apply.
    NotApplicable,
    /// It could not be tried.
    NotExercised,
    /// It does not hold.
    Broken,
}

/// One moment of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// When, in microseconds from the beginning of the case.
    pub at_us: u64,
    /// Who spoke.
    pub who: Who,
    /// What was said, secrets removed.
    pub text: String,
}

/// Who spoke to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Who {
    /// The client to the candidate.
    #[serde(rename = "client -> server")]
    Client,
    /// The candidate to the client.
    #[serde(rename = "client <- server")]
    Server,
    /// The candidate to the daemon.
    #[serde(rename = "server -> daemon")]
    ToDaemon,
    /// The daemon to the candidate.
    #[serde(rename = "server <- daemon")]
    FromDaemon,
    /// The candidate on stderr, or about its end.
    #[serde(rename = "process")]
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
    /// Counts the totals and decides the exit code anew, after results or baseline problems have changed.
    pub fn settle(&mut self) {
        self.totals = Totals::of(&self.results);
        let verdicts: Vec<_> = self.results.iter().map(|result| result.verdict).collect();
        self.exit = crate::verdict::of_run(&verdicts, self.strict, !self.baseline.is_empty());
    }

    /// How often each verdict was given to cases of each level, the highest level first.
    pub fn by_level(&self) -> Vec<(Level, &BTreeMap<String, usize>)> {
        [Level::Must, Level::Should, Level::Observe]
            .into_iter()
            .filter_map(|level| Some((level, self.totals.by_level.get(&level.to_string())?)))
            .collect()
    }

    /// Whether this result makes the run fail: a violation of a must, or, under `--strict`, of a should.
    pub fn fails(&self, case: &CaseReport) -> bool {
        matches!(case.verdict, Verdict::Fail | Verdict::HarnessError) || (self.strict && case.verdict == Verdict::Warn)
    }
}

impl Totals {
    /// Counted from the results.
    pub fn of(results: &[CaseReport]) -> Self {
        let mut totals = Self { cases: results.len(), ..Self::default() };
        for result in results {
            let verdict = result.verdict.name().to_owned();
            *totals.by_verdict.entry(verdict.clone()).or_default() += 1;
            *totals.by_level.entry(result.level.to_string()).or_default().entry(verdict).or_default() += 1;
        }
        totals
    }
}

impl CaseReport {
    /// Whether it was not run because the candidate says that it does not offer what the case is about.
    pub fn is_not_offered(&self) -> bool {
        self.verdict == Verdict::NotApplicable && self.checks.is_empty()
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
        let mut found: Vec<_> = self.checks.iter().filter(|check| check.finding == FindingKind::Broken).collect();
        found.sort_by_key(|check| (std::cmp::Reverse(check.level), !check.message.contains("got no answer")));
        found
    }
}
