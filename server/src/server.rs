//! The MCP server: what it is, which tools it lists, and carrying out a call of one.
//!
//! Responsible for the SDK's `ServerHandler`, written by hand, and for turning plans into control-plane calls and
//! their outcome into a tool result. Not for bytes on the wire (`transport`) or for what tools mean (`tools`).
//! Serves R1, R7, R8, R9 and R15.

use std::sync::{Arc, LazyLock};

use rmcp::model::{
    CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::value::RawValue;
use tokio::task::JoinError;

use crate::arguments::ArgumentError;
use crate::control::{Control, Failure, Route};
use crate::json::{self, Members, Object};
use crate::tools::{self, Answer, Plan, Spec};
use crate::transport::{Call, Phase, Session, Structured};
use crate::{answers, bound, texts};

/// The list of tools is a constant of the program; a client may keep it for an hour.
const LIST_TTL_MS: u64 = 3_600_000;
/// Answers from here on are cut on a thread of their own, so that no other request waits for it.
const LARGE_ANSWER: usize = 1024 * 1024;
/// Requests that the SDK knows: when it calls one of them custom, its parameters were not readable.
const KNOWN_METHODS: [&str; 6] =
    ["tools/call", "tools/list", "ping", "server/discover", "completion/complete", "subscriptions/listen"];

/// The server behind one connection.
#[derive(Debug)]
pub(crate) struct Server {
    control: Arc<Control>,
    session: Arc<Session>,
}

/// What this server calls itself.
pub(crate) fn implementation() -> Implementation {
    Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).with_title("anet").with_description(
        "Find agents, exchange tasks, answer quotes and read the node, through the local anet daemon.",
    )
}

/// The same as JSON, for results that name the server.
pub(crate) fn implementation_json() -> &'static str {
    static JSON: LazyLock<String> =
        LazyLock::new(|| serde_json::to_string(&implementation()).unwrap_or_else(|_| "{}".to_owned()));
    &JSON
}

/// The revision that a handshake settles on when the client asks for this one.
pub(crate) fn negotiate(requested: &ProtocolVersion) -> ProtocolVersion {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().filter(|version| version.has_initialize());
    let newest = known.clone().max_by_key(|version| version.as_str().to_owned());
    let same = known.clone().find(|version| *version == requested);
    same.or(newest).cloned().unwrap_or_default()
}

impl Server {
    pub(crate) fn new(control: Arc<Control>, session: Arc<Session>) -> Self {
        Self { control, session }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation())
            .with_instructions(texts::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.get_info();
        info.protocol_version = negotiate(&request.protocol_version);
        context.peer.set_peer_info(request.with_protocol_version(info.protocol_version.clone()));
        Ok(info)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("The cursor is unknown: the list of tools has one page.", None));
        }
        let list = ListToolsResult::with_all_items(tools::listed().to_vec());
        // The hints on caching came with the revision that has no handshake.
        let modern = context.meta.protocol_version().is_some_and(|version| !version.has_initialize());
        Ok(if modern { list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public) } else { list })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = tools::by_name(&request.name) else {
            let name: String = request.name.chars().take(128).collect();
            return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None));
        };
        let Some(call) = context.extensions.get::<Call>().cloned() else {
            return Err(ErrorData::method_not_found::<CallToolRequestMethod>());
        };
        let control = self.control.clone();
        let arguments = call.arguments;
        // In a task of its own a panic stays a failed call, and giving up the call drops its HTTP request.
        let mut work = tokio::spawn(async move { carry_out(&control, spec, arguments.as_deref()).await });
        let outcome = tokio::select! {
            outcome = &mut work => outcome,
            () = context.ct.cancelled() => {
                work.abort();
                // Nobody hears this: the request was taken back.
                return Err(ErrorData::internal_error("The call was cancelled.", None));
            }
            () = self.session.reached(Phase::Closing) => {
                work.abort();
                return Ok(failed("The server was stopped before the anet daemon answered.".to_owned()));
            }
        };
        settle(spec.name, outcome, call.structured)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(128).collect();
        if KNOWN_METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(format!("The params of {method} are not what it takes."), None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Unknown method: {method}"), None))
    }
}

/// The result of a call, however it ended.
fn settle(
    tool: &str,
    outcome: Result<Result<String, String>, JoinError>,
    structured: Option<Structured>,
) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Ok(Ok(text)) => {
            if let (Some(slot), Ok(raw)) = (structured, RawValue::from_string(one_line(&text))) {
                // The slot belongs to this call alone and is empty.
                let _ = slot.set(raw);
            }
            Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
        }
        Ok(Err(sentence)) => Ok(failed(sentence)),
        Err(error) => {
            tracing::error!(tool, panicked = error.is_panic(), "a call broke off");
            Err(ErrorData::internal_error(format!("{tool} failed inside this server."), None))
        }
    }
}

