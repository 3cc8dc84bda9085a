//! Which cases failed when a command was judged last, for `--last-failed`.
//!
//! Kept below `$XDG_STATE_HOME/anet-conformance` (`~/.local/state/anet-conformance`), one small file a command: a convenience,
//! so that whatever goes wrong with writing it fails no run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::report::Report;
use crate::verdict::Verdict;

/// Notes the cases that failed.
pub(super) fn remember(report: &Report) {
    let Some(path) = file(&report.candidate.command) else { return };
    let bad = |verdict| matches!(verdict, Verdict::Fail | Verdict::NotExercised | Verdict::HarnessError);
    let strict = |verdict| report.strict && verdict == Verdict::Warn;
    let mut ids: BTreeSet<String> = previous(&path).unwrap_or_default();
    // A run of a part says nothing about the other cases.
    for case in &report.results {
        if bad(case.verdict) || strict(case.verdict) {
            ids.insert(case.id.clone());
        } else {
            ids.remove(&case.id);
        }
    }
    let text = ids.iter().fold(String::new(), |text, id| text + id + "\n");
    let Some(directory) = path.parent() else { return };
    // Not worth a word: only `--last-failed` misses it, and says so.
    let _ = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, text));
}

/// The cases that failed last. Fails, in a sentence, if nothing is on record or nothing failed.
pub(super) fn failed(command: &[String]) -> Result<BTreeSet<String>, String> {
    let ids = file(command).as_ref().and_then(previous);
    match ids {
        None => Err("--last-failed: no earlier run of this command is on record; run it once without".to_owned()),
        Some(ids) if ids.is_empty() => {
            Err("--last-failed: nothing failed when this command was judged last".to_owned())
        }
        Some(ids) => Ok(ids),
    }
}

fn previous(path: &PathBuf) -> Option<BTreeSet<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

fn file(command: &[String]) -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state")))?;
    let name = format!("{:016x}", crate::select::hash(0, &command.join("\0")));
    Some(state.join("anet-conformance").join(format!("{name}.failed")))
}
