//! Reading HTTP/1.1 from a connection, byte by byte.
//!
//! Responsible for: one request (head, `Content-Length` and chunked bodies, `Expect: 100-continue`), the limits of
//! control-plane 1.7, and what is told to a caller whose bytes are no request. Not for: what the request means (`http`,
//! `guard`).

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

use crate::http::Head;
use crate::script::Response;

/// How much of a head is read before the request is refused: the limit of Go's HTTP server.
const HEAD_LIMIT: usize = 1 << 20;

/// How many headers one request may have. Far above what any client sends.
const HEADERS_LIMIT: usize = 256;

/// The general limit of a request body (control-plane 1.7).
const BODY_LIMIT: u64 = 1 << 30;

/// How long a caller may take from the first byte of a head to its last (control-plane 1.7).
pub(crate) const HEAD_PATIENCE: Duration = Duration::from_secs(5);

/// One whole request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The request line and the headers.
    pub(crate) head: Head,
    /// The body, its framing undone.
    pub(crate) body: Vec<u8>,
    /// When the head was complete.
    pub(crate) at: Instant,
}

/// Why there is no request.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The caller closed between two requests: no fault.
    Closed,
    /// What came is no request, or ended before it was whole.
    Malformed(Box<Malformed>),
}

/// What came instead of a request.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// The head, as far as there was one.
    pub(crate) head: Head,
    /// The bytes: of the body when the head could be read, else all.
    pub(crate) bytes: Vec<u8>,
    /// When that was clear.
    pub(crate) at: Instant,
    /// What to answer, or none when the caller is gone or too slow to be told.
    pub(crate) answer: Option<Response>,
    /// Whether the caller closed the connection itself.
    pub(crate) hung_up: bool,
}

/// Reads one request. `buffered` holds bytes that were already read and keeps those that belong to the next request.
pub(crate) async fn read_request<S>(
    stream: &mut S,
    buffered: &mut Vec<u8>,
    patience: Duration,
) -> Result<Request, Unreadable>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let head = read_head(stream, buffered, patience).await?;
    let at = Instant::now();
    let mut body = Vec::new();
    match read_body(stream, buffered, &head, &mut body).await {
        Ok(()) => Ok(Request { head, body, at }),
        Err(fault) => Err(fault.into_unreadable(head, body)),
    }
}

/// Why a part of a request could not be read.
enum Fault {
    /// The caller closed or reset the connection.
    Gone,
    /// The caller took too long.
    Slow,
    /// The bytes are against the protocol: the status and the words of the answer.
    Bad(u16, &'static str),
}

impl Fault {
    fn into_unreadable(self, head: Head, bytes: Vec<u8>) -> Unreadable {
        let answer = match self {
            Self::Gone | Self::Slow => None,
            Self::Bad(status, words) => Some(Response::text(status, words)),
        };
        let hung_up = matches!(self, Self::Gone);
        Unreadable::Malformed(Box::new(Malformed { head, bytes, at: Instant::now(), answer, hung_up }))
    }
}

/// Reads up to the empty line and takes the head out of `buffered`.
async fn read_head<S>(stream: &mut S, buffered: &mut Vec<u8>, patience: Duration) -> Result<Head, Unreadable>
where
    S: AsyncRead + Unpin,
{
    let mut until = (!buffered.is_empty()).then(|| Instant::now() + patience);
    loop {
        let fault = match parse_head(buffered) {
            Ok(Some((head, length))) => {
                buffered.drain(..length);
                return match host_fault(&head) {
                    None => Ok(head),
                    Some(fault) => Err(fault.into_unreadable(head, std::mem::take(buffered))),
                };
            }
            Ok(None) if buffered.len() > HEAD_LIMIT => Fault::Bad(431, "431 Request Header Fields Too Large"),
            Ok(None) => match more(stream, buffered, until).await {
                Ok(()) => {
                    until.get_or_insert_with(|| Instant::now() + patience);
                    continue;
                }
                Err(fault) => fault,
            },
            Err(fault) => fault,
        };
        if buffered.is_empty() {
            return Err(Unreadable::Closed);
        }
        return Err(fault.into_unreadable(Head::default(), std::mem::take(buffered)));
    }
}

/// Parses a head, or says that it is not all there yet.
fn parse_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, Fault> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_LIMIT];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::TooManyHeaders) => Err(Fault::Bad(431, "431 Request Header Fields Too Large")),
        Err(httparse::Error::Version) => {
            Err(Fault::Bad(505, "505 HTTP Version Not Supported: unsupported protocol version"))
        }
        Err(_) => Err(Fault::Bad(400, "400 Bad Request")),
        Ok(httparse::Status::Complete(length)) => {
            let head = Head {
                method: request.method.unwrap_or_default().to_owned(),
                target: request.path.unwrap_or_default().to_owned(),
                minor: request.version.unwrap_or(1),
                headers: owned(request.headers),
            };
            Ok(Some((head, length)))
        }
    }
}

