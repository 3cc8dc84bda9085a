//! Text for a terminal: shortened, wrapped, indented.

/// At most `max` characters, the middle left out.
pub(super) fn shorten(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let note = format!(" ...{} characters... ", count - max);
    let keep = max.saturating_sub(note.chars().count());
    let head: String = text.chars().take(keep - keep / 3).collect();
    let tail: String = text.chars().skip(count - keep / 3).collect();
    format!("{head}{note}{tail}")
}

/// Lines of at most `width` characters, broken at blanks, each behind `indent`.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(20);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.iter().map(|line| format!("{indent}{}", visible(line))).collect::<Vec<_>>().join("\n")
}

/// Control characters made visible, so that a candidate cannot steer the terminal.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            // Line and paragraph separators, joiners, direction marks and the byte order mark show nothing, and matter.
            let unseen =
                matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
            let hidden = (c.is_control() && c != '\n' && c != '\t') || unseen;
            if hidden { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{shorten, visible, wrap};

    #[test]
    fn the_middle_goes_first() {
        assert_eq!(shorten("short", 10), "short");
        let long = shorten(&"x".repeat(500), 60);
        assert!(long.chars().count() <= 60 && long.contains("characters"), "{long}");
    }

    #[test]
    fn lines_keep_to_the_width() {
        let wrapped = wrap("one two three four five six seven", 24, "  ");
        assert!(wrapped.lines().all(|line| line.len() <= 24 && line.starts_with("  ")), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().count(), 7);
    }

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(visible("a\u{2028}b"), "a\\u{2028}b");
        assert_eq!(visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
    }
}
