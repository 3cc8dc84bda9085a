//! `inbound_pending`: nine members of metadata, and nothing of what the tasks say.

use anet_mock_daemon::Route;

use super::balance::in_text;
use crate::case::{Case, Group};
use crate::cases::seen;
use crate::expect::{Expect, ValueRule};
use crate::json::{Grade, Json};
use crate::observation::Observation;
use crate::page::Tool;
use crate::verdict::Finding;

/// What an item holds, in the daemon's order.
const ITEM: &str = r#"{"arrived_at":1791793200000,"attachments":1,"bytes":2140,"capability":"text.digest","expires_at":1792052400000,"followups":0,"interaction_id":"ix_9b2dcc221f0aa47b99871623a5d24073","request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","requester":"bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi"}"#;

/// The nine members (control-plane 8.4).
const NINE: [&str; 9] = [
    "arrived_at",
    "attachments",
    "bytes",
    "capability",
    "expires_at",
    "followups",
    "interaction_id",
    "request_cid",
    "requester",
];

/// Those that the page names, and the id that approving takes.
const PAGE: [&str; 6] = ["arrived_at", "bytes", "capability", "interaction_id", "request_cid", "requester"];

/// What must not get through.
const CONTENT: &str = "swordfish-content";

/// Items as they can be: name, title, item.
const ITEMS: &[(&str, &str, &str)] = &[
    ("whole", "all nine members", ITEM),
    (
        "text-task",
        "a text task has no capability",
        r#"{"arrived_at":1791793200000,"attachments":0,"bytes":17,"expires_at":1792052400000,"followups":5,"interaction_id":"ix_9b2dcc221f0aa47b99871623a5d24073","request_cid":"bafyreif7lw4klpfxv5vl7uvyfby5gs23evw77u6u2t7wzoft5rtvdxq6ai","requester":"bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi"}"#,
    ),
    (
        "hostile-id",
        "the requester chose the id",
        r#"{"arrived_at":1,"bytes":1,"interaction_id":"--force; rm -rf \"~\" <余> \u2028 `x`","request_cid":"bafyreif7","requester":"bafyreiak"}"#,
    ),
    (
        "large-numbers",
        "numbers beyond what a double holds",
        r#"{"arrived_at":9007199254740993,"attachments":9007199254740993,"bytes":9007199254740993,"expires_at":9007199254740993,"followups":0,"interaction_id":"ix_1","request_cid":"bafyreif7","requester":"bafyreiak"}"#,
    ),
    (
        "unsorted",
        "members in another order",
        r#"{"requester":"bafyreiak","interaction_id":"ix_1","request_cid":"bafyreif7","followups":1,"expires_at":3,"capability":"a.b","bytes":2,"attachments":0,"arrived_at":1}"#,
    ),
];

