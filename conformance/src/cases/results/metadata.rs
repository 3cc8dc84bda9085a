//! Every metadata key of a task, with its exact value.
//!
//! Responsible for: the keys of control-plane 3.5, those of page 0.3 included, one case each, on the task tools in turn;
//! the keys of messages and parts; the receipt. Where a type is not stated anywhere, both likely ones are tried: a
//! server that passes on what came has no opinion.

use super::matrix::receipt;
use crate::case::{Case, Group};
use crate::cases::document::{TASK_TOOLS, Task, message, task_answer, task_pointer};
use crate::expect::{Expect, ValueRule};

/// A key, the rest of the case's name if the key stands here twice, the state, and the value as JSON text.
type Row = (&'static str, &'static str, &'static str, &'static str);

const KEYS: &[Row] = &[
    ("anet.peer_aid", "", "WORKING", r#""bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi""#),
    ("anet.role", "", "SUBMITTED", r#""provider""#),
    ("anet.state_seq", "", "WORKING", "9007199254740993"),
    ("anet.trust", "peer", "SUBMITTED", r#""peer""#),
    ("anet.trust", "public", "SUBMITTED", r#""public""#),
    ("anet.trust", "public_cap", "SUBMITTED", r#""public_cap""#),
    ("anet.trust", "approved", "SUBMITTED", r#""approved""#),
    ("anet.request_cid", "", "WORKING", r#""bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai""#),
    ("anet.result_cid", "", "COMPLETED", r#""bafyreighwcqhzkrkfwvxgsjsqy3tm3tvjmbcrqfdvm7eggf7ewkmcw2ipa""#),
    ("anet.skill", "", "WORKING", r#""text.digest""#),
    ("anet.retry_after_ms", "", "REJECTED", "60000"),
    ("anet.a2aError", "", "FAILED", r#""TaskNotFoundError""#),
    ("anet.inbound", "", "SUBMITTED", r#""pending_approval""#),
    ("anet.cancel_requested", "", "WORKING", "true"),
    (
        "anet.unverified_receipts",
        "",
        "COMPLETED",
        r#"[{"amount":"5","network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","success":true,"transaction":"tx_claimed"}]"#,
    ),
    ("anet.quote_expires_at", "", "INPUT_REQUIRED", "1791880896440"),
    (
        "x402.payment.required",
        "",
        "INPUT_REQUIRED",
        r#"{"accepts":[{"amount":"5","asset":"credit","maxTimeoutSeconds":300,"network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","payTo":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","scheme":"anet-credit"}],"resource":{"description":"lab.report.priced","url":"anet:capability/lab.report.priced"},"x402Version":2}"#,
    ),
    ("x402.payment.status", "required", "INPUT_REQUIRED", r#""payment-required""#),
    ("x402.payment.status", "submitted", "WORKING", r#""payment-submitted""#),
    ("x402.payment.status", "verified", "WORKING", r#""payment-verified""#),
    ("x402.payment.status", "completed", "COMPLETED", r#""payment-completed""#),
    ("x402.payment.status", "failed", "INPUT_REQUIRED", r#""payment-failed""#),
    ("x402.payment.status", "rejected", "CANCELED", r#""payment-rejected""#),
    (
        "x402.payment.receipts",
        "settled",
        "COMPLETED",
        r#"[{"amount":"5","extensions":{"anet.settlement.receipt":"hEOhAScoQAA=","anet.settlement_verified":"verified"},"network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","payer":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","success":true,"transaction":"tx_51280bcaec290b01c4958680d812c5c3"}]"#,
    ),
    ("x402.payment.receipts", "none", "FAILED", "[]"),
    ("anet.truncated", "", "COMPLETED", "true"),
    ("anet.wait", "", "WORKING", r#""timed_out""#),
    ("anet.delivery", "pending", "SUBMITTED", r#""pending""#),
    ("anet.delivery", "unconfirmed", "SUBMITTED", r#""unconfirmed""#),
    ("anet.delivery_detail", "", "SUBMITTED", r#""The agent has not collected the message yet.""#),
    ("anet.delivery_wait", "", "SUBMITTED", r#""The message waits at the hub until the agent asks for it.""#),
    ("anet.delivery_since", "integer", "SUBMITTED", "1791793296440"),
    ("anet.delivery_since", "string", "SUBMITTED", r#""2026-10-12T08:21:36.44Z""#),
    ("anet.delivery_ends_at", "integer", "SUBMITTED", "1793002896440"),
    ("anet.delivery_ends_at", "string", "SUBMITTED", r#""2026-10-26T08:21:36.44Z""#),
    ("anet.delivery_ordered", "", "SUBMITTED", "true"),
    ("anet.payment_note", "", "WORKING", r#""The node paid 5 credits within the limit for automatic payments.""#),
    ("anet.spend_check", "string", "INPUT_REQUIRED", r#""over_single_limit""#),
    ("anet.spend_check", "object", "INPUT_REQUIRED", r#"{"allowed":false,"limit":0,"price":"5"}"#),
    ("anet.content_expires_at", "integer", "COMPLETED", "1794385385107"),
    ("anet.content_expires_at", "string", "COMPLETED", r#""2026-11-11T08:23:05.107Z""#),
    ("anet.deduplicated", "boolean", "WORKING", "true"),
    ("anet.deduplicated", "string", "WORKING", r#""message_id""#),
    (
        "anet.identity_note",
        "",
        "WORKING",
        r#""This node has no recovery passphrase: run `anet identity protect` in a terminal.""#,
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let keys = KEYS.iter().enumerate().map(|(index, (key, variant, state, value))| {
        let tool = TASK_TOOLS[index % TASK_TOOLS.len()];
        let name = [key.to_lowercase(), (*variant).to_owned()].join("/");
        let json = task_answer(tool, &Task::new(state).meta(key, value).json());
        Case::new(
            Group::Results,
            &format!("metadata/{}", name.trim_end_matches('/')),
            format!("`{key}` comes back as {value}"),
        )
        .tool(tool)
        .passes("call", tool, &json)
        .check(
            "results.metadata",
            Expect::InText {
                call: "call".to_owned(),
                pointer: format!("{}/metadata/{key}", task_pointer(tool)),
                rule: ValueRule::Is((*value).to_owned()),
            },
        )
    });
    keys.chain(receipts()).chain(inner_metadata()).collect()
}

/// Receipts as page 0.3 has them, as 0.2 had them, and with the members that are only there when known.
fn receipts() -> Vec<Case> {
    let full = receipt("verified").replace(r#""verified":"#, r#""provider_kel":"a2VsLWJ5dGVz","verified":"#);
    let old = r#"{"completed_at":1791793385107,"interaction_id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","provider_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","receipt":"hEOhAScoQAA=","receipt_cid":"bafyreiatymuxz6grqyzwe3my5kkotv32eyd3igvtcqknuamks3hcweisci","request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","requester_aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","result_cid":"bafyreighwcqhzkrkfwvxgsjsqy3tm3tvjmbcrqfdvm7eggf7ewkmcw2ipa","verified":"verified"}"#;
    let day_number = receipt("mismatch").replace(r#""2026-10-12""#, "20738");
    [
        ("receipt", "A receipt of 0.3 comes back whole", receipt("verified")),
        ("receipt/provider-kel", "A receipt with the provider's key history comes back whole", full),
        ("receipt/day-number", "A receipt whose day is a number comes back as it is", day_number),
        ("receipt/older", "A receipt of 0.2 comes back as it is", old.to_owned()),
    ]
    .into_iter()
    .zip(TASK_TOOLS)
    .map(|((point, title, receipt), tool)| {
        let task = Task::new("COMPLETED")
            .meta("anet.receipt_verified", r#""verified""#)
            .meta("anet.receipt", &receipt)
            .artifact(r#"{"artifactId":"anet.reply","name":"anet.reply","parts":[{"text":"Three points."}]}"#);
        Case::new(Group::Results, &format!("metadata/anet.{point}"), title).tool(tool).passes(
            "call",
            tool,
            &task_answer(tool, &task.json()),
        )
    })
    .collect()
}

/// What messages and parts carry.
fn inner_metadata() -> Vec<Case> {
    let final_reply = r#"{"messageId":"m2","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","metadata":{"a2a.messageId":"client-1","a2a.serviceParameters":{"A2A-Extensions":["https://agentnetwork.org.cn/a2a/ext/anet-evidence/v1"],"A2A-Version":"1.0"},"anet.final":true,"anet.state":"working"},"extensions":["urn:example:ext"],"parts":[{"text":"Done."}],"referenceTaskIds":["ix_0437730d77f7d7f23a586b5f60d19b34"],"role":"ROLE_AGENT","taskId":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}"#;
    let file = r#"{"artifactId":"anet.reply","name":"anet.reply","parts":[{"text":"See the file."},{"url":"anet:attachment?interaction_id=ix_2f3d2f01f6c7467f40dc6858ddd3b0d6&cid=bafkreifbqbj6jtqlbwxl7lennzaojgnet2gmyktaw2h5ookaazpjob7vfm","filename":"summary.md","mediaType":"text/markdown","metadata":{"anet.attachment_cid":"bafkreifbqbj6jtqlbwxl7lennzaojgnet2gmyktaw2h5ookaazpjob7vfm","anet.cid":"bafkreifbqbj6jtqlbwxl7lennzaojgnet2gmyktaw2h5ookaazpjob7vfm","anet.size":2143}}]}"#;
    let payment = r#"{"messageId":"m3","metadata":{"anet.payment.accept":{"amount":"5","asset":"credit","scheme":"anet-credit"},"anet.trusted":true,"x402.payment.payload":{"x402Version":2}},"parts":[{"text":"paid"}],"role":"ROLE_USER"}"#;
    let raw = r#"{"messageId":"m4","parts":[{"raw":"AAEC/w==","filename":"a.bin","mediaType":"application/octet-stream"},{"data":[1,null,"x"]},{"text":""}],"role":"ROLE_USER"}"#;
    [
        (
            "message",
            "Metadata of a final reply comes back whole",
            Task::new("COMPLETED").history(vec![final_reply.to_owned()]),
        ),
        ("part", "A file part keeps its link and its metadata", Task::new("COMPLETED").artifact(file)),
        (
            "payment-message",
            "Metadata of a payment message comes back whole",
            Task::new("WORKING").history(vec![payment.to_owned()]),
        ),
        ("part-kinds", "Parts of every kind come back whole", Task::new("WORKING").history(vec![raw.to_owned()])),
        (
            "status-message",
            "A status message comes back whole",
            Task::new("INPUT_REQUIRED").status_message(message(
                "ix.status.2",
                "ROLE_AGENT",
                &["Which week?", "Options: 41, 42"],
            )),
        ),
        ("no-history", "A task without history comes back without one", Task::new("WORKING").history(Vec::new())),
    ]
    .into_iter()
    .zip(TASK_TOOLS)
    .map(|((point, title, task), tool)| {
        Case::new(Group::Results, &format!("inner/{point}"), title).tool(tool).passes(
            "call",
            tool,
            &task_answer(tool, &task.json()),
        )
    })
    .collect()
}
