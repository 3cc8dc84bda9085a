//! `doctor`: whether a candidate can be judged, stage by stage.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::run::{candidate_of, could_not, runtime};
use super::{Serve, failed};
use crate::doctor::{self, Stage};
use crate::report;
use crate::run::{Runner, Timeouts};
use crate::verdict;

/// What `doctor` takes.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The file that describes the candidate [default: candidate.toml, if it is there]
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    candidate: Option<PathBuf>,
    /// The candidate's command; without one, `candidate.toml` is read, and without that the reference is looked at
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

pub(super) fn run(arguments: &DoctorArgs, serve: Option<Serve>) -> ExitCode {
    let candidate = match candidate_of(&arguments.command, arguments.candidate.as_deref(), serve) {
        Ok(candidate) => candidate,
        Err(code) => return code,
    };
    let scale = candidate.time_scale.unwrap_or(1.0);
    let runner =
        Runner { command: candidate.command, timeouts: Timeouts::default().scaled(scale), ..Runner::default() };
    let runtime = match runtime(2) {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let seen = runtime.block_on(runner.observe(&doctor::conversation()));
    let seen = match seen {
        Ok(seen) => seen,
        Err(refused) => return could_not(&runner.command, &refused),
    };
    let stages = doctor::stages(&seen);
    let text = rendered(&runner.command.for_a_shell(), &stages);
    if let Err(error) = anstream::stdout().write_all(text.as_bytes())
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return failed(&format!("the findings cannot be printed: {error}"), verdict::ExitCode::Harness);
    }
    let opened = stages.first().is_some_and(|stage| stage.ok == Some(true));
    ExitCode::from(match (opened, stages.iter().all(|stage| stage.ok == Some(true))) {
        (false, _) => verdict::ExitCode::NoStart,
        (true, false) => verdict::ExitCode::Violation,
        (true, true) => verdict::ExitCode::Conformant,
    } as u8)
}

fn rendered(command: &str, stages: &[Stage]) -> String {
    const GREEN: Style = AnsiColor::Green.on_default();
    const RED: Style = AnsiColor::Red.on_default();
    const DIM: Style = Style::new().dimmed();
    let mut out = format!("{}\n", report::visible(command));
    for stage in stages {
        let (style, mark) = match stage.ok {
            Some(true) => (GREEN, "ok"),
            Some(false) => (RED, "FAIL"),
            None => (DIM, "-"),
        };
        let seen = report::wrap(&stage.seen, 80, "                    ");
        let _ = writeln!(out, "  {style}{mark:<5}{style:#} {:<11} {}", stage.name, seen.trim_start());
        if stage.ok == Some(false) {
            out += &report::wrap(&format!("what to do: {}", stage.advice), 80, "                    ");
            out.push('\n');
        }
    }
    let bad = stages.iter().filter(|stage| stage.ok != Some(true)).count();
    if bad == 0 {
        out += "It can be judged: leave out `doctor`.\n";
    }
    out
}
