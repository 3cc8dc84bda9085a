//! The mutants, a few lines each: what an implementer gets wrong, which requirement that breaks, which cases must see it.

#![expect(clippy::semicolon_if_nothing_returned, reason = "a change reads as what becomes of the message")]

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::proxy::{Answer, Request};

/// Changes a message on its way; `null` swallows it. What is returned is sent after it, a line each.
pub(super) type Line = fn(&mut Value) -> Vec<String>;

/// One broken candidate.
pub(super) struct Mutant {
    /// Its name.
    pub(super) name: &'static str,
    /// The requirement that it breaks.
    pub(super) breaks: &'static str,
    /// The cases that must see it, as a pattern for `--only`.
    pub(super) killed_by: &'static str,
    /// The mistake, in words.
    pub(super) mistake: &'static str,
    /// Changes messages to the client.
    pub(super) outgoing: Option<Line>,
    /// Changes messages to the server.
    pub(super) incoming: Option<Line>,
    /// Changes requests to the daemon.
    pub(super) request: Option<fn(&mut Request)>,
    /// Changes answers of the daemon.
    pub(super) answer: Option<fn(&mut Answer)>,
    /// Answers a message itself, so that the server never sees it.
    pub(super) answers_itself: Option<fn(&Value) -> Option<String>>,
    /// Dies when it reads such a message (`null`: a line that is no JSON).
    pub(super) dies_on: Option<fn(&Value) -> bool>,
    /// Written on stdout at the start.
    pub(super) banner: &'static [u8],
    /// Ends at once with this status.
    pub(super) ends_at_once: Option<u8>,
    /// The exit status at the end.
    pub(super) exit: u8,
    /// Goes on after its input has ended.
    pub(super) outlives_input: bool,
    /// Ends with its input, whatever is still open.
    pub(super) drops_at_end: bool,
    /// Lets the request to the daemon run on when the server hangs up.
    pub(super) ignores_hang_up: bool,
}

/// Starts the reference on these streams, with that data directory.
pub(super) async fn reference<R, W>(data_dir: PathBuf, reader: R, writer: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    if let Err(error) = anet_mcp::serve(anet_mcp::Settings::for_data_dir(data_dir), reader, writer).await {
        eprintln!("the reference ended: {error}");
    }
}

fn mutant(name: &'static str, breaks: &'static str, killed_by: &'static str, mistake: &'static str) -> Mutant {
    Mutant {
        name,
        breaks,
        killed_by,
        mistake,
        outgoing: None,
        incoming: None,
        request: None,
        answer: None,
        answers_itself: None,
        dies_on: None,
        banner: b"",
        ends_at_once: None,
        exit: 0,
        outlives_input: false,
        drops_at_end: false,
        ignores_hang_up: false,
    }
}

/// All mutants.
pub(super) fn all() -> Vec<Mutant> {
    let mut all = requests();
    all.extend(answers());
    all.extend(surface());
    all.extend(protocol());
    all
}

