//! A client that hides nothing: bytes out, bytes in.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, Options};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Far longer than anything here takes: a bound on failure, never an oracle.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The deadline for what must happen in a test.
pub(crate) fn soon() -> Instant {
    Instant::now() + PATIENCE
}

/// A daemon with all defaults.
pub(crate) async fn daemon() -> Daemon {
    Daemon::start(Options::default()).await.expect("a daemon starts")
}

/// What a request says; everything can be set.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    /// A good POST of `{}` to this daemon.
    pub(crate) fn post(daemon: &Daemon, target: &str) -> Self {
        Self {
            method: "POST".into(),
            target: target.into(),
            headers: vec![
                ("Host".into(), daemon.address().to_string()),
                ("Authorization".into(), format!("Bearer {}", daemon.token())),
            ],
            body: b"{}\n".to_vec(),
        }
    }

    pub(crate) fn method(mut self, method: &str) -> Self {
        self.method = method.into();
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets a header, or takes it away.
    pub(crate) fn with(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.extend([name, ": ", value, "\r\n"]);
        }
        if !self.body.is_empty() {
            text.extend(["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        text += "\r\n";
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    /// Status line and headers, as they came.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Told {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }
}

/// One connection.
pub(crate) struct Raw {
    stream: TcpStream,
    buffered: Vec<u8>,
}

impl Raw {
    pub(crate) async fn to(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.expect("it listens"), buffered: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the daemon reads");
    }

    /// Says that nothing more is sent.
    pub(crate) async fn finish(&mut self) {
        self.stream.shutdown().await.expect("still connected");
    }

    /// Reads one answer, framed by its `Content-Length`.
    pub(crate) async fn told(&mut self) -> io::Result<Told> {
        timeout(PATIENCE, self.read_answer(true)).await.expect("an answer in time")
    }

    /// Reads the head of an answer, and of its body whatever came with it.
    pub(crate) async fn head(&mut self) -> io::Result<Told> {
        timeout(PATIENCE, self.read_answer(false)).await.expect("an answer in time")
    }

    async fn read_answer(&mut self, whole: bool) -> io::Result<Told> {
        let end = loop {
            if let Some(end) = self.buffered.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8(self.buffered.drain(..end).collect()).expect("text");
        let status = head[9..12].parse().expect("a status");
        let mut told = Told { status, head, body: Vec::new() };
        if whole {
            let length = told.header("Content-Length").map_or(0, |value| value.parse().expect("a length"));
            while self.buffered.len() < length {
                self.more().await?;
            }
            told.body = self.buffered.drain(..length).collect();
        }
        Ok(told)
    }

    /// Reads to the end of the connection: the bytes, and how it ended.
    pub(crate) async fn rest(&mut self) -> (Vec<u8>, io::Result<()>) {
        let ended = timeout(PATIENCE, self.stream.read_to_end(&mut self.buffered)).await.expect("an end in time");
        (std::mem::take(&mut self.buffered), ended.map(drop))
    }

    /// Reads exactly this many bytes.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<u8> {
        let enough = async {
            while self.buffered.len() < count {
                self.more().await.expect("more bytes");
            }
        };
        timeout(PATIENCE, enough).await.expect("bytes in time");
        self.buffered.drain(..count).collect()
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffered).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// Asks on a connection of its own.
pub(crate) async fn ask(daemon: &Daemon, ask: &Ask) -> Told {
    let mut raw = Raw::to(daemon.address()).await;
    raw.send(&ask.bytes()).await;
    raw.told().await.expect("an answer")
}
