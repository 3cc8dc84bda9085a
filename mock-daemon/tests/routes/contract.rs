//! The contract as two tables: every status that control-plane section 2 gives a route, and every code of section 5. What
//! stands in a table and is not reached fails the test, and so does what is reached and stands in none.
//!
//! The lists are written down here once more, and not taken from the program: it may have forgotten one.

use std::collections::BTreeSet;
use std::time::Duration;

use anet_mock_daemon::world::Failure;
use anet_mock_daemon::world::agents::{Agent, Verification};
use anet_mock_daemon::world::peer::Behaviour;
use anet_mock_daemon::world::status::{Hub, Recovery};
use anet_mock_daemon::{Route, World};
use serde_json::{Value, json};

use crate::tasks::received;
use crate::{LAB, ask, call_to, get, good, text_to, world};

/// The statuses of section 2, route by route. Those of the guards (401, 403, 404 for a path, 405, 421) are the front's.
const STATUSES: [(Route, &[u16]); 14] = [
    (Route::AgentsList, &[200, 400, 500, 503, 504]),
    (Route::AgentsCard, &[200, 400, 500, 503, 504]),
    (Route::TasksSend, &[200, 400, 404, 409, 500, 503, 504]),
    (Route::TasksGet, &[200, 400, 404, 500, 504]),
    (Route::TasksList, &[200, 400, 500, 504]),
    (Route::TasksWait, &[200, 400, 404, 500, 504]),
    (Route::TasksCancel, &[200, 400, 404, 409, 500, 504]),
    (Route::TasksReply, &[200, 400, 404, 409, 500, 504]),
    (Route::TasksPay, &[200, 400, 403, 404, 409, 422, 504]),
    (Route::Balance, &[200, 400, 504]),
    (Route::Evidence, &[200, 400]),
    (Route::Status, &[200]),
    (Route::InboundPending, &[200, 500]),
    (Route::PaymentsStatus, &[200]),
];

/// Brings a new world where the request is answered so, and says the request.
type Way = fn(&World) -> Value;

/// One way to each status, but for those that a failure of the daemon gives.
const WAYS: [(Route, u16, Way); 43] = [
    (Route::AgentsList, 200, |_| json!({})),
    (Route::AgentsList, 400, |_| json!({"limit": 101})),
    (Route::AgentsList, 503, |world| {
        world.set_hub(Hub::None);
        json!({})
    }),
    (Route::AgentsCard, 200, |_| json!({"aid": LAB})),
    (Route::AgentsCard, 400, |_| json!({"aid": "no agent id"})),
    (Route::AgentsCard, 503, |world| {
        world.set_hub(Hub::Unreachable);
        json!({"aid": LAB})
    }),
    (Route::TasksSend, 200, |_| json!({"to": LAB, "text": "Please."})),
    (Route::TasksSend, 400, |_| json!({"text": "Please."})),
    (Route::TasksSend, 404, |_| json!({"task_id": "ix_none", "text": "Please."})),
    (Route::TasksSend, 409, |world| json!({"task_id": text_to(world, "answers")["id"], "text": "And?"})),
    (Route::TasksSend, 503, |_| json!({"to": "bafyreinobody", "text": "Please."})),
    (Route::TasksSend, 503, |world| {
        world.set_hub(Hub::PendingAdmission);
        json!({"to": LAB, "text": "Please."})
    }),
    (Route::TasksGet, 200, |world| json!({"task_id": text_to(world, "answers")["id"]})),
    (Route::TasksGet, 400, |_| json!({})),
    (Route::TasksGet, 404, |_| json!({"task_id": "ix_none"})),
    (Route::TasksList, 200, |_| json!({})),
    (Route::TasksList, 400, |_| json!({"role": "requester"})),
    (Route::TasksWait, 200, |world| json!({"task_id": text_to(world, "works")["id"], "timeout_ms": 1})),
    (Route::TasksWait, 400, |_| json!({"task_id": "ix_none", "timeout_ms": -1})),
    (Route::TasksWait, 404, |_| json!({"task_id": "ix_none"})),
    (Route::TasksCancel, 200, |world| json!({"task_id": text_to(world, "works")["id"]})),
    (Route::TasksCancel, 400, |_| json!({"task_id": ""})),
    (Route::TasksCancel, 404, |_| json!({"task_id": "ix_none"})),
    (Route::TasksCancel, 409, |world| json!({"task_id": text_to(world, "answers")["id"]})),
    (Route::TasksReply, 200, |world| json!({"task_id": received(world), "text": "Which?"})),
    (Route::TasksReply, 400, |world| json!({"task_id": received(world)})),
    (Route::TasksReply, 404, |_| json!({"task_id": "ix_none", "text": "x"})),
    (Route::TasksReply, 409, |world| {
        let id = received(world);
        good(world, Route::TasksReply, &json!({"task_id": id, "state": "completed"}));
        json!({"task_id": id, "text": "And another thing."})
    }),
    (Route::TasksPay, 200, |world| submit(&call_to(world, "priced-5"))),
    (Route::TasksPay, 400, |_| json!({"task_id": "ix_none"})),
    (Route::TasksPay, 400, |world| submit(&call_to(world, "pays-elsewhere"))),
    (Route::TasksPay, 403, |world| submit(&call_to(world, "priced-0"))),
    (Route::TasksPay, 404, |_| json!({"task_id": "ix_none", "decision": "reject"})),
    (Route::TasksPay, 409, |world| submit(&text_to(world, "works"))),
    (Route::TasksPay, 422, |world| submit(&call_to(world, "priced-unpayable-5"))),
    (Route::Balance, 200, |_| json!({})),
    (Route::Balance, 400, |world| {
        world.set_payment_module(false);
        json!({})
    }),
    (Route::Evidence, 200, |_| json!({})),
    (Route::Evidence, 400, |_| json!({"since": -1})),
    (Route::Status, 200, |_| json!({})),
    (Route::InboundPending, 200, |_| json!({})),
    (Route::InboundPending, 500, |world| {
        world.set_pending_error(Some("The store cannot be read."));
        json!({})
    }),
    (Route::PaymentsStatus, 200, |_| json!({})),
];

