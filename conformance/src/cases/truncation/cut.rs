//! What must be true of a cut that the server itself made.
//!
//! Responsible for: telling such a cut from an answer that was passed whole or refused, and the checks on it. They are
//! not applicable when the server does not cut: older daemons ignore the bound, and the public server leaves cutting to
//! the daemon. Pure functions of the observation.

use std::sync::{Arc, OnceLock};

use crate::case::Case;
use crate::expect::Expect;
use crate::json::{Grade, Json};
use crate::observation::{Answer, Observation, first_text};
use crate::verdict::Finding;

/// What the whole answer may have, the document around the task included (rulings R10).
pub(super) const ANSWER_BYTES: usize = 25_600;
/// What each task of a page may have.
const LISTED_BYTES: usize = 9216;

/// A document that lost fewer bytes than this was changed, which other cases find, and not cut.
const LEAST_CUT: usize = 256;

/// The label of the call that all cases here make.
const CALL: &str = "call";

/// What the daemon sends: shared by the checks of a case, and read once.
#[derive(Clone)]
pub(super) struct Sent(Arc<(String, OnceLock<Option<Json>>)>);

impl Sent {
    /// This document.
    pub(super) fn new(text: String) -> Self {
        Self(Arc::new((text, OnceLock::new())))
    }

    /// As it goes out.
    pub(super) fn text(&self) -> &str {
        &self.0.0
    }

    fn json(&self) -> Option<&Json> {
        self.0.1.get_or_init(|| Json::parse(self.text()).ok()).as_ref()
    }
}

/// A cut as it was found.
struct Cut<'s> {
    /// What the daemon sent.
    sent: &'s Json,
    /// What the caller got.
    got: Json,
}

/// The cut, if the server made one.
fn own_cut<'s>(seen: &Observation, sent: &'s Sent) -> Result<Cut<'s>, Finding> {
    let whole = || Finding::NotApplicable("the server passed the answer whole and cuts nothing itself".to_owned());
    let not_applicable = |why: &str| Finding::NotApplicable(why.to_owned());
    let result = match seen.answer(CALL) {
        None => return Err(not_applicable("the call was not answered")),
        Some(Answer::Result(result)) => result,
        Some(_) => return Err(not_applicable("the call failed; nothing was cut")),
    };
    let Some(text) = first_text(result) else { return Err(not_applicable("the answer has no text")) };
    if text == sent.text() {
        return Err(whole());
    }
    let Ok(got) = Json::parse(text) else { return Err(not_applicable("the answer is no JSON")) };
    let Some(sent) = sent.json() else {
        return Err(Finding::NotExercised("the kit's own answer is no JSON".to_owned()));
    };
    if sent.differences(&got, Grade::Double).is_empty() {
        return Err(whole());
    }
    if got.to_string().len() + LEAST_CUT > sent.to_string().len() {
        return Err(not_applicable("the answer was changed, but not cut"));
    }
    Ok(Cut { sent, got })
}

impl Cut<'_> {
    /// The tasks that were sent, and in the same order what was got for each.
    fn tasks(&self) -> Vec<(&Json, Option<&Json>)> {
        match self.sent.member("tasks").and_then(Json::as_array) {
            Some(sent) => {
                let got = self.got.member("tasks").and_then(Json::as_array).unwrap_or_default();
                sent.iter().enumerate().map(|(index, task)| (task, got.get(index))).collect()
            }
            None => vec![(self.sent, Some(&self.got))],
        }
    }

    /// The texts that the daemon did not send, names of members included.
    fn new_texts(&self) -> Vec<&str> {
        let known = strings(self.sent);
        strings(&self.got).into_iter().filter(|text| !known.contains(text)).collect()
    }
}

impl Case {
    /// The single task that the daemon sent too large is answered, within its size, and well cut if it is cut.
    pub(super) fn expect_bounded_task(self, sent: &Sent) -> Self {
        self.expect_answered()
            .check(
                "truncation.bound",
                Expect::holds(format!("the text has at most {ANSWER_BYTES} bytes"), within_bound),
            )
            .check(
                "truncation.held",
                Expect::holds("the daemon was asked to keep to the bound, or the server does", |seen| {
                    unless_asked(seen, ANSWER_BYTES, within_bound)
                }),
            )
            .expect_sound_cut(sent)
    }

