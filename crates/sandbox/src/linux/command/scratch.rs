//! The temporary folder of a command in the reduced tier, where there is no private `/tmp`; its home
//! as well. The owner made it (`reserve`), the supervisor furnishes and removes it. Nothing is put
//! into it, as a rule: on a disk each file is a good part of what the reduced tier costs.

#![allow(
    clippy::disallowed_methods,
    reason = "furnishes and removes the command's own folder"
)]

use crate::confine::Inside;
use std::io;
use std::path::{Path, PathBuf};

const GIT: &str = "[user]\n\tname = Sandbox\n\temail = sandbox@localhost\n";

#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Furnishes the folder that the owner made.
    pub fn furnish(inside: &Inside) -> io::Result<Scratch> {
        let folder = inside.scratch.clone().ok_or(io::ErrorKind::NotFound)?;
        let scratch = Scratch { folder };
        for link in &inside.links {
            let place = scratch.folder.join(&link.name);
            if let Some(above) = place.parent() {
                std::fs::create_dir_all(above)?;
            }
            std::os::unix::fs::symlink(&link.target, place)?;
        }
        if nameless() {
            // The last word that git asks; a repository's own settings win over it.
            std::fs::write(scratch.folder.join(".gitconfig"), GIT)?;
        }
        Ok(scratch)
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Called when nothing of the command lives any more. What cannot be removed stays: the
    /// command may have taken its own rights away.
    pub fn remove(&self) {
        if std::fs::remove_dir(&self.folder).is_err() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// The list of users has no full name for us, and git wants one.
fn nameless() -> bool {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let own = rustix::process::getuid().as_raw().to_string();
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(&own));
    let name = line.and_then(|line| line.split(':').nth(4)).unwrap_or_default();
    name.split(',').next().unwrap_or_default().is_empty()
}
