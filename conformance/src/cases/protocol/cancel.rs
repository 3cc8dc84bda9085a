//! Cancellation: the call is given up on both sides, and nothing else is.

use anet_mock_daemon::{Route, Times};

use super::{DOCUMENT, case, held, nothing_else_answered, sample_task, survives};
use crate::case::{Case, Step};
use crate::expect::Expect;
use crate::page::Tool;

/// Parameters of `notifications/cancelled` that concern no open request.
const IGNORED: &[(&str, Option<&str>)] = &[
    ("after cancelling an unknown id", Some(r#"{"requestId":99999}"#)),
    ("after cancelling an unknown string", Some(r#"{"requestId":"nobody","reason":"no"}"#)),
    ("after cancelling the id null", Some(r#"{"requestId":null}"#)),
    ("after cancelling the id 1.5", Some(r#"{"requestId":1.5}"#)),
    ("after cancelling the id true", Some(r#"{"requestId":true}"#)),
    ("after cancelling an object", Some(r#"{"requestId":{"x":1}}"#)),
    ("after cancelling an array", Some(r#"{"requestId":[1]}"#)),
    ("after cancelling no id", Some("{}")),
    ("after cancelling without parameters", None),
];

pub(super) fn cases() -> Vec<Case> {
    vec![gives_up(), ignored(), finished(), leaves_others_alone()]
}

fn gives_up() -> Case {
    case("cancel/gives-up", "a cancelled call is aborted at the daemon and never answered")
        .tool(Tool::WaitTask)
        .alone()
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .calls("wait", "wait_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: 1 })
        .step(Step::Cancel("wait".to_owned()))
        .step(Step::AwaitHangUp(Route::TasksWait))
        .step(Step::Release("wait".to_owned()))
        .pings("after a cancellation")
        .calls("get", "get_task", &sample_task())
        .waits("get")
        .ends()
        .check("protocol.cancel-aborts", Expect::HangsUp { route: Route::TasksWait })
        .check("protocol.cancel-silent", Expect::Unanswered { call: "wait".to_owned() })
        .check("protocol.survives-requests", survives(vec!["after a cancellation".to_owned(), "get".to_owned()]))
        .check("protocol.notifications-unanswered", nothing_else_answered())
        .check("effects.once", Expect::AsksAtMost { route: Route::TasksWait, times: 1 })
}

fn ignored() -> Case {
    let open = case("cancel/ignored", "a cancellation that concerns no open request is ignored").alone();
    let case = IGNORED
        .iter()
        .fold(open, |case, (label, params)| case.notifies("notifications/cancelled", *params).pings(label));
    case.ends()
        .check("protocol.cancel-ignored", survives(IGNORED.iter().map(|(label, _)| (*label).to_owned()).collect()))
        .check("protocol.notifications-unanswered", nothing_else_answered())
}

fn finished() -> Case {
    case("cancel/finished", "a cancellation of a finished call is ignored")
        .tool(Tool::GetTask)
        .alone()
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .calls("get", "get_task", &sample_task())
        .waits("get")
        .step(Step::Cancel("get".to_owned()))
        .step(Step::Cancel("get".to_owned()))
        .pings("after cancelling a finished call")
        .ends()
        .expect_each_answered("protocol.answered-once", &["get"])
        .check(
            "protocol.cancel-ignored",
            survives(vec!["get".to_owned(), "after cancelling a finished call".to_owned()]),
        )
        .check("protocol.notifications-unanswered", nothing_else_answered())
}

fn leaves_others_alone() -> Case {
    case("cancel/leaves-others-alone", "of two open calls only the one that is cancelled ends")
        .tool(Tool::WaitTask)
        .alone()
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .calls("kept", "wait_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: 1 })
        .calls("given up", "wait_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: 2 })
        .step(Step::Cancel("given up".to_owned()))
        .pings("after cancelling one of two")
        .step(Step::Release("wait".to_owned()))
        .waits("kept")
        .expect_success("protocol.cancel-leaves-others", &["kept"])
        .check("protocol.survives-requests", survives(vec!["after cancelling one of two".to_owned()]))
}
