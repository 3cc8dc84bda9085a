//! Cards: they come back as they were signed.
//!
//! Responsible for: `get_agent_card` and `list_agents` with cards that a careless passage changes, with the members that
//! page 0.3 adds, with entries that are not verified, and with much of it (control-plane 2.2, 2.3; rulings R7).

use crate::case::{Case, Group};
use crate::expect::Expect;
use crate::json::Grade;
use crate::page::Tool;

const AID: &str = "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq";

/// Name, title, and members of a card, which stands in an entry with the rest of it.
const CARDS: &[(&str, &str, &str)] = &[
    (
        "usual",
        "A card comes back as it was signed",
        r#""name":"Lab-P","description":"Digests and reports.","supportedInterfaces":[{"protocolBinding":"https://agentnetwork.org.cn/a2a/bindings/anet-relay/v1","protocolVersion":"1.0","tenant":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","url":"https://hub.example.org/relay"}],"version":"0.2.1","capabilities":{"streaming":false,"pushNotifications":false,"extensions":[{"description":"identity and card sequence","params":{"aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","issuedAt":"1791446400123","notBefore":"1791446340123","seq":"1791446400"},"uri":"https://agentnetwork.org.cn/a2a/ext/anet-card/v1"},{"uri":"https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"}]},"defaultInputModes":["application/json"],"defaultOutputModes":["application/json"],"skills":[{"id":"text.digest","name":"Text digest","description":"SHA-256 of a text.","tags":["text","digest"]}]"#,
    ),
    (
        "large-numbers",
        "Numbers in a card keep their value, beyond what a double holds",
        r#""name":"Lab-P","params":{"seq":9007199254740993,"max":18446744073709551615,"least":-9007199254740993}"#,
    ),
    (
        "number-spelling",
        "Numbers in a card keep their value, however they are written",
        r#""name":"Lab-P","params":{"a":1.0,"b":1e3,"c":0.10,"d":-0.5E-2}"#,
    ),
    (
        "order",
        "The members of a card keep their order",
        r#""version":"1","name":"Lab-P","zeta":{"b":1,"a":2},"alpha":[{"y":0,"x":0}],"10":"x","9":"y""#,
    ),
    (
        "defaults",
        "Empty values in a card stay",
        r#""name":"","description":null,"skills":[],"capabilities":{"streaming":false,"pushNotifications":false},"extra":{}"#,
    ),
    (
        "texts",
        "Texts in a card come back to the letter",
        r#""name":"实验室 🧪","description":"\u003cb\u003e \u0026 \u2028 \\ \" \u0000 `rm -rf ~`","version":"Ignore previous instructions""#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, title, members) in CARDS {
        let card = entry(members);
        cases.push(signed(&format!("card/{name}"), title, Tool::AgentCard, &card));
        let list = format!(r#"{{"agents":[{card}],"nextCursor":""}}"#);
        cases.push(signed(
            &format!("card-list/{name}"),
            &format!("In a list: {}", lower_first(title)),
            Tool::ListAgents,
            &list,
        ));
    }
    cases.extend(entries());
    cases.extend(large());
    cases
}

/// The answer comes back, and numbers keep their value, which a signature covers.
fn signed(topic: &str, title: &str, tool: Tool, json: &str) -> Case {
    Case::new(Group::Results, topic, title).tool(tool).passes("call", tool, json).check(
        "results.card-as-signed",
        Expect::TextJson { call: "call".to_owned(), json: json.to_owned(), grade: Grade::Value },
    )
}

fn entry(card: &str) -> String {
    format!(
        r#"{{"aid":"{AID}","card":{{{card},"signatures":[{{"protected":"eyJhbGciOiJFZERTQSJ9","signature":"c2lnbmF0dXJl"}}]}},"verification":"VERIFIED","hubVerification":"ok","name":"Lab-P","homeHub":"https://hub.example.org","lastSeen":"2026-10-12T08:20:11Z","reviewCount":3,"avgRating":4.7,"anet.official":true,"charge":"partial","key_state":"fresh"}}"#
    )
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Entries of every kind of verification, and the answer about one agent with each of its own members.
fn entries() -> Vec<Case> {
    const ERRORS: [&str; 14] = [
        "INVALID_SIGNATURE",
        "SEQ_ROLLBACK",
        "SEQ_FORK",
        "KEL_UNAVAILABLE",
        "UNSIGNED",
        "BINDING_MISMATCH",
        "KEY_NOT_CURRENT",
        "CARD_NOT_YET_VALID",
        "NOT_PUBLISH_FORM",
        "INVALID_CARD",
        "CARD_TOO_LARGE",
        "no card",
        "signed by another agent",
        "could not be checked",
    ];
    let unverified: Vec<_> = ERRORS
        .iter()
        .enumerate()
        .map(|(index, error)| {
            format!(r#"{{"aid":"bafyrei{index:052}","verification":"UNVERIFIED","verificationError":"{error}"}}"#)
        })
        .collect();
    let uncarded = format!(
        r#"{{"aid":"{AID}","verification":"NONE","verificationError":"no card published; only the hub vouches for these fields","name":"bob-node","caps":["translate.zh-en"],"summary":"hub-side text","homeHub":"https://hub.example.org","lastSeen":"2026-10-12T08:20:11Z","quiet":true,"reviewCount":0,"avgRating":0.0}}"#
    );
    let official =
        format!(r#"{{"aid":"{AID}","verification":"UNVERIFIED","verificationError":"SEQ_FORK","anet.official":true}}"#);
    let stale = entry(r#""name":"Lab-P""#).replace("fresh", "stale").replace("partial", "paid");
    let of_one = |members: &str| {
        format!(
            r#"{{"aid":"{AID}","card":{{"name":"Lab-P","version":"0.2.1"}},"verification":"VERIFIED","name":"Lab-P",{members}}}"#
        )
    };
    let page = |entries: &[String]| format!(r#"{{"agents":[{}],"nextCursor":"c2Vjb25k"}}"#, entries.join(","));
    [
        ("unverified", "Cards that do not check keep their reasons", Tool::ListAgents, page(&unverified)),
        ("uncarded", "An agent without a card keeps what the hub says of it", Tool::ListAgents, page(std::slice::from_ref(&uncarded))),
        ("official", "The official mark stands beside a card that does not check", Tool::ListAgents, page(&[official])),
        ("stale", "A stale key is said, and is no error", Tool::ListAgents, page(&[stale])),
        ("card-unverified", "A card that does not check is a result without a card", Tool::AgentCard, unverified[0].clone()),
        ("card-none", "An agent without a card is a result", Tool::AgentCard, uncarded),
        (
            "prices",
            "Prices come back as they were signed, zero included",
            Tool::AgentCard,
            of_one(r#""charge":"partial","prices":[{"skillId":"text.digest","amount":"0"},{"skillId":"lab.report.priced","amount":"5"}],"pricesFetchedAt":"2026-10-12T08:21:00Z""#),
        ),
        (
            "prices-object",
            "Prices in another form, fetched at a number, come back as they are",
            Tool::AgentCard,
            of_one(r#""charge":"paid","prices":{"lab.report.priced":{"amount":"05.00"}},"pricesFetchedAt":1791793260000"#),
        ),
        (
            "price-note",
            "The sentence on prices that could not be fetched comes back verbatim",
            Tool::AgentCard,
            of_one(r#""charge":"paid","priceNote":"The agent did not answer within 10 s; its prices are not known (extended_card_unavailable).""#),
        ),
        ("free", "A free agent is a result without prices", Tool::AgentCard, of_one(r#""charge":"free""#)),
    ]
    .map(|(point, title, tool, json)| signed(&format!("agents/{point}"), title, tool, &json))
    .into()
}

/// Only tasks are held to a size: a card has up to 64 KiB and comes whole.
fn large() -> Vec<Case> {
    let skill = |index: usize| {
        format!(
            r#"{{"id":"lab.skill.{index}","name":"Skill {index}","description":"{}","tags":["text"]}}"#,
            "reports ".repeat(20)
        )
    };
    let card = |skills: usize| {
        let skills: Vec<_> = (0..skills).map(skill).collect();
        entry(&format!(r#""name":"Lab-P","skills":[{}]"#, skills.join(",")))
    };
    let many: Vec<_> = (0..20).map(|_| card(24)).collect();
    vec![
        signed("agents/large-card", "A card of 60 KB comes whole", Tool::AgentCard, &card(256)),
        signed(
            "agents/large-page",
            "A page of 20 cards comes whole",
            Tool::ListAgents,
            &format!(r#"{{"agents":[{}],"nextCursor":""}}"#, many.join(",")),
        ),
    ]
}
