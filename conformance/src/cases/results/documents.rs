//! Pages, unknown members, order of members, and the node's own documents.
//!
//! Responsible for: documents as wholes: what a later daemon adds is passed on, what it leaves out is not made up
//! (control-plane 1.5, 2.2, 2.6, 8). `get_balance` and `inbound_pending` put their answers together or thin them out:
//! they are judged with the node's tools.

use crate::case::{Case, Group};
use crate::cases::document::{Task, page, route_of};
use crate::expect::{Expect, ValueRule};
use crate::page::Tool;

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = unknown_members().into_iter().chain(pages()).chain(orders()).chain(white_space()).collect();
    cases.extend(status_documents());
    cases.extend(evidence());
    cases
}

fn passes(topic: &str, title: &str, tool: Tool, json: &str) -> Case {
    Case::new(Group::Results, topic, title).tool(tool).passes("call", tool, json)
}

/// A member that nobody knows yet, at each level of a document.
fn unknown_members() -> Vec<Case> {
    const NEW: &str = r#""x.new":{"list":[1,2.50,null,true,""],"deep":{"a":{}}},"#;
    let task = Task::new("COMPLETED")
        .status_message(r#"{"messageId":"s1","parts":[{"text":"done"}],"role":"ROLE_AGENT"}"#)
        .artifact(r#"{"artifactId":"anet.reply","parts":[{"text":"Three points."}]}"#)
        .json();
    let after = |mark: &str| task.replacen(mark, &format!("{mark}{NEW}"), 1);
    let entry = format!(
        r#"{{"agents":[{{{NEW}"aid":"bafyreia7twzxwjfc33jadhyzy2xjm7f2d2s2az3vpoaz67ynyofl2hthra","verification":"NONE","verificationError":"no card"}}],"nextCursor":""}}"#
    );
    let record = format!(
        r#"{{"head":{{{NEW}"chain_did":"did:anet:a","head_id":"b","length":1,"state":"ACTIVE"}},"records":[{{{NEW}"seq":0,"id":"b","prev_id":"","event_type":"anet.policy.changed","timestamp":1791793296440,"signer_aid":"a","payload":{{{NEW}"was":null}},"sig":"c2ln"}}]}}"#
    );
    let decision = format!(
        r#"{{{NEW}"task_id":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63","state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","authorization_id":"bafyreif57tgynquz7hoaecmluxdylvsxf2lbxgthp7xcygspg6zwk2eupu"}}"#
    );
    [
        ("task", Tool::GetTask, after("{")),
        ("status", Tool::WaitTask, after(r#""status":{"#)),
        ("message", Tool::SendMessage, after(r#""history":[{"#)),
        ("part", Tool::ReplyTask, after(r#""parts":[{"#)),
        ("artifact", Tool::CancelTask, after(r#""artifacts":[{"#)),
        ("status-message", Tool::GetTask, after(r#""message":{"#)),
        ("metadata", Tool::WaitTask, after(r#""metadata":{"#)),
        ("page", Tool::ListTasks, page(&[&task], "next").replacen('{', &format!("{{{NEW}"), 1)),
        ("agent", Tool::ListAgents, entry),
        ("evidence", Tool::Audit, record),
        ("status-document", Tool::NodeStatus, format!(r#"{{{NEW}"aid":"a","version":"0.4.0"}}"#)),
        ("decision", Tool::SubmitPayment, decision.clone()),
        ("rejection", Tool::RejectPayment, decision.replace("submitted", "rejected")),
    ]
    .map(|(level, tool, json)| {
        passes(
            &format!("unknown/{level}"),
            &format!("A member nobody knows is passed on: {}", level.replace('-', " ")),
            tool,
            &json,
        )
    })
    .into()
}

/// Pages of agents and tasks: empty, short with a cursor, and `null` for none.
fn pages() -> Vec<Case> {
    let two = page(
        &[
            &Task::new("WORKING").id("ix_00000000000000000000000000000001").json(),
            &Task::new("FAILED").provider().json(),
        ],
        "dG9rZW4gMg==",
    );
    [
        ("agents/empty", "A last page without agents is a result", Tool::ListAgents, r#"{"agents":[],"nextCursor":""}"#.to_owned()),
        (
            "agents/empty-with-cursor",
            "A page without agents that is not the last keeps its cursor",
            Tool::ListAgents,
            r#"{"agents":[],"nextCursor":"b2Zmc2V0PTQw"}"#.to_owned(),
        ),
        (
            "agents/short-with-cursor",
            "A short page keeps its cursor, and no second page is fetched",
            Tool::ListAgents,
            r#"{"agents":[{"aid":"bafyreia7twzxwjfc33jadhyzy2xjm7f2d2s2az3vpoaz67ynyofl2hthra","verification":"UNVERIFIED","verificationError":"INVALID_SIGNATURE"}],"nextCursor":"uncarded:40"}"#.to_owned(),
        ),
        ("agents/null", "`agents: null` is a page without agents", Tool::ListAgents, r#"{"agents":null,"nextCursor":""}"#.to_owned()),
        (
            "tasks/empty",
            "A page without tasks is a result",
            Tool::ListTasks,
            r#"{"tasks":[],"totalSize":0,"pageSize":50,"nextPageToken":""}"#.to_owned(),
        ),
        ("tasks/two-with-token", "A page of both roles keeps its token and its order", Tool::ListTasks, two),
        (
            "evidence/empty",
            "A chain without records is a result",
            Tool::Audit,
            r#"{"head":{"chain_did":"did:anet:a","head_id":"","length":0,"state":"ACTIVE"},"records":[]}"#.to_owned(),
        ),
    ]
    .map(|(point, title, tool, json)| {
        if point == "agents/null" {
            // The text may say null or, read generously, an empty list: what must not happen is a failure.
            return Case::new(Group::Results, &format!("page/{point}"), title)
                .tool(tool)
                .daemon_answers(route_of(tool), json)
                .call_as("call", tool)
                .check("results.success", Expect::Succeeds { call: "call".to_owned() });
        }
        passes(&format!("page/{point}"), title, tool, &json)
            .check("wire.one-call", Expect::AsksOnly { routes: vec![route_of(tool)] })
    })
    .into()
}

/// Members in an order that no map would give them.
fn orders() -> Vec<Case> {
    let task = r#"{"status":{"timestamp":"2026-10-12T08:23:05.107Z","state":"TASK_STATE_WORKING"},"metadata":{"z":1,"b":{"y":1,"x":2},"anet.state_seq":3,"anet.role":"requester","a":[{"k2":0,"k1":0}],"anet.peer_aid":"p","10":"ten","9":"nine"},"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","contextId":"ctx_af4966cde811f2d3e746ab551762a17c"}"#;
    let status = r#"{"version":"0.3.0","zeta":1,"alpha":2,"name":"n","aid":"a","summary":["two","one"],"receive":{"notice-sent":1,"duplicate":2}}"#;
    vec![
        passes("order/task", "The members of a task keep their order", Tool::GetTask, task),
        passes(
            "order/page",
            "The members of a page and its tasks keep their order",
            Tool::ListTasks,
            &format!(r#"{{"nextPageToken":"","tasks":[{task}],"pageSize":50,"totalSize":1}}"#),
        ),
        passes("order/status", "The members of the status document keep their order", Tool::NodeStatus, status),
    ]
}

/// A daemon may write its JSON as it likes.
fn white_space() -> Vec<Case> {
    let compact = Task::new("WORKING").json();
    let spaced = format!("\r\n\t {}\n\n", compact.replace(",\"", ",\r\n\t\"").replace("\":", "\" : "));
    vec![
        passes(
            "space/spread-out",
            "A task that is spread over many lines comes back on one protocol line",
            Tool::GetTask,
            &spaced,
        ),
        passes("space/no-line-end", "A task without the daemon's line end comes back", Tool::WaitTask, &compact),
        passes(
            "space/line-end",
            "A task with the daemon's line end comes back",
            Tool::GetTask,
            &format!("{compact}\n"),
        ),
    ]
}

/// The documents of `/status` in 0.2 and 0.3.
fn status_documents() -> Vec<Case> {
    let older = r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","caps":["text.digest"],"console_url":"http://127.0.0.1:39811/console","data_dir":"/home/lin/.anet","hub_url":"https://hub.example.org","inbound_policy":"closed","name":"lin-laptop","pricing":"","readme":"","receive":{"duplicate":2,"not-accepting":1,"notice-sent":1},"summary":"digests","version":"0.2.1"}"#;
    let newer = r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","auto_reply":{"agent":"claude","api_base":"https://api.example.org","api_key_set":true,"backend":"exec","sandbox":{"budget":{"per_day":20},"detail":"bubblewrap","egress_allow":["api.example.org:443"],"kind":"bwrap","limits":{"memory_mb":1024},"message":"the sandbox starts","next":"","reason":"","state":"ready"},"trusted":"off","untrusted":"sandbox","work_dir":"/home/lin/agent"},"build":{"modules":["a2a","mcp","x402"],"without":["p2p"]},"caps":null,"data_dir":"/home/lin/.anet","delivery":{"awaiting_confirmation":1,"counters":{"dack-confirmed":12,"dack-expired":0},"level":"warn","message":"1 message waits for the other side","next":"anet delivery list","not_sent":0,"oldest_awaiting_ms":91234,"queued_at_hub":1,"stuck":0,"unconfirmed_24h":0},"hub":{"message":"Your hub operator must admit this node: `anet-hub admit bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi`","state":"pending_admission"},"hub_url":"https://hub.example.org","identity":{"recovery":{"message":"Set a recovery passphrase: `anet identity protect`","state":"unprotected"}},"inbound_policy":"closed","name":"lin-laptop","privacy":{"clock_closed_s":0,"retention_days":30},"profile":{"summary":"digests"},"receive":{},"summary":["hub: waiting for admission","identity: no recovery passphrase","delivery: 1 waiting"],"version":"0.3.0"}"#;
    let stuck = r#"{"aid":"a","delivery":{"awaiting_confirmation":0,"counters":{},"level":"error","message":"2 messages are stuck","next":"anet delivery retry","not_sent":2,"oldest_awaiting_ms":0,"queued_at_hub":0,"stuck":2,"stuck_error":"the hub refused the message","stuck_oldest_ms":864000000,"unconfirmed_24h":7},"privacy":{"clock_closed_s":86400},"version":"0.3.0"}"#;
    let facts = [
        (
            "hub.message",
            "/hub/message",
            r#""Your hub operator must admit this node: `anet-hub admit bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi`""#,
        ),
        ("recovery.message", "/identity/recovery/message", r#""Set a recovery passphrase: `anet identity protect`""#),
        (
            "summary",
            "/summary",
            r#"["hub: waiting for admission","identity: no recovery passphrase","delivery: 1 waiting"]"#,
        ),
        ("profile", "/profile/summary", r#""digests""#),
    ];
    let newer_case = facts.into_iter().fold(
        passes(
            "status/newer",
            "The status document of 0.3 comes back whole, its messages verbatim",
            Tool::NodeStatus,
            newer,
        ),
        |case, (_, pointer, value)| {
            case.check(
                "results.status-verbatim",
                Expect::InText {
                    call: "call".to_owned(),
                    pointer: pointer.to_owned(),
                    rule: ValueRule::Is(value.to_owned()),
                },
            )
        },
    );
    vec![
        newer_case,
        passes("status/older", "The status document of 0.2 comes back whole", Tool::NodeStatus, older),
        passes("status/stuck", "A status document with stuck messages comes back whole", Tool::NodeStatus, stuck),
    ]
}

/// Evidence comes back whole, however much there is: only tasks are held to a size.
fn evidence() -> Vec<Case> {
    let record = |seq: usize| {
        format!(
            r#"{{"event_type":"anet.capability.effect","id":"bafyrei{seq:052}","payload":{{"capability":"lab.notes.append","interaction_id":"ix_0437730d77f7d7f23a586b5f60d19b34","status":"UNVERIFIED"}},"prev_id":"bafyrei{:052}","seq":{seq},"sig":"c2lnbmF0dXJl","signer_aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","timestamp":1791793800000}}"#,
            seq.saturating_sub(1),
        )
    };
    let records: Vec<_> = (0..200).map(record).collect();
    let chain = |state: &str, records: &str| {
        format!(
            r#"{{"head":{{"chain_did":"did:anet:bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","head_id":"bafyrei{:052}","length":200,"state":"{state}"}},"records":[{records}]}}"#,
            199
        )
    };
    vec![
        passes(
            "evidence/long",
            "200 records of evidence come back whole",
            Tool::Audit,
            &chain("ACTIVE", &records.join(",")),
        ),
        passes(
            "evidence/quarantined",
            "A chain with a fork is a result",
            Tool::Audit,
            &chain("QUARANTINED", &records[..2].join(",")),
        ),
    ]
}
