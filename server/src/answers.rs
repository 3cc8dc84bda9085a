//! Answers that are not passed on as they came: the balance, put together of two, and pending tasks, cut down to
//! their metadata.
//!
//! Everything kept keeps its bytes. Serves R8 and section 8.4.

use crate::control::Failure;
use crate::json::{self, Members, Object};

/// The reason of a node that cannot pay at all.
const MODULE_ABSENT: &str = "module_absent";

/// The members of a pending task that may be told.
const PENDING: [&str; 9] = [
    "interaction_id",
    "requester",
    "arrived_at",
    "bytes",
    "request_cid",
    "capability",
    "attachments",
    "followups",
    "expires_at",
];

/// Puts the limits beside the balance. A balance that failed becomes `balance_error` as long as anything else is known.
pub(crate) fn balance(balance: Result<String, Failure>, limits: Option<String>) -> Result<String, String> {
    let mut object = Object::new();
    let text = match balance {
        Ok(text) => text,
        Err(failure) => {
            let absent = failure.reason.as_deref() == Some(MODULE_ABSENT);
            if absent {
                object.text("balance", MODULE_ABSENT);
            } else if limits.is_none() {
                return Err(failure.sentence);
            }
            object.text("balance_error", &failure.sentence).raw_if("limits", limits.as_deref());
            return Ok(object.finish());
        }
    };
    let Some(limits) = limits else {
        return Ok(text);
    };
    let Some(members) = Members::of(&text) else {
        return Ok(text);
    };
    for (name, value) in members.0.iter().filter(|(name, _)| name != "limits") {
        object.raw(name, value.get());
    }
    let own = members.value("limits").map_or("{}", |limits| limits.get());
    object.raw("limits", &joined(&limits, own));
    Ok(object.finish())
}

/// The object `limits`, and what only `other` says: a daemon may put its summary beside the balance.
fn joined(limits: &str, other: &str) -> String {
    let (Some(first), Some(second)) = (Members::of(limits), Members::of(other)) else {
        return limits.to_owned();
    };
    let only_there: Vec<_> = second.0.iter().filter(|(name, _)| first.value(name).is_none()).collect();
    if only_there.is_empty() {
        return limits.to_owned();
    }
    let mut object = Object::new();
    for (name, value) in first.0.iter().chain(only_there) {
        object.raw(name, value.get());
    }
    object.finish()
}

/// The list of pending tasks with nothing but metadata in it. `None` when the answer is no such list.
pub(crate) fn metadata_only(text: &str) -> Option<String> {
    let members = Members::of(text)?;
    // An empty list may be spelled `null` or left out.
    let pending = members.value("pending").filter(|pending| !json::is_null(pending));
    let items = match pending {
        Some(pending) => json::elements(pending.get())?,
        None => Vec::new(),
    };
    let items = items.iter().map(|item| Members::of(item.get())).collect::<Option<Vec<_>>>()?;
    let clean = pending.is_some()
        && members.0.len() == 1
        && items.iter().all(|item| item.0.iter().all(|(name, value)| is_metadata(name, value.get())));
    if clean {
        return Some(text.to_owned());
    }
    let items = items.iter().map(|item| {
        let mut kept = Object::new();
        for (name, value) in item.0.iter().filter(|(name, value)| is_metadata(name, value.get())) {
            kept.raw(name, value.get());
        }
        kept.finish()
    });
    let list = items.collect::<Vec<_>>().join(",");
    Some(Object::new().raw("pending", &format!("[{list}]")).finish())
}

/// Each of the nine is one word or number; an object under such a name could carry anything.
fn is_metadata(name: &str, value: &str) -> bool {
    PENDING.contains(&name) && !value.starts_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(sentence: &str, reason: Option<&str>) -> Failure {
        Failure { sentence: sentence.to_owned(), reason: reason.map(str::to_owned), unreachable: false }
    }

    #[test]
    fn limits_go_beside_the_balance_with_their_bytes() {
        let both = balance(
            Ok(r#"{"balance":1.0,"aid":"x"}"#.to_owned()),
            Some(r#"{"daily_max":9007199254740993}"#.to_owned()),
        );
        assert_eq!(both.unwrap(), r#"{"balance":1.0,"aid":"x","limits":{"daily_max":9007199254740993}}"#);
        let own = balance(
            Ok(r#"{"limits":{"summary":"s","auto_max":1},"balance":2}"#.to_owned()),
            Some(r#"{"auto_max":0}"#.to_owned()),
        );
        assert_eq!(own.unwrap(), r#"{"balance":2,"limits":{"auto_max":0,"summary":"s"}}"#);
        let alone = balance(Ok("{ \"balance\": 1 }".to_owned()), None);
        assert_eq!(alone.unwrap(), "{ \"balance\": 1 }");
    }

    #[test]
    fn a_failed_balance_is_told_beside_the_limits() {
        let known = balance(Err(failure("No hub.", None)), Some("{}".to_owned()));
        assert_eq!(known.unwrap(), r#"{"balance_error":"No hub.","limits":{}}"#);
        assert_eq!(balance(Err(failure("No hub.", None)), None), Err("No hub.".to_owned()));
        let absent = balance(Err(failure("No module.", Some("module_absent"))), None);
        assert_eq!(absent.unwrap(), r#"{"balance":"module_absent","balance_error":"No module."}"#);
    }

    #[test]
    fn pending_tasks_show_nine_members_at_most() {
        let clean = r#"{ "pending":[{"interaction_id":"ix","bytes":1.0}]}"#;
        assert_eq!(metadata_only(clean).unwrap(), clean);
        let telling = r#"{"pending":[{"bytes":2e0,"text":"secret","capability":{"a":1},"requester":"b"}],"note":"x"}"#;
        assert_eq!(metadata_only(telling).unwrap(), r#"{"pending":[{"bytes":2e0,"requester":"b"}]}"#);
        for empty in ["{}", r#"{"pending":null}"#, r#"{"x":1}"#] {
            assert_eq!(metadata_only(empty).unwrap(), r#"{"pending":[]}"#, "{empty}");
        }
        for odd in [r#"{"pending":5}"#, r#"{"pending":["text of a task"]}"#] {
            assert!(metadata_only(odd).is_none(), "{odd}");
        }
    }
}
