//! The operator's commands of the program.
//!
//! Responsible for: reading lines from stdin, doing in the world what they say, and a sentence for each. Not for: what the
//! commands do (`world`), nor for the daemon's end: when stdin is over the program goes on without it.

use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::getpgrp;
use rustix::termios::{isatty, tcgetpgrp};

use crate::World;
use crate::json::Json;
use crate::world::inbound::{Arrival, Inbound};
use crate::world::peer::Move;

/// What can be said.
pub(crate) const HELP: &str = "  \
  approve ID          takes a held task
  reject ID           refuses a held task
  answer ID TEXT      the other side answers a task, or speaks on one that this node serves
  collect ID          the other side collects its message
  deliver FROM TEXT   a task arrives; FROM is an agent's name, a behaviour or an AID
  pay ID              pays a task's quote, as the operator may
  advance SECONDS     lets time pass
  tasks, held         lists the ids
  help                lists these
An ID or FROM with a blank in it is written in double quotes, as in JSON.";

/// A line beyond this is no command.
const LONGEST: u64 = 1 << 20;
/// How long to wait for the terminal to come back to the foreground.
const PAUSE: Duration = Duration::from_millis(250);
/// So many days are enough for everything that can fall due.
const MOST_SECONDS: f64 = 1e9;

/// Follows the lines of stdin on a thread of its own for as long as there are any.
pub(crate) fn listen(world: World, say: impl Fn(&str) + Send + 'static) {
    std::thread::spawn(move || {
        let mut lines = BufReader::new(Foreground(io::stdin()));
        loop {
            let mut line = Vec::new();
            match lines.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                say(&obey(&world, line.trim()));
            }
        }
    });
}

/// Stdin, which is left alone while the terminal belongs to somebody else: reading it then would stop the whole program.
struct Foreground(io::Stdin);

