//! `submit_payment` and `reject_payment`: the decision, its refusals, and what is never sent.

use anet_mock_daemon::Route;

use crate::case::{Case, Group, Request, Step};
use crate::cases::seen;
use crate::expect::{Expect, ValueRule};
use crate::json::Json;
use crate::observation::Observation;
use crate::page::{SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// Decisions that are no hold: tool, name, members after `task_id`.
const DECISIONS: &[(Tool, &str, &str)] = &[
    (
        Tool::SubmitPayment,
        "submitted",
        r#""state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","authorization_id":"bafyreif57tgynquz7hoaecmluxdylvsxf2lbxgthp7xcygspg6zwk2eupu""#,
    ),
    (
        Tool::SubmitPayment,
        "reused",
        r#""state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","authorization_id":"bafyreif57tgynquz7hoaecmluxdylvsxf2lbxgthp7xcygspg6zwk2eupu","reused":true"#,
    ),
    (
        Tool::SubmitPayment,
        "completed-at-once",
        r#""state":"working","pay_state":"completed","x402.payment.status":"payment-completed","authorization_id":"bafyreif57tgynquz7hoaecmluxdylvsxf2lbxgthp7xcygspg6zwk2eupu""#,
    ),
    (
        Tool::SubmitPayment,
        "failed",
        r#""state":"input-required","pay_state":"failed","x402.payment.status":"payment-failed","x402.payment.error":"INSUFFICIENT_FUNDS","anet.reason":"insufficient_funds""#,
    ),
    (
        Tool::SubmitPayment,
        "unknown-members",
        r#""state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted","zeta":[1.0,9007199254740993],"alpha":{"reason":"x"}"#,
    ),
    (
        Tool::RejectPayment,
        "rejected",
        r#""state":"canceled","pay_state":"rejected","x402.payment.status":"payment-rejected""#,
    ),
    (
        Tool::RejectPayment,
        "rejected-with-note",
        r#""state":"canceled","pay_state":"rejected","x402.payment.status":"payment-rejected","message":"The other agent was told; nothing was paid.""#,
    ),
];

/// Why a payment is held for the operator, with the sentence that says so.
const HOLDS: &[(&str, &str)] = &[
    (
        "over_single_limit",
        "Nothing was signed: a single payment of 5 exceeds what agents may spend on this node (limit 0). Price 5 credit, payee bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq; the offer stays valid. A person can settle it from a terminal with `anet payees add bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq` followed by `anet pay ix_4a6aa9f24b67c9acf5e0b6f927d94f63`.",
    ),
    (
        "over_agent_daily_limit",
        "Nothing was signed: agents have spent 18 of 20 credit in 24 h. A person can run `anet pay ix_4a6a`.",
    ),
    (
        "over_daily_limit",
        "Nothing was signed: this node has spent 48 of 50 credit in 24 h; `anet payments set daily_max=\u{2026}`",
    ),
    (
        "payee_not_allowed",
        "Nothing was signed: the payee is not in payees.allow. \"anet payees add <aid>\" & then `anet pay`.",
    ),
    ("payees_unreadable", "Nothing was signed: the list of payees cannot be read (line 3: \\u0000 is no AID)."),
];

/// Options copied from a quote, as hostile as a quote can be.
const OPTIONS: &[(&str, &str)] = &[
    (
        "plain",
        r#"{"amount":"5","asset":"credit","maxTimeoutSeconds":300,"network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy","payTo":"bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq","scheme":"anet-credit"}"#,
    ),
    ("other-case", r#"{"AMOUNT":"5","amount":"50","Amount":"500","scheme":"anet-credit"}"#),
    (
        "extra",
        r#"{"amount":"5","scheme":"anet-credit","extra":{"a":[null,true,{"b":""}],"purpose":"manual","payload":{}}}"#,
    ),
    ("numbers", r#"{"amount":"5","scheme":"anet-credit","extra":{"n":9007199254740993,"f":1.50,"e":1e3,"z":-0}}"#),
    ("texts", r#"{"amount":"5","scheme":"anet-credit\u2028<&>","payTo":"余额🪙\"\\"}"#),
];

/// Refusals: which tools can meet them, status, name, body.
const REFUSALS: &[(&[Tool], u16, &str, &str, &str)] = &[
    (
        &SUBMIT,
        422,
        "option-not-offered",
        "the chosen option is not among those the quote offers",
        r#","reason":"option_not_offered","result":{"task_id":"ix_4a6a","state":"input-required","pay_state":"required","x402.payment.status":"payment-failed","x402.payment.error":"SETTLEMENT_FAILED","anet.reason":"option_not_offered"}"#,
    ),
    (
        &SUBMIT,
        422,
        "payload-unsupported",
        "a client cannot bring its own payment payload",
        r#","reason":"client_payload_unsupported","result":{"task_id":"ix_4a6a","state":"input-required","pay_state":"required","x402.payment.status":"payment-failed","x402.payment.error":"SETTLEMENT_FAILED"}"#,
    ),
    (
        &SUBMIT,
        422,
        "rail-not-payable",
        "none of the offered options can be paid by this node",
        r#","reason":"rail_not_payable","result":{"task_id":"ix_4a6a","state":"input-required","pay_state":"required","x402.payment.status":"payment-failed"}"#,
    ),
    (&SUBMIT, 403, "zero-amount", "there is nothing to pay: the amount is 0", r#","reason":"zero_amount""#),
    (
        &SUBMIT,
        403,
        "unknown-purpose",
        "the spending policy does not know this purpose",
        r#","reason":"unknown_purpose""#,
    ),
    (&BOTH, 404, "unknown-task", "no task ix_2f3d2f01f6c7467f40dc6858ddd3b0d6", ""),
    (&BOTH, 409, "not-requester", "this task was sent to this node; only the requester can pay", ""),
    (&BOTH, 409, "no-quote", "no quote waits on this task", r#","reason":"no_pending_quote""#),
    (&BOTH, 409, "finished", "the task is completed; there is nothing left to pay", ""),
    (&SUBMIT, 409, "expired", "the quote expired 3 h ago; ask for a new one", r#","reason":"quote_expired""#),
    (&SUBMIT, 409, "pending", "a payment for this task is already on its way", ""),
    (&SUBMIT, 400, "payee", "the payee of the option is not the agent of the task", r#","reason":"payee_mismatch""#),
    (&BOTH, 400, "no-module", "This node has no payment module.", r#","reason":"module_absent""#),
    (&SUBMIT, 504, "deadline", "the hub did not answer in time; whether the payment arrived is not known", ""),
];
const SUBMIT: [Tool; 1] = [Tool::SubmitPayment];
const BOTH: [Tool; 2] = [Tool::SubmitPayment, Tool::RejectPayment];

/// Members that would change what is paid, or by whose leave, beside the task id.
const SMUGGLED: &[(&str, &str)] = &[
    ("purpose", r#""purpose":"manual""#),
    ("payload", r#""payload":{"authorization":"x"}"#),
    ("amount", r#""amount":"500""#),
    ("pay", r#""pay":true"#),
    ("decision", r#""decision":"submit""#),
    ("other-decision", r#""decision":"reject""#),
    ("limits", r#""explicit_max":1000,"agent_max":1000,"force":true"#),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (tool, point, members) in DECISIONS {
        cases.push(decision(*tool, point, members));
    }
    for (code, sentence) in HOLDS {
        cases.push(hold(code, sentence));
    }
    for (point, option) in OPTIONS {
        cases.push(chosen(point, option));
    }
    for (tools, status, point, sentence, further) in REFUSALS {
        cases.extend(tools.iter().map(|tool| refusal(*tool, *status, point, sentence, further)));
    }
    for tool in BOTH {
        cases.extend(SMUGGLED.iter().map(|(point, member)| smuggled(tool, point, member)));
    }
    cases.push(twice());
    cases
}

/// What the tool sends for the smallest arguments.
fn body(tool: Tool) -> String {
    format!(r#"{{"task_id":"{SAMPLE_TASK}","decision":"{}"}}"#, own_decision(tool))
}

fn own_decision(tool: Tool) -> &'static str {
    if tool == Tool::RejectPayment { "reject" } else { "submit" }
}

/// A decision, which is given back as it is; nothing but `/tasks/pay` is asked.
fn decided(tool: Tool, topic: &str, title: String, answer: &str) -> Case {
    Case::new(Group::Node, topic, title)
        .tool(tool)
        .daemon_answers(Route::TasksPay, answer)
        .call(tool, tool.minimal_arguments())
        .check("payments.decision", Expect::Succeeds { call: "call".to_owned() })
        .check("payments.decision", Expect::AsksOnly { routes: vec![Route::TasksPay] })
        .check(
            "payments.own-decision",
            Expect::InBody {
                route: Route::TasksPay,
                pointer: "/decision".to_owned(),
                rule: ValueRule::Is(format!("\"{}\"", own_decision(tool))),
            },
        )
        .expect_request(Route::TasksPay, body(tool))
        .expect_answer("call", answer)
}

fn decision(tool: Tool, point: &str, members: &str) -> Case {
    let answer = format!(r#"{{"task_id":"{SAMPLE_TASK}",{members}}}"#);
    decided(tool, &format!("payments/decision/{point}"), format!("{tool}: {}", point.replace('-', " ")), &answer)
}

fn hold(code: &str, sentence: &str) -> Case {
    let sentence = Json::string(sentence).to_string();
    let answer = format!(
        r#"{{"task_id":"{SAMPLE_TASK}","state":"input-required","pay_state":"required","x402.payment.status":"payment-required","anet.reason":"needs_operator_approval","spend_refusal":"{code}","message":{sentence}}}"#
    );
    let title = format!("submit_payment: held for the operator, {code}");
    let case = decided(Tool::SubmitPayment, &format!("payments/hold/{code}"), title, &answer);
    let members = [
        ("anet.reason", r#""needs_operator_approval""#),
        ("spend_refusal", &format!("\"{code}\"")),
        ("message", &sentence),
    ];
    members.into_iter().fold(case, |case, (name, value)| {
        let (pointer, rule) = (format!("/{name}"), ValueRule::Is(value.to_owned()));
        case.check("payments.hold", Expect::InText { call: "call".to_owned(), pointer, rule })
    })
}

/// The chosen option reaches the daemon unchanged: it is compared member by member there.
fn chosen(point: &str, option: &str) -> Case {
    let answer = format!(
        r#"{{"task_id":"{SAMPLE_TASK}","state":"working","pay_state":"submitted","x402.payment.status":"payment-submitted"}}"#
    );
    Case::new(
        Group::Node,
        &format!("payments/accept/{point}"),
        "submit_payment: the chosen option is passed on unchanged",
    )
    .tool(Tool::SubmitPayment)
    .daemon_answers(Route::TasksPay, answer)
    .call(Tool::SubmitPayment, format!(r#"{{"task_id":"{SAMPLE_TASK}","accept":{option}}}"#))
    .check("results.success", Expect::Succeeds { call: "call".to_owned() })
    .check("payments.no-policy", never_policy())
    .expect_request(Route::TasksPay, format!(r#"{{"task_id":"{SAMPLE_TASK}","decision":"submit","accept":{option}}}"#))
}

fn refusal(tool: Tool, status: u16, point: &str, sentence: &str, further: &str) -> Case {
    let body_sent = body(tool);
    Case::new(Group::Node, &format!("payments/refused/{tool}/{point}"), format!("{tool}: refused with {status}"))
        .tool(tool)
        .daemon_refuses(Route::TasksPay, status, format!(r#"{{"error":{}{further}}}"#, Json::string(sentence)))
        .call(tool, tool.minimal_arguments())
        .expect_request(Route::TasksPay, body_sent)
        .expect_sentence("call", sentence)
}

/// Whatever the caller adds, nothing of it that touches the spending policy reaches the daemon.
fn smuggled(tool: Tool, point: &str, member: &str) -> Case {
    let least = tool.minimal_arguments();
    let arguments = format!("{},{member}}}", least.strip_suffix('}').unwrap_or(&least));
    let answer = format!(r#"{{"task_id":"{SAMPLE_TASK}","state":"working"}}"#);
    let own = Expect::holds("every request carries the tool's own decision", move |seen: &Observation| {
        for asked in seen.asked_of(Route::TasksPay) {
            let decision = Json::parse_bytes(&asked.body).ok().and_then(|body| body.member("decision").cloned());
            if decision.as_ref().and_then(Json::as_str) != Some(own_decision(tool)) {
                let message = format!("{tool} does not send its own decision");
                return Finding::differs(message, own_decision(tool), String::from_utf8_lossy(&asked.body));
            }
        }
        Finding::Met
    });
    Case::new(
        Group::Node,
        &format!("payments/smuggled/{tool}/{point}"),
        format!("{tool} with `{member}`, which it does not have"),
    )
    .tool(tool)
    .daemon_answers(Route::TasksPay, answer)
    .call(tool, arguments)
    .check("payments.no-policy", never_policy())
    .check("payments.own-decision", own)
    .check("payments.decision", Expect::AsksAtMost { route: Route::TasksPay, times: 1 })
}

/// No request has a member that the spending policy looks at.
fn never_policy() -> Expect {
    let members = ["purpose", "payload", "amount", "pay", "explicit_max", "agent_max", "force"];
    Expect::NeverSends { members: members.map(str::to_owned).to_vec() }
}

/// The same payment submitted twice: the daemon says that the second is the first.
fn twice() -> Case {
    let answer = format!(r#"{{"task_id":"{SAMPLE_TASK}","state":"working","pay_state":"submitted","reused":true}}"#);
    let submit = |label: &str| {
        Step::Request(Request::call(label, Tool::SubmitPayment.name(), Some(Tool::SubmitPayment.minimal_arguments())))
    };
    Case::new(Group::Node, "payments/twice", "submit_payment twice is asked twice")
        .tool(Tool::SubmitPayment)
        .daemon_answers(Route::TasksPay, answer)
        .step(submit("first"))
        .step(Step::Await("first".to_owned()))
        .step(submit("second"))
        .step(Step::Await("second".to_owned()))
        .check(
            "payments.each-call",
            seen::asked_in_turn(Route::TasksPay, &[body(Tool::SubmitPayment), body(Tool::SubmitPayment)]),
        )
        .check("results.success", Expect::Succeeds { call: "second".to_owned() })
}