/// R1: the sentence, one content item, nothing else.
fn failed(sentence: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(sentence)]).into()
}

/// The object without line breaks, which would end the message; its tokens stay as they are.
fn one_line(text: &str) -> String {
    if text.contains(['\n', '\r']) { json::compact(text).into_owned() } else { text.to_owned() }
}

/// Does what a call asks for. `Err` is the sentence of a failed call.
async fn carry_out(control: &Control, spec: &'static Spec, arguments: Option<&RawValue>) -> Result<String, String> {
    match tools::plan(spec, arguments).map_err(|error| error.to_string())? {
        Plan::Forward { route, body, answer } => {
            let text = control.call(route, &body).await.map_err(|failure| failure.sentence)?;
            hold(text, route, answer).await
        }
        Plan::Balance => balance(control).await,
        Plan::WhichTask(error) => Err(which_task(control, &error).await),
    }
}

/// Holds an answer to its size and to what may be told.
async fn hold(text: String, route: Route, answer: Answer) -> Result<String, String> {
    let shape = move |text: String| match answer {
        Answer::Whatever => Ok(text),
        Answer::Task => Ok(bound::task(text)),
        Answer::TaskPage => Ok(bound::page(text)),
        Answer::Pending => answers::metadata_only(&text)
            .ok_or_else(|| format!("The anet daemon's answer to {} holds no list of pending tasks.", route.path())),
    };
    if text.len() < LARGE_ANSWER {
        return shape(text);
    }
    match tokio::task::spawn_blocking(move || shape(text)).await {
        Ok(shaped) => shaped,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err("The server was stopped before the answer was ready.".to_owned()),
    }
}

/// R8: the balance with the limits beside it, as much of it as can be had.
async fn balance(control: &Control) -> Result<String, String> {
    let balance = control.call(Route::Balance, "{}").await;
    if let Err(Failure { unreachable: true, sentence, .. }) = balance {
        return Err(sentence);
    }
    let limits = control.call(Route::PaymentsStatus, "{}").await;
    answers::balance(balance, limits.ok())
}

/// R9: the argument error, and the tasks that wait for an answer of this node, if they can be listed.
async fn which_task(control: &Control, error: &ArgumentError) -> String {
    let mut ids = Vec::new();
    let mut more = false;
    for state in ["submitted", "working", "input-required"] {
        let mut body = Object::new();
        body.text("role", "inbound").text("state", state).raw("page_size", "20").raw("history_length", "0");
        // Without the list the error is still an error.
        let Ok(page) = control.call(Route::TasksList, &body.finish()).await else {
            return error.to_string();
        };
        let members = Members::of(&page);
        let tasks = members.as_ref().and_then(|members| members.value("tasks"));
        let (Some(members), Some(tasks)) = (&members, tasks.and_then(|tasks| json::elements(tasks.get()))) else {
            return error.to_string();
        };
        more |= members.text("nextPageToken").is_some_and(|token| !token.is_empty());
        for task in tasks.iter().filter_map(|task| Members::of(task.get())) {
            let metadata = task.value("metadata").and_then(|metadata| Members::of(metadata.get()));
            // A capability call is answered by its capability, not by a message.
            if metadata.is_some_and(|metadata| metadata.value("anet.skill").is_some()) {
                continue;
            }
            // Requesters choose these ids; one that is not plain could pose as something else in a sentence.
            match task.text("id").filter(|id| bound::is_plain_id(id)) {
                Some(id) => ids.push(id),
                None => more = true,
            }
        }
    }
    if ids.is_empty() && !more {
        return format!(
            "{error} No task of another agent waits for an answer now; inbound_pending lists those that wait for the \
             operator, and send_message continues a task that this node sent."
        );
    }
    if ids.is_empty() {
        return format!("{error} Open tasks that were sent to this node are listed by list_tasks with role provider.");
    }
    let more = if more { ", and more" } else { "" };
    format!("{error} Open tasks that were sent to this node: {}{more}.", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_internal_error_of_the_call() {
        let outcome = tokio::spawn(async { panic!("on purpose") }).await;
        let error = settle("audit", outcome, None).unwrap_err();
        assert_eq!(
            (error.code, error.message.as_ref()),
            (ErrorCode::INTERNAL_ERROR, "audit failed inside this server.")
        );
    }

    #[test]
    fn a_handshake_settles_on_what_both_know() {
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            let requested: ProtocolVersion = serde_json::from_value(version.into()).unwrap();
            assert_eq!(negotiate(&requested), requested);
        }
        for other in ["2026-07-28", "1999-01-01", "", "DRAFT-2026"] {
            let requested: ProtocolVersion = serde_json::from_value(other.into()).unwrap();
            assert_eq!(negotiate(&requested), ProtocolVersion::V_2025_11_25);
        }
    }
}
