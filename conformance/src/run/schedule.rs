//! Which case runs when, and in which company.
//!
//! Responsible for: the preflight, sharing of processes, running failures again alone, patience with candidates that do
//! not answer, and what must be killed when the run is interrupted. Not for: the verdicts (`judge`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::command::Command;
use super::session::{Session, StartFailure};
use super::timeouts::Timeouts;
use crate::case::{Case, Step};
use crate::json::Json;
use crate::judge::{Judgement, judge};
use crate::observation::{Answer, Observation, StepEnd};
use crate::requirement::{Basis, Level};
use crate::revision::Revision;
use crate::verdict::{Finding, Judged, Tag, Verdict};

/// So many cases share a process at most: a crash costs no more than starting it again.
const COMPANY: usize = 40;
/// After so many cases in a row that hung the run stops: the candidate answers nothing.
const HOPELESS: u32 = 16;
/// After so many hangs in all, one more is believed without being run again alone.
const BELIEVED: u32 = 6;

/// Runs cases on one candidate.
#[derive(Clone, Debug, Default)]
pub struct Runner {
    /// How the candidate is started.
    pub command: Command,
    /// How many processes run side by side.
    pub jobs: usize,
    /// The bounds.
    pub timeouts: Timeouts,
    /// Whether what was seen is kept for cases that pass, too.
    pub keep_all: bool,
    /// Whether the first violated must ends the run.
    pub fail_fast: bool,
    /// The order in which cases run is drawn from this number; none: the order of the corpus.
    pub shuffle: Option<u64>,
    /// Is shown everything that was seen of a case, before it is cut to what a run keeps.
    pub watch: Option<Watch>,
}

/// What a [`Watch`] calls.
type Look = dyn Fn(&Case, &Observation) + Send + Sync;

/// Looks at what was seen of each case.
#[derive(Clone)]
pub struct Watch(pub Arc<Look>);

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The candidate's answer to `initialize`.
    pub greeting: Option<Json>,
    /// Each case, in the order in which they were given.
    pub ran: Vec<Ran>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<String>,
}

/// What became of a case.
#[derive(Debug)]
pub struct Ran {
    /// Which case: index into those that were given.
    pub index: usize,
    /// The judgement.
    pub judgement: Judgement,
    /// What was seen; none for a case that passed unless everything is kept, or that was not run.
    pub observation: Option<Observation>,
    /// How long it took.
    pub took: Duration,
    /// Whether it had failed in company and was run again alone.
    pub again: bool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many cases are done.
    pub done: usize,
    /// Of how many.
    pub total: usize,
    /// How many of them failed.
    pub failed: usize,
}

/// Why no case could be run: the candidate does not start, or does not speak MCP.
#[derive(Debug)]
pub struct Refused {
    /// What went wrong, in a sentence.
    pub why: String,
    /// What to try.
    pub advice: String,
    /// What was seen of the candidate, if it ran at all.
    pub observation: Option<Box<Observation>>,
    /// Whether it was the kit that failed, not the candidate.
    pub by_kit: bool,
}

/// How long a candidate is waited for: long at first, shorter once it is known to hang.
#[derive(Debug)]
pub(super) struct Patience {
    pub(super) bounds: Timeouts,
    slowest_ms: AtomicU64,
    in_a_row: AtomicU32,
    hangs: AtomicU32,
    kills: AtomicU32,
}

impl Patience {
    fn new(bounds: Timeouts) -> Arc<Self> {
        Arc::new(Self {
            bounds,
            slowest_ms: AtomicU64::new(0),
            in_a_row: AtomicU32::new(0),
            hangs: AtomicU32::new(0),
            kills: AtomicU32::new(0),
        })
    }

    /// The bound for an answer.
    pub(super) fn reply(&self) -> Duration {
        self.shortened(self.bounds.reply)
    }

    /// The bound for something to happen at the daemon.
    pub(super) fn daemon(&self) -> Duration {
        self.shortened(self.bounds.daemon)
    }

