//! Reading a request body as leniently as Go's decoder does.
//!
//! Responsible for: the first JSON value of a body, and typed members of it. Member names match in any case, `null` is the
//! zero value, unknown members and trailing bytes are ignored, a wrong type is refused. Not for: what the values mean.
//! Serves control-plane 1.7.

use crate::encode;
use crate::json::Json;

/// Nesting beyond this is refused. Go allows 10 000, which a thread's stack here could not hold.
const MAX_DEPTH: usize = 1_000;

/// Why a body was refused: the detail behind the error's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("body: {0}")]
pub struct BadBody(pub String);

fn bad<T>(why: impl Into<String>) -> Result<T, BadBody> {
    Err(BadBody(why.into()))
}

/// The first JSON value of the body; what follows it is nobody's business.
pub fn first_value(body: &[u8]) -> Result<Json, BadBody> {
    let mut reader = Reader { bytes: body, at: 0 };
    reader.blanks();
    if reader.at == body.len() {
        return bad("the body is empty, a JSON object is required");
    }
    reader.value(0)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, BadBody> {
        if depth > MAX_DEPTH {
            return bad("the JSON is nested too deeply");
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => bad(format!("invalid JSON at byte {}", self.at)),
            None => bad("the JSON ends too early"),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, BadBody> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            bad(format!("invalid JSON at byte {}", self.at))
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), BadBody> {
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => bad(format!("invalid JSON at byte {}", self.at)),
            None => bad("the JSON ends too early"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, BadBody> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return bad(format!("invalid JSON at byte {}: a member name was expected", self.at));
            }
            let name = self.string()?;
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            members.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b'}')?;
                return Ok(Json::Object(members));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, BadBody> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            self.blanks();
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b']')?;
                return Ok(Json::Array(items));
            }
        }
    }

    fn number(&mut self) -> Result<Json, BadBody> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Json::Number(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned()))
    }

    fn digits(&mut self) -> Result<(), BadBody> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return bad(format!("invalid JSON at byte {start}: a digit was expected"));
        }
        Ok(())
    }

    /// A string; bytes that are no UTF-8 and lone surrogates become U+FFFD, as in Go.
    fn string(&mut self) -> Result<String, BadBody> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(&String::from_utf8_lossy(&self.bytes[start..self.at]));
            match self.peek() {
                None => return bad("the JSON ends inside a string"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                Some(_) => {
                    return bad(format!("invalid JSON at byte {}: a control character in a string", self.at));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, BadBody> {
        let Some(letter) = self.peek() else {
            return bad("the JSON ends inside a string");
        };
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex4()?;
                if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    let second = self.hex4()?;
                    if (0xdc00..0xe000).contains(&second) {
                        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = back;
                }
                char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                return bad(format!("invalid JSON at byte {}: an unknown escape", self.at - 1));
            }
        })
    }

    fn hex4(&mut self) -> Result<u32, BadBody> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return bad(format!("invalid JSON at byte {}: a hex digit was expected", self.at));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// The members of an object, read by name in any case.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    members: &'a [(String, Json)],
    what: &'a str,
}

impl<'a> Fields<'a> {
    /// The members of a value; `null` has none, anything but an object is refused. `what` names the value in errors.
    pub fn of(value: &'a Json, what: &'a str) -> Result<Self, BadBody> {
        match value {
            Json::Null => Ok(Self { members: &[], what }),
            Json::Object(members) => Ok(Self { members, what }),
            _ => bad(format!("{what} must be a JSON object")),
        }
    }

