//! The program `anet-mock-daemon`: a fake daemon in a terminal.
//!
//! Responsible for: arguments, the paragraph that says how to point a client at it, one line a request, the journal file,
//! and an orderly end. Not for: the operator's commands (`console`), nor anything a library user could not do as well.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anstyle::{AnsiColor, Style};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use crate::World;
use crate::console;
use crate::daemon::{Daemon, Options};
use crate::journal::{Entry, Watcher};
use crate::route::Route;
use crate::scenario;
use crate::world::Page;

/// How many requests the program keeps in memory: nobody reads them there, and it may run for days.
const JOURNAL_LIMIT: usize = 1_000;

/// A fake anet daemon: answers the local control plane from a world of its own.
#[derive(Debug, Parser)]
#[command(name = "anet-mock-daemon", version, max_term_width = 100, after_help = more_help())]
struct Arguments {
    /// The data directory to make, empty or not there yet. Without it a temporary one
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// The port on 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// The world to begin with: a shipped scenario or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "busy")]
    scenario: String,

    /// The specification to follow, whatever the scenario says: that of 0.2 or that of 0.3
    #[arg(long, value_name = "VERSION", value_parser = ["0.2", "0.3"])]
    page: Option<String>,

    /// Lists the shipped scenarios and ends
    #[arg(long)]
    list_scenarios: bool,

    /// Does not log the requests to stderr
    #[arg(long)]
    quiet: bool,

    /// Appends each request, with its answer, to this file as a line of JSON
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

/// Runs the whole program with these arguments, of which the first is the program's name, and returns its exit code: 0
/// when ended by Ctrl-C or SIGTERM, 1 when it could not start, 2 for wrong usage.
///
/// It makes a runtime of its own, so it must not be called from within one.
pub fn run<I, T>(arguments: I) -> ExitCode
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let name = called(arguments.first());
    let arguments = match parse(&name, arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; where they cannot be printed nobody reads them.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    if arguments.list_scenarios {
        say(&mut anstream::stdout(), scenarios().trim_end());
        return ExitCode::SUCCESS;
    }
    match serve(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            say(&mut anstream::stderr(), &format!("{name}: {sentence}"));
            ExitCode::FAILURE
        }
    }
}

/// The name by which the program was called, without the directory: its own, or that of a program that carries it.
fn called(first: Option<&OsString>) -> String {
    let name = first.and_then(|path| Path::new(path).file_name());
    name.map_or_else(|| "anet-mock-daemon".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn parse(name: &str, arguments: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command().bin_name(name);
    let matches = command.try_get_matches_from_mut(arguments)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The shipped scenarios, one a line.
fn scenarios() -> String {
    scenario::NAMES.iter().fold(String::new(), |list, (name, what)| format!("{list}  {name:10}{what}\n"))
}

fn more_help() -> String {
    format!("Scenarios:\n{}\nOn stdin, one a line and answered on stderr:\n{}", scenarios(), console::HELP)
}

/// The world that was asked for, with a clock that runs.
fn world(arguments: &Arguments) -> Result<World, String> {
    let mut state = scenario::load(&arguments.scenario).map_err(|error| error.to_string())?;
    if let Some(page) = arguments.page.as_deref().and_then(Page::parse) {
        state.page = page;
    }
    state.clock = state.clock.started();
    Ok(World::new(state))
}

/// Serves until told to end. The error is a sentence for the user.
fn serve(arguments: &Arguments) -> Result<(), String> {
    let world = world(arguments)?;
    let journal = arguments.journal.as_deref().map(open_journal).transpose()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|source| format!("Cannot start: {source}."))?;
    runtime.block_on(async {
        let options = Options {
            data_dir: arguments.home.clone(),
            port: arguments.port,
            world: world.clone(),
            journal_limit: JOURNAL_LIMIT,
            watcher: Some(watcher(arguments.quiet, journal)),
        };
        // Before the start, so that a signal between the two ends in order as well.
        let broken = |source: io::Error| format!("Cannot listen for signals: {source}.");
        let mut interrupted = signal(SignalKind::interrupt()).map_err(broken)?;
        let mut terminated = signal(SignalKind::terminate()).map_err(broken)?;
        let daemon = Daemon::start(options).await.map_err(|error| error.to_string())?;
        say(&mut anstream::stdout(), &introduction(&daemon));
        console::listen(world, |said| say(&mut anstream::stderr().lock(), said));
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
        Ok(())
    })
}

fn open_journal(path: &Path) -> Result<File, String> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map_err(|source| {
        format!("Cannot write the journal {}: {source}. Name a file that can be written.", path.display())
    })
}

/// How to point a client at the daemon.
fn introduction(daemon: &Daemon) -> String {
    let home = quoted(daemon.data_dir());
    let token = quoted(&daemon.data_dir().join("control_token.txt"));
    format!(
        "A fake anet daemon listens on {address}. Point any client of the control plane at it with its data directory, for\n\
         example `ANET_DATA_DIR={home} anet mcp`, or ask it yourself:\n\
         curl -s -X POST -H \"Authorization: Bearer $(cat {token})\" -d '{{}}' http://{address}/status\n\
         Commands are taken on stdin (`help` lists them). Ctrl-C ends it and removes what it wrote.",
        address = daemon.address()
    )
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%".contains(&byte);
    if text.bytes().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Writes a line each for the terminal and for the journal file.
fn watcher(quiet: bool, journal: Option<File>) -> Watcher {
    let journal = journal.map(Mutex::new);
    Arc::new(move |entry: &Entry| {
        let now = (SystemTime::now(), Instant::now());
        if !quiet {
            say(&mut anstream::stderr().lock(), &line(entry, now));
        }
        if let Some(journal) = &journal {
            let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
            // A full disk must not end a daemon that others are talking to.
            let _ = writeln!(journal, "{}", record(entry, now));
        }
    })
}

/// One line; where it cannot be written nobody reads it.
fn say(to: &mut impl Write, text: &str) {
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}

/// Time (UTC), request, outcome, milliseconds.
fn line(entry: &Entry, now: (SystemTime, Instant)) -> String {
    let ms = arrived(entry, now).as_millis();
    let (seconds, ms) = (ms / 1_000 % 86_400, ms % 1_000);
    let time = format!("{:02}:{:02}:{:02}.{ms:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mut outcome = match (entry.status(), entry.hung_up_at) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(_)) => format!("{status}, caller hung up"),
        (None, Some(_)) => "caller hung up".to_owned(),
        (None, None) => "no answer".to_owned(),
    };
    if let Some(trespass) = entry.trespass {
        outcome = format!("{outcome} ({trespass})");
    }
    let colour = match entry.status() {
        Some(200..=299) if entry.hung_up_at.is_none() => AnsiColor::Green,
        Some(_) => AnsiColor::Yellow,
        None => AnsiColor::Red,
    };
    let (style, dim) = (Style::new().fg_color(Some(colour.into())), Style::new().dimmed());
    // What a caller sent is printed escaped: it must not reach the terminal as commands.
    let request = format!("{} {}", entry.method.escape_debug(), entry.target.escape_debug());
    format!("{dim}{time}{dim:#} {} {style}{outcome}{style:#} {dim}{:.1} ms{dim:#}", request.trim(), took(entry) * 1e3)
}

/// The whole entry as JSON. The token is left out: journals are passed around.
fn record(entry: &Entry, now: (SystemTime, Instant)) -> Value {
    let headers: Vec<_> = entry
        .headers
        .iter()
        .map(|(name, value)| {
            let secret = name.eq_ignore_ascii_case("Authorization");
            json!([name, if secret { "(left out)" } else { value }])
        })
        .collect();
    json!({
        "index": entry.index,
        "at_ms": u64::try_from(arrived(entry, now).as_millis()).unwrap_or(u64::MAX),
        "connection": entry.connection,
        "method": entry.method,
        "target": entry.target,
        "headers": headers,
        "body": bytes(&entry.body),
        "route": entry.route.map(Route::path),
        "trespass": entry.trespass.map(|trespass| trespass.to_string()),
        "status": entry.status(),
        "answer": entry.answered.as_ref().map(|answered| bytes(&answered.body)),
        "seconds": took(entry),
        "hung_up": entry.hung_up_at.is_some(),
    })
}

/// Text as text, anything else in base64.
fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => json!({ "base64": STANDARD.encode(bytes) }),
    }
}

