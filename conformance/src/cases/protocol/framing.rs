//! Lines: those that are no message, those that are written in unusual ways, and where one ends.

use std::time::Duration;

use super::{DOCUMENT, case, messages, no_handshake, survives};
use crate::case::{Case, Step};
use crate::cases::document::route_of;
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::{Answer, Observation};
use crate::page::{SAMPLE_AID, SAMPLE_TASK, Tool};
use crate::revision::Revision;
use crate::verdict::Finding;

/// What follows a line is asked under this label: "after ...".
type Line = (&'static str, &'static [u8]);

/// The ids inside the lines below: whoever reads such a line as a request may answer it.
const IDS: [&str; 13] = [
    "70002", "70003", "70010", "70011", "70012", "70013", "70014", "70015", "70016", "70017", "70018", "70020", "70021",
];

const NOT_JSON: &[Line] = &[
    ("after a word", b"hello\n"),
    ("after a truncated message", b"{\"jsonrpc\":\"2.0\",\"id\":70001,\"method\":\"pi\n"),
    ("after the head of an HTTP request", b"GET /status HTTP/1.1\n"),
    ("after single quotes", b"{'jsonrpc':'2.0','id':70002,'method':'ping'}\n"),
    ("after a comma too many", b"{\"jsonrpc\":\"2.0\",\"id\":70003,\"method\":\"ping\",}\n"),
    ("after a header of another framing", b"Content-Length: 46\n"),
];
const ENCODING: &[Line] = &[
    ("after bytes that are no UTF-8", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/\xff\xfe\"}\n"),
    ("after UTF-16", b"{\0\"\0j\0\"\0:\x001\0}\0\n"),
    ("after a lone surrogate", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/\\ud800\"}\n"),
    ("after a NUL", b"\0\n"),
    (
        "after a number without bounds",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"n\":1e400}}\n",
    ),
    ("after control characters", b"\x1b[31mred\x1b[0m\x07\n"),
];
const VALUES: &[Line] = &[
    ("after null", b"null\n"),
    ("after a number", b"17\n"),
    ("after a string", b"\"ping\"\n"),
    ("after true", b"true\n"),
    ("after an empty object", b"{}\n"),
    ("after an empty array", b"[]\n"),
    ("after an array of numbers", b"[1,2]\n"),
];
const ENVELOPES: &[Line] = &[
    ("after a message without jsonrpc", b"{\"id\":70010,\"method\":\"ping\"}\n"),
    ("after jsonrpc 1.0", b"{\"jsonrpc\":\"1.0\",\"id\":70011,\"method\":\"ping\"}\n"),
    ("after a method that is a number", b"{\"jsonrpc\":\"2.0\",\"id\":70012,\"method\":7}\n"),
    ("after a message without method", b"{\"jsonrpc\":\"2.0\",\"id\":70013}\n"),
    ("after params that are a string", b"{\"jsonrpc\":\"2.0\",\"id\":70014,\"method\":\"ping\",\"params\":\"x\"}\n"),
    ("after params that are an array", b"{\"jsonrpc\":\"2.0\",\"id\":70015,\"method\":\"ping\",\"params\":[1]}\n"),
    ("after a notification without name", b"{\"jsonrpc\":\"2.0\",\"method\":null}\n"),
];
const BLANK: &[Line] = &[
    ("after an empty line", b"\n"),
    ("after blanks", b"   \n"),
    ("after a carriage return", b"\r\n"),
    ("after a tab", b"\t\n"),
    ("after many empty lines", b"\n\n\n\n\n"),
];

pub(super) fn cases() -> Vec<Case> {
    vec![
        garbage("not-json", "lines that are no JSON do not end the session", NOT_JSON),
        garbage("encoding", "lines in no or another encoding do not end the session", ENCODING),
        garbage("values", "JSON that is no message does not end the session", VALUES),
        garbage("envelopes", "messages of the wrong shape do not end the session", ENVELOPES),
        garbage("blank", "blank lines do not end the session", BLANK),
        deep(),
        huge_garbage(),
        batch_elsewhere(),
        before_initialize(),
        byte_order_mark(),
        white_space(),
        spellings(),
        one_write(),
        in_pieces(),
        long_line("long-line", "protocol.long-line", 200_000),
        long_line("megabyte", "protocol.megabyte", 2_000_000),
        batch(),
    ]
}

fn garbage(point: &str, title: &str, lines: &[Line]) -> Case {
    let case = case(&format!("garbage/{point}"), title).alone().daemon_answers(route_of(Tool::GetTask), DOCUMENT);
    let case = lines.iter().fold(case, |case, (label, bytes)| case.raw_odd(bytes).pings(label));
    let labels: Vec<_> = lines.iter().map(|(label, _)| (*label).to_owned()).collect();
    case.calls("call", "get_task", &super::sample_task())
        .waits("call")
        .check("protocol.survives-garbage", survives(labels))
        .expect_success("protocol.survives-garbage", &["call"])
        .check(
            "protocol.garbage-answer",
            Expect::holds("what garbage is answered with is recorded", |seen| Finding::Observed(garbage_answers(seen))),
        )
}