    /// The bounds for an end that no case waits for: after stdin was closed, and after SIGTERM.
    pub(super) fn end(&self) -> (Duration, Duration) {
        // One that does not end by itself has been told on by then; waiting as long each time tells nothing new.
        if self.kills.load(Ordering::Relaxed) < 2 {
            (self.bounds.exit, self.bounds.terminate)
        } else {
            (self.bounds.exit / 12, self.bounds.terminate / 4)
        }
    }

    fn shortened(&self, bound: Duration) -> Duration {
        if self.hangs.load(Ordering::Relaxed) < 2 {
            return bound;
        }
        let slowest = Duration::from_millis(self.slowest_ms.load(Ordering::Relaxed));
        (slowest * 20).max(bound / 8).min(bound)
    }

    pub(super) fn heard_after(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.slowest_ms.fetch_max(millis, Ordering::Relaxed);
    }

    pub(super) fn hung(&self) {
        self.hangs.fetch_add(1, Ordering::Relaxed);
    }

    fn case_done(&self, hung: bool) {
        if hung {
            self.in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.in_a_row.store(0, Ordering::Relaxed);
        }
    }

    fn believes_hangs(&self) -> bool {
        self.hangs.load(Ordering::Relaxed) >= BELIEVED
    }

    pub(super) fn killed(&self) {
        self.kills.fetch_add(1, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.in_a_row.load(Ordering::Relaxed) >= HOPELESS
    }
}

enum Unit {
    Alone(usize),
    Together(Vec<usize>),
}

impl Runner {
    /// Runs all cases. `progress` is told after each. When `stop` comes to an end, so does the run: every candidate is
    /// killed, and what is known so far is given back with the reason that `stop` gave. Fails if the candidate does not
    /// start or does not speak MCP.
    pub async fn run(
        &self,
        cases: &[Case],
        progress: impl Fn(Progress),
        stop: impl Future<Output = String>,
    ) -> Result<Outcome, Refused> {
        let mut stop = std::pin::pin!(stop);
        let patience = Patience::new(self.timeouts);
        let (greeting, era) = tokio::select! {
            hello = self.preflight(&patience) => hello?,
            why = &mut stop => {
                kill_all();
                return Ok(Outcome { greeting: None, ran: Vec::new(), stopped: Some(why) });
            }
        };
        let cases: Arc<[Case]> = match era {
            Era::Handshake => cases.into(),
            // Told in the only way that this candidate understands.
            Era::Modern => cases.iter().map(modern).collect(),
        };
        let units = Arc::new(Mutex::new(units(&cases, self.jobs, self.shuffle)));
        let (results, mut arrived) = mpsc::unbounded_channel();
        let mut workers = JoinSet::new();
        for _ in 0..self.jobs.max(1) {
            let worker = Worker {
                runner: self.clone(),
                cases: Arc::clone(&cases),
                patience: Arc::clone(&patience),
                era,
                results: results.clone(),
            };
            let units = Arc::clone(&units);
            workers.spawn(async move {
                loop {
                    let unit = units.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    match unit {
                        Some(unit) => worker.carry_out(unit).await,
                        None => return,
                    }
                }
            });
        }
        drop(results);
        let mut ran = Vec::with_capacity(cases.len());
        let mut failed = 0;
        let mut stopped = None;
        loop {
            let one: Ran = tokio::select! {
                one = arrived.recv() => match one {
                    Some(one) => one,
                    None => break,
                },
                why = &mut stop => {
                    stopped = Some(why);
                    break;
                }
            };
            let bad = matches!(one.judgement.verdict, Verdict::Fail | Verdict::HarnessError);
            failed += usize::from(bad);
            ran.push(one);
            progress(Progress { done: ran.len(), total: cases.len(), failed });
            if bad && self.fail_fast && ran.len() < cases.len() {
                stopped = Some("the first failure ended the run (--fail-fast)".to_owned());
                break;
            }
        }
        if stopped.is_some() {
            workers.abort_all();
            kill_all();
        }
        while workers.join_next().await.is_some() {}
        ran.sort_by_key(|one| one.index);
        if stopped.is_none() && patience.is_over() {
            stopped = Some(format!("{HOPELESS} cases in a row got no answer, so the remaining ones were not run"));
        }
        Ok(Outcome { greeting, ran, stopped })
    }

