//! The public port: connections, exchanges, and callers that hang up.
//!
//! Responsible for: reading requests, journalling them, playing the script, asking the mocks and then the world, redeeming
//! answers that come later, and noticing at once when a caller is gone. Not for: what is answered (`routes`, `mocks`), nor
//! for starting (`daemon`).

use std::future::{pending, poll_fn};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::World;
use crate::answer::{Answer, Outcome, Waiting};
use crate::fault::{self, Fault};
use crate::guard::{Access, Passage, Refusal, judge};
use crate::http::{Head, Then, bodiless, encode_head};
use crate::journal::{Entry, Journal, Page, Trespass};
use crate::mocks;
use crate::ping;
use crate::read::{HEAD_PATIENCE, Malformed, Request, Unreadable, read_request};
use crate::route::Route;
use crate::script::{Reply, Response, Script};

/// How many bytes a caller may send ahead while it awaits an answer; beyond that it is no longer read.
const AHEAD_LIMIT: usize = 1 << 20;

/// How long a refused caller is read after the refusal, so that closing does not reset the connection before it has
/// read what it was told.
const LINGER: Duration = Duration::from_millis(500);

/// The pause after an accept that failed (no file handles left, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// What all connections of one daemon share.
#[derive(Debug)]
pub(crate) struct Front {
    /// The rules.
    pub(crate) script: Script,
    /// The journal.
    pub(crate) journal: Journal,
    /// What the routes answer from.
    pub(crate) world: World,
    /// Where mocks are asked, once there may be any.
    pub(crate) mocks: OnceLock<SocketAddr>,
    /// Port and token in force.
    pub(crate) access: RwLock<Access>,
    /// The node's AID, which `GET /ping` tells.
    pub(crate) aid: String,
    /// How many connections were accepted so far.
    pub(crate) connections: AtomicU64,
}

/// A listener and the connections that came through it.
#[derive(Debug)]
pub(crate) struct Listening {
    /// Shared with the accepting task; emptying it closes the port at once, whoever holds the task.
    listener: Arc<Mutex<Option<TcpListener>>>,
    /// Each task has a receiver: a message ends them all, and the last one gone tells that it is done.
    live: watch::Sender<()>,
}

impl Listening {
    /// Starts to accept. Must be called within a runtime.
    pub(crate) fn open(listener: TcpListener, front: Arc<Front>) -> Self {
        let listener = Arc::new(Mutex::new(Some(listener)));
        let live = watch::Sender::new(());
        tokio::spawn(accept(Arc::clone(&listener), front, live.subscribe()));
        Self { listener, live }
    }

    /// Refuses connections from now on and tells the open ones to close. Returns what [`Closing::done`] waits for.
    pub(crate) fn close(self) -> Closing {
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(listener) = listener {
            // A program that starts processes may hold a second handle between fork and exec, and closing ours alone
            // would let the port go on listening until then. Where a listener cannot be shut down, closing it must do.
            let _ = rustix::net::shutdown(&listener, rustix::net::Shutdown::Both);
        }
        self.live.send_replace(());
        Closing { live: self.live }
    }
}

/// A listener that is gone, and its connections that are going.
pub(crate) struct Closing {
    live: watch::Sender<()>,
}

impl Closing {
    /// Returns when no connection is left.
    pub(crate) async fn done(self) {
        self.live.closed().await;
    }
}

async fn accept(listener: Arc<Mutex<Option<TcpListener>>>, front: Arc<Front>, mut live: watch::Receiver<()>) {
    loop {
        let next = poll_fn(|context| match &*listener.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(listener) => listener.poll_accept(context).map(Some),
            None => std::task::Poll::Ready(None),
        });
        let accepted = tokio::select! {
            biased;
            _ = live.changed() => return,
            accepted = next => accepted,
        };
        match accepted {
            None => return,
            Some(Err(_)) => sleep(ACCEPT_PAUSE).await,
            Some(Ok((stream, _))) => {
                let front = Arc::clone(&front);
                let mut live = live.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        biased;
                        _ = live.changed() => {}
                        () = front.serve(stream) => {}
                    }
                });
            }
        }
    }
}

impl Front {
    /// Serves one connection to its end.
    async fn serve(&self, stream: TcpStream) {
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        // Answers are written whole: waiting for more would only delay them. Failing to say so costs speed alone.
        let _ = stream.set_nodelay(true);
        let mut caller = Caller { stream, buffered: Vec::new() };
        loop {
            match read_request(&mut caller.stream, &mut caller.buffered, HEAD_PATIENCE).await {
                Err(Unreadable::Closed) => return,
                Err(Unreadable::Malformed(malformed)) => {
                    return self.refuse(*malformed, connection, caller).await;
                }
                Ok(request) => match self.exchange(request, connection, &mut caller).await {
                    Then::Keep => {}
                    Then::Close => return,
                },
            }
        }
    }