    /// The page whose tasks the daemon sent too large is answered, each task within its size, and well cut if cut.
    pub(super) fn expect_bounded_page(self, sent: &Sent) -> Self {
        self.expect_answered()
            .check(
                "truncation.listed-bound",
                Expect::holds(format!("each task of the page has at most {LISTED_BYTES} bytes"), listed_within_bound),
            )
            .check(
                "truncation.held",
                Expect::holds("the daemon was asked to keep to the bound, or the server does", |seen| {
                    unless_asked(seen, LISTED_BYTES, listed_within_bound)
                }),
            )
            .expect_sound_cut(sent)
    }

    fn expect_answered(self) -> Self {
        self.check("truncation.answered", Expect::AnsweredOnce { call: CALL.to_owned() })
            .check("truncation.no-refusal", Expect::Succeeds { call: CALL.to_owned() })
            .check("truncation.still-json", Expect::holds("an answer that is no error is JSON", still_json))
    }

    /// Whatever was cut: tasks stay tasks with their ids, cuts are marked, characters are whole, both copies agree.
    fn expect_sound_cut(self, sent: &Sent) -> Self {
        self.check_cut(sent, "truncation.keeps-id", "a cut task keeps its id and its state", keeps_id)
            .check_cut(sent, "truncation.marked", "a cut task carries anet.truncated", marked)
            .check_cut(sent, "truncation.mark-form", "a cut task has `anet.truncated: true` in its metadata", mark_form)
            .check_cut(sent, "truncation.whole-characters", "no character is cut in two", whole_characters)
            .check("truncation.copies-agree", Expect::holds("text and structured content are cut alike", copies_agree))
    }

    /// A cut that leaves out a message, a status message or an artifact puts a notice in its place.
    pub(super) fn expect_notice(self, sent: &Sent, command: Option<String>) -> Self {
        let case = self.check_cut(sent, "truncation.size-stated", "a notice states the size", size_stated);
        let Some(command) = command else { return case };
        let says =
            |texts: &[&str], words: &[&str]| texts.iter().any(|text| words.iter().all(|word| text.contains(word)));
        case.check_cut(sent, "truncation.names-command", "a notice names `anet task get <id> --full`", move |cut| {
            let texts = cut.new_texts();
            if says(&texts, &["anet task get ", "--full"]) {
                Finding::Met
            } else {
                Finding::differs(
                    "the notice does not say how to read the whole",
                    "anet task get <id> --full",
                    texts.join("\n"),
                )
            }
        })
        .check_cut(sent, "truncation.command-has-id", &format!("a notice names `{command}`"), move |cut| {
            let texts = cut.new_texts();
            if says(&texts, &[&command]) {
                Finding::Met
            } else {
                Finding::differs("the command in the notice is not the task's", &command, texts.join("\n"))
            }
        })
    }

    /// Nothing that the server wrote itself puts this id into a command.
    pub(super) fn expect_id_kept_out(self, sent: &Sent, requirement: &'static str, id: &str) -> Self {
        let commands = [format!("anet task get {id}"), format!("anet pull {id}")];
        self.check_cut(sent, requirement, "no notice puts an id into a command that is not plain", move |cut| match cut
            .new_texts()
            .into_iter()
            .find(|text| commands.iter().any(|command| text.contains(command)))
        {
            None => Finding::Met,
            Some(text) => Finding::differs(
                "a notice puts an id into a command that is not plain",
                "`<task id>` in its place",
                text,
            ),
        })
    }

