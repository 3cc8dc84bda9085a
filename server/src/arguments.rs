//! Arguments of a tool call, validated against the tool's parameters before anything is sent.
//!
//! Responsible for telling what was given from what is taken, in English sentences that name the parameter and what
//! it takes and never quote a value. Not for rules that span several parameters: those are the tools' own. Numbers
//! keep their digits and objects their bytes. Serves R3, R4, R5 and R16.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::json::{self, Members};
use crate::schema::{FILE_MEMBERS, Kind, Param};

/// Why a call was not made: one English sentence, without a reason code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub(crate) struct ArgumentError {
    sentence: String,
    missing: Option<&'static str>,
}

impl ArgumentError {
    /// An error that this sentence explains.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), missing: None }
    }

    /// The error for a parameter that is not there and must be.
    pub(crate) fn missing(tool: &str, name: &'static str, takes: &str) -> Self {
        Self { sentence: format!("{tool}: {name} is missing; it takes {takes}."), missing: Some(name) }
    }

    /// Whether all that is wrong is the absence of this parameter.
    pub(crate) fn misses(&self, name: &str) -> bool {
        self.missing == Some(name)
    }
}

/// The arguments of one call, each as its kind demands.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    given: Vec<(&'static str, Given<'a>)>,
}

/// A file to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileArgument {
    /// Its name.
    pub(crate) name: String,
    /// Its content, still in base64.
    pub(crate) content: String,
    /// Its media type, if given.
    pub(crate) media_type: Option<String>,
}

#[derive(Debug)]
enum Given<'a> {
    Text(String),
    Integer(Digits),
    Flag(bool),
    Object(&'a RawValue),
    Files(Vec<FileArgument>),
}

/// A whole number that keeps the digits it was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digits(u64);

impl Digits {
    /// The number.
    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

impl<'a> Arguments<'a> {
    /// Reads the arguments of a call to `tool`. Absent and `null` are no arguments at all.
    pub(crate) fn read(tool: &str, raw: Option<&'a RawValue>, params: &'static [Param]) -> Result<Self, ArgumentError> {
        let Some(raw) = raw.filter(|raw| !json::is_null(raw)) else {
            return Self::default().complete(tool, params);
        };
        let members = Members::of(raw.get()).ok_or_else(|| {
            ArgumentError::new(format!("{tool}: the arguments hold a name that is not valid Unicode text."))
        })?;
        for (at, (name, _)) in members.0.iter().enumerate() {
            if !params.iter().any(|param| param.name == name) {
                return Err(unknown(tool, name, params));
            }
            if members.0[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(ArgumentError::new(format!("{tool}: {name} was given twice; give it once.")));
            }
        }
        let mut arguments = Self::default();
        for param in params {
            if let Some(value) = members.value(param.name).filter(|value| !json::is_null(value))
                && let Some(given) = read_value(tool, param, value)?
            {
                arguments.given.push((param.name, given));
            }
        }
        arguments.complete(tool, params)
    }

    /// A string that was given and is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.find(name) {
            Some(Given::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A string that was given and is more than white space.
    pub(crate) fn text_not_blank(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|text| !text.trim().is_empty())
    }

    /// A whole number that was given.
    pub(crate) fn integer(&self, name: &str) -> Option<Digits> {
        match self.find(name) {
            Some(Given::Integer(digits)) => Some(*digits),
            _ => None,
        }
    }

    /// A flag; absent means `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Given::Flag(true)))
    }

    /// An object in the bytes it was given in.
    pub(crate) fn object(&self, name: &str) -> Option<&'a RawValue> {
        match self.find(name) {
            Some(Given::Object(object)) => Some(object),
            _ => None,
        }
    }

    /// The files of a message.
    pub(crate) fn files(&self) -> &[FileArgument] {
        match self.find("files") {
            Some(Given::Files(files)) => files,
            _ => &[],
        }
    }

    fn find(&self, name: &str) -> Option<&Given<'a>> {
        self.given.iter().find(|(given, _)| *given == name).map(|(_, given)| given)
    }

    fn complete(self, tool: &str, params: &[Param]) -> Result<Self, ArgumentError> {
        for param in params.iter().filter(|param| param.required) {
            let there = match self.find(param.name) {
                Some(Given::Text(text)) => !text.trim().is_empty(),
                found => found.is_some(),
            };
            if !there {
                return Err(ArgumentError::missing(tool, param.name, "a string that is not blank"));
            }
        }
        Ok(self)
    }
}

fn unknown(tool: &str, name: &str, params: &[Param]) -> ArgumentError {
    let takes = match params {
        [] => "it takes no arguments".to_owned(),
        params => format!("it takes {}", params.iter().map(|param| param.name).collect::<Vec<_>>().join(", ")),
    };
    ArgumentError::new(format!("{tool}: there is no argument named {}; {takes}.", shown(name)))
}

/// A name of the caller's making, safe to put into a sentence: printable ASCII, and not endless.
fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(64).flat_map(char::escape_default).collect();
    if name.chars().count() > 64 {
        shown.push_str("...");
    }
    format!("\"{shown}\"")
}

