//! The journal: what came, in which order, and who hung up.

use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, On, Options, Reply, Response, Route, Rule, Times, Trespass};

use crate::raw::{Ask, Raw, ask, daemon, soon};

async fn hung_up(daemon: &Daemon, index: usize) -> bool {
    daemon.journal().wait_until(soon(), |entries| entries[index].hung_up_at.is_some()).await
}

#[tokio::test]
async fn entries_have_everything_in_order() {
    let daemon = daemon().await;
    let start = Instant::now();
    let mut first = Raw::to(daemon.address()).await;
    let mut second = Raw::to(daemon.address()).await;
    let request =
        Ask::post(&daemon, "/agents/list?a=b").with("X-Mixed-Case", Some(" v ")).body("{\"q\" : \"\u{2028}\"}");
    first.send(&request.bytes()).await;
    first.told().await.expect("an answer");
    second.send(&Ask::post(&daemon, "/shutdown").bytes()).await;
    let refused = second.told().await.expect("an answer");
    // The same connection again:
    first.send(&Ask::post(&daemon, "/balance").bytes()).await;
    let answer = first.told().await.expect("an answer");

    let entries = daemon.journal().entries();
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| (entry.index, entry.connection, entry.method.as_str(), entry.target.as_str()))
        .collect();
    assert_eq!(lines, [(0, 1, "POST", "/agents/list?a=b"), (1, 2, "POST", "/shutdown"), (2, 1, "POST", "/balance")]);
    assert_eq!(entries[0].headers[2], ("X-Mixed-Case".to_owned(), "v".to_owned()));
    assert_eq!(entries[0].header("host"), Some(daemon.address().to_string().as_str()));
    assert_eq!(entries[0].body, "{\"q\" : \"\u{2028}\"}".as_bytes());
    assert_eq!(
        entries.iter().map(|entry| entry.route).collect::<Vec<_>>(),
        [Some(Route::AgentsList), None, Some(Route::Balance)]
    );
    assert_eq!(
        entries.iter().map(|entry| entry.trespass).collect::<Vec<_>>(),
        [None, Some(Trespass::UnknownPath), None]
    );
    let answered: Vec<_> = entries.iter().map(|entry| entry.answered.clone().expect("answered")).collect();
    assert_eq!((answered[1].status, &answered[1].body), (404, &refused.body));
    assert_eq!((answered[2].status, &answered[2].body), (answer.status, &answer.body));
    let mut moments = vec![start];
    moments.extend(entries.iter().zip(&answered).flat_map(|(entry, answered)| [entry.at, answered.at]));
    assert!(moments.is_sorted(), "{moments:?}");
    assert!(entries.iter().all(|entry| entry.hung_up_at.is_none()));
    assert_eq!(daemon.journal().since(1).iter().map(|entry| entry.index).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(daemon.journal().on(Route::Balance).len(), 1);
}

#[tokio::test]
async fn chunks_and_expectations_are_undone() {
    let daemon = daemon().await;
    let mut raw = Raw::to(daemon.address()).await;
    let chunked = Ask::post(&daemon, "/balance").body("").with("Transfer-Encoding", Some("chunked"));
    raw.send(&chunked.bytes()).await;
    raw.send(b"2\r\n{\"\r\n4\r\na\":1\r\n1\r\n}\r\n0\r\n\r\n").await;
    assert_eq!(raw.told().await.expect("an answer").status, 200);
    let expecting =
        Ask::post(&daemon, "/balance").body("").with("Expect", Some("100-continue")).with("Content-Length", Some("7"));
    raw.send(&expecting.bytes()).await;
    assert_eq!(raw.told().await.expect("a go-ahead").head, "HTTP/1.1 100 Continue\r\n\r\n");
    raw.send(b"{\"b\":2}").await;
    assert_eq!(raw.told().await.expect("an answer").status, 200);
    let bodies: Vec<_> =
        daemon.journal().entries().into_iter().map(|entry| String::from_utf8(entry.body).expect("text")).collect();
    assert_eq!(bodies, ["{\"a\":1}", "{\"b\":2}"]);
}

#[tokio::test]
async fn a_connection_closes_when_the_caller_asks_for_it() {
    let daemon = daemon().await;
    for (version, connection, closes) in
        [("1.1", Some("close"), true), ("1.1", None, false), ("1.0", None, true), ("1.0", Some("keep-alive"), false)]
    {
        let request = Ask::post(&daemon, "/status").with("Connection", connection).bytes();
        let request = String::from_utf8(request).expect("text").replace("HTTP/1.1", &format!("HTTP/{version}"));
        let mut raw = Raw::to(daemon.address()).await;
        raw.send(request.as_bytes()).await;
        let told = raw.told().await.expect("an answer");
        assert_eq!(told.header("Connection") == Some("close"), closes, "{version} {connection:?}");
        if closes {
            assert!(raw.rest().await.0.is_empty());
        } else {
            raw.send(&Ask::post(&daemon, "/status").bytes()).await;
            raw.told().await.expect("another answer");
        }
    }
}

