//! `run`: judges a candidate and writes the reports.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::live::Live;
use super::{Serve, failed, last};
use crate::baseline::{self, Baseline};
use crate::candidate::{self, Candidate, NotOffered};
use crate::case::{Case, Group};
use crate::page::Tool;
use crate::report::{self, About, CaseReport, Repeated, Report, Target};
use crate::requirement::Level;
use crate::revision::Revision;
use crate::run::{Command, Refused, Runner, Timeouts};
use crate::select::{Partition, Selection};
use crate::{cases, verdict};

/// Which cases are wanted.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which cases")]
pub(super) struct Wanted {
    /// Only cases that match: an id, a part of one, or a glob (`*` within a part, `**` across)
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// No cases that match
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
    /// Only cases about this tool
    #[arg(long, value_name = "TOOL", value_parser = tool)]
    tool: Vec<Tool>,
    /// Only cases of this group, as `list` names them
    #[arg(long, value_name = "GROUP", value_parser = group)]
    group: Vec<Group>,
    /// Only cases that ask for this at most: must, should or observe
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    level: Vec<Level>,
    /// Tell the cases in this MCP revision, or in `all`, one after the other
    #[arg(long, value_name = "REVISION", value_parser = revisions)]
    revision: Option<Revisions>,
    /// Only part K of N, divided by the ids: `hash:1/3`; `merge` makes the reports one again
    #[arg(long, value_name = "hash:K/N")]
    partition: Option<Partition>,
    /// Draw the generated cases (and the order of --shuffle) from this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) seed: u64,
}

/// In which revisions cases are told.
#[derive(Clone, Debug)]
struct Revisions(Vec<Revision>);

fn tool(text: &str) -> Result<Tool, String> {
    Tool::ALL
        .into_iter()
        .find(|tool| tool.name() == text)
        .ok_or_else(|| format!("the tools are {}", Tool::ALL.map(Tool::name).join(", ")))
}

fn group(text: &str) -> Result<Group, String> {
    Group::ALL
        .into_iter()
        .find(|group| group.name() == text)
        .ok_or_else(|| format!("the groups are {}", Group::ALL.map(Group::name).join(", ")))
}

fn level(text: &str) -> Result<Level, String> {
    [Level::Must, Level::Should, Level::Observe]
        .into_iter()
        .find(|level| level.to_string() == text)
        .ok_or_else(|| "the levels are must, should, observe".to_owned())
}

fn revisions(text: &str) -> Result<Revisions, String> {
    if text == "all" { Ok(Revisions(Revision::ALL.to_vec())) } else { text.parse().map(|one| Revisions(vec![one])) }
}

/// All cases of the kit and those that are wanted.
pub(super) struct Chosen {
    /// The ids of all cases.
    pub(super) corpus: BTreeSet<String>,
    /// Those that are wanted, in their order.
    pub(super) cases: Vec<Case>,
}

impl Wanted {
    /// The cases that are wanted; `ids` narrows them further. Fails, in a sentence, for a pattern that matches nothing and
    /// when no case is left.
    pub(super) fn choose(&self, ids: Option<BTreeSet<String>>) -> Result<Chosen, String> {
        let all = cases::all();
        let corpus: BTreeSet<_> = all.iter().map(|case| case.id.clone()).collect();
        let told = match &self.revision {
            None => all,
            Some(Revisions(revisions)) => in_revisions(all, revisions),
        };
        let selection = Selection {
            only: self.only.clone(),
            skip: self.skip.clone(),
            tools: self.tool.clone(),
            groups: self.group.clone(),
            levels: self.level.clone(),
            ids,
            partition: self.partition,
        };
        let cases = selection.of(told).map_err(|error| error.to_string())?;
        if cases.is_empty() { Err("this leaves no case to run".to_owned()) } else { Ok(Chosen { corpus, cases }) }
    }
}

