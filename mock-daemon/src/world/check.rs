//! The invariants of every task that is answered.
//!
//! Responsible for: the fourteen rules of control-plane 3.7, as one function over a task and its projection. Used on every
//! answer in debug builds and by the random walks.

use crate::json::Json;
use crate::project::shape::{self, TaskState};

use super::quote;
use super::task::{Effect, Side, Task};
use super::{Page, State};

/// In debug builds: panics when the projection breaks a rule, which is a fault of this program and not of the request.
pub(crate) fn in_debug_builds(state: &State, task: &Task, shown: &shape::Task) {
    if cfg!(debug_assertions) {
        let broken = broken(state, task, shown);
        assert!(broken.is_empty(), "task {}: {broken:?}", task.id);
    }
}

/// The rules that the projection of a whole task breaks, in words.
pub fn broken(state: &State, task: &Task, shown: &shape::Task) -> Vec<String> {
    let mut broken = Vec::new();
    let mut rule = |number: u8, holds: bool, words: &str| {
        if !holds {
            broken.push(format!("invariant {number}: {words}"));
        }
    };
    let text = |name: &str| shown.metadata.get(name).and_then(Json::as_str);
    let has = |name: &str| shown.metadata.contains_key(name);
    let to = shown.status.state;
    let ended = to.terminal();
    let reason = text("anet.reason");
    let effect = text("anet.effect_status");
    let capability = has("anet.skill");
    let known = |word: &str| Effect::ALL.iter().any(|effect| effect.word() == word);

    rule(1, to == task.state, "the state is the task's own");
    rule(2, !(capability && ended) || effect.is_some_and(known), "an ended capability task has an effect status");
    rule(
        3,
        to != TaskState::Completed || text("anet.receipt_verified").is_some(),
        "a completed task says what its receipt is",
    );
    rule(
        4,
        match effect {
            Some("OK") => to == TaskState::Completed,
            Some("UNVERIFIED") => ended && to != TaskState::Rejected,
            Some("FAILED") => to == TaskState::Failed,
            Some("UNAVAILABLE") => {
                (to == TaskState::Rejected && (reason.is_some() || has("anet.retry_after_ms")))
                    || (to == TaskState::Failed && reason == Some("undeliverable"))
            }
            Some("PAYMENT_REQUIRED") => to == TaskState::InputRequired,
            _ => true,
        },
        "the effect status goes with the state",
    );
    let deliverable = !shown.artifacts.is_empty() || task.receipt.is_some();
    rule(
        5,
        !(capability && ended && !deliverable)
            || match to {
                TaskState::Rejected => effect == Some("UNAVAILABLE"),
                TaskState::Failed => effect != Some("OK"),
                _ => effect == Some("UNVERIFIED"),
            },
        "an ended call without a deliverable is never OK",
    );
    let unknown_outcome = matches!(reason, Some("timeout" | "connection_lost" | "interrupted"));
    rule(
        6,
        !(unknown_outcome && capability) || (to == TaskState::Failed && effect == Some("UNVERIFIED")),
        "an unknown outcome is failed and UNVERIFIED",
    );
    rule(
        7,
        match reason {
            Some("no_response") => to == TaskState::Failed && (!capability || effect == Some("UNVERIFIED")),
            Some("undeliverable") => {
                to == TaskState::Failed && (!capability || matches!(effect, Some("UNAVAILABLE" | "UNVERIFIED")))
            }
            _ => true,
        },
        "what was not heard or not delivered has failed",
    );
    let pay = text("x402.payment.status");
    let receipts = shown.metadata.get("x402.payment.receipts").and_then(Json::as_array);
    let settled = receipts.is_some_and(|all| all.iter().any(|one| one.member("success") == Some(&Json::Bool(true))));
    rule(8, !(settled && to == TaskState::Rejected), "a settled task is never rejected");
    rule(9, shown.artifacts.is_empty() || has("anet.receipt"), "artifacts come with their receipt");
    let receipt_hides = shown.metadata.get("anet.receipt").is_none_or(|receipt| {
        state.page == Page::V02
            || (receipt.member("requester_aid").is_none() && receipt.member("interaction_id").is_none())
    });
    rule(9, receipt_hides, "a receipt of 0.3 names neither the requester nor the interaction");
    let open = has("x402.payment.required");
    rule(
        10,
        !open
            || (to == TaskState::InputRequired
                && matches!(pay, Some("payment-required" | "payment-failed"))
                && has("anet.quote_expires_at")
                && reason.is_some()),
        "an open quote is whole",
    );
    rule(10, pay != Some("payment-required") || open, "a required payment has its quote");
    rule(
        11,
        !(ended && task.payment.took_part() && receipts.is_some_and(<[Json]>::is_empty))
            || pay.is_none()
            || pay == Some("payment-submitted"),
        "a quote that ended unpaid leaves no payment status",
    );
    rule(
        11,
        !(ended && task.payment.took_part()) || receipts.is_some(),
        "a task that ended after a quote has receipts",
    );
    rule(12, pay != Some("payment-completed") || settled, "a completed payment was found by this node");
    rule(
        12,
        task.side == Side::Requester || !has("anet.unverified_receipts"),
        "only a requester doubts a provider's receipts",
    );
    let order: Vec<bool> = shown
        .metadata
        .get("x402.payment.required")
        .and_then(|required| required.member("accepts"))
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .map(|option| quote::payable(option, &state.hub_aid))
        .collect();
    rule(13, order.windows(2).all(|pair| pair[0] >= pair[1]), "what can be paid comes first");
    rule(14, shown.metadata.values().all(fits_a_float), "numbers fit a float64");

    let must = has("anet.peer_aid")
        && has("anet.role")
        && shown.metadata.get("anet.state_seq").and_then(Json::as_i64) >= Some(1);
    rule(0, must, "peer, role and sequence are always there");
    rule(0, has("anet.trust") == (task.side == Side::Provider), "trust is the provider's side's");
    let speaks = shown.status.message.as_ref().is_none_or(|message| {
        !message.parts.is_empty()
            && !message.parts.iter().all(|part| matches!(&part.content, shape::Content::Text(text) if text.is_empty()))
    });
    rule(0, speaks, "a status message says something");
    rule(
        0,
        to != TaskState::Completed || task.payment.took_part() || shown.status.message.is_none(),
        "a completed task that cost nothing has no status message",
    );
    rule(0, !has("anet.delivery_ends_at") || has("anet.delivery"), "an end of delivery only while it waits");
    broken
}