/// Members that a daemon might add to an item one day.
const ADDED: &[(&str, &str)] = &[
    ("text", r#""text":"swordfish-content""#),
    ("message", r#""message":{"parts":[{"text":"swordfish-content"}],"role":"ROLE_USER"}"#),
    ("body", r#""body":"swordfish-content""#),
    ("parts", r#""parts":[{"text":"swordfish-content"}]"#),
    ("preview", r#""preview":"swordfish-content""#),
    ("content", r#""content":{"raw":"swordfish-content"}"#),
    ("args", r#""args":{"text":"swordfish-content"}"#),
    ("goal", r#""goal":"swordfish-content""#),
    ("history", r#""history":[{"parts":[{"text":"swordfish-content"}]}]"#),
    ("metadata", r#""metadata":{"note":"swordfish-content"}"#),
    ("files", r#""files":[{"filename":"swordfish-content"}]"#),
    ("other-case", r#""Text":"swordfish-content","TEXT":"swordfish-content""#),
    ("unknown", r#""priority":3,"anet.note":"swordfish-content""#),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = ITEMS.iter().map(|(point, title, item)| passed(point, title, item)).collect();
    cases.extend(ADDED.iter().map(|(point, member)| added(point, member)));
    cases.extend([everything_added(), beside_the_list(), two_hundred()]);
    for (point, body) in [("empty", r#"{"pending":[]}"#), ("null", r#"{"pending":null}"#)] {
        cases.push(empty(point, body));
    }
    cases.push(
        asked("refused", "the store cannot be read")
            .daemon_refuses(
                Route::InboundPending,
                500,
                r#"{"error":"The pending store cannot be read: disk I/O error."}"#,
            )
            .call(Tool::InboundPending, "{}")
            .expect_sentence("call", "The pending store cannot be read: disk I/O error."),
    );
    cases
}

fn asked(point: &str, title: &str) -> Case {
    Case::new(Group::Node, &format!("pending/{point}"), format!("inbound_pending: {title}")).tool(Tool::InboundPending)
}

fn listed(items: &[&str]) -> String {
    format!(r#"{{"pending":[{}]}}"#, items.join(","))
}

/// The item with one more member at its beginning.
fn with(member: &str) -> String {
    format!("{{{member},{}", &ITEM[1..])
}

/// An item passes with the values that it has.
fn passed(point: &str, title: &str, item: &str) -> Case {
    let document = listed(&[item]);
    asked(point, title)
        .daemon_answers(Route::InboundPending, document.clone())
        .call(Tool::InboundPending, "{}")
        .keeps(item)
        .check("pending.metadata-only", nine_at_most())
        .check(
            "pending.nine-members",
            Expect::TextJson { call: "call".to_owned(), json: document.clone(), grade: Grade::Double },
        )
        .check(
            "results.numbers-literal",
            Expect::TextJson { call: "call".to_owned(), json: document, grade: Grade::Literal },
        )
        .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
        .check("results.one-text", Expect::OneText { call: "call".to_owned() })
        .expect_request(Route::InboundPending, "{}")
}

/// What is added to an item stays out; the rest passes.
fn added(point: &str, member: &str) -> Case {
    let stripped = listed(&[ITEM]);
    asked(&format!("added/{point}"), "a member that is none of the nine stays out")
        .daemon_answers(Route::InboundPending, listed(&[&with(member)]))
        .call(Tool::InboundPending, "{}")
        .check("pending.metadata-only", nine_at_most())
        .check("pending.metadata-only", seen::never_shows("call", CONTENT))
        .keeps(ITEM)
        .check(
            "pending.nine-members",
            Expect::TextJson { call: "call".to_owned(), json: stripped, grade: Grade::Double },
        )
        .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
}

/// Everything at once, in the second of three items.
fn everything_added() -> Case {
    let members: Vec<_> = ADDED.iter().map(|(_, member)| *member).collect();
    let full = with(&members.join(","));
    asked("added/everything", "what one item has too much spoils no other")
        .daemon_answers(Route::InboundPending, listed(&[ITEM, &full, ITEM]))
        .call(Tool::InboundPending, "{}")
        .check("pending.metadata-only", nine_at_most())
        .check("pending.metadata-only", seen::never_shows("call", CONTENT))
        .check(
            "pending.nine-members",
            Expect::TextJson { call: "call".to_owned(), json: listed(&[ITEM, ITEM, ITEM]), grade: Grade::Double },
        )
        .check("results.structured-agrees", Expect::StructuredAgrees { call: "call".to_owned() })
}

fn beside_the_list() -> Case {
    let document = format!(r#"{{"preview":"{CONTENT}","pending":[{ITEM}],"messages":["{CONTENT}"]}}"#);
    asked("added/beside-the-list", "members beside the list stay out")
        .daemon_answers(Route::InboundPending, document)
        .call(Tool::InboundPending, "{}")
        .keeps(ITEM)
        .check("pending.beside-the-list", seen::never_shows("call", CONTENT))
}

/// As many as the daemon holds at most.
fn two_hundred() -> Case {
    let items: Vec<_> = (0..200)
        .map(|n| format!(r#"{{"arrived_at":{n},"attachments":0,"bytes":{n},"expires_at":{n},"followups":0,"interaction_id":"ix_{n:032x}","request_cid":"bafyreif7","requester":"bafyreiak"}}"#))
        .collect();
    let document = format!(r#"{{"pending":[{}]}}"#, items.join(","));
    asked("two-hundred", "two hundred items come whole and in order")
        .daemon_answers(Route::InboundPending, document.clone())
        .call(Tool::InboundPending, "{}")
        .check("results.success", Expect::Succeeds { call: "call".to_owned() })
        .check("pending.page-members", in_text("/pending/0/interaction_id", &format!("\"ix_{:032x}\"", 0)))
        .check("pending.page-members", in_text("/pending/199/interaction_id", &format!("\"ix_{:032x}\"", 199)))
        .check(
            "pending.nine-members",
            Expect::TextJson { call: "call".to_owned(), json: document, grade: Grade::Double },
        )
}

fn empty(point: &str, body: &str) -> Case {
    let case = asked(&format!("none/{point}"), "no task waits")
        .daemon_answers(Route::InboundPending, body)
        .call(Tool::InboundPending, "{}");
    if point == "empty" {
        case.expect_answer("call", body)
    } else {
        case.check("pending.odd-list", Expect::AnsweredOnce { call: "call".to_owned() })
            .check("pending.odd-list", Expect::Succeeds { call: "call".to_owned() })
            .check(
                "pending.odd-list",
                Expect::InText {
                    call: "call".to_owned(),
                    pointer: "/pending".to_owned(),
                    rule: ValueRule::OneOf(vec!["[]".to_owned(), "null".to_owned()]),
                },
            )
    }
}

impl Case {
    /// The first item holds what the page names, as in `item`.
    fn keeps(self, item: &str) -> Self {
        let item = Json::parse(item).unwrap_or(Json::Null);
        let named = PAGE.into_iter().filter_map(|name| Some((name, item.member(name)?.to_string())));
        let case = self.check("results.success", Expect::Succeeds { call: "call".to_owned() });
        named.fold(case, |case, (name, value)| case.check("pending.page-members", item_holds(name, value)))
    }
}

/// The first item holds this member with this value, numbers as the same double.
fn item_holds(name: &'static str, value: String) -> Expect {
    Expect::holds(format!("in the text of `call`, `/pending/0/{name}` is {value}"), move |seen: &Observation| {
        let expected = Json::parse(&value).unwrap_or(Json::Null);
        let document = seen::document(seen, "call");
        match document.as_ref().and_then(|document| document.at(&["pending", "0", name])) {
            Some(found) if expected.differences(found, Grade::Double).is_empty() => Finding::Met,
            found => {
                let found = found.map_or_else(|| seen::shown(seen, "call"), Json::to_string);
                Finding::differs(
                    format!("`{name}` of a pending task is not what the daemon sent"),
                    value.as_str(),
                    found,
                )
            }
        }
    })
}

/// No item, in the text or in the structured content, has a member other than the nine.
fn nine_at_most() -> Expect {
    Expect::holds("no pending task has a member other than the nine", |seen: &Observation| {
        let Some(exchange) = seen.exchange("call").filter(|exchange| !exchange.replies.is_empty()) else {
            return Finding::broken(seen::shown(seen, "call"));
        };
        let structured = exchange.replies[0].message.at(&["result", "structuredContent"]).cloned();
        for document in [seen::document(seen, "call"), structured].into_iter().flatten() {
            let items = document.member("pending").and_then(Json::as_array).unwrap_or_default();
            let names = items.iter().filter_map(Json::as_object).flatten().map(|(name, _)| name.as_str());
            if let Some(name) = names.into_iter().find(|name| !NINE.contains(name)) {
                let message = format!("a pending task has a member `{name}`");
                return Finding::differs(message, NINE.join(", "), seen::shown(seen, "call"));
            }
        }
        Finding::Met
    })
}
