//! `/status`, `/balance`, `/payments/status`, `/evidence`, `/inbound/pending`.

use std::time::Duration;

use anet_mock_daemon::Route;
use anet_mock_daemon::world::Page;
use anet_mock_daemon::world::inbound::{Arrival, Inbound, Policy};
use anet_mock_daemon::world::status::{AutoReply, Backend, Hub, Recovery, Sandbox};
use serde_json::json;

use crate::{HUB, LAB, OWN, ask, good, raw, text_to, world};

#[test]
fn the_status_of_0_2_is_flat() {
    let world = world();
    world.with(|state| state.page = Page::V02);
    let (_, text) = raw(&world, Route::Status, b"");
    assert_eq!(
        text,
        format!(
            r#"{{"aid":"{OWN}","caps":null,"console_url":"http://127.0.0.1:39811/console","data_dir":"/home/lin/.anet","hub_url":"https://hub.example.org","inbound_policy":"closed","name":"lin-laptop","pricing":"","readme":"","receive":{{}},"summary":"","version":"0.2.1"}}"#
        )
    );
}

#[test]
fn the_status_of_0_3_has_its_objects() {
    let world = world();
    world.located("/data", 4242);
    let status = good(&world, Route::Status, &json!(null));
    assert_eq!(status["console_url"], "http://127.0.0.1:4242/console");
    assert_eq!(status["hub"]["state"], "registered");
    assert_eq!(status["identity"]["recovery"]["state"], "protected");
    assert_eq!(status["privacy"], json!({"clock_closed_s": 0, "retention_days": 30}));
    assert!(status["summary"].is_array() && status["profile"]["summary"].is_string());
    assert_eq!(status["delivery"]["stuck"], 0);
    assert!(status["delivery"].get("stuck_error").is_none() && status["delivery"].get("stuck_oldest_ms").is_none());
    assert!(status["build"]["modules"].is_array() && status["build"]["without"].is_array());
    assert!(status.get("auto_reply").is_none());
}

#[test]
fn each_facet_shows() {
    let world = world();
    world.set_hub(Hub::PendingAdmission);
    world.set_recovery(Recovery::Unprotected);
    world.with(|state| {
        let queue = state.status.queue.as_mut().expect("a queue");
        queue.stuck = 2;
        queue.stuck_error = "refused".into();
        queue.counters.insert("confirmed".into(), 3);
        state.status.auto_reply = Some(AutoReply {
            backend: Backend::Exec { agent: "claude".into(), work_dir: "/home/lin/agent".into() },
            untrusted: "sandbox".into(),
            trusted: "off".into(),
            api_key_set: true,
            api_base: "https://api.example.org".into(),
            sandbox: Sandbox { state: "unavailable".into(), reason: "no_userns".into(), ..Sandbox::default() },
        });
    });
    let status = good(&world, Route::Status, &json!({}));
    assert_eq!(status["hub"]["state"], "pending_admission");
    assert!(
        status["hub"]["message"].as_str().is_some_and(|message| message.contains(&format!("anet-hub admit {OWN}")))
    );
    assert!(
        status["identity"]["recovery"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("anet identity protect"))
    );
    assert_eq!((&status["delivery"]["stuck"], &status["delivery"]["stuck_error"]), (&json!(2), &json!("refused")));
    assert_eq!(status["delivery"]["counters"], json!({"dack-confirmed": 3}));
    assert_eq!(status["auto_reply"]["api_key_set"], true);
    assert_eq!(status["auto_reply"]["sandbox"]["state"], "unavailable");
    world.with(|state| state.status.queue = None);
    assert!(good(&world, Route::Status, &json!({})).get("delivery").is_none());
}

#[test]
fn an_undelivered_message_shows_in_the_queue() {
    let world = world();
    text_to(&world, "uncollected");
    world.advance(Duration::from_millis(91_234));
    let delivery = &good(&world, Route::Status, &json!({}))["delivery"];
    assert_eq!((&delivery["awaiting_confirmation"], &delivery["oldest_awaiting_ms"]), (&json!(1), &json!(91_234)));
}

#[test]
fn the_balance_is_the_hubs() {
    let world = world();
    let (status, text) = raw(&world, Route::Balance, b"whatever");
    assert_eq!(status, 200);
    assert_eq!(
        text,
        format!(
            r#"{{"aid":"{OWN}","asset":"credit","balance":100,"entries":[{{"at":"2026-10-11T09:00:00Z","delta":100,"reason":"registration grant"}}],"hub":"https://hub.example.org","network":"hub:{HUB}"}}"#
        )
    );
    world.with(|state| {
        state.purse.entries = None;
        state.purse.probation_until = Some(1_791_793_296_440);
    });
    let answer = good(&world, Route::Balance, &json!({}));
    assert!(answer.get("entries").is_none());
    assert_eq!(answer["probation_until"], "2026-10-12T08:21:36.44Z");
}

#[test]
fn at_most_a_hundred_entries_oldest_first() {
    let world = world();
    world.with(|state| (0..150).for_each(|n| state.purse.book(1, &format!("n{n}"), n)));
    let entries = good(&world, Route::Balance, &json!({}))["entries"].as_array().expect("entries").clone();
    assert_eq!(entries.len(), 100);
    assert_eq!((&entries[0]["reason"], &entries[99]["reason"]), (&json!("n50"), &json!("n149")));
}

