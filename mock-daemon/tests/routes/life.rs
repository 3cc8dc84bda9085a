//! The life of a task, and what time does to it.

use std::time::Duration;

use anet_mock_daemon::Route;
use anet_mock_daemon::world::Page;
use anet_mock_daemon::world::peer::{Behaviour, Move, Reply};
use anet_mock_daemon::world::status::{Hub, Recovery};
use serde_json::json;

use crate::{LAB, ask, call_to, get, good, text_to, world};

#[test]
fn a_completed_task_has_its_receipt_and_artifacts() {
    let world = world();
    let task = text_to(&world, "files");
    let receipt = task["metadata"]["anet.receipt"].as_object().expect("a receipt");
    let keys: Vec<_> = receipt.keys().collect();
    assert_eq!(
        keys,
        ["completed_day", "provider_aid", "receipt", "receipt_cid", "request_cid", "result_cid", "verified"]
    );
    assert_eq!(receipt["completed_day"], "2026-10-12");
    assert_eq!(task["artifacts"][0]["name"], "anet.reply");
    assert_eq!(task["artifacts"][0]["parts"].as_array().map(Vec::len), Some(3));
    assert!(task["status"].get("message").is_none());
    assert_eq!(task["metadata"]["anet.content_expires_at"], 1_791_793_296_440_i64 + 30 * 86_400_000);
    world.with(|state| state.page = Page::V02);
    let old = get(&world, &task);
    let old = old["metadata"]["anet.receipt"].as_object().expect("a receipt");
    assert!(
        old.contains_key("completed_at") && old.contains_key("requester_aid") && !old.contains_key("completed_day")
    );
}

