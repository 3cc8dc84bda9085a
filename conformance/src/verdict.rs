//! Verdicts on cases and the exit code of a run.
//!
//! Responsible for: the one place where findings become verdicts and verdicts an exit code. Renderers never decide.

use serde::{Deserialize, Serialize};

use crate::requirement::{Basis, Level};

/// What was found about one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It holds.
    Met,
    /// It does not.
    Broken(Broken),
    /// The choice that the candidate made, where several are allowed.
    Observed(String),
    /// It does not apply to this candidate, and why.
    NotApplicable(String),
    /// It could not be tried, and why.
    NotExercised(String),
}

/// How an expectation was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// What is wrong, in a sentence without its full stop.
    pub message: String,
    /// What was expected, as text for a diff; empty if a sentence says it all.
    pub expected: String,
    /// What was seen, as text for a diff.
    pub seen: String,
}

impl Finding {
    /// Broken, with a sentence that says it all.
    pub fn broken(message: impl Into<String>) -> Self {
        Self::Broken(Broken { message: message.into(), expected: String::new(), seen: String::new() })
    }

    /// Broken, with what was expected and what was seen.
    pub fn differs(message: impl Into<String>, expected: impl Into<String>, seen: impl Into<String>) -> Self {
        Self::Broken(Broken { message: message.into(), expected: expected.into(), seen: seen.into() })
    }
}

/// The verdict on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every check held.
    Pass,
    /// The choice was recorded; nothing was demanded.
    Observed,
    /// It does not apply to this candidate.
    NotApplicable,
    /// Only `should` was violated, or could not be tried.
    Warn,
    /// Violated, and the baseline says so.
    Known,
    /// The baseline expects a violation that did not happen.
    Stale,
    /// A `must` could not be tried.
    NotExercised,
    /// A `must` was violated.
    Fail,
    /// The kit itself went wrong.
    HarnessError,
}

impl Verdict {
    /// The name in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Observed => "observed",
            Self::NotApplicable => "not-applicable",
            Self::Warn => "warn",
            Self::Known => "known",
            Self::Stale => "stale",
            Self::NotExercised => "not-exercised",
            Self::Fail => "fail",
            Self::HarnessError => "harness-error",
        }
    }
}

/// What stopped the candidate, if something did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// It ended when it should not have.
    Crash,
    /// It did not answer or end within its bound.
    Hang,
}

/// A check with its requirement and what was found.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The requirement's id.
    pub requirement: String,
    /// The requirement's level.
    pub level: Level,
    /// Who asks for it.
    pub basis: Basis,
    /// What was found.
    pub finding: Finding,
}

/// The exit code of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[repr(u8)]
pub enum ExitCode {
    /// The candidate conforms, as far as it was judged.
    Conformant = 0,
    /// A `must` was violated (or a `should`, under `--strict`).
    Violation = 1,
    /// The command line or a file that it names is wrong.
    Usage = 2,
    /// A `must` could not be tried.
    Incomplete = 3,
    /// An entry of the baseline is stale, expired or matches nothing.
    Baseline = 4,
    /// The kit itself went wrong.
    Harness = 5,
    /// The candidate would not start, or does not speak MCP.
    NoStart = 6,
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> Self {
        code as Self
    }
}

impl TryFrom<u8> for ExitCode {
    type Error = String;

    fn try_from(code: u8) -> Result<Self, String> {
        [Self::Conformant, Self::Violation, Self::Usage, Self::Incomplete, Self::Baseline, Self::Harness, Self::NoStart]
            .into_iter()
            .find(|known| *known as u8 == code)
            .ok_or_else(|| format!("{code} is no exit code of a run"))
    }
}