fn submit(task: &Value) -> Value {
    json!({"task_id": task["id"], "decision": "submit"})
}

/// Whether a route's errors carry a code.
fn coded(route: Route) -> bool {
    route.path().starts_with("/agents/") || (route.path().starts_with("/tasks/") && route != Route::TasksPay)
}

#[test]
fn every_status_of_every_route() {
    let mut seen = BTreeSet::new();
    for (route, status, way) in WAYS {
        let world = world();
        let body = way(&world);
        let (got, answer) = ask(&world, route, &body);
        assert_eq!(got, status, "{route} {body} -> {answer}");
        if status != 200 {
            assert!(answer["error"].is_string(), "{answer}");
            let needs_code = coded(route) && answer["reason"] != "pending_admission";
            assert_eq!(answer.get("code").is_some(), needs_code, "{route}: {answer}");
        }
        seen.insert((route, status));
    }
    for (failure, inner, cause) in [
        (Failure::Cause("disk I/O error".into()), 500, "disk I/O error"),
        (Failure::Deadline, 504, "context deadline exceeded"),
    ] {
        let world = world();
        world.set_failure(Some(failure));
        for route in Route::ALL {
            let (status, answer) = ask(&world, route, &json!({}));
            if coded(route) {
                assert_eq!((status, answer), (inner, json!({"error": cause, "code": "InternalError"})), "{route}");
            } else if status != 200 {
                assert_eq!(answer, json!({"error": cause}), "{route}");
            }
            seen.insert((route, status));
        }
        world.set_failure(None);
        good(&world, Route::TasksList, &json!({}));
    }
    let wanted: BTreeSet<_> =
        STATUSES.iter().flat_map(|(route, statuses)| statuses.iter().map(|status| (*route, *status))).collect();
    assert_eq!(seen, wanted);
}

