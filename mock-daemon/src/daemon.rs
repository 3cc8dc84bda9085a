//! One fake daemon: started, steered, and gone when dropped.
//!
//! Responsible for: the public handle, listening and restarting, and the order in which things start and end. Not for:
//! what happens on a connection (`front`), nor for the directory (`home`).

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use tokio::net::TcpSocket;
use tokio::sync::OnceCell;
use tokio::task::AbortHandle;
use wiremock::MockServer;

use crate::World;
use crate::front::{Closing, Front, Listening};
use crate::guard::Access;
use crate::home::{Home, new_token};
use crate::journal::{DEFAULT_LIMIT, Journal, Watcher};
use crate::mocks;
use crate::script::{Rule, Script};

/// How many callers may knock at the same moment. Beyond it the kernel lets them try again after a second, which a test
/// with hundreds of callers would feel.
const BACKLOG: u32 = 1024;

/// A fake daemon. It stops, and removes what it wrote, when dropped.
///
/// Its connections are served on the runtime in which it was started.
pub struct Daemon {
    front: Arc<Front>,
    world: World,
    port: Mutex<Port>,
    /// One restart at a time.
    restarting: tokio::sync::Mutex<()>,
    home: Home,
    /// Does in the world what falls due.
    clock: AbortHandle,
    /// Where mocks are mounted; not there before somebody asks for it.
    mocks: OnceCell<MockServer>,
}

/// How a daemon starts.
#[derive(Clone)]
pub struct Options {
    /// The data directory; a fresh temporary one when absent.
    pub data_dir: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// What the routes answer from.
    pub world: World,
    /// How many requests the journal keeps at least; older ones go.
    pub journal_limit: usize,
    /// Told of each request when it is over.
    pub watcher: Option<Watcher>,
}

impl Default for Options {
    fn default() -> Self {
        Self { data_dir: None, port: 0, world: World::default(), journal_limit: DEFAULT_LIMIT, watcher: None }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("data_dir", &self.data_dir)
            .field("port", &self.port)
            .field("journal_limit", &self.journal_limit)
            .finish_non_exhaustive()
    }
}

/// What a restart changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restart {
    /// Listens on another port.
    pub new_port: bool,
    /// Makes another token.
    pub new_token: bool,
}