    /// Journals and answers what is no request.
    async fn refuse(&self, malformed: Malformed, connection: u64, mut caller: Caller) {
        let Malformed { head, bytes, at, answer, hung_up } = malformed;
        let page = self.journal.open(entry(head, bytes, at, connection, Some(Trespass::Malformed)));
        if hung_up {
            page.hung_up();
        }
        if let Some(answer) = answer {
            page.answered(answer.status, &answer.body);
            let mut bytes = encode_head(&answer, answer.body.len(), Then::Close);
            bytes.extend_from_slice(&answer.body);
            if caller.write(&bytes).await.is_err() {
                page.hung_up();
            }
            drop(page);
            caller.linger().await;
        }
    }

    /// Journals a request and answers it, one way or another.
    async fn exchange(&self, request: Request, connection: u64, caller: &mut Caller) -> Then {
        let Request { head, body, at } = request;
        let verdict = judge(&head, &self.access.read().unwrap_or_else(PoisonError::into_inner));
        let trespass = verdict.as_ref().err().map(|refusal| refusal.trespass);
        let page = self.journal.open(entry(head.clone(), body.clone(), at, connection, trespass));
        let admitted = match verdict {
            Ok(Passage::Route(route)) => Some(route),
            Ok(Passage::Ping) | Err(_) => None,
        };
        let reply = self.script.take(head.path(), admitted).unwrap_or(Reply::World);
        let asked = Asked { head: &head, body: &body, verdict };
        self.play(reply, asked, caller, &page).await.unwrap_or_else(|Gone| {
            page.hung_up();
            Then::Close
        })
    }

    async fn play(&self, mut reply: Reply, asked: Asked<'_>, caller: &mut Caller, page: &Page) -> Result<Then, Gone> {
        let head = asked.head;
        let response = loop {
            match reply {
                Reply::Hold { name, then } => {
                    caller.while_there(self.script.released(&name)).await?;
                    reply = *then;
                }
                Reply::Respond(response) => break response,
                Reply::Fault(fault) => {
                    let then = fault::play(fault, caller, page).await?;
                    return Ok(if head.keeps_alive() { then } else { Then::Close });
                }
                Reply::World => match self.unscripted(&asked, caller).await? {
                    Some(response) => break response,
                    None => reply = Reply::Fault(Fault::CloseAtOnce),
                },
            }
        };
        caller.wait(response.delay).await?;
        page.answered(response.status, &response.body);
        send(&response, head, caller).await
    }

    /// What is answered without a script; nothing when a mock breaks the connection.
    async fn unscripted(&self, asked: &Asked<'_>, caller: &mut Caller) -> Result<Option<Response>, Gone> {
        let route = match &asked.verdict {
            Err(refusal) => return Ok(Some(refusal.response.clone())),
            Ok(Passage::Ping) => {
                let access = self.access.read().unwrap_or_else(PoisonError::into_inner).clone();
                return Ok(Some(ping::answer(asked.head.query(), &access, &self.aid)));
            }
            Ok(Passage::Route(route)) => *route,
        };
        if let Some(mocks) = self.mocks.get() {
            match caller.while_there(mocks::ask(*mocks, asked.head, asked.body)).await? {
                Ok(None) => {}
                Ok(said) => return Ok(said),
                Err(_) => return Ok(None),
            }
        }
        let answer = match self.world.answer(route, asked.body) {
            Outcome::Now(answer) => answer,
            Outcome::Later(waiting) => redeem(waiting, caller).await?,
        };
        Ok(Some(answer.into()))
    }
}

/// A request and what the guards say of it.
struct Asked<'a> {
    head: &'a Head,
    body: &'a [u8],
    verdict: Result<Passage, Refusal>,
}

fn entry(head: Head, body: Vec<u8>, at: Instant, connection: u64, trespass: Option<Trespass>) -> Entry {
    let route = Route::from_path(head.path());
    let Head { method, target, headers, .. } = head;
    Entry {
        index: 0,
        at: at.into_std(),
        method,
        target,
        headers,
        body,
        connection,
        route,
        trespass,
        answered: None,
        hung_up_at: None,
    }
}

/// Writes a whole answer.
async fn send(response: &Response, head: &Head, caller: &mut Caller) -> Result<Then, Gone> {
    let own = response.headers.iter().any(|(name, _)| {
        ["Content-Length", "Transfer-Encoding", "Connection"].iter().any(|fixed| name.eq_ignore_ascii_case(fixed))
    });
    // Framing of the script's own may be wrong on purpose: nothing can follow it on the same connection.
    let then = if head.keeps_alive() && !own { Then::Keep } else { Then::Close };
    let mut bytes = encode_head(response, response.body.len(), then);
    if head.method != "HEAD" && !bodiless(response.status) {
        bytes.extend_from_slice(&response.body);
    }
    caller.write(&bytes).await?;
    Ok(then)
}

/// Waits for the world's answer, or for the time to be over, as long as the caller is there.
async fn redeem(waiting: Waiting, caller: &mut Caller) -> Result<Answer, Gone> {
    let Waiting { timeout, mut changed, resume } = waiting;
    let start = Instant::now();
    let until = start.checked_add(timeout).unwrap_or(start);
    loop {
        changed.borrow_and_update();
        if let Some(answer) = resume(false) {
            return Ok(answer);
        }
        let moved = async {
            if changed.changed().await.is_err() {
                // The world is gone, and nothing will end the wait but its time.
                pending::<()>().await;
            }
        };
        if caller.while_there(timeout_at(until, moved)).await?.is_err() {
            return Ok(resume(true).unwrap_or_else(Answer::interrupted));
        }
    }
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        Self::typed(answer.status, answer.content_type, answer.body)
    }
}

