//! `candidate.toml`: a candidate described in a file, so that a run needs no arguments.
//!
//! Responsible for: reading the file. Not for: starting anything (`run`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::case::Case;
use crate::page::Tool;
use crate::revision::Revision;
use crate::run::Command;

/// The name that is looked for in the working directory.
pub const FILE: &str = "candidate.toml";

/// A candidate as its file describes it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is started.
    pub command: Command,
    /// By how much all bounds on waiting are multiplied.
    pub time_scale: Option<f64>,
    /// What it does not offer, with the reason.
    pub not_offered: Vec<NotOffered>,
}

/// Something that a candidate does not offer, by its own words.
#[derive(Clone, Debug)]
pub struct NotOffered {
    /// What is missing.
    pub what: Missing,
    /// Why.
    pub reason: String,
}

/// What a candidate may declare missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// One of the 14 tools. Its cases do not apply; those that count the tools fail all the same, since the page asks for all.
    Tool(Tool),
    /// An MCP revision.
    Revision(Revision),
}

impl NotOffered {
    /// Whether the case is about what is missing.
    pub fn covers(&self, case: &Case) -> bool {
        match self.what {
            Missing::Tool(tool) => case.tool == Some(tool),
            Missing::Revision(revision) => case.revision == revision,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    command: Spanned<Vec<String>>,
    #[serde(default)]
    directory: Option<Spanned<PathBuf>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    time_scale: Option<Spanned<f64>>,
    #[serde(default)]
    page: Option<Spanned<String>>,
    #[serde(default)]
    not_offered: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    tool: Option<Spanned<String>>,
    #[serde(default)]
    revision: Option<Spanned<String>>,
    reason: Spanned<String>,
}

/// Why a candidate's file cannot be used: file, line if known, and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Unusable {
    place: String,
    why: String,
}

impl Candidate {
    /// Reads the file. Paths in it are meant from the directory in which it lies.
    pub fn read(path: &Path) -> Result<Self, Unusable> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Unusable { place: path.display().to_string(), why: format!("cannot be read: {error}") })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Unusable> {
        let wrong = |at: usize, why: &str| {
            let line = text[..at.min(text.len())].bytes().filter(|byte| *byte == b'\n').count() + 1;
            Unusable { place: format!("{}:{line}", path.display()), why: why.to_owned() }
        };
        let file: File =
            toml::from_str(text).map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message()))?;
        let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let beside = std::path::absolute(beside).unwrap_or_else(|_| beside.to_owned());
        let at = file.command.span().start;
        let words: Vec<OsString> = file.command.into_inner().into_iter().map(OsString::from).collect();
        let Some(mut command) = Command::below(&beside, &words).filter(|command| !command.program.is_empty()) else {
            return Err(wrong(at, "`command` is empty; write it word by word, as [\"python3\", \"server.py\"]"));
        };
        command.environment = file.env.into_iter().collect();
        if let Some(directory) = file.directory {
            let full = beside.join(directory.get_ref());
            if !full.is_dir() {
                return Err(wrong(directory.span().start, &format!("`{}` is no directory", full.display())));
            }
            command.directory = Some(full);
        }
        if let Some(page) = &file.page
            && page.get_ref() != "0.3"
        {
            return Err(wrong(page.span().start, "this kit judges by version 0.3 of the page"));
        }
        if let Some(scale) = &file.time_scale
            && !(0.01..=1000.0).contains(scale.get_ref())
        {
            return Err(wrong(scale.span().start, "`time-scale` is a number from 0.01 to 1000"));
        }
        let mut not_offered = Vec::new();
        for written in file.not_offered {
            let what = match (&written.tool, &written.revision) {
                (Some(tool), None) => match Tool::ALL.into_iter().find(|known| known.name() == tool.get_ref()) {
                    Some(tool) => Missing::Tool(tool),
                    None => return Err(wrong(tool.span().start, &format!("there is no tool `{}`", tool.get_ref()))),
                },
                (None, Some(revision)) => match revision.get_ref().parse() {
                    Ok(found) => Missing::Revision(found),
                    Err(why) => return Err(wrong(revision.span().start, &why)),
                },
                _ => {
                    let why = "say either `tool` or `revision`, one in each [[not-offered]]";
                    return Err(wrong(written.reason.span().start, why));
                }
            };
            if written.reason.get_ref().trim().is_empty() {
                return Err(wrong(written.reason.span().start, "`reason` is empty; say why it is not offered"));
            }
            not_offered.push(NotOffered { what, reason: written.reason.into_inner() });
        }
        Ok(Self { command, time_scale: file.time_scale.map(Spanned::into_inner), not_offered })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Candidate, Missing};
    use crate::page::Tool;

    fn parse(text: &str) -> Result<Candidate, String> {
        Candidate::parse(Path::new("dir/candidate.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_file() {
        let text = r#"
            command = ["python3", "server.py"]
            time-scale = 2.5
            page = "0.3"
            [env]
            LEVEL = "debug"
            [[not-offered]]
            tool = "submit_payment"
            reason = "reads only"
            [[not-offered]]
            revision = "2024-11-05"
            reason = "too old"
        "#;
        let candidate = parse(text).expect("a good file");
        assert_eq!(candidate.command.program, "python3");
        assert!(candidate.command.arguments[0].to_string_lossy().ends_with("dir/server.py"));
        assert_eq!(candidate.command.environment, [("LEVEL".to_owned(), "debug".to_owned())]);
        assert_eq!(candidate.time_scale, Some(2.5));
        assert_eq!(candidate.not_offered[0].what, Missing::Tool(Tool::SubmitPayment));
        assert_eq!(candidate.not_offered.len(), 2);
    }

    #[test]
    fn mistakes_are_named_with_file_and_line() {
        let table = [
            ("command = []", "candidate.toml:1", "word by word"),
            ("\ncommand = \"x\"", "candidate.toml:2", "sequence"),
            ("command = [\"x\"]\ncolour = 1", "candidate.toml:2", "colour"),
            ("command = [\"x\"]\npage = \"0.1\"", "candidate.toml:2", "0.3"),
            ("command = [\"x\"]\ntime-scale = 0.0", "candidate.toml:2", "0.01"),
            ("command = [\"x\"]\ndirectory = \"no/such\"", "candidate.toml:2", "no directory"),
            ("command = [\"x\"]\n[[not-offered]]\ntool = \"x\"\nreason = \"r\"", "candidate.toml:3", "no tool"),
            ("command = [\"x\"]\n[[not-offered]]\nreason = \"r\"", "candidate.toml:3", "either"),
            ("command = [\"x\"]\n[[not-offered]]\ntool = \"audit\"\nreason = \" \"", "candidate.toml:4", "empty"),
        ];
        for (text, place, why) in table {
            let error = parse(text).expect_err(text);
            assert!(error.contains(place) && error.contains(why), "{text:?}: {error}");
        }
    }
}
