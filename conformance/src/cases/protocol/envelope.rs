//! Requests as envelopes: unknown methods and tools, calls that are none, parameters that may be left out.

use super::{DOCUMENT, case, nothing_else_answered, sample_task, survives};
use crate::case::{Case, Request, Step};
use crate::cases::document::route_of;
use crate::expect::Expect;
use crate::page::Tool;

/// `tools/call` with parameters that do not have its shape.
const MALFORMED: &[(&str, Option<&str>)] = &[
    ("no-params", None),
    ("params-null", Some("null")),
    ("params-empty", Some("{}")),
    ("name-missing", Some(r#"{"arguments":{}}"#)),
    ("name-number", Some(r#"{"name":7,"arguments":{}}"#)),
    ("name-null", Some(r#"{"name":null,"arguments":{}}"#)),
    ("name-object", Some(r#"{"name":{"x":1},"arguments":{}}"#)),
    ("arguments-array", Some(r#"{"name":"get_task","arguments":[]}"#)),
    ("arguments-string", Some(r#"{"name":"get_task","arguments":"{\"task_id\":\"ix_1\"}"}"#)),
    ("arguments-number", Some(r#"{"name":"get_task","arguments":7}"#)),
    ("arguments-true", Some(r#"{"name":"get_task","arguments":true}"#)),
];

/// What may stand beside name and arguments without changing the call.
const BESIDE: &[(&str, &str)] = &[
    ("progress-number", r#""_meta":{"progressToken":7}"#),
    ("progress-text", r#""_meta":{"progressToken":"p-7"}"#),
    ("meta-empty", r#""_meta":{}"#),
    (
        "meta-unknown",
        r#""_meta":{"example.com/trace":{"a":[1]},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}"#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> =
        [("unknown", "no/such_method"), ("nearby", "tools/run"), ("unknown-namespace", "tasks/get_unknown")]
            .map(|(point, method)| unknown_method(point, method))
            .to_vec();
    cases.extend(
        [("unknown", "unknown_tool"), ("plausible", "no_such_tool_get_agents"), ("empty", "")]
            .map(|(point, name)| unknown_tool(point, name)),
    );
    cases.extend(MALFORMED.iter().map(|(point, params)| malformed(point, *params)));
    for tool in Tool::ALL.into_iter().filter(|tool| tool.minimal_arguments() == "{}") {
        cases.push(without_arguments(tool));
    }
    cases.extend(BESIDE.iter().map(|(point, member)| beside(point, member)));
    cases.extend([list_params(), answered_once(), unknown_notifications(), client_responses()]);
    cases
}

fn unknown_method(point: &str, method: &str) -> Case {
    case(&format!("method/{point}"), format!("the method {method}, which does not exist, is refused"))
        .asks("unknown", method, Some("{}"))
        .pings("after an unknown method")
        .check("protocol.unknown-method", Expect::FailsAsRpc { call: "unknown".to_owned(), codes: vec![-32601] })
        .expect_each_answered("protocol.answered-once", &["unknown"])
        .check("protocol.survives-requests", survives(vec!["after an unknown method".to_owned()]))
}

fn unknown_tool(point: &str, name: &str) -> Case {
    case(&format!("tool/{point}"), format!("the tool {name:?}, which does not exist, is an error"))
        .calls("call", name, "{}")
        .waits("call")
        .check("protocol.unknown-tool", Expect::Fails { call: "call".to_owned() })
        .check("protocol.unknown-tool-code", Expect::FailsAsRpc { call: "call".to_owned(), codes: vec![-32602] })
        .check("protocol.unknown-tool-form", Expect::RecordsRefusal { call: "call".to_owned() })
}

fn malformed(point: &str, params: Option<&str>) -> Case {
    let shown = params.map_or_else(|| "no params".to_owned(), |params| format!("params {params}"));
    case(&format!("malformed-call/{point}"), format!("tools/call with {shown} is an error"))
        .asks("call", "tools/call", params)
        .pings("after a malformed call")
        .expect_each_answered("protocol.answered-once", &["call"])
        .check("protocol.malformed-call", Expect::Fails { call: "call".to_owned() })
        .check(
            "protocol.malformed-call-code",
            Expect::FailsAsRpc { call: "call".to_owned(), codes: vec![-32602, -32600] },
        )
        .check("protocol.survives-requests", survives(vec!["after a malformed call".to_owned()]))
}

/// What a call means that leaves its arguments out.
fn without_arguments(tool: Tool) -> Case {
    let document = match tool {
        Tool::InboundPending => r#"{"pending":[]}"#,
        Tool::ListTasks => r#"{"tasks":[],"totalSize":0,"pageSize":50,"nextPageToken":""}"#,
        Tool::ListAgents => r#"{"agents":[],"nextCursor":""}"#,
        _ => r#"{"note":"a document"}"#,
    };
    let case = case(&format!("without-arguments/{tool}"), format!("{tool} without arguments is a call like any other"))
        .tool(tool)
        .daemon_answers(route_of(tool), document);
    let case = if tool == Tool::Balance {
        case.daemon_answers(anet_mock_daemon::Route::PaymentsStatus, r#"{"auto_max":0}"#)
    } else {
        case
    };
    case.step(Step::Request(Request::call("absent", tool.name(), None)))
        .waits("absent")
        .calls("null", tool.name(), "null")
        .waits("null")
        .calls("empty", tool.name(), "{}")
        .waits("empty")
        .expect_success("protocol.arguments-absent", &["absent", "empty"])
        .expect_success("protocol.arguments-null", &["null"])
        .check("protocol.arguments-absent", Expect::SameResult { call: "absent".to_owned(), other: "empty".to_owned() })
}

fn beside(point: &str, member: &str) -> Case {
    let params = format!(r#"{{{member},"name":"get_task","arguments":{}}}"#, sample_task());
    case(&format!("beside/{point}"), format!("{member} beside the arguments changes nothing"))
        .tool(Tool::GetTask)
        .daemon_answers(route_of(Tool::GetTask), DOCUMENT)
        .asks("call", "tools/call", Some(&params))
        .expect_success("protocol.beside", &["call"])
}

fn list_params() -> Case {
    case("list-params", "tools/list takes params that are left out, empty, or hold _meta")
        .asks("absent", "tools/list", None)
        .asks("empty", "tools/list", Some("{}"))
        .asks("meta", "tools/list", Some(r#"{"_meta":{"progressToken":1}}"#))
        .asks("null", "tools/list", Some("null"))
        .expect_success("protocol.beside", &["absent", "empty", "meta"])
        .expect_success("protocol.arguments-null", &["null"])
}

fn answered_once() -> Case {
    let labels = ["list", "good", "failed", "bad", "unknown tool", "unknown method", "ping"];
    case("answered-once", "every request is answered exactly once, whatever becomes of it")
        .alone()
        .daemon_answers(route_of(Tool::GetTask), DOCUMENT)
        .daemon_refuses(
            route_of(Tool::CancelTask),
            409,
            r#"{"error":"TaskNotCancelableError: it is over","code":"TaskNotCancelableError"}"#,
        )
        .asks("list", "tools/list", None)
        .calls("good", "get_task", &sample_task())
        .waits("good")
        .calls("failed", "cancel_task", &sample_task())
        .waits("failed")
        .calls("bad", "get_task", r#"{"task_id":7}"#)
        .waits("bad")
        .calls("unknown tool", "unknown_tool", "{}")
        .waits("unknown tool")
        .asks("unknown method", "no/such_method", None)
        .pings("ping")
        .ends()
        .expect_each_answered("protocol.answered-once", &labels)
        .check("protocol.notifications-unanswered", nothing_else_answered())
}

fn unknown_notifications() -> Case {
    case("unknown-notifications", "notifications are never answered, known or not")
        .alone()
        .notifies("notifications/no_such_thing", None)
        .notifies("no/such_method", Some(r#"{"a":1}"#))
        .notifies("notifications/roots/list_changed", None)
        .notifies("notifications/progress", Some(r#"{"progressToken":"none","progress":1}"#))
        .notifies("notifications/initialized", None)
        .notifies("tools/list", None)
        .notifies("ping", None)
        .pings("after notifications")
        .ends()
        .check("protocol.notifications-unanswered", nothing_else_answered())
        .check("protocol.survives-requests", survives(vec!["after notifications".to_owned()]))
}

fn client_responses() -> Case {
    case("client-responses", "answers of the client to what nobody asked are ignored")
        .alone()
        .raw("{\"jsonrpc\":\"2.0\",\"id\":424242,\"result\":{}}\n")
        .pings("after a result that nobody asked for")
        .raw("{\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"error\":{\"code\":-32601,\"message\":\"no\"}}\n")
        .pings("after an error that nobody asked for")
        .check(
            "protocol.survives-requests",
            survives(vec![
                "after a result that nobody asked for".to_owned(),
                "after an error that nobody asked for".to_owned(),
            ]),
        )
}
