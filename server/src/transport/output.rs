//! Lines out: composing them without re-spelling raw parts, and writing them one after the other.

use std::io;

use rmcp::model::ErrorData;
use serde_json::value::RawValue;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use super::envelope::Id;
use crate::json::Object;

/// The member that names the server on results of revisions without a handshake.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Where lines go to be written. Putting one there never waits, so a reader may do it at any point.
#[derive(Debug, Clone)]
pub(super) struct Outbox(mpsc::UnboundedSender<Out>);

#[derive(Debug)]
enum Out {
    Line(String),
    Flush(oneshot::Sender<()>),
}

impl Outbox {
    /// An outbox, and the task that empties it into `writer`; the task ends with the last outbox or an error.
    pub(super) fn new<W>(writer: W) -> (Self, impl Future<Output = io::Result<()>> + Send + 'static)
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), write_all(writer, receiver))
    }

    /// Puts a message there; it becomes one line.
    pub(super) fn line(&self, mut text: String) {
        debug_assert!(!text.contains('\n'), "a message is one line");
        text.push('\n');
        // With the writer gone there is nobody to tell.
        let _ = self.0.send(Out::Line(text));
    }

    /// Resolves when everything put there before is written.
    pub(super) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.0.send(Out::Flush(done)).is_ok() {
            let _ = written.await;
        }
    }
}

async fn write_all<W: AsyncWrite + Unpin>(mut writer: W, mut lines: mpsc::UnboundedReceiver<Out>) -> io::Result<()> {
    while let Some(out) = lines.recv().await {
        match out {
            Out::Line(line) => {
                writer.write_all(line.as_bytes()).await?;
                if lines.is_empty() {
                    writer.flush().await?;
                }
            }
            Out::Flush(done) => {
                writer.flush().await?;
                let _ = done.send(());
            }
        }
    }
    writer.flush().await
}

/// A response. `result` is an object; the raw parts are put into it as they are.
pub(super) fn result_line(id: &str, mut result: String, structured: Option<&RawValue>, modern: bool) -> String {
    let mut add = |name: &str, value: &str| {
        let empty = result == "{}";
        result.pop();
        if !empty {
            result.push(',');
        }
        result.push('"');
        result.push_str(name);
        result.push_str("\":");
        result.push_str(value);
        result.push('}');
    };
    if let Some(structured) = structured {
        add("structuredContent", structured.get());
    }
    if modern {
        add("_meta", &Object::new().raw(SERVER_INFO, crate::server::implementation_json()).finish());
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// An error response; the id is `null` when it could not be read.
pub(super) fn error_line(id: Option<&Id>, error: &ErrorData) -> String {
    let mut inner = Object::new();
    inner.raw("code", &error.code.0.to_string()).text("message", &error.message);
    if let Some(data) = &error.data {
        inner.raw("data", &data.to_string());
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{}}}", id.map_or("null", Id::as_json), inner.finish())
}
