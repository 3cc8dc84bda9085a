//! The candidate's process: started in a group of its own, its streams read without end, ended for good.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::command::Command;

/// What a candidate may write on stdout in one case: an answer of 8 MB that is passed on in text and structuredContent takes
/// less than half of it. What comes beyond is a flood, which is not kept.
const MOST_OUTPUT: usize = 48 << 20;
/// So many lines are a flood, too.
const MOST_LINES: usize = 20_000;
/// Of stderr, so much is kept from the beginning and as much from the end.
const STDERR_PART: usize = 64 << 10;

/// What came from a candidate so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Complete lines, without their ends, and when each was complete.
    pub(super) lines: Vec<(Vec<u8>, Instant)>,
    /// What stands after the last line end.
    pub(super) rest: Vec<u8>,
    /// Whether stdout has ended.
    pub(super) closed: bool,
    /// Whether more came than anybody asked for; nothing is kept from then on.
    pub(super) flooded: bool,
    /// How many bytes and lines came since the case began.
    bytes: usize,
    count: usize,
    stderr_head: Vec<u8>,
    stderr_tail: Vec<u8>,
    stderr_dropped: usize,
}

impl Heard {
    /// What was written to stderr: the beginning and, after a flood, the end.
    pub(super) fn stderr(&self) -> Vec<u8> {
        let mut all = self.stderr_head.clone();
        if self.stderr_dropped > 0 {
            all.extend_from_slice(format!("\n... {} bytes left out ...\n", self.stderr_dropped).as_bytes());
        }
        all.extend_from_slice(&self.stderr_tail);
        all
    }

    /// Begins to count anew: another case begins.
    fn begin(&mut self) {
        (self.bytes, self.count, self.flooded) = (0, 0, false);
    }

    fn take_output(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        if self.bytes > MOST_OUTPUT || self.count > MOST_LINES {
            self.flooded = true;
            self.rest = Vec::new();
            return;
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let mut line = std::mem::take(&mut self.rest);
                line.pop();
                if line.ends_with(b"\r") {
                    line.pop();
                }
                self.count += 1;
                self.lines.push((line, Instant::now()));
            }
        }
    }

    fn take_error(&mut self, bytes: &[u8]) {
        let room = STDERR_PART.saturating_sub(self.stderr_head.len()).min(bytes.len());
        self.stderr_head.extend_from_slice(&bytes[..room]);
        self.stderr_tail.extend_from_slice(&bytes[room..]);
        if self.stderr_tail.len() > STDERR_PART {
            let over = self.stderr_tail.len() - STDERR_PART;
            self.stderr_tail.drain(..over);
            self.stderr_dropped += over;
        }
    }
}

/// A running candidate.
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
    stdin: Option<ChildStdin>,
    heard: Arc<Mutex<Heard>>,
    news: watch::Receiver<u64>,
    readers: Vec<JoinHandle<()>>,
    /// When its input was closed or it was told to end.
    pub(super) told_to_end: Option<Instant>,
    status: Option<(ExitStatus, Instant)>,
    killed: bool,
    /// A path that only the environment of this candidate and of what it started holds.
    mark: Vec<u8>,
}

