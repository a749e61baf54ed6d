//! Commands for the tests: the laboratory program, a workspace, and one command at a time.

use super::Who;
use sandbox::{CommandPolicy, Launcher, Outcome, Run, Tier, Watching, prepare_command};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub fn new(who: Who) -> Lab {
        // Not in /tmp: behind the walls that is another folder.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = folder.path();
        fs::create_dir(root.join("ws")).unwrap();
        let built = super::hostile().with_file_name("commands");
        assert!(built.exists(), "run `cargo test -p sandbox` without a selection");
        // By another program: a file open for writing here could not be run.
        let copied = Command::new("/usr/bin/cp")
            .arg(built)
            .arg(root.join("lab"))
            .status();
        assert!(copied.unwrap().success());
        fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
        if who == Who::Nobody {
            for path in [root.to_owned(), root.join("ws"), root.join("lab")] {
                chown(path, Some(super::NOBODY), Some(super::NOBODY)).unwrap();
            }
        }
        Lab { folder }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn workspace(&self) -> PathBuf {
        self.root().join("ws")
    }

    pub fn program(&self) -> PathBuf {
        self.root().join("lab")
    }

    pub fn policy(&self, text: &str) -> CommandPolicy {
        CommandPolicy::new(self.program(), self.workspace(), Run::Shell(text.into()))
    }

    pub async fn run(&self, launcher: &Launcher, tier: Tier, text: &str, watching: Watching) -> Outcome {
        let prepared = prepare_command(&self.policy(text), &super::facts(tier)).unwrap();
        let mut running = launcher.run(prepared, watching).await.unwrap();
        running.wait().await.unwrap()
    }

    /// Waits until the file is there, which the command makes when it is ready.
    pub async fn made(&self, name: &str) {
        let path = self.workspace().join(name);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !path.exists() {
            assert!(
                std::time::Instant::now() < deadline,
                "{} does not come",
                path.display()
            );
            tokio::task::yield_now().await;
        }
    }
}
