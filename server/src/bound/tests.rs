//! Tests of cutting: examples of each rule, and any task at all.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn message(id: &str, text: &str) -> Value {
    json!({"messageId": id, "contextId": "ctx_1", "parts": [{"text": text}], "role": "ROLE_AGENT", "taskId": "ix_1"})
}

fn example(history: &[Value]) -> Value {
    json!({
        "id": "ix_0123abcd",
        "contextId": "ctx_1",
        "history": history,
        "metadata": {"anet.effect_status": "UNVERIFIED", "anet.role": "requester", "anet.state_seq": 7},
        "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-10-12T08:21:36.44Z"},
    })
}

fn cut(task_value: &Value) -> Value {
    let text = task(task_value.to_string());
    assert!(text.len() <= 25_600, "{} bytes", text.len());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_task_that_fits_is_not_touched() {
    let text = "{ \"id\" : \"x\", \"id\":\"y\", \"n\": 1.0 }".to_owned();
    assert_eq!(task(text.clone()), text);
    let spaced = format!("{{\"id\":\"x\",{}\"n\":1e3}}", " ".repeat(30_000));
    assert_eq!(task(spaced), "{\"id\":\"x\",\"n\":1e3}");
}

#[test]
fn a_long_reply_becomes_a_notice_with_its_size() {
    let reply = message("m2", &"世".repeat(400_000));
    let whole = example(&[message("m1", "hello"), reply.clone()]);
    let cut = cut(&whole);
    assert_eq!(cut["id"], "ix_0123abcd");
    assert_eq!(cut["status"], whole["status"]);
    assert_eq!(cut["metadata"]["anet.truncated"], true);
    assert_eq!(cut["metadata"]["anet.effect_status"], "UNVERIFIED");
    let history = cut["history"].as_array().unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["messageId"], "m2");
    assert_eq!(history[0]["metadata"]["anet.size"], reply.to_string().len());
    let notice = history[0]["parts"][0]["text"].as_str().unwrap();
    assert!(notice.contains(&reply.to_string().len().to_string()), "{notice}");
    assert!(notice.contains("`anet task get ix_0123abcd --full`"), "{notice}");
}

#[test]
fn the_newest_messages_that_fit_stay_whole() {
    let messages: Vec<Value> = (0..5).map(|n| message(&format!("m{n}"), &"x".repeat(9_000))).collect();
    let cut = cut(&example(&messages));
    assert_eq!(cut["history"], json!(messages[3..]));
    assert_eq!(cut["metadata"]["anet.truncated"], true);
}

#[test]
fn an_id_that_is_not_plain_is_not_put_into_a_command() {
    for id in ["x; rm -rf ~ #", "--help", "_x", ".x", "", &"a".repeat(129), "a`b", "a\nb"] {
        let mut whole = example(&[message("m", &"x".repeat(100_000))]);
        whole["id"] = json!(id);
        let cut = cut(&whole);
        assert_eq!(cut["id"], id, "the id itself is kept");
        let notice = cut["history"][0]["parts"][0]["text"].as_str().unwrap();
        assert!(notice.contains("`anet task get <task id> --full`"), "{notice}");
    }
    for form in [&Form::SINGLE, &Form::LISTED] {
        let mut whole = example(&[message("m", &"x".repeat(100_000))]);
        whole["id"] = json!("ix".repeat(2048));
        let cut = fit(&whole.to_string(), form).unwrap();
        assert!(cut.len() <= form.whole);
        assert_eq!(serde_json::from_str::<Value>(&cut).unwrap()["id"], whole["id"], "kilobytes of id are kept");
    }
    assert!(is_plain_id(&"a".repeat(128)) && is_plain_id("ix_0.9:A-z"));
}

#[test]
fn the_nodes_statements_outlast_large_metadata() {
    let mut whole = example(&[]);
    for n in 0..400 {
        whole["metadata"][format!("z{n}")] = json!("y".repeat(100));
    }
    whole["metadata"]["anet.reason"] = json!("r".repeat(40_000));
    whole["metadata"]["x402.payment.status"] = json!("payment-required");
    whole["metadata"]["anet.content_expires_at"] = json!(1);
    let cut = cut(&whole);
    let metadata = cut["metadata"].as_object().unwrap();
    assert!(!metadata.contains_key("anet.reason"));
    for (name, value) in [
        ("anet.effect_status", json!("UNVERIFIED")),
        ("anet.role", json!("requester")),
        ("anet.state_seq", json!(7)),
        ("x402.payment.status", json!("payment-required")),
        ("anet.content_expires_at", json!(1)),
        ("anet.truncated", json!(true)),
    ] {
        assert_eq!(metadata[name], value);
    }
    assert!(metadata.contains_key("z0"), "what else fits is kept as well");
}

#[test]
fn artifacts_that_cannot_even_be_named_are_counted() {
    let mut whole = example(&[message("m", "hello")]);
    let artifact = json!({"artifactId": "anet.reply", "name": "n", "parts": [{"text": "x".repeat(1000)}]});
    whole["artifacts"] = json!(vec![artifact.clone(); 200]);
    let cut = cut(&whole);
    let artifacts = cut["artifacts"].as_array().unwrap();
    assert_eq!(artifacts[0], artifact);
    let last = artifacts.last().unwrap()["parts"][0]["text"].as_str().unwrap();
    assert!(last.contains("more artifacts"), "{last}");
    assert_eq!(cut["history"], whole["history"], "the conversation is not crowded out");
}