fn read_value<'a>(tool: &str, param: &Param, value: &'a RawValue) -> Result<Option<Given<'a>>, ArgumentError> {
    let refuse =
        || ArgumentError::new(format!("{tool}: {} takes {}, not {}.", param.name, takes(param.kind), shape(value)));
    let given = match param.kind {
        Kind::Text => {
            let text = text(value).ok_or_else(refuse)?;
            if text.is_empty() {
                return Ok(None);
            }
            Given::Text(text)
        }
        Kind::Choice { of, .. } => {
            let text = text(value).ok_or_else(refuse)?;
            if text.is_empty() {
                return Ok(None);
            }
            if !of.contains(&text.as_str()) {
                return Err(ArgumentError::new(format!("{tool}: {} takes {}.", param.name, takes(param.kind))));
            }
            Given::Text(text)
        }
        Kind::Integer { least, most, .. } => {
            let range = least..=most.unwrap_or(u64::MAX);
            match whole_number(value.get()).ok_or_else(refuse)? {
                Whole::Number(number) if range.contains(&number) => Given::Integer(Digits(number)),
                _ => {
                    let takes = takes(param.kind);
                    return Err(ArgumentError::new(format!(
                        "{tool}: {} takes {takes}; the number given is outside.",
                        param.name
                    )));
                }
            }
        }
        Kind::Flag => match value.get() {
            "true" => Given::Flag(true),
            "false" => Given::Flag(false),
            _ => return Err(refuse()),
        },
        Kind::Object if value.get().starts_with('{') => Given::Object(value),
        Kind::Object => return Err(refuse()),
        Kind::Files => {
            let entries = json::elements(value.get()).ok_or_else(refuse)?;
            let files = entries.iter().enumerate().map(|(at, entry)| read_file(tool, at, entry));
            let files = files.collect::<Result<Vec<_>, _>>()?;
            if files.is_empty() {
                return Ok(None);
            }
            Given::Files(files)
        }
    };
    Ok(Some(given))
}

fn read_file(tool: &str, at: usize, entry: &RawValue) -> Result<FileArgument, ArgumentError> {
    let refuse = |what: String| ArgumentError::new(format!("{tool}: files[{at}]{what}"));
    let members = Members::of(entry.get()).ok_or_else(|| {
        refuse(format!(" takes an object with name, content_base64 and media_type, not {}.", shape(entry)))
    })?;
    for (index, (name, _)) in members.0.iter().enumerate() {
        if !FILE_MEMBERS.contains(&name.as_ref()) {
            return Err(refuse(format!(
                " has a member {} that a file does not take; it takes name, content_base64 and media_type.",
                shown(name)
            )));
        }
        if members.0[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(refuse(format!(".{name} was given twice; give it once.")));
        }
    }
    let member = |name: &str| -> Result<Option<String>, ArgumentError> {
        match members.value(name).filter(|value| !json::is_null(value)) {
            None => Ok(None),
            Some(value) => {
                text(value).map(Some).ok_or_else(|| refuse(format!(".{name} takes a string, not {}.", shape(value))))
            }
        }
    };
    let name = member("name")?.filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| refuse(".name is missing; it takes a string that is not blank.".to_owned()))?;
    let alphabet = "the file's content in base64, standard alphabet with padding and without line breaks";
    let content =
        member("content_base64")?.ok_or_else(|| refuse(format!(".content_base64 is missing; it takes {alphabet}.")))?;
    if STANDARD.decode(&content).is_err() {
        return Err(refuse(format!(".content_base64 takes {alphabet}; what was given is not that.")));
    }
    let media_type = member("media_type")?.filter(|media_type| !media_type.is_empty());
    Ok(FileArgument { name, content, media_type })
}

fn text(value: &RawValue) -> Option<String> {
    json::text_of(value)
}

/// What a parameter takes, as a phrase.
fn takes(kind: Kind) -> String {
    match kind {
        Kind::Text => "a string".to_owned(),
        Kind::Choice { of, .. } => format!("one of {}", of.join(", ")),
        Kind::Integer { least, most: Some(most), .. } => format!("a whole number from {least} to {most}"),
        Kind::Integer { least, most: None, .. } => format!("a whole number that is at least {least}"),
        Kind::Flag => "true or false".to_owned(),
        Kind::Object => "an object".to_owned(),
        Kind::Files => {
            "an array of files, each an object with name, content_base64 and optionally media_type".to_owned()
        }
    }
}

/// What a value is, as a phrase.
fn shape(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') if text(value).is_none() => "a string that is not valid Unicode text",
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "that number",
    }
}

/// A whole number, as far as it can be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Number(u64),
    /// Below zero or beyond 64 bits.
    Outside,
}

/// The whole number a JSON literal stands for: `5`, `5.0` and `50e-1` are the same.
///
/// `None` when it is no number or not whole.
fn whole_number(literal: &str) -> Option<Whole> {
    let (negative, rest) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal),
    };
    rest.as_bytes().first().filter(|byte| byte.is_ascii_digit())?;
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX }))
        }
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    // How many of the digits stand before the decimal point.
    let point = i64::try_from(whole.len()).ok()?.saturating_add(exponent);
    let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    digits.truncate(digits.len() - trailing);
    if digits.is_empty() {
        return Some(Whole::Number(0));
    }
    let zeros = point.checked_sub(i64::try_from(digits.len()).ok()?).filter(|zeros| *zeros >= 0)?;
    if negative || zeros > 20 {
        return Some(Whole::Outside);
    }
    digits.extend(std::iter::repeat_n(b'0', usize::try_from(zeros).ok()?));
    let number = String::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    Some(number.map_or(Whole::Outside, Whole::Number))
}

#[cfg(test)]
mod tests;