#[test]
fn a_call_has_one_message_and_one_deliverable() {
    let world = world();
    let task = good(&world, Route::TasksSend, &json!({"to": LAB, "skill": "text.digest", "args": {"text": "x"}}));
    assert_eq!(task["history"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&task["metadata"]["anet.skill"], &task["metadata"]["anet.effect_status"]),
        (&json!("text.digest"), &json!("OK"))
    );
    let artifact = &task["artifacts"][0];
    assert_eq!((&artifact["artifactId"], &artifact["name"]), (&json!("anet.result"), &json!("text.digest")));
    assert_eq!(artifact["parts"][0]["data"]["status"], "OK");
    let unproven = call_to(&world, "unproven");
    assert_eq!(unproven["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(unproven["metadata"]["anet.effect_status"], "UNVERIFIED");
    let unserved = good(&world, Route::TasksSend, &json!({"to": LAB, "skill": "no.such"}));
    assert_eq!(unserved["metadata"]["anet.reason"], "capability_not_served");
}

#[test]
fn silence_ends_a_task_after_a_quarter_of_an_hour() {
    let world = world();
    let body = json!({"to": Behaviour::aid("silent"), "skill": "x.y", "return_immediately": true});
    let task = good(&world, Route::TasksSend, &body);
    world.advance(Duration::from_secs(899));
    assert_eq!(get(&world, &task)["status"]["state"], "TASK_STATE_WORKING");
    world.advance(Duration::from_secs(1));
    let failed = get(&world, &task);
    assert_eq!(
        (&failed["metadata"]["anet.reason"], &failed["metadata"]["anet.effect_status"]),
        (&json!("no_response"), &json!("UNVERIFIED"))
    );
    assert_eq!(failed["status"]["message"]["parts"][0]["text"], "failed: no_response");
    assert_eq!(failed["status"]["message"]["messageId"], format!("{}.status.3", task["id"].as_str().expect("an id")));
    world.play(task["id"].as_str().expect("an id"), Move::Answers(Reply::text("late")));
    let late = get(&world, &task);
    assert!(late["metadata"]["anet.result_cid"].is_string() && late["status"]["state"] == "TASK_STATE_FAILED");
    world.with(|state| state.no_response_ms = 0);
    let body = json!({"to": Behaviour::aid("silent"), "text": "x", "return_immediately": true});
    let task = good(&world, Route::TasksSend, &body);
    world.advance(Duration::from_secs(90_000));
    assert_eq!(get(&world, &task)["status"]["state"], "TASK_STATE_WORKING");
}

#[test]
fn an_undelivered_message_waits_and_is_given_up() {
    let world = world();
    let first = call_to(&world, "uncollected");
    let second = text_to(&world, "uncollected");
    let metadata = &first["metadata"];
    assert_eq!(
        (&metadata["anet.delivery"], &metadata["anet.delivery_since"]),
        (&json!("pending"), &json!(1_791_793_296_440_i64))
    );
    assert_eq!(metadata["anet.delivery_ends_at"], 1_793_002_896_440_i64);
    assert!(metadata.get("anet.delivery_ordered").is_none());
    assert_eq!(second["metadata"]["anet.delivery_ordered"], true);
    let canceled = good(&world, Route::TasksCancel, &json!({"task_id": second["id"]}));
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    assert!(canceled["metadata"].get("anet.delivery").is_none());
    world.advance(Duration::from_secs(14 * 86_400));
    let failed = get(&world, &first);
    assert_eq!(
        (&failed["metadata"]["anet.reason"], &failed["metadata"]["anet.effect_status"]),
        (&json!("undeliverable"), &json!("UNAVAILABLE"))
    );
}

#[test]
fn cancelling_after_payment_only_asks() {
    let world = world();
    world.with(|state| state.purse.payees_file.clear());
    let task = call_to(&world, "settlement-pending");
    good(&world, Route::TasksPay, &json!({"task_id": task["id"], "decision": "submit"}));
    let asked = good(&world, Route::TasksCancel, &json!({"task_id": task["id"]}));
    assert_eq!(
        (&asked["status"]["state"], &asked["metadata"]["anet.cancel_requested"]),
        (&json!("TASK_STATE_WORKING"), &json!(true))
    );
    assert_eq!(good(&world, Route::TasksCancel, &json!({"task_id": task["id"]})), asked, "again changes nothing");
}

#[test]
fn progress_holds_claims_and_errors_show() {
    let world = world();
    let world = &world;
    let send = |behaviour: &str| {
        let body = json!({"to": Behaviour::aid(behaviour), "text": "x", "return_immediately": true});
        get(world, &good(world, Route::TasksSend, &body))
    };
    let works = send("works");
    assert_eq!(works["status"]["message"]["metadata"]["anet.state"], "working");
    assert_eq!(send("holds")["metadata"]["anet.inbound"], "pending_approval");
    assert_eq!(send("claims")["metadata"]["anet.unverified_receipts"].as_array().map(Vec::len), Some(1));
    assert_eq!(send("errs-TaskNotFoundError")["metadata"]["anet.a2aError"], "TaskNotFoundError");
    assert_eq!(send("refuses-quota_caller_per_min")["metadata"]["anet.retry_after_ms"], 60_000);
    assert_eq!(send("cancels")["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(call_to(world, "effect-fails")["metadata"]["anet.effect_status"], "FAILED");
}

#[test]
fn huge_answers_are_cut_when_asked() {
    let world = world();
    let task = text_to(&world, "huge-3145728");
    assert!(task.to_string().len() > 6_000_000);
    let cut = good(&world, Route::TasksGet, &json!({"task_id": task["id"], "max_task_bytes": 24_576}));
    assert!(cut.to_string().len() <= 24_576);
    assert_eq!(cut["metadata"]["anet.truncated"], true);
    let listed = good(&world, Route::TasksList, &json!({"max_task_bytes": 8192, "include_artifacts": true}));
    assert!(listed["tasks"][0].to_string().len() <= 9216);
}

#[test]
fn an_unadmitted_node_sends_nothing() {
    let world = world();
    world.set_hub(Hub::PendingAdmission);
    let (status, answer) = ask(&world, Route::TasksSend, &json!({"to": LAB, "text": "x"}));
    assert_eq!((status, &answer["reason"]), (503, &json!("pending_admission")));
    assert_eq!(answer["error"], good(&world, Route::Status, &json!({}))["hub"]["message"]);
    assert!(world.with(|state| state.tasks().is_empty()));
}

#[test]
fn a_node_without_a_passphrase_says_so_on_every_task() {
    let world = world();
    let task = text_to(&world, "answers");
    assert!(task["metadata"].get("anet.identity_note").is_none());
    world.set_recovery(Recovery::Unprotected);
    assert!(get(&world, &task)["metadata"]["anet.identity_note"].is_string());
}

#[test]
fn planted_metadata_stays_on_its_message() {
    let world = world();
    let task = text_to(&world, "plants-40960");
    assert_eq!(task["history"][1]["metadata"]["note.planted"].as_str().map(str::len), Some(40_960));
    let cut = good(&world, Route::TasksGet, &json!({"task_id": task["id"], "max_task_bytes": 24_576}));
    assert!(cut["history"][0]["metadata"].get("note.planted").is_none());
}
