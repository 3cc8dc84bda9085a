//! The world that a candidate finds itself in: directories, environment, traps, and what it left behind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anet_mock_daemon::Daemon;
use rustix::fs::{CWD, FileType, Mode, OFlags};

use super::command::Command;
use crate::case::{DaemonSetting, Place, PlantKind, Setting};

/// Where interpreters and their libraries keep caches below HOME and the working directory: no business of a server.
const RUNTIME_CACHES: [&str; 12] = [
    ".cache",
    ".npm",
    ".node",
    ".config/go",
    ".dotnet",
    ".bun",
    ".deno",
    ".local/share/uv",
    ".nuget",
    ".java",
    ".ruby",
    "Library/Caches",
];

/// Variables that a candidate must not inherit: they would point it elsewhere.
const REMOVED: [&str; 10] = [
    "ANET_ID",
    "ANET_HOME",
    "ANET_MCP_LOG",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "NO_PROXY",
];

/// The directories of one candidate process; they vanish with it.
#[derive(Debug)]
pub(super) struct Home {
    root: tempfile::TempDir,
    /// Where the candidate is told the control plane is described.
    pub(super) data: PathBuf,
    fifos: Vec<(String, PathBuf)>,
    before: BTreeMap<String, Mark>,
    opened: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    length: u64,
    modified: Option<std::time::SystemTime>,
    mode: u32,
}

impl Home {
    /// Lays out the directories of a case. Fails if the machine does not let it.
    pub(super) fn new(setting: &Setting, daemon: &Daemon) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("anet-conformance-").tempdir()?;
        for name in ["home", "work", "run"] {
            let path = root.path().join(name);
            fs::create_dir(&path)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
        }
        let data = data_directory(setting, daemon, root.path())?;
        let mut home = Self { root, data, fifos: Vec::new(), before: BTreeMap::new(), opened: Vec::new() };
        for plant in &setting.plants {
            let path = home.place(plant.place).join(&plant.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            match &plant.kind {
                PlantKind::File(content) => fs::write(&path, content)?,
                PlantKind::Fifo => {
                    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
                    home.fifos.push((format!("{}/{}", name_of(plant.place), plant.path), path));
                }
            }
        }
        home.remember();
        Ok(home)
    }

    /// The working directory.
    pub(super) fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    fn place(&self, place: Place) -> PathBuf {
        match place {
            Place::Home => self.root.path().join("home"),
            Place::Work => self.work(),
            Place::Data => self.data.clone(),
        }
    }

