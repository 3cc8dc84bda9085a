//! Parameters that a call cannot do without: `aid` and `task_id`, missing in every way.

use anet_mock_daemon::Route;

use super::{call, call_accepted, with};
use crate::case::{Case, Group, Request, Step};
use crate::expect::Expect;
use crate::page::{Parameter, Tool};

/// Values that say nothing.
const NOTHING: [(&str, &str, &str); 4] = [
    ("null", "null is no value", "null"),
    ("empty", "an empty string is no value", r#""""#),
    ("blank", "blanks are no value", r#""  ""#),
    ("white-space", "white space is no value", r#""\n\t ""#),
];

/// Values of another type.
const OTHER_TYPES: [(&str, &str); 3] = [("number", "5"), ("array", r#"["$V"]"#), ("object", r#"{"id":"$V"}"#)];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in Tool::ALL {
        for parameter in tool.parameters().iter().filter(|parameter| parameter.required) {
            cases.extend(of(tool, parameter));
        }
    }
    cases
}

fn of(tool: Tool, parameter: &Parameter) -> Vec<Case> {
    let name = parameter.name;
    let rest = rest(tool);
    let mut cases = vec![
        missing(call(tool, &format!("{name}/missing"), &format!("without `{name}`"), rest), name),
        missing(omitted(tool, name), name),
    ];
    for (point, title, value) in NOTHING {
        let arguments = with(rest, name, value).to_string();
        cases.push(missing(call(tool, &format!("{name}/{point}"), &format!("`{name}`: {title}"), arguments), name));
    }
    for (point, value) in OTHER_TYPES {
        let value = value.replace("\"$V\"", parameter.sample);
        let title = format!("`{name}` is a string, not of another type");
        let arguments = with(rest, name, &value).to_string();
        cases.push(
            call_accepted(tool, &format!("{name}/{point}"), &title, arguments)
                .expect_wrong("arguments.type-refused", &[name]),
        );
    }
    cases
}

/// What the call says beside the parameter that is missing.
fn rest(tool: Tool) -> &'static str {
    match tool {
        Tool::ReplyTask => r#"{"text":"Which week do you mean?"}"#,
        _ => "{}",
    }
}

/// A call without `arguments` at all.
fn omitted(tool: Tool, name: &str) -> Case {
    Case::new(Group::Arguments, &format!("{tool}/{name}/no-arguments"), format!("{tool}: without any arguments"))
        .tool(tool)
        .step(Step::Request(Request::call("call", tool.name(), None)))
        .step(Step::Await("call".to_owned()))
}

/// The refusal of a call without a parameter that it needs.
pub(super) fn missing(case: Case, name: &str) -> Case {
    if case.tool != Some(Tool::ReplyTask) {
        return case.expect_wrong("arguments.refused", &[name]);
    }
    // A server may look which tasks are open, to name them (ruling R9).
    case.check("arguments.refused", Expect::Fails { call: "call".to_owned() })
        .check("arguments.daemon-uncalled", Expect::NeverAsks { routes: all_but_the_list() })
        .expect_decent_refusal(&[name])
        .check("arguments.form", Expect::RecordsRefusal { call: "call".to_owned() })
}

fn all_but_the_list() -> Vec<Route> {
    Route::ALL.into_iter().filter(|route| *route != Route::TasksList).collect()
}

#[cfg(test)]
mod tests {
    use super::cases;
    use crate::page::Tool;

    #[test]
    fn seven_tools_cannot_do_without() {
        let tools: std::collections::BTreeSet<_> = cases().iter().filter_map(|case| case.tool).collect();
        assert_eq!(tools.len(), 7);
        assert!(!tools.contains(&Tool::SendMessage), "to or task_id is its own rule");
    }
}
