//! The end of the session: by the end of input, idle or busy, and by a signal; and what is still said then.

use std::time::Duration;

use anet_mock_daemon::{Route, Times};

use super::{DOCUMENT, case, held, hello, no_handshake, sample_task};
use crate::case::{Case, DaemonSetting, Setting, Step};
use crate::expect::Expect;
use crate::observation::Answer;
use crate::page::{SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// What the rulings give a server to end in.
const BOUND: Duration = Duration::from_secs(2);

pub(super) fn cases() -> Vec<Case> {
    vec![
        idle(),
        before_initialize(),
        busy(),
        drains(),
        piped_session(),
        no_line_end(),
        terminated("terminated-idle", "SIGTERM ends the process", false),
        terminated("terminated-busy", "SIGTERM ends the process while a call waits", true),
        daemon_down(),
        failing_calls(),
    ]
}

impl Case {
    fn expect_end(self) -> Self {
        self.check("protocol.exit-at-end", Expect::ExitsWithin { bound: BOUND })
            .check("protocol.no-orphans", Expect::NoOrphans)
    }
}

fn idle() -> Case {
    case("end/idle", "the process ends with its input")
        .alone()
        .pings("ping")
        .ends()
        .expect_end()
        .check("protocol.exit-status", Expect::Exits { code: 0 })
}

fn before_initialize() -> Case {
    case("end/before-initialize", "the process ends with its input even if nothing was ever said")
        .setting(no_handshake())
        .ends()
        .expect_end()
}

fn busy() -> Case {
    case("end/busy", "the process ends with its input while a call waits")
        .tool(Tool::WaitTask)
        .alone()
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .calls("wait", "wait_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: 1 })
        .ends()
        .expect_end()
        .check("protocol.exit-status", Expect::Exits { code: 0 })
        .check("effects.once", Expect::AsksAtMost { route: Route::TasksWait, times: 1 })
}

fn drains() -> Case {
    case("end/drains", "calls that were sent before the input ended are answered")
        .alone()
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .daemon_answers(Route::Status, r#"{"aid":"x","summary":["ok"]}"#)
        .calls("get", "get_task", &sample_task())
        .calls("status", "node_status", "{}")
        .sends("list", "tools/list", None)
        .ends()
        .expect_each_answered("protocol.drains", &["get", "status", "list"])
        .expect_end()
}

/// A whole session through a pipe, as a shell does it.
fn piped_session() -> Case {
    let call = format!(r#"{{"name":"get_task","arguments":{{"task_id":"{SAMPLE_TASK}"}}}}"#);
    let session = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}}"#, hello("2025-11-25")),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{call}}}"#),
    ];
    case("end/piped-session", "a session that is piped in as a whole is answered as a whole")
        .setting(no_handshake())
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .raw_with(session.map(|line| line + "\n").concat(), &[("hello", "1"), ("list", "2"), ("call", "3")])
        .ends()
        .expect_each_answered("protocol.drains", &["hello", "list", "call"])
        .expect_end()
        .check("protocol.exit-status", Expect::Exits { code: 0 })
}

fn no_line_end() -> Case {
    case("end/no-line-end", "what becomes of a last line without a line end")
        .alone()
        .raw_with("{\"jsonrpc\":\"2.0\",\"id\":76001,\"method\":\"ping\"}", &[("last", "76001")])
        .ends()
        .check(
            "protocol.last-line",
            Expect::holds("whether it is answered is recorded", |seen| {
                let answered = matches!(seen.answer("last"), Some(Answer::Result(_)));
                Finding::Observed(
                    if answered { "the last line is answered" } else { "the last line is not answered" }.to_owned(),
                )
            }),
        )
        .expect_end()
}

fn terminated(point: &str, title: &str, busy: bool) -> Case {
    let case = case(&format!("end/{point}"), title).alone();
    let case = if busy {
        case.daemon(held(Route::TasksWait, Times::Always, "wait"))
            .calls("wait", "wait_task", &sample_task())
            .step(Step::AwaitDaemon { route: Route::TasksWait, count: 1 })
    } else {
        case.pings("ping")
    };
    case.step(Step::Terminate)
        .step(Step::AwaitExit)
        .check("protocol.terminates", Expect::ExitsWithin { bound: BOUND })
        .check("protocol.no-orphans", Expect::NoOrphans)
}

fn daemon_down() -> Case {
    case("stdout/daemon-down", "stdout stays clean when there is no daemon")
        .setting(Setting { alone: true, no_handshake: true, daemon: DaemonSetting::Down, ..Setting::default() })
        .sends("hello", "initialize", Some(&hello("2025-11-25")))
        .notifies("notifications/initialized", None)
        .calls("call", "get_task", &sample_task())
        .ends()
        .check("stdio.stdout-pure", Expect::StdoutPure)
        .check("protocol.no-orphans", Expect::NoOrphans)
}

fn failing_calls() -> Case {
    case("stdout/failing-calls", "stdout stays clean when calls fail")
        .alone()
        .daemon_refuses(Route::TasksGet, 500, r#"{"error":"the store is closed","code":"InternalError"}"#)
        .daemon_refuses(Route::TasksCancel, 502, "<html><body>Bad Gateway</body></html>")
        .daemon_answers(Route::AgentsList, "{\"agents\":[")
        .calls("refused", "get_task", &sample_task())
        .waits("refused")
        .calls("no JSON", "cancel_task", &sample_task())
        .waits("no JSON")
        .calls("cut off", "list_agents", "{}")
        .waits("cut off")
        .calls("bad", "get_task", r#"{"task_id":[]}"#)
        .waits("bad")
        .calls("unknown", "unknown_tool", "{}")
        .waits("unknown")
        .ends()
        .check("stdio.stdout-pure", Expect::StdoutPure)
        .expect_each_answered("protocol.answered-once", &["refused", "no JSON", "cut off", "bad", "unknown"])
}
