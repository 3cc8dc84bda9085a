//! The command that starts a candidate.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command that starts a candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables that it gets beside those of the kit; a case that sets one of them wins.
    pub environment: Vec<(String, String)>,
    /// Where it runs; none: in a fresh directory for each process.
    pub directory: Option<PathBuf>,
}

impl Command {
    /// From the words of a command line, see [`Command::below`].
    pub fn from_words(words: &[OsString]) -> Option<Self> {
        Self::below(&std::env::current_dir().unwrap_or_default(), words)
    }

    /// From words. A program with a slash, and every argument that names a file below `directory`, are made absolute, since
    /// candidates run in a directory of their own. So is an argument that looks like a file and is none: it is better missed
    /// where it was meant to be. None if there are no words.
    pub fn below(directory: &Path, words: &[OsString]) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        let absolute = |word: &OsString| {
            let path = Path::new(word);
            if path.is_relative() && !word.is_empty() && (directory.join(path).exists() || looks_like_a_file(path)) {
                directory.join(path).into_os_string()
            } else {
                word.clone()
            }
        };
        let has_slash = program.to_string_lossy().contains('/');
        Some(Self {
            program: if has_slash { absolute(program) } else { program.clone() },
            arguments: arguments.iter().map(absolute).collect(),
            environment: Vec::new(),
            directory: None,
        })
    }

    /// The words, for a report.
    pub fn words(&self) -> Vec<String> {
        std::iter::once(&self.program).chain(&self.arguments).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The command as a shell takes it.
    pub fn for_a_shell(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Whether a word is a script's name: `server.py`, `dist/index.js`.
fn looks_like_a_file(path: &Path) -> bool {
    const SCRIPTS: [&str; 12] = ["py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "sh", "php", "jar", "lua"];
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| SCRIPTS.contains(&extension))
        && !path.to_string_lossy().starts_with('-')
}

/// A word as a POSIX shell reads it back.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Command, quoted};

    #[test]
    fn words_that_name_files_become_absolute() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let words = ["python3", "Cargo.toml", "none.py", "-x", "none", "examples/none.js"].map(Into::into);
        let command = Command::below(here, &words).expect("words");
        let at = |name: &str| here.join(name).to_string_lossy().into_owned();
        let expected =
            ["python3".to_owned(), at("Cargo.toml"), at("none.py"), "-x".into(), "none".into(), at("examples/none.js")];
        assert_eq!(command.words(), expected);
        assert_eq!(Command::below(here, &[]), None);
    }

    #[test]
    fn a_shell_reads_words_back() {
        assert_eq!(quoted("plain-1.0"), "plain-1.0");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
