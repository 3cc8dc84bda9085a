//! Holding tasks to their size when the daemon did not: about 24 KB for one, about 8 KB for each of a list.
//!
//! Responsible for cutting a task that is too large into one that fits, without re-spelling what is kept: whole
//! messages and artifacts stay or are replaced by a notice that states their size, the node's own statements stay,
//! and nothing is cut inside a string. A task that fits is not touched. Time grows with the length of the answer and
//! nothing else. Serves R10 and section 4 of the control plane.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::json::{self, Members, Object};
use crate::tools::{LISTED_TASK_BYTES, TASK_BYTES};

/// A single task up to this length comes whole. The daemon holds it to `TASK_BYTES` and adds `anet.wait` afterwards;
/// twice this, text and structured copy, stays within the 50,000 characters of the tightest client.
const TASK_WHOLE: usize = 25_000;
/// A listed task up to this length comes whole: the daemon's own bound on those is only "about".
const LISTED_WHOLE: usize = 9 * 1024;
/// An id, role or name up to this length stays on a notice.
const LABEL_LIMIT: usize = 256;
/// A value of cut metadata stays up to this length.
const VALUE_LIMIT: usize = 512;
/// A message's own metadata stays on its notice up to this length.
const OWN_METADATA_LIMIT: usize = 4096;
const TRUNCATED: &str = "anet.truncated";

/// The node's own statements, the most telling first: they outlast everything else in metadata that is too large.
const STATEMENTS: [&str; 15] = [
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
    "x402.payment.error",
    "anet.inbound",
    "anet.wait",
];

/// A single task within its bound.
pub(crate) fn task(text: String) -> String {
    fit(&text, &Form::SINGLE).unwrap_or(text)
}

/// A page of tasks, each within its bound.
pub(crate) fn page(text: String) -> String {
    if text.len() <= LISTED_WHOLE {
        return text;
    }
    let Some(members) = Members::of(&text) else {
        return text;
    };
    let tasks = members.value("tasks").and_then(|tasks| json::elements(tasks.get())).unwrap_or_default();
    if tasks.iter().all(|task| task.get().len() <= LISTED_WHOLE) {
        return text;
    }
    let tasks = tasks.iter().map(|task| fit(task.get(), &Form::LISTED).unwrap_or_else(|| task.get().to_owned()));
    let tasks = format!("[{}]", tasks.collect::<Vec<_>>().join(","));
    let mut page = Object::new();
    for (name, value) in last_of_each(&members) {
        page.raw(name, if name == "tasks" { &tasks } else { value.get() });
    }
    page.finish()
}

/// Whether an id can stand in a command line as it is. Requesters choose ids, and one could be a command of its own.
pub(crate) fn is_plain_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    (1..=128).contains(&id.len()) && id.bytes().all(plain) && id.as_bytes()[0].is_ascii_alphanumeric()
}

/// How a task is bounded.
struct Form {
    /// Up to here nothing is done.
    whole: usize,
    /// A cut task is no longer than this.
    aim: usize,
    listed: bool,
}

impl Form {
    const SINGLE: Self = Self { whole: TASK_WHOLE, aim: TASK_BYTES, listed: false };
    const LISTED: Self = Self { whole: LISTED_WHOLE, aim: LISTED_TASK_BYTES, listed: true };
}

/// The task in another form if it does not fit as it is.
fn fit(text: &str, form: &Form) -> Option<String> {
    if text.len() <= form.whole {
        return None;
    }
    let compact = json::compact(text);
    if compact.len() <= form.whole {
        return Some(compact.into_owned());
    }
    let cut = Members::of(&compact).map(|members| Cut::new(&members, form).write());
    // Accounted to the byte, the cut fits; should it ever not, the bound still holds.
    Some(cut.filter(|cut| cut.len() <= form.whole).unwrap_or_else(|| stub(&compact)))
}

/// The least that can be said of a task.
fn stub(compact: &str) -> String {
    let size = compact.len();
    Object::new().raw("metadata", &format!("{{\"{TRUNCATED}\":true,\"anet.size\":{size}}}")).finish()
}

