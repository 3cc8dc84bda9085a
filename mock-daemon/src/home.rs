//! The data directory, as a daemon leaves it.
//!
//! Responsible for: `config.json` and `control_token.txt` with the modes and contents of control-plane 1.2, written by
//! temporary file and rename; refusing a directory that holds anything which is not ours; removing what was written, and
//! nothing else. Not for: reading them, which is the candidate's work.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::daemon::StartError;
use crate::guard::Access;
use crate::ping::hex;

/// The daemon's settings, with the control address.
const CONFIG: &str = "config.json";

/// The bearer token and a newline.
const TOKEN: &str = "control_token.txt";

/// The ending of a file that is not renamed yet.
const UNFINISHED: &str = ".anet-mock-tmp";

/// The member of `config.json` that says it is ours. A real daemon ignores members that it does not know.
const MARKER: &str = "anet_mock_daemon";

/// How long a listener on this machine may take to accept when we ask whether another fake still runs.
const PROBE: Duration = Duration::from_millis(200);

/// A data directory that is ours until dropped.
#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
    origin: Origin,
}

/// How the directory came to be ours, and so what is left of it in the end.
#[derive(Debug)]
enum Origin {
    /// A temporary one, which goes with all its contents.
    Temporary { _dir: TempDir },
    /// We made it, and these directories above it, deepest first: each goes when it is empty.
    Made { above: Vec<PathBuf> },
    /// It was there: it gets its mode back.
    Found { mode: u32 },
}

impl Home {
    /// Takes the directory, or a fresh temporary one, into possession.
    pub(crate) fn claim(wanted: Option<&Path>) -> Result<Self, StartError> {
        let Some(wanted) = wanted else {
            let made =
                tempfile::Builder::new().prefix("anet-mock-").permissions(Permissions::from_mode(0o700)).tempdir();
            let dir = made.map_err(|source| StartError::files(&std::env::temp_dir(), source))?;
            return Ok(Self { path: dir.path().to_owned(), origin: Origin::Temporary { _dir: dir } });
        };
        // Absolute, since it is handed to other processes in ANET_DATA_DIR.
        let path = std::path::absolute(wanted).map_err(|source| StartError::files(wanted, source))?;
        let failed = |source| StartError::files(&path, source);
        let origin = match fs::metadata(&path) {
            Ok(found) if !found.is_dir() => return Err(StartError::NotADirectory { path }),
            Ok(found) => {
                refuse_foreign(&path)?;
                Origin::Found { mode: found.permissions().mode() & 0o7777 }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let above: Vec<_> =
                    path.ancestors().skip(1).take_while(|above| !above.exists()).map(Path::to_owned).collect();
                let made = path
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .and_then(|()| DirBuilder::new().mode(0o700).create(&path));
                if let Err(source) = made {
                    remove_empty(&above);
                    return Err(failed(source));
                }
                Origin::Made { above }
            }
            Err(error) => return Err(failed(error)),
        };
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(failed)?;
        Ok(Self { path, origin })
    }

    /// Where it is, absolute.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes both files anew. The token goes first: who sees the new address finds its token.
    pub(crate) fn write(&self, access: &Access) -> io::Result<()> {
        self.put(TOKEN, format!("{}\n", access.token).as_bytes())?;
        let config = serde_json::to_string_pretty(&config(access)).map_err(io::Error::other)?;
        self.put(CONFIG, format!("{config}\n").as_bytes())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let unfinished = self.unfinished(name);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        // The mode above is narrowed by the umask and not applied to a file left over from before.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(bytes)?;
        drop(file);
        fs::rename(&unfinished, self.path.join(name))
    }

    fn unfinished(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{UNFINISHED}"))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if matches!(self.origin, Origin::Temporary { .. }) {
            return;
        }
        // Whatever cannot be removed stays: there is nobody left to tell.
        if is_ours(&self.path) {
            let _ = fs::remove_file(self.path.join(TOKEN));
            let _ = fs::remove_file(self.path.join(CONFIG));
        }
        for name in [TOKEN, CONFIG] {
            let _ = fs::remove_file(self.unfinished(name));
        }
        match &self.origin {
            Origin::Made { above } => {
                let _ = fs::remove_dir(&self.path);
                remove_empty(above);
            }
            Origin::Found { mode } => {
                let _ = fs::set_permissions(&self.path, Permissions::from_mode(*mode));
            }
            Origin::Temporary { .. } => {}
        }
    }
}

/// Removes those that are empty; what somebody else put there meanwhile stays, and so does what it lies in.
fn remove_empty(directories: &[PathBuf]) {
    for directory in directories {
        let _ = fs::remove_dir(directory);
    }
}

/// A new token: 24 random bytes in hexadecimal (control-plane 1.2).
pub(crate) fn new_token() -> io::Result<String> {
    let mut bytes = [0; 24];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Refuses a directory with anything in it that we did not write, or in which another fake still runs.
fn refuse_foreign(path: &Path) -> Result<(), StartError> {
    let failed = |source| StartError::files(path, source);
    let ours = is_ours(path);
    for found in fs::read_dir(path).map_err(failed)? {
        let name = found.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let expected = name.ends_with(UNFINISHED) || (ours && (name == CONFIG || name == TOKEN));
        if !expected {
            return Err(StartError::Foreign { path: path.to_owned(), file: name.into_owned() });
        }
    }
    match running(path) {
        Some(address) if ours => Err(StartError::InUse { path: path.to_owned(), address }),
        _ => Ok(()),
    }
}

/// The settings in the directory, if it has any that can be read.
fn settings(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path.join(CONFIG)).ok()?).ok()
}

