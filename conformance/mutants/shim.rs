//! The shim between a client and the reference: every line passes through the mutant, in both directions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use super::proxy;
use super::table::{Line, Mutant};

/// Serves on stdin and stdout until the client is done.
pub(super) async fn serve(mutant: Mutant) -> ExitCode {
    if let Some(code) = mutant.ends_at_once {
        return ExitCode::from(code);
    }
    if !mutant.banner.is_empty() {
        print_raw(mutant.banner).await;
    }
    let mutant = Arc::new(mutant);
    let home = match Behind::new(&mutant).await {
        Ok(home) => home,
        Err(error) => {
            eprintln!("the shim cannot stand between server and daemon: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (client_side, server_side) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(server_side);
    let server = tokio::spawn(super::table::reference(home.data_dir.clone(), reader, writer));
    let (from_server, mut to_server) = tokio::io::split(client_side);
    let (lines, mut out) = mpsc::unbounded_channel::<Vec<u8>>();
    let writing = tokio::spawn(async move {
        while let Some(line) = out.recv().await {
            print_raw(&line).await;
        }
    });
    let outgoing = {
        let (mutant, lines) = (Arc::clone(&mutant), lines.clone());
        tokio::spawn(async move {
            let mut reader = BufReader::new(from_server);
            let mut line = Vec::new();
            while matches!(reader.read_until(b'\n', &mut line).await, Ok(n) if n > 0) {
                if mutant.drops_at_end {
                    // Slow enough that the end of the input comes first, quick enough for every other case.
                    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
                }
                for changed in passed(mutant.outgoing, std::mem::take(&mut line)) {
                    if lines.send(changed).is_err() {
                        return;
                    }
                }
            }
        })
    };
    let mut stdin = BufReader::new(tokio::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        match stdin.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if let Some(answer) = mutant.answers_itself.and_then(|answer| answer(&parsed(&line))) {
            let _ = lines.send(with_line_end(&answer));
            continue;
        }
        if mutant.dies_on.is_some_and(|dies| dies(&parsed(&line))) {
            std::process::exit(3);
        }
        for changed in passed(mutant.incoming, line.clone()) {
            if to_server.write_all(&changed).await.is_err() {
                break;
            }
        }
    }
    if mutant.outlives_input {
        std::future::pending::<()>().await;
    }
    if mutant.drops_at_end {
        return ExitCode::from(mutant.exit);
    }
    let _ = to_server.shutdown().await;
    let _ = server.await;
    let _ = outgoing.await;
    drop(lines);
    let _ = writing.await;
    ExitCode::from(mutant.exit)
}

/// The data directory that the server sees: the candidate's own, or one that points to the proxy.
struct Behind {
    data_dir: PathBuf,
    _kept: Option<tempfile::TempDir>,
}

impl Behind {
    async fn new(mutant: &Arc<Mutant>) -> std::io::Result<Self> {
        let real = PathBuf::from(std::env::var_os("ANET_DATA_DIR").unwrap_or_default());
        if mutant.request.is_none() && mutant.answer.is_none() {
            return Ok(Self { data_dir: real, _kept: None });
        }
        let Some(daemon) = control_addr(&real) else { return Ok(Self { data_dir: real, _kept: None }) };
        let kept = tempfile::tempdir()?;
        let address = proxy::start(daemon, Arc::clone(mutant)).await?;
        std::fs::write(kept.path().join("config.json"), format!(r#"{{"control_addr":"{address}"}}"#))?;
        let token = kept.path().join("control_token.txt");
        std::fs::copy(real.join("control_token.txt"), token)?;
        Ok(Self { data_dir: kept.path().to_owned(), _kept: Some(kept) })
    }
}

fn control_addr(data_dir: &Path) -> Option<String> {
    let config = std::fs::read(data_dir.join("config.json")).ok()?;
    let config: Value = serde_json::from_slice(&config).ok()?;
    Some(config.get("control_addr")?.as_str()?.to_owned())
}

/// What becomes of a line: itself, another, several, or none.
fn passed(change: Option<Line>, line: Vec<u8>) -> Vec<Vec<u8>> {
    let Some(change) = change else { return vec![line] };
    match serde_json::from_slice::<Value>(&line) {
        Ok(mut message) => {
            let before = message.clone();
            let extra = change(&mut message);
            let mut lines = Vec::new();
            if message == before {
                lines.push(line);
            } else if !message.is_null() {
                lines.push(with_line_end(&message.to_string()));
            }
            lines.extend(extra.iter().map(|text| with_line_end(text)));
            lines
        }
        Err(_) => vec![line],
    }
}

fn parsed(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or(Value::Null)
}

fn with_line_end(text: &str) -> Vec<u8> {
    let mut line = text.as_bytes().to_vec();
    line.push(b'\n');
    line
}

async fn print_raw(bytes: &[u8]) {
    let mut stdout = tokio::io::stdout();
    let _ = stdout.write_all(bytes).await;
    let _ = stdout.flush().await;
}
