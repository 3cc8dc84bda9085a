//! `/tasks/pay`: every decision and every refusal.

use std::time::Duration;

use anet_mock_daemon::{Route, World};
use serde_json::{Value, json};

use crate::{LAB, ask, call_to, get, good, raw, text_to, world};

/// What a case changes about the limits.
type Change = fn(&World);

/// A call that waits at its quote.
fn quoted(world: &World) -> Value {
    let task =
        good(world, Route::TasksSend, &json!({"to": LAB, "skill": "lab.report.priced", "args": {"text": "line one"}}));
    assert_eq!(task["metadata"]["x402.payment.status"], "payment-required", "{task}");
    task
}

fn pay(world: &World, task: &Value, decision: &str) -> (u16, Value) {
    ask(world, Route::TasksPay, &json!({"task_id": task["id"], "decision": decision}))
}

#[test]
fn a_quote_is_shown_with_all_its_keys() {
    let world = world();
    let task = quoted(&world);
    let metadata = &task["metadata"];
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(metadata["anet.effect_status"], "PAYMENT_REQUIRED");
    assert_eq!(metadata["anet.reason"], "needs_operator_approval");
    assert_eq!(metadata["anet.quote_expires_at"], 1_791_879_696_440_i64);
    assert_eq!(metadata["x402.payment.required"]["x402Version"], 2);
    assert_eq!(metadata["x402.payment.required"]["accepts"][0]["payTo"], LAB);
    let message = &task["status"]["message"];
    assert_eq!(message["parts"].as_array().map(Vec::len), Some(2));
    assert_eq!(message["metadata"]["x402.payment.required"], metadata["x402.payment.required"]);
}

#[test]
fn an_agent_pays_and_the_task_goes_on() {
    let world = world();
    let task = quoted(&world);
    let (status, text) =
        raw(&world, Route::TasksPay, json!({"task_id": task["id"], "decision": "submit"}).to_string().as_bytes());
    let decision: Value = serde_json::from_str(&text).expect("JSON");
    let (id, authorization) = (&task["id"], &decision["authorization_id"]);
    assert_eq!(status, 200);
    assert_eq!(
        text,
        format!(
            r#"{{"task_id":{id},"state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","authorization_id":{authorization}}}"#
        )
    );
    let done = get(&world, &task);
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(done["metadata"]["x402.payment.status"], "payment-completed");
    let receipt = &done["metadata"]["x402.payment.receipts"][0];
    assert_eq!((&receipt["success"], &receipt["amount"]), (&json!(true), &json!("5")));
    assert_eq!(done["status"]["message"]["metadata"]["x402.payment.receipts"][0], *receipt);
    let balance = good(&world, Route::Balance, &json!({}));
    assert_eq!((&balance["balance"], &balance["entries"][1]["reason"]), (&json!(95), &receipt["transaction"]));
    let limits = good(&world, Route::PaymentsStatus, &json!({}));
    assert_eq!((&limits["spent_24h"], &limits["agent_spent_24h"]), (&json!(5), &json!(5)));
}

#[test]
fn above_the_limits_a_person_decides() {
    let cases: [(&str, Change); 5] = [
        ("over_single_limit", |world| {
            world.with(|state| state.purse.agent_max = 4);
        }),
        ("payee_not_allowed", |world| {
            world.with(|state| state.purse.payees = Some(Vec::new()));
        }),
        ("payees_unreadable", |world| {
            world.with(|state| state.purse.payees = None);
        }),
        ("over_agent_daily_limit", |world| {
            world.with(|state| state.purse.agent_daily_max = 4);
        }),
        ("over_daily_limit", |world| {
            world.with(|state| state.purse.daily_max = 4);
        }),
    ];
    for (code, set) in cases {
        let world = world();
        set(&world);
        let task = quoted(&world);
        let before = get(&world, &task);
        let (status, decision) = pay(&world, &task, "submit");
        assert_eq!(status, 200);
        let keys: Vec<_> = decision.as_object().expect("an object").keys().collect();
        assert_eq!(
            keys,
            ["task_id", "state", "pay_state", "x402.payment.status", "anet.reason", "spend_refusal", "message"]
        );
        assert_eq!(decision["spend_refusal"], code);
        assert_eq!((&decision["state"], &decision["pay_state"]), (&json!("input-required"), &json!("required")));
        assert_eq!(decision["anet.reason"], "needs_operator_approval");
        let message = decision["message"].as_str().expect("a sentence");
        assert!(message.starts_with("Nothing was signed: ") && message.contains("anet pay ix_"), "{message}");
        assert_eq!(get(&world, &task), before, "the task keeps waiting");
        assert_eq!(good(&world, Route::PaymentsStatus, &json!({}))["spent_24h"], 0);
    }
}

