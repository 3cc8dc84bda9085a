//! The baseline: violations that are known, each with a reason, so that a run fails only for what is new.
//!
//! Responsible for: reading the file, applying it to a report, and bringing it up to date without losing a word that a
//! person wrote. Not for: verdicts on cases (`verdict`), or the command line.
//!
//! An entry excuses one case, as long as it fails in the way that the entry says. Entries that match no case, whose case
//! passes, fails otherwise, or whose day has come are problems of their own: a baseline that nobody tends hides the next
//! regression.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::value::{Date, Datetime};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::report::{BaselineProblem, CaseReport, FindingKind, Report};
use crate::requirement::Level;
use crate::verdict::{Tag, Verdict};

/// Whether a violation is to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A fault that is to be mended.
    Known,
    /// Deliberate: it stays.
    Deviation,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known => "known",
            Self::Deviation => "deviation",
        })
    }
}

/// A baseline, read from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    path: PathBuf,
    entries: Vec<Entry>,
}

/// One excused case.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    case: String,
    kind: Kind,
    reason: String,
    until: Option<Date>,
    signature: Vec<String>,
    line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    entry: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    case: Spanned<String>,
    kind: Kind,
    reason: String,
    #[serde(default)]
    issue: Option<String>,
    #[serde(default)]
    until: Option<Spanned<Datetime>>,
    signature: Vec<String>,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It cannot be read or written.
    #[error("the baseline {} cannot be used: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// It is not of the right shape.
    #[error("{place}: {why}")]
    Shape {
        /// File and, if known, line.
        place: String,
        /// What is wrong and what to do.
        why: String,
    },
}

