//! Callers that mean no good: whatever comes over the wire, the daemon neither panics nor leaks, and serves the next one.
//!
//! In a program of its own, because it counts what the whole process panicked and holds open.

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, Options, Route, Trespass};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A bound on failure, far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often anything panicked, on whatever thread: a task that panics takes only its connection with it.
static PANICS: LazyLock<&'static AtomicUsize> = LazyLock::new(|| {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        COUNT.fetch_add(1, Ordering::SeqCst);
        print(info);
    }));
    &COUNT
});

async fn daemon() -> Daemon {
    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
    Daemon::start(Options { journal_limit: 100, ..Options::default() }).await.expect("it starts")
}

/// A good request of this body, to be spoilt.
fn request(daemon: &Daemon, route: Route, body: &[u8]) -> Vec<u8> {
    let (address, token) = (daemon.address(), daemon.token());
    let head = format!("POST {route} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n");
    let mut bytes = format!("{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends these bytes in pieces, ends, and reads what comes; a daemon that has enough may close or reset before the end.
async fn talk(address: SocketAddr, pieces: &[&[u8]]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let mut heard = Vec::new();
    let talk = async {
        for piece in pieces {
            if stream.write_all(piece).await.is_err() {
                break;
            }
        }
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut heard).await;
    };
    timeout(PATIENCE, talk).await.expect("an end in time");
    heard
}

/// The statuses of the answers in these bytes.
fn statuses(heard: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(heard);
    text.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.get(..3)?.parse().ok()).collect()
}

async fn assert_well(daemon: &Daemon) {
    let heard = talk(daemon.address(), &[&request(daemon, Route::Status, b"{}")]).await;
    assert_eq!(statuses(&heard), [200]);
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "something panicked");
}

/// How many files and sockets this process holds open.
fn open() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux has it").count()
}

/// Waits until no more than so many are open.
async fn assert_closed(before: usize) {
    let until = Instant::now() + PATIENCE;
    while open() > before {
        assert!(Instant::now() < until, "{} are open, and {before} were", open());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What is done to a good request.
#[derive(Clone, Debug)]
enum Spoil {
    Change(Index, u8),
    Insert(Index, Vec<u8>),
    Cut(Index),
    Twice,
}

fn spoilt(mut bytes: Vec<u8>, spoils: &[Spoil]) -> Vec<u8> {
    for spoil in spoils {
        match spoil {
            Spoil::Change(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Spoil::Insert(at, more) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, more.iter().copied());
            }
            Spoil::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
            Spoil::Twice => bytes.extend_from_within(..),
            Spoil::Change(..) => {}
        }
    }
    bytes
}

fn spoils() -> impl Strategy<Value = Vec<Spoil>> {
    let tokens = select(vec![
        "\r\n",
        "\r\n\r\n",
        "\n",
        ":",
        " ",
        "\0",
        "Content-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "-1",
        "{",
        "\"",
        "HTTP/1.1",
        "GET / HTTP/1.0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "Expect: 100-continue\r\n",
        "\u{fffd}",
    ]);
    let more =
        prop_oneof![prop::collection::vec(any::<u8>(), 0..40), tokens.prop_map(|token| token.as_bytes().to_vec()),];
    let spoil = prop_oneof![
        3 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Spoil::Change(at, byte)),
        3 => (any::<Index>(), more).prop_map(|(at, more)| Spoil::Insert(at, more)),
        1 => any::<Index>().prop_map(Spoil::Cut),
        1 => Just(Spoil::Twice),
    ];
    prop::collection::vec(spoil, 0..5)
}

/// Bodies that are nearly something.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "[\\[\\]{}\",:0-9a-z\\\\u \u{0}-\u{ffff}]{0,60}".prop_map(String::into_bytes),
        select(vec![
            r#"{"task_id":"ix_none","text":"x","to":"y"}"#.to_owned(),
            "[".repeat(100_000),
            r#"{"a":"#.repeat(50_000),
            r#"{"limit":1e999,"cursor":"\ud800","page_size":-0}"#.to_owned(),
            r#"{"timeout_ms":9223372036854775807,"task_id":"\u0000"}"#.to_owned(),
        ])
        .prop_map(String::into_bytes),
    ]
}

/// Runs cases of a property against one daemon, on one runtime.
fn cases<S: Strategy>(count: u32, strategy: &S, case: &impl AsyncFn(&Daemon, S::Value) -> Result<(), TestCaseError>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let daemon = runtime.block_on(daemon());
    let before = open();
    let mut runner = TestRunner::new(Config { cases: count, ..Config::default() });
    runner.run(strategy, |value| runtime.block_on(case(&daemon, value))).expect("no case fails");
    runtime.block_on(async {
        assert_well(&daemon).await;
        assert_closed(before).await;
    });
}

fn garbage_is_refused_or_cut_off() {
    let pieces = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..4);
    cases(400, &pieces, &async |daemon, pieces| {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let heard = talk(daemon.address(), &pieces).await;
        prop_assert!(heard.is_empty() || heard.starts_with(b"HTTP/1.1 4") || heard.starts_with(b"HTTP/1.1 505"));
        Ok(())
    });
}

