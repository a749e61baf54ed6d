//! A data home with something to steal, and the hostile program that tries.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

pub mod lab;
pub mod process;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const NOBODY: u32 = 65534;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs the tests.
    Oneself,
    /// Only from root.
    Nobody,
}

impl Who {
    pub fn all() -> Vec<Who> {
        match rustix::process::getuid().is_root() {
            true => vec![Who::Oneself, Who::Nobody],
            false => vec![Who::Oneself],
        }
    }

    pub fn is_root(self) -> bool {
        self == Who::Oneself && rustix::process::getuid().is_root()
    }

    pub fn run(self, command: &mut Command) -> &mut Command {
        match self {
            Who::Oneself => command,
            Who::Nobody => command.uid(NOBODY).gid(NOBODY),
        }
    }
}

/// The hostile program as cargo built it.
pub fn hostile() -> PathBuf {
    let own = std::env::current_exe().unwrap().canonicalize().unwrap();
    let path = own
        .parent()
        .unwrap()
        .with_file_name("examples")
        .join("raw_attacks");
    assert!(
        path.exists(),
        "{} is missing: run `cargo test -p sandbox` without a selection",
        path.display()
    );
    path
}

pub struct World {
    folder: tempfile::TempDir,
    victim: std::process::Child,
    secret_at: usize,
    tcp: TcpListener,
    abstract_name: String,
    _abstract: UnixListener,
}

const FILES: &[&str] = &[
    "home/.ssh/id",
    "home/.pm/token",
    "home/.pm/pm.db",
    "home/.pm/toolbox/other/other.tool.js",
    "home/.pm/toolbox/other/data/diary",
    "home/.pm/toolbox/t/t.tool.js",
    "home/.pm/toolbox/t/cut.js",
    "home/.pm/toolbox/t/over.js",
    "home/.pm/toolbox/t/gone.js",
    "home/.pm/toolbox/t/linked.js",
    "home/.pm/toolbox/t/node_modules/x/index.js",
];

impl World {
    pub fn new(who: Who) -> World {
        // Not in /tmp: behind the walls that is another folder, which may be written.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("home/.pm/toolbox/t/data")).unwrap();
        for file in FILES {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "something worth having").unwrap();
        }
        symlink(
            root.join("home/.ssh/id"),
            root.join("home/.pm/toolbox/t/data/planted"),
        )
        .unwrap();
        // Where nobody can reach it, whatever folder the tests are built in.
        let program = root.join("hostile");
        // By another program: a file open for writing here would be open in whatever a test
        // beside this one starts at that moment, and could not be run.
        let copied = Command::new("/usr/bin/cp").arg(hostile()).arg(&program).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
        if who == Who::Nobody {
            give(root);
        }
        let mut victim = Command::new(&program);
        who.run(victim.arg("victim").stdin(Stdio::piped()).stdout(Stdio::piped()));
        let mut victim = victim.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(victim.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let abstract_name = format!("pm-sandbox-test-{}-{who:?}", root.file_name().unwrap().display());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        World {
            victim,
            secret_at: line.trim().parse().unwrap(),
            tcp: TcpListener::bind(("127.0.0.1", 0)).unwrap(),
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            abstract_name,
            folder,
        }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn program(&self) -> PathBuf {
        self.root().join("hostile")
    }

    pub fn victim(&self) -> u32 {
        self.victim.id()
    }

    pub fn tool(&self) -> PathBuf {
        self.root().join("home/.pm/toolbox/t")
    }

    pub fn scene(&self) -> String {
        let scene = json!({
            "root": self.root(),
            "victim": self.victim.id(),
            "secret_at": self.secret_at,
            "tcp_port": self.tcp.local_addr().unwrap().port(),
            "abstract_name": self.abstract_name,
        });
        scene.to_string()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn give(path: &Path) {
    let what = fs::symlink_metadata(path).unwrap();
    if what.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if what.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path());
        }
    }
}

/// A file that can be run, by another program, as above.
pub fn script(place: &Path, text: &str) {
    let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let made = Command::new("/bin/sh")
        .args(["-c", write, "sh", text])
        .arg(place)
        .status();
    assert!(made.unwrap().success());
}

pub fn lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}")))
        .collect()
}

/// The policy of a tool worker in this world, as the hostile program's own host has it.
pub fn policy(world: &World, role: &[&str]) -> sandbox::Policy {
    sandbox::Policy {
        kind: sandbox::Kind::Worker,
        program: world.program(),
        args: role.iter().map(Into::into).collect(),
        cwd: world.tool().join("data"),
        env: Vec::new(),
        mounts: vec![
            sandbox::Mount::read_only(world.tool()),
            sandbox::Mount::read_write(world.tool().join("data")),
        ],
        masked: vec![world.root().join("home/.pm")],
        limits: sandbox::Limits::default(),
    }
}

pub const TIERS: [sandbox::Tier; 2] = [sandbox::Tier::Full, sandbox::Tier::Reduced];

/// What this machine can do, at most `tier`; a machine that cannot fails the test.
pub fn facts(tier: sandbox::Tier) -> sandbox::Facts {
    let facts = sandbox::detect().only(tier);
    assert_eq!(facts.tier(), tier, "this machine cannot: {facts:?}");
    facts
}
