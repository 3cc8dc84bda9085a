//! What the daemon answers in the exchange cases: one document a tool.
//!
//! Responsible for: documents in the shapes of control-plane sections 2, 3, 7 and 8, each with what a server that reads
//! answers into types and writes them anew would lose: members that nobody documents, numbers beyond 2^53 and in unusual
//! spellings, unusual order, CJK, emoji, escapes, empty and null values. Each task fits within its bound, so it comes
//! whole. `inbound_pending` has the nine documented members alone, as servers may drop others.

use crate::page::Tool;

/// The daemon's answer on the tool's own route.
pub(in crate::cases) const fn answer(tool: Tool) -> &'static str {
    match tool {
        Tool::ListAgents => AGENTS,
        Tool::AgentCard => CARD,
        Tool::SendMessage => SENT,
        Tool::GetTask => TASK,
        Tool::ListTasks => PAGE,
        Tool::WaitTask => WAITED,
        Tool::CancelTask => CANCELED,
        Tool::ReplyTask => REPLIED,
        Tool::SubmitPayment => PAID,
        Tool::RejectPayment => REJECTED,
        Tool::Balance => BALANCE,
        Tool::Audit => EVIDENCE,
        Tool::NodeStatus => STATUS,
        Tool::InboundPending => PENDING,
    }
}

const AGENTS: &str = r#"{
  "agents": [
    {
      "aid": "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq",
      "card": {
        "version": "0.3.0", "name": "实验室 P \ud83d\udd2c", "description": "Digests & reports, <fast>.",
        "capabilities": {"streaming": false, "pushNotifications": false, "extensions": [
          {"uri": "https://agentnetwork.org.cn/a2a/ext/anet-card/v1", "params": {"seq": "1791446400", "issuedAt": "1791446400123"}}]},
        "skills": [{"id": "text.digest", "name": "Text digest", "tags": ["text", "digest"], "x-order": [3, 1, 2]}],
        "signatures": [{"protected": "eyJhbGciOiJFZERTQSJ9", "signature": "c2lnbmF0dXJl"}]
      },
      "verification": "VERIFIED", "hubVerification": "ok", "name": "实验室 P 🔬", "homeHub": "https://hub.example.org",
      "lastSeen": "2026-10-12T08:20:11Z", "reviewCount": 9007199254740993, "avgRating": 4.70, "anet.official": true,
      "charge": "partial", "key_state": "stale", "x-later": {"z": null, "a": [], "m": {}}
    },
    {"aid": "bafyreia7twzxwjfc33jadhyzy2xjm7f2d2s2az3vpoaz67ynyofl2hthra", "verification": "UNVERIFIED", "verificationError": "INVALID_SIGNATURE"},
    {
      "aid": "bafyreibxdhqnf7heb56elr2q5rckftggnu2mtmij6x6zrlzruw7sregl3u", "verification": "NONE",
      "verificationError": "no card published; only the hub vouches for these fields",
      "name": "bob-node", "caps": ["translate.zh-en"], "summary": "", "quiet": true
    }
  ],
  "nextCursor": "uncarded:3"
}
"#;

const CARD: &str = r#"{"verification":"VERIFIED","aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq",
"card":{"version":"0.3.0","name":"Lab-P","description":"Signed as it stands: \u00e9 é \/ 你好 \u2028 end","skills":[{"id":"text.digest","name":"Text digest",
"description":"SHA-256 of a text.","tags":["text","digest"]}],"x-weights":{"b":1.5,"a":0.25,"big":9007199254740992},"signatures":[{"protected":"eyJhbGciOiJFZERTQSJ9","signature":"c2lnbmF0dXJl"}]},
"name":"Lab-P","anet.official":true,"charge":"partial","key_state":"fresh","prices":[{"skillId":"text.digest","amount":"0"},{"skillId":"lab.report.priced","amount":"5"}],
"pricesFetchedAt":"2026-10-12T08:21:00Z","x-later":[null,true,"🧪"]}"#;