/// A task being cut.
struct Cut<'a> {
    form: &'a Form,
    /// The id as it may be shown in a command.
    shown_id: String,
    /// Members in their order, of repeated ones the last.
    members: Vec<(&'a str, &'a RawValue)>,
    /// Bytes that may still be used.
    left: usize,
}

/// Anything in a task that stays whole or becomes a notice.
#[derive(Clone, Copy)]
enum Piece {
    Message,
    Artifact,
}

impl<'a> Cut<'a> {
    fn new(members: &'a Members<'a>, form: &'a Form) -> Self {
        let id = members.text("id").filter(|id| is_plain_id(id));
        let shown_id = id.unwrap_or_else(|| "<task id>".to_owned());
        Self { form, shown_id, members: last_of_each(members), left: form.aim }
    }

    fn write(mut self) -> String {
        let metadata = self.find("metadata").filter(|metadata| metadata.get().starts_with('{'));
        let status = self.find("status").and_then(|status| Members::of(status.get()));
        let message = status.as_ref().and_then(|status| status.value("message"));
        let list = |name| self.find(name).and_then(|list| json::elements(list.get())).unwrap_or_default();
        let (artifacts, history) = (list("artifacts"), list("history"));

        let labels = self.labels();
        // What each part needs at least is set aside first, so that no part can crowd out the next.
        let message_notice = message.map(|message| self.notice(Piece::Message, message, false));
        let message_need = message_notice.as_ref().map_or(0, String::len);
        let artifacts_need = if artifacts.is_empty() { 0 } else { self.rest(usize::MAX, usize::MAX).len() + 2 };
        let history_notice = history.last().map(|newest| self.notice(Piece::Message, newest, false));
        let history_need = history_notice.as_ref().map_or(0, |notice| notice.len() + 2);

        let status_frame = self.status_frame(status.as_ref());
        let frames = "\"status\":{\"message\":},\"artifacts\":[],\"history\":[],\"metadata\":,".len();
        self.take(frames + status_frame.len());
        self.take(message_need + artifacts_need + history_need);
        let metadata = self.metadata(metadata);
        self.take(metadata.len());
        self.left += message_need;
        let message = message.map(|message| self.whole_or_notice(Piece::Message, message));
        self.take(message.as_ref().map_or(0, String::len));
        self.left += artifacts_need;
        let artifacts = self.artifacts(&artifacts);
        self.take(artifacts.len());
        self.left += history_need;
        let history = self.history(&history, history_notice);

        let mut task = Object::new();
        let mut marked = false;
        for (name, value) in self.members.iter().copied() {
            match name {
                "status" if value.get().starts_with('{') => {
                    task.raw(name, &with_message(&status_frame, message.as_deref()));
                }
                "artifacts" if value.get().starts_with('[') => {
                    task.raw(name, &artifacts);
                }
                "history" if value.get().starts_with('[') => {
                    task.raw(name, &history);
                }
                "metadata" => {
                    task.raw(name, &metadata);
                    marked = true;
                }
                _ => {
                    task.raw_if(name, labels.iter().find(|(label, _)| *label == name).map(|(_, value)| value.as_str()));
                }
            }
        }
        if !marked {
            task.raw("metadata", &metadata);
        }
        task.finish()
    }

    /// Ids and other small members. An id of kilobytes is kept while it leaves room for what it names.
    fn labels(&mut self) -> Vec<(&'a str, String)> {
        let id = self.find("id").map(|id| match id.get() {
            text if text.len() <= self.form.aim / 2 + LABEL_LIMIT => text.to_owned(),
            _ => shortened(id, LABEL_LIMIT),
        });
        self.take(id.as_ref().map_or(0, |id| member_cost("id", id)));
        let mut labels: Vec<_> = id.map(|id| ("id", id)).into_iter().collect();
        for (name, value) in self.members.clone() {
            let is_part = match name {
                "status" => value.get().starts_with('{'),
                "artifacts" | "history" => value.get().starts_with('['),
                name => matches!(name, "metadata" | "id"),
            };
            let limit = if name == "contextId" { self.form.aim / 8 } else { VALUE_LIMIT };
            // A part of the wrong type is judged like any other member.
            if is_part || name.len() > LABEL_LIMIT || value.get().len() > limit {
                continue;
            }
            let cost = member_cost(name, value.get());
            // Room stays for the task's content, however many members somebody invented.
            if cost + self.form.aim / 4 <= self.left {
                self.take(cost);
                labels.push((name, value.get().to_owned()));
            }
        }
        labels
    }

