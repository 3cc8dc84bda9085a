//! JSON with nothing lost: the number literals, the order of members and duplicate members survive.
//!
//! Responsible for: reading a document into [`Json`], writing it compactly, and comparing two documents member by
//! member with a [`Grade`] for numbers. Not for: any meaning of the members. The kit judges whether answers pass
//! through unchanged, which `serde_json::Value` cannot tell (`1.0` and `1e3` change there).

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value that keeps what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as the literal that was written.
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: members in the order written, duplicates kept.
    Object(Vec<(String, Json)>),
}

/// A document that is nested deeper is refused: what walks over it walks level by level, on a stack that ends.
const DEEPEST: usize = 800;

/// How well two numbers agree, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The same characters: `1.0` and `1.0`.
    Literal,
    /// The same value: `1.0` and `1`, `1e3` and `1000`.
    Value,
    /// The same IEEE 754 double: what a JavaScript reader would see.
    Double,
}

/// One place where two documents differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// JSON pointer (RFC 6901) of the place; empty for the document itself.
    pub pointer: String,
    /// What was expected there, compact; none if nothing was.
    pub expected: Option<String>,
    /// What was seen there, compact; none if nothing was.
    pub seen: Option<String>,
}

impl Json {
    /// Reads one document; white space around it is allowed, anything else after it is an error.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Self::from_raw(raw, DEEPEST)
    }

    /// Reads one document from bytes, which must be UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_slice(bytes)?;
        Self::from_raw(raw, DEEPEST)
    }

    fn from_raw(raw: &RawValue, depth: usize) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        let Some(below) = depth.checked_sub(1) else {
            return Err(serde::de::Error::custom(format!("nested more than {DEEPEST} levels deep")));
        };
        Ok(match text.as_bytes().first() {
            Some(b'{') => Self::Object(
                serde_json::from_str::<Members>(text)?
                    .0
                    .into_iter()
                    .map(|(name, raw)| Ok((name, Self::from_raw(raw, below)?)))
                    .collect::<Result<_, serde_json::Error>>()?,
            ),
            Some(b'[') => Self::Array(
                serde_json::from_str::<Items>(text)?
                    .0
                    .into_iter()
                    .map(|raw| Self::from_raw(raw, below))
                    .collect::<Result<_, _>>()?,
            ),
            Some(b'"') => Self::String(serde_json::from_str(text)?),
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.to_owned()),
        })
    }

    /// A string value.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// An integer.
    pub fn integer(number: i64) -> Self {
        Self::Number(number.to_string())
    }

    /// An object with these members, in this order.
    pub fn object<N: Into<String>>(members: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// The member of that name, the last one if it is there twice; none for anything but an object.
    pub fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The value at a path of member names and array indices, e.g. `["metadata", "anet.reason"]`.
    pub fn at<'j>(&'j self, path: &[&str]) -> Option<&'j Self> {
        path.iter().try_fold(self, |value, step| match value {
            Self::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => value.member(step),
        })
    }

    /// The value at a JSON pointer (RFC 6901); the empty pointer is the document itself.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Self::Array(items) => items.get(step.parse::<usize>().ok()?),
                _ => value.member(&step),
            }
        })
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number as an `i64`, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(literal) => literal.parse().ok(),
            _ => None,
        }
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Sets a member, replacing one of that name or adding it at the end. Nothing happens to other kinds of value.
    pub fn set(&mut self, name: &str, value: Self) {
        if let Self::Object(members) = self {
            match members.iter_mut().find(|(n, _)| n == name) {
                Some((_, old)) => *old = value,
                None => members.push((name.to_owned(), value)),
            }
        }
    }

    /// Removes the members of that name.
    pub fn remove(&mut self, name: &str) {
        if let Self::Object(members) = self {
            members.retain(|(n, _)| n != name);
        }
    }

    /// The first member name that stands twice in one object, anywhere in the document.
    pub fn duplicate(&self) -> Option<&str> {
        match self {
            Self::Object(members) => members.iter().enumerate().find_map(|(index, (name, value))| {
                if members.iter().take(index).any(|(earlier, _)| earlier == name) {
                    return Some(name.as_str());
                }
                value.duplicate()
            }),
            Self::Array(items) => items.iter().find_map(Self::duplicate),
            _ => None,
        }
    }

    /// All places where `seen` differs from `self` (the expected document), whatever the order of members.
    /// Numbers agree if they do at `grade` or better.
    pub fn differences(&self, seen: &Self, grade: Grade) -> Vec<Difference> {
        let mut found = Vec::new();
        self.compare(seen, grade, &mut String::new(), &mut found);
        found
    }

    /// Whether the members of all objects stand in the same order; only asked of documents that do not differ.
    pub fn same_order(&self, seen: &Self) -> bool {
        match (self, seen) {
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((name, x), (other, y))| name == other && x.same_order(y))
            }
            (Self::Array(a), Self::Array(b)) => a.iter().zip(b).all(|(x, y)| x.same_order(y)),
            _ => true,
        }
    }

    fn compare(&self, seen: &Self, grade: Grade, place: &mut String, found: &mut Vec<Difference>) {
        match (self, seen) {
            (Self::Object(expected), Self::Object(members)) => {
                for (name, value) in last_of_each(expected) {
                    let length = descend(place, name);
                    match seen.member(name) {
                        Some(other) => value.compare(other, grade, place, found),
                        None => found.push(Difference::new(place, Some(value), None)),
                    }
                    place.truncate(length);
                }
                for (name, value) in last_of_each(members) {
                    if self.member(name).is_none() {
                        let length = descend(place, name);
                        found.push(Difference::new(place, None, Some(value)));
                        place.truncate(length);
                    }
                }
            }
            (Self::Array(expected), Self::Array(items)) => {
                for index in 0..expected.len().max(items.len()) {
                    let length = descend(place, &index.to_string());
                    match (expected.get(index), items.get(index)) {
                        (Some(a), Some(b)) => a.compare(b, grade, place, found),
                        (a, b) => found.push(Difference::new(place, a, b)),
                    }
                    place.truncate(length);
                }
            }
            (Self::Number(a), Self::Number(b)) if numbers_agree(a, b, grade) => {}
            (a, b) if a == b => {}
            (a, b) => found.push(Difference::new(place, Some(a), Some(b))),
        }
    }
}