/// Copies parsed headers, with bytes that are not UTF-8 replaced.
pub(crate) fn owned(headers: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    headers.iter().map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())).collect()
}

/// HTTP/1.1 asks for exactly one `Host`: Go's server refuses the rest before any handler sees it.
fn host_fault(head: &Head) -> Option<Fault> {
    match head.values("Host").count() {
        0 if head.minor == 1 => Some(Fault::Bad(400, "400 Bad Request: missing required Host header")),
        0 | 1 => None,
        _ => Some(Fault::Bad(400, "400 Bad Request: too many Host headers")),
    }
}

/// How the end of a body is told.
enum Framing {
    Length(u64),
    Chunked,
}

fn framing(head: &Head) -> Result<Framing, Fault> {
    if let Some(coding) = head.header("Transfer-Encoding") {
        return if coding.trim().eq_ignore_ascii_case("chunked") {
            Ok(Framing::Chunked)
        } else {
            Err(Fault::Bad(501, "501 Not Implemented: unsupported transfer encoding"))
        };
    }
    let mut length = None;
    for value in head.values("Content-Length") {
        let value = value.trim();
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let this = value.parse::<u64>().ok().filter(|_| digits);
        match (this, length) {
            (None, _) => return Err(Fault::Bad(400, "400 Bad Request: bad Content-Length")),
            (Some(this), Some(before)) if this != before => {
                return Err(Fault::Bad(400, "400 Bad Request: several Content-Length headers"));
            }
            (Some(this), _) => length = Some(this),
        }
    }
    Ok(Framing::Length(length.unwrap_or(0)))
}

async fn read_body<S>(stream: &mut S, buffered: &mut Vec<u8>, head: &Head, body: &mut Vec<u8>) -> Result<(), Fault>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let framing = framing(head)?;
    let expects = match head.header("Expect") {
        None => false,
        Some(value) if value.trim().eq_ignore_ascii_case("100-continue") => true,
        Some(_) => return Err(Fault::Bad(417, "417 Expectation Failed")),
    };
    if expects && !matches!(framing, Framing::Length(0)) && buffered.is_empty() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| Fault::Gone)?;
    }
    match framing {
        Framing::Length(length) if length > BODY_LIMIT => Err(Fault::Bad(413, "413 Request Entity Too Large")),
        Framing::Length(length) => read_exactly(stream, buffered, length, body).await,
        Framing::Chunked => read_chunks(stream, buffered, body).await,
    }
}

/// Moves `length` more bytes into the body; what came so far stays there when the caller goes away.
async fn read_exactly<S>(stream: &mut S, buffered: &mut Vec<u8>, length: u64, body: &mut Vec<u8>) -> Result<(), Fault>
where
    S: AsyncRead + Unpin,
{
    let mut missing = length;
    loop {
        let here = usize::try_from(missing).unwrap_or(usize::MAX).min(buffered.len());
        body.extend(buffered.drain(..here));
        missing -= here as u64;
        if missing == 0 {
            return Ok(());
        }
        more(stream, buffered, None).await?;
    }
}

async fn read_chunks<S>(stream: &mut S, buffered: &mut Vec<u8>, body: &mut Vec<u8>) -> Result<(), Fault>
where
    S: AsyncRead + Unpin,
{
    const BAD: Fault = Fault::Bad(400, "400 Bad Request: bad chunk");
    loop {
        let size = loop {
            match httparse::parse_chunk_size(buffered) {
                Ok(httparse::Status::Complete((line, size))) => {
                    buffered.drain(..line);
                    break size;
                }
                Ok(httparse::Status::Partial) => more(stream, buffered, None).await?,
                Err(_) => return Err(BAD),
            }
        };
        if size == 0 {
            return skip_trailers(stream, buffered).await;
        }
        if size.saturating_add(body.len() as u64) > BODY_LIMIT {
            return Err(Fault::Bad(413, "413 Request Entity Too Large"));
        }
        read_exactly(stream, buffered, size, body).await?;
        let mut end = Vec::new();
        read_exactly(stream, buffered, 2, &mut end).await?;
        if end != b"\r\n" {
            return Err(BAD);
        }
    }
}

/// Reads lines up to the empty one that ends a chunked body.
async fn skip_trailers<S>(stream: &mut S, buffered: &mut Vec<u8>) -> Result<(), Fault>
where
    S: AsyncRead + Unpin,
{
    let mut seen = 0;
    loop {
        if let Some(end) = buffered.iter().position(|&byte| byte == b'\n') {
            let empty = matches!(&buffered[..end], b"" | b"\r");
            buffered.drain(..=end);
            seen += end;
            if empty {
                return Ok(());
            }
        } else if seen + buffered.len() > HEAD_LIMIT {
            return Err(Fault::Bad(400, "400 Bad Request: trailers too long"));
        } else {
            more(stream, buffered, None).await?;
        }
    }
}