/// Mistakes in what is sent to the daemon.
fn requests() -> Vec<Mutant> {
    vec![
        Mutant {
            request: Some(|r| edit(r, |b| scale(b, "timeout_ms", 1000))),
            ..mutant(
                "timeout-in-seconds",
                "wire.request-meaning",
                "exchange/wait_task/**",
                "timeout_ms carries seconds",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "max_task_bytes"))),
            ..mutant("no-size-bound", "wire.request-meaning", "exchange/get_task/**", "the size bound is not sent")
        },
        Mutant {
            request: Some(|r| edit(r, |b| replace(b, "max_task_bytes", &json!(24576), json!(8192)))),
            ..mutant(
                "list-bound-for-one-task",
                "wire.request-meaning",
                "exchange/get_task/**",
                "one task gets the bound of a list",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| rename(b, "q", "query"))),
            ..mutant(
                "query-unrenamed",
                "wire.request-meaning",
                "exchange/list_agents/**",
                "query travels under its own name, which the daemon ignores",
            )
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    replace(b, "role", &json!("outbound"), json!("requester"));
                    replace(b, "role", &json!("inbound"), json!("provider"));
                })
            }),
            ..mutant(
                "roles-unmapped",
                "wire.request-meaning",
                "exchange/list_tasks/**",
                "roles travel in the page's words",
            )
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    let other = if b["role"] == "outbound" { "inbound" } else { "outbound" };
                    if b.get("role").is_some() {
                        b["role"] = json!(other);
                    }
                })
            }),
            ..mutant(
                "roles-swapped",
                "wire.request-meaning",
                "exchange/list_tasks/**",
                "requester and provider are taken for each other",
            )
        },
        Mutant {
            request: Some(|r| {
                only(r, "/tasks/list", |r| edit(r, |b| replace(b, "history_length", &json!(1), Value::Null)))
            }),
            ..mutant(
                "list-whole-history",
                "wire.request-meaning",
                "exchange/list_tasks/**",
                "the default of one message is left to the daemon, which sends all",
            )
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    if b["return_immediately"] == true {
                        b["timeout_ms"] = json!(30000);
                    }
                })
            }),
            ..mutant(
                "returns-and-waits",
                "wire.request-meaning",
                "exchange/send_message/**",
                "return_immediately and a timeout are both sent",
            )
        },
        Mutant {
            request: Some(|r| {
                if r.path == "/tasks/pay" {
                    "/tasks/pay-manual".clone_into(&mut r.path)
                }
            }),
            ..mutant(
                "pays-by-hand",
                "reach.routes-only",
                "exchange/submit_payment/**",
                "the operator's route for payments is called",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "accept"))),
            ..mutant(
                "accept-dropped",
                "wire.request-meaning",
                "exchange/submit_payment/**",
                "the chosen option is not passed on",
            )
        },
        Mutant {
            request: Some(|r| only(r, "/tasks/pay", |r| edit(r, |b| b["purpose"] = json!("task-agent")))),
            ..mutant(
                "names-a-purpose",
                "wire.request-meaning",
                "exchange/submit_payment/**",
                "a purpose is sent, which is the daemon's to fix",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| replace(b, "decision", &json!("reject"), json!("submit")))),
            ..mutant("rejecting-pays", "wire.request-meaning", "exchange/reject_payment/**", "rejecting submits")
        },
        Mutant {
            request: Some(|r| {
                if r.path == "/tasks/send" {
                    r.times = 2
                }
            }),
            ..mutant("sends-twice", "wire.one-call", "exchange/send_message/**", "a send is repeated")
        },
        Mutant {
            request: Some(|r| r.headers.retain(|line| !line.to_ascii_lowercase().starts_with("authorization"))),
            ..mutant("no-token", "reach.bearer-token", "exchange/node_status/**", "the token is not sent")
        },
        Mutant {
            request: Some(|r| {
                for line in &mut r.headers {
                    *line = line.replace("Bearer ", "Token ");
                }
            }),
            ..mutant(
                "wrong-scheme",
                "reach.bearer-token",
                "exchange/node_status/**",
                "the token is sent under another scheme",
            )
        },
        Mutant {
            request: Some(|r| "GET".clone_into(&mut r.method)),
            ..mutant("gets", "reach.routes-only", "exchange/get_task/**", "GET instead of POST")
        },
        Mutant {
            request: Some(|r| {
                if r.path == "/payments/status" {
                    r#"{"detail":true}"#.clone_into(&mut r.body)
                }
            }),
            ..mutant(
                "payments-status-with-a-body",
                "balance.empty-body",
                "node/balance/**",
                "the body that is always empty is not",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "args"))),
            ..mutant(
                "args-dropped",
                "wire.request-meaning",
                "exchange/send_message/**",
                "the capability's arguments are lost",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| b["message_id"] = json!("3f0c9e2a"))),
            ..mutant(
                "invents-a-message-id",
                "wire.request-meaning",
                "exchange/send_message/**",
                "a message id is made up, so that a repeat is no second task",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "limit"))),
            ..mutant("limit-dropped", "wire.request-meaning", "exchange/list_agents/**", "limit is not passed on")
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "cursor"))),
            ..mutant("cursor-dropped", "wire.request-meaning", "exchange/list_agents/**", "every page is the first")
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "after_seq"))),
            ..mutant(
                "after-seq-dropped",
                "wire.request-meaning",
                "exchange/wait_task/**",
                "waiting returns at once, over and over",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| rename(b, "after_seq", "since"))),
            ..mutant(
                "after-seq-renamed",
                "wire.request-meaning",
                "exchange/wait_task/**",
                "after_seq travels under another name",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "event_type"))),
            ..mutant("event-type-dropped", "wire.request-meaning", "exchange/audit/**", "the filter is not passed on")
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "context_id"))),
            ..mutant(
                "context-dropped",
                "wire.request-meaning",
                "exchange/send_message/**",
                "a new task leaves its conversation",
            )
        },
        Mutant {
            request: Some(|r| edit(r, |b| drop_member(b, "include_artifacts"))),
            ..mutant(
                "artifacts-dropped",
                "wire.request-meaning",
                "exchange/list_tasks/**",
                "include_artifacts is not passed on",
            )
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    if let Some(parts) = b.pointer_mut("/message/parts").and_then(Value::as_array_mut) {
                        for part in parts {
                            rename(part, "raw", "data");
                        }
                    }
                })
            }),
            ..mutant("files-as-data", "wire.request-meaning", "exchange/send_message/**", "files travel as data parts")
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    if b["history_length"] == 0 {
                        drop_member(b, "history_length")
                    }
                })
            }),
            ..mutant(
                "zero-is-absent",
                "wire.request-meaning",
                "exchange/get_task/**",
                "history_length 0 is taken for none given",
            )
        },
        Mutant {
            request: Some(|r| {
                edit(r, |b| {
                    if b["state"] == "completed" {
                        drop_member(b, "state")
                    }
                })
            }),
            ..mutant(
                "reply-never-completes",
                "wire.request-meaning",
                "exchange/reply_task/**",
                "the state completed is lost",
            )
        },
    ]
}

