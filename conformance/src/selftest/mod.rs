//! `selftest`: proof that every single assertion bites.
//!
//! Responsible for: taking what was seen of a candidate that passes, and demanding red from each check of each case when it
//! is turned around (`turn`) and when what was seen is disturbed (`disturb`). Not for: broken candidates, which show
//! the same of whole cases.
//!
//! A check that holds whatever is turned or disturbed asserts nothing: it is *dead*.

mod disturb;
mod turn;

use std::collections::BTreeMap;

use crate::case::{Case, Check};
use crate::judge::standing_checks;
use crate::observation::Observation;
use crate::requirement::{self, Level};
use crate::verdict::Finding;

/// What was found out about the checks of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// How many checks held as they are, and so could be turned around.
    pub checks: usize,
    /// How many turned checks and disturbed observations were judged.
    pub flips: usize,
    /// How many checks recorded a choice or did not apply, so that there is nothing to turn.
    pub silent: usize,
    /// Checks that stayed green when they were turned around: requirement, what it demands, and how it was turned.
    pub deaf: Vec<(String, String, String)>,
    /// Checks that held whatever was seen: requirement and what it demands.
    pub dead: Vec<(String, String)>,
}

/// Tries every check of a case on what was seen of a candidate that passes it.
pub fn try_case(case: &Case, seen: &Observation) -> Trial {
    let mut trial = Trial::default();
    let standing = standing_checks();
    let mut asleep: Vec<&Check> = Vec::new();
    for check in case.checks.iter().chain(&standing) {
        let observes = requirement::find(check.requirement).is_none_or(|found| found.level == Level::Observe);
        if check.expect.evaluate(seen) != Finding::Met || observes {
            trial.silent += 1;
            continue;
        }
        trial.checks += 1;
        for (how, turned) in turn::turned(&check.expect) {
            trial.flips += 1;
            if turned.evaluate(seen) == Finding::Met {
                trial.deaf.push((check.requirement.to_owned(), check.expect.describe(), how.to_owned()));
            }
        }
        if !disturb::aimed(&check.expect, seen).iter().any(|other| breaks(check, other)) {
            asleep.push(check);
        }
    }
    // What looks at a single place of a document is only moved by a change of that place, which is tried last.
    for other in disturb::whole(seen).into_iter().chain(disturb::places(seen)) {
        if asleep.is_empty() {
            break;
        }
        trial.flips += asleep.len();
        asleep.retain(|check| !breaks(check, &other));
    }
    trial.dead.extend(asleep.iter().map(|check| (check.requirement.to_owned(), check.expect.describe())));
    trial
}

fn breaks(check: &Check, seen: &Observation) -> bool {
    matches!(check.expect.evaluate(seen), Finding::Broken(_))
}

/// Many trials, added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many cases were tried.
    pub cases: usize,
    /// As in [`Trial`].
    pub checks: usize,
    /// As in [`Trial`].
    pub flips: usize,
    /// As in [`Trial`].
    pub silent: usize,
    /// Deaf and dead checks, and the cases in which they are.
    pub asleep: BTreeMap<String, Vec<String>>,
}

impl Sum {
    /// Adds the trial of a case.
    pub fn add(&mut self, case: &Case, trial: Trial) {
        self.cases += 1;
        self.checks += trial.checks;
        self.flips += trial.flips;
        self.silent += trial.silent;
        for (requirement, what, how) in trial.deaf {
            self.asleep.entry(format!("{requirement}: {what}; stays green {how}")).or_default().push(case.id.clone());
        }
        for (requirement, what) in trial.dead {
            self.asleep
                .entry(format!("{requirement}: {what}; holds whatever is seen"))
                .or_default()
                .push(case.id.clone());
        }
    }
}