impl Process {
    /// Starts it. Fails if the program cannot be run.
    pub(super) fn start(command: &Command, work: &Path, environment: Vec<(OsString, OsString)>) -> io::Result<Self> {
        let home = environment.iter().find(|(name, _)| name == "HOME");
        let mark = home.map(|(_, path)| path.as_encoded_bytes().to_vec()).unwrap_or_default();
        let mut builder = tokio::process::Command::new(lookup(&command.program));
        builder
            .args(&command.arguments)
            .current_dir(work)
            .env_clear()
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = builder.spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(group) = group {
            super::schedule::remember_group(group);
        }
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (told, news) = watch::channel(0);
        let told = Arc::new(told);
        let mut readers = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            readers.push(read(stdout, Arc::clone(&heard), Arc::clone(&told), true));
        }
        if let Some(stderr) = child.stderr.take() {
            readers.push(read(stderr, Arc::clone(&heard), told, false));
        }
        let stdin = child.stdin.take();
        Ok(Self { child, group, stdin, heard, news, readers, told_to_end: None, status: None, killed: false, mark })
    }

    /// What came so far, for a look.
    pub(super) fn heard<T>(&self, look: impl FnOnce(&Heard) -> T) -> T {
        look(&self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lines that came since this was asked last.
    pub(super) fn take_lines(&self) -> Vec<(Vec<u8>, Instant)> {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner).lines)
    }

    /// Says that another case begins: what it writes is counted anew.
    pub(super) fn begin_case(&self) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).begin();
    }

    /// Says when something has come from it.
    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.clone()
    }

    /// Writes to its input. False if it no longer reads or does not take the bytes within the bound.
    pub(super) async fn write(&mut self, bytes: &[u8], bound: Duration) -> bool {
        let Some(stdin) = self.stdin.as_mut() else { return false };
        let writing = async {
            stdin.write_all(bytes).await?;
            stdin.flush().await
        };
        matches!(tokio::time::timeout(bound, writing).await, Ok(Ok(())))
    }

    /// Closes its input.
    pub(super) fn close_input(&mut self) {
        if self.stdin.take().is_some() {
            self.tell_to_end();
        }
    }

    /// From here on its end is no longer its own choice; one that has ended already keeps its own.
    fn tell_to_end(&mut self) {
        if self.status.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.status = Some((status, Instant::now()));
        }
        if self.status.is_none() {
            self.told_to_end.get_or_insert_with(Instant::now);
        }
    }

    /// Sends SIGTERM to it (not to its children).
    pub(super) fn terminate(&mut self) {
        self.tell_to_end();
        if let Some(pid) = self.group {
            // It may have ended already; that is fine.
            let _ = rustix::process::kill_process(pid, Signal::TERM);
        }
    }

    /// Waits for its end, at most so long. True if it has ended.
    pub(super) async fn ended(&mut self, bound: Duration) -> bool {
        if self.status.is_some() {
            return true;
        }
        match tokio::time::timeout(bound, self.child.wait()).await {
            Ok(Ok(status)) => {
                self.status = Some((status, Instant::now()));
                true
            }
            _ => false,
        }
    }

    /// Ends it for good: input closed, a bound, SIGTERM, another bound, SIGKILL to the whole group. Gives back how many
    /// processes of its group outlived it (0 or 1: more are not told apart).
    pub(super) async fn finish(&mut self, exit: Duration, terminate: Duration) -> usize {
        self.close_input();
        if !self.ended(exit).await {
            self.killed = true;
            self.terminate();
            if !self.ended(terminate).await {
                self.kill_group();
                self.ended(terminate).await;
            }
        }
        // What it wrote last is still on its way through the pipe; a child that holds the pipe open must not hold us.
        for reader in &mut self.readers {
            if tokio::time::timeout(Duration::from_millis(300), &mut *reader).await.is_err() {
                reader.abort();
            }
        }
        let orphans = usize::from(self.has_survivors().await);
        self.kill_group();
        let strays = strays(&self.mark);
        for stray in &strays {
            let _ = rustix::process::kill_process(*stray, Signal::KILL);
        }
        if let Some(group) = self.group {
            super::schedule::forget_group(group);
        }
        orphans.max(strays.len())
    }

    async fn has_survivors(&self) -> bool {
        let Some(group) = self.group else { return false };
        // A child that ends with its parent needs a moment; there is no event to wait for.
        for _ in 0..15 {
            if test_kill_process_group(group).is_err() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }

    fn kill_group(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// How it ended, if it did: status, when, and whether it had to be killed.
    pub(super) fn exit(&self) -> Option<(ExitStatus, Instant, bool)> {
        self.status.map(|(status, at)| (status, at, self.killed))
    }
}

/// Processes that left the candidate's group but still carry its environment. Where there is no /proc, none are found.
fn strays(mark: &[u8]) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let carries = |environment: Vec<u8>| !mark.is_empty() && environment.windows(mark.len()).any(|part| part == mark);
    entries
        .flatten()
        .filter_map(|entry| {
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let environment = std::fs::read(entry.path().join("environ")).ok()?;
            carries(environment).then_some(pid)
        })
        .collect()
}

/// Exit code and signal of a status.
pub(super) fn code_and_signal(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    (status.code(), status.signal())
}

/// Finds a program without a slash on PATH, since the environment of the child is not ours.
fn lookup(program: &OsStr) -> PathBuf {
    let path = PathBuf::from(program);
    if program.to_string_lossy().contains('/') {
        return path;
    }
    std::env::var_os("PATH")
        .and_then(|all| {
            std::env::split_paths(&all).map(|directory| directory.join(program)).find(|found| found.is_file())
        })
        .unwrap_or(path)
}

fn read(
    mut stream: impl AsyncRead + Send + Unpin + 'static,
    heard: Arc<Mutex<Heard>>,
    told: Arc<watch::Sender<u64>>,
    is_output: bool,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = stream.read(&mut buffer).await.unwrap_or(0);
            {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                match (count, is_output) {
                    (0, true) => heard.closed = true,
                    (0, false) => {}
                    (_, true) => heard.take_output(&buffer[..count]),
                    (_, false) => heard.take_error(&buffer[..count]),
                }
            }
            told.send_modify(|count| *count += 1);
            if count == 0 {
                return;
            }
        }
    })
}