impl Difference {
    fn new(place: &str, expected: Option<&Json>, seen: Option<&Json>) -> Self {
        Self { pointer: place.to_owned(), expected: expected.map(Json::to_string), seen: seen.map(Json::to_string) }
    }
}

/// Compact JSON: literals as they were written, strings escaped as RFC 8259 demands and no further.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(literal) => f.write_str(literal),
            Self::String(text) => write_string(f, text),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    write_string(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::object(members.into_iter().map(|(n, v)| (n, Self::from(v)))),
        }
    }
}

/// The decimal value of a literal in one spelling: sign, digits without zeros at either end, exponent of ten.
/// None if the exponent does not fit.
fn decimal(literal: &str) -> Option<(bool, String, i64)> {
    let (negative, rest) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let trimmed = digits.trim_end_matches('0');
    let dropped = i64::try_from(digits.len() - trimmed.len()).ok()?;
    let trimmed = trimmed.trim_start_matches('0');
    if trimmed.is_empty() {
        return Some((false, String::new(), 0));
    }
    Some((negative, trimmed.to_owned(), exponent.checked_add(dropped)?))
}

fn numbers_agree(a: &str, b: &str, grade: Grade) -> bool {
    if a == b {
        return true;
    }
    let same_value = || matches!((decimal(a), decimal(b)), (Some(x), Some(y)) if x == y);
    let same_double = || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(x), Ok(y)) if x.to_bits() == y.to_bits() || (x == 0.0 && y == 0.0));
    match grade {
        Grade::Literal => false,
        Grade::Value => same_value(),
        Grade::Double => same_value() || same_double(),
    }
}

