//! Who may ask: control-plane 1.6, 10.6 items 29 to 34.

use anet_mock_daemon::{Daemon, Route, Trespass};

use crate::raw::{Ask, Raw, Told, ask, daemon};

/// Every answer carries these, whatever it says.
fn assert_secured(told: &Told, of: &str) {
    let expected = [
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
    ];
    for (name, value) in expected {
        assert_eq!(told.header(name), Some(value), "{name} of {of}: {}", told.head);
    }
}

fn assert_json_error(told: &Told) {
    assert_eq!(told.header("Content-Type"), Some("application/json"));
    let value: serde_json::Value = serde_json::from_slice(&told.body).expect("JSON");
    assert!(value["error"].as_str().is_some_and(|sentence| !sentence.is_empty()), "{value}");
    assert!(told.body.ends_with(b"\n"));
}

fn last_trespass(daemon: &Daemon) -> Option<Trespass> {
    daemon.journal().entries().last().expect("an entry").trespass
}

/// Requests that a good caller gets answered with 200, public and not.
fn good(daemon: &Daemon) -> [Ask; 3] {
    [
        Ask::post(daemon, "/status"),
        Ask::post(daemon, "/payments/status"),
        Ask::post(daemon, "/ping").method("GET").body("").with("Authorization", None),
    ]
}

#[tokio::test]
async fn a_host_must_be_this_machine_and_this_port() {
    let daemon = daemon().await;
    let port = daemon.address().port();
    for host in
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("LocalHost:{port}"), format!("[::1]:{port}")]
    {
        for request in good(&daemon) {
            let told = ask(&daemon, &request.with("Host", Some(&host))).await;
            assert_eq!(told.status, 200, "{host}: {told:?}");
            assert_secured(&told, &host);
        }
    }
    assert!(daemon.journal().trespasses().is_empty());
    for host in [
        format!("evil.example:{port}"),
        format!("127.0.0.1.nip.io:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".to_owned(),
        format!("0.0.0.0:{port}"),
    ] {
        for request in good(&daemon) {
            let told = ask(&daemon, &request.with("Host", Some(&host))).await;
            assert_eq!(told.status, 421, "{host}: {told:?}");
            assert_json_error(&told);
            assert_secured(&told, &host);
            assert_eq!(last_trespass(&daemon), Some(Trespass::WrongHost));
        }
    }
}

#[tokio::test]
async fn an_origin_must_be_our_own_even_on_a_public_route() {
    let daemon = daemon().await;
    let port = daemon.address().port();
    for request in good(&daemon) {
        let own = format!("http://127.0.0.1:{port}");
        assert_eq!(ask(&daemon, &request.with("Origin", Some(&own))).await.status, 200);
    }
    let foreign =
        ["http://evil.example", "null", &format!("https://127.0.0.1:{port}"), "http://127.0.0.1:1"].map(str::to_owned);
    for origin in foreign {
        for request in good(&daemon) {
            let told = ask(&daemon, &request.with("Origin", Some(&origin))).await;
            assert_eq!(told.status, 403, "{origin}: {told:?}");
            assert_json_error(&told);
            assert_secured(&told, &origin);
            assert_eq!(last_trespass(&daemon), Some(Trespass::ForeignOrigin));
        }
    }
}

#[tokio::test]
async fn a_token_must_be_exactly_the_bearer_token() {
    let daemon = daemon().await;
    let token = daemon.token();
    let table = [
        (None, Trespass::MissingToken),
        (Some("Bearer".to_owned()), Trespass::WrongToken),
        (Some(token.clone()), Trespass::WrongToken),
        (Some(format!("bearer {token}")), Trespass::WrongToken),
        (Some(format!("Bearer {token}x")), Trespass::WrongToken),
        (Some(format!("Bearer {}", token.to_uppercase())), Trespass::WrongToken),
        (Some(format!("Basic {token}")), Trespass::WrongToken),
        (Some(format!("Bearer {}", "0".repeat(48))), Trespass::WrongToken),
    ];
    for (authorization, trespass) in table {
        for path in ["/status", "/tasks/send", "/shutdown"] {
            let request = Ask::post(&daemon, path).with("Authorization", authorization.as_deref());
            let told = ask(&daemon, &request).await;
            assert_eq!((told.status, told.text()), (401, "unauthorized\n"), "{authorization:?}");
            assert_eq!(told.header("Content-Type"), Some("text/plain; charset=utf-8"));
            assert_secured(&told, "401");
            assert_eq!(last_trespass(&daemon), Some(trespass));
        }
    }
}

#[tokio::test]
async fn the_host_is_checked_before_the_origin_and_the_origin_before_the_token() {
    let daemon = daemon().await;
    let bare = Ask::post(&daemon, "/tasks/get").with("Authorization", None);
    let foreign = bare.clone().with("Origin", Some("null"));
    assert_eq!(ask(&daemon, &foreign.clone().with("Host", Some("evil.example"))).await.status, 421);
    assert_eq!(ask(&daemon, &foreign).await.status, 403);
    assert_eq!(ask(&daemon, &bare).await.status, 401);
}

