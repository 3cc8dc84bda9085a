//! Tests of whole sessions over a pipe in memory, against a fake daemon.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use crate::fake::{Fake, Reply, Seen, eventually};
use crate::{ServeError, Settings, serve};

struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
    fake: Fake,
    _home: TempDir,
}

impl Client {
    fn of(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let fake = Fake::start(answer);
        let home = fake.home();
        let (near, far) = tokio::io::duplex(1 << 20);
        let (far_reader, far_writer) = tokio::io::split(far);
        let server = tokio::spawn(serve(
            Settings::for_data_dir(home.path()),
            far_reader,
            far_writer,
        ));
        let (reader, writer) = tokio::io::split(near);
        Self {
            input: Some(writer),
            output: BufReader::new(reader).lines(),
            server,
            fake,
            _home: home,
        }
    }

    async fn of_revision(
        version: &str,
        answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let mut client = Self::of(answer);
        let response = client.ask(&initialize(version)).await;
        assert_eq!(response["result"]["protocolVersion"], version);
        client
    }

    async fn send(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(10), self.output.next_line()).await;
        line.expect("an answer in time")
            .unwrap()
            .expect("an answer before the end")
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Value {
        self.send(line).await;
        self.receive().await
    }

    async fn is_alive(&mut self) {
        assert_eq!(
            self.ask(r#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#)
                .await,
            json!({"jsonrpc": "2.0", "id": "alive", "result": {}})
        );
    }

    /// Closes the input and returns what is still written.
    async fn end(&mut self) -> Vec<String> {
        self.input.take().unwrap().shutdown().await.unwrap();
        let mut rest = Vec::new();
        let end = async {
            while let Some(line) = self.output.next_line().await.unwrap() {
                rest.push(line);
            }
            (&mut self.server).await.unwrap().unwrap();
        };
        tokio::time::timeout(Duration::from_secs(2), end)
            .await
            .expect("an end within 2 seconds");
        rest
    }
}

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn ok(_: &Seen) -> Reply {
    Reply::ok("{\"ok\":true}")
}

#[tokio::test]
async fn whatever_comes_first_the_handshake_is_still_served() {
    let mut client = Client::of(ok);
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    client.send("").await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(client.ask("garbage").await["error"]["code"], -32700);
    let mut invalid = br#"{"jsonrpc":"2.0","id":7,"method":"#.to_vec();
    invalid.push(0xff);
    client.send(invalid).await;
    assert_eq!(client.receive().await["error"]["code"], -32700);
    let early = client
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        .await;
    assert_eq!(
        (&early["id"], &early["error"]["code"]),
        (&json!(1), &json!(-32602))
    );
    client.is_alive().await;
    let incomplete = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let refused = client.ask(incomplete).await;
    assert_eq!(refused["error"]["code"], -32602);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("clientInfo")
    );
    let response = client
        .ask(&format!("\u{feff}{}\r", initialize("2025-06-18")))
        .await;
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
        client
            .send(format!(
                r#"{{"jsonrpc":"2.0","id": {id} ,"method":"ping"}}"#
            ))
            .await;
        assert_eq!(
            client.line().await,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
        client.send(call(id, "nope", "{}")).await;
        let prefix = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"Unknown tool: nope""#
        );
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
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            Value::Null,
        ),
        ("5", Value::Null),
        ("[]", Value::Null),
        (r#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#, Value::Null),
    ] {
        let answer = client.ask(line).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(-32600)),
            "{line}"
        );
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
        let answer = client
            .ask(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{params}}}"#
            ))
            .await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(1), &json!(code)),
            "{params}"
        );
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
        let answer = client
            .ask(&format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{params}}}"#
            ))
            .await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(2), &json!(code)),
            "{method} {params}"
        );
    }
    assert!(client.fake.seen().is_empty());
}