impl Read for Foreground {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let stdin = self.0.as_fd();
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if !isatty(stdin) || tcgetpgrp(stdin).is_ok_and(|group| group == getpgrp()) {
                return Ok(rustix::io::read(stdin, buffer)?);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Does what a line says, and says what came of it.
fn obey(world: &World, line: &str) -> String {
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let Some((id, text)) = word(rest) else {
        return "The quotation marks do not close.".to_owned();
    };
    let shown = id.escape_debug();
    match (verb, id.is_empty(), text.is_empty()) {
        ("help", true, _) => HELP.to_owned(),
        ("tasks", true, _) => tasks(world),
        ("held", true, _) => held(world),
        ("approve", false, true) if world.approve(&id) => format!("Approved {shown}."),
        ("reject", false, true) if world.reject(&id) => format!("Rejected {shown}."),
        ("approve" | "reject", false, true) => format!("No task {shown} is held; `held` lists those that are."),
        ("answer", false, false) => moved(world, &id, |world| world.speak(&id, text)),
        ("collect", false, true) => moved(world, &id, |world| world.play(&id, Move::Collects)),
        ("deliver", false, false) => deliver(world, &id, text),
        ("pay", false, true) => match world.pay(&id) {
            Ok(_) => format!("Paid {shown}."),
            Err(error) => format!("Not paid: {error}"),
        },
        ("advance", false, true) => match id.parse::<f64>() {
            Ok(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => {
                world.advance(Duration::from_secs_f64(seconds));
                format!("It is {}.", crate::clock::rfc3339(world.now()))
            }
            _ => format!("{shown} is no number of seconds."),
        },
        _ => format!("Not understood: {}. `help` lists the commands.", line.escape_debug()),
    }
}

/// The first word, perhaps in quotation marks, and the rest. None when the marks do not close.
fn word(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let word = values.next()?.ok()?;
        return Some((word, text[values.byte_offset()..].trim_start()));
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some((word.to_owned(), rest.trim_start()))
}

/// Lets the other side act, and tells whether that changed the task.
fn moved(world: &World, id: &str, act: impl FnOnce(&World) -> bool) -> String {
    let look = || world.with(|state| state.task(id).map(|task| (task.seq, task.state)));
    let before = look();
    act(world);
    match (before, look()) {
        (Some((old, _)), Some((new, state))) if new != old => format!("{} is {state}.", id.escape_debug()),
        (_, Some((_, state))) => format!("{} is {state}: nothing changed.", id.escape_debug()),
        (_, None) => format!("There is no task {}; `tasks` lists them.", id.escape_debug()),
    }
}

fn deliver(world: &World, from: &str, text: &str) -> String {
    let from = world.with(|state| {
        let known = state.agents.iter().rev().find(|agent| agent.name == from);
        known.map_or_else(|| from.to_owned(), |agent| agent.aid.clone())
    });
    match world.deliver(Inbound::text(&from, text)) {
        Arrival::Taken(id) => format!("Taken as {id}."),
        Arrival::Held(id) => format!("Held as {id}: approve or reject it."),
        Arrival::Refused(reason) => format!("Refused: {reason}."),
    }
}

/// A line for each task, ids as they would be typed.
fn tasks(world: &World) -> String {
    let lines = world.with(|state| {
        let line = |task: &crate::world::task::Task| format!("  {} {}", typed(&task.id), task.state);
        state.tasks().iter().map(line).collect::<Vec<_>>()
    });
    if lines.is_empty() { "There are no tasks.".to_owned() } else { lines.join("\n") }
}

/// A line for each held task.
fn held(world: &World) -> String {
    let lines = world.with(|state| {
        let line = |held: &crate::world::pending::Pending| {
            format!("  {} from {}", typed(&held.inbound.id), held.inbound.from.escape_debug())
        };
        state.pending().iter().map(line).collect::<Vec<_>>()
    });
    if lines.is_empty() { "No task is held.".to_owned() } else { lines.join("\n") }
}

/// An id as a command takes it.
fn typed(id: &str) -> String {
    let plain = !id.is_empty() && id.chars().all(|character| character.is_ascii_graphic() && character != '"');
    if plain { id.to_owned() } else { crate::encode::compact(&Json::from(id)) }
}

#[cfg(test)]
mod tests {
    use super::{obey, typed, word};
    use crate::World;
    use crate::scenario::named;
    use crate::world::task::Side;

    fn world(name: &str) -> World {
        World::new(named(name).expect("a shipped scenario"))
    }

    #[test]
    fn words_are_plain_or_quoted() {
        assert_eq!(word(" a  b c"), Some(("a".to_owned(), "b c")));
        assert_eq!(word(r#""a \"b\"" c"#), Some(("a \"b\"".to_owned(), "c")));
        assert_eq!(word(""), Some((String::new(), "")));
        assert_eq!(word("\"a"), None);
        for id in ["x", "two words", "\"", "漢", "\u{1b}[2J"] {
            assert_eq!(word(&typed(id)), Some((id.to_owned(), "")), "{id:?}");
        }
    }

    #[test]
    fn held_tasks_are_approved_and_rejected() {
        let world = world("busy");
        let ids: Vec<_> = world.with(|state| state.pending().iter().map(|held| held.inbound.id.clone()).collect());
        assert!(obey(&world, "held").contains(&ids[1]));
        assert_eq!(obey(&world, &format!("approve {}", ids[0])), format!("Approved {}.", ids[0]));
        assert_eq!(obey(&world, &format!("reject {}", ids[1])), format!("Rejected {}.", ids[1]));
        assert!(obey(&world, &format!("approve {}", ids[0])).starts_with("No task "));
        assert_eq!(obey(&world, "held"), "No task is held.");
        assert!(obey(&world, "tasks").contains(&ids[0]));
    }

    #[test]
    fn tasks_arrive_and_are_answered() {
        let world = world("busy");
        let taken = obey(&world, "deliver Anna Are you there?");
        let id = taken.strip_prefix("Taken as ").and_then(|rest| rest.strip_suffix('.')).expect("she is a peer");
        assert_eq!(obey(&world, &format!("answer {id} Hello?")), format!("{id} is submitted."));
        assert!(obey(&world, "deliver nobody Are you there?").starts_with("Held as "));
        assert!(obey(&world, "answer ix_none Yes.").starts_with("There is no task ix_none"));
        let (working, done) = world.with(|state| {
            let of = |wanted: &str| {
                let found =
                    state.tasks().iter().find(|task| task.side == Side::Requester && task.state.stored() == wanted);
                found.map(|task| task.id.clone()).expect("every state is there")
            };
            (of("input-required"), of("completed"))
        });
        assert_eq!(obey(&world, &format!("answer {working} So it is.")), format!("{working} is completed."));
        assert!(obey(&world, &format!("answer {done} Again.")).ends_with("nothing changed."));
    }

    #[test]
    fn time_passes_and_nonsense_is_told() {
        let world = world("quiet");
        assert_eq!(obey(&world, "advance 23.56"), "It is 2026-10-12T08:22:00Z.");
        for wrong in ["advance -1", "advance soon", "advance inf", "advance 1e300"] {
            assert!(obey(&world, wrong).ends_with("is no number of seconds."), "{wrong}");
        }
        for wrong in ["approve", "answer x", "dance", "\u{1b}[2J", "help me"] {
            assert!(obey(&world, wrong).starts_with("Not understood: "), "{wrong}");
        }
        assert_eq!(obey(&world, "approve \"x"), "The quotation marks do not close.");
        assert!(obey(&world, "pay ix_none").starts_with("Not paid: "));
    }
}
