//! Reading an input schema: which types it states, and whether it lets a value pass.
//!
//! Responsible for: as much of JSON Schema as tools use, so that a server is judged by what its schema means and not by
//! how it is written: `$ref`, `anyOf`, type lists and exclusive bounds say the same as their plain forms. What cannot be
//! told from here (patterns, formats, references to elsewhere) lets everything pass. Not for: portability, which is
//! about how it is written.

use crate::json::{Grade, Json};

/// How deep references and combinations are followed.
const DEPTH: usize = 24;

/// The seven types that JSON Schema knows.
pub(super) const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// An input schema, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'j> {
    root: &'j Json,
    node: &'j Json,
}

impl<'j> Schema<'j> {
    /// The whole schema of a tool.
    pub(super) fn whole(root: &'j Json) -> Self {
        Self { root, node: root }
    }

    /// The schema as it is written.
    pub(super) fn json(self) -> &'j Json {
        self.node
    }

    /// The property of that name, wherever the schema states it.
    pub(super) fn property(self, name: &str) -> Option<Self> {
        self.find(DEPTH, &|node| node.member("properties")?.member(name)).map(|node| Self { node, ..self })
    }

    /// The names of all properties that the schema states.
    pub(super) fn property_names(self) -> Vec<&'j str> {
        let properties = self.find(DEPTH, &|node| node.member("properties")).and_then(Json::as_object);
        properties.unwrap_or_default().iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The names that the schema requires of every value; what only one of several alternatives requires does not count.
    pub(super) fn required(self) -> Vec<&'j str> {
        let mut found = Vec::new();
        self.collect_required(self.node, DEPTH, &mut found);
        found
    }

    /// The schema of an array's items.
    pub(super) fn items(self) -> Option<Self> {
        self.find(DEPTH, &|node| node.member("items")).map(|node| Self { node, ..self })
    }

    /// A keyword's value, wherever the schema states it.
    pub(super) fn keyword(self, name: &str) -> Option<&'j Json> {
        self.find(DEPTH, &|node| node.member(name))
    }

    /// The types that are stated, `null` left out; empty if none is.
    pub(super) fn types(self) -> Vec<&'j str> {
        let mut found = Vec::new();
        self.collect_types(self.node, DEPTH, &mut found);
        found.retain(|name| *name != "null");
        found
    }

    /// Why the schema refuses a value, or none if it lets it pass.
    pub(super) fn complaint(self, value: &Json) -> Option<String> {
        self.refuses(self.node, value, DEPTH)
    }

    /// The first answer of `look`, at the node itself and at what it refers to or is combined of.
    fn find(self, depth: usize, look: &dyn Fn(&'j Json) -> Option<&'j Json>) -> Option<&'j Json> {
        if let Some(found) = look(self.node) {
            return Some(found);
        }
        let depth = depth.checked_sub(1)?;
        self.parts(self.node).into_iter().find_map(|node| Self { node, ..self }.find(depth, look))
    }

    fn parts(self, node: &'j Json) -> Vec<&'j Json> {
        let referred = node.member("$ref").and_then(|target| self.referred(target));
        let combined =
            ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| node.member(name)?.as_array()).flatten();
        referred.into_iter().chain(combined).collect()
    }

    fn referred(self, target: &Json) -> Option<&'j Json> {
        self.root.pointer(target.as_str()?.strip_prefix('#')?)
    }

    fn collect_required(self, node: &'j Json, depth: usize, found: &mut Vec<&'j str>) {
        let list = |name: &str| node.member(name).and_then(Json::as_array).unwrap_or_default();
        found.extend(list("required").iter().filter_map(Json::as_str));
        let referred = node.member("$ref").and_then(|target| self.referred(target));
        if let Some(depth) = depth.checked_sub(1) {
            referred.into_iter().chain(list("allOf")).for_each(|part| self.collect_required(part, depth, found));
        }
    }

    fn collect_types(self, node: &'j Json, depth: usize, found: &mut Vec<&'j str>) {
        let stated: Vec<&'j str> = match node.member("type") {
            Some(Json::String(name)) => vec![name.as_str()],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            // An enumeration states its type as well as a keyword does.
            _ => node.member("enum").and_then(Json::as_array).unwrap_or_default().iter().map(type_of).collect(),
        };
        for name in stated {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        if let Some(depth) = depth.checked_sub(1) {
            for part in self.parts(node) {
                self.collect_types(part, depth, found);
            }
        }
    }

    fn refuses(self, node: &'j Json, value: &Json, depth: usize) -> Option<String> {
        let depth = match (node, depth.checked_sub(1)) {
            (Json::Bool(false), _) => return Some("nothing is allowed here".to_owned()),
            (Json::Object(_), Some(depth)) => depth,
            _ => return None,
        };
        let list = |name: &str| node.member(name).and_then(Json::as_array);
        if let Some(target) = node.member("$ref").and_then(|target| self.referred(target))
            && let Some(why) = self.refuses(target, value, depth)
        {
            return Some(why);
        }
        let allowed: Vec<_> = match node.member("type") {
            Some(Json::String(name)) => vec![name.as_str()],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        if !allowed.is_empty() && !allowed.iter().any(|name| is_of(value, name)) {
            return Some(format!("{value} is not of type {}", allowed.join(" or ")));
        }
        let among = |choices: &[Json]| choices.iter().any(|choice| choice.differences(value, Grade::Value).is_empty());
        if list("enum").is_some_and(|choices| !among(choices)) {
            return Some(format!("{value} is not in its enum"));
        }
        if node.member("const").is_some_and(|only| !among(std::slice::from_ref(only))) {
            return Some(format!("{value} is not its const"));
        }
        if let Some(parts) = list("allOf")
            && let Some(why) = parts.iter().find_map(|part| self.refuses(part, value, depth))
        {
            return Some(why);
        }
        for name in ["anyOf", "oneOf"] {
            let Some(parts) = list(name) else { continue };
            let passed = parts.iter().filter(|part| self.refuses(part, value, depth).is_none()).count();
            if passed == 0 || (name == "oneOf" && passed > 1) {
                return Some(format!("{value} meets {passed} of its {name}"));
            }
        }
        if node.member("not").is_some_and(|part| part.is_object() && self.refuses(part, value, depth).is_none()) {
            return Some(format!("{value} is what it excludes with `not`"));
        }
        match value {
            Json::Number(literal) => refuses_number(node, literal),
            Json::String(text) => refuses_count(node, text.chars().count(), "minLength", "maxLength", "characters"),
            Json::Array(items) => refuses_count(node, items.len(), "minItems", "maxItems", "items").or_else(|| {
                let each = node.member("items").filter(|each| !matches!(each, Json::Array(_)))?;
                items.iter().find_map(|item| self.refuses(each, item, depth))
            }),
            Json::Object(members) => self.refuses_members(node, value, members, depth),
            Json::Null | Json::Bool(_) => None,
        }
    }

    fn refuses_members(self, node: &'j Json, whole: &Json, members: &[(String, Json)], depth: usize) -> Option<String> {
        let required = node.member("required").and_then(Json::as_array).unwrap_or_default();
        if let Some(name) = required.iter().filter_map(Json::as_str).find(|name| whole.member(name).is_none()) {
            return Some(format!("{whole} lacks `{name}`"));
        }
        if let Some(needs) = node.member("dependentRequired").and_then(Json::as_object) {
            for (name, others) in needs.iter().filter(|(name, _)| whole.member(name).is_some()) {
                let mut others = others.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
                if let Some(other) = others.find(|other| whole.member(other).is_none()) {
                    return Some(format!("{whole} has `{name}` and lacks `{other}`"));
                }
            }
        }
        let stated = node.member("properties");
        let others = node.member("additionalProperties");
        for (name, value) in members {
            let why = match (stated.and_then(|stated| stated.member(name)), others) {
                (Some(part), _) | (None, Some(part)) => self.refuses(part, value, depth),
                (None, None) => None,
            };
            if let Some(why) = why {
                return Some(format!("`{name}`: {why}"));
            }
        }
        refuses_count(node, members.len(), "minProperties", "maxProperties", "members")
    }
}