/// The verdict on a case from what was found about its checks.
pub fn of_case(judged: &[Judged]) -> Verdict {
    let any = |level: Level, what: fn(&Finding) -> bool| judged.iter().any(|j| j.level == level && what(&j.finding));
    let broken = |finding: &Finding| matches!(finding, Finding::Broken(_));
    let untried = |finding: &Finding| matches!(finding, Finding::NotExercised(_));
    if judged.is_empty() {
        return Verdict::HarnessError;
    }
    if any(Level::Must, broken) {
        Verdict::Fail
    } else if any(Level::Must, untried) {
        Verdict::NotExercised
    } else if any(Level::Should, broken) {
        Verdict::Warn
    } else if judged.iter().any(|j| j.finding == Finding::Met) {
        Verdict::Pass
    } else if judged.iter().any(|j| matches!(j.finding, Finding::Observed(_)) || broken(&j.finding)) {
        Verdict::Observed
    } else if any(Level::Should, untried) {
        Verdict::Warn
    } else {
        Verdict::NotApplicable
    }
}

/// The exit code of a run whose cases got these verdicts. A violation outweighs everything but a fault of the kit.
/// `baseline_is_off`: some entry of the baseline matches nothing, is stale, expired or changed.
pub fn of_run(verdicts: &[Verdict], strict: bool, baseline_is_off: bool) -> ExitCode {
    let has = |verdict| verdicts.contains(&verdict);
    if has(Verdict::HarnessError) {
        ExitCode::Harness
    } else if has(Verdict::Fail) || (strict && has(Verdict::Warn)) {
        ExitCode::Violation
    } else if baseline_is_off || has(Verdict::Stale) {
        ExitCode::Baseline
    } else if has(Verdict::NotExercised) {
        ExitCode::Incomplete
    } else {
        ExitCode::Conformant
    }
}

#[cfg(test)]
mod tests {
    use super::{ExitCode, Finding, Judged, Verdict, of_case, of_run};
    use crate::requirement::{Basis, Level};

    fn judged(level: Level, finding: Finding) -> Judged {
        Judged { requirement: "x.y".to_owned(), level, basis: Basis::Page, finding }
    }

    #[test]
    fn verdicts_of_cases() {
        let broken = || Finding::broken("it is not so");
        let untried = || Finding::NotExercised("no".to_owned());
        let table = [
            (vec![], Verdict::HarnessError),
            (vec![judged(Level::Must, Finding::Met)], Verdict::Pass),
            (vec![judged(Level::Must, Finding::Met), judged(Level::Should, broken())], Verdict::Warn),
            (vec![judged(Level::Must, broken()), judged(Level::Must, untried())], Verdict::Fail),
            (vec![judged(Level::Must, untried()), judged(Level::Should, broken())], Verdict::NotExercised),
            (vec![judged(Level::Should, untried()), judged(Level::Must, Finding::Met)], Verdict::Pass),
            (vec![judged(Level::Should, untried())], Verdict::Warn),
            (vec![judged(Level::Observe, broken())], Verdict::Observed),
            (vec![judged(Level::Observe, Finding::Observed("a".to_owned()))], Verdict::Observed),
            (vec![judged(Level::Must, Finding::NotApplicable("old".to_owned()))], Verdict::NotApplicable),
        ];
        for (findings, expected) in table {
            assert_eq!(of_case(&findings), expected, "{findings:?}");
        }
    }

    #[test]
    fn exit_codes() {
        use Verdict::{Fail, HarnessError, Known, NotApplicable, NotExercised, Observed, Pass, Stale, Warn};
        let table: [(&[Verdict], bool, ExitCode); 9] = [
            (&[Pass, Observed, NotApplicable, Known], true, ExitCode::Conformant),
            (&[Pass, Warn], false, ExitCode::Conformant),
            (&[Pass, Warn], true, ExitCode::Violation),
            (&[Pass, Fail, Stale, NotExercised], false, ExitCode::Violation),
            (&[Stale, NotExercised], false, ExitCode::Baseline),
            (&[Pass, NotExercised], false, ExitCode::Incomplete),
            (&[HarnessError, Fail], false, ExitCode::Harness),
            (&[], false, ExitCode::Conformant),
            (&[Known], false, ExitCode::Conformant),
        ];
        for (verdicts, strict, expected) in table {
            assert_eq!(of_run(verdicts, strict, false), expected, "{verdicts:?}");
        }
    }
}
