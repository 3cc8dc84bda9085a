//! Calls: what a client gets back, side by side, cancelled, at the end, in both eras.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::{Client, call, eventually_async, initialize, modern, ok};
use crate::fake::{Reply, Seen};

#[tokio::test]
async fn answers_keep_their_bytes_in_text_and_structure() {
    let body = "{\"b\":12345678901234567890, \"a\":1.0,\"e\":1e3,\n\"d\":1,\"d\":2,\"u\":\"\u{2028}é\\u00e9\\/\\ud800 \\n\",\"z\":-0.0}";
    let mut client = Client::of_revision("2025-06-18", move |_| Reply::ok(format!("{body}\n"))).await;
    client.send(call("1", "node_status", "null")).await;
    let line = client.line().await;
    assert!(
        line.contains(&format!(
            "\"structuredContent\":{}",
            body.replace([' ', '\n'], "").replace("\\ud800\\n", "\\ud800 \\n")
        )),
        "{line}"
    );
    let text = serde_json::from_str::<Value>(&line.split_once(",\"structuredContent\"").unwrap().0.replacen(
        "isError\":false",
        "isError\":false}}",
        1,
    ));
    assert_eq!(text.unwrap()["result"]["content"], json!([{"type": "text", "text": body}]));
}

#[tokio::test]
async fn structure_is_given_to_revisions_that_know_it() {
    for (version, known) in [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)] {
        let mut client = Client::of_revision(version, ok).await;
        let result = client.ask(&call("1", "audit", "{}")).await["result"].clone();
        let mut expected = json!({"content": [{"type": "text", "text": "{\"ok\":true}"}], "isError": false});
        if known {
            expected["structuredContent"] = json!({"ok": true});
        }
        assert_eq!(result, expected, "{version}");
    }
}