/// Mistakes in what is given back to the client.
fn answers() -> Vec<Mutant> {
    vec![
        Mutant {
            outgoing: Some(|m| error_text(m, |text| format!("Error: {text}"))),
            ..mutant(
                "error-prefix",
                "errors.sentence-exact",
                "errors/sentence/**",
                "a prefix stands before the daemon's sentence",
            )
        },
        Mutant {
            outgoing: Some(|m| error_text(m, |text| format!("{text} [InvalidParamsError, reason: unknown]"))),
            ..mutant(
                "error-with-code",
                "errors.sentence-exact",
                "errors/known/**",
                "code and reason stand behind the daemon's sentence",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if r["isError"] == true {
                        r["isError"] = json!(false)
                    }
                })
            }),
            ..mutant("errors-succeed", "errors.is-error", "errors/sentence/**", "a refused call looks like a success")
        },
        Mutant {
            outgoing: Some(|m| {
                if m["result"]["isError"] == true {
                    let text = m["result"]["content"][0]["text"].clone();
                    *m = json!({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32603, "message": text}});
                }
                vec![]
            }),
            ..mutant("errors-as-rpc", "errors.is-error", "errors/known/**", "a refused call is a JSON-RPC error")
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if text_of(r).contains(r#""anet.effect_status":"UNVERIFIED""#) {
                        r["isError"] = json!(true)
                    }
                })
            }),
            ..mutant(
                "unverified-is-an-error",
                "results.success",
                "results/matrix/*",
                "an effect that is not proven is turned into an error",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if text_of(r).contains("timed_out") {
                        r["isError"] = json!(true)
                    }
                })
            }),
            ..mutant(
                "timeout-is-an-error",
                "results.success",
                "node/waiting/**",
                "a wait that ran out is turned into an error",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if text_of(r).contains("needs_operator_approval") {
                        r["isError"] = json!(true)
                    }
                })
            }),
            ..mutant(
                "hold-is-an-error",
                "results.success",
                "node/payments/hold/**",
                "a payment held for the operator is turned into an error",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if let Some(metadata) = d.get_mut("metadata").and_then(Value::as_object_mut) {
                        metadata.retain(|key, _| !key.starts_with("anet.delivery"));
                    }
                })
            }),
            ..mutant(
                "metadata-of-yesterday",
                "results.text",
                "results/metadata/**",
                "metadata keys that came with 0.3 are dropped",
            )
        },
        Mutant {
            outgoing: Some(|m| document(m, |d| drop_member(d, "metadata"))),
            ..mutant("no-metadata", "results.text", "exchange/get_task/**", "task metadata is dropped")
        },
        Mutant {
            outgoing: Some(|m| document(m, through_sixteen_bits)),
            ..mutant(
                "strings-lose-emoji",
                "results.text",
                "results/string/**",
                "characters outside the basic plane are replaced",
            )
        },
        Mutant {
            outgoing: Some(|m| result(m, |r| drop_member(r, "structuredContent"))),
            ..mutant("no-structured", "results.structured", "exchange/get_task/**", "structuredContent is left out")
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if r.get("structuredContent").is_some() {
                        r["structuredContent"] = json!({"result": text_of(r)})
                    }
                })
            }),
            ..mutant(
                "structured-wrapped",
                "results.structured",
                "exchange/get_task/**",
                "structuredContent wraps the text",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if r["isError"] == true {
                        r["structuredContent"] = json!({"error": text_of(r)})
                    }
                })
            }),
            ..mutant(
                "structured-on-errors",
                "errors.no-structured",
                "errors/known/**",
                "a failed call carries structuredContent",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if r["isError"] == true
                        && let Some(content) = r["content"].as_array_mut()
                    {
                        content.push(json!({"type": "text", "text": "Try again later."}));
                    }
                })
            }),
            ..mutant(
                "advice-on-errors",
                "errors.one-text",
                "errors/known/**",
                "advice stands beside the daemon's sentence",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                result(m, |r| {
                    if r.get("structuredContent").is_some() {
                        let text = format!("Here is the result:\n{}", text_of(r));
                        r["content"][0]["text"] = json!(text);
                    }
                })
            }),
            ..mutant("chatty", "results.text", "exchange/get_task/**", "the document is wrapped in words")
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    for item in d.get_mut("pending").and_then(Value::as_array_mut).into_iter().flatten() {
                        item["text"] = json!("Please book a room.");
                    }
                })
            }),
            ..mutant("pending-content", "pending.metadata-only", "node/pending/**", "pending items show what they say")
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if d.get("limits").is_some() {
                        drop_member(d, "limits")
                    }
                })
            }),
            ..mutant("no-limits", "balance.limits", "node/balance/**", "the balance comes without the limits")
        },
        Mutant {
            outgoing: Some(|m| document(m, |d| drop_member(d, "nextPageToken"))),
            ..mutant("no-next-page", "results.text", "exchange/list_tasks/**", "the token of the next page is lost")
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if let Some(Value::String(state)) = d.pointer_mut("/status/state") {
                        *state = state.replace("TASK_STATE_", "").to_lowercase();
                    }
                })
            }),
            ..mutant("states-respelled", "results.text", "results/matrix/*", "states come in another spelling")
        },
        Mutant {
            outgoing: Some(|m| error_text(m, |text| if text.is_ascii() { "缺少参数".to_owned() } else { text })),
            ..mutant(
                "arguments-in-chinese",
                "arguments.english",
                "arguments/get_agent_card/**",
                "argument errors are not English",
            )
        },
        Mutant {
            outgoing: Some(|m| error_text(m, |text| format!("{text} (reason: invalid_amount)"))),
            ..mutant(
                "reason-on-arguments",
                "arguments.no-reason-code",
                "arguments/get_agent_card/**",
                "argument errors carry a reason code",
            )
        },
        Mutant {
            incoming: Some(|m| {
                arguments(m, |a| {
                    for file in a.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten() {
                        if let Some(Value::String(content)) = file.get_mut("content_base64") {
                            *content = content.replace('-', "+").replace('_', "/");
                        }
                    }
                })
            }),
            ..mutant(
                "url-safe-base64",
                "arguments.base64",
                "arguments/send_message/files/**",
                "the URL-safe alphabet is accepted",
            )
        },
        Mutant {
            incoming: Some(|m| {
                arguments(m, |a| {
                    if a.get("limit").and_then(Value::as_i64).is_some_and(|n| n > 100) {
                        a["limit"] = json!(100)
                    }
                })
            }),
            ..mutant(
                "limit-clamped",
                "arguments.above-range",
                "arguments/list_agents/**",
                "a limit above 100 is silently taken for 100",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if d.to_string().len() > 8192 {
                        drop_member(d, "history");
                        d["metadata"]["anet.truncated"] = json!(true);
                    }
                })
            }),
            ..mutant(
                "cuts-what-fits",
                "truncation.fits-whole",
                "truncation/fits/**",
                "a task is cut far below its bound",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if let Some(metadata) = d.get_mut("metadata") {
                        drop_member(metadata, "anet.truncated")
                    }
                })
            }),
            ..mutant("hides-the-cut", "truncation.daemon-cut-passes", "truncation/**", "the mark of a cut is dropped")
        },
        Mutant {
            outgoing: Some(|m| {
                document(m, |d| {
                    if let Some(metadata) = d.get_mut("metadata") {
                        drop_member(metadata, "anet.reason")
                    }
                })
            }),
            ..mutant(
                "reasons-dropped",
                "reasons.unchanged",
                "reasons/policy/**",
                "the reason code of a task is dropped",
            )
        },
        Mutant {
            outgoing: Some(|m| error_text(m, |text| format!("{text} {}", token()))),
            ..mutant("leaks-the-token", "reach.token-kept", "errors/known/**", "the token stands in an error")
        },
        Mutant {
            outgoing: Some(|m| {
                let directory = std::env::var_os("ANET_DATA_DIR").unwrap_or_default();
                let _ = std::fs::write(PathBuf::from(directory).join("cache.json"), m.to_string());
                vec![]
            }),
            ..mutant(
                "writes-a-cache",
                "reach.data-unchanged",
                "exchange/node_status/**",
                "a cache is written into the data directory",
            )
        },
        Mutant {
            request: Some(|r| {
                if r.path == "/tasks/get" {
                    r.times = 2
                }
            }),
            ..mutant("reads-twice", "faults.no-retry", "faults/get_task/**", "a request is repeated")
        },
        Mutant {
            request: Some(|r| {
                let id =
                    serde_json::from_str::<Value>(&r.body).ok().and_then(|b| b["task_id"].as_str().map(str::to_owned));
                if let Some(id) = id {
                    r.path = format!("{}?task={}", r.path, id.replace([' ', '\r', '\n', '#'], "+"));
                }
            }),
            ..mutant("id-in-the-path", "reach.no-injection", "reach/task-id/**", "the task id is built into the path")
        },
    ]
}

