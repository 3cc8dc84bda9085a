//! A small grammar of argument objects: valid ones, and valid ones with one thing broken.
//!
//! Responsible for: drawing them from the page's table, the same for the same seed. Not for: what must become of them.

use crate::json::Json;
use crate::page::{Kind, Parameter, SAMPLE_AID, Tool};

/// A stream of numbers that a seed determines (`SplitMix64`).
pub(super) struct Draw {
    state: u64,
    words: &'static [&'static str],
}

/// What is broken in an argument object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Break {
    /// A parameter that the call needs is gone.
    Missing(&'static str),
    /// Neither `to` nor `task_id` is there.
    NoReceiver,
    /// A parameter has a value of another type.
    Type(&'static str),
    /// An integer is above what the page allows.
    Above(&'static str),
    /// An integer is below what the page allows.
    Below(&'static str),
    /// A word that is none of the listed ones.
    Choice(&'static str),
    /// A member that no tool has.
    Unknown,
}

/// The member of [`Break::Unknown`].
pub(super) const UNKNOWN: &str = "surplus";

/// What texts are made of.
const WORDS: &[&str] =
    &["report", "Q3", "请总结", "ありがとう", "naïve", "<b>", "a&b", "\"so\"", "C:\\x", "👩‍🔬", "\u{2028}", "{}[]:,"];
/// What they are made of in broken objects: a refusal may quote them, and is English all the same.
const LATIN_WORDS: &[&str] = &["report", "Q3", "naïve", "<b>", "a&b", "\"so\"", "C:\\x", "{}[]:,"];

impl Draw {
    pub(super) const fn new(seed: u64) -> Self {
        Self { state: seed, words: WORDS }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    fn word(&mut self) -> &'static str {
        self.words[self.below(self.words.len())]
    }

    fn between(&mut self, min: i64, max: i64) -> i64 {
        let span = usize::try_from(max - min).unwrap_or_default().saturating_add(1);
        min + i64::try_from(self.below(span)).unwrap_or_default()
    }

    /// A text that is neither blank nor framed by white space.
    fn text(&mut self) -> Json {
        let words: Vec<_> = (0..=self.below(6)).map(|_| self.word()).collect();
        Json::String(format!("x {} x", words.join(" ")))
    }

    fn value(&mut self, depth: usize) -> Json {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Json::Null,
            1 => Json::Bool(self.coin()),
            2 => Json::integer(self.between(-1_000_000, 1_000_000)),
            3 => Json::Number((*self.pick(&["0.5", "-12.25", "1e3", "1.0", "0"])).to_owned()),
            4 => self.text(),
            5 => Json::Array((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Json {
        let count = self.below(4);
        Json::object((0..count).map(|index| (format!("{}{index}", self.word()), self.value(depth))))
    }

    fn file(&mut self) -> Json {
        let content = *self.pick(&["bg==", "bm90ZXM=", "+/+/", "AAECAwQF"]);
        let mut file = Json::object([
            ("name", Json::String(format!("f{}.txt", self.below(100)))),
            ("content_base64", Json::string(content)),
        ]);
        if self.coin() {
            file.set("media_type", Json::string("text/plain"));
        }
        file
    }

    /// A valid value for the parameter.
    fn valid(&mut self, parameter: &Parameter) -> Json {
        match parameter.kind {
            Kind::Text if matches!(parameter.name, "aid" | "to" | "peer") => Json::string(SAMPLE_AID),
            Kind::Text if parameter.name == "task_id" && self.coin() => {
                Json::String(format!("ix_{:032x}", self.next()))
            }
            Kind::Text => self.text(),
            Kind::Choice(words) => Json::string(*self.pick(words)),
            Kind::Integer { min, max } => {
                let (min, max) = (min.unwrap_or(0), max.unwrap_or(100_000));
                let inside = self.between(min, max);
                Json::integer(*self.pick(&[min, max, inside, inside]))
            }
            Kind::Boolean => Json::Bool(self.coin()),
            Kind::Object => self.object(2),
            Kind::Files => Json::Array((0..=self.below(2)).map(|_| self.file()).collect()),
        }
    }

    /// A value of another type than the parameter's.
    fn other_type(&mut self, parameter: &Parameter) -> Json {
        let all = [
            ("string", Json::string("5")),
            ("integer", Json::integer(5)),
            ("integer", Json::integer(0)),
            ("number", Json::Number("2.5".to_owned())),
            ("boolean", Json::Bool(true)),
            ("array", Json::Array(vec![Json::string("x")])),
            ("object", Json::object([("x", Json::integer(1))])),
        ];
        let of_other_type: Vec<_> = all
            .into_iter()
            // An array is no wrong type for files; what stands in it is another matter.
            .filter(|(name, _)| *name != parameter.kind.schema_type())
            .map(|(_, value)| value)
            .collect();
        self.pick(&of_other_type).clone()
    }
}

/// A valid argument object for the tool.
pub(super) fn valid(tool: Tool, draw: &mut Draw) -> Json {
    let mut names: Vec<&str> = tool
        .parameters()
        .iter()
        .filter(|parameter| parameter.required || draw.coin())
        .map(|parameter| parameter.name)
        .collect();
    match tool {
        Tool::SendMessage => names = message(names, draw),
        // A question needs words; the other states do without, and with words all of them are fine.
        Tool::ReplyTask if !names.contains(&"text") => names.push("text"),
        _ => {}
    }
    if !names.is_empty() {
        let turn = draw.below(names.len());
        names.rotate_left(turn);
    }
    let members = names.into_iter().filter_map(|name| Some((name, draw.valid(tool.parameter(name)?))));
    Json::object(members.collect::<Vec<_>>())
}

/// The names drawn, made to fit each other: one receiver, and either words and files or a capability.
fn message(mut names: Vec<&'static str>, draw: &mut Draw) -> Vec<&'static str> {
    let (receiver, other) = if draw.coin() { ("to", "task_id") } else { ("task_id", "to") };
    // A capability starts a task of its own.
    let without: &[&str] = if receiver == "to" && draw.coin() { &["text", "files"] } else { &["skill", "args"] };
    names.retain(|name| *name != receiver && *name != other && !without.contains(name));
    names.push(receiver);
    let content = if without.contains(&"text") { "skill" } else { "text" };
    if !names.contains(&content) {
        names.push(content);
    }
    names
}

/// A valid argument object in which one thing is broken; `turn` goes through the ways to break it.
pub(super) fn broken(tool: Tool, turn: usize, draw: &mut Draw) -> (Json, Break) {
    draw.words = LATIN_WORDS;
    let mut arguments = valid(tool, draw);
    let ways = ways(tool);
    let way = ways[turn % ways.len()];
    match way {
        Break::Missing(name) => arguments.remove(name),
        Break::NoReceiver => {
            arguments.remove("to");
            arguments.remove("task_id");
        }
        Break::Type(name) => {
            if let Some(parameter) = tool.parameter(name) {
                let value = draw.other_type(parameter);
                arguments.set(name, value);
            }
        }
        Break::Above(name) => {
            let value = Json::integer(draw.between(101, 100_000));
            arguments.set(name, value);
        }
        Break::Below(name) => {
            let value = Json::integer(draw.between(-100_000, -1));
            arguments.set(name, value);
        }
        Break::Choice(name) => {
            let word = Json::String(format!("no-{}", draw.below(1000)));
            arguments.set(name, word);
        }
        Break::Unknown => {
            // null would say that it is absent.
            let value = draw.text();
            arguments.set(UNKNOWN, value);
        }
    }
    (arguments, way)
}

/// The ways to break a call of the tool, at least one.
fn ways(tool: Tool) -> Vec<Break> {
    let mut ways = vec![Break::Unknown];
    if tool == Tool::SendMessage {
        ways.push(Break::NoReceiver);
    }
    for parameter in tool.parameters() {
        if parameter.required {
            ways.push(Break::Missing(parameter.name));
        }
        match parameter.kind {
            Kind::Choice(_) => ways.push(Break::Choice(parameter.name)),
            Kind::Integer { max: Some(100), .. } => ways.push(Break::Above(parameter.name)),
            Kind::Integer { .. } => ways.push(Break::Below(parameter.name)),
            _ => {}
        }
        ways.push(Break::Type(parameter.name));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::{Draw, broken, valid};
    use crate::page::Tool;

    #[test]
    fn the_same_seed_draws_the_same() {
        for tool in Tool::ALL {
            assert_eq!(valid(tool, &mut Draw::new(7)), valid(tool, &mut Draw::new(7)), "{tool}");
        }
    }

    #[test]
    fn valid_objects_keep_to_the_table() {
        for seed in 0..200 {
            for tool in Tool::ALL {
                let arguments = valid(tool, &mut Draw::new(seed));
                let members = arguments.as_object().unwrap_or_default();
                assert!(members.iter().all(|(name, _)| tool.parameter(name).is_some()), "{tool}: {arguments}");
                let required = tool.parameters().iter().filter(|parameter| parameter.required);
                assert!(
                    required.into_iter().all(|parameter| arguments.member(parameter.name).is_some()),
                    "{tool}: {arguments}"
                );
                assert!(arguments.duplicate().is_none(), "{tool}: {arguments}");
            }
        }
    }

    #[test]
    fn broken_objects_differ_from_the_valid_ones() {
        for turn in 0..40 {
            for tool in Tool::ALL {
                let (arguments, way) = broken(tool, turn, &mut Draw::new(3));
                let mut draw = Draw::new(3);
                draw.words = super::LATIN_WORDS;
                assert_ne!(arguments, valid(tool, &mut draw), "{tool}: {way:?}");
            }
        }
    }
}
