//! Holding a task to a number of bytes, as the daemon does it.
//!
//! Responsible for: the size estimate, the fit and the refit of control-plane section 4, in both operations: for a list
//! ([`task_within`]) and for a single task ([`task_read_within`]). Not for: `history_length`, applied before, and `anet.wait`,
//! added after.

use crate::encode;
use crate::ids::plain_task_id;
use crate::json::Json;
use crate::project::shape::{Artifact, Content, Message, Metadata, Part, Task};

/// No bound is smaller.
pub const SMALLEST: usize = 1024;
/// Kept aside for the task's own frame.
const FRAME: i64 = 256;
/// A message's or an artifact's own metadata stays on its notice up to this size.
const NOTICE_METADATA: i64 = 4096;
/// Metadata values up to this size survive a cut.
const KEPT_VALUE: i64 = 512;
/// What the node states itself, in the order in which it is kept when metadata is cut.
const KEPT_FIRST: [&str; 13] = [
    "anet.effect_status",
    "anet.reason",
    "anet.role",
    "anet.receipt_verified",
    "anet.peer_aid",
    "anet.trust",
    "anet.state_seq",
    "anet.skill",
    "anet.state",
    "anet.retry_after_ms",
    "anet.cancel_requested",
    "x402.payment.status",
    "anet.inbound",
];
const MARK: &str = "anet.truncated";

/// The task as a list shows it: about `max` bytes (0: whole).
pub fn task_within(task: &Task, max: usize) -> Task {
    if max == 0 {
        return task.clone();
    }
    fit(task, as_size(max.max(SMALLEST)), &|size| format!("({size} bytes, not in this list; use GetTask or get_task)"))
}

/// The task as a single read shows it: within `max` bytes (0: whole), except near the smallest bound.
pub fn task_read_within(task: &Task, max: usize) -> Task {
    read_within(task, max).0
}

/// As [`task_read_within`], with the room that the last pass used.
fn read_within(task: &Task, max: usize) -> (Task, usize) {
    if max == 0 {
        return (task.clone(), 0);
    }
    let max = max.max(SMALLEST);
    let id = if plain_task_id(&task.id) { task.id.as_str() } else { "<task id>" };
    let sentence = |size: i64| {
        format!(
            "({size} bytes, left out to keep this answer small. Read the whole task in a terminal with \
             `anet task get {id} --full`, its files with `anet pull {id}`)"
        )
    };
    let mut room = max;
    loop {
        let fitted = fit(task, as_size(room), &sentence);
        let length = encode::compact(&fitted.json()).len();
        if length <= max || room <= SMALLEST {
            return (fitted, room);
        }
        room = SMALLEST.max(room.saturating_sub(length - max));
    }
}

fn fit(task: &Task, max: i64, sentence: &dyn Fn(i64) -> String) -> Task {
    let mut budget = max - FRAME - text_size(&task.id) - text_size(&task.context_id);
    let mut out = task.clone();
    let mut cut = false;

    let size = metadata_size(&task.metadata);
    if size <= budget {
        budget -= size;
    } else {
        out.metadata = cut_metadata(&task.metadata, budget);
        budget -= metadata_size(&out.metadata);
        cut = true;
    }

    if let Some(message) = &task.status.message {
        let size = message_size(message);
        if size > budget {
            let notice = message_notice(message, size, sentence);
            budget -= message_size(&notice);
            out.status.message = Some(notice);
            cut = true;
        } else {
            budget -= size;
        }
    }

    for artifact in &mut out.artifacts {
        let size = artifact_size(artifact);
        if size > budget {
            *artifact = artifact_notice(artifact, size, sentence);
            budget -= artifact_size(artifact);
            cut = true;
        } else {
            budget -= size;
        }
    }

    let mut kept = 0;
    for message in task.history.iter().rev() {
        let size = message_size(message);
        if size > budget {
            break;
        }
        budget -= size;
        kept += 1;
    }
    if kept < task.history.len() {
        cut = true;
        out.history = match task.history.last() {
            Some(newest) if kept == 0 => {
                vec![message_notice(newest, message_size(newest), sentence)]
            }
            _ => task.history[task.history.len() - kept..].to_vec(),
        };
    }

    if cut {
        out.metadata.insert(MARK.to_owned(), true.into());
    }
    out
}