/// Mistakes in what `tools/list` says.
fn surface() -> Vec<Mutant> {
    vec![
        Mutant {
            outgoing: Some(|m| {
                tools(m, |tools| {
                    tools.push(json!({"name": "shutdown", "description": "Stops the node.", "inputSchema": {"type": "object", "properties": {}}}))
                })
            }),
            ..mutant("fifteenth-tool", "surface.fourteen-tools", "surface/names", "there is a tool too many")
        },
        Mutant {
            outgoing: Some(|m| tools(m, |tools| tools.retain(|tool| tool["name"] != "audit"))),
            ..mutant("thirteen-tools", "surface.fourteen-tools", "surface/names", "a tool is missing")
        },
        Mutant {
            outgoing: Some(|m| {
                tools(m, |tools| {
                    tools.push(json!({"name": "list_payees", "description": "Lists payees.", "inputSchema": {"type": "object", "properties": {}}}))
                })
            }),
            ..mutant("banned-word", "surface.banned-words", "surface/banned-words", "a tool's name holds a banned word")
        },
        Mutant {
            outgoing: Some(|m| property(m, "send_message", |p| p["message_id"] = json!({"type": "string"}))),
            ..mutant(
                "message-id-offered",
                "surface.no-message-id",
                "surface/send_message/**",
                "send_message offers a message_id",
            )
        },
        Mutant {
            outgoing: Some(|m| property(m, "list_agents", |p| p["limit"]["maximum"] = json!(50))),
            ..mutant(
                "narrow-limit",
                "surface.not-narrower",
                "surface/list_agents/**",
                "the schema forbids what the page allows",
            )
        },
        Mutant {
            outgoing: Some(|m| property(m, "wait_task", |p| p["timeout_seconds"]["type"] = json!("string"))),
            ..mutant(
                "number-as-string",
                "surface.parameter-type",
                "surface/wait_task/**",
                "an integer is declared a string",
            )
        },
        Mutant {
            outgoing: Some(|m| property(m, "list_agents", |p| drop_member(p, "include_uncarded"))),
            ..mutant("parameter-missing", "surface.parameters", "surface/list_agents/**", "a parameter is not offered")
        },
        Mutant {
            outgoing: Some(|m| {
                tools(m, |tools| {
                    for tool in tools.iter_mut().filter(|tool| tool["name"] == "get_task") {
                        drop_member(&mut tool["inputSchema"], "required");
                    }
                })
            }),
            ..mutant("nothing-required", "surface.required", "surface/get_task/**", "task_id is not declared required")
        },
        Mutant {
            outgoing: Some(|m| property(m, "submit_payment", |p| p["payload"] = json!({"type": "object"}))),
            ..mutant(
                "payload-offered",
                "surface.no-payment-members",
                "surface/no-payment-members",
                "submit_payment offers a payload",
            )
        },
    ]
}

