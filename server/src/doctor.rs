//! `doctor`: which daemon would be used and why, whether it answers, and what to do if not.
//!
//! Responsible for a report that a person can act on. Looks at the same files with the same code as the server and
//! makes one call to `/status`. Never shows the token. Serves the start errors of section 1.3.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::control::{Control, Route};
use crate::home::{Home, is_closed};
use crate::json::Members;

/// The report, and whether all is well.
pub(crate) async fn examine(home: Home) -> (String, bool) {
    let mut report = String::new();
    let mut say = |line: String| {
        // Writing to a string does not fail.
        let _ = writeln!(report, "{line}");
    };
    say(format!("data directory  {}", home.data_dir().display()));
    say(format!("                because {}", home.reason()));
    say(format!("config.json     {}", presence(&home.data_dir().join("config.json"))));
    say(format!("token file      {}", presence(&home.data_dir().join("control_token.txt"))));
    if home.is_strict() {
        say("pointer files   not looked at, because the data directory was chosen explicitly".to_owned());
    }
    for path in home.pointer_files() {
        say(format!("pointer file    {} {}", path.display(), presence(&path)));
    }
    match home.endpoints() {
        Ok(endpoints) => {
            for endpoint in endpoints {
                say(format!("daemon          {} with the token of {}", endpoint.address, endpoint.data_dir.display()));
            }
        }
        Err(error) => {
            say("daemon          none found".to_owned());
            say(format!("what to do      {error}"));
            return (report, false);
        }
    }
    let control = match Control::new(home) {
        Ok(control) => control,
        Err(error) => {
            say(format!("what to do      report this: the HTTP client cannot be set up ({error})"));
            return (report, false);
        }
    };
    match control.call(Route::Status, "{}").await {
        Ok(status) => {
            let members = Members::of(&status);
            let read = |name| {
                let value = members.as_ref().and_then(|members| members.text(name));
                value.filter(|value| !value.is_empty()).unwrap_or_else(|| "not stated".to_owned())
            };
            say("answer          the daemon answers".to_owned());
            say(format!("                AID {}, version {}", read("aid"), read("version")));
            (report, true)
        }
        Err(failure) => {
            say("answer          none that can be used".to_owned());
            say(format!("what to do      {}", failure.sentence));
            (report, false)
        }
    }
}

/// Whether a file is there and who may read it.
fn presence(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(file) => {
            let mode = file.mode() & 0o777;
            let open = if is_closed(&file) { "" } else { ": others may read it, make it 0600" };
            format!("is there, mode {mode:04o}{open}")
        }
        Err(error) => format!("cannot be read ({error})"),
    }
}
