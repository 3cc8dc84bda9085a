//! The formats of a report, and writing one into its file.

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::model::Report;

/// A format that `--report` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The whole model; other programs read it, and so do `merge` and `compare`.
    Json,
    /// One page for a browser, which asks for nothing from elsewhere.
    Html,
}

impl Format {
    /// All of them, in the order of the help.
    pub const ALL: [Self; 2] = [Self::Json, Self::Html];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
        }
    }

    /// The report in this format.
    pub fn render(self, report: &Report) -> Vec<u8> {
        match self {
            Self::Json => super::json::render(report),
            Self::Html => super::html::render(report),
        }
    }
}

/// A report that is to be written: format and file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The format.
    pub format: Format,
    /// The file; `-` is standard output.
    pub path: PathBuf,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Format::ALL.map(Format::name).join(", ");
        let Some((name, path)) = text.split_once('=') else {
            return Err(format!("write it as FORMAT=FILE; formats are {}", known()));
        };
        let Some(format) = Format::ALL.into_iter().find(|format| format.name() == name) else {
            return Err(format!("the format `{name}` is not known; known is {}", known()));
        };
        if path.is_empty() {
            return Err(format!("a file is missing after `{name}=`"));
        }
        Ok(Self { format, path: PathBuf::from(path) })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.format.name(), self.path.display())
    }
}

impl Target {
    /// Fails if the file could not be written: to be asked before a run that would be lost.
    pub fn check(&self) -> io::Result<()> {
        if self.is_stdout() || (self.path.exists() && !self.path.is_file()) {
            return if self.path.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(()) };
        }
        self.beside().map(|_| ())
    }

    /// Writes the report, in one step: a reader sees the old file or the whole new one. Fails if the file cannot be
    /// written.
    pub fn write(&self, report: &Report) -> io::Result<()> {
        // In one piece: written straight to a file, every token would be a system call.
        let text = self.format.render(report);
        if self.is_stdout() {
            return io::stdout().lock().write_all(&text);
        }
        if self.path.exists() && !self.path.is_file() {
            // /dev/stderr, a pipe: nothing that could be replaced.
            return std::fs::OpenOptions::new().write(true).open(&self.path)?.write_all(&text);
        }
        let mut file = self.beside()?;
        file.write_all(&text)?;
        file.flush()?;
        // A report is read by others: what a plain file would have, not what a temporary one has.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Whether the report goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path == Path::new("-") || self.path == Path::new("/dev/stdout")
    }

    /// A temporary file in the directory of the report.
    fn beside(&self) -> io::Result<tempfile::NamedTempFile> {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        tempfile::Builder::new().prefix(".anet-conformance-").tempfile_in(directory).map_err(|error| {
            // The temporary name would say nothing to the reader.
            let why = io::Error::from(error.kind());
            io::Error::new(error.kind(), format!("{}: {why}", directory.display()))
        })
    }
}