    /// Starts the candidate once, opens a session and lists the tools; one that refuses the handshake is asked again in the
    /// revision that has none.
    async fn preflight(&self, patience: &Arc<Patience>) -> Result<(Option<Json>, Era), Refused> {
        let seen = self.first_words(patience, Revision::V2025_11_25).await?;
        let open = seen.exchange(super::session::OPEN).and_then(|open| open.replies.first());
        let refuses = open.is_some_and(|reply| reply.message.member("error").is_some());
        if refuses {
            let modern = self.first_words(patience, Revision::V2026_07_28).await?;
            if let Some(Answer::Result(list)) = modern.answer("list") {
                let greeting = list.at(&["_meta", "io.modelcontextprotocol/serverInfo"]).map(|info| {
                    let version = Json::string(Revision::V2026_07_28.name());
                    Json::Object(vec![("protocolVersion".into(), version), ("serverInfo".into(), info.clone())])
                });
                return Ok((greeting, Era::Modern));
            }
        }
        let greeting = open.and_then(|reply| reply.message.member("result")).cloned();
        let answered = seen.answer("open").is_some() && seen.answer("list").is_some();
        if answered { Ok((greeting, Era::Handshake)) } else { Err(refusal(seen)) }
    }

    /// Judges one case in a process of its own, without looking first whether the candidate speaks MCP at all. Fails if the
    /// candidate does not start.
    pub async fn judge_alone(&self, case: &Case) -> Result<Outcome, Refused> {
        let began = Instant::now();
        let seen = self.observe(case).await?;
        let judgement = judge(case, &seen);
        let ran = Ran { index: 0, judgement, observation: Some(seen), took: began.elapsed(), again: false };
        Ok(Outcome { greeting: None, ran: vec![ran], stopped: None })
    }

    /// Carries out one case in a process of its own, without judging it. Fails if the candidate does not start.
    pub async fn observe(&self, case: &Case) -> Result<Observation, Refused> {
        self.observe_with(case, &Patience::new(self.timeouts)).await
    }

    async fn first_words(&self, patience: &Arc<Patience>, revision: Revision) -> Result<Observation, Refused> {
        let case = Case::new(crate::case::Group::Protocol, "preflight", "The candidate starts and lists its tools")
            .step(Step::ListTools("list".to_owned()));
        self.observe_with(&Case { revision, ..case }, patience).await
    }

    async fn observe_with(&self, case: &Case, patience: &Arc<Patience>) -> Result<Observation, Refused> {
        let started =
            Session::start(&self.command, &case.setting, &case.id, case.revision, false, Arc::clone(patience)).await;
        match started {
            Ok(mut session) => Ok(session.carry_out(case).await),
            Err(StartFailure::Spawn(error)) => Err(Refused {
                why: format!("the command cannot be run: {error}"),
                advice: "Is the program there, is it executable, and is it on PATH?".to_owned(),
                observation: None,
                by_kit: false,
            }),
            Err(StartFailure::Kit(error)) => Err(Refused {
                why: format!("the kit could not set up a daemon and directories: {error}"),
                advice: "Is there room on the disk, and may directories be made there (TMPDIR)?".to_owned(),
                observation: None,
                by_kit: true,
            }),
        }
    }
}

/// How a candidate opens a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// With `initialize`.
    Handshake,
    /// Only without it.
    Modern,
}

/// The case as a candidate without a handshake can be asked it, under the same id.
fn modern(case: &Case) -> Case {
    match case.in_revision(Revision::V2026_07_28) {
        Some(moved) => Case { id: case.id.clone(), ..moved },
        None => case.clone(),
    }
}

