//! Effects without answers: however a call with an effect ends, the daemon is asked for it once.

use anet_mock_daemon::{Route, Times};

use super::{case, held, survives};
use crate::case::{Case, Request, Step};
use crate::cases::document::route_of;
use crate::expect::Expect;
use crate::page::Tool;
use crate::verdict::Finding;

/// The tools whose second run would do harm.
const TOOLS: [Tool; 3] = [Tool::SendMessage, Tool::ReplyTask, Tool::SubmitPayment];

pub(super) fn cases() -> Vec<Case> {
    TOOLS.into_iter().flat_map(|tool| [end_of_input(tool), cancelled(tool), same_id(tool)]).collect()
}

fn once(route: Route) -> Expect {
    Expect::AsksAtMost { route, times: 1 }
}

/// The input ends right after the call, as in a pipe.
fn end_of_input(tool: Tool) -> Case {
    let route = route_of(tool);
    case(&format!("effects/{tool}/end-of-input"), format!("{tool}, piped in as the last request, is asked for once"))
        .tool(tool)
        .alone()
        .daemon_answers(route, super::DOCUMENT)
        .calls("call", tool.name(), &tool.minimal_arguments())
        .ends()
        .check("effects.once", once(route))
        .check(
            "effects.told",
            Expect::holds("a call that reached the daemon is answered", move |seen| {
                match (seen.asked_of(route).count(), seen.exchange("call").map_or(0, |call| call.replies.len())) {
                    (0, 0) => Finding::Observed("neither asked nor answered".to_owned()),
                    (_, 0) => Finding::broken("the daemon was asked, and the client was never told"),
                    _ => Finding::Met,
                }
            }),
        )
}

fn cancelled(tool: Tool) -> Case {
    let route = route_of(tool);
    case(
        &format!("effects/{tool}/cancelled"),
        format!("{tool}, cancelled while the daemon works, is not asked for again"),
    )
    .tool(tool)
    .alone()
    .daemon(held(route, Times::Always, "work"))
    .calls("call", tool.name(), &tool.minimal_arguments())
    .step(Step::AwaitDaemon { route, count: 1 })
    .step(Step::Cancel("call".to_owned()))
    .pings("after a cancellation")
    .step(Step::Release("work".to_owned()))
    .ends()
    .check("effects.once", once(route))
    .check("protocol.survives-requests", survives(vec!["after a cancellation".to_owned()]))
}

/// A client must not use an id twice. If it does, each line may count, and none may count twice.
fn same_id(tool: Tool) -> Case {
    let route = route_of(tool);
    let call =
        |label: &str| Step::Request(Request::call(label, tool.name(), Some(tool.minimal_arguments())).with_id("81081"));
    case(&format!("effects/{tool}/same-id"), format!("{tool}, sent twice with one id, is asked for at most twice"))
        .tool(tool)
        .alone()
        .daemon(held(route, Times::Always, "work"))
        .step(call("first"))
        .step(call("second"))
        .pings("after an id in flight twice")
        .step(Step::Release("work".to_owned()))
        .ends()
        .check("effects.once", Expect::AsksAtMost { route, times: 2 })
        .check(
            "effects.same-id",
            Expect::holds("how often the daemon is asked is recorded", move |seen| {
                Finding::Observed(format!(
                    "two calls with one id: the daemon was asked {} times",
                    seen.asked_of(route).count()
                ))
            }),
        )
}