/// When the entry came, since the epoch.
fn arrived(entry: &Entry, (wall, steady): (SystemTime, Instant)) -> Duration {
    let now = wall.duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(steady.saturating_duration_since(entry.at))
}

/// Seconds from the request to its answer, or to its end without one.
fn took(entry: &Entry) -> f64 {
    let end = entry.answered.as_ref().map(|answered| answered.at).or(entry.hung_up_at);
    end.unwrap_or_else(Instant::now).saturating_duration_since(entry.at).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Answered, Trespass};

    fn entry() -> Entry {
        let at = Instant::now();
        Entry {
            index: 7,
            at,
            method: "POST".into(),
            target: "/tasks/send".into(),
            headers: vec![("Authorization".into(), "Bearer secret".into())],
            body: b"\xff".to_vec(),
            connection: 1,
            route: Some(Route::TasksSend),
            trespass: None,
            answered: Some(Answered { at: at + Duration::from_millis(3), status: 200, body: b"{}\n".to_vec() }),
            hung_up_at: None,
        }
    }

    fn plain(entry: &Entry) -> String {
        anstream::adapter::strip_str(&line(entry, (UNIX_EPOCH + Duration::from_millis(3_723_004), entry.at)))
            .to_string()
    }

    #[test]
    fn a_line_has_time_route_status_and_milliseconds() {
        assert_eq!(plain(&entry()), "01:02:03.004 POST /tasks/send 200 3.0 ms");
        let trespass = Entry { trespass: Some(Trespass::UnknownPath), target: "/\u{1b}[2J".into(), ..entry() };
        assert_eq!(plain(&trespass), "01:02:03.004 POST /\\u{1b}[2J 200 (unknown path) 3.0 ms");
        let gone = Entry { answered: None, hung_up_at: Some(trespass.at), ..entry() };
        assert!(plain(&gone).contains("/tasks/send caller hung up"));
    }

    #[test]
    fn a_record_has_everything_but_the_token() {
        let record = record(&entry(), (UNIX_EPOCH, Instant::now()));
        assert!(!record.to_string().contains("secret"));
        assert_eq!(record["body"], json!({ "base64": "/w==" }));
        assert_eq!(
            (&record["answer"], &record["status"], &record["route"]),
            (&json!("{}\n"), &json!(200), &json!("/tasks/send"))
        );
    }

    #[test]
    fn a_path_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted(Path::new("/tmp/anet-mock-1.x")), "/tmp/anet-mock-1.x");
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }

    #[test]
    fn wrong_usage_is_told_apart() {
        Arguments::try_parse_from(["x", "--home", "d", "--port", "1", "--quiet", "--journal", "f"])
            .expect("all of them");
        let error = Arguments::try_parse_from(["x", "--port", "99999"]).expect_err("no such port");
        assert!(error.use_stderr());
    }
}