#[tokio::test]
async fn paths_and_methods_are_a_closed_set() {
    let daemon = daemon().await;
    for path in ["/shutdown", "/tasks/pay-manual", "/redeem", "/status/", "/", "/console", "/TASKS/SEND", "//status"] {
        let told = ask(&daemon, &Ask::post(&daemon, path)).await;
        assert_eq!((told.status, told.text()), (404, "404 page not found\n"), "{path}");
        assert_eq!(told.header("Content-Type"), Some("text/plain; charset=utf-8"));
        assert_secured(&told, path);
        assert_eq!(last_trespass(&daemon), Some(Trespass::UnknownPath));
    }
    for route in Route::ALL {
        for method in ["GET", "PUT", "DELETE", "OPTIONS", "post"] {
            let told = ask(&daemon, &Ask::post(&daemon, route.path()).method(method)).await;
            if (route, method) == (Route::Status, "GET") {
                assert_eq!((told.status, last_trespass(&daemon)), (200, None));
                continue;
            }
            assert_eq!(told.status, 405, "{method} {route}");
            assert_eq!(told.header("Allow"), Some(if route == Route::Status { "GET, HEAD, POST" } else { "POST" }));
            assert_secured(&told, route.path());
            let entry = daemon.journal().entries().pop().expect("an entry");
            assert_eq!((entry.trespass, entry.route), (Some(Trespass::WrongMethod), Some(route)));
        }
    }
}

#[tokio::test]
async fn a_query_does_not_change_the_route() {
    let daemon = daemon().await;
    assert_eq!(ask(&daemon, &Ask::post(&daemon, "/status?x=/balance")).await.status, 200);
    let entry = daemon.journal().entries().pop().expect("an entry");
    assert_eq!(
        (entry.route, entry.target.as_str(), entry.path()),
        (Some(Route::Status), "/status?x=/balance", "/status")
    );
}

#[tokio::test]
async fn ping_needs_no_token_and_proves_that_the_daemon_has_it() {
    let daemon = daemon().await;
    let get = |target: &str| Ask::post(&daemon, target).method("GET").body("").with("Authorization", None);
    let told = ask(&daemon, &get("/ping")).await;
    let value: serde_json::Value = serde_json::from_slice(&told.body).expect("JSON");
    assert!(value["aid"].as_str().is_some_and(|aid| aid.starts_with("bafyrei") && aid.len() == 59), "{value}");
    assert!(!told.head.to_lowercase().contains("access-control"), "{}", told.head);
    let nonce = "ab".repeat(32);
    let one = ask(&daemon, &get(&format!("/ping?proof={nonce}"))).await;
    let value: serde_json::Value = serde_json::from_slice(&one.body).expect("JSON");
    assert!(value["proof"].as_str().is_some_and(|proof| proof.len() == 64), "{value}");
    assert_eq!(ask(&daemon, &get("/ping?proof=ab")).await.status, 400);
    assert!(daemon.journal().trespasses().is_empty());
}

#[tokio::test]
async fn bytes_that_are_no_request_are_journalled_and_answered() {
    let daemon = daemon().await;
    for (bytes, status) in
        [("\x16\x03\x01 hello\r\n\r\n", 400), ("GET /status HTTP/1.1\r\n\r\n", 400), ("PRI * HTTP/2.0\r\n\r\n", 505)]
    {
        let mut raw = Raw::to(daemon.address()).await;
        raw.send(bytes.as_bytes()).await;
        let told = raw.told().await.expect("an answer");
        assert_eq!(told.status, status, "{bytes:?}");
        assert_secured(&told, bytes);
        let (rest, ended) = raw.rest().await;
        assert!(rest.is_empty() && ended.is_ok(), "closed in order: {ended:?}");
        assert_eq!(last_trespass(&daemon), Some(Trespass::Malformed));
    }
    drop(Raw::to(daemon.address()).await);
    let before = daemon.journal().len();
    ask(&daemon, &Ask::post(&daemon, "/status")).await;
    assert_eq!(daemon.journal().len(), before + 1, "a connection without a byte is none of our business");
}

#[tokio::test]
async fn whatever_json_comes_json_goes_back() {
    let daemon = daemon().await;
    let bodies =
        ["", "{}", "null", "[]", "0", "\"x\"", "{", "{\"task_id\":7}", "{\"limit\":-1}", "{\"a\":{\"b\":[1e999]}}"];
    for route in Route::ALL {
        for body in bodies {
            let told = ask(&daemon, &Ask::post(&daemon, route.path()).body(body)).await;
            assert_eq!(told.header("Content-Type"), Some("application/json"), "{route} {body:?}: {told:?}");
            let value: serde_json::Value = serde_json::from_slice(&told.body).expect("JSON");
            assert!(told.status < 500 || value["error"].is_string(), "{route} {body:?}: {told:?}");
            assert_secured(&told, route.path());
        }
    }
}
