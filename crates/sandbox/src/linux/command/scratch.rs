//! The temporary folder and home of a command in the reduced tier, where there is no private
//! `/tmp`. Made and removed by the supervisor.

#![allow(
    clippy::disallowed_methods,
    reason = "makes and removes the command's own folder"
)]

use crate::confine::Inside;
use rustix::fs::Mode;
use std::io;
use std::path::{Path, PathBuf};

const GIT: &str = "[user]\n\tname = Sandbox\n\temail = sandbox@localhost\n";

#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    pub fn make(inside: &Inside) -> io::Result<Scratch> {
        let mut random = [0; 8];
        fill(&mut random)?;
        let name = format!("pm-command-{:016x}", u64::from_ne_bytes(random));
        let folder = std::env::temp_dir().canonicalize()?.join(name);
        rustix::fs::mkdir(&folder, Mode::RWXU)?;
        let scratch = Scratch { folder };
        let home = Scratch::home(&scratch.folder);
        rustix::fs::mkdir(&home, Mode::RWXU)?;
        for link in &inside.links {
            let place = home.join(&link.name);
            if let Some(above) = place.parent() {
                std::fs::create_dir_all(above)?;
            }
            std::os::unix::fs::symlink(&link.target, place)?;
        }
        // The last word that git asks; a repository's own settings win over it.
        std::fs::write(home.join(".gitconfig"), GIT)?;
        Ok(scratch)
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    pub fn home(folder: &Path) -> PathBuf {
        folder.join("home")
    }

    /// Called when nothing of the command lives any more. What cannot be removed stays: the
    /// command may have taken its own rights away.
    pub fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[allow(unsafe_code, reason = "the call has no safe binding without another feature")]
fn fill(bytes: &mut [u8]) -> io::Result<()> {
    // SAFETY: pointer and length are those of the slice.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    match usize::try_from(got) {
        Ok(count) if count == bytes.len() => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
