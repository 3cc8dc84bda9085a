//! Start, restart, absence and end.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpStream as Blocking;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, On, Options, Reply, Restart, Rule, StartError, Times};
use tempfile::TempDir;

use crate::raw::{Ask, Raw, ask, daemon, soon};

/// What a client finds in the data directory: the address and the token.
fn found(home: &Path) -> (String, String) {
    let config = fs::read(home.join("config.json")).expect("a config");
    let config: serde_json::Value = serde_json::from_slice(&config).expect("JSON");
    for block in ["inbound", "payments", "auto_reply", "modules", "hub_url", "name", "caps"] {
        assert!(config.get(block).is_some(), "{block}");
    }
    let token = fs::read_to_string(home.join("control_token.txt")).expect("a token");
    let token = token.strip_suffix('\n').expect("a newline").to_owned();
    (config["control_addr"].as_str().expect("an address").to_owned(), token)
}

fn assert_found(daemon: &Daemon) {
    assert_eq!(found(daemon.data_dir()), (daemon.address().to_string(), daemon.token()));
}

fn assert_refused(address: std::net::SocketAddr) {
    assert_eq!(Blocking::connect(address).expect_err("nobody listens").kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn the_data_directory_is_as_a_daemon_leaves_it_and_goes_with_it() {
    let daemon = daemon().await;
    let (address, home) = (daemon.address(), daemon.data_dir().to_owned());
    assert!(home.is_absolute() && daemon.token().len() == 48);
    assert_found(&daemon);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(
        (mode(&home), mode(&home.join("config.json")), mode(&home.join("control_token.txt"))),
        (0o700, 0o600, 0o600)
    );
    drop(daemon);
    assert!(!home.exists());
    assert_refused(address);
}

#[tokio::test]
async fn a_real_daemons_directory_is_refused_and_left_alone() {
    let home = TempDir::new().expect("a directory");
    let config = home.path().join("config.json");
    fs::write(&config, r#"{"control_addr":"127.0.0.1:39811"}"#).expect("written");
    let options = Options { data_dir: Some(home.path().to_owned()), ..Options::default() };
    let error = Daemon::start(options).await.expect_err("not ours");
    assert!(matches!(error, StartError::Foreign { .. }), "{error:?}");
    assert!(error.to_string().contains("config.json") && error.to_string().contains("empty"), "{error}");
    assert_eq!(fs::read_to_string(&config).expect("still there"), r#"{"control_addr":"127.0.0.1:39811"}"#);
    assert_eq!(fs::read_dir(home.path()).expect("a directory").count(), 1);
}

#[tokio::test]
async fn one_directory_has_one_daemon() {
    let root = TempDir::new().expect("a directory");
    let options = || Options { data_dir: Some(root.path().join("home")), ..Options::default() };
    let first = Daemon::start(options()).await.expect("it starts");
    assert!(
        matches!(Daemon::start(options()).await, Err(StartError::InUse { address, .. }) if address == first.address())
    );
    assert_found(&first);
    drop(first);
    assert_found(&Daemon::start(options()).await.expect("it is free again"));
}

#[tokio::test]
async fn a_taken_port_is_said_to_be_taken() {
    let first = daemon().await;
    let port = first.address().port();
    let error = Daemon::start(Options { port, ..Options::default() }).await.expect_err("taken");
    assert!(matches!(error, StartError::Port { .. }) && error.to_string().contains(&port.to_string()), "{error}");
}

#[tokio::test]
async fn a_restart_changes_what_it_is_told_to_change() {
    let daemon = daemon().await;
    for (new_port, new_token) in [(false, false), (true, false), (false, true), (true, true)] {
        let (address, token) = (daemon.address(), daemon.token());
        let mut old = Raw::to(address).await;
        old.send(&Ask::post(&daemon, "/status").bytes()).await;
        old.told().await.expect("an answer");
        let asked = daemon.journal().len();
        daemon.restart(Restart { new_port, new_token }).await.expect("it comes back");
        assert!(old.rest().await.0.is_empty(), "the old connection is closed");
        assert_eq!((daemon.address() != address, daemon.token() != token), (new_port, new_token));
        assert_found(&daemon);
        if new_port {
            assert_refused(address);
        }
        assert_eq!(ask(&daemon, &Ask::post(&daemon, "/status")).await.status, 200);
        let stale = Ask::post(&daemon, "/status").with("Authorization", Some(&format!("Bearer {token}")));
        assert_eq!(ask(&daemon, &stale).await.status, if new_token { 401 } else { 200 });
        assert_eq!(daemon.journal().len(), asked + 2, "the journal goes on");
    }
}

#[tokio::test]
async fn a_restart_ends_what_is_held() {
    let daemon = daemon().await;
    let reply = Reply::Hold { name: "never".into(), then: Box::new(Reply::World) };
    daemon.script(Rule { on: On::Any, times: Times::Once, reply });
    let mut held = Raw::to(daemon.address()).await;
    held.send(&Ask::post(&daemon, "/status").bytes()).await;
    assert!(daemon.journal().wait_until(soon(), |entries| entries.len() == 1).await);
    daemon.restart(Restart::default()).await.expect("it comes back");
    assert!(held.rest().await.0.is_empty());
    let entry = &daemon.journal().entries()[0];
    assert!(entry.answered.is_none() && entry.hung_up_at.is_none(), "it was not the caller who went");
}

#[tokio::test]
async fn a_stopped_daemon_refuses_at_once_and_comes_back_where_it_was() {
    let daemon = daemon().await;
    let address = daemon.address();
    let mut open = Raw::to(address).await;
    open.send(&Ask::post(&daemon, "/status").bytes()).await;
    open.told().await.expect("an answer");
    daemon.stop_listening();
    assert_refused(address);
    assert!(open.rest().await.0.is_empty());
    daemon.stop_listening();
    assert_found(&daemon);
    daemon.resume_listening().await.expect("nobody took the port");
    daemon.resume_listening().await.expect("twice is once");
    assert_eq!(daemon.address(), address);
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/status")).await.status, 200);
    daemon.stop_listening();
    daemon.restart(Restart { new_port: true, new_token: true }).await.expect("it comes back");
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/status")).await.status, 200);
}

#[tokio::test]
async fn many_daemons_do_not_know_of_each_other() {
    let mut daemons = Vec::new();
    for _ in 0..20 {
        daemons.push(daemon().await);
    }
    for daemon in &daemons {
        assert_eq!(ask(daemon, &Ask::post(daemon, "/status")).await.status, 200);
    }
    assert!(daemons.iter().all(|daemon| daemon.journal().len() == 1));
    let stranger = Ask::post(&daemons[0], "/status").with("Host", Some(&daemons[1].address().to_string()));
    assert_eq!(ask(&daemons[1], &stranger).await.status, 401, "each has a token of its own");
}

#[test]
fn any_runtime_will_do_and_the_daemon_may_outlive_it() {
    for workers in [0, 1, 4] {
        let mut builder = match workers {
            0 => tokio::runtime::Builder::new_current_thread(),
            _ => tokio::runtime::Builder::new_multi_thread(),
        };
        if workers > 0 {
            builder.worker_threads(workers);
        }
        let runtime = builder.enable_all().build().expect("a runtime");
        let daemon = runtime.block_on(async {
            let daemon = daemon().await;
            assert_eq!(ask(&daemon, &Ask::post(&daemon, "/status")).await.status, 200);
            daemon
        });
        let (address, home) = (daemon.address(), daemon.data_dir().to_owned());
        drop(runtime);
        drop(daemon);
        assert!(!home.exists());
        assert_refused(address);
    }
}

#[tokio::test]
async fn starting_and_dropping_are_quick() {
    const QUICK: Duration = Duration::from_millis(5);
    // The best of many, since the machine may be busy with other tests.
    let (mut starts, mut drops) = (Duration::MAX, Duration::MAX);
    let until = soon();
    while (starts > QUICK || drops > QUICK) && Instant::now() < until {
        let start = Instant::now();
        let daemon = daemon().await;
        let started = Instant::now();
        drop(daemon);
        (starts, drops) = (starts.min(started - start), drops.min(started.elapsed()));
    }
    assert!(starts <= QUICK && drops <= QUICK, "start {starts:?}, drop {drops:?}");
}

#[tokio::test]
async fn a_task_that_never_yields_can_drop_a_daemon() {
    let daemon = daemon().await;
    // Uses up what tokio lets a task do in one turn.
    let number = tokio::sync::watch::Sender::new(0);
    let mut seen = number.subscribe();
    let done = std::future::poll_fn(|context| {
        for turn in 1..1_000 {
            number.send_replace(turn);
            if std::pin::pin!(seen.changed()).poll(context).is_pending() {
                break;
            }
        }
        std::task::Poll::Ready(())
    });
    done.await;
    drop(daemon);
}

#[tokio::test]
async fn the_status_tells_where_it_lives_after_a_restart_too() {
    let daemon = daemon().await;
    for how in [None, Some(Restart { new_port: true, new_token: false }), Some(Restart::default())] {
        if let Some(how) = how {
            daemon.restart(how).await.expect("it comes back");
        }
        let status = ask(&daemon, &Ask::post(&daemon, "/status")).await.json();
        assert_eq!(status["data_dir"].as_str(), daemon.data_dir().to_str());
        assert_eq!(status["console_url"], format!("http://{}/console", daemon.address()));
    }
}
