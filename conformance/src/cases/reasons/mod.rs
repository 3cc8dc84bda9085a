//! Every reason code, in each place where it can appear.
//!
//! Responsible for: one case for each code of control-plane 5.1 to 5.7 and each place: metadata of a task, metadata of a
//! message, the decision of a payment, the body of an error, the status document. The code comes back unchanged where it
//! stands; a result stays a result; an error stays an error, and its sentence gains no code (page, Scope and limits;
//! rulings R1, R2). Not for: what the codes mean.

mod payment;
mod table;
mod task;

use crate::case::{Case, Group};
use crate::cases::document::{quoted, route_of};
use crate::expect::{Expect, TextRule, ValueRule};
use crate::page::Tool;

pub(super) fn cases() -> Vec<Case> {
    [errors(), task::cases(), payment::cases(), node(), counters()].concat()
}

/// A case whose id and title speak of the code in that place.
fn case(section: &str, code: &str, place: &str, tool: Tool, title: &str) -> Case {
    Case::new(Group::Reasons, &format!("{section}/{}.{place}", code.to_lowercase()), format!("`{code}` {title}"))
        .tool(tool)
}

impl Case {
    /// The answer is the daemon's and no error, and `value` (JSON text) stands at `pointer`.
    fn carries(self, json: &str, pointer: &str, value: &str) -> Self {
        let Some(tool) = self.tool else { return self };
        self.passes("call", tool, json).check(
            "reasons.unchanged",
            Expect::InText {
                call: "call".to_owned(),
                pointer: pointer.to_owned(),
                rule: ValueRule::Is(value.to_owned()),
            },
        )
    }

    /// The daemon refuses with this body; the answer is an error with exactly the sentence, and without the code.
    fn refuses(self, status: u16, body: &str, sentence: &str, code: &str) -> Self {
        let Some(tool) = self.tool else { return self };
        self.daemon_refuses(route_of(tool), status, body).call_as("call", tool).expect_sentence("call", sentence).check(
            "reasons.not-in-sentence",
            Expect::Text { call: "call".to_owned(), rules: vec![TextRule::LacksLiterally(code.to_owned())] },
        )
    }
}

/// 5.1: the names of A2A errors, which stand beside the sentence of a refused call.
fn errors() -> Vec<Case> {
    table::A2A_ERRORS
        .iter()
        .map(|(code, tool, status)| {
            let sentence = format!("The node refused the call to {tool}: see `anet status`.");
            let body = format!(r#"{{"error":{},"code":"{code}"}}"#, quoted(&sentence));
            case("a2a", code, "error", *tool, "beside a sentence does not enter it")
                .refuses(*status, &body, &sentence, code)
        })
        .collect()
}

/// 5.6: what page 0.3 names on the node itself.
fn node() -> Vec<Case> {
    let status = |code, pointer: &str, json: &str| {
        case("node", code, "status", Tool::NodeStatus, "in the status document is passed on").carries(
            json,
            pointer,
            &quoted(code),
        )
    };
    let refused = |code: &str, tool, http, sentence: &str| {
        let body = format!(r#"{{"error":{},"reason":"{code}"}}"#, quoted(sentence));
        case("node", code, "error", tool, "beside a sentence does not enter it").refuses(http, &body, sentence, code)
    };
    let note = "Prices could not be fetched: the agent did not answer within 10 s.";
    let card = format!(
        r#"{{"aid":"a","card":{{"name":"n"}},"verification":"VERIFIED","charge":"paid","priceNote":{}}}"#,
        quoted(note)
    );
    vec![
        status(
            "pending_admission",
            "/hub/state",
            r#"{"aid":"a","hub":{"message":"Ask the operator to run `anet-hub admit a`.","state":"pending_admission"},"version":"0.3.0"}"#,
        ),
        status(
            "unprotected",
            "/identity/recovery/state",
            r#"{"aid":"a","identity":{"recovery":{"message":"Run `anet identity protect`.","state":"unprotected"}},"version":"0.3.0"}"#,
        ),
        refused(
            "pending_admission",
            Tool::SendMessage,
            503,
            "This node waits for its hub's operator, who has to run `anet-hub admit bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi`; nothing was sent.",
        ),
        refused("module_absent", Tool::SubmitPayment, 400, "This node has no payment module."),
        case("node", "extended_card_unavailable", "note", Tool::AgentCard, "gives a card a note, which is passed on")
            .carries(&card, "/priceNote", &quoted(note)),
    ]
}

/// 5.7: the counters of received messages.
fn counters() -> Vec<Case> {
    let refusals = table::POLICY.iter().map(|code| format!("refused-{code}"));
    table::COUNTERS
        .iter()
        .map(|code| (*code).to_owned())
        .chain(refusals)
        .zip(1..)
        .map(|(code, count)| {
            let json =
                format!(r#"{{"aid":"a","receive":{{"duplicate-of-none":0,"{code}":{count}}},"version":"0.3.0"}}"#);
            case("counter", &code, "status", Tool::NodeStatus, "keeps its count in the status document").carries(
                &json,
                &format!("/receive/{code}"),
                &count.to_string(),
            )
        })
        .collect()
}
