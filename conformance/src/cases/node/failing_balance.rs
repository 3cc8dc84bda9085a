//! `get_balance` where a route refuses or answers oddly.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use super::balance::{BALANCE, LIMITS, in_text};
use crate::case::{Case, Group};
use crate::cases::build::answers;
use crate::cases::seen;
use crate::expect::{Expect, TextRule, ValueRule};
use crate::json::{Grade, Json};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// Refusals of `/balance`: status, sentence, further members.
const REFUSALS: &[(&str, u16, &str, &str)] = &[
    ("no-hub", 400, "This node has no hub; run `anet hub-register <url>` in a terminal.", ""),
    ("hub-silent", 504, "The hub did not answer within 30 s; the balance is not known.", ""),
    ("hub-down", 503, "The hub could not be reached: connection refused.", r#","code":"UnavailableError""#),
    ("with-reason", 400, "The hub's statement does not match the signed chain.", r#","reason":"balance_mismatch""#),
    ("odd-characters", 500, "Hub \"lab\" <north> said: \u{201c}no\u{201d} & hung up \u{2014} 余额", ""),
];

/// Answers that are no JSON object.
const ODD: &[(&str, &str)] = &[
    ("null", "null"),
    ("list", "[]"),
    ("list-of-objects", r#"[{"balance":1}]"#),
    ("text", r#""fine""#),
    ("number", "137"),
    ("nothing", ""),
    ("cut", r#"{"balance":137,"entr"#),
    ("html", "<html><body>OK</body></html>"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (point, status, sentence, further) in REFUSALS {
        cases.push(no_balance(point, *status, sentence, further));
    }
    for (point, refusal) in [
        ("error", answers(Route::PaymentsStatus, 500, r#"{"error":"The payment settings cannot be read."}"#)),
        (
            "module-absent",
            answers(
                Route::PaymentsStatus,
                400,
                r#"{"error":"This node has no payment module.","reason":"module_absent"}"#,
            ),
        ),
        ("unknown-route", unknown_route()),
    ] {
        cases.push(no_limits(&format!("limits-refused/{point}"), refusal, "balance.without-limits"));
    }
    for (point, balance_status, limits_status) in
        [("alike", 400, 400), ("first-worse", 503, 400), ("second-worse", 400, 500)]
    {
        cases.push(neither(point, balance_status, limits_status));
    }
    for (point, status, limits) in
        [("bad-request", 400, true), ("not-found", 404, true), ("unavailable", 503, true), ("neither", 400, false)]
    {
        cases.push(module_absent(point, status, limits));
    }
    for (point, body) in ODD {
        cases.push(no_limits(
            &format!("odd-limits/{point}"),
            answers(Route::PaymentsStatus, 200, *body),
            "balance.odd-answers",
        ));
        cases.push(odd_balance(point, body));
    }
    cases
}

/// A daemon that does not know `/payments/status`.
fn unknown_route() -> Rule {
    let reply = Reply::Respond(Response::text(404, "404 page not found\n"));
    Rule { on: On::Route(Route::PaymentsStatus), times: Times::Always, reply }
}

/// `/balance` refuses, `/payments/status` answers.
fn no_balance(point: &str, status: u16, sentence: &str, further: &str) -> Case {
    let body = format!(r#"{{"error":{}{further}}}"#, Json::string(sentence));
    Case::new(
        Group::Node,
        &format!("balance/refused/{point}"),
        "get_balance: the balance cannot be read, the limits can",
    )
    .tool(Tool::Balance)
    .daemon_refuses(Route::Balance, status, body)
    .daemon_answers(Route::PaymentsStatus, LIMITS)
    .call(Tool::Balance, "{}")
    .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
    .check("balance.sentence-kept", sentence_kept([sentence.to_owned()]))
    .check("balance.error-as-member", Expect::Succeeds { call: "call".to_owned() })
    .check("balance.error-as-member", in_text("/balance_error", &Json::string(sentence).to_string()))
    .check("balance.error-as-member", in_text("/limits", LIMITS))
    .own_routes()
}

/// `/balance` answers, `/payments/status` does not, in this way.
fn no_limits(point: &str, refusal: Rule, requirement: &'static str) -> Case {
    Case::new(Group::Node, &format!("balance/{point}"), "get_balance: the balance can be read, the limits cannot")
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, BALANCE)
        .daemon(refusal)
        .call(Tool::Balance, "{}")
        .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check(requirement, Expect::Succeeds { call: "call".to_owned() })
        .check(
            requirement,
            Expect::TextJson { call: "call".to_owned(), json: BALANCE.to_owned(), grade: Grade::Double },
        )
        .own_routes()
}

/// Both routes refuse.
fn neither(point: &str, balance_status: u16, limits_status: u16) -> Case {
    let (balance, limits) =
        ("The hub could not be reached: connection refused.", "The payment settings cannot be read.");
    Case::new(Group::Node, &format!("balance/both-refused/{point}"), "get_balance: neither can be read")
        .tool(Tool::Balance)
        .daemon_refuses(Route::Balance, balance_status, format!(r#"{{"error":"{balance}"}}"#))
        .daemon_refuses(Route::PaymentsStatus, limits_status, format!(r#"{{"error":"{limits}"}}"#))
        .call(Tool::Balance, "{}")
        .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("balance.sentence-kept", sentence_kept([balance.to_owned(), limits.to_owned()]))
        .check("balance.both-fail", Expect::FailsAsTool { call: "call".to_owned() })
        .check("balance.both-fail", Expect::TextIs { call: "call".to_owned(), text: balance.to_owned() })
        .own_routes()
}

/// The daemon says by a reason that it has no payment module.
fn module_absent(point: &str, status: u16, limits: bool) -> Case {
    let sentence = "This node has no payment module.";
    let refusal = format!(r#"{{"error":"{sentence}","reason":"module_absent"}}"#);
    let case = Case::new(
        Group::Node,
        &format!("balance/module-absent/{point}"),
        "get_balance on a node without the payment module",
    )
    .tool(Tool::Balance)
    .daemon_refuses(Route::Balance, status, refusal.clone());
    let case = if limits {
        case.daemon_answers(Route::PaymentsStatus, LIMITS)
    } else {
        case.daemon_refuses(Route::PaymentsStatus, status, refusal)
    };
    case.call(Tool::Balance, "{}")
        .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("balance.module-absent", in_text("/balance", r#""module_absent""#))
        .own_routes()
}

/// `/balance` answers with something that is no object.
fn odd_balance(point: &str, body: &str) -> Case {
    let odd = Expect::holds("the call fails, or its result has a `balance_error`", |seen: &Observation| {
        let told = seen::document(seen, "call")
            .is_some_and(|document| document.member("balance_error").and_then(Json::as_str).is_some());
        if told || seen::failed(seen, "call") {
            Finding::Met
        } else {
            let message = "an answer of /balance that is no object passes for a balance";
            Finding::differs(message, "an error, or `balance_error`", seen::shown(seen, "call"))
        }
    });
    Case::new(Group::Node, &format!("balance/odd-balance/{point}"), "get_balance: /balance answers with no object")
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, body)
        .daemon_answers(Route::PaymentsStatus, LIMITS)
        .call(Tool::Balance, "{}")
        .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("balance.odd-answers", odd)
        .check(
            "balance.odd-answers",
            Expect::Text { call: "call".to_owned(), rules: vec![TextRule::NotBlank, TextRule::NoParserWording] },
        )
        .check(
            "balance.odd-answers",
            Expect::InResult { call: "call".to_owned(), pointer: "/content".to_owned(), rule: ValueRule::AtLeast(1) },
        )
        .own_routes()
}

/// One of the sentences reaches the caller to the letter, in one of the two ways that the page knows.
fn sentence_kept<const N: usize>(sentences: [String; N]) -> Expect {
    let what = format!("{} is the text of an error, or `balance_error` of a result", quoted(&sentences));
    Expect::holds(what, move |seen: &Observation| {
        let said = if seen::failed(seen, "call") {
            seen::text(seen, "call").map(str::to_owned)
        } else {
            seen::document(seen, "call")
                .and_then(|document| document.member("balance_error").and_then(Json::as_str).map(str::to_owned))
        };
        if said.as_ref().is_some_and(|said| sentences.contains(said)) {
            return Finding::Met;
        }
        Finding::differs(
            "the sentence of the control plane does not reach the caller as it is",
            quoted(&sentences),
            said.unwrap_or_else(|| seen::shown(seen, "call")),
        )
    })
}

/// Sentences in quotes, for a report.
fn quoted(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| format!("{sentence:?}")).collect::<Vec<_>>().join(" or ")
}
