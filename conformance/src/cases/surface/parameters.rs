//! The parameters of each tool: present, of the page's type, required or not, no narrower than the page.

use super::schema::Schema;
use super::{listing_case, none_of, of_parameter, of_schema};
use crate::case::Case;
use crate::expect::Expect;
use crate::json::Json;
use crate::page::{Kind, Parameter, SAMPLE_AID, SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// Names that a spending decision must not take from a model.
const PAYMENT_MEMBERS: [&str; 3] = ["pay", "purpose", "payload"];

pub(super) fn cases() -> Vec<Case> {
    let mut cases =
        vec![no_message_id(), no_payment_members(), file_members(Tool::SendMessage), file_members(Tool::ReplyTask)];
    for tool in Tool::ALL {
        cases.push(whole(tool));
        cases.extend(tool.parameters().iter().map(|parameter| one(tool, parameter)));
    }
    cases
}

/// One parameter of one tool.
fn one(tool: Tool, parameter: &'static Parameter) -> Case {
    let name = parameter.name;
    let kind = parameter.kind.schema_type();
    let case = listing_case(&format!("{tool}/{name}"), format!("`{name}` of {tool} is stated as the page has it"))
        .tool(tool)
        .check(
            "surface.parameters",
            of_schema(tool, format!("`{tool}` states `{name}`"), move |schema| match schema.property(name) {
                Some(_) => Finding::Met,
                None => Finding::differs(
                    format!("`{tool}` does not state `{name}`"),
                    name,
                    schema.property_names().join(", "),
                ),
            }),
        )
        .check(
            "surface.parameter-type",
            typed(tool, name, format!("`{name}` is stated as {kind}"), move |types| types.contains(&kind)),
        )
        .check(
            "surface.parameter-type-only",
            typed(tool, name, format!("`{name}` is stated as {kind} and nothing else"), move |types| types == [kind]),
        )
        .check("surface.not-narrower", passes(tool, parameter, &allowed(tool, parameter)))
        .check(requiredness(tool, parameter), required(tool, parameter));
    let case = match unusual(parameter) {
        values if values.is_empty() => case,
        values => case.check("surface.not-narrower-than-useful", passes(tool, parameter, &values)),
    };
    stated_limits(case, tool, parameter)
}

/// Bounds, default and choices, where the page gives them.
fn stated_limits(mut case: Case, tool: Tool, parameter: &'static Parameter) -> Case {
    let name = parameter.name;
    match parameter.kind {
        Kind::Integer { min, max } => {
            let outside: Vec<_> = min.map(|min| min - 1).into_iter().chain(max.map(|max| max + 1)).collect();
            let what = format!("the schema of `{name}` refuses {outside:?}");
            case = case.check(
                "surface.ranges",
                of_parameter(tool, name, what, move |schema| {
                    let passed = outside.iter().filter(|value| schema.complaint(&Json::integer(**value)).is_none());
                    let passed: Vec<_> = passed.map(|value| format!("{value} passes")).collect();
                    none_of(&passed, format!("the range of `{name}` is not stated"), schema.json())
                }),
            );
        }
        Kind::Choice(choices) => {
            let what = format!("`{name}` is an enum of {}", choices.join(", "));
            case = case.check(
                "surface.choices",
                of_parameter(tool, name, what, move |schema| {
                    let stated = schema.keyword("enum").and_then(Json::as_array).unwrap_or_default();
                    let stated: Vec<_> = stated.iter().filter_map(Json::as_str).collect();
                    let same = stated.len() == choices.len() && choices.iter().all(|choice| stated.contains(choice));
                    if same {
                        return Finding::Met;
                    }
                    Finding::differs(
                        format!("`{name}` does not state the page's values"),
                        choices.join(", "),
                        schema.json().to_string(),
                    )
                }),
            );
        }
        Kind::Text | Kind::Boolean | Kind::Object | Kind::Files => {}
    }
    let default = match parameter.default {
        Some(number) => Json::integer(number),
        None if tool == Tool::ReplyTask && name == "state" => Json::string("input-required"),
        None => return case,
    };
    let what = format!("the default of `{name}` is stated as {default}");
    case.check(
        "surface.defaults",
        of_parameter(tool, name, what, move |schema| match schema.keyword("default") {
            Some(stated) if *stated == default => Finding::Met,
            _ => Finding::differs(
                format!("`{name}` does not state its default"),
                default.to_string(),
                schema.json().to_string(),
            ),
        }),
    )
}

fn typed(
    tool: Tool,
    name: &'static str,
    what: String,
    judge: impl Fn(&[&str]) -> bool + Send + Sync + 'static,
) -> Expect {
    of_parameter(tool, name, what.clone(), move |schema| match schema.types() {
        // That a type is stated at all is a matter of portability.
        types if types.is_empty() => Finding::NotApplicable(format!("no type is stated for `{name}`")),
        types if judge(&types) => Finding::Met,
        types => Finding::differs(
            format!("`{name}` of `{tool}` is stated as {}", types.join(" or ")),
            what.clone(),
            schema.json().to_string(),
        ),
    })
}

/// The schema of the parameter lets these values pass.
fn passes(tool: Tool, parameter: &'static Parameter, values: &[String]) -> Expect {
    let name = parameter.name;
    let values: Vec<_> = values.iter().filter_map(|value| Json::parse(value).ok()).collect();
    let shown: Vec<_> = values.iter().map(|value| value.to_string().chars().take(40).collect::<String>()).collect();
    of_parameter(tool, name, format!("the schema of `{name}` allows {}", shown.join(", ")), move |schema| {
        // A type that is wrong as a whole is said once.
        let types = schema.types();
        if !types.is_empty() && !types.contains(&parameter.kind.schema_type()) {
            return Finding::NotExercised(format!("the type of `{name}` is wrong"));
        }
        let refused: Vec<_> = values.iter().filter_map(|value| schema.complaint(value)).collect();
        none_of(&refused, format!("the schema of `{name}` forbids what the page allows"), schema.json())
    })
}

/// Values that the page allows beyond doubt, as JSON.
fn allowed(tool: Tool, parameter: &Parameter) -> Vec<String> {
    let mut values = vec![parameter.sample.to_owned()];
    match parameter.kind {
        Kind::Text if matches!(parameter.name, "text" | "query") => {
            values.push(Json::string("请总结附件中的笔记。🚀 ".repeat(100)).to_string());
        }
        Kind::Text => {}
        Kind::Choice(choices) => values.extend(choices.iter().map(|choice| format!("\"{choice}\""))),
        Kind::Integer { min, max } => {
            // The page speaks of 0 for the history of listed tasks alone.
            let page_min = if tool == Tool::ListTasks { min } else { min.max(Some(1)) };
            values.extend(page_min.into_iter().chain(max).chain(parameter.default).map(|value| value.to_string()));
            if max.is_none() {
                values.push("100".to_owned());
            }
        }
        Kind::Boolean => values.push("false".to_owned()),
        Kind::Object => values.push(r#"{"a":[{"b":null}],"数":1.5,"x":"y"}"#.to_owned()),
        Kind::Files => {
            values.push(r#"[{"name":"a.bin","content_base64":"AA=="}]"#.to_owned());
            values.push(
                r#"[{"name":"a","content_base64":"YQ=="},{"name":"b","content_base64":"Yg==","media_type":"x/y"}]"#
                    .to_owned(),
            );
        }
    }
    values
}

/// Values that nobody forbids and that occur.
fn unusual(parameter: &Parameter) -> Vec<String> {
    match (parameter.kind, parameter.name) {
        // The agent that sent a task chose its id.
        (Kind::Text, "task_id" | "context_id") => vec![r#""Task 7: \"draft\" 草稿""#.to_owned()],
        (Kind::Text, "text") => vec![Json::string("x".repeat(200_000)).to_string()],
        (Kind::Integer { max: None, .. }, "since" | "after_seq") => vec!["9007199254740993".to_owned()],
        (Kind::Object, "args") => vec!["{}".to_owned()],
        _ => Vec::new(),
    }
}

fn requiredness(tool: Tool, parameter: &Parameter) -> &'static str {
    match (parameter.required, tool) {
        // The page does not say of this one that it is required.
        (true, Tool::ReplyTask) => "surface.reply-task-id",
        (true, _) => "surface.required",
        (false, _) => "surface.optional",
    }
}

fn required(tool: Tool, parameter: &'static Parameter) -> Expect {
    let name = parameter.name;
    let what = if parameter.required { "is" } else { "is not" };
    of_schema(tool, format!("`{name}` {what} among the required parameters"), move |schema| {
        if schema.property(name).is_none() {
            return Finding::NotExercised(format!("`{name}` is not stated"));
        }
        let stated = schema.required();
        if stated.contains(&name) == parameter.required {
            return Finding::Met;
        }
        let message = format!("`{name}` {what} required by the page, and the schema of `{tool}` says otherwise");
        Finding::differs(message, format!("{what} required"), format!("required: {}", stated.join(", ")))
    })
}

/// The schema as a whole: what it lets pass, what it adds, whether it is closed.
fn whole(tool: Tool) -> Case {
    let all: Vec<_> =
        tool.parameters().iter().map(|parameter| format!("\"{}\":{}", parameter.name, parameter.sample)).collect();
    let mut arguments = vec![tool.minimal_arguments(), format!("{{{}}}", all.join(","))];
    if tool == Tool::SendMessage {
        let to = format!(r#""to":"{SAMPLE_AID}""#);
        let task = format!(r#""task_id":"{SAMPLE_TASK}""#);
        let file = r#""files":[{"name":"a","content_base64":"YQ=="}]"#;
        arguments.extend([
            format!(r#"{{{task},"text":"x"}}"#),
            format!("{{{task},{file}}}"),
            format!("{{{to},{file}}}"),
            format!(r#"{{{to},"skill":"text.digest"}}"#),
            format!(r#"{{{to},"skill":"text.digest","args":{{"text":"x"}}}}"#),
        ]);
    }
    let arguments: Vec<_> = arguments.iter().filter_map(|text| Json::parse(text).ok()).collect();
    let case =
        listing_case(&format!("{tool}/schema"), format!("the input schema of {tool} fits the page's parameters"))
            .tool(tool)
            .check(
                "surface.schema-valid",
                of_schema(tool, format!("the schema of `{tool}` is a JSON Schema"), |schema| {
                    let mut complaints = Vec::new();
                    malformed(schema.json(), "", &mut complaints);
                    none_of(&complaints, "the input schema is no valid JSON Schema", schema.json())
                }),
            )
            .check(
                "surface.arguments-fit",
                of_schema(tool, format!("valid arguments of `{tool}` meet its schema"), move |schema| {
                    // What is wrong with a single parameter is said there.
                    let wrong = |parameter: &Parameter| {
                        let stated = schema.property(parameter.name);
                        stated.is_none_or(|part| {
                            Json::parse(parameter.sample).is_ok_and(|sample| part.complaint(&sample).is_some())
                        })
                    };
                    if let Some(parameter) = tool.parameters().iter().find(|parameter| wrong(parameter)) {
                        return Finding::NotExercised(format!("`{}` is not stated as the page has it", parameter.name));
                    }
                    let refused: Vec<_> = arguments.iter().filter_map(|value| schema.complaint(value)).collect();
                    none_of(
                        &refused,
                        format!("the schema of `{tool}` forbids arguments that the page allows"),
                        schema.json(),
                    )
                }),
            )
            .check(
                "surface.no-others",
                of_schema(tool, format!("`{tool}` states no parameter beyond the page"), move |schema| {
                    let beyond = |name: &&str| {
                        let page = tool.parameter(name).is_some();
                        let waited = tool == Tool::WaitTask && *name == "history_length";
                        let elsewhere =
                            PAYMENT_MEMBERS.contains(name) || (tool == Tool::SendMessage && *name == "message_id");
                        !page && !waited && !elsewhere
                    };
                    let others: Vec<_> =
                        schema.property_names().into_iter().filter(beyond).map(str::to_owned).collect();
                    none_of(&others, format!("`{tool}` states parameters that the page does not have"), schema.json())
                }),
            )
            .check(
                "surface.closed",
                of_schema(tool, format!("the schema of `{tool}` says additionalProperties: false"), |schema| {
                    let closed = ["additionalProperties", "unevaluatedProperties"];
                    if closed.iter().any(|name| schema.json().member(name) == Some(&Json::Bool(false))) {
                        return Finding::Met;
                    }
                    Finding::differs(
                        "the schema does not say that other parameters are refused",
                        "additionalProperties: false",
                        schema.json().to_string(),
                    )
                }),
            );
    if tool != Tool::WaitTask {
        return case;
    }
    case.check(
        "surface.wait-task-history",
        of_schema(tool, "whether `wait_task` takes history_length is recorded", |schema| {
            let stated = schema.property("history_length").is_some();
            Finding::Observed(
                if stated { "wait_task takes history_length" } else { "wait_task takes no history_length" }.to_owned(),
            )
        }),
    )
}

/// Keywords whose values no JSON Schema may have, in the schema and its parts.
fn malformed(node: &Json, place: &str, complaints: &mut Vec<String>) {
    let Json::Object(members) = node else {
        if !matches!(node, Json::Bool(_)) {
            complaints.push(format!("{place}: a schema is an object"));
        }
        return;
    };
    let strings = |value: &Json| value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()));
    let known = |value: &Json| value.as_str().is_some_and(|name| super::schema::TYPES.contains(&name));
    for (name, value) in members {
        let place = format!("{place}/{name}");
        let sound = match name.as_str() {
            "type" => {
                known(value) || value.as_array().is_some_and(|names| !names.is_empty() && names.iter().all(known))
            }
            "required" => strings(value),
            "properties" => {
                let members = value.as_object().unwrap_or_default();
                for (name, part) in members {
                    malformed(part, &format!("{place}/{name}"), complaints);
                }
                value.is_object()
            }
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "minimum" | "maximum" => matches!(value, Json::Number(_)),
            "description" | "title" | "pattern" | "format" | "$ref" => value.as_str().is_some(),
            "items" if value.is_object() => {
                malformed(value, &place, complaints);
                true
            }
            "allOf" | "anyOf" | "oneOf" => {
                let parts = value.as_array().unwrap_or_default();
                for part in parts {
                    malformed(part, &place, complaints);
                }
                !parts.is_empty()
            }
            _ => true,
        };
        if !sound {
            complaints.push(format!("{place} is {value}"));
        }
    }
}

fn no_message_id() -> Case {
    let absent = |tool: Tool| {
        of_schema(tool, format!("`{tool}` has no parameter message_id"), move |schema| {
            match schema.property("message_id") {
                None => Finding::Met,
                Some(_) => {
                    Finding::differs(format!("`{tool}` offers message_id"), "no message_id", schema.json().to_string())
                }
            }
        })
    };
    listing_case("send_message/no-message-id", "send_message has no parameter message_id")
        .tool(Tool::SendMessage)
        .check("surface.no-message-id", absent(Tool::SendMessage))
}

fn no_payment_members() -> Case {
    Tool::ALL.into_iter().fold(
        listing_case("no-payment-members", "no tool takes pay, purpose or payload"),
        |case, tool| {
            case.check(
                "surface.no-payment-members",
                of_schema(tool, format!("`{tool}` takes no pay, purpose or payload"), move |schema| {
                    let mut found = Vec::new();
                    payment_members(schema.json(), &mut found);
                    none_of(&found, format!("`{tool}` takes what only the node decides"), schema.json())
                }),
            )
        },
    )
}

fn payment_members(node: &Json, found: &mut Vec<String>) {
    match node {
        Json::Object(members) => {
            for (name, value) in members {
                if name == "properties" {
                    let stated = value.as_object().unwrap_or_default();
                    found.extend(
                        stated
                            .iter()
                            .map(|(name, _)| name)
                            .filter(|name| PAYMENT_MEMBERS.contains(&name.as_str()))
                            .cloned(),
                    );
                }
                payment_members(value, found);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| payment_members(item, found)),
        _ => {}
    }
}

/// What a file consists of is stated, so that a model need not guess it.
fn file_members(tool: Tool) -> Case {
    listing_case(
        &format!("{tool}/files.members"),
        format!("the files of {tool} state name, content_base64 and media_type"),
    )
    .tool(tool)
    .check(
        "surface.file-members",
        of_parameter(tool, "files", "an item of `files` states its members", |schema| {
            let Some(item) = schema.items() else {
                return Finding::differs("`files` does not say what its items are", "items", schema.json().to_string());
            };
            let text = |name: &&str| item.property(name).is_some_and(|part: Schema<'_>| part.types() == ["string"]);
            let missing: Vec<_> =
                ["name", "content_base64", "media_type"].into_iter().filter(|name| !text(name)).collect();
            let mut required = item.required();
            required.sort_unstable();
            if missing.is_empty() && required == ["content_base64", "name"] {
                return Finding::Met;
            }
            Finding::differs(
                "the members of a file are not stated as the page has them",
                "strings name, content_base64 (both required) and media_type",
                item.json().to_string(),
            )
        }),
    )
}
