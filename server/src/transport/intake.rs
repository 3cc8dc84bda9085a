//! Lines in: reading them, and turning each into what the SDK understands or into an answer of our own.
//!
//! Responsible for surviving whatever a line holds, for the rules of the session that the SDK does not keep (batches,
//! ids in flight, requests before the handshake), and for the end of the input. Serves R15.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage,
    ClientNotification, ClientRequest, ErrorData, JsonObject, MetaObject, ProtocolVersion, RequestId,
    RequestMetaObject,
};
use rmcp::service::RxJsonRpcMessage;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

use super::envelope::{self, Id, Incoming};
use super::session::{Batch, Call, Phase, Session};
use crate::json::{self, Members};

/// The daemon takes bodies of up to 96 MiB; a line that carries one is longer by its envelope and its escapes.
const LINE_LIMIT: usize = 128 * 1024 * 1024;
/// At the end of the input, answers of a prompt daemon are still written; the process must be gone within 2 s.
const GRACE: Duration = Duration::from_millis(1500);
/// Room for a read: most messages arrive in one.
const READ_SIZE: usize = 16 * 1024;
/// How much of an overlong line is kept, to find its id.
const BEGINNING: usize = 64 * 1024;
/// The first revision with structured results.
const STRUCTURED_SINCE: ProtocolVersion = ProtocolVersion::V_2025_06_18;
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Reads lines until the input ends or `stop` resolves, then lets the session drain.
pub(super) async fn run<R: AsyncRead + Unpin>(
    mut reader: R,
    session: Arc<Session>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    stop: impl Future<Output = ()>,
) {
    let mut stop = std::pin::pin!(stop);
    let mut intake = Intake { session: session.clone(), messages };
    let mut lines = Lines::up_to(LINE_LIMIT);
    loop {
        let read = tokio::select! {
            read = lines.next(&mut reader) => read,
            () = &mut stop => break,
        };
        match read {
            Some(Line::Whole(bytes)) => intake.line(&bytes).await,
            Some(Line::TooLong(beginning)) => {
                let limit = LINE_LIMIT / (1024 * 1024);
                let error =
                    ErrorData::invalid_request(format!("The line is longer than {limit} MiB and was not read."), None);
                session.refuse(None, envelope::id_in(&beginning).as_ref(), &error);
            }
            None => break,
        }
    }
    session.enter(Phase::Draining);
    tokio::select! {
        () = session.landed() => {}
        () = tokio::time::sleep(GRACE) => tracing::info!("giving up calls that are still in flight"),
    }
    session.enter(Phase::Closing);
    // Dropping the channel is the end of the input for the SDK.
}

enum Line {
    Whole(Vec<u8>),
    TooLong(Vec<u8>),
}

/// Splits a stream into lines. Reading can be interrupted at any point without losing a byte.
struct Lines {
    limit: usize,
    buffer: Vec<u8>,
    /// How far the buffer holds no newline.
    searched: usize,
    /// The beginning of a line that is being thrown away.
    dropping: Option<Vec<u8>>,
    ended: bool,
}

impl Lines {
    fn up_to(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), searched: 0, dropping: None, ended: false }
    }

    async fn next<R: AsyncRead + Unpin>(&mut self, reader: &mut R) -> Option<Line> {
        loop {
            if let Some(at) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(self.searched + at + 1);
                let line = std::mem::replace(&mut self.buffer, rest);
                self.searched = 0;
                return Some(match self.dropping.take() {
                    Some(beginning) => Line::TooLong(beginning),
                    None => Line::Whole(line),
                });
            }
            self.searched = self.buffer.len();
            if self.dropping.is_some() || self.buffer.len() > self.limit {
                let mut dropped = std::mem::take(&mut self.buffer);
                self.searched = 0;
                dropped.truncate(BEGINNING);
                self.dropping.get_or_insert(dropped);
            }
            if self.ended {
                let line = std::mem::take(&mut self.buffer);
                self.searched = 0;
                return match self.dropping.take() {
                    Some(beginning) => Some(Line::TooLong(beginning)),
                    // A last line without its newline is still a line.
                    None => (!line.is_empty()).then_some(Line::Whole(line)),
                };
            }
            self.buffer.reserve(READ_SIZE);
            // A reader that fails has ended.
            self.ended = !matches!(reader.read_buf(&mut self.buffer).await, Ok(count) if count > 0);
        }
    }
}

struct Intake {
    session: Arc<Session>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
}