/// The other end of a connection.
#[derive(Debug)]
pub(crate) struct Caller {
    stream: TcpStream,
    /// Bytes that were read and not used yet.
    buffered: Vec<u8>,
}

/// The caller closed or reset the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl Caller {
    /// Writes all of it.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.stream.write_all(bytes).await.map_err(|_| Gone)
    }

    /// Waits, as long as the caller is there.
    pub(crate) async fn wait(&mut self, delay: Duration) -> Result<(), Gone> {
        if delay.is_zero() { Ok(()) } else { self.while_there(sleep(delay)).await }
    }

    /// Does the work unless the caller goes away first.
    pub(crate) async fn while_there<F: Future>(&mut self, work: F) -> Result<F::Output, Gone> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            gone = self.gone() => Err(gone),
        }
    }

    /// Returns when the caller is gone. What it sends meanwhile is kept. Like Go's server, it takes a caller that closes
    /// its sending half for one that does not want the answer any more.
    pub(crate) async fn gone(&mut self) -> Gone {
        while self.buffered.len() < AHEAD_LIMIT {
            match self.stream.read_buf(&mut self.buffered).await {
                Ok(0) | Err(_) => return Gone,
                Ok(_) => {}
            }
        }
        pending().await
    }

    /// Makes the close that follows a reset.
    pub(crate) fn reset_when_closed(&self) {
        // Without it the connection is closed in order: weaker than asked, and nothing else can be done about it.
        let _ = self.stream.set_zero_linger();
    }

    /// Closes in order: says that nothing more comes, and reads what is still on its way.
    async fn linger(mut self) {
        if self.stream.shutdown().await.is_err() {
            return;
        }
        let drained = async {
            let mut waste = [0; 4096];
            while matches!(self.stream.read(&mut waste).await, Ok(1..)) {}
        };
        // Too slow a caller is simply closed.
        let _ = timeout(LINGER, drained).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Far longer than a wait that is ended by an event may take.
    const HOURS: Duration = Duration::from_secs(36_000);

    /// Both ends of a connection: ours, and the caller's own.
    async fn connected() -> (Caller, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        let (far, near) = tokio::join!(TcpStream::connect(address), listener.accept());
        (Caller { stream: near.expect("accepted").0, buffered: Vec::new() }, far.expect("connected"))
    }

    /// A wait that ends when the number reaches `enough`; the token is dropped with it.
    fn waiting(world: &watch::Sender<u64>, enough: u64, timeout: Duration, token: Arc<()>) -> Waiting {
        let seen = world.subscribe();
        let resume = Box::new(move |over: bool| {
            assert!(Arc::strong_count(&token) > 0, "captured, and so dropped with the wait");
            let now = *seen.borrow();
            (over || now >= enough).then(|| Answer::json(200, format!("{over} {now}")))
        });
        Waiting { timeout, changed: world.subscribe(), resume }
    }

    #[tokio::test]
    async fn a_wait_ends_with_the_event_that_it_waits_for() {
        let world = watch::Sender::new(0);
        let (mut caller, _far) = connected().await;
        let wait = redeem(waiting(&world, 3, HOURS, Arc::default()), &mut caller);
        let moves = async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
                world.send_modify(|number| *number += 1);
            }
        };
        let (answer, ()) = tokio::join!(wait, moves);
        assert_eq!(answer.expect("still there").body, b"false 3");
        let at_once = redeem(waiting(&world, 3, HOURS, Arc::default()), &mut caller).await;
        assert_eq!(at_once.expect("still there").body, b"false 3", "what happened before the first look counts");
    }

    #[tokio::test]
    async fn a_wait_whose_time_is_over_says_so() {
        let world = watch::Sender::new(0);
        let (mut caller, _far) = connected().await;
        let short = Duration::from_millis(2);
        let answer = redeem(waiting(&world, 1, short, Arc::default()), &mut caller).await;
        assert_eq!(answer.expect("still there").body, b"true 0");
        let orphan = waiting(&world, 1, short, Arc::default());
        drop(world);
        assert_eq!(redeem(orphan, &mut caller).await.expect("still there").body, b"true 0");
    }

    #[tokio::test]
    async fn a_wait_is_dropped_when_its_caller_hangs_up() {
        let world = watch::Sender::new(0);
        let (mut caller, far) = connected().await;
        let token = Arc::new(());
        let wait = redeem(waiting(&world, 1, HOURS, Arc::clone(&token)), &mut caller);
        let (answer, ()) = tokio::join!(wait, async { drop(far) });
        assert_eq!(answer.expect_err("gone"), Gone);
        assert_eq!((Arc::strong_count(&token), world.receiver_count()), (1, 0));
    }
}
