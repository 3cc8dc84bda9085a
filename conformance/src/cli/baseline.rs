//! `baseline update`: writes what fails now into the baseline, and takes out what fails no more.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::run::{Done, RunArgs, judge};
use super::{Serve, failed};
use crate::baseline::{self, Kind};
use crate::verdict;

/// What `baseline` does.
#[derive(Debug, Subcommand)]
pub(super) enum BaselineAction {
    /// Judge the candidate and bring the file up to date; your reasons and comments stay
    Update(UpdateArgs),
}

/// What `baseline update` takes.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// The baseline; it is made if it is not there
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The reason of new entries; without one it stays empty, and you must give it before the file can be used
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The kind of new entries
    #[arg(long, value_enum, default_value_t = NewKind::Known, value_name = "KIND")]
    kind: NewKind,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NewKind {
    /// A fault that is to be mended
    Known,
    /// Deliberate: it stays
    Deviation,
}

pub(super) fn run(arguments: &UpdateArgs, serve: Option<Serve>) -> ExitCode {
    let Done { report, corpus, interrupted, .. } = match judge(&arguments.run, serve) {
        Ok(done) => done,
        Err(code) => return code,
    };
    if let Some(code) = interrupted {
        let _ = failed("interrupted; the baseline is as it was", verdict::ExitCode::Harness);
        return ExitCode::from(code);
    }
    if let Some(stopped) = &report.stopped {
        let why = format!("the baseline is as it was, since the run stopped early: {stopped}");
        return failed(&why, verdict::ExitCode::Incomplete);
    }
    let kind = match arguments.kind {
        NewKind::Known => Kind::Known,
        NewKind::Deviation => Kind::Deviation,
    };
    let changes = match baseline::update(&arguments.file, &report, &corpus, arguments.reason.as_deref(), kind) {
        Ok(changes) => changes,
        Err(error) => return failed(&error.to_string(), verdict::ExitCode::Usage),
    };
    for (word, ids) in [("added", &changes.added), ("removed", &changes.removed), ("changed", &changes.changed)] {
        for id in ids {
            anstream::println!("{word:<8} {id}");
        }
    }
    anstream::println!(
        "{}: {} added, {} removed, {} changed",
        arguments.file.display(),
        changes.added.len(),
        changes.removed.len(),
        changes.changed.len()
    );
    if changes.without_reason > 0 {
        anstream::println!(
            "{} entries have no reason yet; give each one before you use the file",
            changes.without_reason
        );
    }
    ExitCode::SUCCESS
}
