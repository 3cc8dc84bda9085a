//! Tests of the table of tools and of the request that each call leads to.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

fn planned(tool: &str, arguments: &str) -> Result<Plan, String> {
    let raw: &RawValue = serde_json::from_str(arguments).unwrap();
    plan(by_name(tool).unwrap(), Some(raw)).map_err(|error| error.to_string())
}

fn request(tool: &str, arguments: &str) -> (&'static str, String) {
    match planned(tool, arguments) {
        Ok(Plan::Forward { route, body, .. }) => (route.path(), body),
        other => panic!("{tool} {arguments}: {other:?}"),
    }
}

#[test]
fn there_are_the_pages_fourteen_tools_in_its_order() {
    let names: Vec<&str> = all().map(|spec| spec.name).collect();
    assert_eq!(
        names.join(" "),
        "list_agents get_agent_card send_message get_task list_tasks wait_task cancel_task reply_task submit_payment \
         reject_payment get_balance audit node_status inbound_pending"
    );
    let banned = ["identity", "rotate", "recover", "deactivate", "retention", "preview", "autoreply", "hub", "payees"];
    assert!(names.iter().all(|name| banned.iter().all(|word| !name.contains(word))));
}

#[test]
fn schemas_use_what_every_client_understands() {
    for tool in listed() {
        let tool = serde_json::to_value(tool).unwrap();
        let schema = &tool["inputSchema"];
        assert_eq!(schema["additionalProperties"], false);
        let mut names = BTreeSet::new();
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["type"].is_string() && property["description"].is_string(), "{name}");
            assert!(!matches!(name.as_str(), "message_id" | "pay" | "purpose" | "payload"), "{name}");
            names.insert(name.clone());
        }
        let text = schema.to_string();
        for keyword in ["anyOf", "oneOf", "allOf", "$ref", "$defs", "$schema", "format", "exclusiveMinimum"] {
            assert!(!text.contains(&format!("\"{keyword}\"")), "{keyword}");
        }
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{hint}");
        }
        assert!(tool["title"].is_string() && tool.get("outputSchema").is_none());
    }
}