impl Case {
    /// Sends a line that is no proper message. The ids that can be read in it are known, in case it is answered.
    fn raw_odd(self, bytes: &[u8]) -> Self {
        let inside = |id: &&str| bytes.windows(id.len()).any(|window| window == id.as_bytes());
        let labels: Vec<_> = IDS.into_iter().filter(inside).map(|id| (format!("the odd message {id}"), id)).collect();
        let expecting: Vec<_> = labels.iter().map(|(label, id)| (label.as_str(), *id)).collect();
        self.raw_with(bytes, &expecting)
    }
}

/// The codes of all errors; no proper request of these cases ends in one.
fn garbage_answers(seen: &Observation) -> String {
    let codes: Vec<_> =
        messages(seen).filter_map(|message| message.pointer("/error/code")).map(Json::to_string).collect();
    if codes.is_empty() { "no error".to_owned() } else { format!("errors {}", codes.join(", ")) }
}

fn deep() -> Case {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let line = |depth: usize| {
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{{\"deep\":{}}}}}\n", nested(depth))
    };
    case("garbage/deep", "deep nesting does not end the session")
        .alone()
        .raw(line(1_000))
        .pings("after nesting 1000 deep")
        .raw(line(100_000))
        .pings("after nesting 100000 deep")
        .raw(format!("{}\n", "[".repeat(50_000)))
        .pings("after 50000 open brackets")
        .check(
            "protocol.survives-garbage",
            survives(
                ["after nesting 1000 deep", "after nesting 100000 deep", "after 50000 open brackets"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        )
}

fn huge_garbage() -> Case {
    case("garbage/huge", "a line of a megabyte that is no message does not end the session")
        .alone()
        .raw(format!("{}\n", "x".repeat(1 << 20)))
        .pings("after a megabyte of letters")
        .raw(format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{{\"x\":\"{}\"}}}}\n",
            "y".repeat(1 << 20)
        ))
        .pings("after a notification of a megabyte")
        .check(
            "protocol.survives-garbage",
            survives(["after a megabyte of letters", "after a notification of a megabyte"].map(str::to_owned).to_vec()),
        )
}

fn batch_elsewhere() -> Case {
    case("garbage/batch", "an array of messages, which this revision does not know, does not end the session")
        .alone()
        .raw_odd(b"[{\"jsonrpc\":\"2.0\",\"id\":70020,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":70021,\"method\":\"ping\"}]\n")
        .pings("after an array of messages")
        .check("protocol.survives-garbage", survives(vec!["after an array of messages".to_owned()]))
}

fn before_initialize() -> Case {
    let lines = [&NOT_JSON[0], &NOT_JSON[1], &BLANK[0], &BLANK[2], &VALUES[0], &VALUES[5], &ENVELOPES[0], &ENCODING[0]];
    let case = lines.into_iter().fold(
        case("garbage/before-initialize", "garbage before initialize does not end the session").setting(no_handshake()),
        |case, (_, bytes)| case.raw_odd(bytes),
    );
    case.shakes_hands(Revision::V2025_11_25).pings("after garbage before initialize").check(
        "protocol.survives-garbage",
        survives(vec!["hello".to_owned(), "after garbage before initialize".to_owned()]),
    )
}

fn byte_order_mark() -> Case {
    let hello = super::hello(Revision::V2025_11_25.name());
    case("framing/byte-order-mark", "a byte order mark before the first message is passed over")
        .setting(no_handshake())
        .raw_with(
            format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":\"marked\",\"method\":\"initialize\",\"params\":{hello}}}\n"),
            &[("hello", "\"marked\"")],
        )
        .waits("hello")
        .notifies("notifications/initialized", None)
        .pings("after a byte order mark")
        .check("protocol.byte-order-mark", survives(vec!["hello".to_owned(), "after a byte order mark".to_owned()]))
}

fn white_space() -> Case {
    let lines = [
        ("a blank before it", " {\"jsonrpc\":\"2.0\",\"id\":71001,\"method\":\"ping\"}\n"),
        ("blanks after it", "{\"jsonrpc\":\"2.0\",\"id\":71002,\"method\":\"ping\"}  \t\n"),
        ("CRLF", "{\"jsonrpc\":\"2.0\",\"id\":71003,\"method\":\"ping\"}\r\n"),
        (
            "blanks between its tokens",
            "{ \"jsonrpc\" : \"2.0\" ,\t\"id\" : 71004 , \"method\" : \"ping\" , \"params\" : { } }\n",
        ),
    ];
    read(
        "framing/white-space",
        "white space around and inside a message does not matter",
        "protocol.white-space",
        &lines,
        71001,
    )
}

fn spellings() -> Case {
    let lines = [
        ("its members in another order", "{\"method\":\"ping\",\"id\":72001,\"jsonrpc\":\"2.0\"}\n"),
        ("escaped letters", "{\"jsonrpc\":\"2.0\",\"id\":72002,\"\\u006dethod\":\"\\u0070in\\u0067\"}\n"),
    ];
    read("framing/spellings", "a message is read as the JSON that it is", "protocol.read-as-json", &lines, 72001)
}

/// Requests in other spellings, each answered.
fn read(topic: &str, title: &str, requirement: &'static str, lines: &[(&str, &str)], first_id: usize) -> Case {
    let labels: Vec<_> = lines.iter().map(|(how, _)| format!("a ping with {how}")).collect();
    let case =
        lines.iter().zip(&labels).enumerate().fold(case(topic, title).alone(), |case, (index, ((_, line), label))| {
            case.raw_with(*line, &[(label, &(first_id + index).to_string())]).waits(label)
        });
    labels.iter().fold(case, |case, label| {
        case.check(requirement, Expect::Succeeds { call: label.clone() })
            .check("protocol.answered-once", Expect::AnsweredOnce { call: label.clone() })
    })
}

fn one_write() -> Case {
    let ping = |id: usize| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    case("framing/one-write", "several messages in one write are several messages")
        .alone()
        .raw_with(
            (73001..=73003).map(ping).collect::<String>(),
            &[("first", "73001"), ("second", "73002"), ("third", "73003")],
        )
        .waits("first")
        .waits("second")
        .waits("third")
        .expect_each_answered("protocol.lines", &["first", "second", "third"])
}

fn in_pieces() -> Case {
    let pause = || Step::Quiet(Duration::from_millis(40));
    case("framing/in-pieces", "a message that arrives in pieces is one message")
        .alone()
        .raw("{\"jsonrpc\":\"2.0\",\"id\":740")
        .step(pause())
        // The second cut goes through a character.
        .raw(b"01,\"method\":\"ping\",\"params\":{\"_meta\":{\"x\":\"\xe4\xb8".to_vec())
        .step(pause())
        .raw_with(b"\x96\"}}}\n".to_vec(), &[("pieces", "74001")])
        .waits("pieces")
        .expect_success("protocol.lines", &["pieces"])
}

/// Files make calls of this size, and readers with a bound for lines die of them.
fn long_line(point: &str, requirement: &'static str, bytes: usize) -> Case {
    let text = Json::string("long line ".repeat(bytes / 10));
    let arguments = format!(r#"{{"to":"{SAMPLE_AID}","text":{text}}}"#);
    case(&format!("framing/{point}"), format!("a call of {bytes} bytes is a call like any other"))
        .tool(Tool::SendMessage)
        .alone()
        .daemon_answers(route_of(Tool::SendMessage), DOCUMENT)
        .calls("call", "send_message", &arguments)
        .waits("call")
        .expect_success(requirement, &["call"])
}

/// A batch in the one revision that has it.
fn batch() -> Case {
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":75002,"method":"tools/call","params":{{"name":"get_task","arguments":{{"task_id":"{SAMPLE_TASK}"}}}}}}"#
    );
    let line = format!(
        "[{},{call},{},{}]\n",
        r#"{"jsonrpc":"2.0","id":75001,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/no_such_thing"}"#,
        r#"{"jsonrpc":"2.0","id":75003,"method":"no/such_method"}"#,
    );
    let labels = ["ping of the batch", "call of the batch", "unknown method of the batch"];
    let case = case("batch", "a batch is answered, each of its requests once")
        .revision(Revision::V2025_03_26)
        .daemon_answers(route_of(Tool::GetTask), DOCUMENT)
        .raw_with(line, &[(labels[0], "75001"), (labels[1], "75002"), (labels[2], "75003")]);
    let case = labels.iter().fold(case, |case, label| case.waits(label)).pings("after a batch");
    let case = labels.iter().fold(case, |case, label| {
        case.check("protocol.batch", in_batch_revision(Expect::AnsweredOnce { call: (*label).to_owned() }))
    });
    case.check("protocol.survives-garbage", survives(vec!["after a batch".to_owned()])).check(
        "protocol.batch-form",
        Expect::holds("whether the answers come as one array is recorded", |seen| {
            let array = seen.lines.iter().any(|line| matches!(line.message, Some(Json::Array(_))));
            let answered = matches!(seen.answer("ping of the batch"), Some(Answer::Result(_)));
            Finding::Observed(match (array, answered) {
                (true, _) => "answered as an array".to_owned(),
                (false, true) => "answered one by one".to_owned(),
                (false, false) => "not answered".to_owned(),
            })
        }),
    )
}

fn in_batch_revision(expect: Expect) -> Expect {
    Expect::holds(expect.describe(), move |seen| {
        if seen.in_force() == Revision::V2025_03_26 {
            expect.evaluate(seen)
        } else {
            Finding::NotApplicable("the server does not speak MCP 2025-03-26".to_owned())
        }
    })
}
