//! Tests of calling a daemon: what an answer means, and what is done when there is none.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::fake::{Fake, Reply, TOKEN, write_home};

fn control(home: &tempfile::TempDir) -> Control {
    Control::new(Home::at(home.path())).unwrap()
}

async fn answered(reply: Reply) -> Result<String, Failure> {
    let fake = Fake::start(move |_| reply.clone());
    let home = fake.home();
    control(&home).call(Route::TasksGet, "{\"task_id\":\"x\"}").await
}

fn sentence(result: Result<String, Failure>) -> String {
    result.unwrap_err().sentence
}

#[tokio::test]
async fn an_object_comes_back_in_its_own_bytes() {
    let body = "{\"b\":9007199254740993, \"a\":1.0,\n\"a\":1e3}";
    assert_eq!(answered(Reply::ok(format!(" {body}\r\n"))).await.unwrap(), body);
}

#[tokio::test]
async fn one_request_is_one_post_with_the_token() {
    let fake = Fake::start(|_| Reply::ok("{}"));
    let home = fake.home();
    control(&home).call(Route::TasksGet, "{\"task_id\":\"x\"}").await.unwrap();
    let seen = fake.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].path.as_str(), seen[0].body.as_str()), ("/tasks/get", "{\"task_id\":\"x\"}"));
    assert!(seen[0].head.starts_with("POST /tasks/get HTTP/1.1\r\n"));
    assert!(seen[0].head.contains(&format!("host: {}\r\n", fake.address())), "{}", seen[0].head);
}

