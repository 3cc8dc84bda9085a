//! Serving one client on a pair of streams, from the first byte to an end in time.
//!
//! Responsible for putting transport, SDK and handler together and for being gone 2 seconds after the input ended,
//! whatever the daemon or the client does. Serves R15.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{QuitReason, serve_directly};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::control::Control;
use crate::home::Home;
use crate::server::Server;
use crate::transport::{self, Phase};

/// From the end of the input to the end of the server: within the 2 seconds that a client may count on.
const LONGEST_END: Duration = Duration::from_millis(1900);

/// What a server needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which daemon it speaks for.
    pub home: Home,
}

impl Settings {
    /// For the daemon of this data directory.
    pub fn for_data_dir(data_dir: impl Into<std::path::PathBuf>) -> Self {
        Self { home: Home::at(data_dir) }
    }
}

/// Why serving ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no HTTP client to call the daemon with.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
    /// The client no longer takes answers.
    #[error("answers can no longer be written: {0}")]
    Write(#[from] io::Error),
    /// The loop of the SDK broke.
    #[error("the session broke off: {0}")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves one client until its input ends, then writes what is still due and returns within 2 seconds.
///
/// Must be called inside a Tokio runtime with time and IO enabled.
pub async fn serve<R, W>(settings: Settings, reader: R, writer: W) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    serve_until(settings, reader, writer, std::future::pending()).await
}

/// The same, with `stop` as a second way to end the input.
pub(crate) async fn serve_until<R, W>(
    settings: Settings,
    reader: R,
    writer: W,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let control = Arc::new(Control::new(settings.home)?);
    let transport::Opened { transport, session, writing } = transport::open(reader, writer, stop);
    // Without the SDK's own opening: it would end at the first message that is not a handshake.
    let running = serve_directly(Server::new(control, session.clone()), transport, None);
    let overdue = async {
        session.reached(Phase::Draining).await;
        tokio::time::sleep(LONGEST_END).await;
    };
    tokio::select! {
        quit = running.waiting() => match quit? {
            QuitReason::JoinError(error) => Err(error.into()),
            _ => Ok(()),
        },
        written = writing => written?.map_err(ServeError::from),
        () = overdue => Ok(()),
    }
}
