//! The command line.
//!
//! Responsible for: reading arguments, calling the parts, and the exit code. Not for: any verdict.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::case::{Case, Group};
use crate::report::{self, About, Target};
use crate::run::{Command, Progress, Runner, Timeouts, kill_all};
use crate::{cases, explain, requirement, select, verdict};

/// The reference server as a program: arguments in, exit code out.
pub type Serve = fn(Vec<OsString>) -> ExitCode;

const AFTER_HELP: &str = "\
What a candidate is:
  A command that speaks MCP on stdin and stdout, one JSON-RPC message a line,
  and finds the anet control plane through the environment variable
  ANET_DATA_DIR: a directory with config.json (member control_addr) and
  control_token.txt. The kit starts the command and plays both sides, client
  and daemon. HOME, XDG_RUNTIME_DIR and the working directory are fresh for
  each process. Nothing else is asked of a candidate, and no test code in it.

Examples:
  anet-conformance                                judge the reference server
  anet-conformance -- python3 server.py           judge another one
  anet-conformance --only get_task -- ./server    the cases on one tool
  anet-conformance --only 'errors/**' --jobs 1 -- ./server
  anet-conformance --report json=report.json -- ./server
  anet-conformance explain errors.sentence-exact  what is asked, and why

Exit codes:
  0  conformant              4  the baseline is out of date
  1  a must was violated     5  the kit itself went wrong
     (--strict: a should)    6  the candidate would not start
  2  wrong command line    130  interrupted
  3  a must could not be tried";

#[derive(Debug, Parser)]
#[command(name = "anet-conformance", version, about, after_help = AFTER_HELP, args_conflicts_with_subcommands = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Judge a candidate (the default)
    Run(RunArgs),
    /// List the cases, grouped, with the level that each asks for
    List(Selection),
    /// Explain a requirement or a case: what is asked, where it stands, what to do
    Explain {
        /// The id of a requirement or a case
        id: String,
    },
    /// Serve MCP as the reference server that the kit carries along
    #[command(disable_help_flag = true)]
    Serve {
        /// What the reference takes; `serve --help` shows it
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARG")]
        arguments: Vec<OsString>,
    },
    /// Run the mock daemon alone, for any client of the control plane
    #[command(disable_help_flag = true)]
    Daemon {
        /// What the daemon takes; `daemon --help` shows it
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARG")]
        arguments: Vec<OsString>,
    },
}

#[derive(Clone, Debug, Default, Args)]
struct Selection {
    /// Only cases that match: an id, a part of one, or a glob (`*` within a part, `**` across)
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// No cases that match
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
struct RunArgs {
    #[command(flatten)]
    selection: Selection,
    /// How many processes run side by side [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Write a report: json=FILE; `-` is standard output
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<Target>,
    /// Fail for a violated should, too
    #[arg(long)]
    strict: bool,
    /// Multiply all bounds on waiting, for a slow machine or candidate
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    time_scale: f64,
    /// Show warnings and observations in full
    #[arg(short, long)]
    verbose: bool,
    /// Keep the transcript of every case in the report, not only of those that did not pass
    #[arg(long)]
    transcripts: bool,
    /// Say nothing while running, and nothing at the end but failures and totals
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    /// The candidate's command; without one, the reference is judged
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (0.01..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("a number from 0.01 to 1000".to_owned()),
    }
}

/// The whole program. `serve` is the reference server, if this build carries it.
pub fn main(arguments: impl IntoIterator<Item = OsString>, serve: Option<Serve>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // `-- $SERVER` with an empty variable: judging the reference instead would be a green that means nothing.
    let names_nothing = arguments.last().is_some_and(|last| last == "--");
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { usage() } else { ExitCode::SUCCESS };
            // A closed pipe behind --help is no fault.
            let _ = error.print();
            if error.kind() == clap::error::ErrorKind::UnknownArgument {
                anstream::eprintln!("A candidate's command stands behind `--`: anet-conformance -- python3 server.py");
            }
            return code;
        }
    };
    match cli.action {
        None | Some(Action::Run(_)) if names_nothing => {
            fail("no command stands behind `--`; leave out the `--` to judge the reference", verdict::ExitCode::Usage)
        }
        None => run(&cli.run, serve),
        Some(Action::Run(arguments)) => run(&arguments, serve),
        Some(Action::List(selection)) => list(&selection),
        Some(Action::Explain { id }) => explained(&id),
        Some(Action::Serve { arguments }) => match serve {
            Some(serve) => serve(named("anet-mcp", arguments)),
            None => {
                fail("this build does not carry the reference server (feature `reference`)", verdict::ExitCode::Usage)
            }
        },
        Some(Action::Daemon { arguments }) => anet_mock_daemon::run(named("anet-mock-daemon", arguments)),
    }
}