    /// The status without its message.
    fn status_frame(&self, status: Option<&Members<'_>>) -> String {
        let mut frame = Object::new();
        for (name, value) in status.map(last_of_each).unwrap_or_default() {
            if name != "message" && value.get().len() <= LABEL_LIMIT && frame.len() < self.form.aim / 8 {
                frame.raw_if(name, (name.len() <= LABEL_LIMIT).then_some(value.get()));
            }
        }
        frame.finish()
    }

    /// The task's metadata, marked: whole if it fits, else what matters of it.
    fn metadata(&self, metadata: Option<&RawValue>) -> String {
        let members = metadata.and_then(|metadata| Members::of(metadata.get()));
        let members = members.as_ref().map(last_of_each).unwrap_or_default();
        let members: Vec<_> = members.into_iter().filter(|(name, _)| *name != TRUNCATED).collect();
        let mark = member_cost(TRUNCATED, "true") + 2;
        let total: usize = members.iter().map(|(name, value)| member_cost(name, value.get())).sum();
        let mut kept = vec![true; members.len()];
        if total + mark > self.left {
            let rank = |name: &str| {
                let known = STATEMENTS.iter().position(|statement| *statement == name);
                known.unwrap_or(if name.starts_with("anet.") { STATEMENTS.len() } else { STATEMENTS.len() + 1 })
            };
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_by_key(|at| (rank(members[*at].0), members[*at].0));
            let mut room = self.left.saturating_sub(mark);
            for at in order {
                let (name, value) = members[at];
                let cost = member_cost(name, value.get());
                kept[at] = value.get().len() <= VALUE_LIMIT && cost <= room;
                room -= if kept[at] { cost } else { 0 };
            }
        }
        let mut object = Object::new();
        for ((name, value), _) in members.iter().zip(&kept).filter(|(_, kept)| **kept) {
            object.raw(name, value.get());
        }
        object.raw(TRUNCATED, "true").finish()
    }

    fn artifacts(&self, artifacts: &[&RawValue]) -> String {
        let mut written = Vec::new();
        let mut used = 2;
        for (at, artifact) in artifacts.iter().enumerate() {
            let last = at + 1 == artifacts.len();
            // Room for saying how many more there are, unless there are none.
            let rest_need = if last { 0 } else { self.rest(usize::MAX, usize::MAX).len() + 1 };
            let room = self.left.saturating_sub(used + rest_need);
            let text = self.within(Piece::Artifact, artifact, room);
            let Some(text) = text else {
                let bytes = artifacts[at..].iter().map(|artifact| artifact.get().len()).sum();
                written.push(self.rest(artifacts.len() - at, bytes));
                break;
            };
            used += text.len() + 1;
            written.push(text);
        }
        format!("[{}]", written.join(","))
    }

    /// The newest messages that fit; if none does, a notice of the newest.
    fn history(&self, history: &[&RawValue], notice: Option<String>) -> String {
        let mut used = 2;
        let fits = |message: &&&RawValue| {
            used += message.get().len() + 1;
            used <= self.left
        };
        let kept = history.iter().rev().take_while(fits).count();
        let kept: Vec<&str> = history[history.len() - kept..].iter().map(|message| message.get()).collect();
        match (kept.is_empty(), history.last()) {
            (true, Some(newest)) => {
                let rich = self.notice(Piece::Message, newest, true);
                let fitting = Some(rich).filter(|rich| rich.len() + 2 <= self.left).or(notice);
                format!("[{}]", fitting.unwrap_or_default())
            }
            _ => format!("[{}]", kept.join(",")),
        }
    }

    fn whole_or_notice(&self, piece: Piece, raw: &RawValue) -> String {
        self.within(piece, raw, self.left).unwrap_or_else(|| self.notice(piece, raw, false))
    }

