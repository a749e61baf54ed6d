//! Temporary folders that this program makes outside the data home: the temporary folder of a
//! command in the reduced tier, and the workspace of the self-test. In `/tmp`, because programs put
//! sockets there, whose paths are short.
//!
//! Whoever uses one holds a lock on the folder itself, and so is known to be alive. A folder of this
//! user that nobody holds was left by a program that was killed; [`sweep`] removes it.

use super::remove::remove_at;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "pm-scratch-";
const PLACE: &str = "/tmp";
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder that only this user can look into. Dropped, it is removed with what is in it, unless
/// another process still holds it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock: OwnedFd,
}

impl Folder {
    pub fn make() -> io::Result<Folder> {
        let place = Path::new(PLACE).canonicalize()?;
        loop {
            let mut random = [0; 8];
            fill(&mut random)?;
            let path = place.join(format!("{PREFIX}{:016x}", u64::from_ne_bytes(random)));
            match rustix::fs::mkdir(&path, Mode::RWXU) {
                Err(Errno::EXIST) => continue,
                made => made?,
            }
            // Until it is held somebody's sweep may take it; then it was nobody's.
            match hold(&path) {
                Ok(lock) => return Ok(Folder { path, lock }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whoever tidies up the temporary folder may have removed it.
    pub fn is_there(&self) -> bool {
        same(&self.path, &self.lock).unwrap_or(false)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let name = self
            .path
            .file_name()
            .and_then(|name| CString::new(name.as_bytes()).ok());
        let place = rustix::fs::open(PLACE, FOLDER | OFlags::PATH, Mode::empty());
        let (Some(name), Ok(place)) = (name, place) else {
            return;
        };
        remove_unheld(&place, &name, &self.lock);
    }
}

/// Holds a folder that is there, for as long as the handle is open.
pub fn hold(path: &Path) -> io::Result<OwnedFd> {
    let lock = rustix::fs::open(path, FOLDER | OFlags::RDONLY, Mode::empty())?;
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared)
        .map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
    match same(path, &lock)? {
        true => Ok(lock),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

fn same(path: &Path, held: &OwnedFd) -> io::Result<bool> {
    let (there, held) = (rustix::fs::lstat(path)?, rustix::fs::fstat(held)?);
    Ok((there.st_dev, there.st_ino) == (held.st_dev, held.st_ino))
}

/// What programs of this user that were killed left.
pub fn sweep() {
    sweep_in(Path::new(PLACE));
}

fn sweep_in(place: &Path) {
    let Ok(held) = rustix::fs::open(place, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else {
        return;
    };
    let names = rustix::fs::Dir::read_from(&held).into_iter().flatten().flatten();
    let ours = names.filter(|entry| entry.file_name().to_bytes().starts_with(PREFIX.as_bytes()));
    for name in ours.map(|entry| entry.file_name().to_owned()).collect::<Vec<_>>() {
        let Ok(folder) = rustix::fs::openat(&held, &name, FOLDER | OFlags::RDONLY, Mode::empty()) else {
            continue;
        };
        let own = rustix::process::geteuid().as_raw();
        if rustix::fs::fstat(&folder).is_ok_and(|stat| stat.st_uid == own) {
            remove_unheld(&held, &name, &folder);
        }
    }
}

/// `folder` is the one that was found under this name.
fn remove_unheld(place: &OwnedFd, name: &CStr, folder: &OwnedFd) {
    if rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive).is_err() {
        return;
    }
    let there = rustix::fs::statat(place, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
    let held = rustix::fs::fstat(folder);
    let (Ok(there), Ok(held)) = (there, held) else {
        return;
    };
    if (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)
        && let Err(errno) = remove_at(place.as_fd(), name)
    {
        tracing::warn!(?name, %errno, "a temporary folder stays");
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    #[test]
    fn a_folder_is_private_and_goes_with_its_last_holder() {
        let folder = Folder::make().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::create_dir(path.join("below")).unwrap();
        let other = hold(&path).unwrap();
        drop(folder);
        assert!(path.is_dir(), "another holds it");
        drop(other);
        // Nobody does any more: as after a kill.
        sweep();
        assert!(!path.exists());
        let folder = Folder::make().unwrap();
        std::fs::remove_dir(folder.path()).unwrap();
        assert!(!folder.is_there());
        std::fs::create_dir(folder.path()).unwrap();
        assert!(!folder.is_there(), "another one of that name");
        let path = folder.path().to_owned();
        drop(folder);
        std::fs::remove_dir(path).unwrap();
    }

    #[test]
    fn a_sweep_takes_what_nobody_holds_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| dir.path().join(name);
        for name in ["pm-scratch-left", "pm-scratch-held", "another", "beside"] {
            std::fs::create_dir(place(name)).unwrap();
            std::fs::write(place(name).join("file"), "x").unwrap();
        }
        symlink(place("beside"), place("pm-scratch-link")).unwrap();
        symlink(place("beside"), place("pm-scratch-left/link")).unwrap();
        std::fs::write(place("pm-scratch-file"), "x").unwrap();
        let lock = hold(&place("pm-scratch-held")).unwrap();
        let root = rustix::process::getuid().is_root();
        if root {
            std::fs::create_dir(place("pm-scratch-foreign")).unwrap();
            chown(place("pm-scratch-foreign"), Some(65534), Some(65534)).unwrap();
        }
        sweep_in(dir.path());
        assert!(!place("pm-scratch-left").exists());
        for name in [
            "pm-scratch-held/file",
            "another/file",
            "beside/file",
            "pm-scratch-link",
            "pm-scratch-file",
        ] {
            assert!(place(name).exists(), "{name}");
        }
        assert_eq!(place("pm-scratch-foreign").exists(), root);
        drop(lock);
        sweep_in(dir.path());
        assert!(!place("pm-scratch-held").exists());
    }
}