fn named(program: &str, arguments: Vec<OsString>) -> Vec<OsString> {
    std::iter::once(OsString::from(program)).chain(arguments).collect()
}

fn usage() -> ExitCode {
    ExitCode::from(verdict::ExitCode::Usage as u8)
}

fn fail(why: &str, code: verdict::ExitCode) -> ExitCode {
    anstream::eprintln!("anet-conformance: {why}");
    ExitCode::from(code as u8)
}

fn run(arguments: &RunArgs, serve: Option<Serve>) -> ExitCode {
    match arguments.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    for target in &arguments.report {
        if let Err(error) = target.check() {
            return fail(&format!("the report {target} cannot be written: {error}"), verdict::ExitCode::Harness);
        }
    }
    let all = cases::all();
    let corpus = all.len();
    let selected = match select::select(all, &arguments.selection.only, &arguments.selection.skip) {
        Ok(selected) if selected.is_empty() => {
            return fail("the patterns leave no case to run", verdict::ExitCode::Usage);
        }
        Ok(selected) => selected,
        Err(error) => return fail(&error.to_string(), verdict::ExitCode::Usage),
    };
    let command = match (Command::from_words(&arguments.command), serve) {
        (Some(command), _) => command,
        (None, Some(_)) => match std::env::current_exe() {
            Ok(program) => Command { program: program.into(), arguments: vec!["serve".into()] },
            Err(error) => {
                return fail(&format!("the program does not find itself: {error}"), verdict::ExitCode::Harness);
            }
        },
        (None, None) => {
            let mut help = Cli::command();
            let _ = help.print_help();
            return fail("name a candidate after `--`", verdict::ExitCode::Usage);
        }
    };
    let jobs = arguments.jobs.map_or_else(|| std::thread::available_parallelism().map_or(2, usize::from), usize::from);
    let runner = Runner {
        command,
        jobs,
        timeouts: Timeouts::default().scaled(arguments.time_scale),
        keep_all: arguments.transcripts,
    };
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(jobs.clamp(2, 16)).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return fail(&format!("no runtime: {error}"), verdict::ExitCode::Harness),
        };
    let code = runtime.block_on(judged(arguments, &runner, &selected, corpus));
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

async fn judged(arguments: &RunArgs, runner: &Runner, selected: &[Case], corpus: usize) -> ExitCode {
    let began = Instant::now();
    let live = Live::new(arguments.quiet);
    let outcome = tokio::select! {
        outcome = runner.run(selected, |progress| live.show(progress, began)) => outcome,
        never = live.tell_of_waiting(runner.timeouts.start) => match never {},
        code = interrupted() => {
            kill_all();
            live.clear();
            anstream::eprintln!("anet-conformance: interrupted after {:.1} s; {}", began.elapsed().as_secs_f64(), live.known());
            return ExitCode::from(code);
        }
    };
    live.clear();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refused) => {
            anstream::eprint!("{}", report::refused(&runner.command.words(), &refused));
            let code = if refused.by_kit { verdict::ExitCode::Harness } else { verdict::ExitCode::NoStart };
            return ExitCode::from(code as u8);
        }
    };
    let about =
        About { command: runner.command.words(), corpus, strict: arguments.strict, seed: 0, page: "0.3".to_owned() };
    let report = report::report(about, selected, outcome, began.elapsed());
    let text = report::render(&report, arguments.verbose, arguments.quiet);
    // What another program reads from stdout is not mixed with what a person reads.
    let printed = if arguments.report.iter().any(Target::is_stdout) {
        anstream::stderr().write_all(text.as_bytes())
    } else {
        anstream::stdout().write_all(text.as_bytes())
    };
    if let Err(error) = printed
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return fail(&format!("the report cannot be printed: {error}"), verdict::ExitCode::Harness);
    }
    let mut code = report.exit;
    for target in &arguments.report {
        if let Err(error) = target.write(&report) {
            anstream::eprintln!("anet-conformance: the report {target} cannot be written: {error}");
            code = verdict::ExitCode::Harness;
        }
    }
    ExitCode::from(code as u8)
}

