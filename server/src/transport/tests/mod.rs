//! Tests of whole sessions over a pipe in memory, against a fake daemon.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use crate::fake::{Fake, Reply, Seen, eventually};
use crate::{ServeError, Settings, serve};

mod calls;
mod lines;

struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
    fake: Fake,
    _home: TempDir,
}

impl Client {
    fn of(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let fake = Fake::start(answer);
        let home = fake.home();
        let (near, far) = tokio::io::duplex(1 << 20);
        let (far_reader, far_writer) = tokio::io::split(far);
        let server = tokio::spawn(serve(Settings::for_data_dir(home.path()), far_reader, far_writer));
        let (reader, writer) = tokio::io::split(near);
        Self { input: Some(writer), output: BufReader::new(reader).lines(), server, fake, _home: home }
    }

    async fn of_revision(version: &str, answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let mut client = Self::of(answer);
        let response = client.ask(&initialize(version)).await;
        assert_eq!(response["result"]["protocolVersion"], version);
        client
    }

    async fn send(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(10), self.output.next_line()).await;
        line.expect("an answer in time").unwrap().expect("an answer before the end")
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Value {
        self.send(line).await;
        self.receive().await
    }

    async fn is_alive(&mut self) {
        assert_eq!(
            self.ask(r#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#).await,
            json!({"jsonrpc": "2.0", "id": "alive", "result": {}})
        );
    }

    /// Closes the input and returns what is still written.
    async fn end(&mut self) -> Vec<String> {
        self.input.take().unwrap().shutdown().await.unwrap();
        let mut rest = Vec::new();
        let end = async {
            while let Some(line) = self.output.next_line().await.unwrap() {
                rest.push(line);
            }
            (&mut self.server).await.unwrap().unwrap();
        };
        tokio::time::timeout(Duration::from_secs(2), end).await.expect("an end within 2 seconds");
        rest
    }
}

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn ok(_: &Seen) -> Reply {
    Reply::ok("{\"ok\":true}")
}

async fn eventually_async(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if happened() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    eventually(what, happened);
}
