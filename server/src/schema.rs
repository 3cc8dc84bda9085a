//! What a tool takes: its parameters as data, and the JSON Schema that clients read.
//!
//! Responsible for saying each parameter once, so that the schema and the validation cannot disagree. Not for the
//! validation itself (`arguments`). The schemas use only what every client understands: one scalar type a property,
//! no references, no combinators. Serves R4 and section E of the notes on clients.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// One parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Param {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    /// What values it takes.
    pub(crate) kind: Kind,
    /// Whether a call without it is refused.
    pub(crate) required: bool,
    /// What a model is told about it.
    pub(crate) description: &'static str,
}

/// The values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// One of these strings.
    Choice {
        /// The strings.
        of: &'static [&'static str],
        /// The one that absence means.
        default: Option<&'static str>,
    },
    /// A whole number.
    Integer {
        /// The least it may be.
        least: u64,
        /// The most it may be, as the schema says it.
        most: Option<u64>,
        /// What absence means.
        default: Option<u64>,
    },
    /// `true` or `false`; absence means `false`.
    Flag,
    /// Any object.
    Object,
    /// The files of a message.
    Files,
}

impl Param {
    /// A parameter that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: false, description }
    }

    /// A parameter that must be there.
    pub(crate) const fn required(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, kind, required: true, description }
    }
}

/// The members of an entry of `files`.
pub(crate) const FILE_MEMBERS: [&str; 3] = ["name", "content_base64", "media_type"];

/// The input schema of a tool with these parameters.
pub(crate) fn input_schema(params: &[Param]) -> JsonObject {
    let properties: JsonObject = params.iter().map(|param| (param.name.to_owned(), property(param))).collect();
    let required: Vec<&str> = params.iter().filter(|param| param.required).map(|param| param.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Text if param.required => json!({"type": "string", "minLength": 1}),
        Kind::Text => json!({"type": "string"}),
        Kind::Choice { of, default } => with_default(json!({"type": "string", "enum": of}), default.map(Value::from)),
        Kind::Integer { least, most, default } => {
            let mut schema = json!({"type": "integer", "minimum": least});
            if let Some(most) = most {
                schema["maximum"] = json!(most);
            }
            with_default(schema, default.map(Value::from))
        }
        Kind::Flag => json!({"type": "boolean", "default": false}),
        Kind::Object => json!({"type": "object", "properties": {}, "additionalProperties": true}),
        Kind::Files => json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "description": "File name shown to the receiver."},
                    "content_base64": {
                        "type": "string",
                        "description": "The content in base64: standard alphabet, with padding, no line breaks.",
                    },
                    "media_type": {"type": "string", "description": "Media type, for example text/markdown."},
                },
                "required": ["name", "content_base64"],
                "additionalProperties": false,
            },
        }),
    };
    schema["description"] = json!(param.description);
    schema
}

fn with_default(mut schema: Value, default: Option<Value>) -> Value {
    if let Some(default) = default {
        schema["default"] = default;
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_without_parameters_still_has_properties() {
        let schema = Value::Object(input_schema(&[]));
        assert_eq!(schema, json!({"type": "object", "properties": {}, "additionalProperties": false}));
    }

    #[test]
    fn ranges_defaults_and_choices_are_stated() {
        let schema = Value::Object(input_schema(&[
            Param::required("task_id", Kind::Text, "Which."),
            Param::optional("limit", Kind::Integer { least: 1, most: Some(100), default: Some(20) }, "How many."),
            Param::optional("role", Kind::Choice { of: &["a", "b"], default: None }, "Whose."),
        ]));
        assert_eq!(schema["required"], json!(["task_id"]));
        assert_eq!(
            schema["properties"]["limit"],
            json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "How many."})
        );
        assert_eq!(schema["properties"]["role"]["enum"], json!(["a", "b"]));
    }
}