/// Waits for Ctrl-C or SIGTERM; gives back the exit code that says so.
async fn interrupted() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return 130;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => 130,
        _ = terminate.recv() => 143,
    }
}

fn list(selection: &Selection) -> ExitCode {
    let selected = match select::select(cases::all(), &selection.only, &selection.skip) {
        Ok(selected) => selected,
        Err(error) => return fail(&error.to_string(), verdict::ExitCode::Usage),
    };
    let mut out = anstream::stdout().lock();
    for group in Group::ALL {
        let members: Vec<_> = selected.iter().filter(|case| case.group == group).collect();
        if members.is_empty() {
            continue;
        }
        let mut text = format!("{group}: {} cases\n", members.len());
        for case in members {
            let level = case
                .checks
                .iter()
                .filter_map(|check| requirement::find(check.requirement))
                .map(|found| found.level)
                .max();
            let level = level.map_or_else(String::new, |level| level.to_string());
            let _ = writeln!(text, "  {level:<8}{}  {}", case.id, case.title);
        }
        // A reader that has seen enough closes the pipe; that is no fault.
        if out.write_all(text.as_bytes()).is_err() {
            return ExitCode::SUCCESS;
        }
    }
    let _ = writeln!(out, "{} cases", selected.len());
    ExitCode::SUCCESS
}

fn explained(id: &str) -> ExitCode {
    let all = cases::all();
    match explain::explain(id, &all) {
        Some(text) => {
            let _ = anstream::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        None => fail(
            &format!(
                "there is no requirement, no sentence of the page and no case `{id}`; docs/requirements.md and `anet-conformance list` name them"
            ),
            verdict::ExitCode::Usage,
        ),
    }
}

/// The line that shows how far the run is: on a terminal it is rewritten, elsewhere a new one comes every few seconds.
struct Live {
    silent: bool,
    terminal: bool,
    state: std::sync::Mutex<(Progress, Instant)>,
}

impl Live {
    fn new(silent: bool) -> Self {
        let none = Progress { done: 0, total: 0, failed: 0 };
        Self { silent, terminal: std::io::stderr().is_terminal(), state: std::sync::Mutex::new((none, Instant::now())) }
    }

    fn show(&self, progress: Progress, began: Instant) {
        let every = if self.terminal { Duration::from_millis(80) } else { Duration::from_secs(5) };
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.0 = progress;
        if self.silent || state.1.elapsed() < every {
            return;
        }
        state.1 = Instant::now();
        let line = format!("{}  {:.0} s", words(progress), began.elapsed().as_secs_f64());
        if self.terminal { anstream::eprint!("\r\x1b[2K{line}") } else { anstream::eprintln!("{line}") }
    }

    /// Says what is waited for if no case is done soon. Never returns.
    async fn tell_of_waiting(&self, bound: Duration) -> std::convert::Infallible {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let begun = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0.done > 0;
        if !begun && !self.silent {
            anstream::eprintln!("waiting for the candidate's first answer, {:.0} s at most", bound.as_secs_f64());
        }
        std::future::pending().await
    }

    fn clear(&self) {
        if self.terminal && !self.silent {
            anstream::eprint!("\r\x1b[2K");
        }
    }

    fn known(&self) -> String {
        words(self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0)
    }
}

fn words(progress: Progress) -> String {
    format!("{} of {} cases, {} failed", progress.done, progress.total, progress.failed)
}