/// Each member name once, with the value that counts: the last.
fn last_of_each(members: &[(String, Json)]) -> impl Iterator<Item = (&String, &Json)> {
    members
        .iter()
        .enumerate()
        .filter(|(index, (name, _))| !members.iter().skip(index + 1).any(|(later, _)| later == name))
        .map(|(_, (name, value))| (name, value))
}

/// Appends one step to a JSON pointer and returns the length to cut it back to.
fn descend(place: &mut String, step: &str) -> usize {
    let length = place.len();
    place.push('/');
    place.push_str(&step.replace('~', "~0").replace('/', "~1"));
    length
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
    f.write_str(&quoted)
}

struct Members<'a>(Vec<(String, &'a RawValue)>);
struct Items<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<&'de RawValue>()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::{Grade, Json};

    fn json(text: &str) -> Json {
        Json::parse(text).expect("the test's own JSON is valid")
    }

    #[test]
    fn nothing_is_lost_on_the_way_through() {
        let text = r#"{"b":12345678901234567890,"a":1.0,"e":1e3,"m":-0,"x":1E+2,"d":1,"d":2,"s":[" ","é"],"n":null}"#;
        assert_eq!(json(text).to_string(), text);
    }

    #[test]
    fn numbers_are_graded() {
        let cases = [
            ("1.0", "1.0", Some(Grade::Literal)),
            ("1.0", "1", Some(Grade::Value)),
            ("1e3", "1000", Some(Grade::Value)),
            ("0.10", "1E-1", Some(Grade::Value)),
            ("-0.0", "0", Some(Grade::Value)),
            ("9007199254740993", "9007199254740992", Some(Grade::Double)),
            ("9007199254740993", "9007199254740995", None),
            ("1", "2", None),
            ("1e400", "1e401", None),
        ];
        for (a, b, expected) in cases {
            let best = [Grade::Literal, Grade::Value, Grade::Double]
                .into_iter()
                .find(|grade| json(a).differences(&json(b), *grade).is_empty());
            // 1e400 and 1e401 are the same infinity, which no reader of doubles tells apart.
            let expected = if a == "1e400" { Some(Grade::Double) } else { expected };
            assert_eq!(best, expected, "{a} against {b}");
        }
    }

    #[test]
    fn differences_name_their_place() {
        let found =
            json(r#"{"a":{"b/c":[1,2]},"x":1}"#).differences(&json(r#"{"a":{"b/c":[1,3]},"y":2}"#), Grade::Value);
        let places: Vec<_> = found.iter().map(|d| d.pointer.as_str()).collect();
        assert_eq!(places, ["/a/b~1c/1", "/x", "/y"]);
        assert_eq!(found[0].expected.as_deref(), Some("2"));
        assert_eq!(found[0].seen.as_deref(), Some("3"));
    }

    #[test]
    fn order_is_asked_for_apart() {
        let (a, b) = (json(r#"{"x":1,"y":[{"p":1,"q":2}]}"#), json(r#"{"x":1,"y":[{"q":2,"p":1}]}"#));
        assert!(a.differences(&b, Grade::Literal).is_empty());
        assert!(!a.same_order(&b));
        assert!(a.same_order(&a.clone()));
    }

    #[test]
    fn a_document_without_bottom_is_refused_and_not_fallen_into() {
        assert!(Json::parse(&format!("{}{}", "[".repeat(700), "]".repeat(700))).is_ok());
        let bottomless = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Json::parse(&bottomless).is_err_and(|error| error.to_string().contains("nested")));
    }

    #[test]
    fn duplicates_are_found_and_the_last_counts() {
        let twice = json(r#"{"a":[{"k":1,"k":2}]}"#);
        assert_eq!(twice.duplicate(), Some("k"));
        assert_eq!(twice.pointer("/a/0/k").and_then(Json::as_i64), Some(2));
    }
}