fn refuses_number(node: &Json, literal: &str) -> Option<String> {
    let value = literal.parse::<f64>().ok()?;
    let bound = |name: &str| match node.member(name)? {
        Json::Number(literal) => literal.parse::<f64>().ok(),
        _ => None,
    };
    // Before draft 6 an exclusive bound was a flag beside the bound.
    let flag = |name: &str| node.member(name).and_then(Json::as_bool) == Some(true);
    let below = |min: f64| value < min || (flag("exclusiveMinimum") && value <= min);
    let above = |max: f64| value > max || (flag("exclusiveMaximum") && value >= max);
    if bound("minimum").is_some_and(below) || bound("exclusiveMinimum").is_some_and(|min| value <= min) {
        return Some(format!("{literal} is below its minimum"));
    }
    if bound("maximum").is_some_and(above) || bound("exclusiveMaximum").is_some_and(|max| value >= max) {
        return Some(format!("{literal} is above its maximum"));
    }
    let step = bound("multipleOf").filter(|step| *step > 0.0)?;
    let steps = value / step;
    ((steps - steps.round()).abs() > 1e-9).then(|| format!("{literal} is no multiple of {step}"))
}

fn refuses_count(node: &Json, count: usize, min: &str, max: &str, what: &str) -> Option<String> {
    let bound = |name: &str| node.member(name).and_then(Json::as_i64).and_then(|bound| usize::try_from(bound).ok());
    let outside = bound(min).is_some_and(|min| count < min) || bound(max).is_some_and(|max| count > max);
    outside.then(|| format!("{count} {what} are not between its {min} and its {max}"))
}

