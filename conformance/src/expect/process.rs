//! Expectations on the candidate as a process: how it ends, what it keeps to itself, what it leaves alone.

use std::time::Duration;

use crate::observation::Observation;
use crate::verdict::Finding;

pub(super) fn exits(seen: &Observation, code: i32) -> Finding {
    match seen.exit {
        Some(exit) if exit.code == Some(code) && !exit.killed => Finding::Met,
        Some(exit) => {
            Finding::differs("the candidate did not end as it must", format!("exit status {code}"), ended(&exit))
        }
        None => Finding::differs("the candidate did not end", format!("exit status {code}"), "still running"),
    }
}

pub(super) fn exits_non_zero(seen: &Observation) -> Finding {
    match seen.exit {
        Some(exit) if exit.code.is_some_and(|code| code != 0) && !exit.killed => Finding::Met,
        Some(exit) => {
            Finding::differs("the candidate did not end as it must", "an exit status other than 0", ended(&exit))
        }
        None => Finding::differs("the candidate did not end", "an exit status other than 0", "still running"),
    }
}

pub(super) fn exits_within(seen: &Observation, bound: Duration) -> Finding {
    match seen.exit {
        Some(exit) if exit.killed => {
            Finding::broken(format!("the candidate had to be killed; it must end within {bound:?}"))
        }
        Some(exit) => match exit.after_end {
            Some(after) if after > bound => {
                Finding::differs("the candidate ended late", format!("within {bound:?}"), format!("after {after:?}"))
            }
            _ => Finding::Met,
        },
        None => Finding::broken(format!("the candidate did not end; it must end within {bound:?}")),
    }
}

pub(super) fn stays_alive(seen: &Observation) -> Finding {
    match seen.exit {
        None => Finding::Met,
        // Ended after it was asked to: that is how every case ends.
        Some(exit) if exit.after_end.is_some() => Finding::Met,
        Some(exit) => Finding::differs("the candidate ended by itself", "still running", ended(&exit)),
    }
}

pub(super) fn no_orphans(seen: &Observation) -> Finding {
    if seen.orphans == 0 {
        Finding::Met
    } else {
        Finding::broken(format!("{} processes of the candidate outlived it", seen.orphans))
    }
}

pub(super) fn says_on_stderr(seen: &Observation) -> Finding {
    if seen.stderr.trim_ascii().is_empty() { Finding::broken("nothing was said on stderr") } else { Finding::Met }
}

pub(super) fn silent_on_stdout(seen: &Observation) -> Finding {
    match seen.lines.first() {
        None if seen.unterminated.is_empty() => Finding::Met,
        None => {
            Finding::differs("something was written on stdout", "nothing", String::from_utf8_lossy(&seen.unterminated))
        }
        Some(line) => {
            Finding::differs("something was written on stdout", "nothing", String::from_utf8_lossy(&line.bytes))
        }
    }
}

pub(super) fn secrets_kept(seen: &Observation) -> Finding {
    for (name, secret) in seen.secrets.iter().filter(|(_, secret)| !secret.is_empty()) {
        let holds = |bytes: &[u8]| contains(bytes, secret.as_bytes());
        if let Some(line) = seen.lines.iter().find(|line| holds(&line.bytes)) {
            return leak(name, "stdout", &line.bytes, secret);
        }
        if holds(&seen.unterminated) {
            return leak(name, "stdout", &seen.unterminated, secret);
        }
        if holds(&seen.stderr) {
            return leak(name, "stderr", &seen.stderr, secret);
        }
        for asked in &seen.asked {
            if holds(&asked.body) {
                return leak(name, &format!("the body of a request to {}", asked.target), &asked.body, secret);
            }
            if asked.target.contains(secret) {
                return leak(name, "a request's target", asked.target.as_bytes(), secret);
            }
            let elsewhere = asked.headers.iter().find(|(header, value)| {
                value.contains(secret.as_str()) && !(name == "token" && header.eq_ignore_ascii_case("authorization"))
            });
            if let Some((header, value)) = elsewhere {
                return leak(name, &format!("the header {header}"), value.as_bytes(), secret);
            }
        }
    }
    Finding::Met
}

pub(super) fn data_untouched(seen: &Observation) -> Finding {
    untouched(seen, |path| path.starts_with("data/"), "the data directory was changed")
}

pub(super) fn nothing_written(seen: &Observation) -> Finding {
    untouched(seen, |path| !path.starts_with("data/"), "files were written, or a trap was opened")
}

fn untouched(seen: &Observation, concerns: impl Fn(&str) -> bool, message: &str) -> Finding {
    let touched: Vec<_> = seen.touched.iter().filter(|path| concerns(path)).map(String::as_str).collect();
    if touched.is_empty() { Finding::Met } else { Finding::differs(message, "as it was before", touched.join("\n")) }
}

fn leak(name: &str, place: &str, bytes: &[u8], secret: &str) -> Finding {
    let text = String::from_utf8_lossy(bytes).replace(secret, "<the secret>");
    Finding::differs(format!("a secret ({name}) stands in {place}"), "no secret anywhere", text)
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn ended(exit: &crate::observation::Exit) -> String {
    match (exit.code, exit.signal) {
        _ if exit.killed => "had to be killed".to_owned(),
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended, nobody knows how".to_owned(),
    }
}
