//! JSON-RPC over lines, as our own `Transport` of the SDK.
//!
//! Responsible for bytes: arguments and results keep their spelling, ids come back as they came, and whatever a line
//! holds, the next one is served. The SDK sees well-formed requests under numbers of our own and shapes the results
//! for the revision in use. Serves R7 and R15.

mod envelope;
mod intake;
mod output;
mod session;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, NumberOrString, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub(crate) use session::{Call, Phase, Session, Structured};

use output::Outbox;

/// What the SDK reads from and writes to.
pub(crate) struct LineTransport {
    session: Arc<Session>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    outbox: Outbox,
}

/// An opened transport, the state it shares, and the task that writes.
pub(crate) struct Opened {
    /// For the SDK.
    pub(crate) transport: LineTransport,
    /// For the handler, and for whoever waits for the end.
    pub(crate) session: Arc<Session>,
    /// Ends early only when the writer fails.
    pub(crate) writing: JoinHandle<io::Result<()>>,
}

/// Starts reading and writing. `stop` resolving counts as the end of the input.
pub(crate) fn open<R, W>(reader: R, writer: W, stop: impl Future<Output = ()> + Send + 'static) -> Opened
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (outbox, writing) = Outbox::new(writer);
    let session = Arc::new(Session::new(outbox.clone()));
    // A few messages ahead are enough: the SDK starts each at once.
    let (sender, messages) = mpsc::channel(16);
    tokio::spawn(intake::run(reader, session.clone(), sender, stop));
    let transport = LineTransport { session: session.clone(), messages, outbox };
    Opened { transport, session, writing: tokio::spawn(writing) }
}

impl Transport<RoleServer> for LineTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let number = |id: &RequestId| match id {
            NumberOrString::Number(number) => *number,
            NumberOrString::String(_) => 0,
        };
        match message {
            JsonRpcMessage::Response(response) => match serde_json::to_string(&response.result) {
                Ok(result) => self.session.land(number(&response.id), Ok(result)),
                Err(error) => {
                    let error =
                        rmcp::ErrorData::internal_error(format!("The result cannot be written: {error}."), None);
                    self.session.land(number(&response.id), Err(&error));
                }
            },
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.session.land(number(id), Err(&error.error));
                }
            }
            // This server asks its client nothing and tells it nothing unasked.
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outbox.flush().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
