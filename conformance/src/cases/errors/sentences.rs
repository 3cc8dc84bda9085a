//! Sentences that a careless passage changes.
//!
//! Responsible for: every kind of character, length and likeness in the daemon's sentence, on the tools in turn; and the
//! sentences that the public server used to wrap.

use super::case;
use crate::case::Case;
use crate::cases::document::{quoted, route_of};
use crate::expect::Expect;
use crate::json::Json;
use crate::page::Tool;

/// Name, what it is in words, and the sentence as the daemon writes it in its JSON.
const SENTENCES: &[(&str, &str, &str)] = &[
    (
        "quotes",
        "quotes and backslashes",
        r#""The option \"a\\b\" isn't among those the quote offers; see `anet pay`.""#,
    ),
    ("lines", "several lines", r#""Two things are wrong:\n- the task is over\r\n- nothing waits\tfor payment""#),
    ("chinese", "Chinese", r#""任务已结束：请另建一个任务。""#),
    ("emoji", "emoji", r#""The agent 🧪 said no 👩‍🔬.""#),
    ("markup-escaped", "markup as the daemon escapes it", r#""Run \u003canet pay\u003e \u0026 wait: 5 \u003e 3""#),
    ("markup", "markup as it is", r#""<b>Run</b> & wait &lt;here&gt;""#),
    ("separators", "line separators as the daemon escapes them", r#""one\u2028two\u2029three""#),
    ("controls", "control characters", r#""a\u0000b\u001b[31mred""#),
    ("one-word", "a single word", r#""no""#),
    ("json", "JSON", r#""{\"error\":\"inner\",\"code\":\"InnerError\"}""#),
    (
        "named",
        "the name of an error in front, as task routes write it",
        r#""TaskNotFoundError: ix_2f3d2f01f6c7467f40dc6858ddd3b0d6""#,
    ),
    ("bare-name", "nothing but the name of an error", r#""UnavailableError""#),
    ("reason-inside", "a reason code inside the sentence", r#""The provider refused the task (not_accepting).""#),
    ("prefix-like", "what looks like a prefix", r#""Error: HTTP 409: conflict""#),
    ("template", "placeholders", r#""limit {0} of %d, ${HOME} {{x}}""#),
];

pub(super) fn cases() -> Vec<Case> {
    let tools = Tool::ALL.into_iter().filter(|tool| *tool != Tool::Balance).cycle();
    let mut cases: Vec<_> = SENTENCES
        .iter()
        .zip(tools)
        .map(|((name, what, literal), tool)| {
            let body = format!(r#"{{"error":{literal},"code":"UnsupportedOperationError"}}"#);
            let sentence = match Json::parse(literal) {
                Ok(Json::String(sentence)) => sentence,
                other => panic!("{name} is no JSON string: {other:?}"),
            };
            refused(
                &format!("sentence/{name}"),
                tool,
                &format!("A sentence comes to the letter: {what}"),
                409,
                &body,
                &sentence,
            )
        })
        .collect();
    cases.push(long());
    cases.push(padded());
    cases.extend(once_wrapped());
    cases
}

fn refused(topic: &str, tool: Tool, title: &str, status: u16, body: &str, sentence: &str) -> Case {
    case(topic, tool, title)
        .daemon_refuses(route_of(tool), status, body)
        .call_as("call", tool)
        .expect_sentence("call", sentence)
}

fn long() -> Case {
    let sentence = format!("{}That is all.", "The hub refused the message, and said why at length. ".repeat(400));
    let body = format!(r#"{{"error":{}}}"#, quoted(&sentence));
    refused("sentence/long", Tool::SendMessage, "A sentence of 20 KB comes whole", 503, &body, &sentence)
}

/// White space around a sentence: no daemon writes it, and to trim it adds nothing.
fn padded() -> Case {
    let text = "  The task is over. \n";
    case("sentence/padded", Tool::CancelTask, "A sentence keeps the white space around it")
        .daemon_refuses(route_of(Tool::CancelTask), 409, format!(r#"{{"error":{}}}"#, quoted(text)))
        .call_as("call", Tool::CancelTask)
        .check("errors.is-error", Expect::FailsAsTool { call: "call".to_owned() })
        .check("errors.sentence-white-space", Expect::TextIs { call: "call".to_owned(), text: text.to_owned() })
}

/// Refusals to which the public server of 0.2 added advice, and refusals that tempt to.
fn once_wrapped() -> Vec<Case> {
    [
        (
            "reply-unknown-task",
            Tool::ReplyTask,
            404,
            "TaskNotFoundError: ix_2f3d2f01f6c7467f40dc6858ddd3b0d6",
            r#","code":"TaskNotFoundError""#,
        ),
        (
            "send-not-registered",
            Tool::SendMessage,
            503,
            "UnavailableError: this node has no hub; run `anet hub-register <url>` in a terminal",
            r#","code":"UnavailableError""#,
        ),
        (
            "send-not-admitted",
            Tool::SendMessage,
            503,
            "This node waits for its hub's operator, who has to run `anet-hub admit bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi`.",
            r#","reason":"pending_admission""#,
        ),
        ("pay-no-quote", Tool::SubmitPayment, 409, "no quote waits on this task", ""),
        ("reject-unknown-task", Tool::RejectPayment, 404, "no such task", ""),
        ("cancel-finished", Tool::CancelTask, 409, "TaskNotCancelableError: ix_a is completed", r#","code":"TaskNotCancelableError""#),
        ("wait-deadline", Tool::WaitTask, 504, "context deadline exceeded", r#","code":"InternalError""#),
        ("card-not-an-id", Tool::AgentCard, 400, "InvalidParamsError: aid: not an agent id", r#","code":"InvalidParamsError""#),
        ("list-bad-token", Tool::ListTasks, 400, "InvalidParamsError: page_token: not issued by this node", r#","code":"InvalidParamsError""#),
        ("pending-store", Tool::InboundPending, 500, "the store cannot be read", ""),
    ]
    .map(|(name, tool, status, sentence, beside)| {
        let body = format!(r#"{{"error":{}{beside}}}"#, quoted(sentence));
        refused(&format!("known/{name}"), tool, &format!("{tool}: the daemon's sentence stands alone ({status})"), status, &body, sentence)
    })
    .into()
}