/// Each case that is about no revision in each of these, and the cases that are about one of them.
fn in_revisions(all: Vec<Case>, revisions: &[Revision]) -> Vec<Case> {
    all.into_iter()
        .flat_map(|case| {
            if case.is_movable() {
                revisions.iter().filter_map(|revision| case.in_revision(*revision)).collect()
            } else if revisions.contains(&case.revision) {
                vec![case]
            } else {
                Vec::new()
            }
        })
        .collect()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// What `run` takes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) wanted: Wanted,
    /// Only the cases that failed when this command was judged last
    #[arg(long, help_heading = "Which cases")]
    last_failed: bool,
    /// Excuse the violations that this file names; it fails for entries that no longer hold
    #[arg(long, value_name = "FILE", help_heading = "Verdict")]
    baseline: Option<PathBuf>,
    /// Fail for a violated should, too
    #[arg(long, help_heading = "Verdict")]
    strict: bool,
    /// How many processes run side by side [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Running")]
    jobs: Option<u16>,
    /// Run everything so often and show the worst of each case
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = "Running")]
    repeat: u16,
    /// Run the cases in an order drawn from --seed
    #[arg(long, help_heading = "Running")]
    shuffle: bool,
    /// End the run at the first violated must
    #[arg(long, help_heading = "Running")]
    fail_fast: bool,
    /// Multiply all bounds on waiting, for a slow machine or candidate [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = factor, help_heading = "Running")]
    time_scale: Option<f64>,
    /// The file that describes the candidate [default: candidate.toml, if it is there]
    #[arg(long, value_name = "FILE", conflicts_with = "command", help_heading = "Running")]
    candidate: Option<PathBuf>,
    /// Write a report, see --help; `-` is standard output
    #[arg(long, value_name = "FORMAT=FILE", help_heading = "Reports")]
    report: Vec<Target>,
    /// Keep the transcript of every case in the reports, not only of those that did not pass
    #[arg(long, help_heading = "Reports")]
    transcripts: bool,
    /// Show warnings and observations in full
    #[arg(short, long, help_heading = "Reports")]
    verbose: bool,
    /// Say nothing while running, and nothing at the end but failures and totals
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Reports")]
    quiet: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = "Reports")]
    color: Color,
    /// The candidate's command; without one, `candidate.toml` is read, and without that the reference is judged
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("a number from 0.01 to 1000".to_owned()),
    }
}

/// The candidate that is meant: the command, the file, or the reference.
pub(super) fn candidate_of(
    command: &[OsString],
    file: Option<&Path>,
    serve: Option<Serve>,
) -> Result<Candidate, ExitCode> {
    let plain = |command| Candidate { command, time_scale: None, not_offered: Vec::new() };
    if let Some(command) = Command::from_words(command) {
        return Ok(plain(command));
    }
    let found = file.or_else(|| Some(Path::new(candidate::FILE)).filter(|path| path.is_file()));
    if let Some(path) = found {
        return Candidate::read(path).map_err(|error| failed(&error.to_string(), verdict::ExitCode::Usage));
    }
    if serve.is_none() {
        return Err(failed("name a candidate after `--`", verdict::ExitCode::Usage));
    }
    match std::env::current_exe() {
        Ok(program) => {
            Ok(plain(Command { program: program.into(), arguments: vec!["serve".into()], ..Command::default() }))
        }
        Err(error) => Err(failed(&format!("the program does not find itself: {error}"), verdict::ExitCode::Harness)),
    }
}

/// A run that is set up.
pub(super) struct Prepared {
    runner: Runner,
    chosen: Chosen,
    not_offered: Vec<NotOffered>,
    baseline: Option<Baseline>,
}

/// What came of a run: the report, and how the kit ends if it was interrupted.
pub(super) struct Done {
    /// The report, to which no baseline was applied yet.
    pub(super) report: Report,
    /// The ids of all cases of the kit.
    pub(super) corpus: BTreeSet<String>,
    /// The exit code of an interrupted run.
    pub(super) interrupted: Option<u8>,
    baseline: Option<Baseline>,
}