/// Why a daemon did not start, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The directory is somebody else's.
    #[error(
        "{path} holds {file}, which is not the fake daemon's: nothing was touched. Name a directory that is empty or not there yet."
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// The first file found that is not ours.
        file: String,
    },
    /// Another fake daemon runs there.
    #[error("A fake daemon already runs in {path} and listens on {address}. Stop it, or name another directory.")]
    InUse {
        /// The directory.
        path: PathBuf,
        /// Where it listens.
        address: SocketAddr,
    },
    /// The path is a file.
    #[error("{path} is no directory. Name a directory that is empty or not there yet.")]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The directory or its files cannot be made.
    #[error(
        "Cannot write the data directory {path}: {source}. Check its owner and its permissions, or name another one."
    )]
    Files {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The port cannot be had.
    #[error("Cannot listen on 127.0.0.1:{port}: {source}. Choose another port, or 0 for any that is free.")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The machine refuses something else.
    #[error("Cannot start the fake daemon: {0}.")]
    System(#[source] io::Error),
}

impl StartError {
    /// A failure with the files of this directory.
    pub(crate) fn files(path: &Path, source: io::Error) -> Self {
        Self::Files { path: path.to_owned(), source }
    }
}

impl Daemon {
    /// Starts a daemon. When this returns it listens and its files are written.
    #[expect(clippy::unused_async, reason = "it spawns tasks: `async` keeps it from being called outside a runtime")]
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let Options { data_dir, port, world, journal_limit, watcher } = options;
        let home = Home::claim(data_dir.as_deref())?;
        let listener =
            bind(port).and_then(|socket| socket.listen(BACKLOG)).map_err(|source| StartError::Port { port, source })?;
        let port = listener.local_addr().map_err(StartError::System)?.port();
        let access = Access { port, token: new_token().map_err(StartError::System)? };
        home.write(&access).map_err(|source| StartError::files(home.path(), source))?;
        let front = Arc::new(Front {
            script: Script::new(),
            journal: Journal::new(journal_limit, watcher),
            world: world.clone(),
            mocks: OnceLock::new(),
            access: RwLock::new(access),
            aid: world.aid(),
            connections: AtomicU64::new(0),
        });
        let listening = Listening::open(listener, Arc::clone(&front));
        let clock = {
            let world = world.clone();
            tokio::spawn(async move { world.run_clock().await }).abort_handle()
        };
        world.located(&home.path().to_string_lossy(), port);
        Ok(Self {
            front,
            world,
            port: Mutex::new(Port::Open(listening)),
            restarting: tokio::sync::Mutex::default(),
            home,
            clock,
            mocks: OnceCell::new(),
        })
    }

    /// The public address: the one in `config.json`.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.access().port))
    }

    /// The bearer token in force: 48 lowercase hex characters.
    pub fn token(&self) -> String {
        self.access().token
    }

    /// The data directory, absolute: the value for `ANET_DATA_DIR`.
    pub fn data_dir(&self) -> &Path {
        self.home.path()
    }

    /// Every request so far.
    pub fn journal(&self) -> &Journal {
        &self.front.journal
    }

    /// Adds a rule. Later rules win over earlier ones; a rule that is used up is gone.
    pub fn script(&self, rule: Rule) {
        self.front.script.add(rule);
    }

    /// Forgets all rules. What is being held stays held.
    pub fn clear_script(&self) {
        self.front.script.clear();
    }

    /// Lets go what is held under this name, and what will be.
    pub fn release(&self, hold: &str) {
        self.front.script.release(hold);
    }

    /// wiremock's server for this daemon: what is mounted on it answers before the world, with the means that wiremock
    /// has for it (matchers, responders, priorities, `up_to_n_times`, scopes, expectations). Mocks see the requests that the
    /// guards let through and no [`Rule`] answers; an answer of theirs that is an empty 404 leaves the request to the world.
    /// Expectations that are not met make dropping the daemon panic. wiremock keeps what its mocks matched, so that memory
    /// grows with the requests they answer.
    ///
    /// Fails when the server cannot be started.
    pub async fn mocks(&self) -> io::Result<&MockServer> {
        let server = self.mocks.get_or_try_init(mocks::start).await?;
        self.front.mocks.get_or_init(|| *server.address());
        Ok(server)
    }

    /// The state from which the routes answer.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Goes away and comes back: the listener and its connections are gone, the files are written anew. World, journal
    /// and script stay.
    pub async fn restart(&self, how: Restart) -> io::Result<()> {
        let _one = self.restarting.lock().await;
        let mut access = self.access();
        if how.new_token {
            access.token = new_token()?;
        }
        // Taken before the old one goes, so that it cannot be the same.
        let moved = if how.new_port { Some(bind(0)?) } else { None };
        if let Some(closing) = self.close() {
            closing.done().await;
        }
        let socket = match moved {
            Some(socket) => socket,
            None => self.reserved(access.port)?,
        };
        let listener = socket.listen(BACKLOG)?;
        access.port = listener.local_addr()?.port();
        self.home.write(&access)?;
        self.world.located(&self.data_dir().to_string_lossy(), access.port);
        *self.front.access.write().unwrap_or_else(PoisonError::into_inner) = access;
        *self.port() = Port::Open(Listening::open(listener, Arc::clone(&self.front)));
        Ok(())
    }

    /// Refuses connections from now on and closes the open ones, as a daemon that died. The files stay, as after a crash.
    pub fn stop_listening(&self) {
        self.close();
    }

    /// Listens again on the same port. Fails when somebody else took it meanwhile.
    pub async fn resume_listening(&self) -> io::Result<()> {
        let _one = self.restarting.lock().await;
        if !matches!(*self.port(), Port::Open(_)) {
            let listener = self.reserved(self.access().port)?.listen(BACKLOG)?;
            *self.port() = Port::Open(Listening::open(listener, Arc::clone(&self.front)));
        }
        Ok(())
    }

    /// Closes the port, unless it is closed, and reserves it.
    fn close(&self) -> Option<Closing> {
        let number = self.access().port;
        let mut port = self.port();
        match std::mem::replace(&mut *port, Port::Closed(None)) {
            Port::Open(listening) => {
                let closing = listening.close();
                // Without the reservation the port may go to somebody else, and coming back tells.
                *port = Port::Closed(bind(number).ok());
                Some(closing)
            }
            closed @ Port::Closed(_) => {
                *port = closed;
                None
            }
        }
    }

    /// The socket that holds our closed port.
    fn reserved(&self, number: u16) -> io::Result<TcpSocket> {
        match &mut *self.port() {
            Port::Closed(reserved) => reserved.take().map_or_else(|| bind(number), Ok),
            Port::Open(_) => bind(number),
        }
    }

    fn access(&self) -> Access {
        self.front.access.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn port(&self) -> MutexGuard<'_, Port> {
        self.port.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The reservation goes with the rest of the daemon a moment later.
        self.close();
        self.clock.abort();
        if let Some(mocks) = self.mocks.take() {
            // Dropping a wiremock server awaits a lock of tokio's, outside of the scheduler. In a task that has used up its
            // budget for this turn that never ends, so it is done where there is no task.
            let unmet = std::thread::spawn(move || drop(mocks)).join();
            if let Err(unmet) = unmet
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(unmet);
            }
        }
    }
}

impl fmt::Debug for Daemon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Daemon")
            .field("address", &self.address())
            .field("data_dir", &self.data_dir())
            .field("journal", self.journal())
            .finish_non_exhaustive()
    }
}

/// The public port.
enum Port {
    /// It listens.
    Open(Listening),
    /// It refuses. The socket is bound and does not listen, so that no other program is given the port meanwhile.
    Closed(Option<TcpSocket>),
}

fn bind(port: u16) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    // Connections of the listener before us may still linger in the kernel.
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    Ok(socket)
}
