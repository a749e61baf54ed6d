//! A data home with something to steal, a person's folder with links planted in it, a socket of the
//! owner, and a process of the same user.

use crate::{ATTACKS, Guest};
use runtime::host::{Mount, Reach, ToolSpec};
use runtime::protocol::ToolLoad;
use sandbox::Tier;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const FILES: &[&str] = &[
    "home/.ssh/id",
    "home/.pm/token",
    "home/.pm/pm.db",
    "home/.pm/spare-1",
    "home/.pm/spare-2",
    "home/.pm/spare-3",
    "home/.pm/spare-4",
    "home/.pm/spare-5",
    "home/.pm/spare-6",
    "home/.pm/spare-7",
    "home/.pm/spare-folder/file",
    "home/.pm/toolbox/other/other.tool.js",
    "home/.pm/toolbox/other/.env",
    "home/.pm/toolbox/other/data/diary",
    "home/.pm/toolbox/other/data/old-diary",
    "home/.pm/toolbox/other/data/older-diary",
    "home/.pm/toolbox/t/.env",
    "home/.pm/toolbox/t/spare.js",
    "home/.pm/toolbox/t/spare-2.js",
    "home/.pm/toolbox/t/node_modules/x/index.js",
];

/// As cargo built it.
pub fn hostile_worker() -> PathBuf {
    let own = std::env::current_exe().unwrap().canonicalize().unwrap();
    let path = own
        .parent()
        .unwrap()
        .with_file_name("examples")
        .join("hostile_worker");
    assert!(
        path.exists(),
        "{} is missing: run `cargo test -p runtime` without a selection",
        path.display()
    );
    path
}

pub struct World {
    folder: tempfile::TempDir,
    victim: Child,
    secret: usize,
    tcp: TcpListener,
    hidden: String,
    _sockets: [UnixListener; 2],
}

impl World {
    pub fn new() -> World {
        // Not in /tmp: behind the wall that is another folder.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in FILES {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "something worth having").unwrap();
        }
        for empty in [
            "home/.pm/run",
            "home/.pm/toolbox/t/data",
            "home/.pm/toolbox/t/logs",
            "granted",
            "scratch",
        ] {
            fs::create_dir_all(root.join(empty)).unwrap();
        }
        symlink(root.join("home/.ssh/id"), root.join("granted/key")).unwrap();
        symlink("../home/.pm", root.join("granted/up")).unwrap();
        let code = format!("export default {{ execute(scene) {{ return ({ATTACKS})(scene) }} }}");
        fs::write(root.join("home/.pm/toolbox/t/t.tool.js"), code).unwrap();

        let mut victim = Command::new(hostile_worker())
            .arg("victim")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(victim.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let hidden = format!("pm-escapes-{}", root.file_name().unwrap().display());
        let address = SocketAddr::from_abstract_name(&hidden).unwrap();
        let sockets = [
            UnixListener::bind(root.join("home/.pm/run/pm.sock")).unwrap(),
            UnixListener::bind_addr(&address).unwrap(),
        ];
        World {
            victim,
            secret: line.trim().parse().unwrap(),
            tcp: TcpListener::bind(("127.0.0.1", 0)).unwrap(),
            hidden,
            _sockets: sockets,
            folder,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A script's folder; in the full tier the wall has a `/tmp` of its own.
    fn temporary(&self) -> PathBuf {
        Path::new("/tmp").join(self.folder.path().file_name().unwrap())
    }

    pub fn tool(&self) -> ToolSpec {
        let folder = self.at("home/.pm/toolbox/t");
        ToolSpec {
            load: ToolLoad {
                name: "t".to_owned(),
                folder: folder.clone(),
                main: "t.tool.js".to_owned(),
                env: Vec::new(),
                directories: vec![self.at("granted")],
                user_home: self.at("home"),
                data_home: self.at("home/.pm"),
                heap: 256 << 20,
            },
            mounts: vec![
                Mount::read_only(&folder),
                Mount::read_write(folder.join("data")),
                Mount::read_write(folder.join("logs")),
                Mount::read_write(self.at("granted")),
            ],
            home: self.at("home/.pm"),
            reach: Reach::nothing(),
            key: "t".to_owned(),
            concurrency: 1,
            engine: runtime::host::Engine::QuickJs,
        }
    }

    pub fn scene(&self, guest: Guest, tier: Tier) -> Value {
        let tool = self.at("home/.pm/toolbox/t");
        let (own, data): (Option<&Path>, PathBuf) = match guest {
            Guest::Tool => (Some(&tool), tool.join("data")),
            Guest::Script => (None, self.temporary()),
        };
        json!({
            "owner": std::process::id(),
            "victim": self.victim.id(),
            "uid": rustix::process::getuid().as_raw(),
            "secret": self.secret,
            "port": self.tcp.local_addr().unwrap().port(),
            "hidden": self.hidden,
            "socket": self.at("home/.pm/run/pm.sock"),
            "home": self.at("home/.pm"),
            "person": self.at("home/.ssh"),
            "key": self.at("home/.ssh/id"),
            "other": self.at("home/.pm/toolbox/other"),
            "planted": self.at("granted"),
            "scratch": self.at("scratch"),
            "temporary": tier == Tier::Full,
            "own": own,
            "data": data,
        })
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = fs::remove_dir_all(self.temporary());
    }
}
