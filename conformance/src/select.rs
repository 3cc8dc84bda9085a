//! Selecting cases by patterns on their ids.
//!
//! `*` stands for anything within a part of an id, `**` for anything at all; a pattern without either selects the case of
//! that id, every case below it (`exchange/get_task`), and every case with a part of that name (`get_task`).

use crate::case::Case;

/// A pattern that selects nothing: a mistake in the command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` matches no case{hint}")]
pub struct NoMatch {
    /// The pattern.
    pub pattern: String,
    /// Ids that are near, as the end of a sentence; empty if none are.
    pub hint: String,
}

/// The cases that some pattern of `only` selects (all, if there is none) and none of `skip` does. Fails for a pattern that
/// matches no case at all.
pub fn select(cases: Vec<Case>, only: &[String], skip: &[String]) -> Result<Vec<Case>, NoMatch> {
    for pattern in only.iter().chain(skip) {
        if !cases.iter().any(|case| matches(pattern, &case.id)) {
            return Err(NoMatch { pattern: pattern.clone(), hint: hint(pattern, &cases) });
        }
    }
    let selected = |case: &Case| {
        (only.is_empty() || only.iter().any(|pattern| matches(pattern, &case.id)))
            && !skip.iter().any(|pattern| matches(pattern, &case.id))
    };
    Ok(cases.into_iter().filter(selected).collect())
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

fn hint(pattern: &str, cases: &[Case]) -> String {
    let plain = pattern.replace('*', "");
    let mut near: Vec<_> = cases
        .iter()
        .map(|case| (similar::TextDiff::from_chars(plain.as_str(), case.id.as_str()).ratio(), case.id.as_str()))
        .filter(|(ratio, _)| *ratio > 0.5)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    match near.as_slice() {
        [] => "; `anet-conformance list` shows them all".to_owned(),
        found => {
            let ids: Vec<_> = found.iter().take(3).map(|(_, id)| format!("`{id}`")).collect();
            format!("; near are {}", ids.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{matches, select};
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
        let selected = select(cases(), &["exchange".to_owned()], &[]).map(|cases| cases.len());
        assert_eq!(selected, Ok(1));
        let selected = select(cases(), &[], &["errors/**".to_owned()]).map(|cases| cases.len());
        assert_eq!(selected, Ok(1));
        let error = select(cases(), &["exchange/get_tsak/minimal".to_owned()], &[]).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("exchange/get_task/minimal"), "{error}");
    }
}
