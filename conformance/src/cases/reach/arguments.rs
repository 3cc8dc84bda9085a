//! Arguments that look like something else: paths, addresses, headers, queries, look-alikes. A tool asks its own route, and
//! the value travels as the string that it is.

use anet_mock_daemon::Route;

use crate::case::{Case, Group, Request, Step};
use crate::cases::document::route_of;
use crate::cases::seen;
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::Observation;
use crate::page::{SAMPLE_AID, SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// Values that are no task of this node, and no instruction either.
const VALUES: &[(&str, &str)] = &[
    ("parent", "../shutdown"),
    ("absolute", "/tasks/pay-manual"),
    ("deep-parent", "../../../../x402-authorize"),
    ("url", "http://127.0.0.1:1/redeem"),
    ("own-url", "http://localhost/shutdown"),
    ("network-path", "//127.0.0.1/shutdown"),
    ("query", "ix_1?decision=submit&purpose=manual"),
    ("fragment", "ix_1#/shutdown"),
    ("encoded", "%2e%2e%2fshutdown"),
    ("encoded-break", "ix_1%0d%0aX-Injected:%20yes"),
    ("header", "ix_1\r\nX-Injected: yes\r\n\r\nPOST /shutdown HTTP/1.1"),
    ("line-break", "ix_1\nX-Injected: yes"),
    ("nul", "ix_1\u{0}/shutdown"),
    ("look-alike", "\u{2025}\u{2215}shutdown\u{ff0f}\u{ff0e}\u{ff0e}"),
    ("combining", "cafe\u{301} \u{212b} \u{fb01}"),
    ("backslashes", "..\\..\\shutdown\\u0000"),
    ("template", "{{task_id}} ${HOME} $(anet pay) `id` %s {0}"),
    ("json", r#"ix_1","decision":"submit","x":""#),
    ("option", "--id=other"),
    ("long", LONG),
];

/// A task id of half a kilobyte, as a requester may choose one.
const LONG: &str = concat!(
    "ix_",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
    "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
);

/// Every other string that a caller chooses: tool, parameter, the place of the value in the body (none: there is more than
/// one spelling), the arguments around it.
const PLACES: &[(Tool, &str, Option<&str>, &str)] = &[
    (Tool::WaitTask, "task_id", Some("/task_id"), "{}"),
    (Tool::CancelTask, "task_id", Some("/task_id"), "{}"),
    (Tool::ReplyTask, "task_id", Some("/task_id"), r#"{"text":"x"}"#),
    (Tool::ReplyTask, "text", Some("/text"), r#"{"task_id":"TASK"}"#),
    (Tool::SubmitPayment, "task_id", Some("/task_id"), "{}"),
    (Tool::RejectPayment, "task_id", Some("/task_id"), "{}"),
    (Tool::SendMessage, "to", Some("/to"), r#"{"text":"x"}"#),
    (Tool::SendMessage, "task_id", None, r#"{"text":"x"}"#),
    (Tool::SendMessage, "context_id", None, r#"{"to":"AID","text":"x"}"#),
    (Tool::SendMessage, "text", None, r#"{"to":"AID"}"#),
    (Tool::SendMessage, "skill", None, r#"{"to":"AID"}"#),
    (Tool::ListTasks, "context_id", Some("/context_id"), "{}"),
    (Tool::ListTasks, "peer", Some("/peer"), "{}"),
    (Tool::ListTasks, "page_token", Some("/page_token"), "{}"),
    (Tool::ListAgents, "skill", Some("/skill"), "{}"),
    (Tool::ListAgents, "tag", Some("/tag"), "{}"),
    (Tool::ListAgents, "query", Some("/q"), "{}"),
    (Tool::ListAgents, "cursor", Some("/cursor"), "{}"),
    (Tool::AgentCard, "aid", Some("/aid"), "{}"),
    (Tool::Audit, "event_type", Some("/event_type"), "{}"),
];

/// Arguments that no tool has, and that would widen its reach if a server spread them into its request.
const SMUGGLED: &[(&str, Tool, &str)] = &[
    ("path", Tool::GetTask, r#""path":"/swordfish","route":"/shutdown","endpoint":"/redeem""#),
    (
        "address",
        Tool::GetTask,
        r#""control_addr":"127.0.0.1:1","base_url":"http://127.0.0.1:1/swordfish","url":"http://127.0.0.1:1/""#,
    ),
    ("headers", Tool::SendMessage, r#""headers":{"X-Injected":"swordfish"},"method":"GET""#),
    ("token", Tool::NodeStatus, r#""token":"swordfish","authorization":"Bearer swordfish""#),
    ("data-dir", Tool::NodeStatus, r#""data_dir":"/tmp/swordfish","id":"swordfish""#),
    ("payment", Tool::SendMessage, r#""pay":true,"payload":"swordfish","purpose":"swordfish""#),
    ("message-id", Tool::SendMessage, r#""message_id":"swordfish""#),
    (
        "prototype",
        Tool::GetTask,
        r#""__proto__":{"path":"/swordfish"},"constructor":{"prototype":{"path":"/swordfish"}}"#,
    ),
];

/// Names that are no tools.
const NAMES: &[(&str, &str)] = &[
    ("route", "/tasks/pay-manual"),
    ("route-of-a-tool", "/tasks/get"),
    ("parent", "get_task/../shutdown"),
    ("other-operation", "shutdown"),
    ("old-tool", "credit_balance"),
    ("look-alike", "get\u{ff3f}task"),
    ("empty", ""),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = VALUES
        .iter()
        .map(|(point, value)| {
            let case = hostile(&format!("task-id/{point}"), Tool::GetTask, "task_id", Some("/task_id"), "{}", value);
            case.check("reach.strange-ids", Expect::AsksOnly { routes: vec![Route::TasksGet] })
        })
        .collect();
    let (path, header) = ("../../shutdown?a=b#c", "x\r\nX-Injected: yes\r\n\r\nPOST /shutdown HTTP/1.1");
    for (tool, parameter, place, around) in PLACES {
        let around = around.replace("AID", SAMPLE_AID).replace("TASK", SAMPLE_TASK);
        cases.push(hostile(&format!("path/{tool}/{parameter}"), *tool, parameter, *place, &around, path));
        cases.push(hostile(&format!("header/{tool}/{parameter}"), *tool, parameter, *place, &around, header));
    }
    cases.extend(SMUGGLED.iter().map(|(point, tool, members)| smuggled(point, *tool, members)));
    cases.extend(NAMES.iter().map(|(point, name)| no_tool(point, name)));
    cases
}

/// The tool is called with the value in that parameter.
fn hostile(topic: &str, tool: Tool, parameter: &str, place: Option<&str>, around: &str, value: &str) -> Case {
    let route = route_of(tool);
    let mut arguments = Json::parse(around).unwrap_or(Json::Null);
    arguments.set(parameter, Json::string(value));
    let case = Case::new(Group::Reach, topic, format!("{tool}: `{parameter}` looks like something else"))
        .tool(tool)
        .daemon_refuses(
            route,
            404,
            r#"{"error":"TaskNotFoundError: there is no such thing","code":"TaskNotFoundError"}"#,
        )
        .call(tool, arguments.to_string())
        .check("reach.own-route", own_route_or_refused(route))
        .check("reach.no-injection", nothing_injected());
    match place {
        Some(place) => case.check("reach.value-as-data", as_data(route, place, value)),
        None => case.check("reach.value-as-data", somewhere_as_data(route, value)),
    }
}

/// An argument that the tool does not have.
fn smuggled(point: &str, tool: Tool, members: &str) -> Case {
    let least = tool.minimal_arguments();
    let start = least.strip_suffix('}').unwrap_or(&least);
    let comma = if start.ends_with('{') { "" } else { "," };
    Case::new(Group::Reach, &format!("smuggled/{point}"), format!("{tool} with arguments that it does not have"))
        .tool(tool)
        .daemon_answers(route_of(tool), "{}")
        .call(tool, format!("{start}{comma}{members}}}"))
        .check("reach.own-route", own_route_or_refused(route_of(tool)))
        .check("reach.no-injection", nothing_injected())
        .check(
            "payments.no-policy",
            Expect::NeverSends { members: ["pay", "payload", "purpose"].map(str::to_owned).to_vec() },
        )
        .check("reach.smuggled", Expect::NeverMentions { text: "swordfish".to_owned() })
}

/// A name that is none of the 14.
fn no_tool(point: &str, name: &str) -> Case {
    Case::new(Group::Reach, &format!("tool-name/{point}"), format!("a tool named {name:?}"))
        .step(Step::Request(Request::call("call", name, Some(format!(r#"{{"task_id":"{SAMPLE_TASK}"}}"#)))))
        .step(Step::Await("call".to_owned()))
        .check("reach.tool-names", Expect::Fails { call: "call".to_owned() })
        .check("reach.tool-names", Expect::AsksNothing)
}

/// The route was asked once, or nothing was and the call was refused; no other route either way.
fn own_route_or_refused(route: Route) -> Expect {
    Expect::holds(
        format!("{route} is asked once and nothing else, or the call is refused"),
        move |seen: &Observation| {
            let mut others = seen.asked.iter().filter(|asked| asked.route != Some(route));
            // A look whether the daemon is alive is no call.
            if others.any(|asked| !(asked.route == Some(Route::Status) || asked.target.starts_with("/ping"))) {
                return Finding::differs(
                    "the daemon was asked something else",
                    format!("{route} alone"),
                    seen::requests(seen),
                );
            }
            match seen.asked_of(route).count() {
                0 if seen::failed(seen, "call") => Finding::Met,
                1 => Finding::Met,
                _ if route == Route::Status => Finding::Met,
                0 => Finding::differs(
                    "the call succeeded, and the daemon was asked nothing",
                    route.path(),
                    seen::shown(seen, "call"),
                ),
                count => Finding::differs(format!("{route} was asked {count} times"), "once", seen::requests(seen)),
            }
        },
    )
}

/// No request carries a header or a query that an argument asked for.
fn nothing_injected() -> Expect {
    Expect::holds("no argument becomes a header or a query", |seen: &Observation| {
        let injected = seen.asked.iter().find(|asked| {
            asked.headers.iter().any(|(name, value)| {
                name.eq_ignore_ascii_case("x-injected") || value.contains("X-Injected") || value.contains("swordfish")
            }) || (asked.target.contains(['?', '#']) && !asked.target.starts_with("/ping"))
        });
        match injected {
            None => Finding::Met,
            Some(_) => {
                Finding::differs("an argument reached the head of a request", "no trace of it", seen::requests(seen))
            }
        }
    })
}

/// Where the route was asked, this place of the body holds the value; white space at its ends may be gone.
fn as_data(route: Route, place: &str, value: &str) -> Expect {
    let (place, value) = (place.to_owned(), value.to_owned());
    Expect::holds(
        format!("wherever {route} is asked, `{place}` of its body is the value"),
        move |seen: &Observation| {
            for asked in seen.asked_of(route) {
                let body = Json::parse_bytes(&asked.body).unwrap_or(Json::Null);
                if body.pointer(&place).and_then(Json::as_str).map(str::trim) != Some(value.trim()) {
                    let message = format!("the value did not reach {route} as it is");
                    return Finding::differs(
                        message,
                        Json::string(value.as_str()).to_string(),
                        String::from_utf8_lossy(&asked.body),
                    );
                }
            }
            Finding::Met
        },
    )
}

/// Where the route was asked, some string of the body is the value.
fn somewhere_as_data(route: Route, value: &str) -> Expect {
    fn holds(json: &Json, value: &str) -> bool {
        match json {
            Json::String(text) => text.trim() == value.trim(),
            Json::Array(items) => items.iter().any(|item| holds(item, value)),
            Json::Object(members) => members.iter().any(|(_, member)| holds(member, value)),
            _ => false,
        }
    }
    let value = value.to_owned();
    Expect::holds(format!("wherever {route} is asked, its body holds the value"), move |seen: &Observation| match seen
        .asked_of(route)
        .find(|asked| !Json::parse_bytes(&asked.body).is_ok_and(|body| holds(&body, &value)))
    {
        None => Finding::Met,
        Some(asked) => Finding::differs(
            format!("the value did not reach {route} as it is"),
            Json::string(value.as_str()).to_string(),
            String::from_utf8_lossy(&asked.body),
        ),
    })
}