#[tokio::test]
async fn answers_keep_their_bytes_in_text_and_structure() {
    let body = "{\"b\":12345678901234567890, \"a\":1.0,\"e\":1e3,\n\"d\":1,\"d\":2,\"u\":\"\u{2028}é\\u00e9\\/\\ud800 \\n\",\"z\":-0.0}";
    let mut client =
        Client::of_revision("2025-06-18", move |_| Reply::ok(format!("{body}\n"))).await;
    client.send(call("1", "node_status", "null")).await;
    let line = client.line().await;
    assert!(
        line.contains(&format!(
            "\"structuredContent\":{}",
            body.replace([' ', '\n'], "")
                .replace("\\ud800\\n", "\\ud800 \\n")
        )),
        "{line}"
    );
    let text = serde_json::from_str::<Value>(
        &line
            .split_once(",\"structuredContent\"")
            .unwrap()
            .0
            .replacen("isError\":false", "isError\":false}}", 1),
    );
    assert_eq!(
        text.unwrap()["result"]["content"],
        json!([{"type": "text", "text": body}])
    );
}

#[tokio::test]
async fn structure_is_given_to_revisions_that_know_it() {
    for (version, known) in [
        ("2024-11-05", false),
        ("2025-03-26", false),
        ("2025-06-18", true),
        ("2025-11-25", true),
    ] {
        let mut client = Client::of_revision(version, ok).await;
        let result = client.ask(&call("1", "audit", "{}")).await["result"].clone();
        let mut expected =
            json!({"content": [{"type": "text", "text": "{\"ok\":true}"}], "isError": false});
        if known {
            expected["structuredContent"] = json!({"ok": true});
        }
        assert_eq!(result, expected, "{version}");
    }
}

