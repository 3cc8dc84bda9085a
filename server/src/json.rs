//! JSON as bytes: reading one level of a document while everything below keeps its spelling.
//!
//! Responsible for what `serde_json::Value` cannot do: keep number literals, key order and duplicate keys of a
//! document that is passed on. Not for judging what the document means. Serves rulings R5 and R7.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of one JSON object in their order, duplicates included, each value still in its own spelling.
pub(crate) struct Members<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object. `None` when the text is anything else.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a member; of a repeated one the last, as JSON readers do.
    pub(crate) fn value(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// The value of a member that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(text_of)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(Key(key)) = map.next_key()? {
                    members.push((key, map.next_value()?));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Object).map(Members)
    }
}

/// A key that borrows when it can: a member name rarely holds an escape.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = Cow<'de, str>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(name))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(name.to_owned()))
            }
        }
        deserializer.deserialize_str(Name).map(Key)
    }
}

/// The elements of an array, each in its own spelling. `None` when the text is anything else.
pub(crate) fn elements(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

/// The string a value is, if it is one (and holds no half of a surrogate pair).
pub(crate) fn text_of(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Whether a value is the literal `null`.
pub(crate) fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// A string as JSON writes it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The document without white space between its tokens; every token keeps its spelling.
///
/// The text must be valid JSON: white space inside strings is told from the rest by quotes alone.
pub(crate) fn compact(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == b'"' {
                in_string = false;
            }
        } else if byte == b'"' {
            in_string = true;
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            kept.push_str(&text[copied..at]);
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// Writes one JSON object, member by member, without ever re-spelling a raw value.
#[derive(Debug)]
pub(crate) struct Object {
    text: String,
}

impl Object {
    /// An object without members so far.
    pub(crate) fn new() -> Self {
        Self { text: String::from("{") }
    }

    /// Adds a member whose value is JSON text already.
    pub(crate) fn raw(&mut self, name: &str, value: &str) -> &mut Self {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push_str(&quoted(name));
        self.text.push(':');
        self.text.push_str(value);
        self
    }

    /// Adds a member that is a string.
    pub(crate) fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.raw(name, &quoted(value))
    }

    /// Adds a string member unless there is none.
    pub(crate) fn text_if(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    /// Adds a member of raw text unless there is none.
    pub(crate) fn raw_if(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.raw(name, value),
            None => self,
        }
    }

    /// Length of the object so far, closed.
    pub(crate) fn len(&self) -> usize {
        self.text.len() + 1
    }

    /// The whole object.
    pub(crate) fn finish(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_order_duplicates_and_literals() {
        let members = Members::of(r#" {"b": 1.0, "a":9007199254740993,"b":1e3, "\u0063":null} "#).unwrap();
        let seen: Vec<(&str, &str)> = members.0.iter().map(|(k, v)| (k.as_ref(), v.get())).collect();
        assert_eq!(seen, [("b", "1.0"), ("a", "9007199254740993"), ("b", "1e3"), ("c", "null")]);
        assert_eq!(members.value("b").unwrap().get(), "1e3");
        assert!(Members::of("[1]").is_none());
        assert!(Members::of("null").is_none());
    }

    #[test]
    fn members_go_as_deep_as_the_sender_likes() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(20_000), "]".repeat(20_000));
        assert!(Members::of(&deep).is_some());
    }

    #[test]
    fn compacting_touches_only_what_lies_between_tokens() {
        assert_eq!(compact("{ \"a b\\\" c\" :\n[1.0,\t2e1 ]\r\n}"), "{\"a b\\\" c\":[1.0,2e1]}");
        assert!(matches!(compact("{\"a\":\" \"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn objects_are_written_member_by_member() {
        let mut object = Object::new();
        object.text("a\"", "x\n").raw("n", "1.0").text_if("none", None);
        assert_eq!(object.len(), r#"{"a\"":"x\n","n":1.0}"#.len());
        assert_eq!(object.finish(), r#"{"a\"":"x\n","n":1.0}"#);
    }
}
