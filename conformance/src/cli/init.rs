//! `init`: the files with which a project begins to be judged.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::failed;
use crate::{baseline, verdict};

/// What `init` takes.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Where the files go
    #[arg(default_value = ".", value_name = "DIRECTORY")]
    directory: PathBuf,
    /// The candidate's command, to be written into candidate.toml
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

const WORKFLOW: &str = "\
# Judges the server with the conformance kit on every push; see the kit's docs/reports.md.
name: anet-conformance
on: [push, pull_request]
jobs:
  conformance:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Build your server here.
      # Say where the kit's sources come from: a submodule, a checkout of its own, or your registry.
      - run: cargo install --locked --path anet-conformance/conformance
      - run: >-
          anet-conformance --baseline baseline.toml
          --report junit=junit.xml --report json=report.json --report html=report.html
          --report markdown=\"$GITHUB_STEP_SUMMARY\" --report github=-
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: conformance
          path: |
            junit.xml
            report.json
            report.html
";

pub(super) fn run(arguments: &InitArgs) -> ExitCode {
    let files = [
        (PathBuf::from(crate::candidate::FILE), candidate_file(&arguments.command)),
        (PathBuf::from("baseline.toml"), baseline::HEAD.to_owned()),
        (PathBuf::from(".github/workflows/anet-conformance.yml"), WORKFLOW.to_owned()),
    ];
    if !arguments.directory.is_dir() {
        let why = format!("{} is no directory", arguments.directory.display());
        return failed(&why, verdict::ExitCode::Usage);
    }
    for (name, text) in files {
        let path = arguments.directory.join(&name);
        match write_new(&path, &text) {
            Ok(()) => anstream::println!("wrote  {}", path.display()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                anstream::println!("kept   {}, which was there", path.display());
            }
            Err(error) => {
                return failed(&format!("{} cannot be written: {error}", path.display()), verdict::ExitCode::Harness);
            }
        }
    }
    let edit = if arguments.command.is_empty() { "say in candidate.toml how the server is started; then " } else { "" };
    anstream::println!(
        "\nNext: {edit}`anet-conformance doctor`, and then `anet-conformance --baseline baseline.toml`."
    );
    ExitCode::SUCCESS
}

/// Writes a file that is not there yet; never over one that is.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn candidate_file(command: &[OsString]) -> String {
    let words: toml_edit::Array = if command.is_empty() {
        ["python3", "server.py"].into_iter().collect()
    } else {
        command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    };
    format!(
        "\
# How the candidate is started, word by word. Paths are meant from the directory of this file.
command = {words}

# Where it runs; without this, in a fresh directory for each process.
# directory = \".\"

# Multiplies all bounds on waiting, for a slow machine or a slow start.
# time-scale = 1.0

# The version of the page that it is written for.
page = \"0.3\"

# Variables that it gets beside ANET_DATA_DIR, HOME and XDG_RUNTIME_DIR, which the kit sets.
[env]

# What it does not offer, and why: a `tool` or a `revision` each. Its cases do not apply then.
# [[not-offered]]
# revision = \"2024-11-05\"
# reason = \"no host of ours speaks it\"
"
    )
}