fn is_ours(path: &Path) -> bool {
    settings(path).is_some_and(|settings| settings.get(MARKER).is_some_and(Value::is_object))
}

/// The address in the directory's settings, if something listens there.
fn running(path: &Path) -> Option<SocketAddr> {
    let address = settings(path)?.get("control_addr")?.as_str()?.parse().ok()?;
    TcpStream::connect_timeout(&address, PROBE).ok().map(|_| address)
}

/// What a daemon of this node would have in its `config.json`. Only `control_addr` means anything to a client.
fn config(access: &Access) -> Value {
    json!({
        "control_addr": format!("127.0.0.1:{}", access.port),
        "name": "mock-node",
        "summary": "",
        "readme": "",
        "caps": [],
        "pricing": "",
        "hub_url": "https://hub.example.org",
        "no_response_after": "72h",
        "inbound": { "policy": "approve" },
        "payments": {
            "auto_max": 0,
            "agent_max": 5,
            "agent_daily_max": 20,
            "explicit_max": 10,
            "daily_max": 50,
            "payees_file": "payees.allow",
        },
        "auto_reply": { "backend": "openai", "untrusted": "off" },
        "modules": { "a2a": true, "mcp": true, "x402": true },
        MARKER: { "version": env!("CARGO_PKG_VERSION"), "note": "written by anet-mock-daemon, which removes it when it ends" },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(port: u16) -> Access {
        Access { port, token: new_token().expect("randomness") }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn files_are_private_and_go_with_their_home() {
        let root = TempDir::new().expect("a directory");
        let path = root.path().join("deep/er");
        let home = Home::claim(Some(&path)).expect("an absent directory is made");
        let access = access(1);
        home.write(&access).expect("written");
        home.write(&access).expect("and again");
        assert_eq!((mode(&path), mode(&path.join(CONFIG)), mode(&path.join(TOKEN))), (0o700, 0o600, 0o600));
        assert_eq!(fs::read_to_string(path.join(TOKEN)).expect("text"), format!("{}\n", access.token));
        assert_eq!(fs::read_dir(&path).expect("a directory").count(), 2, "nothing unfinished is left");
        drop(home);
        assert_eq!(
            fs::read_dir(root.path()).expect("found, and so left").count(),
            0,
            "what was made above goes as well"
        );
    }

    #[test]
    fn a_made_directory_stays_for_what_others_put_there() {
        let root = TempDir::new().expect("a directory");
        let home = Home::claim(Some(&root.path().join("a/b/c"))).expect("an absent directory is made");
        home.write(&access(1)).expect("written");
        fs::write(root.path().join("a/notes.txt"), "mine").expect("written");
        drop(home);
        assert!(root.path().join("a/notes.txt").exists() && !root.path().join("a/b").exists());
        let blocked = root.path().join("a/notes.txt/home");
        assert!(matches!(Home::claim(Some(&blocked)), Err(StartError::Files { .. })));
    }

    #[test]
    fn a_found_directory_stays_with_its_mode_and_without_our_files() {
        let root = TempDir::new().expect("a directory");
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).expect("ours to set");
        let home = Home::claim(Some(root.path())).expect("an empty directory is taken");
        home.write(&access(1)).expect("written");
        fs::write(root.path().join("notes.txt"), "mine").expect("written");
        drop(home);
        let left: Vec<_> =
            fs::read_dir(root.path()).expect("it stays").flatten().map(|found| found.file_name()).collect();
        assert_eq!((left, mode(root.path())), (vec!["notes.txt".into()], 0o755));
    }

    #[test]
    fn what_is_not_ours_is_refused_and_left_alone() {
        for (name, content) in [
            (CONFIG, r#"{"control_addr":"127.0.0.1:39811"}"#),
            (CONFIG, r#"{"anet_mock_daemon":"#),
            (TOKEN, "00"),
            ("identity.key", "secret"),
        ] {
            let root = TempDir::new().expect("a directory");
            fs::write(root.path().join(name), content).expect("written");
            let before = mode(root.path());
            match Home::claim(Some(root.path())) {
                Err(StartError::Foreign { file, .. }) => assert_eq!(file, name),
                other => panic!("{other:?}"),
            }
            assert_eq!(fs::read_to_string(root.path().join(name)).expect("still there"), content);
            assert_eq!(mode(root.path()), before);
        }
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(matches!(Home::claim(Some(file.path())), Err(StartError::NotADirectory { .. })));
    }

    #[test]
    fn what_a_killed_fake_left_is_taken_over_but_not_from_one_that_runs() {
        let root = TempDir::new().expect("a directory");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let first = Home::claim(Some(root.path())).expect("empty");
        first.write(&access(port)).expect("written");
        assert!(matches!(Home::claim(Some(root.path())), Err(StartError::InUse { .. })));
        drop(listener);
        let second = Home::claim(Some(root.path())).expect("nobody listens any more");
        second.write(&access(port)).expect("written");
    }

    #[test]
    fn tokens_differ_and_have_their_form() {
        let (one, other) = (new_token().expect("randomness"), new_token().expect("randomness"));
        assert_ne!(one, other);
        assert!(one.len() == 48 && one.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }
}
