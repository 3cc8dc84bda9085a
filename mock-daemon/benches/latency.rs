//! What the fake daemon costs: its answers beside those of a bare wiremock that says the same bytes, in one run.
//!
//! Responsible for: a Markdown table of medians, rates and their ratios, of 500 waits ended by one event, of the memory that
//! many requests leave behind, and of the processor time that a thousand waits cost. Not for: judging; the numbers are read by
//! people.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anet_mock_daemon::{Daemon, Options, Outcome, Route};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// How many callers wait at once.
const WAITERS: usize = 500;
/// How many callers ask at once where a rate is measured.
const CALLERS: usize = 16;
/// How long the event is kept back: long enough for all of them to have asked.
const HELD: Duration = Duration::from_millis(1_500);
/// How many callers wait for nothing while the processor time is looked at.
const IDLERS: usize = 1_000;
/// For how long.
const IDLE: Duration = Duration::from_secs(5);

/// One connection, and the request that goes over it.
struct Caller {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Caller {
    async fn new(address: SocketAddr, token: &str, route: &str, body: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("it listens");
        stream.set_nodelay(true).expect("a TCP socket");
        let head = format!("POST {route} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n");
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
        Self { stream, request, buffer: Vec::new() }
    }

    /// Asks once. Every answer here is compact JSON with a newline behind it, which stands nowhere else.
    async fn ask(&mut self) {
        self.stream.write_all(&self.request).await.expect("it reads");
        self.buffer.clear();
        while !self.buffer.ends_with(b"}\n") {
            assert_ne!(self.stream.read_buf(&mut self.buffer).await.expect("it answers"), 0, "it hung up");
        }
        assert!(self.buffer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&self.buffer));
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The time of each of so many requests, one after the other.
async fn latencies(address: SocketAddr, token: &str, body: &str, rounds: usize) -> Vec<Duration> {
    let mut caller = Caller::new(address, token, "/tasks/get", body).await;
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let start = Instant::now();
        caller.ask().await;
        times.push(start.elapsed());
    }
    times
}

/// How long so many requests take, asked by so many callers at once.
async fn load(address: SocketAddr, token: &str, body: &str, rounds: usize, at_once: usize) -> Duration {
    let mut callers = Vec::new();
    for _ in 0..at_once {
        callers.push(Caller::new(address, token, "/tasks/get", body).await);
    }
    let start = Instant::now();
    let tasks: Vec<_> = callers
        .into_iter()
        .map(|mut caller| {
            tokio::spawn(async move {
                for _ in 0..rounds / at_once {
                    caller.ask().await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no caller panics");
    }
    start.elapsed()
}

/// Connects all waiters, lets them ask at once, and says when the last one was answered.
async fn wait(address: SocketAddr, token: &str, body: &str, event: impl AsyncFnOnce() -> Instant) -> Duration {
    let mut waiters = Vec::new();
    for _ in 0..WAITERS {
        let mut caller = Caller::new(address, token, "/tasks/wait", body).await;
        waiters.push(tokio::spawn(async move {
            caller.ask().await;
            Instant::now()
        }));
    }
    let from = event().await;
    let mut last = from;
    for waiter in waiters {
        last = last.max(waiter.await.expect("no waiter panics"));
    }
    last - from
}

/// A wiremock server that always says this.
async fn bare(body: &[u8]) -> MockServer {
    let server = MockServer::builder().disable_request_recording().start().await;
    let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

/// The pages of this process that are in memory, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("every process has memory");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number of KiB")
}

/// The processor time that this process used so far. The clock of the system counts it in hundredths of a second.
fn used() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let after_name = stat.rsplit(')').next().expect("a name in parentheses");
    // Of the fields behind the name, user and system time are the 12th and the 13th.
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Opens waits that nothing ends, and says how much processor time they used while they were open.
async fn idle(daemon: &Daemon, body: &str) -> Duration {
    let from = daemon.journal().len();
    let mut idlers = Vec::new();
    for _ in 0..IDLERS {
        let mut idler = Caller::new(daemon.address(), &daemon.token(), "/tasks/wait", body).await;
        idler.stream.write_all(&idler.request).await.expect("it reads");
        idlers.push(idler);
    }
    let soon = Instant::now() + Duration::from_secs(30);
    assert!(daemon.journal().wait_until(soon, |_| daemon.journal().len() >= from + IDLERS).await, "all of them ask");
    tokio::time::sleep(HELD).await;
    let before = used();
    tokio::time::sleep(IDLE).await;
    used().saturating_sub(before)
}

fn row(what: &str, ours: f64, theirs: f64, unit: &str, ratio: f64) {
    println!("| {what} | {ours:.1} {unit} | {theirs:.1} {unit} | {ratio:.2} |");
}

async fn measure(scale: usize) {
    let daemon = Daemon::start(Options { journal_limit: 1_000, ..Options::default() }).await.expect("it starts");
    let (address, token) = (daemon.address(), daemon.token());
    let id = daemon.world().with(|state| state.tasks()[0].id.clone());
    let body = json!({"task_id": id, "max_task_bytes": 24_576}).to_string();
    let Outcome::Now(answer) = daemon.world().answer(Route::TasksGet, body.as_bytes()) else {
        unreachable!("only a wait takes time")
    };
    let plain = bare(&answer.body).await;

    println!("| | daemon | bare wiremock | ratio |\n|---|---|---|---|");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        // In turns, so that whatever else the machine does meets both.
        ours.extend(latencies(address, &token, &body, scale / 10).await);
        theirs.extend(latencies(*plain.address(), &token, &body, scale / 10).await);
    }
    let (ours, theirs) = (median(ours).as_secs_f64() * 1e6, median(theirs).as_secs_f64() * 1e6);
    row(&format!("/tasks/get, {} bytes, median latency", answer.body.len()), ours, theirs, "µs", ours / theirs);

    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..2 {
        ours += load(address, &token, &body, scale, CALLERS).await;
        theirs += load(*plain.address(), &token, &body, scale, CALLERS).await;
    }
    let rate = |taken: Duration| f64::from(u32::try_from(scale * 2).expect("a small number")) / taken.as_secs_f64();
    let what = format!("/tasks/get, requests a second, {CALLERS} callers");
    row(&what, rate(ours), rate(theirs), "/s", ours.as_secs_f64() / theirs.as_secs_f64());

    let held = daemon.world().with(|state| {
        let task = state.tasks().iter().find(|task| task.state.stored() == "working");
        task.map(|task| (task.id.clone(), task.seq)).expect("the world has such a task")
    });
    let body = json!({"task_id": held.0, "after_seq": held.1, "timeout_ms": 60_000}).to_string();
    let ours = wait(address, &token, &body, async || {
        tokio::time::sleep(HELD).await;
        let from = Instant::now();
        assert!(daemon.world().speak(&held.0, "Here it is."));
        from
    })
    .await;
    // It cannot wait for an event; what it takes to answer as many callers at once is the least that can be asked.
    let theirs = load(*plain.address(), &token, &body, WAITERS, WAITERS).await;
    let (ours, theirs) = (ours.as_secs_f64() * 1e3, theirs.as_secs_f64() * 1e3);
    row(
        &format!("{WAITERS} waits, from the event to the last answer (bare: from the question)"),
        ours,
        theirs,
        "ms",
        ours / theirs,
    );

    let body = json!({"task_id": id, "max_task_bytes": 24_576}).to_string();
    load(address, &token, &body, scale, CALLERS).await;
    let before = resident();
    load(address, &token, &body, scale * 20, CALLERS).await;
    println!("\nMemory: {before} KiB, and {} KiB after {} more requests.", resident(), scale * 20);

    let open = daemon.world().with(|state| {
        let task = state.tasks().iter().find(|task| !task.state.terminal());
        task.map(|task| task.id.clone()).expect("the world has such a task")
    });
    let body = json!({"task_id": open, "after_seq": i64::MAX, "timeout_ms": 3_600_000}).to_string();
    let used = idle(&daemon, &body).await;
    println!("{IDLERS} waits, open for {} s, used {} ms of processor time.", IDLE.as_secs(), used.as_millis());
}

fn main() {
    // `cargo bench` says so; without it this only shows that it still runs.
    let scale = if std::env::args().any(|argument| argument == "--bench") { 5_000 } else { 160 };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    println!("{} build", if cfg!(debug_assertions) { "Dev" } else { "Release" });
    runtime.block_on(measure(scale));
}