impl Baseline {
    /// Reads a baseline. Fails, with file and line, for anything that is not an entry as documented.
    pub fn read(path: &Path) -> Result<Self, Unusable> {
        let text = std::fs::read_to_string(path).map_err(|error| Unusable::File { path: path.to_owned(), error })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Unusable> {
        let line_of = |at: usize| text[..at.min(text.len())].bytes().filter(|byte| *byte == b'\n').count() + 1;
        let shape = |line: Option<usize>, why: String| Unusable::Shape {
            place: match line {
                Some(line) => format!("{}:{line}", path.display()),
                None => path.display().to_string(),
            },
            why,
        };
        let file: File = toml::from_str(text)
            .map_err(|error| shape(error.span().map(|span| line_of(span.start)), error.message().to_owned()))?;
        let mut entries: Vec<Entry> = Vec::new();
        for written in file.entry {
            let line = line_of(written.case.span().start);
            let case = written.case.into_inner();
            if written.reason.trim().is_empty() {
                return Err(shape(Some(line), format!("the entry for `{case}` has no reason; say why it is excused")));
            }
            if written.issue.as_deref().is_some_and(|issue| issue.trim().is_empty()) {
                return Err(shape(Some(line), format!("the entry for `{case}` has an empty issue; leave it out")));
            }
            if let Some(first) = entries.iter().find(|entry| entry.case == case) {
                let why = format!("`{case}` has two entries; the first is in line {}", first.line);
                return Err(shape(Some(line), why));
            }
            let until = match written.until {
                None => None,
                Some(until) => {
                    let at = line_of(until.span().start);
                    let Some(date) = until.into_inner().date else {
                        return Err(shape(Some(at), "`until` is a day, as 2027-01-31".to_owned()));
                    };
                    Some(date)
                }
            };
            let Written { kind, reason, signature, .. } = written;
            entries.push(Entry { case, kind, reason, until, signature, line });
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Excuses what the entries excuse, notes what is wrong with them, and settles the report anew. `corpus` are the ids
    /// of all cases of the kit; entries for cases that were not selected are left alone.
    pub fn apply(&self, report: &mut Report, corpus: &BTreeSet<String>, today: Date) {
        for entry in &self.entries {
            if let Some(problem) = self.apply_entry(entry, report, corpus, today) {
                report.baseline.push(problem);
            }
        }
        report.settle();
    }

    fn apply_entry(
        &self,
        entry: &Entry,
        report: &mut Report,
        corpus: &BTreeSet<String>,
        today: Date,
    ) -> Option<BaselineProblem> {
        let problem = |kind: &str, message: String| {
            Some(BaselineProblem {
                kind: kind.to_owned(),
                case: entry.case.clone(),
                place: format!("{}:{}", self.path.display(), entry.line),
                message,
            })
        };
        let Some(case) = report.results.iter_mut().find(|case| case.id == entry.case) else {
            let base = entry.case.split('@').next().unwrap_or_default();
            if corpus.contains(base) {
                return None;
            }
            return problem(
                "unmatched",
                format!("no case has the id `{}`; remove the entry or mend the id", entry.case),
            );
        };
        let excusable = matches!(case.verdict, Verdict::Fail | Verdict::NotExercised | Verdict::Warn);
        if !excusable {
            if case.verdict == Verdict::HarnessError {
                return None;
            }
            let now = case.verdict.name();
            case.verdict = Verdict::Stale;
            return problem(
                "stale",
                format!(
                    "`{}` is excused but fails no more ({now}); remove the entry (`baseline update` does it)",
                    entry.case
                ),
            );
        }
        let seen = signature(case);
        if seen != entry.signature {
            case.verdict = Verdict::Stale;
            return problem(
                "changed",
                format!(
                    "`{}` is excused for [{}] and now breaks [{}]; look at it, then `baseline update`",
                    entry.case,
                    entry.signature.join(", "),
                    seen.join(", ")
                ),
            );
        }
        case.verdict = Verdict::Known;
        case.excused = Some(format!("{}: {}", entry.kind, entry.reason));
        match entry.until {
            Some(until) if (until.year, until.month, until.day) < (today.year, today.month, today.day) => problem(
                "expired",
                format!("`{}` was excused until {until}; mend it, or give it another day", entry.case),
            ),
            _ => None,
        }
    }
}

/// In what way a case fails: the requirements that it breaks at the worst level, each once, and a crash or hang.
pub fn signature(case: &CaseReport) -> Vec<String> {
    let worst = |finding: FindingKind, level: Level| -> BTreeSet<String> {
        let checks = case.checks.iter().filter(|check| check.finding == finding && check.level == level);
        checks.map(|check| check.requirement.clone()).collect()
    };
    let broken = worst(FindingKind::Broken, Level::Must);
    let untried = worst(FindingKind::NotExercised, Level::Must);
    let mut signature: Vec<String> = if !broken.is_empty() {
        broken.into_iter().collect()
    } else if !untried.is_empty() {
        untried.into_iter().map(|id| format!("not tried: {id}")).collect()
    } else {
        worst(FindingKind::Broken, Level::Should).into_iter().collect()
    };
    match case.tag {
        Some(Tag::Crash) => signature.push("crash".to_owned()),
        Some(Tag::Hang) => signature.push("hang".to_owned()),
        None => {}
    }
    signature
}

/// What was changed in a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Cases that have an entry now.
    pub added: Vec<String>,
    /// Cases whose entry is gone.
    pub removed: Vec<String>,
    /// Cases whose entry has another signature now.
    pub changed: Vec<String>,
    /// How many entries lack a reason, which a person must give.
    pub without_reason: usize,
}

/// Brings the baseline up to date with a report to which no baseline was applied: adds an entry for each case that fails
/// (under `strict`, also for each warning), with `reason` or an empty one; gives an entry the signature that was seen;
/// removes entries whose case passes or is gone. Entries for cases that were not run stay, and so do all comments and
/// reasons. Makes the file if there is none.
pub fn update(
    path: &Path,
    report: &Report,
    corpus: &BTreeSet<String>,
    reason: Option<&str>,
    kind: Kind,
) -> Result<Changes, Unusable> {
    let failed = |error: io::Error| Unusable::File { path: path.to_owned(), error };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| Unusable::Shape {
        place: path.display().to_string(),
        why: error.to_string(),
    })?;
    // What stands before the first entry is the file's head: no new entry slips in front of it, none takes it along.
    let mut head = String::new();
    if document.is_empty() {
        document.trailing().as_str().unwrap_or_default().clone_into(&mut head);
        document.set_trailing("");
    }
    let entries = document.entry("entry").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(entries) = entries.as_array_of_tables_mut() else {
        let why = "`entry` is not a list of [[entry]] tables".to_owned();
        return Err(Unusable::Shape { place: path.display().to_string(), why });
    };
    if let Some(first) = entries.iter_mut().next() {
        head += first.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        first.decor_mut().set_prefix("");
    }
    let changes = bring_up_to_date(entries, report, corpus, reason, kind);
    write_whole(path, format!("{head}{document}").as_bytes()).map_err(failed)?;
    Ok(changes)
}

fn bring_up_to_date(
    entries: &mut ArrayOfTables,
    report: &Report,
    corpus: &BTreeSet<String>,
    reason: Option<&str>,
    kind: Kind,
) -> Changes {
    let fails = |case: &CaseReport| report.fails(case) || case.verdict == Verdict::NotExercised;
    let name = |table: &Table| table.get("case").and_then(Item::as_str).unwrap_or_default().to_owned();
    let mut changes = Changes::default();
    entries.retain(|table| {
        let id = name(table);
        let gone = match report.results.iter().find(|case| case.id == id) {
            Some(case) => !fails(case) && case.verdict != Verdict::Warn,
            None => !corpus.contains(id.split('@').next().unwrap_or_default()),
        };
        if gone {
            changes.removed.push(id);
        }
        !gone
    });
    for case in report.results.iter().filter(|case| case.verdict != Verdict::HarnessError) {
        let seen: toml_edit::Array = signature(case).into_iter().collect();
        if let Some(table) = entries.iter_mut().find(|table| name(table) == case.id) {
            let was = table.get("signature").map(ToString::to_string).unwrap_or_default();
            let is = value(seen);
            if was.trim() != is.to_string().trim() {
                changes.changed.push(case.id.clone());
                table["signature"] = is;
            }
        } else if fails(case) {
            let mut table = Table::new();
            table["case"] = value(&case.id);
            table["kind"] = value(kind.to_string());
            table["reason"] = value(reason.unwrap_or_default());
            table["signature"] = value(seen);
            entries.push(table);
            changes.added.push(case.id.clone());
        }
    }
    let empty =
        |table: &&Table| table.get("reason").and_then(Item::as_str).is_none_or(|reason| reason.trim().is_empty());
    changes.without_reason = entries.iter().filter(empty).count();
    changes
}

/// Writes a file in one step: a reader sees the old one or the whole new one.
fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".anet-conformance-").tempfile_in(directory)?;
    file.write_all(text)?;
    file.flush()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).map_or(0o644, |metadata| metadata.permissions().mode());
        file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The beginning of a new baseline.
pub const HEAD: &str = "\
# Violations that are known. A run fails only for what is not in here, and for entries that no longer hold.
# Each entry: case = id, kind = \"known\" (to be mended) or \"deviation\" (deliberate), reason (required),
# issue = \"link\" and until = 2027-01-31 if you like, signature = what it breaks, written by
# `anet-conformance baseline update FILE -- COMMAND`.
";

/// Today, by the clock of this machine, in UTC.
pub fn today() -> Date {
    use chrono::Datelike as _;
    let now = chrono::Utc::now().date_naive();
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    Date { year: u16::try_from(now.year()).unwrap_or_default(), month: small(now.month()), day: small(now.day()) }
}
