//! Putting a file in place: a temporary file in the same folder, fsync, rename, fsync of the folder.
//! The name is replaced and never the bytes behind it, so nothing is written through a hard link and
//! whoever has the old file open keeps the old file.
//!
//! Kept of an existing file: permissions and, where that is possible, its owner. Not kept: extended
//! attributes, and the set-id bits, which the system takes from written files as well.

use super::place::{kind_of, stat};
use super::{Place, shown};
use crate::error::WorkspaceError;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid};
use rustix::io::Errno;
use std::io::{Read, Write};

/// A file as it was found.
pub(crate) struct Existing {
    /// None when it is larger than was asked for.
    pub bytes: Option<Vec<u8>>,
    pub size: u64,
    found: Stat,
}

/// Everything that changes when a file does.
fn stamp(found: &Stat) -> impl PartialEq + use<> {
    (
        (found.st_dev, found.st_ino, found.st_size),
        (
            found.st_mtime,
            found.st_mtime_nsec,
            found.st_ctime,
            found.st_ctime_nsec,
        ),
    )
}

impl Place {
    /// The regular file here, or none; anything else is refused without being opened for long.
    pub(crate) fn existing(&self, keep: u64) -> Result<Option<Existing>, WorkspaceError> {
        let not_a_file = || WorkspaceError::NotAFile { path: self.text() };
        match self.stat()? {
            None => return Ok(None),
            Some(found) if kind_of(&found) != FileType::RegularFile => return Err(not_a_file()),
            Some(_) => {}
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty()) {
            Ok(handle) => std::fs::File::from(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(not_a_file()),
            Err(error) => return Err(self.failed(error)),
        };
        let found = rustix::fs::fstat(&file).map_err(|error| self.failed(error))?;
        if kind_of(&found) != FileType::RegularFile {
            return Err(not_a_file());
        }
        let size = u64::try_from(found.st_size).unwrap_or(0);
        let bytes = match size <= keep {
            false => None,
            true => {
                let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
                file.take(keep + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|error| self.failed(error))?;
                (bytes.len() as u64 <= keep).then_some(bytes)
            }
        };
        Ok(Some(Existing { bytes, size, found }))
    }

    /// Refuses to replace what its owner made read-only, which a rename would not notice.
    pub(crate) fn check_writable(&self, existing: Option<&Existing>) -> Result<(), WorkspaceError> {
        match existing {
            Some(existing) if existing.found.st_mode & 0o222 == 0 => Err(WorkspaceError::PermissionDenied {
                path: self.text(),
                reason: "the file is read-only".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Puts `bytes` here, under a temporary name first. `existing` is what was found here before:
    /// if something else is here by now, nothing is changed and the answer is [`Put::Changed`].
    pub(crate) fn put(
        &self,
        bytes: &[u8],
        temp: &str,
        existing: Option<&Existing>,
    ) -> Result<Put, WorkspaceError> {
        let put = self.try_put(bytes, temp, existing);
        if !matches!(put, Ok(Put::Done)) {
            // Best effort: the start looks for what is left.
            let _ = rustix::fs::unlinkat(&self.parent, temp, AtFlags::empty());
        }
        put.map_err(|error| self.failed(error))
    }

    fn try_put(&self, bytes: &[u8], temp: &str, existing: Option<&Existing>) -> std::io::Result<Put> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.parent, temp, flags, Mode::from_raw_mode(0o666))?;
        let mut file = std::fs::File::from(handle);
        file.write_all(bytes)?;
        if let Some(existing) = existing {
            let own = rustix::fs::fstat(&file)?;
            let (uid, gid) = (existing.found.st_uid, existing.found.st_gid);
            if (own.st_uid, own.st_gid) != (uid, gid) {
                // Only root may give files away; for others the file becomes theirs.
                let _ = rustix::fs::fchown(&file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
            }
            rustix::fs::fchmod(&file, Mode::from_raw_mode(existing.found.st_mode & 0o1777))?;
        }
        file.sync_all()?;
        let there = stat(&self.parent, &self.name)?;
        if there.as_ref().map(stamp) != existing.map(|existing| stamp(&existing.found)) {
            return Ok(Put::Changed);
        }
        rustix::fs::renameat(&self.parent, temp, &self.parent, &self.name)?;
        rustix::fs::fsync(&self.parent)?;
        Ok(Put::Done)
    }

    /// Moves what is here to another place, over a file there only if asked to.
    pub(crate) fn rename(&self, to: &Place, over: Over) -> Result<(), WorkspaceError> {
        rename(&self.parent, &self.name, &to.parent, &to.name, over).map_err(|error| match error {
            Errno::EXIST | Errno::NOTEMPTY => WorkspaceError::AlreadyExists { path: to.text() },
            Errno::INVAL => WorkspaceError::InvalidArgs {
                call: "move_file",
                reason: format!("a folder cannot be moved into itself: {}", shown(&to.text())),
            },
            error => to.failed(error),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    Done,
    /// Somebody else changed the file meanwhile.
    Changed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Nothing,
    File,
}

/// Renames and makes it durable on both sides.
pub(crate) fn rename(from: &Dir, name: &str, to: &Dir, new_name: &str, over: Over) -> Result<(), Errno> {
    match over {
        Over::Nothing => match rustix::fs::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            // Some network file systems cannot refuse by themselves.
            Err(Errno::INVAL) if stat(to, new_name)?.is_none() => {
                rustix::fs::renameat(from, name, to, new_name)?
            }
            done => done?,
        },
        Over::File => rustix::fs::renameat(from, name, to, new_name)?,
    }
    rustix::fs::fsync(to)?;
    rustix::fs::fsync(from)
}
