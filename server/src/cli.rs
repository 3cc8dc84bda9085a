//! The command line: which identity, what to do, and logging to stderr.
//!
//! Responsible for the program from its arguments to its exit status. Standard output belongs to JSON-RPC; only
//! `--help`, `--version` and `doctor` write anything else there, and they do not serve.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::home::{Environment, Home};
use crate::serve::{Settings, serve_until};
use crate::{PAGE_VERSION, doctor};

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\npage 0.3\nMCP 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 (initialize), 2026-07-28 (server/discover)"
);

const AFTER_HELP: &str = "\
How it finds the daemon, the first that applies:
  --id NAME           the identity NAME, in <home>/ids/NAME
  ANET_ID=NAME        the same
  ANET_DATA_DIR=DIR   exactly this data directory
  <home>/current      the identity that `anet` uses now
  otherwise           <home> itself; if no daemon left its files there, the daemon that left
                      word in the runtime directory (daemon.json)
where <home> is ANET_HOME, or ~/.anet. From there it reads config.json (control_addr) and
control_token.txt, nothing else, and it writes nothing. The token goes to loopback only.

Standard input and output carry MCP, one JSON-RPC message a line. A client starts it so:
  {\"mcpServers\": {\"anet\": {\"command\": \"anet-mcp\",
                            \"env\": {\"ANET_DATA_DIR\": \"/home/me/.anet\"}}}}
By hand, a sign of life (everything else wants `initialize` first):
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | anet-mcp

It starts without a daemon; calls then say what is missing, and `anet-mcp doctor` says it
in full.";

/// The reference MCP server for anet: 14 tools over standard input and output, forwarded to the local daemon.
#[derive(Debug, Parser)]
#[command(name = "anet-mcp", version = VERSION, after_help = AFTER_HELP, max_term_width = 120)]
struct Cli {
    /// Identity whose daemon to use.
    #[arg(long, global = true, value_name = "NAME")]
    id: Option<String>,

    /// What to log to standard error, for example `debug` or `anet_mcp=trace`. Off by default.
    #[arg(long, global = true, value_name = "FILTER", env = "ANET_MCP_LOG")]
    log: Option<String>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP on standard input and output. What happens without a command.
    #[command(alias = "mcp")]
    Serve,
    /// Say which daemon would be used and why, whether it answers, and what to do if not.
    Doctor,
}

/// The whole program: `args` as the system gives them, the program's name first.
///
/// Serves until the input ends or SIGTERM comes, then returns the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version go to standard output, mistakes to standard error; clap knows which is which.
            let _ = message.print();
            return ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    if let Err(problem) = log_to_stderr(cli.log.as_deref()) {
        return fail(2, &problem);
    }
    let environment = Environment::of_process(cli.id);
    let home = match Home::choose(&environment) {
        Ok(home) => home,
        Err(error) => return fail(2, &error.to_string()),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(1, &format!("the runtime cannot be started: {error}")),
    };
    let code = match cli.command.unwrap_or(Command::Serve) {
        Command::Serve => serve_stdio(&runtime, home),
        Command::Doctor => {
            let (report, healthy) = runtime.block_on(doctor::examine(home));
            let written = std::io::stdout().lock().write_all(report.as_bytes());
            if healthy && written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    };
    // A read of a terminal or a stalled write must not hold up the end.
    runtime.shutdown_background();
    code
}

fn serve_stdio(runtime: &Runtime, home: Home) -> ExitCode {
    let _inside = runtime.enter();
    tracing::info!(page = PAGE_VERSION, data_dir = %home.data_dir().display(), reason = %home.reason(), "serving");
    // Registered before the first byte is read, so that no signal finds the default action.
    let mut terminate = match signal(SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => return fail(1, &format!("SIGTERM cannot be awaited: {error}")),
    };
    let stop = async move {
        terminate.recv().await;
    };
    let (reader, writer) = rmcp::transport::stdio_pipes();
    match runtime.block_on(serve_until(Settings { home }, reader, writer, stop)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(1, &error.to_string()),
    }
}

fn fail(code: u8, problem: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "anet-mcp: {problem}");
    ExitCode::from(code)
}

fn log_to_stderr(filter: Option<&str>) -> Result<(), String> {
    let Some(filter) = filter.map(str::trim).filter(|filter| !filter.is_empty()) else {
        return Ok(());
    };
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("the log filter cannot be read: {error}"))?;
    // Only this program and the SDK are let through: an HTTP library at its most talkative could show a header.
    let ours = filter_fn(|event| {
        let target = event.target();
        ["anet_mcp", "rmcp"].iter().any(|name| target == *name || target.starts_with(&format!("{name}::")))
    });
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_filter(ours);
    // A program that carries this one along may log already; then its choice stands.
    let _ = tracing_subscriber::registry().with(filter).with(layer).try_init();
    Ok(())
}
