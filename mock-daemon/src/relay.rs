//! The way from the public port to the world: a wiremock server that only the front can reach.
//!
//! Responsible for: carrying a request that the guards let through to the world and its answer back, and for the tickets
//! under which answers are left. Not for: refusals, scripts and faults, which never get here.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use wiremock::{Match, Mock, MockServer, Request, ResponseTemplate};

use crate::World;
use crate::answer::{Answer, Outcome, Waiting};
use crate::read::read_response;
use crate::route::Route;
use crate::script::Response;

/// How many requests may be on their way inside at once. The inner server answers one after the other anyway, and it is
/// never awaited for long: an answer that has to wait waits in the front.
const LANES: usize = 16;

/// How many connections the kernel may keep waiting for the inner server: more than there are lanes.
const BACKLOG: u32 = 64;

/// The header by which a request inside names its ticket. It is never seen outside.
const TICKET: &str = "anet-mock-ticket";

/// Starts the inner server. It ends when the returned `MockServer` is dropped.
pub(crate) async fn start(world: World) -> io::Result<(MockServer, Relay)> {
    // Not left to the builder, which panics where it cannot bind.
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let listener = socket.listen(BACKLOG)?.into_std()?;
    let server = MockServer::builder().listener(listener).disable_request_recording().start().await;
    let tickets = Tickets::default();
    let desk = Desk { world, tickets: tickets.clone() };
    Mock::given(desk).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let relay = Relay { address: *server.address(), lanes: Semaphore::new(LANES), idle: Mutex::default(), tickets };
    Ok((server, relay))
}

/// The front's side of the inner server.
#[derive(Debug)]
pub(crate) struct Relay {
    address: SocketAddr,
    lanes: Semaphore,
    idle: Mutex<Vec<TcpStream>>,
    tickets: Tickets,
}

/// What came back.
#[derive(Debug)]
pub(crate) enum Relayed {
    /// The answer.
    Now(Response),
    /// The answer comes later.
    Later(Waiting),
}

impl Relay {
    /// Asks the world.
    pub(crate) async fn ask(&self, route: Route, body: &[u8]) -> io::Result<Relayed> {
        let _lane = self.lanes.acquire().await.map_err(io::Error::other)?;
        let ticket = self.tickets.draw();
        let idle = lock(&self.idle).pop();
        let mut stream = if let Some(stream) = idle {
            stream
        } else {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            stream
        };
        let mut request = format!(
            "POST {route} HTTP/1.1\r\nHost: {}\r\n{TICKET}: {}\r\nContent-Length: {}\r\n\r\n",
            self.address,
            ticket.number,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        stream.write_all(&request).await?;
        let status = read_response(&mut stream).await?;
        lock(&self.idle).push(stream);
        match ticket.redeem() {
            Some(Outcome::Now(answer)) => {
                Ok(Relayed::Now(Response::typed(answer.status, answer.content_type, answer.body)))
            }
            Some(Outcome::Later(waiting)) => Ok(Relayed::Later(waiting)),
            None => Err(io::Error::other(format!("the inner server answered {status} by itself"))),
        }
    }
}

/// What stands before the inner server's only mock: hands the request to the world and leaves the answer under its ticket.
///
/// It never matches, because a mock keeps every request that it matched for as long as it is mounted, and a daemon may run
/// for days.
struct Desk {
    world: World,
    tickets: Tickets,
}

impl Match for Desk {
    fn matches(&self, request: &Request) -> bool {
        let outcome = match Route::from_path(request.url.path()) {
            Some(route) => self.world.answer(route, &request.body),
            None => Outcome::Now(Answer::text(404, "404 page not found\n")),
        };
        let number = request.headers.get(TICKET).and_then(|value| value.to_str().ok()?.parse().ok());
        self.tickets.deposit(number, outcome);
        false
    }
}

/// Answers, by the number of the request that awaits them.
#[derive(Clone, Debug, Default)]
struct Tickets {
    next: Arc<AtomicU64>,
    open: Arc<Mutex<HashMap<u64, Option<Outcome>>>>,
}

impl Tickets {
    fn draw(&self) -> Ticket<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.open).insert(number, None);
        Ticket { tickets: self, number }
    }

    /// Leaves the answer for the front to find, unless nobody waits any more.
    fn deposit(&self, number: Option<u64>, outcome: Outcome) {
        let mut open = lock(&self.open);
        if let Some(slot) = number.and_then(|number| open.get_mut(&number)) {
            *slot = Some(outcome);
        }
    }
}

/// One request, answered now or later. Dropping it, because the caller is gone, drops the wait.
#[derive(Debug)]
struct Ticket<'a> {
    tickets: &'a Tickets,
    number: u64,
}

impl Ticket<'_> {
    fn redeem(self) -> Option<Outcome> {
        lock(&self.tickets.open).get_mut(&self.number).and_then(Option::take)
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        lock(&self.tickets.open).remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