#[test]
fn numbers_of_what_is_kept_keep_their_spelling() {
    let text = format!(
        r#"{{"id":"ix_1","history":[{{"messageId":"a","parts":[{{"text":"{}"}}]}},{{"messageId":"b","parts":[{{"data":1.0}}]}}],"metadata":{{"anet.state_seq":9007199254740993,"x":1e3}},"status":{{"state":"s","n":2.50}}}}"#,
        "x".repeat(60_000)
    );
    assert_eq!(
        task(text),
        r#"{"id":"ix_1","history":[{"messageId":"b","parts":[{"data":1.0}]}],"metadata":{"anet.state_seq":9007199254740993,"x":1e3,"anet.truncated":true},"status":{"state":"s","n":2.50}}"#
    );
}

#[test]
fn each_listed_task_is_bounded_and_the_rest_of_the_page_is_not_touched() {
    let small = r#"{"id":"s", "n":1.0}"#;
    let large = example(&[message("m", &"x".repeat(20_000))]).to_string();
    let text = format!(r#"{{"tasks":[{small},{large}],"totalSize":2.0,"nextPageToken":"t"}}"#);
    let bounded = page(text);
    assert!(bounded.starts_with(&format!(r#"{{"tasks":[{small},"#)));
    assert!(bounded.ends_with(r#"],"totalSize":2.0,"nextPageToken":"t"}"#));
    let value: Value = serde_json::from_str(&bounded).unwrap();
    assert!(value["tasks"][1].to_string().len() <= 8_192);
    let notice = value["tasks"][1]["history"][0]["parts"][0]["text"].as_str().unwrap();
    assert!(notice.contains("get_task") && notice.contains("`anet task get ix_0123abcd --full`"), "{notice}");
    let fitting = format!(r#"{{"tasks":[{}], "x":1}}"#, vec![small; 1000].join(", "));
    assert_eq!(page(fitting.clone()), fitting);
}

#[test]
fn thirty_two_megabytes_are_cut_in_one_go() {
    let mut whole = example(&[message("m", &"<".repeat(16 << 20)), message("n", &"\u{0}".repeat(1 << 20))]);
    whole["artifacts"] = json!([{"artifactId": "a", "parts": [{"text": "世".repeat(1 << 20)}]}]);
    let text = whole.to_string();
    let began = std::time::Instant::now();
    assert!(task(text).len() <= 25_600);
    // A debug build on a busy machine; a quadratic pass would take minutes.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn hostile_shapes_stay_within_the_bound() {
    let long = "i".repeat(40_000);
    for whole in [
        json!({"id": long, "status": {"state": "TASK_STATE_WORKING"}}),
        json!({"id": "x", "status": long, "history": long, "artifacts": long, "metadata": long}),
        json!({"id": "x", "status": {"state": long, "message": long}}),
        json!({"unknown": long}),
        json!({"id": "x", "history": [long, long], "artifacts": [long, 5, null]}),
        json!({(long.clone()): 1, "id": "x"}),
        json!({"id": "x", "metadata": {(long.clone()): 1, "anet.role": "provider"}}),
        Value::Object((0..3000).map(|n| (format!("member{n}"), json!("v".repeat(20)))).collect()),
    ] {
        let cut = cut(&whole);
        assert_eq!(cut["metadata"]["anet.truncated"], true, "{cut}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z世<\\\\\"\n\u{2028}]{0,40}",
        (0usize..20_000).prop_map(|n| "x".repeat(n)),
        (0usize..6_000).prop_map(|n| "界\"".repeat(n)),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_message() -> impl Strategy<Value = Value> {
    (any_text(), any_text(), any_value())
        .prop_map(|(id, text, metadata)| json!({"messageId": id, "metadata": metadata, "parts": [{"text": text}], "role": "ROLE_USER"}))
}

prop_compose! {
    fn any_task()(
        id in any_text(),
        history in prop::collection::vec(any_message(), 0..6),
        artifacts in prop::collection::vec(any_message(), 0..6),
        metadata in prop::collection::vec((any_text(), any_value()), 0..6),
        message in prop::option::of(any_message()),
        extra in prop::collection::vec((any_text(), any_value()), 0..4),
    ) -> Value {
        let mut task = json!({
            "id": id, "history": history, "artifacts": artifacts,
            "metadata": Value::Object(metadata.into_iter().collect()),
            "status": {"message": message, "state": "TASK_STATE_FAILED"},
        });
        task["metadata"]["anet.effect_status"] = json!("UNVERIFIED");
        for (name, value) in extra {
            task[format!("x{name}")] = value;
        }
        task
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_task_comes_whole_or_cut_within_the_bound(whole in any_task()) {
        let text = whole.to_string();
        for (bounded, limit, whole_up_to) in [
            (task(text.clone()), 25_600, TASK_WHOLE),
            (fit(&text, &Form::LISTED).unwrap_or_else(|| text.clone()), 9_216, LISTED_WHOLE),
        ] {
            prop_assert!(bounded.len() <= limit, "{} bytes", bounded.len());
            let value: Value = serde_json::from_str(&bounded).unwrap();
            if text.len() <= whole_up_to {
                prop_assert_eq!(&bounded, &text);
            } else {
                prop_assert_eq!(&value["metadata"]["anet.truncated"], &json!(true));
                prop_assert_eq!(&value["status"]["state"], &whole["status"]["state"]);
                prop_assert_eq!(&value["metadata"]["anet.effect_status"], &json!("UNVERIFIED"));
                let id = whole["id"].as_str().unwrap();
                if id.len() < 500 {
                    prop_assert_eq!(&value["id"], id);
                }
            }
        }
    }
}
