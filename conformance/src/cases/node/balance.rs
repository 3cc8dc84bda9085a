//! `get_balance` where both routes answer: what is asked, and what is made of the two answers.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, Group, Request, Step};
use crate::cases::seen;
use crate::expect::{Expect, ValueRule};
use crate::json::{Grade, Json};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// What `/balance` answers (control-plane 8.2).
pub(super) const BALANCE: &str = r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","asset":"credit","balance":137,"entries":[{"at":"2026-10-11T09:00:00Z","delta":100,"reason":"registration grant"},{"at":"2026-10-12T08:42:05Z","delta":-5,"reason":"tx_51280bcaec290b01c4958680d812c5c3"}],"hub":"https://hub.example.org","network":"hub:bafyreibjbfzslhwy22f4e4672l5dtj26tap7cc7icbdy6hwrlclsibcoyy"}"#;

/// What `/payments/status` answers: the values of 2.15 and the sentence of the page.
pub(super) const LIMITS: &str = r#"{"auto_max":0,"agent_max":5,"agent_daily_max":20,"explicit_max":10,"daily_max":50,"payees_file":"payees.allow","spent_24h":7,"agent_spent_24h":2,"summary":"An agent may pay at most 5 at once and 18 more today."}"#;

const SUMMARY: &str = r#""An agent may pay at most 5 at once and 18 more today.""#;

/// All routes but the two of `get_balance`.
const OTHER_ROUTES: [Route; 12] = [
    Route::AgentsList,
    Route::AgentsCard,
    Route::TasksSend,
    Route::TasksGet,
    Route::TasksList,
    Route::TasksWait,
    Route::TasksCancel,
    Route::TasksReply,
    Route::TasksPay,
    Route::Evidence,
    Route::Status,
    Route::InboundPending,
];

