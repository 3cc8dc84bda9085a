//! A small HTTP proxy between the reference and the daemon that lets a mutant change requests and answers.

use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::table::Mutant;

/// A request on its way to the daemon. The mutant may change everything.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The HTTP method.
    pub(super) method: String,
    /// The path.
    pub(super) path: String,
    /// The header lines, without those that the proxy writes itself (Host, Content-Length, Connection).
    pub(super) headers: Vec<String>,
    /// The body.
    pub(super) body: String,
    /// How often it is sent; more than once for a mutant that retries.
    pub(super) times: usize,
}

/// An answer on its way to the server.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The status.
    pub(super) status: u16,
    /// The body.
    pub(super) body: Vec<u8>,
}

/// Listens on a port of its own and serves until the process ends.
pub(super) async fn start(daemon: String, mutant: Arc<Mutant>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((caller, _)) = listener.accept().await {
            let (daemon, mutant) = (daemon.clone(), Arc::clone(&mutant));
            tokio::spawn(async move {
                // A caller that hangs up ends its connection and nothing else.
                let _ = relay(caller, &daemon, &mutant).await;
            });
        }
    });
    Ok(address)
}

async fn relay(mut caller: TcpStream, daemon: &str, mutant: &Mutant) -> io::Result<()> {
    let (head, body) = read_message(&mut caller).await?;
    let mut lines = head.lines();
    let mut start = lines.next().unwrap_or_default().split(' ');
    let mut request = Request {
        method: start.next().unwrap_or_default().to_owned(),
        path: start.next().unwrap_or_default().to_owned(),
        headers: lines.filter(|line| !line.is_empty() && !ours(line)).map(str::to_owned).collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
        times: 1,
    };
    if let Some(change) = mutant.request {
        change(&mut request);
    }
    let mut answer = Answer { status: 502, body: Vec::new() };
    for _ in 0..request.times {
        let mut upstream = TcpStream::connect(daemon).await?;
        upstream.write_all(&written(&request, daemon)).await?;
        // A caller that hangs up takes the request to the daemon with it, unless the mutant is about just that.
        let mut one = [0_u8; 1];
        let response = tokio::select! {
            response = read_message(&mut upstream) => response?,
            gone = caller.read(&mut one), if !mutant.ignores_hang_up => { gone?; return Ok(()) }
        };
        answer.status = response.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(502);
        answer.body = response.1;
    }
    if let Some(change) = mutant.answer {
        change(&mut answer);
    }
    let head = format!(
        "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.body.len()
    );
    caller.write_all(head.as_bytes()).await?;
    caller.write_all(&answer.body).await
}

/// Headers that the proxy writes itself.
fn ours(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
    matches!(name.as_str(), "host" | "content-length" | "connection" | "transfer-encoding")
}

fn written(request: &Request, daemon: &str) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\nHost: {daemon}\r\n", request.method, request.path);
    for line in &request.headers {
        head.push_str(line);
        head.push_str("\r\n");
    }
    let _ = write!(head, "Content-Length: {}\r\nConnection: close\r\n\r\n", request.body.len());
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(request.body.as_bytes());
    bytes
}

/// Reads one HTTP message: its head as text, and its body by Content-Length, or to the end of the connection if it is an
/// answer without one.
async fn read_message(stream: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = bytes.split_off(end);
    match length {
        Some(length) => {
            while body.len() < length {
                if stream.read_buf(&mut body).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            body.truncate(length);
        }
        None if head.starts_with("HTTP/") => {
            stream.read_to_end(&mut body).await?;
        }
        None => {}
    }
    Ok((head, body))
}