fn is_of(value: &Json, name: &str) -> bool {
    match value {
        // 5.0 is an integer to JSON Schema.
        Json::Number(literal) => {
            name == "number" || (name == "integer" && literal.parse::<f64>().is_ok_and(|number| number.fract() == 0.0))
        }
        other => type_of(other) == name,
    }
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(literal) if literal.contains(['.', 'e', 'E']) => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::Schema;
    use crate::json::Json;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    #[test]
    fn a_schema_is_read_by_its_meaning() {
        let table = [
            (r#"{"type":"integer","minimum":1,"maximum":100}"#, "100", "101"),
            (r#"{"type":"integer","exclusiveMinimum":0}"#, "1", "0"),
            (r#"{"type":"number","multipleOf":1}"#, "5.0", "5.5"),
            (r#"{"type":["integer","null"]}"#, "null", r#""5""#),
            (
                r##"{"anyOf":[{"$ref":"#/$defs/S"},{"type":"null"}],"$defs":{"S":{"enum":["a","b"]}}}"##,
                r#""b""#,
                r#""c""#,
            ),
            (r#"{"oneOf":[{"required":["to"]},{"required":["task_id"]}]}"#, r#"{"to":"a"}"#, r#"{"text":"x"}"#),
            (r#"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#, r#"{"a":"x"}"#, r#"{"b":1}"#),
            (r#"{"type":"array","items":{"required":["name"]},"minItems":1}"#, r#"[{"name":"n"}]"#, "[{}]"),
            (r#"{"type":"string","maxLength":2}"#, r#""世界""#, r#""abc""#),
            (r#"{"dependentRequired":{"args":["skill"]}}"#, r#"{"skill":"s","args":{}}"#, r#"{"args":{}}"#),
            (r#"{"not":{"required":["x"]}}"#, "{}", r#"{"x":1}"#),
            (r#"{"const":true}"#, "true", "false"),
        ];
        for (schema, good, bad) in table {
            let root = json(schema);
            let schema = Schema::whole(&root);
            assert_eq!(schema.complaint(&json(good)), None, "{root} and {good}");
            assert!(schema.complaint(&json(bad)).is_some(), "{root} and {bad}");
        }
    }

    #[test]
    fn properties_are_found_where_they_stand() {
        let root = json(
            r##"{"type":"object","properties":{"state":{"anyOf":[{"$ref":"#/$defs/State"},{"type":"null"}]}},
                "required":["task_id"],"$defs":{"State":{"type":"string","enum":["a"]}}}"##,
        );
        let schema = Schema::whole(&root);
        assert_eq!(schema.property_names(), ["state"]);
        assert_eq!(schema.required(), ["task_id"]);
        let state = schema.property("state").expect("it is there");
        assert_eq!(state.types(), ["string"]);
        assert!(state.keyword("enum").is_some());
    }

    #[test]
    fn a_reference_to_itself_ends() {
        let root = json(r##"{"$ref":"#"}"##);
        assert_eq!(Schema::whole(&root).complaint(&json("1")), None);
        assert!(Schema::whole(&root).types().is_empty());
    }
}
