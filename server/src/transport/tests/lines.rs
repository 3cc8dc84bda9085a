//! Lines: whatever they hold, ids, envelopes, codes and batches.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, call, initialize, ok};
use crate::fake::{Reply, Seen};

#[tokio::test]
async fn whatever_comes_first_the_handshake_is_still_served() {
    let mut client = Client::of(ok);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#).await;
    client.send("").await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(client.ask("garbage").await["error"]["code"], -32700);
    let mut invalid = br#"{"jsonrpc":"2.0","id":7,"method":"#.to_vec();
    invalid.push(0xff);
    client.send(invalid).await;
    assert_eq!(client.receive().await["error"]["code"], -32700);
    let early = client.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!((&early["id"], &early["error"]["code"]), (&json!(1), &json!(-32602)));
    client.is_alive().await;
    let incomplete =
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let refused = client.ask(incomplete).await;
    assert_eq!(refused["error"]["code"], -32602);
    assert!(refused["error"]["message"].as_str().unwrap().contains("clientInfo"));
    let response = client.ask(&format!("\u{feff}{}\r", initialize("2025-06-18"))).await;
    assert_eq!(response["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(response["result"]["capabilities"], json!({"tools": {}}));
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn ids_come_back_as_they_were_written() {
    let mut client = Client::of_revision("2025-11-25", ok).await;
    for id in [
        "0",
        "-1",
        "9007199254740993",
        "123456789012345678901234567890",
        "\"1\"",
        "\"a\\u0062\"",
        "1.0",
        "\"\"",
        "\"\\ud800\"",
    ] {
        client.send(format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"ping"}}"#)).await;
        assert_eq!(client.line().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        client.send(call(id, "nope", "{}")).await;
        let prefix = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"Unknown tool: nope""#);
        assert!(client.line().await.starts_with(&prefix));
    }
}

#[tokio::test]
async fn mistakes_in_the_envelope_are_answered_under_their_id() {
    let mut client = Client::of_revision("2025-11-25", ok).await;
    for (line, id) in [
        (r#"{"id":4,"method":"ping"}"#, json!(4)),
        (r#"{"jsonrpc":"2.0","id":"x","method":7}"#, json!("x")),
        (r#"{"jsonrpc":"2.0","id":5}"#, json!(5)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null),
        ("5", Value::Null),
        ("[]", Value::Null),
        (r#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#, Value::Null),
    ] {
        let answer = client.ask(line).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{line}");
    }
    client.is_alive().await;
}

#[tokio::test]
async fn malformed_calls_and_unknown_names_have_their_codes() {
    let mut client = Client::of_revision("2025-11-25", ok).await;
    for (params, code) in [
        ("", -32602),
        (r#","params":[]"#, -32602),
        (r#","params":7"#, -32602),
        (r#","params":{}"#, -32602),
        (r#","params":{"name":7}"#, -32602),
        (r#","params":{"name":"audit","arguments":[]}"#, -32602),
        (r#","params":{"name":"audit","arguments":"x"}"#, -32602),
        (r#","params":{"name":"audit","arguments":7}"#, -32602),
        (r#","params":{"name":"audit","name":"audit"}"#, -32602),
        (r#","params":{"name":"audit","_meta":5}"#, -32602),
        (r#","params":{"name":"agents_find"}"#, -32602),
    ] {
        let answer = client.ask(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{params}}}"#)).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(code)), "{params}");
    }
    for (method, params, code) in [
        ("nope", "{}", -32601),
        ("nope", "[\"\\ud800\"]", -32602),
        ("resources/list", "{}", -32601),
        ("prompts/list", "{}", -32601),
        ("logging/setLevel", r#"{"level":"info"}"#, -32601),
        ("tools/list", r#"{"cursor":"x"}"#, -32602),
        ("tools/list", r#"{"cursor":5}"#, -32602),
        ("tools/list", r#"{"cursor":1e400}"#, -32602),
    ] {
        let answer = client.ask(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{params}}}"#)).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(2), &json!(code)), "{method} {params}");
    }
    assert!(client.fake.seen().is_empty());
}

#[tokio::test]
async fn batches_of_the_one_revision_are_answered_as_one() {
    let slow = |seen: &Seen| {
        Reply::ok(seen.body.clone()).after(Duration::from_millis(if seen.path == "/tasks/wait" { 100 } else { 0 }))
    };
    let mut client = Client::of_revision("2025-03-26", slow).await;
    let batch = format!(
        "[{},{},{},5,{},{}]",
        call("1", "wait_task", r#"{"task_id":"t"}"#),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        call("3", "nope", "{}"),
        initialize("2025-03-26")
    );
    let answers = client.ask(&batch).await;
    let mut ids: Vec<String> = answers.as_array().unwrap().iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"init\"", "1", "2", "3", "null"]);
    assert_eq!(client.ask("[]").await["error"]["code"], -32600);
    client.send(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#).await;
    client.is_alive().await;
    let cancelled = format!(
        r#"[{},{},{{"jsonrpc":"2.0","id":5,"method":"ping"}}]"#,
        call("4", "wait_task", r#"{"task_id":"t"}"#),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#,
    );
    assert_eq!(client.ask(&cancelled).await, json!([{"jsonrpc": "2.0", "id": 5, "result": {}}]));
}