    /// The piece whole, as a notice with its metadata or as a bare notice: the first that fits into the room.
    fn within(&self, piece: Piece, raw: &RawValue, room: usize) -> Option<String> {
        if raw.get().len() <= room {
            return Some(raw.get().to_owned());
        }
        let candidates = [true, false].into_iter().map(|rich| self.notice(piece, raw, rich));
        candidates.into_iter().find(|notice| notice.len() <= room)
    }

    /// What stands for a piece: its labels, a sentence that states its size, and the marks.
    fn notice(&self, piece: Piece, raw: &RawValue, keep_metadata: bool) -> String {
        let size = raw.get().len();
        let members = Members::of(raw.get()).unwrap_or(Members(Vec::new()));
        let label = |name| members.value(name).map(RawValue::get).filter(|value| value.len() <= LABEL_LIMIT);
        let mut notice = Object::new();
        let (before, after): (&[&str], &[&str]) = match piece {
            Piece::Message => (&["messageId", "contextId"], &["role", "taskId"]),
            Piece::Artifact => (&["artifactId", "description", "name"], &[]),
        };
        for name in before {
            notice.raw_if(name, label(name));
        }
        let own = members.value("metadata").filter(|own| keep_metadata && own.get().len() <= OWN_METADATA_LIMIT);
        notice.raw("metadata", &marked(own, size));
        let sentence = self.sentence(&format!("{size} bytes"));
        notice.raw("parts", &format!("[{}]", part(&sentence, size)));
        for name in after {
            notice.raw_if(name, label(name));
        }
        notice.finish()
    }

    /// What stands for all artifacts that are not even named.
    fn rest(&self, count: usize, size: usize) -> String {
        let sentence = self.sentence(&format!("{count} more artifacts, {size} bytes"));
        let mut rest = Object::new();
        rest.text("artifactId", TRUNCATED).raw("metadata", &marked(None, size));
        rest.raw("parts", &format!("[{}]", part(&sentence, size))).finish()
    }

    fn sentence(&self, what: &str) -> String {
        let id = &self.shown_id;
        if self.form.listed {
            format!(
                "({what}, left out of this list; get_task shows more of the task, `anet task get {id} --full` in a terminal all of it)"
            )
        } else {
            format!(
                "({what}, left out to keep this answer small; the whole task is read in a terminal with `anet task get {id} --full`)"
            )
        }
    }

    fn find(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|(member, _)| *member == name).map(|(_, value)| *value)
    }

    fn take(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }
}

/// A text part that is a notice.
fn part(sentence: &str, size: usize) -> String {
    Object::new().text("text", sentence).raw("metadata", &marked(None, size)).finish()
}

/// Metadata with the two marks of cut content.
fn marked(own: Option<&RawValue>, size: usize) -> String {
    let mut metadata = Object::new();
    let own = own.and_then(|own| Members::of(own.get()));
    for (name, value) in own.as_ref().map(last_of_each).unwrap_or_default() {
        if name != TRUNCATED && name != "anet.size" {
            metadata.raw(name, value.get());
        }
    }
    metadata.raw(TRUNCATED, "true").raw("anet.size", &size.to_string()).finish()
}

fn with_message(frame: &str, message: Option<&str>) -> String {
    let Some(message) = message else {
        return frame.to_owned();
    };
    let rest = frame.strip_prefix('{').unwrap_or(frame);
    let comma = if rest == "}" { "" } else { "," };
    format!("{{\"message\":{message}{comma}{rest}")
}

/// The beginning of a string that is too long to be kept; whole characters only.
fn shortened(value: &RawValue, limit: usize) -> String {
    let text = json::text_of(value).unwrap_or_default();
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    json::quoted(&format!("{}...", &text[..end]))
}

/// What a member takes in an object: quotes, colon and comma included, and the escapes of its name.
fn member_cost(name: &str, value: &str) -> usize {
    json::quoted(name).len() + value.len() + 2
}

/// The members in their order, of those with the same name the last.
fn last_of_each<'a>(members: &'a Members<'a>) -> Vec<(&'a str, &'a RawValue)> {
    let mut seen = HashSet::new();
    let mut kept: Vec<_> = members
        .0
        .iter()
        .rev()
        .filter(|(name, _)| seen.insert(name.as_ref()))
        .map(|(name, value)| (name.as_ref(), *value))
        .collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests;
