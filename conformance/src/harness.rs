//! The cases as tests of a Rust project: one test a case, under `cargo test` and nextest.
//!
//! ```toml
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! ```text
//! // tests/conformance.rs
//! fn main() {
//!     anet_conformance::harness::run([env!("CARGO_BIN_EXE_anet-conformance"), "serve"]);
//! }
//! ```
//!
//! Responsible for: the list of tests, and running one case for each. Not for: verdicts, or how a failure reads (`report`).

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Case;
use crate::cases;
use crate::report::{self, About};
use crate::run::{Command, Runner, Timeouts};
use crate::verdict::{ExitCode, Verdict};

/// The variable whose command, if it is set, is judged instead; words as in a shell.
pub const COMMAND: &str = "ANET_CONFORMANCE_COMMAND";
/// The variable that, if it is set and not empty, makes a violated should fail.
pub const STRICT: &str = "ANET_CONFORMANCE_STRICT";

/// Runs every case that the test runner's arguments select on the candidate that this command starts, prints as a test
/// binary does, and ends the process. Relative paths are meant from the present directory: under cargo, the package's.
pub fn run<W: Into<OsString>>(command: impl IntoIterator<Item = W>) -> ! {
    let arguments = Arguments::from_args();
    let words: Vec<OsString> = match std::env::var(COMMAND) {
        Ok(text) => match shell_words::split(&text) {
            Ok(words) => words.into_iter().map(OsString::from).collect(),
            Err(error) => stop(&format!("{COMMAND} is no command: {error}")),
        },
        Err(_) => command.into_iter().map(Into::into).collect(),
    };
    let Some(command) = Command::from_words(&words) else { stop("no command to judge was named") };
    let strict = std::env::var(STRICT).is_ok_and(|value| !value.is_empty());
    let runner =
        Arc::new(Runner { command, jobs: 1, timeouts: Timeouts::default(), keep_all: false, ..Runner::default() });
    let trials = cases::all().into_iter().map(|case| {
        let runner = Arc::clone(&runner);
        let kind = case.group.name();
        Trial::test(case.id.clone(), move || judged(&runner, &case, strict)).with_kind(kind)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit()
}

fn stop(why: &str) -> ! {
    anstream::eprintln!("{why}");
    std::process::exit(ExitCode::Usage as i32)
}

/// Judges one case in a process of its own; fails with what the terminal report says of it.
fn judged(runner: &Runner, case: &Case, strict: bool) -> Result<(), Failed> {
    let began = Instant::now();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let outcome = runtime.block_on(runner.judge_alone(case));
    let outcome = outcome.map_err(|refused| report::refused(&runner.command.words(), &refused))?;
    let about = About { command: runner.command.words(), corpus: 1, strict, seed: 0, page: "0.3".to_owned() };
    let report = report::report(about, std::slice::from_ref(case), outcome, began.elapsed());
    let fine = report.results.iter().all(|result| !report.fails(result) && result.verdict != Verdict::NotExercised);
    if fine {
        Ok(())
    } else {
        Err(anstream::adapter::strip_str(&report::render(&report, false, true)).to_string().into())
    }
}
