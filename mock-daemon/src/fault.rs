//! What an HTTP mock cannot do: breaking the connection in every way a real network and a real crash do.
//!
//! Responsible for: closing, resetting, cutting short, lying about the length, dripping, babbling, keeping silent. Every
//! fault is played after the whole request was read and journalled. Not for: well-formed answers (`front`).

use std::time::Duration;

use crate::front::{Caller, Gone};
use crate::http::{Then, encode_head};
use crate::journal::Page;
use crate::script::Response;

/// How much of endless headers goes out as fast as the caller reads: more than the limit of any common client (Go's is
/// 10 MB). After that they come slowly, so that a caller without a limit does not eat up the machine's memory.
const ENDLESS_RUSH: usize = 16 << 20;

/// The pause between two pieces of endless headers after the rush.
const ENDLESS_PAUSE: Duration = Duration::from_millis(20);

/// One way to break an exchange. All but `Redirect` end the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Closes the connection without a byte.
    CloseAtOnce,
    /// Resets the connection (RST) without a byte.
    ResetAtOnce,
    /// Announces the whole body, sends the first `keep` bytes and breaks off.
    CutBody {
        /// The answer that is cut.
        response: Response,
        /// How much of its body goes out.
        keep: usize,
        /// Whether the connection is reset rather than closed.
        reset: bool,
    },
    /// Sends the whole body under a `Content-Length` that is not its length, then closes.
    WrongLength {
        /// The answer, with any `Content-Length` of its own left out.
        response: Response,
        /// The length that is claimed.
        claimed: usize,
    },
    /// Sends the head at once and the body in small pieces.
    Drip {
        /// The answer.
        response: Response,
        /// How many bytes a piece has; 0 counts as 1.
        chunk: usize,
        /// The pause before each piece.
        every: Duration,
    },
    /// Sends header after header until the caller hangs up.
    EndlessHeaders,
    /// Sends these bytes instead of HTTP and closes.
    Garbage(Vec<u8>),
    /// Sends the caller elsewhere. Start a second daemon there and read in its journal whether the token came along.
    Redirect {
        /// A status of the 3xx class.
        status: u16,
        /// The value of `Location`.
        location: String,
    },
    /// Never answers: the exchange ends when the caller hangs up.
    Silence,
}

/// Plays a fault; says whether the connection can still be used.
pub(crate) async fn play(fault: Fault, caller: &mut Caller, page: &Page) -> Result<Then, Gone> {
    match fault {
        Fault::CloseAtOnce => {}
        Fault::ResetAtOnce => caller.reset_when_closed(),
        Fault::CutBody { response, keep, reset } => {
            caller.wait(response.delay).await?;
            let kept = &response.body[..keep.min(response.body.len())];
            page.answered(response.status, kept);
            let mut bytes = encode_head(&response, response.body.len(), Then::Keep);
            bytes.extend_from_slice(kept);
            caller.write(&bytes).await?;
            if reset {
                caller.reset_when_closed();
            }
        }
        Fault::WrongLength { mut response, claimed } => {
            caller.wait(response.delay).await?;
            page.answered(response.status, &response.body);
            response.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Content-Length"));
            let mut bytes = encode_head(&response, claimed, Then::Keep);
            bytes.extend_from_slice(&response.body);
            caller.write(&bytes).await?;
        }
        Fault::Drip { response, chunk, every } => {
            caller.wait(response.delay).await?;
            page.answered(response.status, &response.body);
            caller.write(&encode_head(&response, response.body.len(), Then::Close)).await?;
            for piece in response.body.chunks(chunk.max(1)) {
                caller.wait(every).await?;
                caller.write(piece).await?;
            }
        }
        Fault::EndlessHeaders => endless_headers(caller, page).await?,
        Fault::Garbage(bytes) => caller.write(&bytes).await?,
        Fault::Redirect { status, location } => {
            let response = Response::text(status, "").with_header("Location", location);
            page.answered(status, b"");
            caller.write(&encode_head(&response, 0, Then::Keep)).await?;
            return Ok(Then::Keep);
        }
        Fault::Silence => return Err(caller.gone().await),
    }
    Ok(Then::Close)
}

async fn endless_headers(caller: &mut Caller, page: &Page) -> Result<(), Gone> {
    page.answered(200, b"");
    caller.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n").await?;
    let filler = "x".repeat(1_000);
    let mut sent = 0;
    for number in 0_u64.. {
        let line = format!("X-Filler-{number}: {filler}\r\n");
        caller.write(line.as_bytes()).await?;
        sent += line.len();
        if sent > ENDLESS_RUSH {
            caller.wait(ENDLESS_PAUSE).await?;
        }
    }
    Ok(())
}
