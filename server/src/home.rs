//! Which daemon: the data directory, the control address in it and the token.
//!
//! Responsible for the order in which an identity is chosen, for reading `config.json`, `control_token.txt` and the
//! per-user pointer file, and for refusing whatever is not loopback before anybody sends a token there. Not for
//! calling the daemon. Reads only, never creates a file. Serves sections 1.1 and 1.2 of the control plane and R11.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Files of the daemon are small; a limit keeps a mistaken path (a device, a log) from filling the memory.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// What the choice of a data directory depends on, taken from the process or written down by a test.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `--id NAME` of the command line.
    pub id: Option<String>,
    /// `ANET_ID`.
    pub anet_id: Option<OsString>,
    /// `ANET_DATA_DIR`.
    pub anet_data_dir: Option<OsString>,
    /// `ANET_HOME`.
    pub anet_home: Option<OsString>,
    /// `HOME`.
    pub home: Option<OsString>,
    /// `XDG_RUNTIME_DIR`.
    pub xdg_runtime_dir: Option<OsString>,
}

impl Environment {
    /// The environment of this process, with the identity the command line named.
    pub fn of_process(id: Option<String>) -> Self {
        // A variable set to nothing is a variable not set: registrations often carry empty ones.
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            id,
            anet_id: variable("ANET_ID"),
            anet_data_dir: variable("ANET_DATA_DIR"),
            anet_home: variable("ANET_HOME"),
            home: variable("HOME"),
            xdg_runtime_dir: variable("XDG_RUNTIME_DIR"),
        }
    }
}

/// Why a data directory was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A caller of the library named the directory.
    Given,
    /// `--id NAME`.
    Flag(String),
    /// `ANET_ID`.
    IdVariable(String),
    /// `ANET_DATA_DIR`.
    DataDirVariable,
    /// The file `current` of the home names an identity.
    CurrentFile(String),
    /// The default identity of a home that `ANET_HOME` names.
    HomeVariable,
    /// The default identity, because nothing said otherwise.
    Default,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => out.write_str("the caller named it"),
            Self::Flag(name) => write!(out, "--id {name} was given"),
            Self::IdVariable(name) => write!(out, "ANET_ID is {name}"),
            Self::DataDirVariable => out.write_str("ANET_DATA_DIR names it"),
            Self::CurrentFile(name) => write!(out, "the file `current` names the identity {name}"),
            Self::HomeVariable => out.write_str("it is the home that ANET_HOME names"),
            Self::Default => out.write_str("it is the default identity"),
        }
    }
}

/// The chosen data directory. Stays the same for the life of a server, so that no call changes its identity.
#[derive(Debug, Clone)]
pub struct Home {
    data_dir: PathBuf,
    reason: Reason,
    pointers: Vec<Pointer>,
}

/// A place where a daemon may have left word of itself.
#[derive(Debug, Clone)]
struct Pointer {
    /// The directory that must be private.
    directory: PathBuf,
    /// `XDG_RUNTIME_DIR` itself, which must be private as well.
    parent: Option<PathBuf>,
}

impl Home {
    /// Chooses as the command-line program does: flag, `ANET_ID`, `ANET_DATA_DIR`, the file `current`, the default.
    pub fn choose(environment: &Environment) -> Result<Self, HomeError> {
        let home = match (&environment.anet_home, &environment.home) {
            (Some(home), _) => PathBuf::from(home),
            (None, Some(user)) => Path::new(user).join(".anet"),
            (None, None) => PathBuf::from(".anet"),
        };
        let named = |name: &str| home.join("ids").join(name);
        let strict = |data_dir, reason| Self { data_dir, reason, pointers: Vec::new() };
        if let Some(name) = &environment.id {
            let name = identity(name).ok_or_else(|| HomeError::Name { from: "--id", name: name.clone() })?;
            return Ok(strict(named(name), Reason::Flag(name.to_owned())));
        }
        if let Some(name) = &environment.anet_id {
            let name = name.to_string_lossy();
            let name = identity(&name).ok_or_else(|| HomeError::Name { from: "ANET_ID", name: name.to_string() })?;
            return Ok(strict(named(name), Reason::IdVariable(name.to_owned())));
        }
        if let Some(directory) = &environment.anet_data_dir {
            return Ok(strict(PathBuf::from(directory), Reason::DataDirVariable));
        }
        // An unreadable or senseless `current` means the default identity, as the daemon itself takes it.
        let current = read_file(&home.join("current")).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(name) = current.as_deref().map(str::trim).and_then(identity) {
            return Ok(strict(named(name), Reason::CurrentFile(name.to_owned())));
        }
        if environment.anet_home.is_some() {
            return Ok(strict(home, Reason::HomeVariable));
        }
        Ok(Self { data_dir: home, reason: Reason::Default, pointers: pointers(environment) })
    }

