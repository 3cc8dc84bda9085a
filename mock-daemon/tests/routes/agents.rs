//! `/agents/list` and `/agents/card`.

use anet_mock_daemon::world::Page;
use anet_mock_daemon::world::agents::{Agent, CARD_ERRORS, Verification};
use anet_mock_daemon::world::status::Hub;
use anet_mock_daemon::{Route, World};
use serde_json::{Value, json};

use crate::{LAB, UNREADABLE, ask, good, raw, refused, world};

fn aids(answer: &Value) -> Vec<String> {
    let agents = answer["agents"].as_array().expect("always a list");
    agents.iter().map(|agent| agent["aid"].as_str().expect("always there").to_owned()).collect()
}

#[test]
fn a_verified_agent_is_shown_whole() {
    let (status, text) = raw(&world(), Route::AgentsList, b"{}");
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let agent = &answer["agents"][0];
    let keys: Vec<_> = agent.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        ["aid", "card", "verification", "hubVerification", "name", "homeHub", "lastSeen", "charge", "key_state"]
    );
    assert_eq!((&agent["charge"], &agent["key_state"]), (&json!("partial"), &json!("fresh")));
    assert_eq!(agent["card"]["supportedInterfaces"][0]["tenant"], LAB);
    assert_eq!(agent["card"]["capabilities"]["extensions"][0]["params"]["seq"], "1791446400");
    assert_eq!(answer["nextCursor"], "");
}

#[test]
fn unverified_and_uncarded_entries_say_little() {
    let world = world();
    world.with(|state| {
        state.agents.clear();
        let mut forged = Agent::new("forged", "secret", "secret");
        forged.verification = Verification::Unverified("INVALID_SIGNATURE".into());
        forged.official = true;
        let mut bare = Agent::new("bare", "bob-node", "hub-side text");
        bare.verification = Verification::None;
        bare.home_hub.clear();
        bare.last_seen.clear();
        let mut official = bare.clone();
        official.aid = "official".into();
        official.official = true;
        state.agents.extend([forged, bare, official]);
    });
    let (_, text) = raw(&world, Route::AgentsList, b"{\"include_uncarded\":true}");
    assert_eq!(
        text,
        concat!(
            r#"{"agents":[{"aid":"forged","verification":"UNVERIFIED","verificationError":"INVALID_SIGNATURE","anet.official":true},"#,
            r#"{"aid":"bare","verification":"NONE","verificationError":"no card published; only the hub vouches for these fields","name":"bob-node","summary":"hub-side text"},"#,
            r#"{"aid":"official","verification":"NONE","verificationError":"no card published; only the hub vouches for these fields","anet.official":true}],"nextCursor":""}"#
        )
    );
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({}))), ["forged"]);
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({"q": "secret"}))), Vec::<String>::new());
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({"q": "FORG"}))), ["forged"]);
}

#[test]
fn every_card_error_can_be_shown() {
    for code in CARD_ERRORS {
        let world = world();
        world.with(|state| {
            let mut agent = Agent::new("checked", "n", "d");
            agent.verification = Verification::Unverified(code.into());
            state.agents.push(agent);
        });
        let card = good(&world, Route::AgentsCard, &json!({"aid": "checked"}));
        assert_eq!(card, json!({"aid": "checked", "verification": "UNVERIFIED", "verificationError": code}));
    }
}

#[test]
fn pages_end_when_the_cursor_is_empty() {
    let world = World::default();
    let mut seen = Vec::new();
    let mut cursor = String::new();
    let mut empty = 0;
    loop {
        let answer = good(
            &world,
            Route::AgentsList,
            &json!({"limit": 1, "cursor": cursor, "include_uncarded": true, "q": "LAB"}),
        );
        let page = aids(&answer);
        assert!(page.len() <= 1);
        empty += usize::from(page.is_empty());
        seen.extend(page);
        cursor = answer["nextCursor"].as_str().expect("a string").to_owned();
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen.len(), 2, "Lab-P and Lab-Notes");
    assert!(empty > 3, "q is applied after paging, so pages may be empty");
    let whole = aids(&good(&world, Route::AgentsList, &json!({"limit": 100, "include_uncarded": true})));
    let mut paged = Vec::new();
    cursor.clear();
    loop {
        let answer = good(&world, Route::AgentsList, &json!({"limit": 3, "cursor": cursor, "include_uncarded": true}));
        paged.extend(aids(&answer));
        cursor = answer["nextCursor"].as_str().expect("a string").to_owned();
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(paged, whole);
}

#[test]
fn the_registry_filters_by_skill_and_tag() {
    let world = World::default();
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({"skill": "text.digest"}))), [LAB]);
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({"tag": "paid"}))).len(), 1);
    assert_eq!(aids(&good(&world, Route::AgentsList, &json!({"skill": "none.such"}))), Vec::<String>::new());
    world.with(|state| state.registry = false);
    let none = good(&world, Route::AgentsList, &json!({}));
    assert_eq!(none, json!({"agents": [], "nextCursor": ""}));
}