#[test]
fn a_balance_that_cannot_be_read_says_so() {
    let world = world();
    world.set_balance_error(Some("The hub is away."));
    let answer = good(&world, Route::Balance, &json!({}));
    assert_eq!(answer["balance_error"], "The hub is away.");
    assert!(answer.get("balance").is_none());
    world.with(|state| state.page = Page::V02);
    assert_eq!(ask(&world, Route::Balance, &json!({})), (400, json!({"error": "The hub is away."})));
    world.set_balance_error(None);
    world.set_payment_module(false);
    assert_eq!(ask(&world, Route::Balance, &json!({})), (400, json!({"error": "This node has no payment module."})));
    world.with(|state| state.page = Page::V03);
    assert_eq!(
        ask(&world, Route::Balance, &json!({})),
        (400, json!({"error": "This node has no payment module.", "reason": "module_absent"}))
    );
    world.set_payment_module(true);
    world.set_hub(Hub::None);
    assert_eq!(ask(&world, Route::Balance, &json!({})).0, 400);
}

#[test]
fn the_limits_are_shown() {
    let world = world();
    let (_, text) = raw(&world, Route::PaymentsStatus, b"");
    assert_eq!(
        text,
        r#"{"auto_max":0,"agent_max":5,"agent_daily_max":20,"explicit_max":10,"daily_max":50,"payees_file":"payees.allow","spent_24h":0,"agent_spent_24h":0,"summary":"An agent may pay at most 5 at once and 20 more today."}"#
    );
    world.with(|state| state.page = Page::V02);
    assert!(!raw(&world, Route::PaymentsStatus, b"").1.contains("summary"));
}

#[test]
fn evidence_is_filtered_and_bounded() {
    let world = world();
    for _ in 0..30 {
        text_to(&world, "answers");
    }
    let all = good(&world, Route::Evidence, &json!({}));
    assert_eq!(all["records"].as_array().map(Vec::len), Some(50));
    assert_eq!(all["head"]["length"], 90);
    assert_eq!(all["head"]["chain_did"], format!("did:anet:{OWN}"));
    let last = &all["records"][49];
    assert_eq!((&last["id"], &last["seq"]), (&all["head"]["head_id"], &json!(89)));
    assert_eq!(all["records"][48]["id"], last["prev_id"]);
    let some = good(&world, Route::Evidence, &json!({"event_type": "anet.delegation.sent", "since": 10, "limit": 2}));
    let seqs: Vec<_> =
        some["records"].as_array().expect("records").iter().map(|record| record["seq"].clone()).collect();
    assert_eq!(seqs, [84, 87]);
    for (limit, count) in [(0, 50), (-3, 50), (1000, 90), (5000, 90)] {
        let records = good(&world, Route::Evidence, &json!({"limit": limit}));
        assert_eq!(records["records"].as_array().map(Vec::len), Some(count), "{limit}");
    }
    for body in
        [json!({"since": -1}), json!({"since": 1.5}), json!({"limit": "x"}), json!({"event_type": 1}), json!([])]
    {
        let (status, answer) = ask(&world, Route::Evidence, &body);
        assert_eq!(status, 400);
        assert!(answer["error"].is_string() && answer.get("code").is_none(), "{answer}");
    }
    world.set_quarantined(true);
    assert_eq!(good(&world, Route::Evidence, &json!({}))["head"]["state"], "QUARANTINED");
}

#[test]
fn held_tasks_show_their_metadata_alone() {
    let world = world();
    assert_eq!(raw(&world, Route::InboundPending, b"").1, r#"{"pending":[]}"#);
    world.with(|state| state.policy = Policy::Approve);
    let inbound = Inbound { id: "ix_1".into(), skill: Some("text.digest".into()), ..Inbound::text(LAB, "the content") };
    assert_eq!(world.deliver(inbound), Arrival::Held("ix_1".into()));
    let answer = good(&world, Route::InboundPending, &json!({}));
    let held = &answer["pending"][0];
    let keys: Vec<_> = held.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "arrived_at",
            "attachments",
            "bytes",
            "capability",
            "expires_at",
            "followups",
            "interaction_id",
            "request_cid",
            "requester"
        ]
    );
    assert_eq!(held["expires_at"].as_i64(), held["arrived_at"].as_i64().map(|at| at + 259_200_000));
    assert!(!answer.to_string().contains("the content"));
    world.set_pending_error(Some("The store cannot be read."));
    assert_eq!(ask(&world, Route::InboundPending, &json!({})), (500, json!({"error": "The store cannot be read."})));
}

#[test]
fn held_tasks_are_approved_rejected_or_expire() {
    let world = world();
    world.with(|state| state.policy = Policy::Approve);
    for id in ["a", "b", "c"] {
        world.deliver(Inbound { id: id.into(), ..Inbound::text("stranger", "May I?") });
    }
    assert_eq!(world.deliver(Inbound::text("stranger", "And I?")), Arrival::Refused("pending_full"));
    assert!(world.approve("a") && world.reject("b") && !world.approve("b"));
    let task = good(&world, Route::TasksGet, &json!({"task_id": "a"}));
    assert_eq!(
        (&task["metadata"]["anet.trust"], &task["metadata"]["anet.role"]),
        (&json!("approved"), &json!("provider"))
    );
    assert_eq!(task["contextId"], "a");
    world.advance(Duration::from_secs(72 * 3600));
    assert_eq!(good(&world, Route::InboundPending, &json!({})), json!({"pending": []}));
    let refused = good(&world, Route::Evidence, &json!({"event_type": "anet.delegation.refused_summary"}));
    let reasons: Vec<_> = refused["records"]
        .as_array()
        .expect("records")
        .iter()
        .map(|record| record["payload"]["reason"].clone())
        .collect();
    assert_eq!(reasons, ["pending_full", "operator_rejected", "pending_expired"]);
}