/// Mistakes in the protocol.
fn protocol() -> Vec<Mutant> {
    vec![
        Mutant {
            banner: b"anet mcp server v0.3 ready\n",
            ..mutant("banner", "stdio.stdout-pure", "exchange/node_status/**", "a greeting on stdout")
        },
        Mutant {
            outgoing: Some(|m| if m.get("result").is_some() { vec!["DEBUG answered".to_owned()] } else { vec![] }),
            ..mutant(
                "logs-on-stdout",
                "stdio.stdout-pure",
                "exchange/get_task/**",
                "a log line on stdout after each answer",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                if let Some(id) =
                    m.get("id").filter(|id| id.is_number() && m["result"].get("content").is_some()).cloned()
                {
                    m["id"] = json!(id.to_string());
                }
                vec![]
            }),
            ..mutant("ids-as-strings", "stdio.messages-valid", "exchange/get_task/**", "ids come back as strings")
        },
        Mutant {
            outgoing: Some(|m| if m["result"].get("content").is_some() { vec![m.to_string()] } else { vec![] }),
            ..mutant(
                "answers-twice",
                "protocol.answered-once",
                "protocol/answered-once",
                "every call is answered twice",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                drop_member(m, "jsonrpc");
                vec![]
            }),
            ..mutant("no-jsonrpc", "stdio.messages-valid", "protocol/handshake/**", "messages lack `jsonrpc`")
        },
        Mutant {
            answers_itself: Some(|m| {
                let params = m.get("params")?;
                let known = params
                    .get("name")
                    .and_then(Value::as_str)
                    .is_some_and(|name| !name.contains("unknown") && !name.contains("no_such"));
                (m["method"] == "tools/call" && !known && params.get("name").is_some_and(Value::is_string))
                    .then(|| json!({"jsonrpc": "2.0", "id": m["id"], "result": {"content": [{"type": "text", "text": "{}"}]}}).to_string())
            }),
            ..mutant("any-tool-works", "protocol.unknown-tool", "protocol/tool/**", "an unknown tool succeeds")
        },
        Mutant {
            incoming: Some(|m| {
                let method = m.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
                if !matches!(
                    method.as_str(),
                    "initialize" | "ping" | "tools/list" | "tools/call" | "server/discover" | ""
                ) && !method.starts_with("notifications/")
                {
                    *m = Value::Null;
                }
                vec![]
            }),
            ..mutant(
                "unknown-method-unanswered",
                "protocol.unknown-method",
                "protocol/method/**",
                "an unknown method gets no answer",
            )
        },
        Mutant {
            answers_itself: Some(|m| {
                (m["method"] == "ping").then(|| json!({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "Method not found"}}).to_string())
            }),
            ..mutant("no-ping", "protocol.ping", "protocol/handshake/**", "ping is not known")
        },
        Mutant {
            dies_on: Some(Value::is_null),
            ..mutant(
                "dies-of-garbage",
                "protocol.survives-garbage",
                "protocol/garbage/**",
                "a line that is no JSON ends the process",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                if m["result"].get("protocolVersion").is_some() {
                    m["result"]["protocolVersion"] = json!("1999-01-01");
                }
                vec![]
            }),
            ..mutant(
                "version-nobody-knows",
                "protocol.version-known",
                "protocol/handshake/**",
                "a version is negotiated that does not exist",
            )
        },
        Mutant {
            outgoing: Some(|m| {
                if m["result"].get("capabilities").is_some() {
                    m["result"]["capabilities"] = json!({});
                }
                vec![]
            }),
            ..mutant(
                "no-tools-capability",
                "protocol.tools-capability",
                "protocol/handshake/**",
                "the tools capability is not declared",
            )
        },
        Mutant {
            answers_itself: Some(|m| {
                (m["method"] == "notifications/initialized")
                    .then(|| json!({"jsonrpc": "2.0", "id": null, "result": {}}).to_string())
            }),
            ..mutant(
                "answers-notifications",
                "stdio.messages-valid",
                "protocol/handshake/**",
                "a notification is answered",
            )
        },
        Mutant {
            outlives_input: true,
            ..mutant(
                "outlives-its-input",
                "protocol.exit-at-end",
                "protocol/end/**",
                "the process goes on when stdin is closed",
            )
        },
        Mutant {
            exit: 7,
            ..mutant(
                "exit-status-7",
                "protocol.exit-status",
                "protocol/end/**",
                "the exit status at the end of input is not 0",
            )
        },
        Mutant {
            drops_at_end: true,
            ..mutant(
                "drops-answers-at-the-end",
                "protocol.drains",
                "protocol/end/**",
                "answers are lost when stdin closes",
            )
        },
        Mutant {
            incoming: Some(|m| {
                if m["method"] == "notifications/cancelled" {
                    *m = Value::Null;
                }
                vec![]
            }),
            ..mutant("ignores-cancellation", "protocol.cancel-aborts", "protocol/cancel/**", "a cancelled call runs on")
        },
        Mutant {
            ends_at_once: Some(1),
            ..mutant("ends-at-once", "-", "-", "the process ends before it says anything")
        },
    ]
}

