//! Waiting by sequence, ended by the event.

use std::time::Duration;

use anet_mock_daemon::world::inbound::{Arrival, Inbound};
use anet_mock_daemon::world::peer::{Behaviour, Move, Reply};
use anet_mock_daemon::{Answer, Outcome, Route, Waiting, World};
use serde_json::{Value, json};

use crate::{good, text_to, world};

fn wait(world: &World, body: &Value) -> Outcome {
    world.answer(Route::TasksWait, body.to_string().as_bytes())
}

fn later(outcome: Outcome) -> Waiting {
    match outcome {
        Outcome::Later(waiting) => waiting,
        Outcome::Now(answer) => panic!("{}", String::from_utf8_lossy(&answer.body)),
    }
}

fn read(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

#[test]
fn a_wait_ends_with_the_answer_and_not_before() {
    let world = world();
    let task = text_to(&world, "works");
    let waiting = later(wait(&world, &json!({"task_id": task["id"], "timeout_ms": 5000})));
    assert_eq!(waiting.timeout, Duration::from_secs(5));
    assert!((waiting.resume)(false).is_none());
    assert!(!waiting.changed.has_changed().expect("the world is there"));
    let id = task["id"].as_str().expect("an id");
    world.play(id, Move::Progress("more".into()));
    assert!(waiting.changed.has_changed().expect("the world is there"));
    assert!((waiting.resume)(false).is_none(), "progress needs nobody");
    world.play(id, Move::Answers(Reply::text("so")));
    let done = read(&(waiting.resume)(false).expect("it is over"));
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert!(done["metadata"].get("anet.wait").is_none());
}

#[test]
fn sequences_and_not_states_decide() {
    let world = world();
    let asked = text_to(&world, "asks");
    let seq = asked["metadata"]["anet.state_seq"].as_i64().expect("a number");
    assert!(matches!(wait(&world, &json!({"task_id": asked["id"]})), Outcome::Now(_)), "it needs this node already");
    assert!(matches!(wait(&world, &json!({"task_id": asked["id"], "after_seq": -7})), Outcome::Now(_)));
    assert!(matches!(wait(&world, &json!({"task_id": asked["id"], "after_seq": seq - 1})), Outcome::Now(_)));
    let waiting = later(wait(&world, &json!({"task_id": asked["id"], "after_seq": seq})));
    world.play(asked["id"].as_str().expect("an id"), Move::Asks("and which colour?".into()));
    let next = read(&(waiting.resume)(false).expect("the next question"));
    assert_eq!(next["metadata"]["anet.state_seq"], seq + 1);
}

#[test]
fn a_wait_that_times_out_says_so_after_the_cut() {
    let world = world();
    let long = "漢".repeat(20_000);
    let task = good(
        &world,
        Route::TasksSend,
        &json!({"to": Behaviour::aid("silent"), "text": long, "return_immediately": true}),
    );
    let waiting = later(wait(&world, &json!({"task_id": task["id"], "timeout_ms": 1, "max_task_bytes": 24_576})));
    let over = read(&(waiting.resume)(true).expect("time is over"));
    assert_eq!(
        (&over["metadata"]["anet.wait"], &over["metadata"]["anet.truncated"]),
        (&json!("timed_out"), &json!(true))
    );
    let usual = later(wait(&world, &json!({"task_id": task["id"]})));
    assert_eq!(usual.timeout, Duration::from_secs(60));
    let capped = later(wait(&world, &json!({"task_id": task["id"], "timeout_ms": 999_999_999_999_i64})));
    assert_eq!(capped.timeout, Duration::from_secs(3600));
}

#[test]
fn a_provider_waits_for_the_requester() {
    let world = world();
    world.with(|state| state.peers.insert("anna".into()));
    let Arrival::Taken(id) = world.deliver(Inbound::text("anna", "Please.")) else { panic!("a peer's task is taken") };
    assert!(matches!(wait(&world, &json!({"task_id": id})), Outcome::Now(_)), "submitted needs this node");
    let asked = good(&world, Route::TasksReply, &json!({"task_id": id, "text": "Which?"}));
    let waiting = later(wait(&world, &json!({"task_id": id, "after_seq": asked["metadata"]["anet.state_seq"]})));
    assert!(world.speak(&id, "The first."));
    let spoken = read(&(waiting.resume)(false).expect("it was answered"));
    assert_eq!(spoken["history"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_blocking_send_waits_for_a_question_or_the_end() {
    let world = world();
    let body = json!({"to": Behaviour::aid("answers-after-5000"), "text": "Slowly, please.", "timeout_ms": 30_000});
    let waiting = later(world.answer(Route::TasksSend, body.to_string().as_bytes()));
    world.advance(Duration::from_millis(4999));
    assert!((waiting.resume)(false).is_none());
    let expired = read(&(waiting.resume)(true).expect("time is over"));
    assert!(expired["metadata"].get("anet.wait").is_none(), "a send that expires is no failure and no mark");
    world.advance(Duration::from_millis(1));
    let done = read(&(waiting.resume)(false).expect("it is over"));
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
}

#[test]
fn hundreds_wait_at_once_and_one_event_ends_them_all() {
    let world = world();
    let task = text_to(&world, "works");
    let waits: Vec<Waiting> = (0..500).map(|_| later(wait(&world, &json!({"task_id": task["id"]})))).collect();
    assert!(waits.iter().all(|waiting| (waiting.resume)(false).is_none()));
    world.speak(task["id"].as_str().expect("an id"), "so");
    assert!(waits.iter().all(|waiting| (waiting.resume)(false).is_some()));
}

#[tokio::test]
async fn with_the_machines_clock_what_is_due_happens_by_itself() {
    let world = world();
    world.with(|state| {
        state.clock = anet_mock_daemon::clock::Clock::machine();
        let mut agent = anet_mock_daemon::world::agents::Agent::new("soon", "Soon", "");
        agent.behaviour = Behaviour::AnswersAfter(20);
        state.agents.push(agent);
    });
    let clock = world.clone();
    let clock = tokio::spawn(async move { clock.run_clock().await });
    let mut waiting = later(world.answer(Route::TasksSend, br#"{"to":"soon","text":"x"}"#));
    let done = loop {
        if let Some(answer) = (waiting.resume)(false) {
            break read(&answer);
        }
        waiting.changed.changed().await.expect("the world is there");
    };
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    clock.abort();
}