#[test]
fn a_person_at_a_terminal_pays_within_the_explicit_limit() {
    let world = world();
    world.with(|state| state.purse.agent_max = 0);
    let task = quoted(&world);
    assert_eq!(pay(&world, &task, "submit").1["spend_refusal"], "over_single_limit");
    assert!(world.pay(task["id"].as_str().expect("an id")).expect("within the limit").submitted());
    assert_eq!(get(&world, &task)["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(good(&world, Route::PaymentsStatus, &json!({}))["agent_spent_24h"], 0);
}

#[test]
fn a_rejected_quote_ends_the_task() {
    let world = world();
    let task = quoted(&world);
    let (status, decision) = pay(&world, &task, "reject");
    assert_eq!(
        (status, decision),
        (
            200,
            json!({"task_id": task["id"], "state": "canceled", "pay_state": "rejected", "x402.payment.status": "payment-rejected"})
        )
    );
    let task = get(&world, &task);
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(task["metadata"]["x402.payment.receipts"], json!([]));
    assert!(task["metadata"].get("x402.payment.status").is_none());
}

#[test]
fn what_is_refused_before_signing_is_422() {
    let world = world();
    world.with(|state| state.purse.payees_file.clear());
    let task = quoted(&world);
    let submit = |task: &Value, more: Value| {
        let mut body = json!({"task_id": task["id"], "decision": "submit"});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        ask(&world, Route::TasksPay, &body)
    };
    let mut other = task["metadata"]["x402.payment.required"]["accepts"][0].clone();
    other["amount"] = json!("4");
    let foreign = text_to(&world, "priced-unpayable-5");
    for (task, more, reason) in [
        (&task, json!({"payload": {}}), "client_payload_unsupported"),
        (&task, json!({"accept": other}), "option_not_offered"),
        (&task, json!({"accept": "5"}), "option_not_offered"),
        (&foreign, json!({}), "rail_not_payable"),
    ] {
        let (status, answer) = submit(task, more);
        assert_eq!(status, 422);
        assert_eq!(
            answer,
            json!({
                "error": answer["error"], "reason": reason,
                "result": {
                    "task_id": task["id"], "state": "input-required", "pay_state": "required",
                    "x402.payment.status": "payment-failed", "x402.payment.error": "SETTLEMENT_FAILED", "anet.reason": reason,
                },
            })
        );
    }
    let several = call_to(&world, "priced-several-5");
    let accepts = several["metadata"]["x402.payment.required"]["accepts"].as_array().expect("options");
    assert_eq!(submit(&several, json!({"accept": accepts[1]})).1["reason"], "rail_not_payable");
    let reordered: Value = accepts[0]
        .as_object()
        .expect("an object")
        .iter()
        .rev()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert_eq!(submit(&several, json!({"accept": reordered})).1["pay_state"], "submitted");
}

#[test]
fn everything_else_is_refused_with_its_status() {
    let world = world();
    world.with(|state| state.purse.payees_file.clear());
    let status = |body: Value| {
        let (status, answer) = ask(&world, Route::TasksPay, &body);
        assert!(answer["error"].is_string() && answer.get("code").is_none(), "{answer}");
        status
    };
    let id = quoted(&world)["id"].clone();
    for body in [
        json!({}),
        json!({"task_id": " ", "decision": "submit"}),
        json!({"task_id": id}),
        json!({"task_id": id, "decision": "maybe"}),
        json!({"task_id": 5}),
        json!([]),
    ] {
        assert_eq!(status(body), 400);
    }
    assert_eq!(status(json!({"task_id": "ix_none", "decision": "submit"})), 404);
    for task in [text_to(&world, "answers"), text_to(&world, "works"), text_to(&world, "asks")] {
        for decision in ["submit", "reject"] {
            assert_eq!(status(json!({"task_id": task["id"], "decision": decision})), 409);
        }
    }
    let pending = call_to(&world, "settlement-pending");
    assert_eq!(pay(&world, &pending, "submit").0, 200);
    assert_eq!(status(json!({"task_id": pending["id"], "decision": "submit"})), 409);
    let elsewhere = call_to(&world, "pays-elsewhere");
    assert_eq!(status(json!({"task_id": elsewhere["id"], "decision": "submit"})), 400);
    let free = call_to(&world, "priced-0");
    let (status_of_zero, answer) = pay(&world, &free, "submit");
    assert_eq!((status_of_zero, &answer["reason"]), (403, &json!("zero_amount")));
    world.set_payment_module(false);
    assert_eq!(status(json!({"task_id": id, "decision": "submit"})), 400);
    world.set_payment_module(true);
    world.advance(Duration::from_secs(24 * 3600));
    assert_eq!(status(json!({"task_id": id, "decision": "submit"})), 409);
    // Nobody is held to a quote that is gone: it can still be refused.
    assert_eq!(pay(&world, &json!({"id": id}), "reject").0, 200);
}

#[test]
fn a_quote_within_the_automatic_limit_is_paid_of_itself() {
    let world = world();
    world.with(|state| state.purse.auto_max = 5);
    let task = good(&world, Route::TasksSend, &json!({"to": LAB, "skill": "lab.report.priced"}));
    assert_eq!(task["metadata"]["x402.payment.status"], "payment-completed");
    assert_eq!(good(&world, Route::PaymentsStatus, &json!({}))["agent_spent_24h"], 0);
    // A text task never is, nor a quote above the signed price.
    world.with(|state| state.purse.payees_file.clear());
    for task in [text_to(&world, "priced-5"), call_to(&world, "priced-5")] {
        assert_eq!(task["metadata"]["x402.payment.status"], "payment-required");
        assert!(task["metadata"]["anet.payment_note"].is_string());
    }
}

#[test]
fn a_failed_settlement_leaves_the_quote_open_and_is_sent_again() {
    let world = world();
    world.with(|state| state.purse.payees_file.clear());
    let task = call_to(&world, "settlement-fails-settlement_failed");
    let first = pay(&world, &task, "submit").1;
    let failed = get(&world, &task);
    assert_eq!(failed["metadata"]["x402.payment.status"], "payment-failed");
    assert_eq!(failed["metadata"]["x402.payment.receipts"][0]["success"], false);
    let second = pay(&world, &task, "submit").1;
    assert_eq!((&second["reused"], &second["authorization_id"]), (&json!(true), &first["authorization_id"]));
    assert_eq!(good(&world, Route::PaymentsStatus, &json!({}))["spent_24h"], 5, "signed once");
    let poor = world;
    poor.with(|state| state.purse.balance = 3);
    let task = call_to(&poor, "priced-5");
    pay(&poor, &task, "submit");
    assert_eq!(get(&poor, &task)["metadata"]["x402.payment.error"], "INSUFFICIENT_FUNDS");
}

#[test]
fn a_decision_inside_a_message_is_the_agents() {
    let world = world();
    let send = |task: &Value, metadata: Value| {
        ask(&world, Route::TasksSend, &json!({"task_id": task["id"], "text": "pay", "metadata": metadata}))
    };
    let (_, paid) = send(&quoted(&world), json!({"x402.payment.status": "payment-submitted"}));
    assert_eq!(paid["status"]["state"], "TASK_STATE_COMPLETED");
    let (_, rejected) = send(&quoted(&world), json!({"x402.payment.status": "payment-rejected"}));
    assert_eq!(rejected["status"]["state"], "TASK_STATE_CANCELED");
    let (_, local) =
        send(&quoted(&world), json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": {}}));
    assert_eq!(local["metadata"]["anet.reason"], "client_payload_unsupported");
    assert_eq!(local["metadata"]["x402.payment.status"], "payment-failed");
    let (status, none) = send(&text_to(&world, "asks"), json!({"x402.payment.status": "payment-submitted"}));
    assert_eq!((status, &none["reason"]), (409, &json!("no_pending_quote")));
    assert_eq!(send(&quoted(&world), json!({"x402.payment.status": "payment-required"})).0, 400);
    let late = quoted(&world);
    world.advance(Duration::from_secs(24 * 3600));
    let (_, late) = send(&late, json!({"x402.payment.status": "payment-submitted"}));
    assert_eq!(
        (&late["metadata"]["anet.reason"], &late["metadata"]["x402.payment.error"]),
        (&json!("quote_expired"), &json!("EXPIRED_PAYMENT"))
    );
}