/// Every code of section 5 and of 2.1, by where the contract lists it, but for those that no route can show.
const CODES: [(&str, &[&str]); 8] = [
    (
        "2.1",
        &[
            "TaskNotFoundError",
            "InvalidParamsError",
            "UnsupportedOperationError",
            "TaskNotCancelableError",
            "UnavailableError",
            "InternalError",
        ],
    ),
    (
        "5.2",
        &[
            "not_accepting",
            "denied",
            "capability_not_public",
            "capability_not_served",
            "args_too_large",
            "quota_caller_per_min",
            "quota_caller_per_day",
            "quota_global_per_min",
            "max_inflight",
            "pending_full",
            "pending_expired",
            "operator_rejected",
            "sandbox_unavailable",
            "task_nonce_required",
            "pending_approval",
        ],
    ),
    (
        "5.3",
        &["timeout", "connection_lost", "interrupted", "unavailable", "undeliverable", "no_response", "provider_busy"],
    ),
    (
        "5.4",
        &[
            "needs_operator_approval",
            "client_payload_unsupported",
            "option_not_offered",
            "rail_not_payable",
            "no_pending_quote",
            "quote_expired",
            "binding_mismatch",
            "payer_mismatch",
            "payee_mismatch",
            "insufficient_funds",
            "invalid_signature",
            "expired_payment",
            "network_mismatch",
            "unsupported_scheme",
            "invalid_amount",
            "duplicate_nonce",
            "duplicate_binding",
            "unknown_payer",
            "settlement_failed",
            "malformed_payment",
            "invalid_payment_requirements",
            "settlement_pending",
        ],
    ),
    (
        "5.4, x402.payment.error",
        &[
            "INSUFFICIENT_FUNDS",
            "INVALID_SIGNATURE",
            "EXPIRED_PAYMENT",
            "DUPLICATE_NONCE",
            "NETWORK_MISMATCH",
            "INVALID_AMOUNT",
            "SETTLEMENT_FAILED",
        ],
    ),
    (
        "5.5",
        &[
            "over_single_limit",
            "over_agent_daily_limit",
            "over_daily_limit",
            "payee_not_allowed",
            "payees_unreadable",
            "zero_amount",
        ],
    ),
    ("5.6", &["pending_admission", "module_absent", "unprotected"]),
    (
        "2.2",
        &[
            "VERIFIED",
            "UNVERIFIED",
            "NONE",
            "INVALID_SIGNATURE",
            "SEQ_ROLLBACK",
            "SEQ_FORK",
            "KEL_UNAVAILABLE",
            "UNSIGNED",
            "BINDING_MISMATCH",
            "KEY_NOT_CURRENT",
            "CARD_NOT_YET_VALID",
            "NOT_PUBLISH_FORM",
            "INVALID_CARD",
            "CARD_TOO_LARGE",
            "free",
            "partial",
            "paid",
            "fresh",
            "stale",
        ],
    ),
];

/// Named by the contract and shown by no route: the first belongs to the A2A interface, the second is internal since the
/// route fixes the purpose, and of the third the card's answer carries the sentence, which `agents` looks at.
const NOT_SHOWN: [&str; 3] = ["payment_extension_not_activated", "unknown_purpose", "extended_card_unavailable"];

/// The counters of 5.7 that this world has a message for; any other can be set.
const COUNTED: [&str; 4] = ["not-accepting", "denied", "ix-collision", "refused-pending_full"];

/// Keeps every string of an answer.
fn hear(answer: &Value, words: &mut BTreeSet<String>) {
    match answer {
        Value::String(text) => {
            words.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| hear(item, words)),
        Value::Object(members) => members.values().for_each(|value| hear(value, words)),
        _ => {}
    }
}

/// A world without a payee list, whose peers all got a text and a call, and whose quotes were all paid.
fn dealings(words: &mut BTreeSet<String>) {
    let world = world();
    world.with(|state| {
        state.purse.payees_file.clear();
        (state.purse.agent_daily_max, state.purse.daily_max) = (1_000_000, 1_000_000);
        state.purse.book(1_000, "enough for all", 0);
    });
    for name in Behaviour::standing().into_iter().filter(|name| !name.starts_with("huge")) {
        for task in [text_to(&world, &name), call_to(&world, &name)] {
            hear(&task, words);
            hear(&ask(&world, Route::TasksPay, &submit(&task)).1, words);
            hear(&get(&world, &task), words);
        }
    }
    let late = call_to(&world, "priced-5");
    world.advance(Duration::from_secs(15 * 86_400));
    let decision =
        json!({"task_id": late["id"], "text": "pay", "metadata": {"x402.payment.status": "payment-submitted"}});
    hear(&ask(&world, Route::TasksSend, &decision).1, words);
    let none = json!({"task_id": text_to(&world, "asks")["id"], "text": "pay", "metadata": {"x402.payment.status": "payment-submitted"}});
    hear(&ask(&world, Route::TasksSend, &none).1, words);
    hear(&good(&world, Route::TasksList, &json!({"page_size": 100})), words);
}

