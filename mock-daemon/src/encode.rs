//! Writing JSON as Go's encoder does.
//!
//! Responsible for: the bytes of every JSON answer: compact, `<`, `>`, `&`, U+2028 and U+2029 escaped, a newline at the
//! end; and Go's spelling of a float64. Not for: the order of members, which the value carries. Serves control-plane 1.7.

use crate::json::Json;

/// The bytes of an answer's body: the value and a newline.
pub fn body(value: &Json) -> Vec<u8> {
    let mut out = compact(value);
    out.push('\n');
    out.into_bytes()
}

/// The value in its compact form, without a newline.
pub fn compact(value: &Json) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(literal) => out.push_str(literal),
        Json::String(text) => string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(name, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                // Backspace and form feed too: section 4.2 counts six bytes for them, and says that is what is written.
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    let digit = (u32::from(character) >> shift) & 0xf;
                    out.push(char::from_digit(digit, 16).expect("four bits are a hex digit"));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// A float64 as Go writes it: shortest digits, an exponent below 1e-6 and from 1e21 on.
pub fn float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return format!("{number}");
    }
    let scientific = format!("{number:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::{body, compact, float};
    use crate::json::Json;

    #[test]
    fn strings_are_escaped_as_go_does() {
        let text = Json::from("<a href=\"x\">&\\\n\r\t\u{8}\u{c}\u{0}\u{7f}\u{2028}\u{2029}漢😀");
        assert_eq!(
            compact(&text),
            "\"\\u003ca href=\\\"x\\\"\\u003e\\u0026\\\\\\n\\r\\t\\u0008\\u000c\\u0000\u{7f}\\u2028\\u2029漢😀\""
        );
    }

    #[test]
    fn a_body_ends_in_a_newline_and_keeps_order_and_digits() {
        let value = Json::object([
            ("b", Json::Number("1.0".into())),
            ("a", Json::Array(vec![Json::Null, Json::from(true), Json::from(9_007_199_254_740_993_i64)])),
        ]);
        assert_eq!(body(&value), b"{\"b\":1.0,\"a\":[null,true,9007199254740993]}\n");
    }

    #[test]
    fn floats_are_spelled_as_go_does() {
        for (number, spelled) in [
            (0.0, "0"),
            (5.0, "5"),
            (-1.5, "-1.5"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (9_007_199_254_740_992.0, "9007199254740992"),
        ] {
            assert_eq!(float(number), spelled);
        }
    }
}