    /// Exactly this data directory and no other.
    pub fn at(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), reason: Reason::Given, pointers: Vec::new() }
    }

    /// The chosen data directory.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Why it was chosen.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Whether only this directory counts, so that no pointer file is followed.
    pub fn is_strict(&self) -> bool {
        self.pointers.is_empty()
    }

    /// The pointer files that may be followed, in order.
    pub fn pointer_files(&self) -> impl Iterator<Item = PathBuf> {
        self.pointers.iter().map(|pointer| pointer.directory.join("daemon.json"))
    }

    /// Where the daemon may be now, according to the files, which are read anew each time.
    ///
    /// Pointers are followed only when the own data directory names no daemon: a daemon that is merely down must not
    /// be replaced by one that speaks for another identity.
    pub fn endpoints(&self) -> Result<Vec<Endpoint>, HomeError> {
        let refusal = match Endpoint::of_data_dir(&self.data_dir) {
            Ok(own) => return Ok(vec![own]),
            Err(refusal) => refusal,
        };
        // A pointer that is absent or not trustworthy is no error: it is one place less to look.
        let found: Vec<Endpoint> = self.pointers.iter().filter_map(Pointer::follow).collect();
        if found.is_empty() { Err(refusal) } else { Ok(found) }
    }
}

/// One daemon: where it listens and what it wants to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it listens.
    pub address: ControlAddress,
    /// What proves that the caller is this user.
    pub token: Token,
    /// The directory both came from.
    pub data_dir: PathBuf,
}

impl Endpoint {
    fn of_data_dir(data_dir: &Path) -> Result<Self, HomeError> {
        let path = data_dir.join("config.json");
        let bytes = match read_file(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(HomeError::NoConfig { data_dir: data_dir.to_owned() });
            }
            Err(error) => return Err(HomeError::Unreadable { path, error }),
        };
        let config: Config = serde_json::from_slice(&bytes).map_err(|_| HomeError::BadConfig { path: path.clone() })?;
        let address = config.control_addr.filter(|address| !address.trim().is_empty());
        let address = address.ok_or(HomeError::NoAddress { path })?;
        Self::new(&address, data_dir)
    }

    fn new(address: &str, data_dir: &Path) -> Result<Self, HomeError> {
        // The address is judged first, so that a token meant for nobody is not even read.
        let address = ControlAddress::parse(address)?;
        let path = data_dir.join("control_token.txt");
        let bytes = match read_file(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                return Err(HomeError::NoToken { path, address, error });
            }
        };
        let token = String::from_utf8(bytes).ok().and_then(|text| Token::parse(&text));
        let token = token.ok_or(HomeError::BadToken { path })?;
        Ok(Self { address, token, data_dir: data_dir.to_owned() })
    }
}

/// A control address that is provably on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlAddress {
    host: String,
    ip: Option<IpAddr>,
    port: u16,
}

impl ControlAddress {
    /// Accepts `127.x.y.z:PORT`, `localhost:PORT` and `[::1]:PORT`, nothing else.
    pub fn parse(text: &str) -> Result<Self, HomeError> {
        let refused = || HomeError::NotLoopback { address: text.chars().take(200).collect() };
        let (host, port) = text.trim().rsplit_once(':').ok_or_else(refused)?;
        let port = port.parse::<u16>().ok().filter(|port| *port != 0).ok_or_else(refused)?;
        if host.eq_ignore_ascii_case("localhost") {
            return Ok(Self { host: "localhost".to_owned(), ip: None, port });
        }
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let ip = match bare {
            Some(six) => six.parse().map(IpAddr::V6),
            None => host.parse().map(IpAddr::V4),
        };
        let ip = ip.ok().filter(IpAddr::is_loopback).ok_or_else(refused)?;
        Ok(Self { host: host.to_owned(), ip: Some(ip), port })
    }

    /// The address in numbers; none for `localhost`.
    pub fn ip(&self) -> Option<IpAddr> {
        self.ip
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for ControlAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

/// The control token. Shows itself to nobody but the daemon.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token is one word of visible ASCII; anything else could not travel in a header.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let word = !text.is_empty() && text.len() <= 4096 && text.bytes().all(|byte| byte.is_ascii_graphic());
        word.then(|| Self(text.to_owned()))
    }

    /// The value of the `Authorization` header.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(kept secret)")
    }
}