/// Metadata that does not fit: the mark, and small values, the node's own statements first.
fn cut_metadata(metadata: &Metadata, budget: i64) -> Metadata {
    let mut out = Metadata::from([(MARK.to_owned(), Json::from(true))]);
    let mut room = budget - metadata_size(&out);
    let others = |own: bool| {
        metadata
            .keys()
            .map(String::as_str)
            .filter(move |key| key.starts_with("anet.") == own && !KEPT_FIRST.contains(key) && *key != MARK)
    };
    let order = KEPT_FIRST.into_iter().chain(others(true)).chain(others(false));
    for key in order {
        let Some(value) = metadata.get(key) else {
            continue;
        };
        let size = value_size(value, false);
        let whole = text_size(key) + 1 + size + 1;
        if size <= KEPT_VALUE && whole <= room {
            room -= whole;
            out.insert(key.to_owned(), value.clone());
        }
    }
    out
}

fn notice_metadata(metadata: &Metadata, size: i64) -> Metadata {
    let mut out = if metadata_size(metadata) <= NOTICE_METADATA { metadata.clone() } else { Metadata::new() };
    out.insert(MARK.to_owned(), true.into());
    out.insert("anet.size".to_owned(), size.into());
    out
}

fn notice_part(size: i64, sentence: &dyn Fn(i64) -> String) -> Part {
    let mut part = Part::text(sentence(size));
    part.metadata = notice_metadata(&Metadata::new(), size);
    part
}

fn message_notice(message: &Message, size: i64, sentence: &dyn Fn(i64) -> String) -> Message {
    let mut notice = message.clone();
    notice.metadata = notice_metadata(&message.metadata, size);
    notice.parts = vec![notice_part(size, sentence)];
    notice
}

fn artifact_notice(artifact: &Artifact, size: i64, sentence: &dyn Fn(i64) -> String) -> Artifact {
    let mut notice = artifact.clone();
    notice.metadata = notice_metadata(&artifact.metadata, size);
    notice.parts = vec![notice_part(size, sentence)];
    notice
}

/// A count as the signed size that budgets are kept in, because a budget may go below nothing.
fn as_size(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The estimate of a string, quotes included.
pub(crate) fn text_size(text: &str) -> i64 {
    let content: usize = text
        .chars()
        .map(|character| match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => 6,
            other => other.len_utf8(),
        })
        .sum();
    as_size(content) + 2
}

/// The estimate of a value. In a data part numbers are kept as text and count their length; elsewhere they count 24.
fn value_size(value: &Json, digits_kept: bool) -> i64 {
    match value {
        Json::Null => 4,
        Json::Bool(_) => 5,
        Json::Number(literal) if digits_kept => as_size(literal.len()),
        Json::Number(_) => 24,
        Json::String(text) => text_size(text),
        Json::Array(items) => 2 + items.iter().map(|item| value_size(item, digits_kept) + 1).sum::<i64>(),
        Json::Object(members) => {
            2 + members
                .iter()
                .map(|(name, member)| text_size(name) + 1 + value_size(member, digits_kept) + 1)
                .sum::<i64>()
        }
    }
}

fn metadata_size(metadata: &Metadata) -> i64 {
    2 + metadata.iter().map(|(name, value)| text_size(name) + 1 + value_size(value, false) + 1).sum::<i64>()
}

fn list_size(texts: &[String]) -> i64 {
    2 + texts.iter().map(|text| text_size(text) + 1).sum::<i64>()
}

fn part_size(part: &Part) -> i64 {
    let content = match &part.content {
        Content::Text(text) | Content::Url(text) => text_size(text),
        Content::Raw(base64) => as_size(base64.len()) + 2,
        Content::Data(data) => value_size(data, true),
    };
    96 + text_size(&part.filename) + text_size(&part.media_type) + metadata_size(&part.metadata) + content
}

fn message_size(message: &Message) -> i64 {
    160 + text_size(&message.message_id)
        + text_size(&message.context_id)
        + text_size(&message.task_id)
        + text_size(message.role.a2a())
        + metadata_size(&message.metadata)
        + list_size(&message.extensions)
        + list_size(&message.reference_task_ids)
        + message.parts.iter().map(part_size).sum::<i64>()
}

fn artifact_size(artifact: &Artifact) -> i64 {
    128 + text_size(&artifact.artifact_id)
        + text_size(&artifact.name)
        + text_size(&artifact.description)
        + metadata_size(&artifact.metadata)
        + list_size(&artifact.extensions)
        + artifact.parts.iter().map(part_size).sum::<i64>()
}

#[cfg(test)]
mod tests;