#[tokio::test]
async fn a_failed_call_is_the_daemons_sentence_and_nothing_else() {
    let mut client = Client::of_revision("2025-11-25", |_| {
        Reply::status(409, r#"{"error":"No.","code":"C","reason":"r"}"#)
    })
    .await;
    let result = client
        .ask(&call("1", "get_task", r#"{"task_id":"t"}"#))
        .await["result"]
        .clone();
    assert_eq!(
        result,
        json!({"content": [{"type": "text", "text": "No."}], "isError": true})
    );
    let refused = client
        .ask(&call("2", "get_task", r#"{"task_id":"t","x":1}"#))
        .await["result"]
        .clone();
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("\"x\"")
    );
    assert_eq!(client.fake.seen().len(), 1);
}

#[tokio::test]
async fn requests_are_served_side_by_side_and_none_twice_under_one_id() {
    let slow = |seen: &Seen| match seen.path.as_str() {
        "/tasks/wait" => Reply::ok("{\"waited\":true}").after(Duration::from_millis(300)),
        _ => Reply::ok("{}"),
    };
    let mut client = Client::of_revision("2025-11-25", slow).await;
    client
        .send(call("7", "wait_task", r#"{"task_id":"t"}"#))
        .await;
    client.is_alive().await;
    let refused = client
        .ask(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#)
        .await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(7), &json!(-32600))
    );
    let other = client
        .ask(r#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#)
        .await;
    assert_eq!(other["result"], json!({}), "a string is another id");
    let first = client.receive().await;
    assert_eq!(
        (&first["id"], &first["result"]["structuredContent"]),
        (&json!(7), &json!({"waited": true}))
    );
    let again = client
        .ask(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#)
        .await;
    assert_eq!(
        again["result"],
        json!({}),
        "an id that was answered is free"
    );
}

#[tokio::test]
async fn a_cancelled_call_is_aborted_and_not_answered() {
    let mut client = Client::of_revision("2025-11-25", |_| {
        Reply::ok("{}").after(Duration::from_secs(20))
    })
    .await;
    client
        .send(call("7", "wait_task", r#"{"task_id":"t"}"#))
        .await;
    let fake = &client.fake;
    eventually_async("the call to arrive", || fake.seen().len() == 1).await;
    for id in ["8", "\"7\"", "null", "{}"] {
        client.send(format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)).await;
    }
    client.is_alive().await;
    assert_eq!(client.fake.hang_ups(), 0);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}"#).await;
    let fake = &client.fake;
    eventually_async("the daemon to see it", || fake.hang_ups() == 1).await;
    client.is_alive().await;
    assert!(client.end().await.is_empty());
}

async fn eventually_async(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if happened() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    eventually(what, happened);
}

#[tokio::test]
async fn batches_of_the_one_revision_are_answered_as_one() {
    let slow =
        |seen: &Seen| {
            Reply::ok(seen.body.clone()).after(Duration::from_millis(
                if seen.path == "/tasks/wait" { 100 } else { 0 },
            ))
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
    let mut ids: Vec<String> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["id"].to_string())
        .collect();
    ids.sort();
    assert_eq!(ids, ["\"init\"", "1", "2", "3", "null"]);
    assert_eq!(client.ask("[]").await["error"]["code"], -32600);
    client
        .send(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#)
        .await;
    client.is_alive().await;
    let cancelled = format!(
        r#"[{},{},{{"jsonrpc":"2.0","id":5,"method":"ping"}}]"#,
        call("4", "wait_task", r#"{"task_id":"t"}"#),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#,
    );
    assert_eq!(
        client.ask(&cancelled).await,
        json!([{"jsonrpc": "2.0", "id": 5, "result": {}}])
    );
}

#[tokio::test]
async fn at_the_end_of_the_input_prompt_answers_are_still_written() {
    let mut client = Client::of_revision("2025-11-25", |_| {
        Reply::ok("{}").after(Duration::from_millis(200))
    })
    .await;
    client.send(call("1", "audit", "{}")).await;
    client.send(call("2", "node_status", "{}")).await;
    // The last line lacks its newline.
    client
        .input
        .as_mut()
        .unwrap()
        .write_all(call("3", "list_agents", "{}").as_bytes())
        .await
        .unwrap();
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
    let mut client = Client::of_revision("2025-11-25", |_| {
        Reply::ok("{}").after(Duration::from_secs(60))
    })
    .await;
    client
        .send(call("1", "wait_task", r#"{"task_id":"t"}"#))
        .await;
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
    assert_eq!(
        discovered["supportedVersions"]
            .as_array()
            .unwrap()
            .last()
            .unwrap(),
        "2026-07-28"
    );
    assert_eq!(discovered["resultType"], "complete");
    let list = client.ask(&modern(2, "tools/list", "")).await["result"].clone();
    assert_eq!(list["tools"].as_array().unwrap().len(), 14);
    assert_eq!(
        (&list["resultType"], &list["cacheScope"]),
        (&json!("complete"), &json!("public"))
    );
    assert!(list["ttlMs"].is_u64());
    let called = client
        .ask(&modern(3, "tools/call", r#""name":"audit","#))
        .await["result"]
        .clone();
    assert_eq!(called["structuredContent"], json!({"ok": true}));
    assert_eq!(called["resultType"], "complete");
    for result in [&discovered, &list, &called] {
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            "anet-mcp"
        );
    }
    assert_eq!(
        client.ask(&modern(4, "ping", "")).await["error"]["code"],
        -32601
    );
    let old = modern(5, "tools/list", "").replace("2026-07-28", "1999-01-01");
    let refused = client.ask(&old).await["error"].clone();
    assert_eq!(
        (&refused["code"], &refused["data"]["requested"]),
        (&json!(-32022), &json!("1999-01-01"))
    );
    for broken in [
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"server/discover"}"#,
    ] {
        assert_eq!(
            client.ask(broken).await["error"]["code"],
            -32602,
            "{broken}"
        );
    }
    let response = client.ask(&initialize("2024-11-05")).await;
    assert_eq!(
        response["result"]["protocolVersion"], "2024-11-05",
        "the other era is still open"
    );
    let legacy = client
        .ask(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#)
        .await["result"]
        .clone();
    assert_eq!(
        legacy.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["tools"]
    );
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
    assert_eq!(
        result["content"][0]["text"],
        r#"{"balance":137.0,"limits":{"agent_max":5}}"#
    );
    let asked: Vec<(String, String)> = client
        .fake
        .seen()
        .into_iter()
        .map(|seen| (seen.path, seen.body))
        .collect();
    assert_eq!(
        asked,
        [
            ("/balance".to_owned(), "{}".to_owned()),
            ("/payments/status".to_owned(), "{}".to_owned())
        ]
    );
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
    let result = client
        .ask(&call("1", "reply_task", r#"{"text":"x"}"#))
        .await["result"]
        .clone();
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("task_id is missing") && text.ends_with("ix_a, ix_b, and more."),
        "{text}"
    );
    assert!(
        client
            .fake
            .seen()
            .iter()
            .all(|seen| seen.path == "/tasks/list")
    );
}
