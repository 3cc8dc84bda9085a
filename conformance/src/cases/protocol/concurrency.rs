//! Several requests at once: none waits for another, and each gets its own answer.

use anet_mock_daemon::{Route, Times};

use super::{DOCUMENT, case, held, sample_task};
use crate::case::{Case, Step};
use crate::cases::seen::{shown, text};
use crate::expect::Expect;
use crate::page::Tool;
use crate::verdict::Finding;

/// So many calls are in flight at once.
const MANY: usize = 100;
/// So many waits are open at once.
const WAITS: usize = 8;

pub(super) fn cases() -> Vec<Case> {
    vec![during_a_wait(), overtaking(), many(), waits()]
}

fn during_a_wait() -> Case {
    let others = ["ping", "list", "get"];
    let case = case("concurrency/during-a-wait", "while wait_task waits, other requests are answered")
        .tool(Tool::WaitTask)
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .daemon(held(Route::TasksWait, Times::Always, "wait"))
        .calls("wait", "wait_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: 1 })
        .pings("ping")
        .asks("list", "tools/list", None)
        .calls("get", "get_task", &sample_task())
        .waits("get")
        .step(Step::Release("wait".to_owned()))
        .waits("wait")
        .expect_each_answered("protocol.answered-once", &["ping", "list", "get", "wait"]);
    others.iter().fold(case, |case, other| {
        case.check(
            "protocol.concurrent",
            Expect::AnsweredInOrder { calls: vec![(*other).to_owned(), "wait".to_owned()] },
        )
    })
}

fn overtaking() -> Case {
    case("concurrency/overtaking", "a later call that is ready earlier is answered earlier")
        .daemon_answers(Route::TasksGet, DOCUMENT)
        .daemon(held(Route::TasksGet, Times::Once, "first"))
        .calls("first", "get_task", &sample_task())
        .step(Step::AwaitDaemon { route: Route::TasksGet, count: 1 })
        .calls("second", "get_task", &sample_task())
        .waits("second")
        .step(Step::Release("first".to_owned()))
        .waits("first")
        .expect_success("protocol.answered-once", &["first", "second"])
        .check("protocol.concurrent", Expect::AnsweredInOrder { calls: vec!["second".to_owned(), "first".to_owned()] })
}

/// The daemon knows none of these tasks and names the id in its sentence, so every answer shows whose it is.
fn many() -> Case {
    let (mut case, mut own) =
        (case("concurrency/many", "a hundred calls in flight get a hundred answers, each its own"), Vec::new());
    for number in 0..MANY {
        let (label, task) = (format!("call {number}"), format!("ix_{number:032x}"));
        case = case.calls(&label, "get_task", &format!(r#"{{"task_id":"{task}"}}"#));
        own.push((label, task));
    }
    let labels: Vec<_> = own.iter().map(|(label, _)| label.clone()).collect();
    case.step(Step::AwaitAll(labels.clone()))
        .check("protocol.answered-once", all_answered_once(labels))
        .check("protocol.own-answers", own_answers(own))
}

fn waits() -> Case {
    let labels: Vec<_> = (0..WAITS).map(|number| format!("wait {number}")).collect();
    let case = case("concurrency/waits", "several waits are open at once, and end together")
        .tool(Tool::WaitTask)
        .daemon(held(Route::TasksWait, Times::Always, "waits"));
    let case = labels.iter().fold(case, |case, label| case.calls(label, "wait_task", &sample_task()));
    let case = case
        .step(Step::AwaitDaemon { route: Route::TasksWait, count: WAITS })
        .pings("ping")
        .step(Step::Release("waits".to_owned()));
    let case = case.step(Step::AwaitAll(labels.clone()));
    let in_order = labels.iter().map(|label| Expect::AnsweredInOrder { calls: vec!["ping".to_owned(), label.clone()] });
    in_order
        .fold(case, |case, expect| case.check("protocol.concurrent", expect))
        .check("protocol.answered-once", all_answered_once(labels))
}

fn all_answered_once(labels: Vec<String>) -> Expect {
    Expect::holds(format!("each of {} requests is answered exactly once", labels.len()), move |seen| {
        let replies = |label: &String| seen.exchange(label).map_or(0, |exchange| exchange.replies.len());
        let odd: Vec<_> = labels.iter().filter(|label| replies(label) != 1).collect();
        match odd.first() {
            None => Finding::Met,
            Some(first) => Finding::differs(
                format!("{} of {} requests are not answered exactly once", odd.len(), labels.len()),
                "one answer to each",
                format!("`{first}` was answered {} times", replies(first)),
            ),
        }
    })
}

/// The answer to each request speaks of its own task: the daemon knows none of them and names the id in its sentence.
pub(super) fn own_answers(own: Vec<(String, String)>) -> Expect {
    Expect::holds("each answer is the one to its own request", move |seen| {
        for (label, task) in &own {
            let said = text(seen, label).unwrap_or_default();
            let other = own.iter().find(|(other, id)| other != label && said.contains(id.as_str()));
            if let Some((other, _)) = other {
                let message = format!("`{label}` got the answer to `{other}`");
                return Finding::differs(message, format!("an answer about {task}"), shown(seen, label));
            }
            if !said.contains(task.as_str())
                && seen.exchange(label).is_some_and(|exchange| !exchange.replies.is_empty())
            {
                let message = format!("the answer to `{label}` is not the daemon's answer to it");
                return Finding::differs(message, format!("an answer about {task}"), shown(seen, label));
            }
        }
        Finding::Met
    })
}