    /// A cut keeps what the node says of the task.
    pub(super) fn expect_verdicts_kept(self, sent: &Sent, keys: &'static [&'static str]) -> Self {
        self.check_cut(sent, "truncation.verdicts-kept", "a cut task keeps what the node says of it", move |cut| {
            for (sent, got) in cut.tasks() {
                let of = |task: Option<&Json>, key: &str| task.and_then(|task| task.at(&["metadata", key]).cloned());
                if let Some(key) = keys.iter().find(|key| of(Some(sent), key) != of(got, key)) {
                    let shown = |task| of(task, key).map_or_else(|| "nothing".to_owned(), |value| value.to_string());
                    return Finding::differs(format!("`{key}` was lost in the cut"), shown(Some(sent)), shown(got));
                }
            }
            Finding::Met
        })
    }

    fn check_cut(
        self,
        sent: &Sent,
        requirement: &'static str,
        what: &str,
        judge: impl Fn(&Cut<'_>) -> Finding + Send + Sync + 'static,
    ) -> Self {
        let sent = sent.clone();
        self.check(
            requirement,
            Expect::holds(format!("if the server cuts: {what}"), move |seen| match own_cut(seen, &sent) {
                Ok(cut) => judge(&cut),
                Err(finding) => finding,
            }),
        )
    }
}

/// The text of an answer that is no error.
fn result_text(seen: &Observation) -> Result<&str, Finding> {
    match seen.answer(CALL) {
        Some(Answer::Result(result)) => first_text(result).ok_or_else(|| Finding::broken("the answer has no text")),
        _ => Err(Finding::NotApplicable("there is no answer, or it is an error".to_owned())),
    }
}

fn within_bound(seen: &Observation) -> Finding {
    match result_text(seen) {
        Err(finding) => finding,
        Ok(text) if text.len() <= ANSWER_BYTES => Finding::Met,
        Ok(text) => Finding::differs(
            "the task came back larger than about 24 KB, as the daemon sent it",
            format!("at most {ANSWER_BYTES} bytes"),
            format!("{} bytes", text.len()),
        ),
    }
}

/// Whoever asked the daemon to keep to the bound may leave cutting to it; whoever did not must cut.
fn unless_asked(seen: &Observation, bound: usize, judge: fn(&Observation) -> Finding) -> Finding {
    let asked = seen.asked.iter().any(|asked| {
        let body = Json::parse_bytes(&asked.body).ok();
        let bytes = body.as_ref().and_then(|body| body.member("max_task_bytes")).and_then(Json::as_i64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).is_some_and(|bytes| (1..=bound).contains(&bytes))
    });
    if asked { Finding::NotApplicable("the daemon was asked to keep to the bound".to_owned()) } else { judge(seen) }
}

fn listed_within_bound(seen: &Observation) -> Finding {
    let text = match result_text(seen) {
        Err(finding) => return finding,
        Ok(text) => text,
    };
    let Ok(page) = Json::parse(text) else { return Finding::NotApplicable("the answer is no JSON".to_owned()) };
    let tasks = page.member("tasks").and_then(Json::as_array).unwrap_or_default();
    match tasks.iter().map(|task| task.to_string().len()).max() {
        None => Finding::broken("the page has lost its tasks"),
        Some(largest) if largest <= LISTED_BYTES => Finding::Met,
        Some(largest) => Finding::differs(
            "a task of the page came back larger than about 8 KB, as the daemon sent it",
            format!("at most {LISTED_BYTES} bytes a task"),
            format!("{largest} bytes"),
        ),
    }
}

fn still_json(seen: &Observation) -> Finding {
    match result_text(seen) {
        Err(finding) => finding,
        Ok(text) if Json::parse(text).is_ok_and(|json| json.is_object()) => Finding::Met,
        Ok(text) => {
            let end: String = text.chars().rev().take(80).collect();
            let end: String = end.chars().rev().collect();
            Finding::differs(
                "the answer is no JSON object any more",
                "a JSON object, cut by leaving things out",
                format!("... {end}"),
            )
        }
    }
}

fn copies_agree(seen: &Observation) -> Finding {
    match seen.answer(CALL) {
        Some(Answer::Result(result)) if result.member("structuredContent").is_some() => {
            Expect::StructuredAgrees { call: CALL.to_owned() }.evaluate(seen)
        }
        _ => Finding::NotApplicable("there is no structured content".to_owned()),
    }
}

