//! How an explanation is laid out: prose in 80 columns, documents as they are.

use crate::json::Json;
use crate::report::{visible, wrap};

/// The columns of prose.
const WIDTH: usize = 80;
/// A document is shown whole up to so many characters.
const SHOWN: usize = 4_000;

/// A paragraph behind `indent`.
pub(super) fn paragraph(text: &str, indent: &str) -> String {
    format!("{}\n", wrap(text.trim(), WIDTH, indent))
}

/// A paragraph whose first line begins with `head`, the others with as many blanks.
pub(super) fn hanging(head: &str, text: &str) -> String {
    let indent = " ".repeat(head.chars().count());
    let body = paragraph(text, &indent);
    format!("{head}{}", &body[indent.len()..])
}

/// A document below a sentence: on lines of its own, JSON with an indent if nothing but white space is added by that.
pub(super) fn document(text: &str, indent: &str) -> String {
    if text.is_empty() {
        return format!("{indent}(nothing)\n");
    }
    let total = text.chars().count();
    let shown = if total > SHOWN {
        let head: String = text.chars().take(SHOWN).collect();
        format!("{head}... ({} bytes in all)", text.len())
    } else if total > WIDTH - indent.len() && Json::parse(text).is_ok() {
        indented(text)
    } else {
        text.to_owned()
    };
    shown.lines().flat_map(|line| [indent.to_owned(), visible(line), "\n".to_owned()]).collect()
}

/// The same JSON with line ends and blanks between its tokens. The tokens stay to the letter: `1.0`, `\u003c`, members that
/// stand twice, and their order. Text that has white space of its own is left as it is.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
            continue;
        }
        match c {
            ' ' | '\n' | '\r' | '\t' => return json.to_owned(),
            '"' => in_string = true,
            '{' | '[' if !matches!(rest.peek(), Some('}' | ']')) => {
                depth += 1;
                out.push(c);
                line(&mut out, depth);
                continue;
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
                continue;
            }
            ':' => out.push(c),
            _ => {}
        }
        out.push(if c == ':' { ' ' } else { c });
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{document, hanging, indented};
    use crate::json::Json;

    #[test]
    fn nothing_is_lost_between_the_tokens() {
        let raw = r#"{"a":1.0,"a":[1e3,{},[]],"s":"x\"y, {z}: \\","t":"\u003c"}"#;
        let shown = indented(raw);
        assert!(shown.lines().count() > 6, "{shown}");
        for token in ["1.0", "1e3", "{}", "[]", r#""x\"y, {z}: \\""#, r#""\u003c""#] {
            assert!(shown.contains(token), "{token}: {shown}");
        }
        assert_eq!(shown.matches(r#""a": "#).count(), 2, "{shown}");
        let spaced = r#"{ "a":1}"#;
        assert_eq!(indented(spaced), spaced);
    }

    #[test]
    fn long_documents_are_whole_up_to_a_bound() {
        let fits = "x".repeat(4_000);
        assert_eq!(document(&fits, "").trim_end(), fits);
        let long = document(&"x".repeat(5_000), "  ");
        assert!(long.contains("5000 bytes in all") && long.len() > 4_000, "{long}");
    }

    #[test]
    fn the_first_line_hangs() {
        let text = hanging("  must    ", &"word ".repeat(40));
        assert!(
            text.starts_with("  must    word") && text.lines().nth(1).is_some_and(|l| l.starts_with("          w"))
        );
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }

    proptest! {
        #[test]
        fn any_document_stays_the_same(key in any::<String>(), text in any::<String>(), number in any::<i64>()) {
            let json = Json::object([
                (key, Json::Array(vec![Json::String(text), Json::Null, Json::Object(Vec::new())])),
                ("n".to_owned(), Json::integer(number)),
            ]);
            let raw = json.to_string();
            assert_eq!(Json::parse(&indented(&raw)).expect("still JSON"), json);
        }
    }
}