const SENT: &str = r#"{"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","contextId":"ctx_af4966cde811f2d3e746ab551762a17c",
"history":[{"messageId":"6c756b4bb76ecf8430e847814a1c1b4a","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","parts":[{"text":"请用三行总结 <notes> & \"quotes\" \\ \u0001 \ud83d\ude80"}],"role":"ROLE_USER","taskId":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}],
"metadata":{"anet.state_seq":9007199254740993,"anet.delivery":"pending","anet.delivery_detail":"the agent has not collected the message yet","anet.delivery_since":1791793296440,
"anet.delivery_ends_at":1793002896440,"anet.delivery_ordered":true,"anet.peer_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","anet.role":"requester",
"x.later":{"z":1.0,"a":1e3,"empty":"","none":null}},
"status":{"timestamp":"2026-10-12T08:21:36.44Z","state":"TASK_STATE_SUBMITTED"}}"#;

const TASK: &str = r#"{
  "id": "ix_2f3d2f01f6c7467f40dc6858ddd3b0d6",
  "artifacts": [
    {"artifactId": "anet.reply", "name": "anet.reply", "parts": [
      {"text": "三点：成本、进度、人员。 \ud83d\udcca <b>&amp;</b>"},
      {"url": "anet:attachment?interaction_id=ix_2f3d2f01f6c7467f40dc6858ddd3b0d6&cid=bafkreifbqbj6jtqlbwxl7lennzaojgnet2gmyktaw2h5ookaazpjob7vfm", "filename": "总结.md",
       "mediaType": "text/markdown", "metadata": {"anet.cid": "bafkreifbqbj6jtqlbwxl7lennzaojgnet2gmyktaw2h5ookaazpjob7vfm", "anet.size": 2143}},
      {"data": {"z": [1, 2.50, 12345678901234567890], "a": {"deep": {"er": null}}}, "mediaType": "application/json"}
    ]}
  ],
  "contextId": "ctx_af4966cde811f2d3e746ab551762a17c",
  "history": [
    {"messageId": "6c756b4bb76ecf8430e847814a1c1b4a", "contextId": "ctx_af4966cde811f2d3e746ab551762a17c", "parts": [{"text": "Summarise the attached notes in three lines."}], "role": "ROLE_USER", "taskId": "ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"},
    {"messageId": "7461513420ba93a2a60afd7219067658", "contextId": "ctx_af4966cde811f2d3e746ab551762a17c", "metadata": {"anet.final": true, "anet.state": "working"}, "parts": [{"text": "Three points."}], "role": "ROLE_AGENT", "taskId": "ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}
  ],
  "metadata": {
    "anet.content_expires_at": 1794385385107,
    "anet.peer_aid": "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq",
    "anet.receipt": {
      "completed_day": "2026-10-12", "provider_aid": "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq", "receipt": "hEOhAScoQAA=",
      "receipt_cid": "bafyreiatymuxz6grqyzwe3my5kkotv32eyd3igvtcqknuamks3hcweisci", "verified": "verified"
    },
    "anet.receipt_verified": "verified", "anet.role": "requester", "anet.state_seq": 9007199254740995,
    "anet.unheard-of": [[], {}, "", false]
  },
  "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-10-12T08:23:05.107Z"},
  "x-later": "kept"
}
"#;

const PAGE: &str = r#"{"tasks":[
{"id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","history":[{"messageId":"7461513420ba93a2a60afd7219067658","contextId":"ctx_af4966cde811f2d3e746ab551762a17c","parts":[{"text":"三点。\u2029 <&>"}],"role":"ROLE_AGENT","taskId":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}],"metadata":{"anet.peer_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","anet.receipt_verified":"mismatch","anet.role":"requester","anet.state_seq":9007199254740993},"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-10-12T08:23:05.107Z"}},
{"id":"what the requester chose; --full \"🙂\"","contextId":"ctx_09acf3a67720c22b90007a79b34c21ab","metadata":{"anet.trust":"peer","anet.role":"provider","anet.state_seq":1,"anet.peer_aid":"bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi","zz":1.0,"aa":-1e-7},"status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-10-12T09:00:00.001Z"}}
],"totalSize":117,"pageSize":50,"nextPageToken":"b3BhcXVl+/8=","x-later":null}"#;