#[test]
fn bad_lists_are_refused() {
    let world = world();
    for body in [
        json!({"limit": -1}),
        json!({"limit": 101}),
        json!({"limit": "5"}),
        json!({"limit": 5.5}),
        json!({"q": 1}),
        json!({"include_uncarded": "yes"}),
        json!({"cursor": "made-up"}),
        json!({"cursor": "uncarded:0"}),
        json!({"cursor": "uncarded:-1", "include_uncarded": true}),
        json!({"cursor": "uncarded:x", "include_uncarded": true}),
    ] {
        refused(&world, Route::AgentsList, &body, 400, "InvalidParamsError");
    }
    for body in UNREADABLE {
        let (status, text) = raw(&world, Route::AgentsList, body.as_bytes());
        assert_eq!(status, 400, "{body:?} -> {text}");
    }
    good(
        &world,
        Route::AgentsList,
        &json!({"LIMIT": 5, "cursor": "uncarded:0", "Include_Uncarded": true, "unknown": 1}),
    );
    good(&world, Route::AgentsList, &json!({"limit": null, "skill": null}));
    assert_eq!(raw(&world, Route::AgentsList, b"null trailing").0, 200);
}

#[test]
fn without_a_hub_there_are_no_agents() {
    for hub in [Hub::None, Hub::Unreachable] {
        let world = world();
        world.set_hub(hub);
        refused(&world, Route::AgentsList, &json!({}), 503, "UnavailableError");
        refused(&world, Route::AgentsCard, &json!({"aid": LAB}), 503, "UnavailableError");
    }
}

#[test]
fn a_card_comes_with_its_prices() {
    let world = world();
    let card = good(&world, Route::AgentsCard, &json!({"aid": LAB}));
    let keys: Vec<_> = card.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["aid", "card", "verification", "name", "charge", "prices", "pricesFetchedAt"]);
    assert_eq!(
        card["prices"],
        json!([{"skillId": "lab.report.priced", "amount": "5"}, {"skillId": "text.digest", "amount": "0"}])
    );
    world.with(|state| {
        state.agents.iter_mut().for_each(|agent| agent.reachable = false);
    });
    let card = good(&world, Route::AgentsCard, &json!({"aid": LAB}));
    assert!(card["priceNote"].is_string() && card.get("prices").is_none());
    world.with(|state| state.page = Page::V02);
    let card = good(&world, Route::AgentsCard, &json!({"aid": LAB}));
    assert!(card.get("charge").is_none() && card.get("priceNote").is_none());
}

#[test]
fn a_free_agent_is_asked_only_when_it_lists_us() {
    let world = world();
    world.with(|state| state.agents.push(Agent::new("free", "Free", "")));
    let card = good(&world, Route::AgentsCard, &json!({"aid": "free"}));
    assert!(card["charge"] == "free" && card.get("prices").is_none() && card.get("priceNote").is_none());
    world.with(|state| {
        state.agents.iter_mut().for_each(|agent| agent.lists_us = true);
    });
    let card = good(&world, Route::AgentsCard, &json!({"aid": "free"}));
    assert_eq!(card["prices"], json!([]));
}

#[test]
fn a_card_keeps_its_digits_and_order() {
    let world = world();
    let text = r#"{"z":9007199254740993,"a":1.0,"e":1e3,"s":"<&>"}"#;
    world.with(|state| {
        state.agents.push(Agent::new("exact", "Exact", "").signed_card(text).expect("JSON"));
    });
    let (_, answer) = raw(&world, Route::AgentsCard, b"{\"aid\":\"exact\"}");
    assert!(answer.contains(r#""card":{"z":9007199254740993,"a":1.0,"e":1e3,"s":"\u003c\u0026\u003e"}"#), "{answer}");
}

#[test]
fn unknown_and_impossible_aids_differ() {
    let world = world();
    let (status, nobody) = ask(&world, Route::AgentsCard, &json!({"aid": "bafyreinobody"}));
    assert_eq!((status, &nobody["verification"]), (200, &json!("NONE")));
    for aid in ["", "not an aid", "a\nb", &"a".repeat(300)] {
        refused(&world, Route::AgentsCard, &json!({"aid": aid}), 400, "InvalidParamsError");
    }
    refused(&world, Route::AgentsCard, &json!({"aid": 7}), 400, "InvalidParamsError");
    refused(&world, Route::AgentsCard, &json!({}), 400, "InvalidParamsError");
}
