//! Folders in which somebody may change names while they are read: a name is looked up in a handle of its
//! folder, no link is followed, and what was opened is looked at, not what stood there before.
//!
//! Deliberately not here: what may be in such a folder, and how much of it.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A pipe must not block, whatever stands there when it is opened.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A handle of a folder.
pub(crate) struct Folder(OwnedFd);

/// What a name stands for.
pub(crate) enum Found {
    Folder(Folder),
    /// A regular file, open.
    File(File),
    /// Where it leads.
    Link(OsString),
    Other(FileType),
    /// It was one thing when it was looked at and another when it was opened.
    Changed,
}

impl Folder {
    /// Links on the way are followed: whoever names the folder means where they lead.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        Ok(Folder(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    /// All names in order; `None` when there are more than `most`.
    pub(crate) fn names(&self, most: usize) -> io::Result<Option<Vec<OsString>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            if names.len() == most {
                return Ok(None);
            }
            names.push(OsStr::from_bytes(name).to_owned());
        }
        names.sort();
        Ok(Some(names))
    }

    pub(crate) fn find(&self, name: &OsStr) -> io::Result<Found> {
        // Before it is opened: that alone can do something to a pipe or a device.
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let found = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => self.open_at(name, FOLDER | OFlags::NOFOLLOW).map(|folder| {
                let folder = Folder(folder);
                Found::Folder(folder)
            }),
            FileType::RegularFile => self.open_at(name, FILE).and_then(regular),
            FileType::Symlink => readlinkat(&self.0, name, Vec::new())
                .map(|target| Found::Link(OsString::from_vec(target.into_bytes()))),
            other => Ok(Found::Other(other)),
        };
        match found {
            // Of a link, of what is no folder, of a socket, of what is no link.
            Err(Errno::LOOP | Errno::NOTDIR | Errno::NXIO | Errno::INVAL) => Ok(Found::Changed),
            found => Ok(found?),
        }
    }

    fn open_at(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        openat(&self.0, name, flags, Mode::empty())
    }
}

fn regular(file: OwnedFd) -> Result<Found, Errno> {
    match FileType::from_raw_mode(fstat(&file)?.st_mode) {
        FileType::RegularFile => Ok(Found::File(file.into())),
        _ => Ok(Found::Changed),
    }
}

/// Somebody exchanges names for links that lead out, as fast as the kernel does it.
#[cfg(test)]
pub(crate) mod race {
    #![allow(
        clippy::unwrap_used,
        clippy::disallowed_methods,
        reason = "lays the scene, and is the wall off"
    )]

    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, io};

    const SECRET: &str = "the secret outside";
    /// Turns of a walk that must not be led out.
    pub(crate) const TURNS: usize = 5_000;
    /// Turns that a walk by names gets to be led out once.
    pub(crate) const NAIVE: usize = 200_000;

    struct Stop<'a>(&'a AtomicBool);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Whether `copy` (from, to) ever brought the secret along. `a` (a folder) and `l` (a link to one) are
    /// exchanged, and `b` (a file) and `m` (a link to one).
    pub(crate) fn leads_out(turns: usize, mut copy: impl FnMut(&Path, &Path)) -> bool {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let [from, outside] = ["from", "outside"].map(|name| dir.path().join(name));
        fs::create_dir_all(from.join("a")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(from.join("a/f"), "inside").unwrap();
        fs::write(from.join("b"), "inside").unwrap();
        fs::write(outside.join("f"), SECRET).unwrap();
        symlink(&outside, from.join("l")).unwrap();
        symlink(outside.join("f"), from.join("m")).unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let pairs = [("a", "l"), ("b", "m")].map(|(one, other)| (from.join(one), from.join(other)));
                while !stop.load(Ordering::Relaxed) {
                    for (one, other) in &pairs {
                        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                    }
                }
            });
            // Also when the copy panics.
            let _stop = Stop(&stop);
            (0..turns).any(|turn| {
                let to = dir.path().join(format!("to{turn}"));
                fs::create_dir(&to).unwrap();
                copy(&from, &to);
                let found = has_secret(&to);
                fs::remove_dir_all(&to).unwrap();
                found
            })
        })
    }

    /// The usual way: looked at by its name, then opened by its name.
    pub(crate) fn by_names(from: &Path, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let (here, there): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
            let data = entry.metadata()?;
            if data.is_dir() {
                fs::create_dir(&there)?;
                by_names(&here, &there)?;
            } else if data.is_file() {
                fs::copy(&here, &there)?;
            }
        }
        Ok(())
    }

    fn has_secret(folder: &Path) -> bool {
        fs::read_dir(folder).unwrap().any(|entry| {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            (kind.is_dir() && has_secret(&entry.path()))
                || (kind.is_file() && fs::read(entry.path()).unwrap() == SECRET.as_bytes())
        })
    }

    #[test]
    fn a_walk_by_names_is_led_out() {
        assert!(leads_out(NAIVE, |from, to| drop(by_names(from, to))));
    }
}