const WAITED: &str = r#"{"id":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63","contextId":"ctx_30c585472ceca6ec89daefa54c8a6680",
"history":[{"messageId":"d690646e8afbd4db5cd3fb2296e0c653","parts":[{"data":{"skill":"lab.report.priced","args":{"text":"第一行","n":9007199254740993}},"mediaType":"application/json"}],"role":"ROLE_USER","taskId":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63"}],
"metadata":{"anet.effect_status":"PAYMENT_REQUIRED","anet.peer_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","anet.quote_expires_at":1791880896440,"anet.reason":"needs_operator_approval","anet.role":"requester","anet.skill":"lab.report.priced","anet.state_seq":2,"anet.wait":"timed_out",
"x402.payment.required":{"x402Version":2,"accepts":[{"scheme":"anet-credit","network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","amount":"5","asset":"credit","payTo":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","maxTimeoutSeconds":300,"extra":{"n":1.50}}],"resource":{"url":"anet:capability/lab.report.priced"}},"x402.payment.status":"payment-required"},
"status":{"message":{"messageId":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63.status.2","parts":[{"text":"This call has a price."}],"role":"ROLE_AGENT"},"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-10-12T08:41:36.44Z"}}"#;

const CANCELED: &str = r#"{"id":"ix_0437730d77f7d7f23a586b5f60d19b34","contextId":"ctx_b4372cfac0af040af3bff92a866bed63",
"metadata":{"anet.cancel_requested":true,"anet.peer_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","anet.role":"requester","anet.state_seq":9007199254740993,"anet.payment_note":"已付款 💳 — nothing can be called back","x402.payment.status":"payment-submitted","x402.payment.receipts":[]},
"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-10-12T08:30:00Z"}}"#;

const REPLIED: &str = r#"{"id":"ix_cdb6a2999e05631582e6d0cab2f0663e","contextId":"ctx_09acf3a67720c22b90007a79b34c21ab",
"history":[{"messageId":"2f39427904014b9009d6506ae1aec848","parts":[{"text":"Can you book a meeting room? 会议室 🏢"}],"role":"ROLE_USER","taskId":"ix_cdb6a2999e05631582e6d0cab2f0663e"}],
"metadata":{"anet.trust":"peer","anet.role":"provider","anet.state_seq":9007199254740993,"anet.peer_aid":"bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi","x.later":{"z":1.0,"a":{}}},
"status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-10-12T09:00:00.001Z"}}"#;

const PAID: &str = r#"{"task_id":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63","state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","authorization_id":"bafyreif57tgynquz7hoaecmluxdylvsxf2lbxgthp7xcygspg6zwk2eupu","reused":true,"x-later":{"z":9007199254740993,"a":"已签名 ✍"}}"#;

const REJECTED: &str = r#"{"task_id":"ix_4a6aa9f24b67c9acf5e0b6f927d94f63","state":"canceled","pay_state":"rejected","x402.payment.status":"payment-rejected","x-later":[1.0,"未付款",null]}"#;

const BALANCE: &str = r#"{"network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","asset":"credit","balance":9007199254740993,"hub":"https://hub.example.org","entries":[{"at":"2026-10-11T09:00:00Z","delta":100,"reason":"registration grant"},{"at":"2026-10-12T08:42:05Z","delta":-5,"reason":"付款 tx_51280bcaec290b01c4958680d812c5c3"}],"x-later":{"z":1.0}}"#;

/// What `/payments/status` answers.
pub(super) const LIMITS: &str = r#"{"auto_max":0,"agent_max":5,"agent_daily_max":20,"explicit_max":10,"daily_max":50,"payees_file":"payees.allow","spent_24h":7,"agent_spent_24h":2,"summary":"An agent may pay at most 5 at once and 18 more today. 额度"}"#;

const EVIDENCE: &str = r#"{"records":[
{"seq":9007199254740993,"id":"bafyreicm2dycdpczslowu4sxveoqwnb24fj5b44cvapwynyca2ki7mzhk4","prev_id":"bafyreihmvnlglwknk7rboy7pyfyecrqpnngottp53k7dl57wkifxbpgruy","event_type":"anet.delegation.sent","timestamp":1791793296440,"signer_aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","payload":{"peer_aid":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","note":"<已签名>","z":1.0,"a":{}},"sig":"c2lnbmF0dXJl"},
{"seq":9007199254740994,"id":"bafyreifl2fnryrcabyyx5c474qpwyoki5ltgskf6fsql2snjghuhcmd6gi","prev_id":"bafyreicm2dycdpczslowu4sxveoqwnb24fj5b44cvapwynyca2ki7mzhk4","event_type":"anet.capability.effect","timestamp":1791793800000,"signer_aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","payload":{"capability":"lab.notes.append","status":"UNVERIFIED"},"sig":"c2lnbmF0dXJl"}
],"head":{"chain_did":"did:anet:bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","head_id":"bafyreifl2fnryrcabyyx5c474qpwyoki5ltgskf6fsql2snjghuhcmd6gi","length":9007199254740995,"state":"QUARANTINED"}}"#;

const STATUS: &str = r#"{
  "version": "0.3.0", "aid": "bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi",
  "auto_reply": {"backend": "exec", "agent": "claude", "api_key_set": true, "trusted": "off", "untrusted": "sandbox", "work_dir": "/home/lin/agent",
    "sandbox": {"state": "ready", "reason": "", "message": "the sandbox starts", "next": "", "kind": "bwrap", "limits": {"memory_mb": 1024}, "egress_allow": ["api.example.org:443"], "budget": {"per_day": 20}, "detail": "bubblewrap"}},
  "build": {"without": ["p2p"], "modules": ["a2a", "mcp", "x402"]},
  "caps": null, "data_dir": "/home/lin/.anet", "hub_url": "https://hub.example.org", "inbound_policy": "closed", "name": "林的笔记本 💻",
  "delivery": {"awaiting_confirmation": 1, "counters": {"dack-expired": 0, "dack-confirmed": 12}, "level": "warn", "message": "1 message waits for the other side",
    "next": "anet delivery list", "not_sent": 0, "oldest_awaiting_ms": 9007199254740993, "queued_at_hub": 1, "stuck": 0, "unconfirmed_24h": 0},
  "hub": {"state": "pending_admission", "message": "Your hub operator must admit this node: `anet-hub admit bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi`"},
  "identity": {"recovery": {"message": "Set a recovery passphrase: `anet identity protect`", "state": "unprotected"}},
  "privacy": {"clock_closed_s": 0, "retention_days": 30.0},
  "profile": {"summary": "digests & <reports>"},
  "receive": {"not-accepting": 1, "duplicate": 2},
  "summary": ["hub: waiting for admission", "identity: no recovery passphrase", "delivery: 1 waiting"],
  "x-later": {"z": [], "a": ""}
}
"#;

const PENDING: &str = r#"{"pending":[{"requester":"bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi","interaction_id":"what the requester chose 请求 🙏 <x>","arrived_at":1791793200000,"expires_at":1792052400000,"bytes":9007199254740993,"request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","capability":"text.digest","attachments":1,"followups":0},
{"arrived_at":1791793200001,"attachments":0,"bytes":12,"expires_at":1792052400001,"followups":5,"interaction_id":"ix_9b2dcc221f0aa47b99871623a5d24073","request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","requester":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi"}]}"#;

#[cfg(test)]
mod tests {
    use super::{LIMITS, answer};
    use crate::json::Json;
    use crate::page::Tool;

    #[test]
    fn every_answer_is_an_object_without_duplicates_that_fits() {
        for document in Tool::ALL.map(answer).into_iter().chain([LIMITS]) {
            let json = Json::parse(document).unwrap_or_else(|error| panic!("{error}: {document}"));
            assert!(json.is_object() && json.duplicate().is_none(), "{document}");
            assert!(document.len() < 6_000, "it must fit within every bound: {document}");
        }
    }
}