impl Intake {
    async fn line(&mut self, bytes: &[u8]) {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').trim_matches([' ', '\t', '\r', '\n']),
            Err(_) => {
                return self.parse_error(envelope::id_in(bytes).as_ref(), "The line is not text in UTF-8.");
            }
        };
        if text.is_empty() {
            return;
        }
        if serde_json::from_str::<&RawValue>(text).is_err() {
            return self.parse_error(None, "The line is not JSON.");
        }
        if text.starts_with('[') {
            self.batch(text).await;
        } else {
            self.message(envelope::read(text), None).await;
        }
    }

    fn parse_error(&self, id: Option<&Id>, message: &'static str) {
        self.session.refuse(None, id, &ErrorData::parse_error(message, None));
    }

    async fn batch(&mut self, text: &str) {
        let elements = json::elements(text).unwrap_or_default();
        let known = self.session.negotiated() == Some(ProtocolVersion::V_2025_03_26);
        let refusal = match (known, elements.is_empty()) {
            (false, _) => "Batches of messages belong to revision 2025-03-26 alone; send one message a line.",
            (true, true) => "The batch is empty.",
            (true, false) => {
                let batch = self.session.open_batch();
                for element in elements {
                    self.message(envelope::read(element.get()), Some(&batch)).await;
                }
                return batch.release();
            }
        };
        self.session.refuse(None, None, &ErrorData::invalid_request(refusal, None));
    }

    async fn message(&mut self, incoming: Incoming<'_>, batch: Option<&Arc<Batch>>) {
        match incoming {
            Incoming::Request { id, method, params } => {
                if let Some(batch) = batch {
                    batch.expect();
                }
                if let Err(error) = self.request(&id, &method, params, batch).await {
                    self.session.refuse(batch.map(Arc::as_ref), Some(&id), &error);
                }
            }
            Incoming::Notification { method, params } if method == "notifications/cancelled" => {
                self.cancel(params).await;
            }
            // No other notification changes anything here, whenever it comes.
            Incoming::Notification { method, .. } => tracing::debug!(%method, "notification"),
            Incoming::Answer => tracing::debug!("an answer to nothing"),
            Incoming::Mistake { id, error } => {
                if let Some(batch) = batch {
                    batch.expect();
                }
                self.session.refuse(batch.map(Arc::as_ref), id.as_ref(), &error);
            }
        }
    }

    async fn request(
        &mut self,
        id: &Id,
        method: &str,
        params: Option<&RawValue>,
        batch: Option<&Arc<Batch>>,
    ) -> Result<(), ErrorData> {
        if self.session.is_in_flight(id) {
            return Err(ErrorData::invalid_request("A request with this id is still being answered.", None));
        }
        let meta = read_meta(params)?;
        let version = stated_version(meta.as_ref())?;
        self.admit(method, version.as_deref(), batch.is_some())?;
        let modern = version.as_deref().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str());
        let structured =
            (modern || self.session.negotiated() >= Some(STRUCTURED_SINCE)).then(Arc::<OnceLock<_>>::default);
        let request =
            if method == "tools/call" { call(params, meta, structured.clone())? } else { plain(method, params)? };
        if let ClientRequest::InitializeRequest(request) = &request {
            self.session.settle_on(crate::server::negotiate(&request.params.protocol_version));
        }
        let names_server = modern && !matches!(request, ClientRequest::DiscoverRequest(_));
        // Nothing else takes requests in, so the id is still free.
        if let Some(number) = self.session.take_off(id, batch, names_server, structured) {
            let message = ClientJsonRpcMessage::request(request, RequestId::Number(number));
            let _ = self.messages.send(message).await;
        }
        Ok(())
    }

    /// What may be asked when: before a handshake only what needs none.
    fn admit(&self, method: &str, version: Option<&str>, in_batch: bool) -> Result<(), ErrorData> {
        if method == "initialize" && in_batch {
            return Err(ErrorData::invalid_request("initialize cannot be part of a batch.", None));
        }
        let open = self.session.negotiated().is_some() || version.is_some() || matches!(method, "initialize" | "ping");
        if open {
            return Ok(());
        }
        Err(ErrorData::invalid_params(
            format!(
                "Send initialize first, or state {VERSION_KEY} and io.modelcontextprotocol/clientCapabilities in params._meta."
            ),
            None,
        ))
    }

    async fn cancel(&mut self, params: Option<&RawValue>) {
        let members = params.and_then(|params| Members::of(params.get()));
        let id = members.as_ref().and_then(|members| members.value("requestId")).and_then(Id::of);
        let reason = members.as_ref().and_then(|members| members.text("reason"));
        // A cancellation of what is unknown or finished is no mistake: it crossed the answer.
        let Some(number) = id.and_then(|id| self.session.give_up(&id)) else {
            return;
        };
        let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), reason);
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
        let _ = self.messages.send(ClientJsonRpcMessage::notification(notification)).await;
    }
}

fn read_meta(params: Option<&RawValue>) -> Result<Option<JsonObject>, ErrorData> {
    let members = params.and_then(|params| Members::of(params.get()));
    let Some(meta) = members.and_then(|members| members.value("_meta")).filter(|meta| !json::is_null(meta)) else {
        return Ok(None);
    };
    serde_json::from_str(meta.get())
        .map(Some)
        .map_err(|_| ErrorData::invalid_params("params._meta is not an object that can be read.", None))
}

