//! What fits comes whole.
//!
//! Responsible for: the largest tasks that a daemon sends whole when it is asked to keep to 24576 and 8192 bytes, in
//! characters of every width; pages of them; and tasks that fill the bound to the byte.
//!
//! A daemon measures by an upper estimate (control-plane 4.2), so the largest task that it sends whole is a little
//! smaller than the bound. That it comes whole is a `must`; a task that fills the bound to the byte could be measured
//! otherwise in good faith, and is a `should`.

use super::{TASK_BYTES, case};
use crate::case::Case;
use crate::cases::document::{SINGLE_TASK_TOOLS, Task, page, route_of};
use crate::expect::Expect;
use crate::json::Grade;
use crate::page::Tool;

/// How many ASCII characters the one message of `task_of` may have at a bound of 24576: the check value of control-plane
/// 4.7 for 8192, moved by the difference of the bounds.
const LARGEST_TEXT: usize = 7620 + 24_576 - 8192;

/// The same on a page, at a bound of 8192, with room for ids of three characters.
const LARGEST_LISTED_TEXT: usize = 7620 - 3;

/// Name, what it is in words, how the daemon writes one character, how many bytes the daemon counts for it.
const CHARACTERS: &[(&str, &str, &str, usize)] = &[
    ("ascii", "letters", "x", 1),
    ("cjk", "Chinese", "任", 3),
    ("emoji", "emoji", "🧪", 4),
    ("markup", "escaped markup", r"\u003c", 6),
    ("quotes", "quotes", r#"\""#, 2),
    ("lines", "line ends", r"\n", 2),
    ("controls", "control characters", r"\u0001", 6),
];

pub(super) fn cases() -> Vec<Case> {
    largest().chain(to_the_byte()).chain(pages()).collect()
}

/// The task of the check value: one message, next to no metadata. `text` is written as it stands in JSON.
fn task_of(id: &str, text: &str) -> String {
    Task::new("COMPLETED")
        .id(id)
        .context("c")
        .bare()
        .meta("anet.peer_aid", r#""x""#)
        .history(vec![format!(r#"{{"messageId":"h","parts":[{{"text":"{text}"}}],"role":"ROLE_USER"}}"#)])
        .json()
}

/// The answer, unchanged, as a `must`.
fn whole(case: Case, json: &str) -> Case {
    case.expect_answer("call", json).check(
        "truncation.fits-whole",
        Expect::TextJson { call: "call".to_owned(), json: json.to_owned(), grade: Grade::Double },
    )
}

fn largest() -> impl Iterator<Item = Case> {
    CHARACTERS.iter().zip(SINGLE_TASK_TOOLS.into_iter().cycle()).map(|((name, what, character, width), tool)| {
        let json = task_of("t", &character.repeat(LARGEST_TEXT / width));
        let case = case(
            &format!("fits/{name}"),
            tool,
            format!("{tool}: the largest task that a daemon sends whole comes whole: {what}"),
        );
        whole(case.daemon_answers(route_of(tool), json.clone()).call_as("call", tool), &json)
    })
}

/// Tasks whose JSON has exactly so many bytes.
fn to_the_byte() -> impl Iterator<Item = Case> {
    let frame = task_of("t", "").len();
    CHARACTERS
        .iter()
        .take(3)
        .flat_map(move |row| [TASK_BYTES - 1, TASK_BYTES].map(|bytes| (row, bytes)))
        .zip(SINGLE_TASK_TOOLS.into_iter().cycle())
        .map(move |(((name, what, character, width), bytes), tool)| {
            let room = bytes - frame;
            let json = task_of("t", &format!("{}{}", "x".repeat(room % width), character.repeat(room / width)));
            case(&format!("exact/{name}.{bytes}"), tool, format!("{tool}: a task of {bytes} bytes comes whole: {what}"))
                .daemon_answers(route_of(tool), json.clone())
                .call_as("call", tool)
                .check("results.success", Expect::Succeeds { call: "call".to_owned() })
                .check(
                    "truncation.exact-whole",
                    Expect::TextJson { call: "call".to_owned(), json, grade: Grade::Double },
                )
        })
}

/// Each task of a page is held to its size; the page as a whole is not.
fn pages() -> impl Iterator<Item = Case> {
    [(1, 3), (50, 0), (100, 1)].into_iter().map(|(count, row)| {
        let (_, what, character, width) = CHARACTERS[row];
        let text = character.repeat(LARGEST_LISTED_TEXT / width);
        let tasks: Vec<_> = (0..count).map(|index| task_of(&format!("t{index}"), &text)).collect();
        let tasks: Vec<_> = tasks.iter().map(String::as_str).collect();
        let json = page(&tasks, "bmV4dA==");
        let tool = Tool::ListTasks;
        let case =
            case(&format!("fits/page.{count}"), tool, format!("A page of {count} tasks of 8 KB comes whole: {what}"));
        whole(case.daemon_answers(route_of(tool), json.clone()).call_as("call", tool), &json)
    })
}

#[cfg(test)]
mod tests {
    use super::{CHARACTERS, LARGEST_TEXT, task_of};

    #[test]
    fn the_largest_tasks_are_within_the_bound() {
        for (name, _, character, width) in CHARACTERS {
            let bytes = task_of("t", &character.repeat(LARGEST_TEXT / width)).len();
            assert!((24_000..=super::TASK_BYTES).contains(&bytes), "{name}: {bytes}");
        }
    }
}
