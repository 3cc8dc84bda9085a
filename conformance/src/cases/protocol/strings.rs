//! Characters and surroundings: what a host's environment and a line-based framing must not do to a string.

use anet_mock_daemon::Route;

use super::{case, sample_task};
use crate::case::{Case, Setting};
use crate::cases::seen::shown;
use crate::contract;
use crate::expect::Expect;
use crate::json::{Grade, Json};
use crate::page::{SAMPLE_AID, Tool};
use crate::verdict::Finding;

/// Letters of three and four bytes, and what is composed of several.
const FOREIGN: &str = "你好，世界 🚀 é ñ e\u{301} 👩‍👩‍👧 𝔘 שלום";
/// What some readers take for the end of a line.
const LINE_ENDS: &str = "one\u{2028}two\u{2029}three\u{85}four\u{b}five\u{c}six\nseven\r\neight\rnine";

pub(super) fn cases() -> Vec<Case> {
    let locale = |name: &str| Setting {
        alone: true,
        env: [("LC_ALL", name), ("LANG", name), ("LANGUAGE", "")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .to_vec(),
        ..Setting::default()
    };
    vec![
        both_ways("strings/usual", "strings survive in both directions", FOREIGN),
        both_ways("strings/locale-c", "strings survive where the locale knows ASCII alone", FOREIGN)
            .setting(locale("C")),
        both_ways("strings/locale-latin1", "strings survive where the locale is Latin-1", FOREIGN)
            .setting(locale("en_US.ISO-8859-1")),
        both_ways("strings/line-ends", "what looks like a line end inside a string is none", LINE_ENDS),
        minimal_environment(),
        half_pair_asked(),
    ]
}

/// Half a surrogate pair is no character, and JSON can spell it all the same. One such string of a peer must not end the
/// session.
const HALF_PAIR: &str = r#""half a pair: \ud800.""#;

fn half_pair_asked() -> Case {
    let case = case("strings/half-pair-in-argument", "half a surrogate pair in an argument leaves the session alive")
        .daemon_answers(Route::TasksSend, r#"{"id":"ix_1","status":{"state":"TASK_STATE_WORKING"}}"#)
        .calls("call", "send_message", &format!(r#"{{"to":"{SAMPLE_AID}","text":{HALF_PAIR}}}"#))
        .pings("after half a pair");
    // A reader for which that is no JSON cannot know to which request it would answer.
    case.check("protocol.survives-garbage", super::survives(vec!["after half a pair".to_owned()]))
}

/// The same text goes to the daemon as an argument and comes back in its answer, once as it is and once escaped.
fn both_ways(topic: &str, title: &str, text: &str) -> Case {
    let plain = Json::string(text).to_string();
    let escaped: String = plain
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(ascii) if ascii.is_ascii() => char::from(ascii).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect();
    let document = |text: &str| {
        format!(
            r#"{{"id":"ix_1","contextId":"ctx_1","status":{{"state":"TASK_STATE_WORKING"}},"metadata":{{"note":{text}}}}}"#
        )
    };
    case(topic, title)
        .daemon_answers(Route::TasksSend, document(&plain))
        .daemon_answers(Route::TasksGet, document(&plain))
        .daemon_answers(Route::TasksCancel, document(&escaped))
        .calls("send", "send_message", &format!(r#"{{"to":"{SAMPLE_AID}","text":{plain}}}"#))
        .waits("send")
        .calls("plain", "get_task", &sample_task())
        .waits("plain")
        .calls("escaped", "cancel_task", &sample_task())
        .waits("escaped")
        .check("protocol.strings", sent(text))
        .check(
            "protocol.strings",
            Expect::TextJson { call: "plain".to_owned(), json: document(&plain), grade: Grade::Double },
        )
        .check(
            "protocol.strings",
            Expect::TextJson { call: "escaped".to_owned(), json: document(&plain), grade: Grade::Double },
        )
}

/// The daemon got this text, in whichever of the forms that mean it.
fn sent(text: &str) -> Expect {
    let text = text.to_owned();
    Expect::holds("the daemon gets the text as the client sent it", move |seen| {
        let Some(asked) = seen.asked_of(Route::TasksSend).next() else {
            return Finding::broken(format!("the daemon was not asked: {}", shown(seen, "send")));
        };
        let got = contract::meaning(Route::TasksSend, &asked.body).ok();
        match got.as_ref().and_then(|body| body.member("text")?.as_str()) {
            Some(got) if got == text => Finding::Met,
            _ => Finding::differs(
                "the text changed on its way to the daemon",
                Json::string(text.as_str()).to_string(),
                String::from_utf8_lossy(&asked.body),
            ),
        }
    })
}

/// Hosts hand little of their environment on.
fn minimal_environment() -> Case {
    case("environment/minimal", "a call works in the environment that hosts hand on")
        .tool(Tool::GetTask)
        .setting(Setting { alone: true, minimal_env: true, ..Setting::default() })
        .daemon_answers(Route::TasksGet, super::DOCUMENT)
        .calls("call", "get_task", &sample_task())
        .waits("call")
        .expect_success("protocol.minimal-environment", &["call"])
}