/// Judges a candidate, prints the report, and writes the others.
pub(super) fn run(arguments: &RunArgs, serve: Option<Serve>) -> ExitCode {
    for target in &arguments.report {
        if let Err(error) = target.check() {
            return failed(&format!("the report {target} cannot be written: {error}"), verdict::ExitCode::Harness);
        }
    }
    let Done { mut report, corpus, interrupted, baseline } = match judge(arguments, serve) {
        Ok(done) => done,
        Err(code) => return code,
    };
    last::remember(&report);
    if let Some(baseline) = baseline {
        baseline.apply(&mut report, &corpus, baseline::today());
    }
    let code = publish(&report, &arguments.report, arguments.verbose, arguments.quiet);
    interrupted.map_or(code, ExitCode::from)
}

/// Prints the report and writes the others; gives back the exit code of the run, or that of a report that was lost.
pub(super) fn publish(report: &Report, targets: &[Target], verbose: bool, quiet: bool) -> ExitCode {
    let text = report::render(report, verbose, quiet);
    // What another program reads from stdout is not mixed with what a person reads.
    let printed = if targets.iter().any(Target::is_stdout) {
        anstream::stderr().write_all(text.as_bytes())
    } else {
        anstream::stdout().write_all(text.as_bytes())
    };
    let mut code = report.exit;
    if let Err(error) = printed
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        let _ = failed(&format!("the report cannot be printed: {error}"), verdict::ExitCode::Harness);
        code = verdict::ExitCode::Harness;
    }
    for target in targets {
        if let Err(error) = target.write(report) {
            anstream::eprintln!("anet-conformance: the report {target} cannot be written: {error}");
            code = verdict::ExitCode::Harness;
        }
    }
    ExitCode::from(code as u8)
}

/// Runs what the arguments ask for, `--repeat` times, until it is done or interrupted.
pub(super) fn judge(arguments: &RunArgs, serve: Option<Serve>) -> Result<Done, ExitCode> {
    match arguments.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    let prepared = prepare(arguments, serve)?;
    let jobs = prepared.runner.jobs;
    let runtime = runtime(jobs)?;
    let done = runtime.block_on(carry_out(arguments, prepared));
    runtime.shutdown_timeout(Duration::from_millis(200));
    done
}

/// How many candidates run side by side unless the caller says otherwise: one for each processor.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// The runtime on which candidates are driven.
pub(super) fn runtime(jobs: usize) -> Result<tokio::runtime::Runtime, ExitCode> {
    let threads = jobs.clamp(2, 16);
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    built.map_err(|error| failed(&format!("no runtime: {error}"), verdict::ExitCode::Harness))
}

fn prepare(arguments: &RunArgs, serve: Option<Serve>) -> Result<Prepared, ExitCode> {
    let usage = |why: String| failed(&why, verdict::ExitCode::Usage);
    let candidate = candidate_of(&arguments.command, arguments.candidate.as_deref(), serve)?;
    let ids = if arguments.last_failed { Some(last::failed(&candidate.command.words()).map_err(usage)?) } else { None };
    let chosen = arguments.wanted.choose(ids).map_err(usage)?;
    let baseline = match &arguments.baseline {
        Some(path) => Some(Baseline::read(path).map_err(|error| usage(error.to_string()))?),
        None => None,
    };
    let jobs = arguments.jobs.map_or_else(processors, usize::from);
    let scale = arguments.time_scale.or(candidate.time_scale).unwrap_or(1.0);
    let runner = Runner {
        command: candidate.command,
        jobs,
        timeouts: Timeouts::default().scaled(scale),
        keep_all: arguments.transcripts,
        fail_fast: arguments.fail_fast,
        shuffle: arguments.shuffle.then_some(arguments.wanted.seed),
        watch: None,
    };
    Ok(Prepared { runner, chosen, not_offered: candidate.not_offered, baseline })
}