#[test]
fn defaults_are_the_only_members_of_a_minimal_request() {
    for (tool, arguments, path, body) in [
        ("list_agents", "{}", "/agents/list", "{}"),
        ("get_agent_card", r#"{"aid":" bafy "}"#, "/agents/card", r#"{"aid":"bafy"}"#),
        (
            "send_message",
            r#"{"to":"a","text":"t"}"#,
            "/tasks/send",
            r#"{"to":"a","text":"t","timeout_ms":30000,"max_task_bytes":24576}"#,
        ),
        ("get_task", r#"{"task_id":"t"}"#, "/tasks/get", r#"{"task_id":"t","max_task_bytes":24576}"#),
        ("list_tasks", "{}", "/tasks/list", r#"{"history_length":1,"max_task_bytes":8192}"#),
        (
            "wait_task",
            r#"{"task_id":"t"}"#,
            "/tasks/wait",
            r#"{"task_id":"t","timeout_ms":30000,"max_task_bytes":24576}"#,
        ),
        ("cancel_task", r#"{"task_id":"t"}"#, "/tasks/cancel", r#"{"task_id":"t","max_task_bytes":24576}"#),
        ("reply_task", r#"{"task_id":"t"}"#, "/tasks/reply", r#"{"task_id":"t","max_task_bytes":24576}"#),
        ("submit_payment", r#"{"task_id":"t","accept":null}"#, "/tasks/pay", r#"{"task_id":"t","decision":"submit"}"#),
        ("reject_payment", r#"{"task_id":"t"}"#, "/tasks/pay", r#"{"task_id":"t","decision":"reject"}"#),
        ("audit", "{}", "/evidence", "{}"),
        ("node_status", "{}", "/status", "{}"),
        ("inbound_pending", "{}", "/inbound/pending", "{}"),
    ] {
        assert_eq!(request(tool, arguments), (path, body.to_owned()), "{tool}");
    }
    assert_eq!(planned("get_balance", "{}"), Ok(Plan::Balance));
}

#[test]
fn every_argument_travels() {
    for (tool, arguments, body) in [
        (
            "list_agents",
            r#"{"skill":"s","tag":"t","query":"q","limit":7.0,"cursor":"c","include_uncarded":true}"#,
            r#"{"skill":"s","tag":"t","q":"q","limit":7,"cursor":"c","include_uncarded":true}"#,
        ),
        (
            "send_message",
            r#"{"to":"a","task_id":"t","context_id":"c","skill":"s","args":{"n":1.0},"timeout_seconds":300,"history_length":0}"#,
            r#"{"to":"a","task_id":"t","context_id":"c","skill":"s","args":{"n":1.0},"timeout_ms":300000,"history_length":0,"max_task_bytes":24576}"#,
        ),
        (
            "send_message",
            r#"{"task_id":"t","text":"x","return_immediately":true,"timeout_seconds":5}"#,
            r#"{"task_id":"t","text":"x","return_immediately":true,"max_task_bytes":24576}"#,
        ),
        (
            "list_tasks",
            r#"{"role":"provider","context_id":"c","state":"input-required","peer":"p","page_size":100,"page_token":"t","history_length":0,"include_artifacts":true}"#,
            r#"{"role":"inbound","context_id":"c","state":"input-required","peer":"p","page_size":100,"page_token":"t","history_length":0,"include_artifacts":true,"max_task_bytes":8192}"#,
        ),
        ("list_tasks", r#"{"role":"requester"}"#, r#"{"role":"outbound","history_length":1,"max_task_bytes":8192}"#),
        (
            "wait_task",
            r#"{"task_id":"t","timeout_seconds":1,"after_seq":9007199254740993,"history_length":2}"#,
            r#"{"task_id":"t","after_seq":9007199254740993,"timeout_ms":1000,"history_length":2,"max_task_bytes":24576}"#,
        ),
        (
            "wait_task",
            r#"{"task_id":"t","after_seq":0}"#,
            r#"{"task_id":"t","timeout_ms":30000,"max_task_bytes":24576}"#,
        ),
        (
            "reply_task",
            r#"{"task_id":"t","text":"x","state":"completed"}"#,
            r#"{"task_id":"t","state":"completed","text":"x","max_task_bytes":24576}"#,
        ),
        (
            "submit_payment",
            r#"{"task_id":"t","accept":{"amount":"5", "n":9007199254740993}}"#,
            r#"{"task_id":"t","decision":"submit","accept":{"amount":"5", "n":9007199254740993}}"#,
        ),
        ("audit", r#"{"event_type":"e","since":0,"limit":1000}"#, r#"{"event_type":"e","since":0,"limit":1000}"#),
    ] {
        assert_eq!(request(tool, arguments).1, body, "{tool}");
    }
}

#[test]
fn files_travel_as_parts_of_a_message() {
    let file = r#"{"name":"n.md","content_base64":"aGk=","media_type":"text/markdown"}"#;
    let arguments = format!(
        r#"{{"to":"a","context_id":"c","task_id":"t","text":"x","skill":"s","args":{{}},"files":[{file},{{"name":"m","content_base64":""}}]}}"#
    );
    let body: Value = serde_json::from_str(&request("send_message", &arguments).1).unwrap();
    let parts = json!([
        {"text": "x"},
        {"data": {"skill": "s", "args": {}}, "mediaType": "application/json"},
        {"raw": "aGk=", "filename": "n.md", "mediaType": "text/markdown"},
        {"raw": "", "filename": "m"},
    ]);
    assert_eq!(
        body,
        json!({
            "to": "a",
            "message": {"messageId": "", "contextId": "c", "taskId": "t", "role": "ROLE_USER", "parts": parts},
            "timeout_ms": 30000,
            "max_task_bytes": 24576,
        })
    );
    let arguments = format!(r#"{{"task_id":"t","state":"completed","text":"x","files":[{file}]}}"#);
    let body: Value = serde_json::from_str(&request("reply_task", &arguments).1).unwrap();
    assert_eq!(
        body,
        json!({
            "task_id": "t",
            "state": "completed",
            "message": {"messageId": "", "role": "ROLE_AGENT", "parts": [{"text": "x"}, parts[2]]},
            "max_task_bytes": 24576,
        })
    );
}

#[test]
fn rules_across_arguments_are_kept() {
    for (arguments, expected) in [
        ("{}", "to is missing"),
        (r#"{"to":" ","text":"x"}"#, "to is missing"),
        (r#"{"to":"a"}"#, "text, files or skill"),
        (r#"{"to":"a","text":"  "}"#, "text, files or skill"),
        (r#"{"to":"a","text":"x","args":{}}"#, "args needs skill"),
        (r#"{"to":"a","skill":" ","args":{}}"#, "args needs skill"),
        (r#"{"to":"a","files":[]}"#, "text, files or skill"),
        (r#"{"to":"a","text":"x","message_id":"m"}"#, "message_id"),
    ] {
        let sentence = planned("send_message", arguments).unwrap_err();
        assert!(sentence.contains(expected), "{arguments}: {sentence}");
    }
    assert!(matches!(planned("reply_task", r#"{"text":"x"}"#), Ok(Plan::WhichTask(_))));
    assert!(planned("reply_task", r#"{"text":"x","pay":true}"#).is_err());
    assert!(planned("get_task", r#"{"task_id":" "}"#).unwrap_err().contains("task_id"));
}
