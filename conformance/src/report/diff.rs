//! Expected and seen, side by side: as pretty JSON where both are JSON, and only where they differ.

use similar::{ChangeTag, TextDiff};

use super::text::{shorten, visible};
use crate::json::Json;

/// How a line of a diff is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Expected, and not seen.
    Missing,
    /// Seen, and not expected.
    Extra,
    /// The same on both sides.
    Same,
}

/// At most so many lines of a diff are shown.
const MOST_LINES: usize = 36;

/// The lines of a diff, each with its mark.
pub(super) fn lines(expected: &str, seen: &str, width: usize) -> Vec<(Mark, String)> {
    let (expected, seen) = match (Json::parse(expected), Json::parse(seen)) {
        (Ok(a), Ok(b)) if a.is_object() && b.is_object() => (pretty(&a), pretty(&b)),
        _ => focus(expected, seen),
    };
    let diff = TextDiff::from_lines(expected.as_str(), seen.as_str());
    let mut lines = Vec::new();
    for group in diff.grouped_ops(2) {
        if !lines.is_empty() {
            lines.push((Mark::Same, "...".to_owned()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let mark = match change.tag() {
                ChangeTag::Delete => Mark::Missing,
                ChangeTag::Insert => Mark::Extra,
                ChangeTag::Equal => Mark::Same,
            };
            let text = change.to_string();
            lines.push((mark, visible(&shorten(text.trim_end_matches('\n'), width))));
        }
    }
    if lines.len() > MOST_LINES {
        let left_out = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push((Mark::Same, format!("... {left_out} more lines; the JSON report has them all")));
    }
    lines
}

/// Of two long texts, what is around the first and the last difference.
fn focus(expected: &str, seen: &str) -> (String, String) {
    const CONTEXT: usize = 40;
    const LONG: usize = 400;
    if expected.len() < LONG && seen.len() < LONG {
        return (expected.to_owned(), seen.to_owned());
    }
    let (a, b): (Vec<char>, Vec<char>) = (expected.chars().collect(), seen.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let rest = a[same..].iter().rev().zip(b[same..].iter().rev()).take_while(|(x, y)| x == y).count();
    let cut = |all: &[char]| {
        let from = same.saturating_sub(CONTEXT);
        let to = (all.len() - rest + CONTEXT).min(all.len());
        let middle: String = all[from..to].iter().collect();
        let head = if from > 0 { format!("...{from} characters...") } else { String::new() };
        let tail = if to < all.len() { format!("...{} characters...", all.len() - to) } else { String::new() };
        format!("{head}{middle}{tail}")
    };
    (cut(&a), cut(&b))
}

/// JSON over several lines, two blanks a level, members in the order of their names so that order alone makes no
/// difference.
pub(super) fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out.push('\n');
    out
}

fn write(json: &Json, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth + 1);
    match json {
        Json::Object(members) if !members.is_empty() => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            out.push_str("{\n");
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(&indent);
                out.push_str(&Json::string(name.as_str()).to_string());
                out.push_str(": ");
                write(value, depth + 1, out);
                out.push_str(if index + 1 < members.len() { ",\n" } else { "\n" });
            }
            out.push_str(&"  ".repeat(depth));
            out.push('}');
        }
        Json::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for (index, item) in items.iter().enumerate() {
                out.push_str(&indent);
                write(item, depth + 1, out);
                out.push_str(if index + 1 < items.len() { ",\n" } else { "\n" });
            }
            out.push_str(&"  ".repeat(depth));
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, lines};

    #[test]
    fn json_is_compared_member_by_member() {
        let found = lines(r#"{"b":1,"a":{"x":2}}"#, r#"{"a":{"x":3},"b":1}"#, 80);
        let changed: Vec<_> =
            found.iter().filter(|(mark, _)| *mark != Mark::Same).map(|(_, line)| line.trim()).collect();
        assert_eq!(changed, [r#""x": 2"#, r#""x": 3"#]);
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let a = format!("{}left{}", "x".repeat(1000), "y".repeat(1000));
        let b = format!("{}right{}", "x".repeat(1000), "y".repeat(1000));
        let found = lines(&a, &b, 200);
        assert!(found.iter().any(|(mark, line)| *mark == Mark::Missing && line.contains("left") && line.len() < 200));
        assert!(found.iter().any(|(mark, line)| *mark == Mark::Extra && line.contains("right")));
    }
}