fn stated_version(meta: Option<&JsonObject>) -> Result<Option<String>, ErrorData> {
    match meta.and_then(|meta| meta.get(VERSION_KEY)) {
        None => Ok(None),
        Some(serde_json::Value::String(version)) => Ok(Some(version.clone())),
        Some(_) => Err(ErrorData::invalid_params(format!("params._meta[\"{VERSION_KEY}\"] is not a string."), None)),
    }
}

/// A `tools/call` whose arguments stay in their own bytes.
fn call(
    params: Option<&RawValue>,
    meta: Option<JsonObject>,
    structured: Option<super::session::Structured>,
) -> Result<ClientRequest, ErrorData> {
    let refuse = |what: &'static str| ErrorData::invalid_params(what, None);
    let params = params.ok_or_else(|| refuse("tools/call needs params with the name of a tool."))?;
    let members = Members::of(params.get()).ok_or_else(|| refuse("The params of tools/call are not an object."))?;
    for name in ["name", "arguments"] {
        if members.0.iter().filter(|(key, _)| key == name).count() > 1 {
            return Err(ErrorData::invalid_params(
                format!("The params of tools/call hold {name} more than once."),
                None,
            ));
        }
    }
    let name = members.value("name").ok_or_else(|| refuse("The params of tools/call hold no name."))?;
    let name = json::text_of(name).ok_or_else(|| refuse("The name of the tool is not a string."))?;
    let arguments = members.value("arguments").filter(|arguments| !json::is_null(arguments));
    if arguments.is_some_and(|arguments| !arguments.get().starts_with('{')) {
        return Err(refuse("The arguments of a tool are an object."));
    }
    let arguments = arguments.map(|arguments| Arc::from(arguments.to_owned()));
    let mut request = CallToolRequest::new(CallToolRequestParams::new(name));
    if let Some(meta) = meta {
        request.extensions.insert(RequestMetaObject(MetaObject(meta)));
    }
    request.extensions.insert(Call { arguments, structured });
    Ok(ClientRequest::CallToolRequest(request))
}

/// Any other request, read by the SDK.
fn plain(method: &str, params: Option<&RawValue>) -> Result<ClientRequest, ErrorData> {
    let members = params.and_then(|params| Members::of(params.get()));
    let cursor = members.as_ref().and_then(|members| members.value("cursor")).filter(|cursor| !json::is_null(cursor));
    // The SDK would take a cursor of the wrong type for none.
    if method == "tools/list" && cursor.is_some_and(|cursor| json::text_of(cursor).is_none()) {
        return Err(ErrorData::invalid_params("The cursor is not a string.", None));
    }
    let mut message = json::Object::new();
    // The number is the SDK's affair only once the request is known to be readable.
    message.text("jsonrpc", "2.0").raw("id", "0").text("method", method).raw_if("params", params.map(RawValue::get));
    let message: ClientJsonRpcMessage = serde_json::from_str(&message.finish()).map_err(|_| {
        ErrorData::invalid_params(format!("The params of {} cannot be read.", method.escape_default()), None)
    })?;
    match message.into_request() {
        Some((ClientRequest::CustomRequest(_), _)) if method == "initialize" => Err(ErrorData::invalid_params(
            "initialize takes protocolVersion, capabilities and clientInfo with name and version.",
            None,
        )),
        Some((request, _)) => Ok(request),
        None => Err(ErrorData::invalid_request("The message is not a request.", None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn split(input: &[u8], limit: usize) -> Vec<String> {
        let mut lines = Lines::up_to(limit);
        // Small reads, so that every cut through a line occurs.
        let (mut sender, mut receiver) = tokio::io::duplex(3);
        let input = input.to_owned();
        tokio::spawn(async move { tokio::io::AsyncWriteExt::write_all(&mut sender, &input).await });
        let mut seen = Vec::new();
        while let Some(line) = lines.next(&mut receiver).await {
            seen.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Line::TooLong(beginning) => {
                    format!("too long: {}", String::from_utf8_lossy(&beginning))
                }
            });
        }
        seen
    }

    #[tokio::test]
    async fn lines_end_at_newlines_and_at_the_end() {
        assert_eq!(split(b"a\n\nbc\r\nlast", 100).await, ["a\n", "\n", "bc\r\n", "last"]);
        assert!(split(b"", 100).await.is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_dropped_and_the_next_one_read() {
        let seen = split(b"0123456789abcdef\nok\n0123456789abcdef", 10).await;
        assert_eq!(seen.len(), 3, "{seen:?}");
        assert!(seen[0].starts_with("too long: 0123456789") && seen[2].starts_with("too long: 0123456789"), "{seen:?}");
        assert_eq!(seen[1], "ok\n");
    }
}