/// Bodies of `/balance` beside the usual one, and the members of each that the page names.
const BALANCES: &[(&str, &str, &str, &[&str])] = &[
    (
        "no-entries",
        "a ledger that could not be read has no `entries`",
        r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","asset":"credit","balance":12,"hub":"https://hub.example.org"}"#,
        &["balance"],
    ),
    ("empty", "a new account", r#"{"asset":"credit","balance":0,"entries":[]}"#, &["balance", "entries"]),
    (
        "numbers",
        "numbers that a careless reader changes",
        r#"{"asset":"credit","balance":9007199254740993,"entries":[{"at":"2026-10-12T08:42:05Z","delta":-9007199254740993,"reason":"x"},{"delta":1.50,"reason":"y"},{"delta":1e3,"reason":"z"}]}"#,
        &["balance", "entries"],
    ),
    (
        "texts",
        "reasons with characters that must be escaped, or must not",
        r#"{"asset":"credit","balance":1,"entries":[{"at":"2026-10-12T08:42:05Z","delta":1,"reason":"<b>\u0026 \"quoted\" \\ 余额 🪙\u2028\ttab"}]}"#,
        &["balance", "entries"],
    ),
    (
        "probation",
        "an account from open registration",
        r#"{"asset":"credit","balance":5,"entries":[],"probation_until":"2026-12-24T00:00:00Z","trial":true}"#,
        &["balance", "probation_until", "trial"],
    ),
    (
        "probation-objects",
        "the page gives `probation_until` and `trial` no type",
        r#"{"asset":"credit","balance":5,"entries":[],"probation_until":1798070400000,"trial":{"until":1798070400000,"credits":5}}"#,
        &["balance", "probation_until", "trial"],
    ),
    (
        "unreadable",
        "the daemon itself says that the balance cannot be read",
        r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","balance_error":"The hub did not answer within 30 s; the balance is not known. Try again later."}"#,
        &["balance_error"],
    ),
    (
        "module-absent",
        "the daemon itself says that there is no payment module",
        r#"{"aid":"bafyreidx6qbcrx3nobnnh44gy73ijvphn3yhxtn37ifj7dozymzshda4bi","balance":"module_absent"}"#,
        &["balance"],
    ),
    (
        "unknown-members",
        "members that no version names yet",
        r#"{"zeta":{"deep":[1,null,{"a":"b"}]},"balance":3,"entries":[],"alpha":null}"#,
        &["balance", "entries"],
    ),
];

/// Arguments that must not reach `/payments/status`, nor change what is asked.
const ARGUMENTS: &[(&str, Option<&str>)] = &[
    ("left-out", None),
    ("null", Some("null")),
    ("empty", Some("{}")),
    ("amount", Some(r#"{"amount":"5"}"#)),
    ("limits", Some(r#"{"agent_max":100,"limits":{"agent_max":100}}"#)),
    ("task", Some(r#"{"task_id":"ix_2f3d2f01f6c7467f40dc6858ddd3b0d6"}"#)),
    ("body", Some(r#"{"body":{"explicit_max":1},"payments":{"explicit_max":1}}"#)),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        merged("whole", "the balance and the limits, from two routes", BALANCE, LIMITS, &["balance", "entries"])
            .check("balance.limits", Expect::InText { call: "call".to_owned(), pointer: "/limits/summary".to_owned(), rule: ValueRule::Is(SUMMARY.to_owned()) })
            .check("balance.requests", Expect::AsksOnly { routes: vec![Route::Balance, Route::PaymentsStatus] })
            .check("balance.order", Expect::holds("which route is asked first is recorded", order))
            .check("balance.empty-body", empty_if_asked())
            .check("balance.empty-body-form", Expect::RecordsEmptyBody { route: Route::PaymentsStatus }),
        merged(
            "limits-without-summary",
            "a daemon of version 0.2 has no `summary`",
            BALANCE,
            r#"{"auto_max":0,"agent_max":0,"agent_daily_max":0,"explicit_max":10,"daily_max":50,"payees_file":"","spent_24h":0,"agent_spent_24h":0}"#,
            &["balance"],
        )
        .check("balance.limits", in_text("/limits/explicit_max", "10")),
        merged("many-entries", "a hundred entries come whole", &many_entries(), LIMITS, &["entries"]),
        limits_in_both(),
        held("held-balance", Route::Balance),
        held("held-limits", Route::PaymentsStatus),
    ];
    cases.extend(BALANCES.iter().map(|(point, title, balance, named)| merged(point, title, balance, LIMITS, named)));
    cases.extend(ARGUMENTS.iter().map(|(point, arguments)| with_arguments(point, *arguments)));
    cases
}

/// The balance with the limits under `limits`.
fn with_limits(balance: &str, limits: &str) -> String {
    format!(r#"{},"limits":{limits}}}"#, balance.strip_suffix('}').unwrap_or(balance))
}

/// Both routes answer, and the result is both answers in one; these members stand in it as the daemon sent them.
fn merged(point: &str, title: &str, balance: &str, limits: &str, named: &[&str]) -> Case {
    let whole = with_limits(balance, limits);
    let source = Json::parse(balance).unwrap_or(Json::Null);
    let mut case = Case::new(Group::Node, &format!("balance/{point}"), format!("get_balance: {title}"))
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, balance)
        .daemon_answers(Route::PaymentsStatus, limits)
        .call(Tool::Balance, "{}")
        .check("results.success", Expect::Succeeds { call: "call".to_owned() })
        .check(
            "balance.limits",
            Expect::InText { call: "call".to_owned(), pointer: "/limits".to_owned(), rule: ValueRule::Type("object") },
        );
    for name in named {
        let value = source.member(name).map(Json::to_string).unwrap_or_default();
        case = case.check("balance.named-members", same_double(&format!("/{name}"), &value));
    }
    case.check(
        "balance.merged",
        Expect::TextJson { call: "call".to_owned(), json: whole.clone(), grade: Grade::Double },
    )
    .check(
        "results.numbers-literal",
        Expect::TextJson { call: "call".to_owned(), json: whole.clone(), grade: Grade::Literal },
    )
    .check("results.member-order", Expect::TextOrder { call: "call".to_owned(), json: whole })
    .check("results.one-text", Expect::OneText { call: "call".to_owned() })
    .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
    .own_routes()
}

/// The daemon's own `/balance` has limits already, as the page can be read.
fn limits_in_both() -> Case {
    let other = "From the balance: 5 at once.";
    let balance = with_limits(BALANCE, &format!(r#"{{"agent_max":5,"summary":"{other}"}}"#));
    Case::new(Group::Node, "balance/limits-in-both", "get_balance: /balance has limits of its own")
        .tool(Tool::Balance)
        .daemon_answers(Route::Balance, balance)
        .daemon_answers(Route::PaymentsStatus, LIMITS)
        .call(Tool::Balance, "{}")
        .check("results.success", Expect::Succeeds { call: "call".to_owned() })
        .check("balance.named-members", in_text("/balance", "137"))
        .check(
            "balance.limits",
            Expect::InText {
                call: "call".to_owned(),
                pointer: "/limits/summary".to_owned(),
                rule: ValueRule::OneOf(vec![SUMMARY.to_owned(), format!("\"{other}\"")]),
            },
        )
        .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
        .own_routes()
}

/// One route answers late: the result waits for it.
fn held(point: &str, late: Route) -> Case {
    let (body, other, prompt) = match late {
        Route::Balance => (BALANCE, Route::PaymentsStatus, LIMITS),
        _ => (LIMITS, Route::Balance, BALANCE),
    };
    let then = Box::new(Reply::Respond(Response::json(200, body)));
    Case::new(Group::Node, &format!("balance/{point}"), format!("get_balance: {late} answers late"))
        .tool(Tool::Balance)
        .daemon(Rule { on: On::Route(late), times: Times::Always, reply: Reply::Hold { name: point.to_owned(), then } })
        .daemon_answers(other, prompt)
        .step(Step::Request(Request::call("call", Tool::Balance.name(), Some("{}".to_owned()))))
        .step(Step::AwaitDaemon { route: late, count: 1 })
        .step(Step::Release(point.to_owned()))
        .step(Step::Await("call".to_owned()))
        .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
        .check("balance.named-members", in_text("/balance", "137"))
        .check("balance.limits", in_text("/limits/agent_max", "5"))
        .own_routes()
}

/// Whatever the arguments are, the body of `/payments/status` is empty.
fn with_arguments(point: &str, arguments: Option<&str>) -> Case {
    let case = Case::new(
        Group::Node,
        &format!("balance/body/{point}"),
        "get_balance: /payments/status is asked with an empty body",
    )
    .tool(Tool::Balance)
    .daemon_answers(Route::Balance, BALANCE)
    .daemon_answers(Route::PaymentsStatus, LIMITS)
    .step(Step::Request(Request::call("call", Tool::Balance.name(), arguments.map(str::to_owned))))
    .step(Step::Await("call".to_owned()))
    .check("balance.answered", Expect::AnsweredOnce { call: "call".to_owned() })
    .check("balance.empty-body", empty_if_asked())
    .own_routes();
    if arguments.is_none_or(|arguments| arguments == "{}") {
        case.check("results.success", Expect::Succeeds { call: "call".to_owned() })
    } else {
        case
    }
}

impl Case {
    /// Nothing but the two routes is asked, and neither twice.
    pub(super) fn own_routes(self) -> Self {
        self.check("balance.own-routes", Expect::NeverAsks { routes: OTHER_ROUTES.to_vec() })
            .check("balance.own-routes", Expect::AsksAtMost { route: Route::Balance, times: 1 })
            .check("balance.own-routes", Expect::AsksAtMost { route: Route::PaymentsStatus, times: 1 })
    }
}

pub(super) fn in_text(pointer: &str, json: &str) -> Expect {
    Expect::InText { call: "call".to_owned(), pointer: pointer.to_owned(), rule: ValueRule::Is(json.to_owned()) }
}

/// A place of the result holds this value, numbers as the same double.
fn same_double(pointer: &str, json: &str) -> Expect {
    let (place, json) = (pointer.to_owned(), json.to_owned());
    Expect::holds(format!("in the text of `call`, `{place}` is {json}"), move |seen| {
        let expected = Json::parse(&json).unwrap_or(Json::Null);
        let document = seen::document(seen, "call");
        match document.as_ref().and_then(|document| document.pointer(&place)) {
            Some(found) if expected.differences(found, Grade::Double).is_empty() => Finding::Met,
            found => {
                let found = found.map_or_else(|| seen::shown(seen, "call"), Json::to_string);
                Finding::differs(
                    format!("`{place}` in the text of `call` is not what the daemon sent"),
                    json.as_str(),
                    found,
                )
            }
        }
    })
}

/// No request to `/payments/status` has a body with anything in it.
fn empty_if_asked() -> Expect {
    Expect::holds("whenever /payments/status is asked, its body is empty", |seen| {
        let is_empty = |body: &[u8]| {
            body.trim_ascii().is_empty()
                || Json::parse_bytes(body).is_ok_and(|json| json.as_object().is_some_and(<[_]>::is_empty))
        };
        match seen.asked_of(Route::PaymentsStatus).find(|asked| !is_empty(&asked.body) || asked.target.contains('?')) {
            None => Finding::Met,
            Some(_) => Finding::differs(
                "the request to /payments/status is not empty",
                "no bytes, or {}",
                seen::requests(seen),
            ),
        }
    })
}

fn order(seen: &Observation) -> Finding {
    let asked: Vec<_> = seen
        .asked
        .iter()
        .filter_map(|asked| asked.route)
        .filter(|route| matches!(route, Route::Balance | Route::PaymentsStatus))
        .map(Route::path)
        .collect();
    Finding::Observed(if asked.is_empty() { "neither".to_owned() } else { asked.join(" first, then ") })
}

fn many_entries() -> String {
    let entries: Vec<_> = (0..100)
        .map(|n| {
            format!(
                r#"{{"at":"2026-10-12T08:{:02}:{:02}Z","delta":{},"reason":"tx_{n:032x}"}}"#,
                n / 60,
                n % 60,
                n - 50
            )
        })
        .collect();
    format!(r#"{{"asset":"credit","balance":137,"entries":[{}]}}"#, entries.join(","))
}
