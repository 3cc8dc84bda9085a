//! wiremock's own mocks in front of the world.
//!
//! Responsible for: the wiremock server on which tests mount mocks for this daemon, asking it before the world is asked, and
//! bringing back what a mock says. It is started with the first mock, so that a daemon without mocks does not pay for it.
//! Not for: rules and faults (`script`, `fault`), which come before, nor for the world as a responder (`respond`).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use wiremock::MockServer;

use crate::http::Head;
use crate::read::owned;
use crate::script::Response;

/// How many connections the kernel may keep waiting for the server.
const BACKLOG: u32 = 1024;

/// How many headers an answer of a mock may have.
const HEADERS_LIMIT: usize = 256;

/// Headers that belong to the caller's connection, or to ours, and not to what is said over it.
const OF_THE_CONNECTION: [&str; 8] =
    ["Connection", "Content-Length", "Expect", "HTTP2-Settings", "Keep-Alive", "TE", "Transfer-Encoding", "Upgrade"];

/// Headers of an answer that the front writes itself, or that a daemon does not send.
const OF_THE_SERVER: [&str; 4] = ["Connection", "Content-Length", "Date", "Transfer-Encoding"];

/// Starts a server without mocks.
pub(crate) async fn start() -> io::Result<MockServer> {
    // Not left to the builder, which panics where it cannot bind.
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let listener = socket.listen(BACKLOG)?.into_std()?;
    // The journal has every request already.
    Ok(MockServer::builder().listener(listener).disable_request_recording().start().await)
}

/// What the mocks say to a request; none when no mock is meant by it. An error means that a mock breaks the connection.
pub(crate) async fn ask(server: SocketAddr, head: &Head, body: &[u8]) -> io::Result<Option<Response>> {
    let mut stream = TcpStream::connect(server).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&request(head, body)).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let response = response(&bytes)?;
    // What wiremock says when no mock matches. The control plane has no such answer: its 404s say something.
    let unmatched = response.status == 404 && response.body.is_empty() && response.headers.is_empty();
    Ok((!unmatched).then_some(response))
}

/// The request as the mocks see it: as it came, on a connection of its own.
fn request(head: &Head, body: &[u8]) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\r\n", head.method, head.target);
    for (name, value) in &head.headers {
        if !OF_THE_CONNECTION.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            text.extend([name, ": ", value, "\r\n"]);
        }
    }
    text.extend(["Connection: close\r\nContent-Length: ", &body.len().to_string(), "\r\n\r\n"]);
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Reads an answer that ends with its connection.
fn response(bytes: &[u8]) -> io::Result<Response> {
    let mut slots = [httparse::EMPTY_HEADER; HEADERS_LIMIT];
    let mut response = httparse::Response::new(&mut slots);
    let length = match response.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Err(io::ErrorKind::UnexpectedEof.into()),
        Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    };
    let status = response.code.unwrap_or_default();
    let mut headers = owned(response.headers);
    headers.retain(|(name, _)| !OF_THE_SERVER.iter().any(|own| own.eq_ignore_ascii_case(name)));
    Ok(Response { status, headers, body: bytes[length..].to_vec(), ..Response::default() })
}