fn edit(request: &mut Request, change: impl FnOnce(&mut Value)) {
    if let Ok(mut body) = serde_json::from_str::<Value>(&request.body) {
        change(&mut body);
        request.body = body.to_string();
    }
}

fn only(request: &mut Request, path: &str, change: impl FnOnce(&mut Request)) {
    if request.path == path {
        change(request);
    }
}

fn drop_member(object: &mut Value, name: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(name);
    }
}

fn rename(object: &mut Value, from: &str, to: &str) {
    if let Some(object) = object.as_object_mut()
        && let Some(value) = object.remove(from)
    {
        object.insert(to.to_owned(), value);
    }
}

/// Replaces one value of a member by another; `null` drops the member.
fn replace(object: &mut Value, name: &str, from: &Value, to: Value) {
    if object.get(name) == Some(from) {
        if to.is_null() { drop_member(object, name) } else { object[name] = to }
    }
}

fn scale(object: &mut Value, name: &str, divisor: i64) {
    if let Some(number) = object.get(name).and_then(Value::as_i64) {
        object[name] = json!(number / divisor);
    }
}

fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Changes the result of a tool call.
fn result(message: &mut Value, change: impl FnOnce(&mut Value)) -> Vec<String> {
    if let Some(result) = message.get_mut("result").filter(|result| result.get("content").is_some()) {
        change(result);
    }
    vec![]
}