#[tokio::test]
async fn the_daemons_sentence_is_the_failure() {
    let failure =
        answered(Reply::status(404, r#"{"error":"TaskNotFoundError: x","code":"TaskNotFoundError","reason":"r"}"#))
            .await
            .unwrap_err();
    assert_eq!(failure.sentence, "TaskNotFoundError: x");
    assert_eq!(failure.reason.as_deref(), Some("r"));
    assert_eq!(sentence(answered(Reply::status(503, "{\"error\":\" 未准入。 \"}")).await), " 未准入。 ");
}

#[tokio::test]
async fn an_error_without_a_sentence_names_the_status() {
    for (status, body) in [
        (404, "404 page not found\n"),
        (500, "{}"),
        (500, r#"{"error":""}"#),
        (400, r#"{"error":5}"#),
        (302, ""),
        (503, "[]"),
    ] {
        let sentence = sentence(answered(Reply::status(status, body)).await);
        assert!(sentence.contains(&status.to_string()) && sentence.contains("/tasks/get"), "{sentence}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_object_is_a_failure() {
    for body in ["", " \n", "null", "[]", "\"x\"", "5", "{", "{}x", "\u{feff}{}"] {
        let sentence = sentence(answered(Reply::ok(body)).await);
        assert!(sentence.starts_with("The anet daemon's answer to /tasks/get"), "{body:?}: {sentence}");
    }
    assert!(sentence(answered(Reply::ok(b"{\"a\":\"\xff\"}".to_vec())).await).contains("UTF-8"));
}

#[tokio::test]
async fn a_daemon_that_is_not_there_is_named() {
    let fake = Fake::start(|_| Reply::ok("{}"));
    let (home, address) = (fake.home(), fake.address());
    drop(fake);
    let failure = control(&home).call(Route::Status, "{}").await.unwrap_err();
    assert!(failure.unreachable);
    assert!(failure.sentence.contains(&address) && failure.sentence.contains("`anet up`"), "{}", failure.sentence);
    assert!(failure.sentence.contains("connection refused"), "{}", failure.sentence);
}

#[tokio::test]
async fn a_daemon_that_came_back_elsewhere_is_found_by_the_next_call() {
    let first = Fake::start(|_| Reply::ok("{\"n\":1}"));
    let home = first.home();
    let control = control(&home);
    assert_eq!(control.call(Route::Status, "{}").await.unwrap(), "{\"n\":1}");
    drop(first);
    assert!(control.call(Route::Status, "{}").await.is_err());
    let second = Fake::start(|_| Reply::ok("{\"n\":2}"));
    second.write_home(home.path());
    assert_eq!(control.call(Route::TasksSend, "{}").await.unwrap(), "{\"n\":2}");
    assert_eq!(second.seen().len(), 1);
}

#[tokio::test]
async fn a_refused_token_is_read_anew_and_the_request_sent_once_more() {
    let fake = Fake::start(|_| Reply::ok("{}"));
    let home = fake.home();
    let control = control(&home);
    control.call(Route::Status, "{}").await.unwrap();
    // The known token is wrong now, and the files say so as well: refused twice would be once too often.
    write_home(home.path(), &fake.address(), "wrong");
    *control.known.lock().unwrap() = None;
    let failure = control.call(Route::Status, "{}").await.unwrap_err();
    assert!(failure.sentence.contains("401"), "{}", failure.sentence);
    assert!(!failure.sentence.contains("wrong"), "{}", failure.sentence);
    assert_eq!(fake.seen().len(), 2);
    let stale = Home::at(home.path()).endpoints().unwrap().remove(0);
    *control.known.lock().unwrap() = Some(stale);
    fake.write_home(home.path());
    control.call(Route::Status, "{}").await.unwrap();
    assert_eq!(fake.seen().len(), 4, "refused once, then with the new token");
}

#[tokio::test]
async fn what_may_have_arrived_is_not_sent_again() {
    static BROKEN: AtomicBool = AtomicBool::new(true);
    let fake = Fake::start(|_| if BROKEN.load(Ordering::SeqCst) { Reply::broken() } else { Reply::ok("{}") });
    let home = fake.home();
    let control = control(&home);
    let failure = control.call(Route::TasksSend, "{}").await.unwrap_err();
    assert!(failure.sentence.contains("effect is not known") && !failure.unreachable, "{}", failure.sentence);
    assert_eq!(fake.seen().len(), 1);
    BROKEN.store(false, Ordering::SeqCst);
    control.call(Route::TasksSend, "{}").await.unwrap();
    assert_eq!(fake.seen().len(), 2);
}

#[tokio::test]
async fn localhost_is_this_machine_whatever_a_resolver_says() {
    let fake = Fake::start(|_| Reply::ok("{\"ok\":true}"));
    let home = fake.home();
    write_home(home.path(), &fake.address().replace("127.0.0.1", "localhost"), TOKEN);
    assert_eq!(control(&home).call(Route::Status, "{}").await.unwrap(), "{\"ok\":true}");
}

#[test]
fn the_allow_list_is_the_pages() {
    use Route::*;
    let all = [
        AgentsList,
        AgentsCard,
        TasksSend,
        TasksGet,
        TasksList,
        TasksWait,
        TasksCancel,
        TasksReply,
        TasksPay,
        Balance,
        Evidence,
        Status,
        InboundPending,
        PaymentsStatus,
    ];
    let paths: Vec<&str> = all.iter().map(|route| route.path()).collect();
    assert_eq!(
        paths.join(" "),
        "/agents/list /agents/card /tasks/send /tasks/get /tasks/list /tasks/wait /tasks/cancel /tasks/reply \
         /tasks/pay /balance /evidence /status /inbound/pending /payments/status"
    );
}

#[tokio::test]
async fn a_refusal_of_the_token_in_the_daemons_words_is_passed_on_and_not_repeated() {
    let fake = Fake::start(|_| Reply::status(401, r#"{"error":"Sign in again."}"#));
    let home = fake.home();
    let control = control(&home);
    for count in 1..=2 {
        let failure = control.call(Route::Status, "{}").await.unwrap_err();
        assert_eq!(failure.sentence, "Sign in again.");
        assert_eq!(fake.seen().len(), count);
    }
}