#[tokio::test]
async fn a_head_request_gets_the_head() {
    let daemon = daemon().await;
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/status").method("HEAD").body("").with("Connection", Some("close")).bytes()).await;
    let told = raw.head().await.expect("a head");
    assert_eq!(told.status, 200);
    assert!(raw.rest().await.0.is_empty());
}

#[tokio::test]
async fn a_request_that_breaks_off_is_malformed() {
    let daemon = daemon().await;
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/status").body("").with("Content-Length", Some("9")).bytes()).await;
    raw.send(b"{\"a\"").await;
    raw.finish().await;
    assert!(raw.rest().await.0.is_empty());
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(b"POST /sta").await;
    drop(raw);
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 2).await);
    let entries = daemon.journal().entries();
    assert_eq!((entries[0].target.as_str(), entries[0].body.as_slice()), ("/status", b"{\"a\"".as_slice()));
    assert_eq!((entries[1].target.as_str(), entries[1].body.as_slice()), ("", b"POST /sta".as_slice()));
    for entry in entries {
        assert!(entry.trespass == Some(Trespass::Malformed) && entry.answered.is_none() && entry.hung_up_at.is_some());
    }
}

#[tokio::test]
async fn a_caller_that_hangs_up_is_noticed_while_its_answer_is_kept_back() {
    let daemon = daemon().await;
    let hours = Duration::from_secs(36_000);
    for (index, reply) in [
        Reply::Hold { name: "never".into(), then: Box::new(Reply::World) },
        Reply::Respond(Response::json(200, "{}").after(hours)),
    ]
    .into_iter()
    .enumerate()
    {
        daemon.script(Rule { on: On::Any, times: Times::Once, reply });
        let mut raw = Raw::to(daemon.address()).await;
        raw.send(&Ask::post(&daemon, "/status").bytes()).await;
        // Bytes sent ahead do not hide the hang-up.
        raw.send(b"POST /ahead HTTP/1.1\r\n").await;
        assert!(daemon.journal().wait_until(soon(), |entries| entries.len() > index).await);
        let before = Instant::now();
        drop(raw);
        assert!(hung_up(&daemon, index).await);
        let entry = daemon.journal().entries().remove(index);
        let noticed = entry.hung_up_at.expect("noticed");
        assert!(noticed >= before && noticed - before < Duration::from_secs(1), "{:?}", noticed - before);
        assert_eq!(entry.answered, None);
    }
    assert_eq!(daemon.journal().len(), 2);
}

#[tokio::test]
async fn bytes_sent_ahead_are_the_next_request() {
    let daemon = daemon().await;
    let reply = Reply::Hold { name: "gate".into(), then: Box::new(Reply::World) };
    daemon.script(Rule { on: On::Any, times: Times::Once, reply });
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&[Ask::post(&daemon, "/status").bytes(), Ask::post(&daemon, "/balance").bytes()].concat()).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 1).await);
    daemon.release("gate");
    for _ in 0..2 {
        assert_eq!(raw.told().await.expect("an answer").status, 200);
    }
    assert_eq!(daemon.journal().entries()[1].path(), "/balance");
}

#[tokio::test]
async fn a_caller_that_sends_and_half_closes_gets_a_prompt_answer() {
    let daemon = daemon().await;
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(&daemon, "/status").bytes()).await;
    raw.finish().await;
    assert_eq!(raw.told().await.expect("an answer").status, 200);
}

#[tokio::test]
async fn a_long_running_daemon_forgets_its_oldest_requests() {
    let daemon = Daemon::start(Options { journal_limit: 10, ..Options::default() }).await.expect("it starts");
    let mut raw = Raw::to(daemon.address()).await;
    for _ in 0..50 {
        raw.send(&Ask::post(&daemon, "/status").bytes()).await;
        raw.told().await.expect("an answer");
    }
    let entries = daemon.journal().entries();
    assert!((10..=11).contains(&entries.len()), "{}", entries.len());
    assert_eq!((daemon.journal().len(), entries.last().map(|entry| entry.index)), (50, Some(49)));
}

#[tokio::test]
async fn waiting_for_what_does_not_come_ends_at_the_deadline() {
    let daemon = daemon().await;
    assert!(daemon.journal().is_empty());
    assert!(
        !daemon
            .journal()
            .wait_until(Instant::now() + Duration::from_millis(5), |entries| { !entries.is_empty() })
            .await
    );
    ask(&daemon, &Ask::post(&daemon, "/status")).await;
    assert!(daemon.journal().wait_until(Instant::now(), |entries| entries.len() == 1).await, "looks before it waits");
}