/// Appends what the caller sends next.
async fn more<S>(stream: &mut S, buffered: &mut Vec<u8>, until: Option<Instant>) -> Result<(), Fault>
where
    S: AsyncRead + Unpin,
{
    // Small enough not to waste memory on hundreds of waiting callers, large enough for a usual request in one read.
    buffered.reserve(8 * 1024);
    let read = stream.read_buf(buffered);
    let read = match until {
        None => read.await,
        Some(until) => tokio::time::timeout_at(until, read).await.map_err(|_| Fault::Slow)?,
    };
    match read {
        Ok(0) | Err(_) => Err(Fault::Gone),
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A caller that sends these pieces, one a read, and then closes.
    async fn read(pieces: &[&[u8]]) -> (Result<Request, Unreadable>, Vec<u8>) {
        let mut builder = tokio_pieces(pieces);
        let mut buffered = Vec::new();
        let request = read_request(&mut builder, &mut buffered, HEAD_PATIENCE).await;
        (request, buffered)
    }

    /// A stream of pieces; what is written to it is dropped.
    struct Pieces(std::collections::VecDeque<Vec<u8>>);

    fn tokio_pieces(pieces: &[&[u8]]) -> Pieces {
        Pieces(pieces.iter().map(|piece| piece.to_vec()).collect())
    }

    impl AsyncRead for Pieces {
        fn poll_read(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            into: &mut tokio::io::ReadBuf<'_>,
        ) -> std::task::Poll<io::Result<()>> {
            if let Some(mut piece) = self.0.pop_front() {
                let rest = piece.split_off(piece.len().min(into.remaining()));
                into.put_slice(&piece);
                if !rest.is_empty() {
                    self.0.push_front(rest);
                }
            }
            std::task::Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Pieces {
        fn poll_write(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            bytes: &[u8],
        ) -> std::task::Poll<io::Result<usize>> {
            std::task::Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<io::Result<()>> {
            std::task::Poll::Ready(Ok(()))
        }

        fn poll_shutdown(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<io::Result<()>> {
            std::task::Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_request_is_whole_wherever_it_is_cut() {
        let whole = b"POST /status?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nabcdGET";
        for cut in 1..whole.len() - 3 {
            let (request, rest) = read(&[&whole[..cut], &whole[cut..]]).await;
            let request = request.expect("a request");
            assert_eq!(request.body, b"abcd");
            assert_eq!((request.head.path(), request.head.query()), ("/status", Some("a=b")));
            assert_eq!(rest, b"GET", "what follows stays for the next request");
        }
    }

    #[tokio::test]
    async fn chunks_are_joined_wherever_they_are_cut() {
        let whole = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\nX";
        for cut in 1..whole.len() {
            let (request, rest) = read(&[&whole[..cut], &whole[cut..]]).await;
            assert_eq!(request.expect("a request").body, b"abcde");
            assert!(rest.is_empty() || rest == b"X");
        }
    }

    #[tokio::test]
    async fn what_is_no_request_is_answered_with_its_status() {
        let table: [(&[u8], u16); 8] = [
            (b"\x16\x03\x01\x02\x00", 400),
            (b"hello\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ];
        for (bytes, status) in table {
            match read(&[bytes]).await.0 {
                Err(Unreadable::Malformed(malformed)) => {
                    assert_eq!(malformed.answer.map(|answer| answer.status), Some(status), "{bytes:?}");
                }
                other => panic!("{bytes:?} gave {other:?}"),
            }
        }
        assert!(matches!(read(&[]).await.0, Err(Unreadable::Closed)));
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_keeps_what_came() {
        let (request, _) = read(&[b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"]).await;
        let Err(Unreadable::Malformed(malformed)) = request else { panic!("{request:?}") };
        assert_eq!((malformed.bytes.as_slice(), malformed.hung_up), (b"abc".as_slice(), true));
        assert_eq!(malformed.head.method, "POST");
    }

    #[tokio::test]
    async fn a_caller_that_stalls_within_a_head_is_given_up() {
        let (mut near, mut far) = tokio::io::duplex(64);
        far.write_all(b"POST /st").await.expect("room for it");
        let request = read_request(&mut near, &mut Vec::new(), Duration::from_millis(1)).await;
        let Err(Unreadable::Malformed(malformed)) = request else { panic!("{request:?}") };
        assert_eq!(malformed.bytes, b"POST /st");
        assert!(malformed.answer.is_none() && !malformed.hung_up);
    }
}
