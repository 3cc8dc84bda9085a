//! The command line.
//!
//! Responsible for: reading arguments, calling the parts, and the exit code. Not for: any verdict.

mod baseline;
mod doctor;
mod init;
mod last;
mod live;
mod run;
mod selftest;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::baseline::BaselineAction;
use self::doctor::DoctorArgs;
use self::init::InitArgs;
use self::run::{RunArgs, Wanted};
use self::selftest::SelftestArgs;
use crate::case::Group;
use crate::{cases, explain, verdict};

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
  anet-conformance doctor -- python3 server.py    can it be judged at all?
  anet-conformance init -- python3 server.py      begin a project's own files
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
    List(Wanted),
    /// Look whether a candidate can be judged: start, handshake, tools, one call, stdout, the end
    Doctor(DoctorArgs),
    /// Write candidate.toml, an empty baseline and a CI workflow; never over a file that is there
    Init(InitArgs),
    /// Keep the list of known violations
    Baseline {
        #[command(subcommand)]
        action: BaselineAction,
    },
    /// Explain a requirement, a case, a tool or a ruling: what is asked, where it stands, what to do
    Explain {
        /// The id of a requirement or a case, the beginning of ids, a tool, `R6`, or `control-plane 2.4`
        #[arg(required = true, value_name = "ID")]
        id: Vec<String>,
    },
    /// Turn every expectation around, on a candidate that passes, and demand red: proof that the kit bites
    Selftest(SelftestArgs),
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
        None | Some(Action::Run(_) | Action::Doctor(_) | Action::Selftest(_) | Action::Baseline { .. })
            if names_nothing =>
        {
            nothing()
        }
        None => run::run(&cli.run, serve),
        Some(Action::Run(arguments)) => run::run(&arguments, serve),
        Some(Action::List(wanted)) => list(&wanted),
        Some(Action::Doctor(arguments)) => doctor::run(&arguments, serve),
        Some(Action::Selftest(arguments)) => selftest::run(&arguments, serve),
        Some(Action::Init(arguments)) => init::run(&arguments),
        Some(Action::Baseline { action: BaselineAction::Update(arguments) }) => baseline::run(&arguments, serve),
        Some(Action::Explain { id }) => explained(&id.join(" ")),
        Some(Action::Serve { arguments }) => match serve {
            Some(serve) => serve(named("anet-mcp", arguments)),
            None => {
                failed("this build does not carry the reference server (feature `reference`)", verdict::ExitCode::Usage)
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

fn nothing() -> ExitCode {
    failed("no command stands behind `--`; leave out the `--` to judge the reference", verdict::ExitCode::Usage)
}

/// Says on stderr what went wrong and gives back the exit code.
fn failed(why: &str, code: verdict::ExitCode) -> ExitCode {
    anstream::eprintln!("anet-conformance: {why}");
    ExitCode::from(code as u8)
}

fn list(wanted: &Wanted) -> ExitCode {
    let selected = match wanted.choose(None) {
        Ok(chosen) => chosen.cases,
        Err(why) => return failed(&why, verdict::ExitCode::Usage),
    };
    let mut out = anstream::stdout().lock();
    for group in Group::ALL {
        let members: Vec<_> = selected.iter().filter(|case| case.group == group).collect();
        if members.is_empty() {
            continue;
        }
        let mut text = format!("{group}: {} cases\n", members.len());
        for case in members {
            let level = case.level().to_string();
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
        Ok(text) => {
            let _ = anstream::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(unknown) => failed(&unknown.to_string(), verdict::ExitCode::Usage),
    }
}
