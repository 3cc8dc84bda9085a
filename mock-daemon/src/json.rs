//! A JSON value that keeps what a reader would lose: the spelling of numbers and the order of members.
//!
//! Responsible for: the value that requests are read into and answers are written from. Not for: reading (`decode`) or
//! writing (`encode`). Serves control-plane 1.7 (data parts keep their digits) and 3.1 (fixed key order).

/// One JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as its literal: `9007199254740993`, `1.0` and `1e3` stay what they are.
    Number(String),
    /// A string, decoded.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object in the order in which its members stand; names may repeat when a peer wrote them so.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object with its members in the given order.
    pub fn object<K: Into<String>, const N: usize>(members: [(K, Json); N]) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// The value of a member, the last one when the name repeats.
    pub fn member(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.iter().rev().find_map(|(key, value)| (key == name).then_some(value)),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number that is a whole one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(literal) => literal.parse().ok(),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value as a Go map would write it: names sorted at every depth, the last of a repeated name.
    #[must_use]
    pub fn sorted(self) -> Self {
        match self {
            Self::Array(items) => Self::Array(items.into_iter().map(Self::sorted).collect()),
            Self::Object(members) => {
                let unique: std::collections::BTreeMap<String, Json> = members.into_iter().collect();
                Self::Object(unique.into_iter().map(|(name, value)| (name, value.sorted())).collect())
            }
            other => other,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::String(text.clone())
    }
}

impl From<bool> for Json {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::Array(items)
    }
}

/// Members of an object in the making, in the order in which they are put.
#[derive(Clone, Debug, Default)]
pub struct Members(Vec<(String, Json)>);

impl Members {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub fn put(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a member when there is a value.
    pub fn maybe(self, name: &str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.put(name, value),
            None => self,
        }
    }

    /// Adds a text unless it is empty, as Go's `omitempty` does.
    pub fn text(self, name: &str, value: &str) -> Self {
        if value.is_empty() { self } else { self.put(name, value) }
    }

    /// Adds `true`, or nothing.
    pub fn only_true(self, name: &str, value: bool) -> Self {
        if value { self.put(name, true) } else { self }
    }

    /// The object, in the order of putting.
    pub fn done(self) -> Json {
        Json::Object(self.0)
    }

    /// The object as a Go map writes it.
    pub fn sorted(self) -> Json {
        self.done().sorted()
    }
}