fn refusal(seen: Observation) -> Refused {
    let junk = seen.lines.iter().find(|line| line.message.is_none());
    let (why, advice) = match (&seen.exit, seen.first_stop()) {
        (Some(exit), _)
            if seen.lines.is_empty() && !exit.killed && exit.after_end.is_none_or(|after| after.is_zero()) =>
        {
            (
                format!(
                    "the candidate ended before it said anything (exit status {})",
                    exit.code.map_or_else(|| "unknown".to_owned(), |code| code.to_string())
                ),
                "Run the command by hand; what it said on stderr is shown above.",
            )
        }
        (_, Some(StepEnd::CandidateGone)) => (
            "the candidate ended, or closed its streams, before it had answered".to_owned(),
            "Run the command by hand; what it said on stderr is shown above.",
        ),
        _ if junk.is_some() => (
            "the candidate wrote something on stdout that is no JSON-RPC message, and did not answer".to_owned(),
            "Send banners and logs to stderr: stdout belongs to the protocol.",
        ),
        (_, Some(StepEnd::RanOut { waiting_for, bound })) => (
            format!("waited {bound:?} for {waiting_for}, and nothing came"),
            "Does the command serve MCP on stdin and stdout, and does it flush after each line?",
        ),
        (_, Some(stop)) => (stop.describe(), "Does the command serve MCP on stdin and stdout?"),
        (_, None) => ("no answer came".to_owned(), "Does the command serve MCP on stdin and stdout?"),
    };
    Refused { why, advice: advice.to_owned(), observation: Some(Box::new(seen)), by_kit: false }
}

/// The units of work in their order: cases that need a process of their own, and companies in one revision.
fn units(cases: &[Case], jobs: usize, shuffle: Option<u64>) -> VecDeque<Unit> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    if let Some(seed) = shuffle {
        order.sort_by_key(|index| crate::select::hash(seed, &cases[*index].id));
    }
    let (shared, alone): (Vec<_>, Vec<_>) = order.into_iter().partition(|index| cases[*index].can_share());
    let size = shared.len().div_ceil(jobs.max(1) * 2).clamp(1, COMPANY);
    let mut by_revision: BTreeMap<Revision, Vec<usize>> = BTreeMap::new();
    for index in shared {
        by_revision.entry(cases[index].revision).or_default().push(index);
    }
    let companies =
        by_revision.values().flat_map(|indices| indices.chunks(size)).map(|chunk| Unit::Together(chunk.to_vec()));
    // Those that may wait for an end come first, so that none is left over when all else is done.
    alone.into_iter().map(Unit::Alone).chain(companies).collect()
}

struct Worker {
    runner: Runner,
    cases: Arc<[Case]>,
    patience: Arc<Patience>,
    era: Era,
    results: mpsc::UnboundedSender<Ran>,
}

impl Worker {
    async fn carry_out(&self, unit: Unit) {
        match unit {
            Unit::Alone(index) if self.era == Era::Modern && !self.cases[index].revision.is_modern() => {
                let why = "the server speaks no revision that opens with a handshake";
                self.report(without_observation(index, Verdict::NotApplicable, why));
            }
            Unit::Alone(index) => {
                let ran = self.alone(index, false).await;
                self.report(ran);
            }
            Unit::Together(indices) => self.together(&indices).await,
        }
    }

    async fn alone(&self, index: usize, again: bool) -> Ran {
        if self.patience.is_over() {
            return not_run(index);
        }
        let began = Instant::now();
        let case = &self.cases[index];
        match self.session(case, false).await {
            Ok(mut session) => {
                let seen = session.carry_out(case).await;
                if seen.exit.is_some_and(|exit| exit.killed) {
                    self.patience.killed();
                }
                self.ran(index, seen, began, again)
            }
            Err(why) => harness_error(index, &why),
        }
    }