    /// All values given for a name, in their order. Go sets the field with each, so the last one stays.
    fn each(self, name: &'a str) -> impl Iterator<Item = &'a Json> {
        self.members.iter().filter_map(move |(key, value)| same_name(key, name).then_some(value))
    }

    fn wrong<T>(self, name: &str, takes: &str) -> Result<T, BadBody> {
        if self.what.is_empty() {
            bad(format!("{name} takes {takes}"))
        } else {
            bad(format!("{}.{name} takes {takes}", self.what))
        }
    }

    /// A string, empty when absent.
    pub fn text(self, name: &'a str) -> Result<String, BadBody> {
        let mut text = "";
        for value in self.each(name) {
            match value {
                Json::String(given) => text = given,
                Json::Null => {}
                _ => return self.wrong(name, "a string"),
            }
        }
        Ok(text.to_owned())
    }

    /// A boolean, false when absent.
    pub fn flag(self, name: &'a str) -> Result<bool, BadBody> {
        let mut flag = false;
        for value in self.each(name) {
            match value {
                Json::Bool(given) => flag = *given,
                Json::Null => {}
                _ => return self.wrong(name, "a boolean"),
            }
        }
        Ok(flag)
    }

    /// A whole number, or none. Go reads no fraction and no exponent into an integer, not even 5.0.
    pub fn maybe_int(self, name: &'a str) -> Result<Option<i64>, BadBody> {
        let mut number = None;
        for value in self.each(name) {
            match value {
                Json::Null => number = None,
                Json::Number(literal) => match literal.parse() {
                    Ok(given) => number = Some(given),
                    Err(_) => return self.wrong(name, "an integer"),
                },
                _ => return self.wrong(name, "an integer"),
            }
        }
        Ok(number)
    }

    /// A whole number, 0 when absent.
    pub fn int(self, name: &'a str) -> Result<i64, BadBody> {
        Ok(self.maybe_int(name)?.unwrap_or(0))
    }

    /// A whole number that is not negative, 0 when absent.
    pub fn unsigned(self, name: &'a str) -> Result<u64, BadBody> {
        let mut number = 0;
        for value in self.each(name) {
            match value {
                Json::Null => {}
                Json::Number(literal) => match literal.parse() {
                    Ok(given) => number = given,
                    Err(_) => return self.wrong(name, "a non-negative integer"),
                },
                _ => return self.wrong(name, "a non-negative integer"),
            }
        }
        Ok(number)
    }

    /// A list of strings, empty when absent.
    pub fn texts(self, name: &'a str) -> Result<Vec<String>, BadBody> {
        let mut texts = Vec::new();
        for item in self.list(name)? {
            match item {
                Json::String(text) => texts.push(text.clone()),
                Json::Null => texts.push(String::new()),
                _ => return self.wrong(name, "a list of strings"),
            }
        }
        Ok(texts)
    }

    /// An array, empty when absent.
    pub fn list(self, name: &'a str) -> Result<&'a [Json], BadBody> {
        let mut list: &[Json] = &[];
        for value in self.each(name) {
            match value {
                Json::Array(items) => list = items,
                Json::Null => list = &[],
                _ => return self.wrong(name, "an array"),
            }
        }
        Ok(list)
    }

    /// A free object with sorted names, or none.
    pub fn map(self, name: &'a str) -> Result<Option<Json>, BadBody> {
        let mut map = None;
        for value in self.each(name) {
            match value {
                Json::Object(_) => map = Some(value.clone().sorted()),
                Json::Null => map = None,
                _ => return self.wrong(name, "an object"),
            }
        }
        Ok(map)
    }

    /// Anything that is not `null`.
    pub fn any(self, name: &'a str) -> Option<&'a Json> {
        self.each(name).last().filter(|value| !value.is_null())
    }
}

/// Go folds names simply: ASCII case, and the two characters outside ASCII that fold into it.
fn same_name(given: &str, name: &str) -> bool {
    given.eq_ignore_ascii_case(name)
        || (!given.is_ascii()
            && given
                .chars()
                .map(|character| match character {
                    '\u{17f}' => 's',
                    '\u{212a}' => 'k',
                    other => other.to_ascii_lowercase(),
                })
                .eq(name.chars().map(|character| character.to_ascii_lowercase())))
}

/// Sends every number of a free map through float64, as 0.2.x does for `args` and `metadata`.
pub fn through_float(value: Json) -> Result<Json, BadBody> {
    Ok(match value {
        Json::Number(literal) => match literal.parse::<f64>() {
            Ok(number) if number.is_finite() => Json::Number(encode::float(number)),
            _ => return bad(format!("the number {literal} does not fit a float64")),
        },
        Json::Array(items) => Json::Array(items.into_iter().map(through_float).collect::<Result<_, _>>()?),
        Json::Object(members) => Json::Object(
            members
                .into_iter()
                .map(|(name, member)| Ok((name, through_float(member)?)))
                .collect::<Result<_, BadBody>>()?,
        ),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::{Fields, first_value, through_float};
    use crate::encode::compact;
    use crate::json::Json;

    #[test]
    fn the_first_value_is_taken_and_the_rest_ignored() {
        let value = first_value(b" {\"b\":[1.0,1e3,-0],\"a\":\"\\u00e9\\ud83d\\ude00\\ud800x\"} trailing").unwrap();
        assert_eq!(compact(&value), "{\"b\":[1.0,1e3,-0],\"a\":\"é😀\u{fffd}x\"}");
    }

    #[test]
    fn broken_json_is_refused() {
        for text in
            ["", "  ", "{", "{\"a\"", "{\"a\":1,}", "[1,]", "01x{", "tru", "\"\u{1}\"", "\"\\x\"", "-", "1.", "{a:1}"]
        {
            if text == "01x{" {
                // The value 0 stands first; the rest is trailing.
                assert_eq!(first_value(text.as_bytes()).unwrap(), Json::Number("0".into()));
            } else {
                assert!(first_value(text.as_bytes()).is_err(), "{text:?}");
            }
        }
        assert!(first_value("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn invalid_utf8_becomes_the_replacement_character() {
        assert_eq!(first_value(b"\"a\xffb\"").unwrap(), Json::from("a\u{fffd}b"));
    }

    #[test]
    fn members_are_found_in_any_case_and_null_is_zero() {
        let value =
            first_value(br#"{"TASK_ID":"x","Limit":5,"task_id":null,"flag":null,"history_length":null}"#).unwrap();
        let fields = Fields::of(&value, "").unwrap();
        assert_eq!(fields.text("task_id").unwrap(), "x");
        assert_eq!(fields.int("limit").unwrap(), 5);
        assert!(!fields.flag("flag").unwrap());
        assert_eq!(fields.maybe_int("history_length").unwrap(), None);
        assert_eq!(fields.text("tas\u{212a}_id").unwrap(), "");
        let kelvin = first_value("{\"tas\u{212a}_id\":\"y\"}".as_bytes()).unwrap();
        assert_eq!(Fields::of(&kelvin, "").unwrap().text("task_id").unwrap(), "y");
    }

    #[test]
    fn wrong_types_are_refused() {
        let value = first_value(br#"{"s":1,"i":"1","f":5.0,"b":"true","u":-1,"m":[],"l":{}}"#).unwrap();
        let fields = Fields::of(&value, "").unwrap();
        assert_eq!(fields.text("s").unwrap_err().to_string(), "body: s takes a string");
        assert_eq!(fields.int("i").unwrap_err().to_string(), "body: i takes an integer");
        assert!(fields.int("f").is_err());
        assert!(fields.flag("b").is_err());
        assert!(fields.unsigned("u").is_err());
        assert!(fields.map("m").is_err());
        assert!(fields.list("l").is_err());
        assert!(Fields::of(&Json::Null, "").is_ok());
        assert!(Fields::of(&Json::Array(vec![]), "").is_err());
    }

    #[test]
    fn free_maps_lose_what_a_float_cannot_hold() {
        let value = first_value(br#"{"a":9007199254740993,"b":[1.0,1e3]}"#).unwrap();
        assert_eq!(compact(&through_float(value).unwrap()), r#"{"a":9007199254740992,"b":[1,1000]}"#);
        assert!(through_float(first_value(b"1e400").unwrap()).is_err());
    }
}
