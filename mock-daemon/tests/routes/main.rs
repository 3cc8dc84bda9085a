//! The 14 routes against control-plane section 2: requests good and bad, whole bodies, every status and every code.

mod agents;
mod codes;
mod contract;
mod life;
mod node;
mod pay;
mod peers;
mod replies;
mod tasks;
mod waits;

use anet_mock_daemon::world::agents::{Agent, Skill};
use anet_mock_daemon::world::peer::Behaviour;
use anet_mock_daemon::{Outcome, Route, World, scenario};
use serde_json::{Value, json};

/// A verified agent that charges 5 for one of its two skills.
const LAB: &str = "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq";
const OWN: &str = "bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi";
const HUB: &str = "bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy";

/// A new node that knows the lab, with limits that let an agent pay it.
fn world() -> World {
    let mut state = scenario::named("quiet").expect("a shipped scenario");
    let mut lab = Agent::new(LAB, "Lab-P", "Digests and reports.");
    lab.skills = vec![
        Skill::new("lab.report.priced", "Text report", "A short report on a text.", &["text", "report"]).priced(5),
        Skill::new("text.digest", "Text digest", "SHA-256 of a text.", &["text", "digest"]),
    ];
    state.agents.push(lab);
    state.purse.agent_max = 5;
    state.purse.agent_daily_max = 20;
    state.purse.payees = Some(vec![LAB.to_owned()]);
    state.purse.book(100, "registration grant", 1_791_709_200_000);
    World::new(state)
}

/// The raw answer of a route; a wait answers as if its time were over.
fn raw(world: &World, route: Route, body: &[u8]) -> (u16, String) {
    let answer = match world.answer(route, body) {
        Outcome::Now(answer) => answer,
        Outcome::Later(waiting) => (waiting.resume)(true).expect("a wait that timed out answers"),
    };
    assert_eq!(answer.content_type, "application/json");
    let text = String::from_utf8(answer.body).expect("UTF-8");
    (answer.status, text.strip_suffix('\n').expect("a newline at the end").to_owned())
}

fn ask(world: &World, route: Route, body: &Value) -> (u16, Value) {
    let (status, text) = raw(world, route, body.to_string().as_bytes());
    (status, serde_json::from_str(&text).expect("JSON"))
}

/// The answer of a call that must succeed.
fn good(world: &World, route: Route, body: &Value) -> Value {
    let (status, answer) = ask(world, route, body);
    assert_eq!(status, 200, "{answer}");
    answer
}

/// Asserts a refusal of a task or agent route: its status, its code, and a sentence that begins with it.
fn refused(world: &World, route: Route, body: &Value, status: u16, code: &str) {
    let (got, answer) = ask(world, route, body);
    assert_eq!((got, answer["code"].as_str()), (status, Some(code)), "{body} -> {answer}");
    let error = answer["error"].as_str().expect("a sentence");
    assert!(error == code || error.starts_with(&format!("{code}: ")), "{error}");
    assert_eq!(answer.as_object().expect("an object").len(), 2, "{answer}");
}

/// Sends a text to an agent that behaves by this name, and shows the task.
fn text_to(world: &World, behaviour: &str) -> Value {
    good(world, Route::TasksSend, &json!({"to": Behaviour::aid(behaviour), "text": "Please."}))
}

/// Calls a capability of an agent that behaves by this name, and shows the task.
fn call_to(world: &World, behaviour: &str) -> Value {
    good(world, Route::TasksSend, &json!({"to": Behaviour::aid(behaviour), "skill": "x.y", "args": {}}))
}

fn get(world: &World, task: &Value) -> Value {
    good(world, Route::TasksGet, &json!({"task_id": task["id"]}))
}

/// Bodies that every route that reads one refuses.
const UNREADABLE: [&str; 6] = ["", "  ", "{", "[]", "\"text\"", "7"];