async fn carry_out(arguments: &RunArgs, prepared: Prepared) -> Result<Done, ExitCode> {
    let Prepared { runner, chosen, not_offered, baseline } = prepared;
    let began = Instant::now();
    let live = Live::new(arguments.quiet);
    let about = About {
        command: runner.command.words(),
        corpus: chosen.corpus.len(),
        strict: arguments.strict,
        seed: arguments.wanted.seed,
        page: "0.3".to_owned(),
    };
    let (missing, wanted): (Vec<Case>, Vec<Case>) =
        chosen.cases.into_iter().partition(|case| not_offered.iter().any(|what| what.covers(case)));
    let (interrupt, code) = interruption();
    let mut interrupt = std::pin::pin!(interrupt);
    let mut report: Option<Report> = None;
    for _ in 0..arguments.repeat {
        let outcome = tokio::select! {
            outcome = runner.run(&wanted, |progress| live.show(progress, began), &mut interrupt) => outcome,
            never = live.tell_of_waiting(runner.timeouts.start) => match never {},
        };
        live.clear();
        let outcome = outcome.map_err(|refused| could_not(&runner.command, &refused))?;
        let stopped = outcome.stopped.is_some();
        let next = report::report(about.clone(), &wanted, outcome, began.elapsed());
        report = Some(match report {
            None => next,
            Some(before) => worst_of(before, next),
        });
        if stopped {
            break;
        }
    }
    let mut report = report.expect("it runs once at least");
    for case in &missing {
        let reason = not_offered.iter().find(|what| what.covers(case)).map(|what| what.reason.as_str());
        report.results.push(CaseReport::not_offered(case, reason.unwrap_or_default()));
    }
    report.settle();
    let interrupted = code.get().copied();
    Ok(Done { report, corpus: chosen.corpus, interrupted, baseline })
}

pub(super) fn could_not(command: &Command, refused: &Refused) -> ExitCode {
    anstream::eprint!("{}", report::refused(&command.words(), refused));
    let code = if refused.by_kit { verdict::ExitCode::Harness } else { verdict::ExitCode::NoStart };
    ExitCode::from(code as u8)
}

/// Of two runs of the same cases, the worse verdict of each case, and how often it was given.
fn worst_of(before: Report, next: Report) -> Report {
    let mut merged = Report { duration_ms: next.duration_ms, stopped: next.stopped.clone(), ..before };
    for case in next.results {
        let Some(known) = merged.results.iter_mut().find(|known| known.id == case.id) else {
            merged.results.push(case);
            continue;
        };
        let so_far = known.repeated.unwrap_or(Repeated { runs: 1, with_this_verdict: 1 });
        let count = match case.verdict.cmp(&known.verdict) {
            std::cmp::Ordering::Equal => so_far.with_this_verdict + 1,
            std::cmp::Ordering::Less => so_far.with_this_verdict,
            std::cmp::Ordering::Greater => {
                *known = case;
                1
            }
        };
        known.repeated = Some(Repeated { runs: so_far.runs + 1, with_this_verdict: count });
    }
    merged.settle();
    merged
}

/// Ctrl-C or SIGTERM, as the reason for which a run ends; the cell then holds the exit code that says so.
pub(super) fn interruption() -> (impl Future<Output = String>, std::rc::Rc<std::cell::OnceCell<u8>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let code = std::rc::Rc::new(std::cell::OnceCell::new());
    let cell = std::rc::Rc::clone(&code);
    let waiting = async move {
        let mut terminate = signal(SignalKind::terminate()).ok();
        let terminated = async {
            match terminate.as_mut() {
                Some(terminate) => terminate.recv().await,
                None => std::future::pending().await,
            }
        };
        let number = tokio::select! {
            _ = tokio::signal::ctrl_c() => 130,
            _ = terminated => 143,
        };
        let _ = cell.set(number);
        "interrupted; the cases that were not done are missing".to_owned()
    };
    (waiting, code)
}