fn keeps_id(cut: &Cut<'_>) -> Finding {
    for (sent, got) in cut.tasks() {
        for place in ["/id", "/status/state"] {
            let found = got.and_then(|task| task.pointer(place));
            if sent.pointer(place) != found {
                let shown = |value: Option<&Json>| value.map_or_else(|| "nothing".to_owned(), Json::to_string);
                return Finding::differs(
                    format!("a cut task has lost its `{place}`"),
                    shown(sent.pointer(place)),
                    shown(found),
                );
            }
        }
    }
    Finding::Met
}

/// The tasks that were cut: those that differ from what was sent.
fn cut_tasks<'c>(cut: &'c Cut<'_>) -> impl Iterator<Item = &'c Json> {
    cut.tasks().into_iter().filter_map(|(sent, got)| got.filter(|got| !sent.differences(got, Grade::Double).is_empty()))
}

/// The page says that a notice stands in or beside the key, so anything but a denial counts.
fn marked(cut: &Cut<'_>) -> Finding {
    fn has_mark(json: &Json) -> bool {
        match json {
            Json::Object(members) => members.iter().any(|(name, value)| {
                (name == "anet.truncated" && !matches!(value, Json::Bool(false) | Json::Null)) || has_mark(value)
            }),
            Json::Array(items) => items.iter().any(has_mark),
            _ => false,
        }
    }
    match cut_tasks(cut).find(|task| !has_mark(task)) {
        None => Finding::Met,
        Some(task) => {
            Finding::differs("a task was cut and does not say so", "`anet.truncated` in the metadata", task.to_string())
        }
    }
}

fn mark_form(cut: &Cut<'_>) -> Finding {
    match cut_tasks(cut).find(|task| task.at(&["metadata", "anet.truncated"]) != Some(&Json::Bool(true))) {
        None => Finding::Met,
        Some(task) => {
            let metadata = task.member("metadata").map_or_else(|| "no metadata".to_owned(), Json::to_string);
            Finding::differs("the mark of a cut task is not the daemon's", r#""anet.truncated":true"#, metadata)
        }
    }
}

fn whole_characters(cut: &Cut<'_>) -> Finding {
    match strings(&cut.got).into_iter().find(|text| text.contains('\u{FFFD}')) {
        None => Finding::Met,
        Some(text) => Finding::differs("a character was cut in two", "no replacement character", text),
    }
}

/// A size in `anet.size`, or a number in a text of the server's own beside digits that were sent anyway.
fn size_stated(cut: &Cut<'_>) -> Finding {
    fn has_size(json: &Json) -> bool {
        match json {
            Json::Object(members) => members.iter().any(|(name, value)| {
                (name == "anet.size" && value.as_i64().is_some_and(|size| size > 0)) || has_size(value)
            }),
            Json::Array(items) => items.iter().any(has_size),
            _ => false,
        }
    }
    let id = cut.sent.member("id").and_then(Json::as_str).unwrap_or_default();
    let sent = strings(cut.sent);
    let own_words = |text: &str| {
        // A notice may stand behind or before the beginning of what it replaces.
        let kept = |same: fn(&str, &str) -> usize| sent.iter().map(|whole| same(whole, text)).max().unwrap_or_default();
        let (head, tail) = (kept(common_start), kept(common_end));
        let text = text.get(head..text.len().saturating_sub(tail)).unwrap_or_default();
        if id.is_empty() { text.to_owned() } else { text.replace(id, "") }
    };
    let in_text = |text: &&str| own_words(text).contains(|c: char| c.is_ascii_digit());
    let texts = cut.new_texts();
    if has_size(&cut.got) || texts.iter().any(in_text) {
        Finding::Met
    } else {
        Finding::differs("nothing says how large the rest is", "the size in bytes", texts.join("\n"))
    }
}

/// How many bytes two texts have in common in front.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(_, b)| b.len_utf8()).sum()
}

/// How many bytes two texts have in common at their ends.
fn common_end(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(_, b)| b.len_utf8()).sum()
}

/// All strings of a document, names of members included.
fn strings(json: &Json) -> Vec<&str> {
    match json {
        Json::String(text) => vec![text],
        Json::Array(items) => items.iter().flat_map(strings).collect(),
        Json::Object(members) => {
            members.iter().flat_map(|(name, value)| std::iter::once(name.as_str()).chain(strings(value))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