/// Payments that a person must settle, or that are refused before anything is signed.
fn refused_payments(words: &mut BTreeSet<String>) {
    let changes: [fn(&World); 5] = [
        |world| world.with(|state| state.purse.agent_max = 4),
        |world| world.with(|state| state.purse.payees = Some(Vec::new())),
        |world| world.with(|state| state.purse.payees = None),
        |world| world.with(|state| state.purse.agent_daily_max = 4),
        |world| world.with(|state| state.purse.daily_max = 4),
    ];
    for change in changes {
        let world = world();
        change(&world);
        let task = good(&world, Route::TasksSend, &json!({"to": LAB, "skill": "lab.report.priced"}));
        hear(&ask(&world, Route::TasksPay, &submit(&task)).1, words);
    }
    let world = world();
    let task = good(&world, Route::TasksSend, &json!({"to": LAB, "skill": "lab.report.priced"}));
    for more in ["payload", "accept"] {
        let mut body = submit(&task);
        body[more] = json!({});
        hear(&ask(&world, Route::TasksPay, &body).1, words);
    }
}

/// Agents of every kind.
fn agents(words: &mut BTreeSet<String>) {
    for scenario in ["busy", "trouble", "market"] {
        let world = World::new(anet_mock_daemon::scenario::named(scenario).expect("a shipped scenario"));
        hear(&good(&world, Route::AgentsList, &json!({"limit": 100, "include_uncarded": true})), words);
    }
    let world = world();
    world.with(|state| {
        let mut paid = Agent::new("paid", "Paid", "");
        paid.skills = vec![anet_mock_daemon::world::agents::Skill::new("a.b", "A", "", &[]).priced(3)];
        paid.verification = Verification::Verified;
        state.agents.push(paid);
    });
    hear(&good(&world, Route::AgentsCard, &json!({"aid": "paid"})), words);
}

#[test]
fn every_code_of_the_contract() {
    let mut words = BTreeSet::new();
    for (route, _, way) in WAYS {
        let world = world();
        let body = way(&world);
        hear(&ask(&world, route, &body).1, &mut words);
    }
    dealings(&mut words);
    refused_payments(&mut words);
    agents(&mut words);
    let world = world();
    world.set_failure(Some(Failure::Deadline));
    hear(&ask(&world, Route::TasksGet, &json!({})).1, &mut words);
    world.set_failure(None);
    world.set_recovery(Recovery::Unprotected);
    world.set_hub(Hub::PendingAdmission);
    hear(&good(&world, Route::Status, &json!({})), &mut words);
    for (section, codes) in CODES {
        for code in codes {
            assert!(words.contains(*code), "{code} of {section} is never shown");
        }
    }
    for code in NOT_SHOWN {
        assert!(!words.contains(code), "{code} is shown after all: move it to its section");
    }
}

#[test]
fn the_counters_count_and_any_other_can_be_set() {
    use anet_mock_daemon::world::inbound::{Inbound, Policy};
    let world = world();
    world.deliver(Inbound::text("stranger", "May I?"));
    world.with(|state| {
        state.policy = Policy::Approve;
        state.denied.insert("known for it".into());
    });
    world.deliver(Inbound::text("known for it", "May I?"));
    for id in ["a", "a", "b", "c", "d"] {
        world.deliver(Inbound { id: id.into(), ..Inbound::text("stranger", "May I?") });
    }
    world.with(|state| state.status.receive.insert("kel-fork".into(), 7));
    let receive = good(&world, Route::Status, &json!({}))["receive"].clone();
    for counter in COUNTED {
        assert!(receive[counter].as_u64().is_some_and(|count| count > 0), "{counter}: {receive}");
    }
    assert_eq!(receive["kel-fork"], 7);
}
