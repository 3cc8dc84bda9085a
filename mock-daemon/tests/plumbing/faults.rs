//! Each fault as the caller sees it and as the journal tells it.

use std::io::ErrorKind;
use std::time::Duration;

use anet_mock_daemon::{Daemon, Entry, Fault, On, Reply, Response, Route, Rule, Times};

use crate::raw::{Ask, Raw, ask, daemon, soon};

fn script(daemon: &Daemon, fault: Fault) {
    daemon.script(Rule { on: On::Route(Route::Status), times: Times::Once, reply: Reply::Fault(fault) });
}

/// Sends a good request under this fault.
async fn broken(daemon: &Daemon, fault: Fault) -> Raw {
    script(daemon, fault);
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&Ask::post(daemon, "/status").bytes()).await;
    raw
}

fn last(daemon: &Daemon) -> Entry {
    daemon.journal().entries().pop().expect("an entry")
}

/// After a fault the daemon serves the next caller as if nothing had been.
async fn assert_well(daemon: &Daemon) {
    assert_eq!(ask(daemon, &Ask::post(daemon, "/status")).await.status, 200);
}

#[tokio::test]
async fn closing_at_once_is_an_end_without_a_byte() {
    let daemon = daemon().await;
    let (bytes, ended) = broken(&daemon, Fault::CloseAtOnce).await.rest().await;
    assert!(bytes.is_empty() && ended.is_ok(), "{bytes:?} {ended:?}");
    assert_eq!((last(&daemon).body.as_slice(), last(&daemon).answered), (b"{}\n".as_slice(), None));
    assert_well(&daemon).await;
}

#[tokio::test]
async fn resetting_at_once_is_a_reset_without_a_byte() {
    let daemon = daemon().await;
    let (bytes, ended) = broken(&daemon, Fault::ResetAtOnce).await.rest().await;
    assert!(bytes.is_empty());
    assert_eq!(ended.expect_err("a reset").kind(), ErrorKind::ConnectionReset);
    assert_well(&daemon).await;
}

#[tokio::test]
async fn a_body_is_cut_where_it_is_told() {
    let daemon = daemon().await;
    for reset in [false, true] {
        for (keep, kept) in [(0, ""), (4, "{\"a\""), (99, "{\"a\":1}\n")] {
            let response = Response::json(200, "{\"a\":1}\n");
            let mut raw = broken(&daemon, Fault::CutBody { response, keep, reset }).await;
            let told = raw.head().await.expect("a head");
            assert_eq!((told.status, told.header("Content-Length")), (200, Some("8")));
            let (bytes, ended) = raw.rest().await;
            assert_eq!(String::from_utf8(bytes).expect("text"), kept);
            assert_eq!(ended.is_err(), reset, "{ended:?}");
            assert_eq!(last(&daemon).answered.expect("noted").body, kept.as_bytes());
        }
    }
    assert_well(&daemon).await;
}

#[tokio::test]
async fn a_length_may_lie_in_both_directions() {
    let daemon = daemon().await;
    for claimed in [1, 7, 1_000_000] {
        let response = Response::json(200, "{\"a\":1}").with_header("content-length", "3");
        let mut raw = broken(&daemon, Fault::WrongLength { response, claimed }).await;
        let told = raw.head().await.expect("a head");
        assert_eq!(told.header("Content-Length"), Some(claimed.to_string().as_str()));
        let (bytes, ended) = raw.rest().await;
        assert!(bytes == b"{\"a\":1}" && ended.is_ok(), "{bytes:?} {ended:?}");
    }
    assert_well(&daemon).await;
}

#[tokio::test]
async fn a_dripping_body_comes_whole_in_the_end() {
    let daemon = daemon().await;
    let body = "0123456789".repeat(3);
    let every = Duration::from_millis(2);
    let mut raw = broken(&daemon, Fault::Drip { response: Response::json(200, body.clone()), chunk: 7, every }).await;
    let told = raw.head().await.expect("a head");
    assert_eq!(told.header("Content-Length"), Some("30"));
    assert_eq!(raw.rest().await.0, body.as_bytes());
    let hours = Duration::from_secs(3_600);
    let mut raw = broken(&daemon, Fault::Drip { response: Response::json(200, body), chunk: 0, every: hours }).await;
    raw.head().await.expect("the head does not wait");
    drop(raw);
    assert!(daemon.journal().wait_until(soon(), |entries| entries[1].hung_up_at.is_some()).await);
    assert_well(&daemon).await;
}

#[tokio::test]
async fn headers_go_on_until_the_caller_has_enough() {
    let daemon = daemon().await;
    let mut raw = broken(&daemon, Fault::EndlessHeaders).await;
    let start = raw.take(2 << 20).await;
    let text = String::from_utf8(start).expect("text");
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && !text.contains("\r\n\r\n"));
    assert!(text.lines().skip(2).all(|line| line.starts_with("X-Filler-") || line.len() < 1_100));
    drop(raw);
    assert!(daemon.journal().wait_until(soon(), |entries| entries[0].hung_up_at.is_some()).await);
    assert_well(&daemon).await;
}

#[tokio::test]
async fn garbage_goes_out_as_it_is() {
    let daemon = daemon().await;
    let garbage = b"\x00\xffHTTP/9 what\n\n".to_vec();
    let (bytes, ended) = broken(&daemon, Fault::Garbage(garbage.clone())).await.rest().await;
    assert!(bytes == garbage && ended.is_ok());
    assert_eq!(last(&daemon).answered, None);
    assert_well(&daemon).await;
}

#[tokio::test]
async fn a_redirect_leads_to_a_second_daemon_that_sees_what_came_along() {
    let (first, second) = (daemon().await, daemon().await);
    let location = format!("http://{}/status", second.address());
    let told = broken(&first, Fault::Redirect { status: 307, location: location.clone() })
        .await
        .told()
        .await
        .expect("an answer");
    assert_eq!((told.status, told.header("Location")), (307, Some(location.as_str())));
    // A client that follows, token and all:
    let request = Ask::post(&first, "/status").with("Host", Some(&second.address().to_string()));
    assert_eq!(ask(&second, &request).await.status, 401);
    let entry = last(&second);
    assert_eq!(entry.header("authorization"), Some(format!("Bearer {}", first.token()).as_str()));
}

#[tokio::test]
async fn silence_lasts_until_the_caller_hangs_up() {
    let daemon = daemon().await;
    let raw = broken(&daemon, Fault::Silence).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 1).await);
    assert_well(&daemon).await;
    assert_eq!((daemon.journal().entries()[0].hung_up_at, &daemon.journal().entries()[0].answered), (None, &None));
    drop(raw);
    assert!(daemon.journal().wait_until(soon(), |entries| entries[0].hung_up_at.is_some()).await);
}