fn spoilt_requests_are_answered_as_requests_or_refused() {
    let strategy = (select(Route::ALL.to_vec()), bodies(), spoils(), any::<Index>());
    cases(800, &strategy, &async |daemon, (route, body, spoils, cut)| {
        let bytes = spoilt(request(daemon, route, &body), &spoils);
        let (one, two) = bytes.split_at(cut.index(bytes.len() + 1));
        let heard = talk(daemon.address(), &[one, two]).await;
        prop_assert!(heard.is_empty() || heard.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&heard));
        for status in statuses(&heard) {
            // Not implemented (a transfer coding), no such agent, no such version: nothing else may be the daemon's fault.
            prop_assert!(status < 500 || [501, 503, 505].contains(&status), "{status}");
        }
        Ok(())
    });
}

async fn heads_have_an_end() {
    let daemon = daemon().await;
    let many = "X: y\r\n".repeat(5_000);
    let long = format!("X: {}\r\n", "y".repeat(3 << 20));
    let target = "a".repeat(3 << 20);
    for spoilt in [
        format!("POST /status HTTP/1.1\r\nHost: {}\r\n{many}\r\n", daemon.address()),
        format!("POST /status HTTP/1.1\r\nHost: {}\r\n{long}\r\n", daemon.address()),
        format!("POST /{target} HTTP/1.1\r\nHost: {}\r\n\r\n", daemon.address()),
        "x".repeat(3 << 20),
        format!("POST /status HTTP/1.1\r\nHost: {}\r\nContent-Length: 99999999999999999999\r\n\r\n", daemon.address()),
        format!("POST /status HTTP/1.1\r\nHost: {}\r\nContent-Length: 1073741825\r\n\r\n", daemon.address()),
    ] {
        // Without ending its half first, so that the refusal is read before the reset of what was not.
        let heard = talk(daemon.address(), &[spoilt.as_bytes()]).await;
        let said = statuses(&heard);
        assert!(said.is_empty() || [[400], [413], [431]].iter().any(|status| said == status), "{said:?}");
    }
    let trespasses = daemon.journal().trespasses();
    assert_eq!(trespasses.len(), 6);
    assert!(trespasses.iter().all(|entry| entry.trespass == Some(Trespass::Malformed)), "{trespasses:?}");
    assert!(trespasses.iter().all(|entry| matches!(entry.status(), Some(400 | 413 | 431))), "each is refused");
    assert_well(&daemon).await;
}

async fn slow_callers_are_cut_off_and_hold_nobody_up() {
    let daemon = daemon().await;
    let before = open();
    let mut slow = JoinSet::new();
    for number in 0..200 {
        let address = daemon.address();
        slow.spawn(async move {
            let mut stream = TcpStream::connect(address).await.expect("it listens");
            let (mut from, mut to) = stream.split();
            to.write_all(b"POST /status HTTP/1.1\r\n").await.expect("it reads");
            let drip = async {
                // Half of them go on, a byte at a time: that the head grows buys no time.
                while number % 2 == 0 && to.write_all(b"x").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                std::future::pending::<()>().await;
            };
            let mut heard = Vec::new();
            tokio::select! {
                () = drip => {}
                _ = from.read_to_end(&mut heard) => {}
            }
            heard
        });
    }
    for _ in 0..50 {
        let start = Instant::now();
        assert_well(&daemon).await;
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
    let heard = timeout(PATIENCE, slow.join_all()).await.expect("all of them are cut off");
    assert!(heard.len() == 200 && heard.iter().all(Vec::is_empty));
    assert_closed(before).await;
}

async fn ten_thousand_connections_leave_nothing_behind() {
    let daemon = daemon().await;
    let good = request(&daemon, Route::Status, b"{}");
    let body = daemon.world().with(|state| {
        let task = state.tasks().iter().find(|task| !task.state.terminal()).expect("there is one");
        serde_json::json!({"task_id": task.id, "after_seq": i64::MAX}).to_string()
    });
    let waits = request(&daemon, Route::TasksWait, body.as_bytes());
    let before = open();
    for round in 0..100 {
        let mut callers = JoinSet::new();
        for number in 0..100 {
            let (address, good, waits) = (daemon.address(), good.clone(), waits.clone());
            callers.spawn(async move {
                let mut stream = TcpStream::connect(address).await.expect("it listens");
                match (round + number) % 4 {
                    0 => {}
                    1 => stream.write_all(&good[..good.len() / 2]).await.expect("it reads"),
                    2 => stream.write_all(&waits).await.expect("it reads"),
                    _ => {
                        stream.write_all(&good).await.expect("it reads");
                        let mut start = [0; 12];
                        stream.read_exact(&mut start).await.expect("it answers");
                        assert_eq!(&start, b"HTTP/1.1 200");
                    }
                }
            });
        }
        callers.join_all().await;
    }
    assert_closed(before).await;
    assert_well(&daemon).await;
    assert!(daemon.journal().entries().len() <= 110 && daemon.journal().len() >= 2_500);
}

/// In one test, one after the other: each looks at what the whole process holds open, and a runtime of another test is
/// open, too.
#[test]
fn hostile_callers_neither_break_nor_leak() {
    garbage_is_refused_or_cut_off();
    spoilt_requests_are_answered_as_requests_or_refused();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(heads_have_an_end());
    runtime.block_on(slow_callers_are_cut_off_and_hold_nobody_up());
    runtime.block_on(ten_thousand_connections_leave_nothing_behind());
}
