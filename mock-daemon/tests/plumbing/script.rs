//! The script: what it overrides, for how long, and what it leaves alone.

use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, On, Reply, Response, Route, Rule, Times};
use tokio::task::JoinSet;

use crate::raw::{Ask, Raw, ask, daemon, soon};

fn rule(on: On, times: Times, body: &str) -> Rule {
    Rule { on, times, reply: Reply::Respond(Response::json(200, body)) }
}

fn hold(name: &str, then: Reply) -> Rule {
    let reply = Reply::Hold { name: name.into(), then: Box::new(then) };
    Rule { on: On::Any, times: Times::Always, reply }
}

async fn says(daemon: &Daemon, path: &str) -> String {
    ask(daemon, &Ask::post(daemon, path)).await.text().to_owned()
}

#[tokio::test]
async fn bytes_status_and_headers_go_out_exactly() {
    let daemon = daemon().await;
    let body = b"{\"n\":9007199254740993, \"x\" : 1.0}\xff no newline".to_vec();
    let response =
        Response::json(418, body.clone()).with_header("X-Own", "a  b").with_header("referrer-policy", "origin");
    daemon.script(Rule { on: On::Route(Route::Balance), times: Times::Once, reply: Reply::Respond(response) });
    let told = ask(&daemon, &Ask::post(&daemon, "/balance")).await;
    assert_eq!((told.status, &told.body), (418, &body));
    assert_eq!(
        told.head,
        "HTTP/1.1 418 I'm a teapot\r\nContent-Type: application/json\r\nX-Own: a  b\r\nreferrer-policy: origin\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; sandbox; frame-ancestors 'none'\r\n\
         Content-Length: 45\r\n\r\n"
    );
}

#[tokio::test]
async fn later_rules_win_and_used_up_rules_are_gone() {
    let daemon = daemon().await;
    let world = says(&daemon, "/balance").await;
    daemon.script(rule(On::Route(Route::Balance), Times::Exactly(2), "older"));
    daemon.script(rule(On::Path("/balance".into()), Times::Once, "newer"));
    daemon.script(rule(On::Route(Route::Status), Times::Always, "other"));
    for expected in ["newer", "older", "older", &world, &world] {
        assert_eq!(says(&daemon, "/balance").await, expected);
    }
    assert_eq!(says(&daemon, "/status").await, "other");
    daemon.clear_script();
    assert_ne!(says(&daemon, "/status").await, "other");
}

#[tokio::test]
async fn a_route_rule_stands_behind_the_guards_and_others_before() {
    let daemon = daemon().await;
    let stranger = Ask::post(&daemon, "/balance").with("Authorization", None);
    daemon.script(rule(On::Route(Route::Balance), Times::Once, "scripted"));
    assert_eq!(ask(&daemon, &stranger).await.status, 401);
    assert_eq!(says(&daemon, "/balance").await, "scripted", "the trespass used nothing up");
    daemon.script(rule(On::Path("/balance".into()), Times::Once, "open"));
    assert_eq!(ask(&daemon, &stranger).await.text(), "open");
    daemon.script(rule(On::Any, Times::Once, "any"));
    assert_eq!(says(&daemon, "/nowhere").await, "any");
    assert_eq!(daemon.journal().trespasses().len(), 3, "a scripted answer does not make a trespass good");
}

#[tokio::test]
async fn a_held_answer_goes_when_released_and_so_do_those_that_come_later() {
    let daemon = daemon().await;
    let world = says(&daemon, "/balance").await;
    daemon.script(hold("gate", Reply::Hold { name: "second".into(), then: Box::new(Reply::World) }));
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/balance").bytes()).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 2).await, "journalled while it is held");
    daemon.release("other");
    daemon.release("gate");
    assert!(daemon.journal().entries()[1].answered.is_none());
    daemon.release("second");
    assert_eq!(raw.told().await.expect("an answer").text(), world);
    assert_eq!(says(&daemon, "/balance").await, world, "released for good");
}

#[tokio::test]
async fn clearing_the_script_keeps_what_is_held() {
    let daemon = daemon().await;
    daemon.script(hold("gate", Reply::Respond(Response::json(200, "held"))));
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/status").bytes()).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 1).await);
    daemon.clear_script();
    assert_ne!(says(&daemon, "/status").await, "held");
    daemon.release("gate");
    assert_eq!(raw.told().await.expect("an answer").text(), "held");
}

#[tokio::test]
async fn two_hundred_answers_are_held_at_once() {
    let daemon = daemon().await;
    daemon.script(hold("gate", Reply::World));
    let mut callers = JoinSet::new();
    for _ in 0..200 {
        let (address, bytes) = (daemon.address(), Ask::post(&daemon, "/status").bytes());
        callers.spawn(async move {
            let mut raw = Raw::to(address).await;
            raw.send(&bytes).await;
            raw.told().await.expect("an answer").status
        });
    }
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 200).await);
    assert!(daemon.journal().entries().iter().all(|entry| entry.answered.is_none()));
    let start = Instant::now();
    daemon.release("gate");
    let statuses = callers.join_all().await;
    assert!(statuses.len() == 200 && statuses.iter().all(|&status| status == 200));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(daemon.journal().entries().iter().all(|entry| entry.status() == Some(200)));
}

#[tokio::test]
async fn a_delayed_answer_is_late_and_others_are_not() {
    let daemon = daemon().await;
    let response = Response::json(200, "late").after(Duration::from_millis(60));
    daemon.script(Rule { on: On::Route(Route::Balance), times: Times::Once, reply: Reply::Respond(response) });
    let start = Instant::now();
    let late = async {
        let text = says(&daemon, "/balance").await;
        (text, start.elapsed())
    };
    let prompt = async { says(&daemon, "/status").await };
    let ((text, took), _) = tokio::join!(late, prompt);
    assert!(text == "late" && took >= Duration::from_millis(60), "{text} after {took:?}");
    let entries = daemon.journal().entries();
    let answered = |path: &str| {
        let entry = entries.iter().find(|entry| entry.path() == path).expect("asked");
        entry.answered.as_ref().expect("answered").at
    };
    assert!(answered("/status") < answered("/balance"));
}
