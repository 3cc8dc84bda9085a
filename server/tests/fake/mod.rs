//! A daemon of a hundred lines: answers what a test tells it to and remembers what it was asked.

#![allow(dead_code, reason = "shared by two test crates, and each uses its part")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The token that the fake accepts.
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef";

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What to answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) delay: Duration,
    /// Close the connection instead of answering.
    pub(crate) broken: bool,
}

impl Reply {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), delay: Duration::ZERO, broken: false }
    }

    pub(crate) fn broken() -> Self {
        Self { broken: true, ..Self::ok("") }
    }

    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// The daemon, until it is dropped.
pub(crate) struct Fake {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    stopped: AtomicBool,
    hang_ups: AtomicUsize,
    seen: Mutex<Vec<Seen>>,
    answer: Box<dyn Fn(&Seen) -> Reply + Send + Sync>,
}

impl Fake {
    pub(crate) fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(State {
            stopped: AtomicBool::new(false),
            hang_ups: AtomicUsize::new(0),
            seen: Mutex::default(),
            answer: Box::new(answer),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if shared.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let shared = shared.clone();
                std::thread::spawn(move || connection.map(|connection| shared.converse(&connection)));
            }
        });
        Self { address, state }
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().expect("no test panics while holding it").clone()
    }

    pub(crate) fn hang_ups(&self) -> usize {
        self.state.hang_ups.load(Ordering::SeqCst)
    }

    /// A data directory as a daemon leaves it, pointing here.
    pub(crate) fn home(&self) -> TempDir {
        let home = tempfile::tempdir().expect("a temporary directory");
        self.write_home(home.path());
        home
    }

    pub(crate) fn write_home(&self, data_dir: &Path) {
        write_home(data_dir, &self.address(), TOKEN);
    }
}

/// Writes what a daemon writes.
pub(crate) fn write_home(data_dir: &Path, address: &str, token: &str) {
    fs::create_dir_all(data_dir).expect("a directory");
    fs::set_permissions(data_dir, fs::Permissions::from_mode(0o700)).expect("permissions");
    fs::write(data_dir.join("config.json"), format!("{{\"control_addr\":\"{address}\",\"name\":\"n\"}}"))
        .expect("a file");
    let path = data_dir.join("control_token.txt");
    fs::write(&path, format!("{token}\n")).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("permissions");
}

/// Waits until something has happened; a bound on failure, not a pause.
pub(crate) fn eventually(what: &str, happened: impl Fn() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < Duration::from_secs(10), "waited for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl State {
    fn converse(&self, connection: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(connection);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.to_ascii_lowercase();
        let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let path = head.split(' ').nth(1)?.to_owned();
        let seen = Seen { path, head: head.clone(), body: String::from_utf8(body).ok()? };
        self.seen.lock().ok()?.push(seen.clone());
        let authorized = head.lines().any(|line| line.eq_ignore_ascii_case(&format!("authorization: Bearer {TOKEN}")));
        let reply = if authorized { (self.answer)(&seen) } else { Reply::status(401, "unauthorized\n") };
        let until = Instant::now() + reply.delay;
        connection.set_read_timeout(Some(Duration::from_millis(10))).ok()?;
        while Instant::now() < until {
            if matches!(connection.peek(&mut [0]), Ok(0)) {
                self.hang_ups.fetch_add(1, Ordering::SeqCst);
                return None;
            }
        }
        if reply.broken {
            return None;
        }
        let mut writer = connection;
        let head = format!(
            "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            reply.status,
            reply.body.len()
        );
        writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&reply.body)).ok()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // One last connection wakes the listener, which then closes its port.
        let _ = TcpStream::connect(self.address);
        eventually("the port to be closed", || TcpStream::connect(self.address).is_err());
    }
}
