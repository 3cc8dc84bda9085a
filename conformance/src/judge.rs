//! Judging one case: a pure function from the case and what was seen to a judgement.
//!
//! Responsible for: evaluating every check of a case and the standing checks that hold in every case (stdout carries
//! nothing but protocol messages, no trespass at the daemon, secrets kept, files left alone). Not for: running, reporting,
//! baselines.

use crate::case::{Case, Check};
use crate::expect::Expect;
use crate::observation::{Observation, StepEnd};
use crate::requirement::{self, Basis, Level};
use crate::verdict::{self, Finding, Judged, Tag, Verdict};

/// The judgement on one case.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the candidate crashed or hung.
    pub tag: Option<Tag>,
    /// Each check, with what was found.
    pub judged: Vec<Judged>,
}

impl Judgement {
    /// The level of the worst violation, or the highest level that was asked for if there is none.
    pub fn level(&self) -> Level {
        self.judged
            .iter()
            .filter(|judged| matches!(judged.finding, Finding::Broken(_) | Finding::NotExercised(_)))
            .map(|judged| judged.level)
            .max()
            .or_else(|| self.judged.iter().map(|judged| judged.level).max())
            .unwrap_or(Level::Must)
    }

    /// The violations, `must` first, in the order of the checks.
    pub fn violations(&self) -> Vec<&Judged> {
        let mut found: Vec<_> =
            self.judged.iter().filter(|judged| matches!(judged.finding, Finding::Broken(_))).collect();
        found.sort_by_key(|judged| std::cmp::Reverse(judged.level));
        found
    }
}

/// The checks that every case makes beside its own.
pub fn standing_checks() -> Vec<Check> {
    [
        ("stdio.stdout-pure", Expect::StdoutPure),
        ("stdio.messages-valid", Expect::MessagesValid),
        ("reach.routes-only", Expect::NoTrespass),
        ("reach.bearer-token", Expect::Authorized),
        ("reach.token-kept", Expect::SecretsKept),
        ("reach.data-unchanged", Expect::DataUntouched),
        ("reach.nothing-written", Expect::NothingWritten),
    ]
    .into_iter()
    .map(|(requirement, expect)| Check { requirement, expect })
    .collect()
}

/// Judges a case by what was seen.
pub fn judge(case: &Case, seen: &Observation) -> Judgement {
    let standing = standing_checks();
    let judged: Vec<_> = case
        .checks
        .iter()
        .chain(&standing)
        .map(|check| {
            let Some(requirement) = requirement::find(check.requirement) else {
                // A case that names a requirement nobody wrote down is a fault of the kit; a test forbids it.
                return Judged {
                    requirement: check.requirement.to_owned(),
                    level: Level::Must,
                    basis: Basis::Ruling,
                    finding: Finding::NotExercised("the kit has no such requirement".to_owned()),
                };
            };
            let finding = if requirement.holds_in(seen.in_force()) {
                check.expect.evaluate(seen)
            } else {
                Finding::NotApplicable(format!("not asked for in MCP {}", seen.in_force()))
            };
            Judged { requirement: requirement.id.clone(), level: requirement.level, basis: requirement.basis, finding }
        })
        .collect();
    // The standing checks alone make no case: a case whose own checks said nothing is not green by silence.
    let own = &judged[..case.checks.len()];
    let verdict = if own.is_empty() {
        Verdict::HarnessError
    } else if own.iter().all(|j| matches!(j.finding, Finding::NotApplicable(_)))
        && !judged.iter().any(|j| matches!(j.finding, Finding::Broken(_)))
    {
        Verdict::NotApplicable
    } else if own.iter().all(|j| !matches!(j.finding, Finding::Met)) && verdict::of_case(&judged) == Verdict::Pass {
        verdict::of_case(own)
    } else {
        verdict::of_case(&judged)
    };
    Judgement { verdict, tag: tag(seen), judged }
}

fn tag(seen: &Observation) -> Option<Tag> {
    let ran_out = seen.steps.iter().any(|step| matches!(step.end, StepEnd::RanOut { .. }));
    let gone = seen.steps.iter().any(|step| step.end == StepEnd::CandidateGone);
    if gone {
        Some(Tag::Crash)
    } else if ran_out {
        Some(Tag::Hang)
    } else {
        None
    }
}