/// Changes the text of a tool error.
fn error_text(message: &mut Value, change: impl FnOnce(String) -> String) -> Vec<String> {
    result(message, |result| {
        if result["isError"] == true {
            result["content"][0]["text"] = json!(change(text_of(result)));
        }
    })
}

/// Changes the document of a successful call, in text and structuredContent alike.
fn document(message: &mut Value, change: impl FnOnce(&mut Value)) -> Vec<String> {
    result(message, |result| {
        let text = text_of(result);
        if let Ok(mut document) = serde_json::from_str::<Value>(&text) {
            let before = document.clone();
            change(&mut document);
            if document != before {
                result["content"][0]["text"] = json!(document.to_string());
                if result.get("structuredContent").is_some() {
                    result["structuredContent"] = document;
                }
            }
        }
    })
}

/// Replaces what does not fit into sixteen bits, as a careless reader of UTF-16 does.
fn through_sixteen_bits(value: &mut Value) {
    match value {
        Value::String(text) => {
            *text = text.chars().map(|c| if u32::from(c) > 0xFFFF { '\u{FFFD}' } else { c }).collect()
        }
        Value::Array(items) => items.iter_mut().for_each(through_sixteen_bits),
        Value::Object(members) => members.values_mut().for_each(through_sixteen_bits),
        _ => {}
    }
}

/// The daemon's token, as the candidate finds it.
fn token() -> String {
    let directory = PathBuf::from(std::env::var_os("ANET_DATA_DIR").unwrap_or_default());
    std::fs::read_to_string(directory.join("control_token.txt")).unwrap_or_default().trim().to_owned()
}

/// Changes the arguments of a tool call.
fn arguments(message: &mut Value, change: impl FnOnce(&mut Value)) -> Vec<String> {
    if message["method"] == "tools/call"
        && let Some(arguments) = message.pointer_mut("/params/arguments")
    {
        change(arguments);
    }
    vec![]
}

/// Changes the list of tools.
fn tools(message: &mut Value, change: impl FnOnce(&mut Vec<Value>)) -> Vec<String> {
    if let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) {
        change(tools);
    }
    vec![]
}

/// Changes the properties of one tool's schema.
fn property(message: &mut Value, tool: &str, change: impl FnOnce(&mut Value)) -> Vec<String> {
    tools(message, |tools| {
        if let Some(found) = tools.iter_mut().find(|found| found["name"] == tool) {
            change(&mut found["inputSchema"]["properties"]);
        }
    })
}
