//! The requests of the task routes: what is accepted, what is refused, and how a task is shown.

use anet_mock_daemon::world::inbound::{Arrival, Inbound};
use anet_mock_daemon::world::peer::Behaviour;
use anet_mock_daemon::world::status::Hub;
use anet_mock_daemon::{Route, World};
use serde_json::{Value, json};

use crate::{LAB, OWN, UNREADABLE, ask, good, raw, refused, text_to, world};

/// A task that another agent sent to this node.
pub(crate) fn received(world: &World) -> String {
    world.with(|state| state.peers.insert("anna".into()));
    match world.deliver(Inbound::text("anna", "Can you book a meeting room?")) {
        Arrival::Taken(id) => id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_task_is_shown_as_the_contract_has_it() {
    let world = world();
    let body = json!({"to": Behaviour::aid("silent"), "text": "Summarise <this>.", "return_immediately": true});
    let (status, text) = raw(&world, Route::TasksSend, body.to_string().as_bytes());
    assert_eq!(status, 200);
    let task: Value = serde_json::from_str(&text).expect("JSON");
    let (id, context) = (task["id"].as_str().expect("an id"), task["contextId"].as_str().expect("a context"));
    let message = task["history"][0]["messageId"].as_str().expect("an id");
    let cid = task["metadata"]["anet.request_cid"].as_str().expect("a CID");
    let peer = Behaviour::aid("silent");
    assert_eq!((id.len(), context.len(), message.len(), cid.len()), (35, 36, 32, 59));
    assert_eq!(
        text,
        format!(
            r#"{{"id":"{id}","contextId":"{context}","history":[{{"messageId":"{message}","contextId":"{context}","parts":[{{"text":"Summarise \u003cthis\u003e."}}],"role":"ROLE_USER","taskId":"{id}"}}],"metadata":{{"anet.peer_aid":"{peer}","anet.request_cid":"{cid}","anet.role":"requester","anet.state_seq":1}},"status":{{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-10-12T08:21:36.44Z"}}}}"#
        )
    );
}

#[test]
fn sends_are_refused_in_their_order() {
    let world = world();
    let route = Route::TasksSend;
    let invalid = |body: Value| refused(&world, route, &body, 400, "InvalidParamsError");
    invalid(json!({"text": "hi"}));
    invalid(json!({"to": "  ", "text": "hi"}));
    invalid(json!({"to": OWN, "text": "hi"}));
    invalid(json!({"to": "not an aid", "text": "hi"}));
    invalid(json!({"to": LAB}));
    invalid(json!({"to": LAB, "text": "   "}));
    invalid(json!({"to": LAB, "text": "hi", "skill": "text.digest"}));
    invalid(json!({"to": LAB, "args": {}}));
    invalid(json!({"to": LAB, "skill": "x", "args": []}));
    invalid(json!({"to": LAB, "text": 5}));
    invalid(json!({"to": LAB, "text": "hi", "timeout_ms": -1}));
    invalid(json!({"to": LAB, "text": "hi", "timeout_ms": 5.0}));
    invalid(json!({"to": LAB, "text": "hi", "history_length": -1}));
    invalid(json!({"to": LAB, "text": "hi", "max_task_bytes": -1}));
    invalid(json!({"to": LAB, "text": "hi", "metadata": {"anet.skill": " "}}));
    invalid(json!({"to": LAB, "text": "hi", "metadata": {"anet.args": []}}));
    invalid(json!({"to": LAB, "text": "hi", "metadata": []}));
    refused(&world, route, &json!({"to": "bafyreinobody", "text": "hi"}), 503, "UnavailableError");
    world.set_hub(Hub::None);
    invalid(json!({"to": LAB}));
    refused(&world, route, &json!({"to": LAB, "text": "hi"}), 503, "UnavailableError");
    for body in UNREADABLE {
        assert_eq!(raw(&world, route, body.as_bytes()).0, 400);
    }
    assert!(world.with(|state| state.tasks().is_empty()), "nothing was recorded");
}

#[test]
fn messages_are_held_to_their_rules() {
    let world = world();
    let send =
        |message: Value| ask(&world, Route::TasksSend, &json!({"to": LAB, "text": "ignored", "message": message}));
    let parts = |parts: Value| json!({"messageId": "", "role": "ROLE_USER", "parts": parts});
    for bad in [
        json!({"role": "ROLE_AGENT", "parts": [{"text": "x"}]}),
        parts(json!([])),
        parts(json!([{}])),
        parts(json!([{"text": "x", "raw": ""}])),
        parts(json!([{"text": "x", "data": {}}])),
        parts(json!([{"url": "https://example.org/x"}])),
        parts(json!([{"url": "file:///etc/passwd"}])),
        parts(json!([{"raw": "not base64!", "filename": "x"}])),
        parts(json!([{"raw": "eA", "filename": "x"}])),
        parts(json!([{"data": {"skill": " "}}])),
        parts(json!([{"data": {"skill": 7}}])),
        parts(json!([{"data": {"skill": "a", "args": []}}])),
        parts(json!([{"data": {"skill": "a"}}, {"data": {"skill": "b"}}])),
        parts(json!([{"data": {"skill": "a", "args": {}}}, {"data": {"skill": "a", "args": {}}}])),
        parts(json!([{"data": {"skill": "a"}}, {"text": "and text"}])),
        parts(json!([{"data": {"skill": "a"}}, {"raw": "eA==", "filename": "f"}])),
        parts(json!("text")),
        json!([]),
    ] {
        let (status, answer) = send(bad.clone());
        assert_eq!((status, &answer["code"]), (400, &json!("InvalidParamsError")), "{bad}");
    }
    for good in [
        json!({"parts": [{"text": "no role"}]}),
        parts(json!([{"text": "x", "url": "", "data": null}])),
        parts(json!([{"data": [1, 2]}])),
        parts(json!([{"data": {"skill": "text.digest", "args": {"a": 1}}}])),
        parts(json!([{"raw": "eA==", "filename": "f"}])),
    ] {
        let (status, answer) = send(good.clone());
        assert_eq!(status, 200, "{good} -> {answer}");
    }
}

#[test]
fn files_become_urls_and_name_the_goal() {
    let world = world();
    let message = json!({"parts": [{"raw": "eHl6", "filename": "../a b.txt", "mediaType": "text/plain"}]});
    let task = good(&world, Route::TasksSend, &json!({"to": LAB, "message": message}));
    let parts = &task["history"][0]["parts"];
    assert_eq!(parts[0], json!({"text": "attachments: ../a b.txt"}));
    let cid = parts[1]["metadata"]["anet.cid"].as_str().expect("a CID");
    assert!(cid.starts_with("bafkrei") && cid.len() == 59);
    let id = task["id"].as_str().expect("an id");
    assert_eq!(
        parts[1],
        json!({
            "url": format!("anet:attachment?interaction_id={id}&cid={cid}"), "filename": "a b.txt", "mediaType": "text/plain",
            "metadata": {"anet.attachment_cid": cid, "anet.cid": cid, "anet.size": 3},
        })
    );
}

#[test]
fn calls_keep_digits_in_parts_and_lose_them_in_args() {
    let world = world();
    let body =
        r#"{"to":"LAB","message":{"parts":[{"data":{"skill":"text.digest","args":{"z":9007199254740993,"a":1.0}}}]}}"#;
    let (_, text) = raw(&world, Route::TasksSend, body.replace("LAB", LAB).as_bytes());
    assert!(
        text.contains(
            r#"{"data":{"args":{"a":1.0,"z":9007199254740993},"skill":"text.digest"},"mediaType":"application/json"}"#
        ),
        "{text}"
    );
    let body = r#"{"to":"LAB","skill":"text.digest","args":{"z":9007199254740993,"a":1.0}}"#;
    let (_, text) = raw(&world, Route::TasksSend, body.replace("LAB", LAB).as_bytes());
    assert!(text.contains(r#"{"args":{"a":1,"z":9007199254740992},"skill":"text.digest"}"#), "{text}");
}

#[test]
fn reserved_metadata_is_dropped() {
    let world = world();
    let message = json!({"parts": [{"text": "x"}], "metadata": {"anet.role": "provider", "a2a.messageId": "m", "x402.y": 1, "mine": "kept"}});
    let task = good(&world, Route::TasksSend, &json!({"to": LAB, "message": message}));
    assert_eq!(task["history"][0]["metadata"], json!({"mine": "kept"}));
}

#[test]
fn a_repeat_is_recognised_by_its_message_id_alone() {
    let world = world();
    let body = json!({"to": Behaviour::aid("asks"), "text": "hi", "message_id": "m-1"});
    let first = good(&world, Route::TasksSend, &body);
    let again = good(&world, Route::TasksSend, &body);
    assert_eq!((&again["id"], &again["metadata"]["anet.deduplicated"]), (&first["id"], &json!(true)));
    let other = json!({"to": Behaviour::aid("asks"), "text": "hi"});
    let second = good(&world, Route::TasksSend, &other);
    assert_ne!(second["id"], good(&world, Route::TasksSend, &other)["id"]);
}

#[test]
fn a_task_that_is_not_there_is_not_found() {
    let world = world();
    for route in [Route::TasksGet, Route::TasksWait, Route::TasksCancel, Route::TasksReply] {
        for body in [json!({}), json!({"task_id": ""}), json!({"task_id": null})] {
            let (status, answer) = ask(&world, route, &body);
            assert_eq!((status, &answer["code"]), (400, &json!("InvalidParamsError")), "{route}");
        }
        let (status, answer) = ask(&world, route, &json!({"task_id": "ix_none", "text": "x"}));
        assert_eq!(
            (status, answer),
            (404, json!({"error": "TaskNotFoundError: ix_none", "code": "TaskNotFoundError"})),
            "{route}"
        );
        refused(&world, route, &json!({"task_id": "ix_none", "max_task_bytes": -1}), 400, "InvalidParamsError");
        for body in UNREADABLE {
            assert_eq!(raw(&world, route, body.as_bytes()).0, 400, "{route} {body:?}");
        }
    }
    refused(&world, Route::TasksSend, &json!({"task_id": "ix_none", "text": "x"}), 404, "TaskNotFoundError");
    refused(&world, Route::TasksWait, &json!({"task_id": "ix_none", "timeout_ms": -5}), 400, "InvalidParamsError");
}

#[test]
fn history_is_cut_to_the_newest() {
    let world = world();
    let task = text_to(&world, "receipt-unknown");
    for (length, kept) in [(json!(null), 2), (json!(0), 0), (json!(1), 1), (json!(9), 2)] {
        let shown = good(&world, Route::TasksGet, &json!({"task_id": task["id"], "history_length": length}));
        assert_eq!(shown["history"].as_array().map_or(0, Vec::len), kept, "{length}");
    }
    let newest = good(&world, Route::TasksGet, &json!({"task_id": task["id"], "history_length": 1}));
    assert_eq!(newest["history"][0]["role"], "ROLE_AGENT");
}

#[test]
fn continuing_is_refused_where_it_makes_no_sense() {
    let world = world();
    let route = Route::TasksSend;
    let theirs = received(&world);
    refused(&world, route, &json!({"task_id": theirs, "text": "x"}), 400, "InvalidParamsError");
    let asked = text_to(&world, "asks");
    refused(
        &world,
        route,
        &json!({"task_id": asked["id"], "context_id": "another", "text": "x"}),
        400,
        "InvalidParamsError",
    );
    refused(&world, route, &json!({"task_id": asked["id"], "skill": "a.b"}), 400, "InvalidParamsError");
    refused(&world, route, &json!({"task_id": asked["id"]}), 400, "InvalidParamsError");
    let done = text_to(&world, "answers");
    refused(&world, route, &json!({"task_id": done["id"], "text": "x"}), 409, "UnsupportedOperationError");
    let call = good(&world, route, &json!({"to": Behaviour::aid("works"), "skill": "a.b"}));
    refused(&world, route, &json!({"task_id": call["id"], "text": "x"}), 409, "UnsupportedOperationError");
    let answered =
        good(&world, route, &json!({"task_id": asked["id"], "context_id": asked["contextId"], "text": "the first"}));
    assert_eq!(answered["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(answered["history"].as_array().map(Vec::len), Some(4));
}

#[test]
fn lists_are_filtered_sorted_and_paged() {
    let world = World::default();
    let all = good(&world, Route::TasksList, &json!({}));
    let keys: Vec<_> = all.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["tasks", "totalSize", "pageSize", "nextPageToken"]);
    let tasks = all["tasks"].as_array().expect("tasks");
    assert_eq!((all["totalSize"].as_u64(), all["pageSize"].as_u64()), (Some(tasks.len() as u64), Some(50)));
    let times: Vec<_> =
        tasks.iter().map(|task| task["status"]["timestamp"].as_str().expect("a time").to_owned()).collect();
    assert!(times.windows(2).all(|pair| pair[0].len() != pair[1].len() || pair[0] >= pair[1]), "{times:?}");
    assert!(tasks.iter().all(|task| task.get("artifacts").is_none() && task["metadata"].get("anet.receipt").is_none()));

    let mut paged = Vec::new();
    let mut token = json!("");
    loop {
        let page = good(&world, Route::TasksList, &json!({"page_size": 4, "page_token": token}));
        paged.extend(page["tasks"].as_array().expect("tasks").clone());
        token = page["nextPageToken"].clone();
        if token == "" {
            break;
        }
    }
    assert_eq!(&paged, tasks);

    for (role, word) in [("inbound", "provider"), ("outbound", "requester")] {
        let some = good(&world, Route::TasksList, &json!({"role": role}));
        assert!(some["tasks"].as_array().expect("tasks").iter().all(|task| task["metadata"]["anet.role"] == word));
    }
    for (word, full) in [("completed", "TASK_STATE_COMPLETED"), ("TASK_STATE_FAILED", "TASK_STATE_FAILED")] {
        let some = good(&world, Route::TasksList, &json!({"state": word, "include_artifacts": true}));
        let some = some["tasks"].as_array().expect("tasks").clone();
        assert!(!some.is_empty() && some.iter().all(|task| task["status"]["state"] == full));
    }
    let status_wins = good(&world, Route::TasksList, &json!({"state": "nonsense", "status": "failed"}));
    assert_ne!(status_wins["totalSize"], 0);
    let context = &tasks[3]["contextId"];
    let some =
        good(&world, Route::TasksList, &json!({"context_id": context, "peer": tasks[3]["metadata"]["anet.peer_aid"]}));
    assert_eq!(some["tasks"][0]["id"], tasks[3]["id"]);
    let none = json!({"tasks": [], "totalSize": 0, "pageSize": 50, "nextPageToken": ""});
    assert_eq!(good(&world, Route::TasksList, &json!({"state": "TASK_STATE_AUTH_REQUIRED"})), none);
    assert_eq!(good(&world, Route::TasksList, &json!({"status_timestamp_after": "2030-01-01T00:00:00Z"})), none);
    let bare =
        good(&world, Route::TasksList, &json!({"history_length": 0, "include_artifacts": true, "state": "completed"}));
    assert!(bare["tasks"][0].get("history").is_none() && bare["tasks"][0]["metadata"]["anet.receipt"].is_object());
}

#[test]
fn bad_lists_are_refused() {
    let world = world();
    for body in [
        json!({"role": "requester"}),
        json!({"role": "boss"}),
        json!({"state": "done"}),
        json!({"status": "input_required"}),
        json!({"page_size": -1}),
        json!({"page_size": 101}),
        json!({"page_size": "5"}),
        json!({"page_token": "made-up"}),
        json!({"history_length": -1}),
        json!({"max_task_bytes": -1}),
        json!({"status_timestamp_after": "yesterday"}),
        json!({"include_artifacts": 1}),
    ] {
        refused(&world, Route::TasksList, &body, 400, "InvalidParamsError");
    }
}

#[test]
fn a_list_token_is_this_nodes_own() {
    let here = World::default();
    let token = good(&here, Route::TasksList, &json!({"page_size": 1}))["nextPageToken"].clone();
    refused(&world(), Route::TasksList, &json!({"page_token": token}), 400, "InvalidParamsError");
    let cursor = good(&here, Route::AgentsList, &json!({"limit": 1}))["nextCursor"].clone();
    refused(&here, Route::TasksList, &json!({"page_token": cursor}), 400, "InvalidParamsError");
}
