//! One line as a JSON-RPC message: what it is, and the id it came with in the sender's own spelling.
//!
//! Responsible for telling requests, notifications, answers and mistakes apart without re-spelling a byte. Not for
//! methods or their parameters.

use std::borrow::Cow;

use rmcp::model::ErrorData;
use serde_json::value::RawValue;

use crate::json::{self, Members};

/// A request id, to be given back exactly as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id(Box<str>);

impl Id {
    /// A string or a whole number is an id; `null`, `1.5`, `true` and the like are not.
    pub(super) fn of(raw: &RawValue) -> Option<Self> {
        let literal = raw.get();
        let good = match literal.as_bytes().first()? {
            b'"' => true,
            b'-' | b'0'..=b'9' => {
                !literal.contains(['.', 'e', 'E']) || literal.parse::<f64>().is_ok_and(|n| n.fract() == 0.0)
            }
            _ => false,
        };
        good.then(|| Self(literal.into()))
    }

    /// The id as JSON text.
    pub(super) fn as_json(&self) -> &str {
        &self.0
    }
}

/// What a JSON value on the wire is.
#[derive(Debug)]
pub(super) enum Incoming<'a> {
    /// Wants an answer.
    Request {
        /// Goes back with the answer.
        id: Id,
        /// What is asked.
        method: Cow<'a, str>,
        /// The parameters in their own bytes.
        params: Option<&'a RawValue>,
    },
    /// Wants none.
    Notification {
        /// What is told.
        method: Cow<'a, str>,
        /// The parameters in their own bytes.
        params: Option<&'a RawValue>,
    },
    /// An answer. This server asks nothing, so it belongs to nothing.
    Answer,
    /// Not a message.
    Mistake {
        /// The id, when it could be read.
        id: Option<Id>,
        /// What is wrong with it.
        error: ErrorData,
    },
}

/// Reads one message; `text` is one JSON value.
pub(super) fn read(text: &str) -> Incoming<'_> {
    let Some(members) = Members::of(text) else {
        // Valid JSON that is no object, or an object with a name that is no text.
        return mistake(None, "A message is one JSON object with jsonrpc, method and, for a request, id.");
    };
    let id_member = members.value("id");
    let id = id_member.and_then(Id::of);
    for name in ["jsonrpc", "id", "method", "params"] {
        if members.0.iter().filter(|(key, _)| key == name).count() > 1 {
            return mistake(id, &format!("The message holds {name} more than once."));
        }
    }
    if members.text("jsonrpc").as_deref() != Some("2.0") {
        return mistake(id, "The message does not say \"jsonrpc\": \"2.0\".");
    }
    let Some(method) = members.value("method") else {
        if members.value("result").is_some() || members.value("error").is_some() {
            return Incoming::Answer;
        }
        return mistake(id, "The message holds no method.");
    };
    let Some(method) = json::text_of(method).map(Cow::Owned) else {
        return mistake(id, "The method is not a string.");
    };
    let params = members.value("params").filter(|params| !json::is_null(params));
    match (id_member, id) {
        (None, _) => Incoming::Notification { method, params },
        (Some(_), Some(id)) => Incoming::Request { id, method, params },
        (Some(_), None) => mistake(None, "The id is neither a string nor a whole number."),
    }
}

fn mistake(id: Option<Id>, message: &str) -> Incoming<'static> {
    Incoming::Mistake { id, error: ErrorData::invalid_request(message.to_owned(), None) }
}

/// Looks for the id in the beginning of a message that is too long to be read whole.
pub(super) fn id_in(beginning: &[u8]) -> Option<Id> {
    let text = match std::str::from_utf8(beginning) {
        Ok(text) => text,
        // The cut may lie inside a character.
        Err(error) => std::str::from_utf8(&beginning[..error.valid_up_to()]).ok()?,
    };
    let mut rest = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r']).strip_prefix('{')?;
    loop {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let name = json::text_of(values.next()?.ok()?)?;
        rest = rest[values.byte_offset()..].trim_start().strip_prefix(':')?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let value = values.next()?.ok()?;
        if name == "id" {
            return Id::of(value);
        }
        rest = rest[values.byte_offset()..].trim_start().strip_prefix(',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<Id> {
        Id::of(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn ids_are_strings_and_whole_numbers() {
        for good in
            ["1", "\"1\"", "-7", "9007199254740993", "123456789012345678901234567890", "1.0", "1e2", "\"\\ud800\""]
        {
            assert_eq!(id(good).unwrap().as_json(), good);
        }
        for bad in ["null", "true", "1.5", "[]", "{}"] {
            assert!(id(bad).is_none(), "{bad}");
        }
        assert_ne!(id("1"), id("\"1\""));
    }

    #[test]
    fn messages_are_told_apart() {
        assert!(matches!(read(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Incoming::Request { params: None, .. }));
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","method":"x","params":null}"#),
            Incoming::Notification { params: None, .. }
        ));
        assert!(matches!(read(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Incoming::Answer));
        for (text, has_id) in [
            (r#"{"id":1,"method":"ping"}"#, true),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, true),
            (r#"{"jsonrpc":"2.0","id":1}"#, true),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, true),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, true),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, false),
            ("5", false),
            ("null", false),
        ] {
            let Incoming::Mistake { id, error } = read(text) else { panic!("{text}") };
            assert_eq!((id.is_some(), error.code.0), (has_id, -32600), "{text}");
        }
    }

    #[test]
    fn an_id_is_found_in_the_beginning_of_a_long_message() {
        assert_eq!(id_in(br#"{"jsonrpc":"2.0","id": 7 ,"method":"tools/call","params":{"a"#).unwrap().as_json(), "7");
        assert_eq!(id_in("{\"id\":\"ü\",\"x\":\"aaaü".as_bytes().split_last().unwrap().1).unwrap().as_json(), "\"ü\"");
        assert!(id_in(br#"{"params":{"a":"bbbb"#).is_none());
        assert!(id_in(b"garbage").is_none());
    }
}