#[tokio::test]
async fn a_failed_call_is_the_daemons_sentence_and_nothing_else() {
    let mut client =
        Client::of_revision("2025-11-25", |_| Reply::status(409, r#"{"error":"No.","code":"C","reason":"r"}"#)).await;
    let result = client.ask(&call("1", "get_task", r#"{"task_id":"t"}"#)).await["result"].clone();
    assert_eq!(result, json!({"content": [{"type": "text", "text": "No."}], "isError": true}));
    let refused = client.ask(&call("2", "get_task", r#"{"task_id":"t","x":1}"#)).await["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("\"x\""));
    assert_eq!(client.fake.seen().len(), 1);
}

#[tokio::test]
async fn requests_are_served_side_by_side_and_none_twice_under_one_id() {
    let slow = |seen: &Seen| match seen.path.as_str() {
        "/tasks/wait" => Reply::ok("{\"waited\":true}").after(Duration::from_millis(300)),
        _ => Reply::ok("{}"),
    };
    let mut client = Client::of_revision("2025-11-25", slow).await;
    client.send(call("7", "wait_task", r#"{"task_id":"t"}"#)).await;
    client.is_alive().await;
    let refused = client.ask(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
    let other = client.ask(r#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#).await;
    assert_eq!(other["result"], json!({}), "a string is another id");
    let first = client.receive().await;
    assert_eq!((&first["id"], &first["result"]["structuredContent"]), (&json!(7), &json!({"waited": true})));
    let again = client.ask(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).await;
    assert_eq!(again["result"], json!({}), "an id that was answered is free");
}

#[tokio::test]
async fn a_cancelled_call_is_aborted_and_not_answered() {
    let mut client = Client::of_revision("2025-11-25", |_| Reply::ok("{}").after(Duration::from_secs(20))).await;
    client.send(call("7", "wait_task", r#"{"task_id":"t"}"#)).await;
    let fake = &client.fake;
    eventually_async("the call to arrive", || fake.seen().len() == 1).await;
    for id in ["8", "\"7\"", "null", "{}"] {
        client
            .send(format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#))
            .await;
    }
    client.is_alive().await;
    assert_eq!(client.fake.hang_ups(), 0);
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}"#)
        .await;
    let fake = &client.fake;
    eventually_async("the daemon to see it", || fake.hang_ups() == 1).await;
    client.is_alive().await;
    assert!(client.end().await.is_empty());
}

#[tokio::test]
async fn at_the_end_of_the_input_prompt_answers_are_still_written() {
    let mut client = Client::of_revision("2025-11-25", |_| Reply::ok("{}").after(Duration::from_millis(200))).await;
    client.send(call("1", "audit", "{}")).await;
    client.send(call("2", "node_status", "{}")).await;
    // The last line lacks its newline.
    client.input.as_mut().unwrap().write_all(call("3", "list_agents", "{}").as_bytes()).await.unwrap();
    let mut ids: Vec<Value> = client
        .end()
        .await
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|answer| answer["result"]["isError"] == false)
        .map(|answer| answer["id"].clone())
        .collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [1, 2, 3]);
}

#[tokio::test]
async fn at_the_end_of_the_input_a_long_wait_is_given_up() {
    let mut client = Client::of_revision("2025-11-25", |_| Reply::ok("{}").after(Duration::from_secs(60))).await;
    client.send(call("1", "wait_task", r#"{"task_id":"t"}"#)).await;
    let fake = &client.fake;
    eventually_async("the call to arrive", || fake.seen().len() == 1).await;
    let rest = client.end().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(rest[0].contains("stopped before"), "{rest:?}");
    let fake = &client.fake;
    eventually_async("the daemon to see it", || fake.hang_ups() == 1).await;
}

#[tokio::test]
async fn the_revision_without_a_handshake_is_served_as_well() {
    let mut client = Client::of(ok);
    let discovered = client.ask(&modern(1, "server/discover", "")).await["result"].clone();
    assert_eq!(discovered["supportedVersions"].as_array().unwrap().last().unwrap(), "2026-07-28");
    assert_eq!(discovered["resultType"], "complete");
    let list = client.ask(&modern(2, "tools/list", "")).await["result"].clone();
    assert_eq!(list["tools"].as_array().unwrap().len(), 14);
    assert_eq!((&list["resultType"], &list["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(list["ttlMs"].is_u64());
    let called = client.ask(&modern(3, "tools/call", r#""name":"audit","#)).await["result"].clone();
    assert_eq!(called["structuredContent"], json!({"ok": true}));
    assert_eq!(called["resultType"], "complete");
    for result in [&discovered, &list, &called] {
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "anet-mcp");
    }
    assert_eq!(client.ask(&modern(4, "ping", "")).await["error"]["code"], -32601);
    let old = modern(5, "tools/list", "").replace("2026-07-28", "1999-01-01");
    let refused = client.ask(&old).await["error"].clone();
    assert_eq!((&refused["code"], &refused["data"]["requested"]), (&json!(-32022), &json!("1999-01-01")));
    for broken in [
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"server/discover"}"#,
    ] {
        assert_eq!(client.ask(broken).await["error"]["code"], -32602, "{broken}");
    }
    let response = client.ask(&initialize("2024-11-05")).await;
    assert_eq!(response["result"]["protocolVersion"], "2024-11-05", "the other era is still open");
    let legacy = client.ask(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#).await["result"].clone();
    assert_eq!(legacy.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
    assert_eq!(legacy["tools"], list["tools"]);
}

#[tokio::test]
async fn the_balance_is_put_together_of_two_answers() {
    let mut client = Client::of_revision("2025-11-25", |seen| match seen.path.as_str() {
        "/balance" => Reply::ok("{\"balance\":137.0}"),
        _ => Reply::ok("{\"agent_max\":5}"),
    })
    .await;
    let result = client.ask(&call("1", "get_balance", "{}")).await["result"].clone();
    assert_eq!(result["content"][0]["text"], r#"{"balance":137.0,"limits":{"agent_max":5}}"#);
    let asked: Vec<(String, String)> = client.fake.seen().into_iter().map(|seen| (seen.path, seen.body)).collect();
    assert_eq!(asked, [("/balance".to_owned(), "{}".to_owned()), ("/payments/status".to_owned(), "{}".to_owned())]);
}

#[tokio::test]
async fn an_answer_without_its_task_names_the_open_ones() {
    let page = |seen: &Seen| {
        let body: Value = serde_json::from_str(&seen.body).unwrap();
        Reply::ok(match body["state"].as_str().unwrap() {
            "submitted" => {
                r#"{"tasks":[{"id":"ix_a"},{"id":"ix_c","metadata":{"anet.skill":"s"}}],"nextPageToken":""}"#
            }
            "working" => r#"{"tasks":[{"id":"run `rm`"}],"nextPageToken":""}"#,
            _ => r#"{"tasks":[{"id":"ix_b"}],"nextPageToken":""}"#,
        })
    };
    let mut client = Client::of_revision("2025-11-25", page).await;
    let result = client.ask(&call("1", "reply_task", r#"{"text":"x"}"#)).await["result"].clone();
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("task_id is missing") && text.ends_with("ix_a, ix_b, and more."), "{text}");
    assert!(client.fake.seen().iter().all(|seen| seen.path == "/tasks/list"));
}