    /// The candidate's environment: what it inherits, what its command asks for, and what the case sets.
    pub(super) fn environment(&self, command: &Command, setting: &Setting, case: &str) -> Vec<(OsString, OsString)> {
        let kept = |name: &str| {
            if setting.minimal_env {
                matches!(name, "LOGNAME" | "PATH" | "SHELL" | "TERM" | "USER")
            } else {
                !REMOVED.contains(&name) && name != "no_proxy" && name != "ANET_DATA_DIR"
            }
        };
        let mut environment: BTreeMap<OsString, OsString> =
            std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(kept)).collect();
        environment.extend(command.environment.iter().map(|(name, value)| (name.into(), value.into())));
        environment.insert("HOME".into(), self.root.path().join("home").into());
        environment.insert("ANET_DATA_DIR".into(), self.data.clone().into());
        if !setting.minimal_env {
            environment.insert("XDG_RUNTIME_DIR".into(), self.root.path().join("run").into());
            environment.insert("ANET_CONFORMANCE_CASE".into(), case.into());
        }
        for (name, value) in &setting.env {
            let value = value
                .replace("{home}", &self.root.path().join("home").to_string_lossy())
                .replace("{work}", &self.work().to_string_lossy());
            environment.insert(name.into(), value.into());
        }
        environment.into_iter().collect()
    }

    /// Takes the files as they are now for the state that must not change.
    pub(super) fn remember(&mut self) {
        self.before = self.marks();
    }

    /// Whether there are traps to look at.
    pub(super) fn has_traps(&self) -> bool {
        !self.fifos.is_empty()
    }

    /// Notes which traps are open for reading at this moment, and lets whoever opened one go on: he reads nothing.
    pub(super) fn look_at_traps(&mut self) {
        for (name, path) in &self.fifos {
            // Opening a pipe for writing without waiting succeeds only if somebody has it open for reading.
            if rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).is_ok() {
                let note = format!("{name} was opened");
                if !self.opened.contains(&note) {
                    self.opened.push(note);
                }
            }
        }
    }

    /// What appeared, changed or vanished since the state was remembered, and which traps were opened.
    pub(super) fn touched(&mut self) -> Vec<String> {
        self.look_at_traps();
        let after = self.marks();
        let mut touched = self.opened.clone();
        for (path, mark) in &after {
            match self.before.get(path) {
                None => touched.push(format!("{path} appeared")),
                Some(before) if before != mark => touched.push(format!("{path} changed")),
                Some(_) => {}
            }
        }
        touched.extend(
            self.before.keys().filter(|path| !after.contains_key(*path)).map(|path| format!("{path} vanished")),
        );
        touched
    }

    fn marks(&self) -> BTreeMap<String, Mark> {
        let mut marks = BTreeMap::new();
        for (name, path) in
            [("home", self.root.path().join("home")), ("work", self.work()), ("data", self.data.clone())]
        {
            walk(&path, name, &mut marks);
        }
        marks
    }
}

fn name_of(place: Place) -> &'static str {
    match place {
        Place::Home => "home",
        Place::Work => "work",
        Place::Data => "data",
    }
}

fn data_directory(setting: &Setting, daemon: &Daemon, root: &Path) -> io::Result<PathBuf> {
    if setting.daemon == DaemonSetting::Running {
        return Ok(daemon.data_dir().to_owned());
    }
    let data = root.join("data");
    fs::create_dir(&data)?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
    let port = daemon.address().port().to_string();
    let named = |address: &str| format!("{{\"control_addr\":\"{}\"}}\n", address.replace("{port}", &port));
    let (config, token) = match &setting.daemon {
        DaemonSetting::Running | DaemonSetting::Empty => (None, false),
        DaemonSetting::Down => {
            // Bound and let go again: a port that was free a moment ago, so that nothing listens there.
            let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
            (Some(named(&free.to_string())), true)
        }
        DaemonSetting::Address(address) => (Some(named(address)), true),
        DaemonSetting::NoToken => (Some(named("127.0.0.1:{port}")), false),
        DaemonSetting::Config(bytes) => (Some(bytes.replace("{port}", &port)), true),
    };
    let write = |name: &str, content: &str| -> io::Result<()> {
        let path = data.join(name);
        fs::write(&path, content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))
    };
    if let Some(config) = config {
        write("config.json", &config)?;
    }
    if token {
        write("control_token.txt", &format!("{}\n", daemon.token()))?;
    }
    Ok(data)
}

fn walk(directory: &Path, name: &str, marks: &mut BTreeMap<String, Mark>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let below = format!("{name}/{}", entry.file_name().to_string_lossy());
        let relative = below.split_once('/').map_or("", |(_, rest)| rest);
        let is_cache =
            !below.starts_with("data/") && (RUNTIME_CACHES.contains(&relative) || entry.file_name() == "__pycache__");
        let Ok(metadata) = entry.path().symlink_metadata() else { continue };
        if is_cache {
            continue;
        }
        if metadata.is_dir() {
            walk(&entry.path(), &below, marks);
        } else {
            // Opening a pipe changes nothing that matters here; its traps are looked at elsewhere.
            let modified = if metadata.file_type().is_fifo() { None } else { metadata.modified().ok() };
            marks.insert(below, Mark { length: metadata.len(), modified, mode: metadata.permissions().mode() });
        }
    }
}
