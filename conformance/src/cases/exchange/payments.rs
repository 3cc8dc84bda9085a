//! `submit_payment`, `reject_payment` and `get_balance` (control-plane 2.10, 2.11, 2.15; rulings R5, R6).

use anet_mock_daemon::Route;

use super::answers::LIMITS;
use super::{Demand, Row, answer, exchange, exchanges, fill, row};
use crate::case::{Case, Group};
use crate::expect::{Expect, ValueRule};
use crate::json::{Grade, Json};
use crate::page::Tool;

pub(super) const ROWS: &[(Tool, &[Row])] = &[(Tool::SubmitPayment, SUBMIT), (Tool::RejectPayment, REJECT)];

const SUBMIT: &[Row] = &[
    row(
        "minimal",
        "without accept the daemon takes the only option",
        r#"{"task_id":"$TASK"}"#,
        r#"{"task_id":"$TASK","decision":"submit"}"#,
    ),
    row(
        "full",
        "the chosen option travels as it is",
        r#"{"task_id":"$TASK","accept":{"scheme":"anet-credit","network":"hub:$AID","amount":"5","asset":"credit","payTo":"$AID","maxTimeoutSeconds":300}}"#,
        r#"{"task_id":"$TASK","decision":"submit","accept":{"scheme":"anet-credit","network":"hub:$AID","amount":"5","asset":"credit","payTo":"$AID","maxTimeoutSeconds":300}}"#,
    ),
    row(
        "accept-unknown-members",
        "members of the option that nobody documents are kept",
        r#"{"task_id":"$TASK","accept":{"payTo":"$AID","amount":"5","AMOUNT":"6","extra":{"name":"报价 🧾","list":[{"a":null},[],"",false]},"x-later":{}}}"#,
        r#"{"task_id":"$TASK","decision":"submit","accept":{"payTo":"$AID","amount":"5","AMOUNT":"6","extra":{"name":"报价 🧾","list":[{"a":null},[],"",false]},"x-later":{}}}"#,
    ),
    row(
        "accept-amount-spelling",
        "an amount is a string and stays one, digit for digit",
        r#"{"task_id":"$TASK","accept":{"amount":"0.50","payTo":"$AID"}}"#,
        r#"{"task_id":"$TASK","decision":"submit","accept":{"amount":"0.50","payTo":"$AID"}}"#,
    ),
];

const REJECT: &[Row] = &[row(
    "minimal",
    "the task and the decision",
    r#"{"task_id":"$TASK"}"#,
    r#"{"task_id":"$TASK","decision":"reject"}"#,
)];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ROWS.iter().flat_map(|(tool, rows)| exchanges(*tool, rows)).collect();
    cases.extend([accept_digits(), balance()]);
    cases
}

fn accept_digits() -> Case {
    exchange(
        Tool::SubmitPayment,
        "accept-beyond-doubles",
        "a number beyond 2^53 in the option",
        &fill(r#"{"task_id":"$TASK","accept":{"amount":"5","extra":{"nonce":9007199254740993}}}"#),
        &fill(r#"{"task_id":"$TASK","decision":"submit","accept":{"amount":"5","extra":{"nonce":9007199254740993}}}"#),
        Demand::Meaning,
    )
    .check(
        "wire.digits-kept",
        Expect::InBody {
            route: Route::TasksPay,
            pointer: "/accept/extra/nonce".to_owned(),
            rule: ValueRule::IsLiterally("9007199254740993".to_owned()),
        },
    )
}

/// `/balance` and `/payments/status`, once each; the answer is the first with the second under `limits`. The group `node`
/// looks at everything else about it.
fn balance() -> Case {
    Case::new(Group::Exchange, "get_balance/minimal", "get_balance: the balance, with the limits beside it")
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, answer(Tool::Balance))
        .daemon_answers(Route::PaymentsStatus, LIMITS)
        .call(Tool::Balance, "{}")
        .check("wire.request-meaning", Expect::Asks { route: Route::Balance, body: "{}".to_owned() })
        .check("balance.requests", Expect::AsksOnly { routes: vec![Route::Balance, Route::PaymentsStatus] })
        .check("results.success", Expect::Succeeds { call: "call".to_owned() })
        .check("balance.merged", Expect::TextJson { call: "call".to_owned(), json: merged(), grade: Grade::Double })
        .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
}

fn merged() -> String {
    let parsed = |document: &str| Json::parse(document).unwrap_or(Json::Null);
    let mut balance = parsed(answer(Tool::Balance));
    balance.set("limits", parsed(LIMITS));
    balance.to_string()
}