fn fits_a_float(value: &Json) -> bool {
    match value {
        Json::Number(literal) => literal.parse::<f64>().is_ok_and(f64::is_finite),
        Json::Array(items) => items.iter().all(fits_a_float),
        Json::Object(members) => members.iter().all(|(_, member)| fits_a_float(member)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::json::Json;
    use crate::project::shape::{self, TaskState};
    use crate::project::{self, View};
    use crate::scenario::busy;
    use crate::world::task::Task;

    /// Breaks the projection of the first task that fits, and returns the rules that then do not hold.
    fn after(fits: fn(&Task) -> bool, breaking: fn(&mut shape::Task)) -> String {
        let state = busy();
        let task = state.tasks().iter().find(|task| fits(task)).unwrap();
        let mut shown = project::task(&state, task, View::default());
        assert_eq!(broken(&state, task, &shown), Vec::<String>::new());
        breaking(&mut shown);
        broken(&state, task, &shown).join("; ")
    }

    #[test]
    fn each_breach_is_seen() {
        let call = |task: &Task| task.skill.is_some() && task.state == TaskState::Completed;
        let quoted = |task: &Task| task.open_quote().is_some();
        let breaches: [(&str, String); 9] = [
            ("invariant 1:", after(call, |shown| shown.status.state = TaskState::Working)),
            ("invariant 2:", after(call, |shown| drop(shown.metadata.remove("anet.effect_status")))),
            (
                "invariant 3:",
                after(call, |shown| drop(shown.metadata.insert("anet.receipt_verified".to_owned(), true.into()))),
            ),
            (
                "invariant 4:",
                after(call, |shown| drop(shown.metadata.insert("anet.effect_status".to_owned(), "FAILED".into()))),
            ),
            ("invariant 9:", after(call, |shown| drop(shown.metadata.remove("anet.receipt")))),
            ("invariant 10:", after(quoted, |shown| drop(shown.metadata.remove("anet.quote_expires_at")))),
            (
                "invariant 12:",
                after(call, |shown| {
                    drop(shown.metadata.insert("x402.payment.status".to_owned(), "payment-completed".into()));
                    drop(shown.metadata.remove("x402.payment.receipts"));
                }),
            ),
            (
                "invariant 14:",
                after(call, |shown| drop(shown.metadata.insert("n".to_owned(), Json::Number("1e400".to_owned())))),
            ),
            ("invariant 0:", after(call, |shown| drop(shown.metadata.remove("anet.peer_aid")))),
        ];
        for (rule, said) in breaches {
            assert!(said.contains(rule), "{rule} {said}");
        }
    }
}
