//! A NATS server of one test: on loopback, with JetStream in a folder of its own.

#![allow(dead_code, reason = "each test uses some of it")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Nats {
    child: Child,
    folder: tempfile::TempDir,
    pub address: String,
}

/// What `cargo xtask test` fetched, or the machine has.
fn program() -> PathBuf {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nats/usr/sbin/nats-server");
    let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let places = [fetched, PathBuf::from("/usr/sbin/nats-server")];
    named
        .into_iter()
        .chain(places)
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from("nats-server"))
}

impl Nats {
    pub fn start(more: &[&str]) -> Nats {
        let folder = tempfile::tempdir().unwrap();
        let child = spawn(folder.path(), "-1", more);
        let address = address(folder.path(), &child);
        Nats {
            child,
            folder,
            address,
        }
    }

    /// Killed, its records gone with it, and started anew at the same address.
    pub fn lose_everything(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::fs::remove_dir_all(self.folder.path().join("jetstream")).unwrap();
        let port = self.address.rsplit(':').next().unwrap().to_owned();
        self.child = spawn(self.folder.path(), &port, &[]);
        address(self.folder.path(), &self.child);
    }
}

fn spawn(folder: &Path, port: &str, more: &[&str]) -> Child {
    let program = program();
    Command::new(&program)
        .args(["-js", "-a", "127.0.0.1", "-p", port, "-sd"])
        .arg(folder)
        .arg("--ports_file_dir")
        .arg(folder)
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test` fetches it", program.display()))
}

/// As the server writes it when it listens.
fn address(folder: &Path, child: &Child) -> String {
    let file = folder.join(format!("nats-server_{}.ports", child.id()));
    let begun = Instant::now();
    loop {
        let ports = std::fs::read_to_string(&file).unwrap_or_default();
        if let Ok(ports) = serde_json::from_str::<serde_json::Value>(&ports) {
            return ports["nats"][0].as_str().unwrap().to_owned();
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "nats-server does not listen"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
