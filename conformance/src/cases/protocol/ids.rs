//! Ids: they come back as they were sent, whatever they are.

use anet_mock_daemon::{Route, Times};

use super::{case, held, messages, no_handshake, sample_task, survives};
use crate::case::{Case, Request, Step};
use crate::expect::Expect;
use crate::json::{Grade, Json};
use crate::observation::Observation;
use crate::revision::Revision;
use crate::verdict::Finding;

const INTEGERS: &[&str] = &["0", "-1", "2", "65536", "2147483648", "9007199254740991"];
const STRINGS: &[&str] = &[
    r#""1""#,
    r#""a""#,
    r#""0f8fad5b-d9cd-469f-a165-70867728950e""#,
    r#""id with \"quotes\" and \\""#,
    r#""编号-7-🚀""#,
    r#""true""#,
];
/// Ids that a reader of doubles, or of truth values, loses.
const UNUSUAL: &[&str] = &["9007199254740993", "-9007199254740993", "9223372036854775807", r#""""#];

pub(super) fn cases() -> Vec<Case> {
    let long = Json::string("x".repeat(4096)).to_string();
    let strings: Vec<_> = STRINGS.iter().map(|id| (*id).to_owned()).chain([long]).collect();
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    vec![
        verbatim_case("integers", "integer ids come back as they were sent", "protocol.ids-verbatim", &owned(INTEGERS)),
        verbatim_case("strings", "string ids come back as they were sent", "protocol.ids-verbatim", &strings),
        verbatim_case(
            "unusual",
            "ids beyond 2^53 and the empty id come back as they were sent",
            "protocol.ids-unusual",
            &owned(UNUSUAL),
        ),
        number_and_string(),
        in_flight_twice(),
        no_ids(),
    ]
}

fn verbatim_case(point: &str, title: &str, requirement: &'static str, ids: &[String]) -> Case {
    let open = case(&format!("ids/{point}"), title).setting(no_handshake());
    // The handshake's own id must be none of those that are tried.
    let open = open
        .step(Step::Request(
            Request::new("hello", "initialize", Some(super::hello(Revision::V2025_11_25.name()))).with_id("\"hello\""),
        ))
        .waits("hello")
        .notifies("notifications/initialized", None);
    let case = ids.iter().fold(open, |case, id| {
        let label = label(id);
        case.step(Step::Request(Request::new(&label, "ping", None).with_id(id))).waits(&label)
    });
    ids.iter().fold(case, |case, id| case.check(requirement, verbatim(id)))
}

fn label(id: &str) -> String {
    format!("ping {}", id.chars().take(40).collect::<String>())
}

fn verbatim(id: &str) -> Expect {
    let (label, id) = (label(id), id.to_owned());
    let brief: String = id.chars().take(40).collect();
    Expect::holds(format!("the answer to the id {brief} carries this id"), move |seen| match seen.exchange(&label) {
        Some(exchange) if exchange.replies.len() == 1 => Finding::Met,
        Some(exchange) if exchange.replies.is_empty() => match stray(seen) {
            Some(other) => {
                Finding::differs(format!("the id {brief} came back as another one"), id.clone(), other.to_string())
            }
            None => Finding::broken(format!("the request with the id {brief} was not answered")),
        },
        Some(exchange) => {
            Finding::broken(format!("the request with the id {brief} was answered {} times", exchange.replies.len()))
        }
        None => Finding::broken(format!("the request with the id {brief} could not be sent: the session is over")),
    })
}

/// An answer whose id no request had.
fn stray(seen: &Observation) -> Option<&Json> {
    let known =
        |id: &Json| seen.exchanges.iter().any(|exchange| exchange.id.differences(id, Grade::Literal).is_empty());
    messages(seen)
        .find(|message| message.member("method").is_none() && message.member("id").is_none_or(|id| !known(id)))
}

/// `1` and `"1"` are two ids.
fn number_and_string() -> Case {
    let call = |label: &str, id: &str, task: &str| {
        let arguments = format!(r#"{{"task_id":"{task}"}}"#);
        Step::Request(Request::call(label, "get_task", Some(arguments)).with_id(id))
    };
    case("ids/number-and-string", "a number and the string that looks like it are two ids")
        .alone()
        .step(call("number", "70071", "ix_00000000000000000000000000070071"))
        .step(call("string", "\"70071\"", "ix_ffffffffffffffffffffffffffffffff"))
        .waits("number")
        .waits("string")
        .expect_each_answered("protocol.ids-verbatim", &["number", "string"])
        .check(
            "protocol.own-answers",
            super::concurrency::own_answers(vec![
                ("number".to_owned(), "ix_00000000000000000000000000070071".to_owned()),
                ("string".to_owned(), "ix_ffffffffffffffffffffffffffffffff".to_owned()),
            ]),
        )
}

/// A client must not do this; what a server makes of it is recorded.
fn in_flight_twice() -> Case {
    let again = |label: &str| Step::Request(Request::call(label, "wait_task", Some(sample_task())).with_id("80080"));
    case("ids/in-flight-twice", "an id that is used again while its request is open")
        .alone()
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .step(again("first"))
        .step(again("second"))
        .pings("after an id in flight twice")
        .step(Step::Release("wait".to_owned()))
        .ends()
        .check(
            "protocol.id-in-flight-twice",
            Expect::holds("what becomes of it is recorded", |seen| {
                let id = Json::integer(80080);
                let count = messages(seen).filter(|message| message.member("id") == Some(&id)).count();
                Finding::Observed(format!(
                    "{} requests to the daemon, {count} answers",
                    seen.asked_of(Route::TasksWait).count()
                ))
            }),
        )
        .check("protocol.survives-requests", survives(vec!["after an id in flight twice".to_owned()]))
}

/// Ids that no request may have. A server may answer such a request all the same.
fn no_ids() -> Case {
    let ids = ["null", "1.5", "true", r#"{"x":1}"#, "[1]"];
    let open = case("ids/no-ids", "ids that are neither string nor integer do not end the session").alone();
    let label = |id: &str| format!("after the id {id}");
    let case = ids.iter().fold(open, |case, id| {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        case.raw_with(line, &[(&format!("the id {id}"), id)]).pings(&label(id))
    });
    case.check("protocol.survives-garbage", survives(ids.map(label).to_vec()))
}