/// Why no daemon could be found in the files. Each is one English sentence that a user can act on.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// An identity's name is none.
    #[error(
        "{from} names the identity {name:?}, but a name is 1 to 64 letters, digits, dots, underscores and hyphens, \
         begins with a letter or digit and is not \"ids\"."
    )]
    Name {
        /// Where the name came from.
        from: &'static str,
        /// The name.
        name: String,
    },
    /// There is no configuration.
    #[error(
        "There is no anet daemon to call: {} holds no config.json, so no control address is known; start the daemon \
         with `anet up`.",
        data_dir.display()
    )]
    NoConfig {
        /// The directory that was looked into.
        data_dir: PathBuf,
    },
    /// A file is there and cannot be read.
    #[error("The anet daemon cannot be called because {} cannot be read ({error}); check its permissions, then start the daemon with `anet up`.", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The configuration is not what a daemon writes.
    #[error("The anet daemon cannot be called because {} is not a configuration in JSON; repair it, then start the daemon with `anet up`.", path.display())]
    BadConfig {
        /// The file.
        path: PathBuf,
    },
    /// The configuration names no address.
    #[error("The anet daemon cannot be called because {} names no control_addr; start the daemon with `anet up`, which writes it.", path.display())]
    NoAddress {
        /// The file.
        path: PathBuf,
    },
    /// The address is not on this machine.
    #[error(
        "The control address {address:?} is not on this machine (127.0.0.0/8, [::1] or localhost, with a port), so the \
         control token was not sent there; repair control_addr in config.json, then start the daemon with `anet up`."
    )]
    NotLoopback {
        /// The address as written.
        address: String,
    },
    /// There is no token to read.
    #[error(
        "The anet daemon at {address} cannot be called because its token file {} cannot be read ({error}), so it is \
         probably not running; start it with `anet up`.",
        path.display()
    )]
    NoToken {
        /// The token file.
        path: PathBuf,
        /// The address that was found.
        address: ControlAddress,
        /// What the system said.
        error: io::Error,
    },
    /// The token file holds no token.
    #[error("The anet daemon cannot be called because {} holds no control token; start the daemon with `anet up`, which writes it.", path.display())]
    BadToken {
        /// The token file.
        path: PathBuf,
    },
}

#[derive(Deserialize)]
struct Config {
    control_addr: Option<String>,
}

#[derive(Deserialize)]
struct PointerFile {
    control_addr: String,
    data_dir: PathBuf,
}

impl Pointer {
    /// The daemon this pointer names, if every part of the way belongs to this user alone.
    fn follow(&self) -> Option<Endpoint> {
        if let Some(parent) = &self.parent {
            private(&fs::metadata(parent).ok()?).then_some(())?;
        }
        // Not following a link here: the directory itself must be ours, not what somebody's link points to.
        private(&fs::symlink_metadata(&self.directory).ok()?).then_some(())?;
        let path = self.directory.join("daemon.json");
        own_file(&fs::symlink_metadata(&path).ok()?).then_some(())?;
        let pointer: PointerFile = serde_json::from_slice(&read_file(&path).ok()?).ok()?;
        pointer.data_dir.is_absolute().then_some(())?;
        own_file(&fs::metadata(pointer.data_dir.join("control_token.txt")).ok()?).then_some(())?;
        Endpoint::new(&pointer.control_addr, &pointer.data_dir).ok()
    }
}

/// Where a pointer may lie, in order.
fn pointers(environment: &Environment) -> Vec<Pointer> {
    let uid = rustix::process::geteuid().as_raw();
    let mut places = Vec::new();
    if let Some(runtime) = environment.xdg_runtime_dir.as_ref().map(PathBuf::from).filter(|path| path.is_absolute()) {
        places.push(Pointer { directory: runtime.join("anet"), parent: Some(runtime) });
    }
    for directory in [format!("/run/user/{uid}/anet"), format!("/tmp/anet-{uid}")] {
        places.push(Pointer { directory: PathBuf::from(directory), parent: None });
    }
    places
}

/// Whether a file or directory is closed to everybody but its owner.
pub(crate) fn is_closed(metadata: &Metadata) -> bool {
    // The six bits of group and others, with no special bit among them.
    metadata.mode().trailing_zeros() >= 6
}

/// A directory of this user that nobody else may look into.
fn private(directory: &Metadata) -> bool {
    directory.is_dir() && directory.uid() == rustix::process::geteuid().as_raw() && is_closed(directory)
}

/// A regular file of this user that nobody else may write.
fn own_file(file: &Metadata) -> bool {
    file.is_file() && file.uid() == rustix::process::geteuid().as_raw() && file.mode() & 0o022 == 0
}

/// The name of an identity, if it is one.
fn identity(name: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let good = (1..=64).contains(&name.len())
        && name.bytes().all(plain)
        && name.as_bytes()[0].is_ascii_alphanumeric()
        && name != "ids";
    good.then_some(name)
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
