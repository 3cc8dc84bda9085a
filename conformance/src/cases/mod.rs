//! The cases, one file a group.
//!
//! Responsible for: the registry. Breadth comes from tables and generation; what a case expects comes from the page, the
//! contract or MCP.

mod arguments;
mod build;
mod document;
mod errors;
mod exchange;
mod faults;
mod node;
mod protocol;
mod reach;
mod reasons;
mod request;
mod results;
mod seen;
mod surface;
mod truncation;

use crate::case::Case;
use crate::json::Json;
use crate::page::Tool;

/// The body that a call with these arguments becomes; they must be valid.
pub fn request_body(tool: Tool, arguments: &Json) -> Json {
    request::body(tool, arguments)
}

/// All cases, in the order of the groups.
pub fn all() -> Vec<Case> {
    let groups: &[fn() -> Vec<Case>] = &[
        surface::cases,
        exchange::cases,
        arguments::cases,
        results::cases,
        reasons::cases,
        truncation::cases,
        errors::cases,
        node::cases,
        reach::cases,
        protocol::cases,
        faults::cases,
    ];
    groups.iter().flat_map(|group| group()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;
    use crate::judge::standing_checks;
    use crate::requirement;

    #[test]
    fn ids_are_unique_and_begin_with_their_group() {
        let mut seen = BTreeSet::new();
        for case in all() {
            assert!(case.id.starts_with(&format!("{}/", case.group)), "{}", case.id);
            let plain = case.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"/-_.".contains(&b));
            assert!(plain, "{} has characters that no shell likes", case.id);
            assert!(seen.insert(case.id.clone()), "{} is there twice", case.id);
        }
    }

    #[test]
    fn every_case_checks_something_that_is_written_down() {
        for case in all() {
            assert!(!case.checks.is_empty(), "{} checks nothing", case.id);
            for check in &case.checks {
                assert!(
                    requirement::find(check.requirement).is_some(),
                    "{}: no requirement `{}`",
                    case.id,
                    check.requirement
                );
            }
        }
    }

    #[test]
    fn every_requirement_has_a_case() {
        let standing = standing_checks();
        let cases = all();
        let served: BTreeSet<_> =
            cases.iter().flat_map(|case| &case.checks).chain(&standing).map(|check| check.requirement).collect();
        let bare: Vec<_> = requirement::all().keys().filter(|id| !served.contains(id.as_str())).collect();
        assert!(bare.is_empty(), "requirements without a case: {bare:?}");
    }
}
