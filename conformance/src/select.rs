//! Selecting cases by patterns on their ids.
//!
//! `*` stands for anything within a part of an id, `**` for anything at all; a pattern without either selects the case of
//! that id, every case below it (`exchange/get_task`), and every case with a part of that name (`get_task`).

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::case::{Case, Group};
use crate::page::Tool;
use crate::requirement::Level;

/// A pattern that selects nothing: a mistake in the command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` matches no case{hint}")]
pub struct NoMatch {
    /// The pattern.
    pub pattern: String,
    /// Ids that are near, as the end of a sentence; empty if none are.
    pub hint: String,
}

/// Which cases are wanted. Everything that is named must hold; of several values of one kind, one is enough.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Patterns of which one must match; empty: all cases.
    pub only: Vec<String>,
    /// Patterns of which none may match.
    pub skip: Vec<String>,
    /// The tool that a case is about; empty: any, and cases about none.
    pub tools: Vec<Tool>,
    /// The group; empty: any.
    pub groups: Vec<Group>,
    /// The highest level that a case asks for; empty: any.
    pub levels: Vec<Level>,
    /// The exact ids; none: any.
    pub ids: Option<BTreeSet<String>>,
    /// One part of the whole, for runs that share the work.
    pub partition: Option<Partition>,
}

impl Selection {
    /// The cases that are wanted, in their order. Fails for a pattern that matches no case at all.
    pub fn of(&self, cases: Vec<Case>) -> Result<Vec<Case>, NoMatch> {
        for pattern in self.only.iter().chain(&self.skip) {
            if !cases.iter().any(|case| matches(pattern, &case.id)) {
                return Err(NoMatch { pattern: pattern.clone(), hint: hint(pattern, &cases) });
            }
        }
        Ok(cases.into_iter().filter(|case| self.wants(case)).collect())
    }

    fn wants(&self, case: &Case) -> bool {
        (self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, &case.id)))
            && !self.skip.iter().any(|pattern| matches(pattern, &case.id))
            && (self.tools.is_empty() || case.tool.is_some_and(|tool| self.tools.contains(&tool)))
            && (self.groups.is_empty() || self.groups.contains(&case.group))
            && (self.levels.is_empty() || self.levels.contains(&case.level()))
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&case.id))
            && self.partition.is_none_or(|partition| partition.has(&case.id))
    }
}

/// One of several parts into which the cases are divided by their ids, written `hash:1/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    part: u64,
    parts: u64,
}

impl Partition {
    /// Whether the case of that id belongs to this part.
    pub fn has(self, id: &str) -> bool {
        hash(0, id) % self.parts == self.part - 1
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.strip_prefix("hash:").and_then(|rest| rest.split_once('/'));
        match numbers.map(|(part, parts)| (part.parse(), parts.parse())) {
            Some((Ok(part), Ok(parts))) if (1..=parts).contains(&part) => Ok(Self { part, parts }),
            _ => Err("write it as hash:K/N, with K from 1 to N".to_owned()),
        }
    }
}

/// Whether the pattern selects the id.
pub fn matches(pattern: &str, id: &str) -> bool {
    if pattern.contains('*') {
        return glob(pattern.as_bytes(), id.as_bytes());
    }
    let pattern = pattern.trim_end_matches('/');
    id == pattern
        || id.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
        || (!pattern.contains('/') && id.split('/').any(|part| part == pattern))
}

fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|skip| glob(rest, &text[skip..])),
        [b'*', rest @ ..] => {
            let end = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
            (0..=end).any(|skip| glob(rest, &text[skip..]))
        }
        [first, rest @ ..] => text.first() == Some(first) && glob(rest, &text[1..]),
    }
}

/// A number drawn from a seed and an id; the same on every machine and in every version (FNV-1a).
pub fn hash(seed: u64, id: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(id.bytes());
    let hash =
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    // The low bits of FNV mix well, the high ones do not, for ids that differ at the end.
    hash ^ (hash >> 32)
}

/// The end of a sentence on an id that does not exist: up to three of the ids that look like what was written, the nearest
/// first; if none does, `otherwise`.
pub fn near<'i>(written: &str, ids: impl Iterator<Item = &'i str>, otherwise: &str) -> String {
    let mut near: Vec<_> = ids
        .map(|id| (similar::TextDiff::from_chars(written, id).ratio(), id))
        .filter(|(ratio, _)| *ratio > 0.5)
        .collect();
    if near.is_empty() {
        return format!("; {otherwise}");
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<_> = near.into_iter().take(3).map(|(_, id)| format!("`{id}`")).collect();
    format!("; near are {}", near.join(", "))
}

fn hint(pattern: &str, cases: &[Case]) -> String {
    let ids = cases.iter().map(|case| case.id.as_str());
    near(&pattern.replace('*', ""), ids, "`anet-conformance list` shows them all")
}

#[cfg(test)]
mod tests {
    use super::{Partition, Selection, matches};
    use crate::case::{Case, Group};

    #[test]
    fn patterns() {
        let id = "exchange/get_task/minimal";
        for pattern in [
            "exchange/get_task/minimal",
            "exchange/get_task",
            "exchange",
            "get_task",
            "exchange/*/minimal",
            "exchange/**",
            "**/min*",
            "*/get_*/*",
        ] {
            assert!(matches(pattern, id), "{pattern}");
        }
        for pattern in ["exchange/get", "get", "exchange/*", "*", "minima", "errors/**", "task/minimal"] {
            assert!(!matches(pattern, id), "{pattern}");
        }
    }

    #[test]
    fn what_matches_nothing_is_a_mistake() {
        let cases = || vec![Case::new(Group::Exchange, "get_task/minimal", "x"), Case::new(Group::Errors, "a/b", "y")];
        let only = |pattern: &str| Selection { only: vec![pattern.to_owned()], ..Selection::default() };
        let skip = |pattern: &str| Selection { skip: vec![pattern.to_owned()], ..Selection::default() };
        assert_eq!(only("exchange").of(cases()).map(|cases| cases.len()), Ok(1));
        assert_eq!(skip("errors/**").of(cases()).map(|cases| cases.len()), Ok(1));
        let error = only("exchange/get_tsak/minimal").of(cases()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("exchange/get_task/minimal"), "{error}");
    }

    #[test]
    fn the_parts_are_a_whole_and_none_is_empty() {
        for parts in [1, 2, 3, 7] {
            let parts: Vec<Partition> =
                (1..=parts).map(|part| format!("hash:{part}/{parts}").parse().expect("a partition")).collect();
            let cases = crate::cases::all();
            let mut sizes = vec![0; parts.len()];
            for case in &cases {
                let mine: Vec<_> = (0..parts.len()).filter(|part| parts[*part].has(&case.id)).collect();
                assert_eq!(mine.len(), 1, "{}", case.id);
                sizes[mine[0]] += 1;
            }
            let fair = cases.len() / parts.len();
            assert!(sizes.iter().all(|size| *size > fair / 2), "{sizes:?}");
        }
        for wrong in ["hash:0/2", "hash:3/2", "1/2", "hash:1", "hash:1/0", "count:1/2"] {
            assert!(wrong.parse::<Partition>().is_err(), "{wrong}");
        }
    }
}