    async fn together(&self, indices: &[usize]) {
        let mut session: Option<Session> = None;
        for index in indices {
            if self.patience.is_over() {
                self.report(not_run(*index));
                continue;
            }
            let case = &self.cases[*index];
            let began = Instant::now();
            let fit = match session.as_mut() {
                Some(open) => open.is_fit().await,
                None => false,
            };
            if !fit {
                if let Some(mut old) = session.take() {
                    old.finish().await;
                }
                match self.session(case, true).await {
                    Ok(mut new) => {
                        if new.open().await == StepEnd::Done {
                            session = Some(new);
                        } else {
                            new.finish().await;
                        }
                    }
                    Err(why) => {
                        self.report(harness_error(*index, &why));
                        continue;
                    }
                }
            }
            let ran = match session.as_mut() {
                Some(open) => {
                    let seen = open.carry_out(case).await;
                    self.ran(*index, seen, began, false)
                }
                // The session could not be opened this time; alone it shows why.
                None => self.alone(*index, false).await,
            };
            let doubtful =
                matches!(ran.judgement.verdict, Verdict::Fail | Verdict::NotExercised | Verdict::HarnessError)
                    || ran.judgement.tag.is_some();
            let in_company = ran.observation.as_ref().is_some_and(|seen| seen.shared);
            let broke = ran.judgement.tag.is_some();
            let believed = ran.judgement.tag == Some(Tag::Hang) && self.patience.believes_hangs();
            let ran = if doubtful && in_company && !believed { self.alone(*index, true).await } else { ran };
            self.report(ran);
            if broke && let Some(mut old) = session.take() {
                old.finish().await;
            }
        }
        if let Some(mut session) = session {
            session.finish().await;
        }
    }

    async fn session(&self, case: &Case, shared: bool) -> Result<Session, String> {
        let started = Session::start(
            &self.runner.command,
            &case.setting,
            &case.id,
            case.revision,
            shared,
            Arc::clone(&self.patience),
        )
        .await;
        started.map_err(|failure| match failure {
            StartFailure::Spawn(error) => format!("the candidate could not be started again: {error}"),
            StartFailure::Kit(error) => format!("the kit could not set up the case: {error}"),
        })
    }

    fn ran(&self, index: usize, seen: Observation, began: Instant, again: bool) -> Ran {
        if let Some(Watch(watch)) = &self.runner.watch {
            watch(&self.cases[index], &seen);
        }
        let mut judgement = judge(&self.cases[index], &seen);
        for judged in &mut judgement.judged {
            if let Finding::Broken(broken) = &mut judged.finding {
                cut(&mut broken.expected);
                cut(&mut broken.seen);
            }
        }
        let clean = matches!(judgement.verdict, Verdict::Pass | Verdict::Observed | Verdict::NotApplicable);
        let keep = self.runner.keep_all || !clean || judgement.tag.is_some();
        Ran { index, judgement, observation: keep.then(|| seen.trimmed()), took: began.elapsed(), again }
    }

    fn report(&self, ran: Ran) {
        if ran.observation.is_some() || ran.judgement.verdict == Verdict::Pass {
            self.patience.case_done(ran.judgement.tag == Some(Tag::Hang));
        }
        // Nobody listens any more only when the run was dropped.
        let _ = self.results.send(ran);
    }
}

/// Cuts what a finding quotes to a length that a run can keep for thousands of findings.
fn cut(text: &mut String) {
    const KEPT_BYTES: usize = 128 << 10;
    if text.len() > KEPT_BYTES {
        let end = (0..=KEPT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        *text = format!("{}... {} more bytes", &text[..end], text.len() - end);
    }
}

fn not_run(index: usize) -> Ran {
    without_observation(index, Verdict::NotExercised, "not run: the candidate had stopped answering")
}

fn harness_error(index: usize, why: &str) -> Ran {
    without_observation(index, Verdict::HarnessError, why)
}

fn without_observation(index: usize, verdict: Verdict, why: &str) -> Ran {
    let finding = match verdict {
        Verdict::NotApplicable => Finding::NotApplicable(why.to_owned()),
        _ => Finding::NotExercised(why.to_owned()),
    };
    let judged = Judged { requirement: "kit.run".to_owned(), level: Level::Must, basis: Basis::Ruling, finding };
    let tag = (verdict == Verdict::NotExercised).then_some(Tag::Hang);
    Ran {
        index,
        judgement: Judgement { verdict, tag, judged: vec![judged] },
        observation: None,
        took: Duration::ZERO,
        again: false,
    }
}

static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

pub(super) fn remember_group(group: Pid) {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner).insert(group.as_raw_nonzero().get());
}

pub(super) fn forget_group(group: Pid) {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner).remove(&group.as_raw_nonzero().get());
}

/// Kills every candidate that still runs, with all it started. For a run that is interrupted.
pub fn kill_all() {
    for raw in GROUPS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Some(group) = Pid::from_raw(*raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
