//! Every behaviour of a peer, by its name: what becomes of a text and of a call that is sent to it.

use std::collections::BTreeSet;
use std::time::Duration;

use anet_mock_daemon::Route;
use anet_mock_daemon::world::inbound::{Arrival, Inbound};
use anet_mock_daemon::world::peer::Behaviour;
use serde_json::{Value, json};

use crate::{get, good, refused, world};

/// A behaviour; the states (without `TASK_STATE_`) of a text and of a call sent to it; where in the call's task it shows, and
/// what stands there.
const BEHAVIOURS: [(&str, &str, &str, &str, &str); 26] = [
    ("answers", "COMPLETED", "COMPLETED", "/metadata/anet.effect_status", "OK"),
    ("answers-after-5000", "WORKING", "WORKING", "/metadata/anet.role", "requester"),
    // A call is no conversation: a question about it is dropped.
    ("asks", "INPUT_REQUIRED", "SUBMITTED", "/metadata/anet.role", "requester"),
    ("silent", "WORKING", "WORKING", "/metadata/anet.role", "requester"),
    ("works", "WORKING", "WORKING", "/status/message/metadata/anet.state", "working"),
    ("unproven", "COMPLETED", "COMPLETED", "/metadata/anet.effect_status", "UNVERIFIED"),
    ("effect-fails", "FAILED", "FAILED", "/metadata/anet.effect_status", "FAILED"),
    ("files", "COMPLETED", "COMPLETED", "/metadata/anet.effect_status", "OK"),
    ("cancels", "CANCELED", "CANCELED", "/metadata/anet.role", "requester"),
    ("holds", "SUBMITTED", "SUBMITTED", "/metadata/anet.inbound", "pending_approval"),
    ("uncollected", "SUBMITTED", "SUBMITTED", "/metadata/anet.delivery", "pending"),
    ("claims", "COMPLETED", "COMPLETED", "/metadata/anet.unverified_receipts/0/network", "hub:"),
    ("settlement-pending", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.status", "payment-required"),
    ("provider-busy", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.status", "payment-required"),
    ("pays-elsewhere", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.status", "payment-required"),
    ("priced-0", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.required/accepts/0/amount", "0"),
    ("priced-5", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.required/accepts/0/amount", "5"),
    ("priced-1000", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.required/accepts/0/amount", "1000"),
    ("priced-several-5", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.required/accepts/1/amount", "5"),
    ("priced-unpayable-5", "INPUT_REQUIRED", "INPUT_REQUIRED", "/metadata/x402.payment.required/accepts/0/amount", "5"),
    ("errs-TaskNotFoundError", "FAILED", "FAILED", "/metadata/anet.a2aError", "TaskNotFoundError"),
    ("huge-3145728", "COMPLETED", "COMPLETED", "/metadata/anet.effect_status", "OK"),
    ("plants-40960", "COMPLETED", "COMPLETED", "/metadata/anet.effect_status", "OK"),
    ("receipt-unverified", "COMPLETED", "COMPLETED", "/metadata/anet.receipt_verified", "unverified"),
    ("receipt-unknown", "COMPLETED", "COMPLETED", "/metadata/anet.receipt_verified", "unknown"),
    ("receipt-mismatch", "COMPLETED", "COMPLETED", "/metadata/anet.receipt_verified", "mismatch"),
];

/// Families whose members `codes` goes through.
const FAMILIES: [&str; 3] = ["refuses-", "breaks-", "settlement-fails-"];

#[test]
fn every_behaviour_does_what_its_name_says() {
    let mut wrong = Vec::new();
    for (name, text, call, pointer, expected) in BEHAVIOURS {
        let world = world();
        let send = |more: Value| {
            let mut body = json!({"to": Behaviour::aid(name), "return_immediately": true});
            body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            let task = good(&world, Route::TasksSend, &body);
            get(&world, &task)
        };
        let (texted, called) = (send(json!({"text": "Please."})), send(json!({"skill": "x.y", "args": {}})));
        for (task, state) in [(&texted, text), (&called, call)] {
            if task["status"]["state"] != format!("TASK_STATE_{state}") {
                wrong.push(format!("{name}: {} and not {state}", task["status"]["state"]));
            }
        }
        let shown = called.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if !shown.starts_with(expected) {
            wrong.push(format!("{name}: {pointer} is {shown:?} in {called}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let named: BTreeSet<String> = BEHAVIOURS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let standing: BTreeSet<String> = Behaviour::standing()
        .into_iter()
        .filter(|name| !FAMILIES.iter().any(|family| name.starts_with(family)))
        .collect();
    assert_eq!(named, standing);
}

#[test]
fn late_and_asked_answers_come() {
    let world = world();
    let late = good(
        &world,
        Route::TasksSend,
        &json!({"to": Behaviour::aid("answers-after-5000"), "text": "x", "return_immediately": true}),
    );
    world.advance(Duration::from_secs(5));
    assert_eq!(get(&world, &late)["status"]["state"], "TASK_STATE_COMPLETED");
    let asked = good(&world, Route::TasksSend, &json!({"to": Behaviour::aid("asks"), "text": "x"}));
    let body = json!({"task_id": asked["id"], "text": "The first."});
    assert_eq!(good(&world, Route::TasksSend, &body)["status"]["state"], "TASK_STATE_COMPLETED");
}

#[test]
fn a_hostile_task_id_is_an_id_like_any_other() {
    let long = "-".repeat(4_096);
    for id in ["x; rm -rf ~ #", "--help", "a`b`\n\"quoted\"", "<script>", "../../etc/passwd", "\u{202e}\u{0}", &long] {
        let world = world();
        world.with(|state| state.peers.insert("anna".into()));
        let inbound = Inbound { id: id.into(), ..Inbound::text("anna", &"please ".repeat(10_000)) };
        assert_eq!(world.deliver(inbound), Arrival::Taken(id.into()));
        let cut = good(&world, Route::TasksGet, &json!({"task_id": id, "max_task_bytes": 24_576}));
        assert_eq!((&cut["id"], &cut["metadata"]["anet.truncated"]), (&json!(id), &json!(true)));
        // A person might paste what the notice names.
        assert!(cut["history"].to_string().contains("`anet task get <task id> --full`"), "{}", cut["history"]);
        let done = good(&world, Route::TasksReply, &json!({"task_id": id, "state": "completed", "text": "Done."}));
        assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
        refused(&world, Route::TasksCancel, &json!({"task_id": id}), 409, "TaskNotCancelableError");
    }
}
