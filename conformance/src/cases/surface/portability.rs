//! Shapes of a schema that clients are known to refuse or to misread.

use super::schema::Schema;
use super::{listing_case, none_of, of_schema, of_tool};
use crate::case::Case;
use crate::json::Json;
use crate::page::Tool;

/// Keywords that some clients refuse anywhere in a tool's schema.
const REFUSED_KEYWORDS: [&str; 9] = [
    "exclusiveMinimum",
    "exclusiveMaximum",
    "patternProperties",
    "propertyNames",
    "const",
    "if",
    "not",
    "dependentRequired",
    "dependentSchemas",
];
/// Formats that only some schema generators know, and that strict readers do not.
const REFUSED_FORMATS: [&str; 10] =
    ["uint", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "double"];

/// One rule: its requirement, what it demands in words, and what it finds in one part of a schema.
type Lint = (&'static str, &'static str, fn(&str, &Json) -> Option<String>);

const LINTS: [Lint; 6] = [
    ("portability.formats", "no integer or float formats", |place, node| {
        let format = node.member("format")?.as_str()?;
        REFUSED_FORMATS.contains(&format).then(|| format!("{place}: format {format}"))
    }),
    ("portability.type-lists", "every type is one word", |place, node| {
        node.member("type")
            .filter(|stated| matches!(stated, Json::Array(_)))
            .map(|list| format!("{place}: type {list}"))
    }),
    ("portability.references", "no $ref and no $defs", |place, node| {
        let found = ["$ref", "$defs", "definitions"].into_iter().find(|name| node.member(name).is_some())?;
        Some(format!("{place}: {found}"))
    }),
    ("portability.typed", "every property states its type", |place, node| {
        let untyped = !place.is_empty() && node.member("type").is_none();
        untyped.then(|| format!("{place}: no type"))
    }),
    ("portability.items", "every array says what its items are", |place, node| {
        let array = node.member("type").and_then(Json::as_str) == Some("array");
        (array && !node.member("items").is_some_and(Json::is_object)).then(|| format!("{place}: no items"))
    }),
    ("portability.keywords", "no keyword that clients refuse", |place, node| {
        let found = REFUSED_KEYWORDS.into_iter().find(|name| node.member(name).is_some())?;
        Some(format!("{place}: {found}"))
    }),
];

pub(super) fn cases() -> Vec<Case> {
    Tool::ALL.into_iter().map(of).collect()
}

fn of(tool: Tool) -> Case {
    let case =
        listing_case(&format!("{tool}/portability"), format!("the schema of {tool} is one that every client reads"))
            .tool(tool)
            .check(
                "portability.names",
                of_tool(tool, "names are short and plain", move |listed| {
                    let schema = listed.member("inputSchema").map(Schema::whole);
                    let names = schema.map(Schema::property_names).unwrap_or_default();
                    let odd: Vec<_> = names.into_iter().filter(|name| !plain(name)).map(str::to_owned).collect();
                    none_of(&odd, "names that some clients refuse", listed)
                }),
            )
            .check(
                "portability.properties",
                of_schema(tool, "`properties` is there", |schema| {
                    let missing = !schema.json().member("properties").is_some_and(Json::is_object);
                    let complaints = if missing { vec!["no properties".to_owned()] } else { Vec::new() };
                    none_of(&complaints, "some clients refuse an object without `properties`", schema.json())
                }),
            )
            .check(
                "portability.combinators",
                of_schema(tool, "no combination at the top", |schema| {
                    let found =
                        ["oneOf", "anyOf", "allOf"].into_iter().filter(|name| schema.json().member(name).is_some());
                    let found: Vec<_> = found.map(str::to_owned).collect();
                    none_of(&found, "some clients refuse a combination at the top of a schema", schema.json())
                }),
            );
    LINTS.into_iter().fold(case, |case, (requirement, what, lint)| {
        case.check(
            requirement,
            of_schema(tool, what, move |schema| {
                let mut found = Vec::new();
                walk("", schema.json(), &mut |place, node| found.extend(lint(place, node)));
                none_of(&found, "a shape that some clients refuse", schema.json())
            }),
        )
    })
}

/// Visits a schema and the schemas of its properties and items.
fn walk(place: &str, node: &Json, visit: &mut dyn FnMut(&str, &Json)) {
    visit(place, node);
    for (name, part) in node.member("properties").and_then(Json::as_object).unwrap_or_default() {
        walk(&format!("{place}/{name}"), part, visit);
    }
    if let Some(items) = node.member("items").filter(|items| items.is_object()) {
        walk(&format!("{place}/items"), items, visit);
    }
}

/// At most 64 of the characters that every client takes.
fn plain(name: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    (1..=64).contains(&name.len()) && name.bytes().all(known)
}
