//! wiremock's mocks in front of the world, and the world as one of wiremock's responders.

use std::time::Duration;

use anet_mock_daemon::{On, Outcome, Reply, Response, Route, Rule, Times, World};
use wiremock::matchers::{bearer_token, body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::raw::{Ask, Raw, ask, daemon, soon};

fn balance() -> ResponseTemplate {
    ResponseTemplate::new(503).set_body_raw("{\"error\":\"mocked\"}", "application/json").insert_header("X-Own", "yes")
}

#[tokio::test]
async fn a_mock_answers_what_it_matches_and_the_world_the_rest() {
    let daemon = daemon().await;
    let world = ask(&daemon, &Ask::post(&daemon, "/balance")).await;
    let mock = Mock::given(path("/balance"))
        .and(method("POST"))
        .and(bearer_token(daemon.token()))
        .and(header("host", daemon.address().to_string()))
        .and(body_partial_json(serde_json::json!({"who": "me"})));
    mock.respond_with(balance()).up_to_n_times(2).expect(2).mount(daemon.mocks().await.expect("started")).await;
    let mine = Ask::post(&daemon, "/balance").body("{\"who\":\"me\"}");
    for _ in 0..2 {
        let told = ask(&daemon, &mine).await;
        assert_eq!((told.status, told.text(), told.header("x-own")), (503, "{\"error\":\"mocked\"}", Some("yes")));
        assert_eq!(told.header("content-type"), Some("application/json"));
        assert!(told.header("referrer-policy").is_some() && told.header("date").is_none());
    }
    assert_eq!(ask(&daemon, &mine).await.body, world.body, "the mock is used up");
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/balance")).await.body, world.body, "it never meant this one");
    let entries = daemon.journal().entries();
    assert_eq!(
        entries.iter().map(anet_mock_daemon::Entry::status).collect::<Vec<_>>(),
        [200, 503, 503, 200, 200].map(Some)
    );
    assert_eq!(entries[1].answered.as_ref().expect("answered").body, b"{\"error\":\"mocked\"}");
}

#[tokio::test]
async fn guards_and_rules_come_before_mocks() {
    let daemon = daemon().await;
    let mocks = daemon.mocks().await.expect("started");
    Mock::given(path("/balance")).respond_with(balance()).expect(1).mount(mocks).await;
    let stranger = Ask::post(&daemon, "/balance").with("Authorization", None);
    assert_eq!(ask(&daemon, &stranger).await.status, 401);
    let reply = Reply::Respond(Response::json(200, "scripted"));
    daemon.script(Rule { on: On::Route(Route::Balance), times: Times::Once, reply });
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/balance")).await.text(), "scripted");
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/balance")).await.status, 503);
    mocks.verify().await;
    mocks.reset().await;
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/balance")).await.status, 200);
}

#[tokio::test]
async fn a_mock_may_say_404_delay_and_break_the_connection() {
    let daemon = daemon().await;
    let mocks = daemon.mocks().await.expect("started");
    let absent = ResponseTemplate::new(404).set_body_raw("{\"error\":\"gone\"}\n", "application/json");
    Mock::given(path("/status")).respond_with(absent).mount(mocks).await;
    let told = ask(&daemon, &Ask::post(&daemon, "/status")).await;
    assert_eq!((told.status, told.text()), (404, "{\"error\":\"gone\"}\n"));
    Mock::given(path("/balance"))
        .respond_with_err(|_: &wiremock::Request| std::io::Error::from(std::io::ErrorKind::ConnectionReset))
        .mount(mocks)
        .await;
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/balance").bytes()).await;
    assert!(raw.rest().await.0.is_empty());
    Mock::given(path("/evidence")).respond_with(balance().set_delay(Duration::from_secs(36_000))).mount(mocks).await;
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/evidence").bytes()).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 3).await);
    drop(raw);
    assert!(daemon.journal().wait_until(soon(), |entries| entries[2].hung_up_at.is_some()).await);
}

#[test]
fn what_was_expected_and_did_not_come_is_a_panic_at_the_end() {
    for asked in [0, 1] {
        let ended = std::panic::catch_unwind(|| {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let daemon = daemon().await;
                let mocks = daemon.mocks().await.expect("started");
                Mock::given(path("/balance")).respond_with(balance()).expect(1).mount(mocks).await;
                for _ in 0..asked {
                    ask(&daemon, &Ask::post(&daemon, "/balance")).await;
                }
            });
        });
        assert_eq!(ended.is_ok(), asked == 1);
    }
}

#[tokio::test]
async fn the_world_answers_on_any_mock_server() {
    let (server, world) = (MockServer::start().await, World::default());
    Mock::given(method("POST")).and(bearer_token("secret")).respond_with(world.clone()).mount(&server).await;
    let ask = async |path: &str, token: &str, body: &str| {
        let mut raw = Raw::to(*server.address()).await;
        let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
        raw.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
        raw.told().await.expect("an answer")
    };
    let told = ask("/status", "secret", "{}").await;
    let Outcome::Now(answer) = world.answer(Route::Status, b"{}") else { panic!("no wait") };
    assert_eq!((told.status, &told.body), (200, &answer.body));
    assert_eq!(told.header("content-type"), Some("application/json"));
    assert_eq!(told.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(ask("/shutdown", "secret", "{}").await.text(), "404 page not found\n");
    assert_eq!(ask("/status", "other", "{}").await.status, 404, "the matchers decide who may ask");
    let working = world.with(|state| {
        let task = state.tasks().iter().find(|task| task.state.stored() == "working").expect("there is one");
        serde_json::json!({"task_id": task.id, "after_seq": task.seq}).to_string()
    });
    let waited = ask("/tasks/wait", "secret", &working).await.json();
    assert_eq!(waited["metadata"]["anet.wait"], "timed_out", "a responder cannot wait");
}
