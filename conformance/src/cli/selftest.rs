//! `selftest`: whether every assertion of the kit bites.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;

use super::live::Live;
use super::run::{Wanted, candidate_of, could_not, interruption, processors, runtime};
use super::{Serve, failed};
use crate::report::wrap;
use crate::run::{Runner, Watch};
use crate::selftest::{Sum, try_case};
use crate::verdict;

/// What `selftest` takes.
#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// Turn every expectation around and demand that it fails (the only test there is, and so the default)
    #[arg(long)]
    flip: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// The command of a candidate that passes; without one, the reference
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

pub(super) fn run(arguments: &SelftestArgs, serve: Option<Serve>) -> ExitCode {
    let candidate = match candidate_of(&arguments.command, None, serve) {
        Ok(candidate) => candidate,
        Err(code) => return code,
    };
    let chosen = match arguments.wanted.choose(None) {
        Ok(chosen) => chosen,
        Err(why) => return failed(&why, verdict::ExitCode::Usage),
    };
    let sum = Arc::new(Mutex::new(Sum::default()));
    let into = Arc::clone(&sum);
    let jobs = processors();
    let runner = Runner {
        command: candidate.command,
        jobs,
        watch: Some(Watch(Arc::new(move |case, seen| {
            let trial = try_case(case, seen);
            into.lock().unwrap_or_else(PoisonError::into_inner).add(case, trial);
        }))),
        ..Runner::default()
    };
    let runtime = match runtime(jobs) {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    let began = Instant::now();
    let live = Live::new(false);
    let (stop, _) = interruption();
    let outcome = runtime.block_on(runner.run(&chosen.cases, |progress| live.show(progress, began), stop));
    live.clear();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refused) => return could_not(&runner.command, &refused),
    };
    let sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
    let text = rendered(&sum, began.elapsed().as_secs_f64());
    // A reader that has seen enough closes the pipe; that is no fault.
    let _ = anstream::stdout().write_all(text.as_bytes());
    if let Some(stopped) = outcome.stopped {
        return failed(&format!("stopped early: {stopped}"), verdict::ExitCode::Incomplete);
    }
    let asleep = !sum.asleep.is_empty();
    ExitCode::from(if asleep { verdict::ExitCode::Violation } else { verdict::ExitCode::Conformant } as u8)
}

fn rendered(sum: &Sum, seconds: f64) -> String {
    let mut out = String::new();
    for (what, cases) in &sum.asleep {
        let more = if cases.len() > 1 { format!(" and {} more", cases.len() - 1) } else { String::new() };
        out += &wrap(&format!("{what} ({}{more})", cases.first().map_or("", String::as_str)), 80, "  ");
        out.push('\n');
    }
    let words = format!(
        "{} checks of {} cases, turned around or disturbed {} times in {seconds:.0} s: {} asleep; {} record a choice or do not \
         apply.",
        sum.checks,
        sum.cases,
        sum.flips,
        sum.asleep.values().map(Vec::len).sum::<usize>(),
        sum.silent
    );
    out += &wrap(&words, 80, "");
    out.push('\n');
    out
}
