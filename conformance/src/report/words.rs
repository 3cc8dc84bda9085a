//! Words that several reports have in common.

use super::model::Report;
use crate::run::quoted;
use crate::verdict::{ExitCode, Verdict};

/// What came of the run, in a few words.
pub(super) fn outcome(report: &Report) -> &'static str {
    let any = |verdict| report.results.iter().any(|case| case.verdict == verdict);
    match report.exit {
        ExitCode::Conformant if report.stopped.is_some() => "no violation in what was judged",
        ExitCode::Conformant if any(Verdict::Warn) => "conformant, with warnings",
        ExitCode::Conformant if any(Verdict::Known) => "no violation that the baseline does not name",
        ExitCode::Conformant => "conformant",
        ExitCode::Violation if !any(Verdict::Fail) => "not conformant: a should was violated, and --strict asks for it",
        ExitCode::Violation => "not conformant",
        ExitCode::Incomplete => "incomplete: a must could not be tried",
        ExitCode::Baseline => "the baseline is out of date",
        ExitCode::Harness => "the kit itself went wrong",
        ExitCode::Usage | ExitCode::NoStart => "not judged",
    }
}

/// The command line that judges one case again.
pub(super) fn again(command: &[String], id: &str) -> String {
    let mut words = vec!["anet-conformance".to_owned(), "--only".to_owned(), quoted(id)];
    // The reference that the kit carries along is judged when no command is named.
    if !matches!(command, [_, only] if only == "serve") {
        words.push("--".to_owned());
        words.extend(command.iter().map(|word| quoted(word)));
    }
    words.join(" ")
}
