//! `/tasks/reply`: where it brings a task, and what it refuses.

use anet_mock_daemon::Route;
use anet_mock_daemon::world::inbound::{Arrival, Inbound};
use serde_json::json;

use crate::tasks::received;
use crate::{OWN, good, refused, text_to, world};

#[test]
fn replies_bring_a_task_where_they_say() {
    for (state, text, full) in [
        (json!(null), "Which one?", "TASK_STATE_INPUT_REQUIRED"),
        (json!("input-required"), "Which one?", "TASK_STATE_INPUT_REQUIRED"),
        (json!("working"), "", "TASK_STATE_WORKING"),
        (json!("TASK_STATE_WORKING"), "Half done.", "TASK_STATE_WORKING"),
        (json!("completed"), "Done.", "TASK_STATE_COMPLETED"),
        (json!("completed"), "", "TASK_STATE_COMPLETED"),
        (json!("failed"), "No.", "TASK_STATE_FAILED"),
        (json!("rejected"), "", "TASK_STATE_REJECTED"),
        (json!("canceled"), "ignored", "TASK_STATE_CANCELED"),
    ] {
        let world = world();
        let id = received(&world);
        let task = good(&world, Route::TasksReply, &json!({"task_id": id, "state": state, "text": text}));
        assert_eq!(task["status"]["state"], full);
        assert_eq!(task["metadata"]["anet.state_seq"], 2);
        if full == "TASK_STATE_COMPLETED" {
            let metadata = &task["metadata"];
            assert_eq!(
                (&metadata["anet.receipt_verified"], &metadata["anet.receipt"]["provider_aid"]),
                (&json!("verified"), &json!(OWN))
            );
            assert_eq!(task.get("artifacts").is_some(), !text.is_empty());
            if !text.is_empty() {
                assert_eq!(task["history"][1]["metadata"], json!({"anet.final": true, "anet.state": "working"}));
            }
            refused(
                &world,
                Route::TasksReply,
                &json!({"task_id": id, "text": "more"}),
                409,
                "UnsupportedOperationError",
            );
            refused(
                &world,
                Route::TasksReply,
                &json!({"task_id": id, "state": "canceled"}),
                409,
                "TaskNotCancelableError",
            );
            refused(&world, Route::TasksCancel, &json!({"task_id": id}), 409, "TaskNotCancelableError");
        }
        if full == "TASK_STATE_WORKING" && !text.is_empty() {
            assert_eq!(task["status"]["message"]["metadata"], json!({"anet.state": "working"}));
            assert_eq!(task["history"].as_array().map(Vec::len), Some(1), "progress is no turn");
        }
    }
}

#[test]
fn bad_replies_are_refused() {
    let world = world();
    let id = received(&world);
    let route = Route::TasksReply;
    for body in [
        json!({"task_id": id}),
        json!({"task_id": id, "text": "  "}),
        json!({"task_id": id, "state": "submitted", "text": "x"}),
        json!({"task_id": id, "state": "TASK_STATE_SUBMITTED", "text": "x"}),
        json!({"task_id": id, "state": "done", "text": "x"}),
        json!({"task_id": id, "message": {"role": "ROLE_USER", "parts": [{"text": "x"}]}}),
        json!({"task_id": id, "skill": "a.b"}),
        json!({"task_id": text_to(&world, "asks")["id"], "text": "x"}),
    ] {
        refused(&world, route, &body, 400, "InvalidParamsError");
    }
    let Arrival::Taken(call) =
        world.deliver(Inbound { skill: Some("text.digest".into()), ..Inbound::text("anna", "") })
    else {
        panic!("a peer's call is taken")
    };
    refused(&world, route, &json!({"task_id": call, "text": "x"}), 409, "UnsupportedOperationError");
    let files = json!({"role": "ROLE_AGENT", "parts": [{"text": "here"}, {"raw": "eA==", "filename": "x"}]});
    let task = good(&world, route, &json!({"task_id": id, "state": "completed", "message": files}));
    assert_eq!(task["artifacts"][0]["parts"].as_array().map(Vec::len), Some(2));
}
