//! The temporary folder of a command in the reduced tier, where there is no private `/tmp`; its home
//! as well. The owner made it (`reserve`), the supervisor furnishes it, holds it and removes it.
//! Nothing is put into it, as a rule: on a disk each file is a good part of what the reduced tier
//! costs.

#![allow(clippy::disallowed_methods, reason = "furnishes the command's own folder")]

use super::super::remove::remove_at;
use super::super::scratch::hold;
use crate::confine::Inside;
use rustix::fs::{Mode, OFlags};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const GIT: &str = "[user]\n\tname = Sandbox\n\temail = sandbox@localhost\n";

#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Should the owner end first, nobody takes the folder for one that was left.
    _lock: OwnedFd,
}

impl Scratch {
    /// Furnishes the folder that the owner made.
    pub fn furnish(inside: &Inside) -> io::Result<Scratch> {
        let folder = inside.scratch.clone().ok_or(io::ErrorKind::NotFound)?;
        let scratch = Scratch {
            _lock: hold(&folder)?,
            folder,
        };
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

    /// Called when nothing of the command lives any more.
    pub fn remove(&self) {
        if std::fs::remove_dir(&self.folder).is_ok() {
            return;
        }
        let (Some(place), Some(name)) = (self.folder.parent(), self.folder.file_name()) else {
            return;
        };
        let place = rustix::fs::open(place, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        if let (Ok(place), Ok(name)) = (place, CString::new(name.as_bytes())) {
            // What cannot be removed now is looked at again by the owner.
            let _ = remove_at(place.as_fd(), &name);
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
