//! Files of one folder by capability handle. Every operation judges its path (`path`), then reaches
//! what it names beneath the folder's handle and nowhere else: reads through cap-std, which asks the
//! kernel to resolve beneath (`RESOLVE_BENEATH`), changes through [`Place`], which walks component
//! by component so that it knows the real path. Symbolic links inside the workspace are followed,
//! those that lead out are refused, whenever they came there.
//!
//! Only regular files are opened for content: a pipe, a socket or a device never blocks and is
//! never read. Hard links cannot be told from files; a change never goes through one, because it
//! replaces the name and not the bytes.
//!
//! Changes are written down by `history`, so they are for this crate alone. Deliberately not here:
//! tasks, records, what is kept of earlier versions.

mod info;
mod list;
mod path;
mod place;
mod read;
mod search;
mod text;
mod tree;
mod write;

#[cfg(test)]
mod race_tests;

pub use info::WorkspaceInfo;
pub use list::{Entry, Kind, Listing};
pub use path::{RelPath, shown};
pub(crate) use place::{LastLink, Parents, Place};
pub use read::{ReadAs, ReadContent, ReadRequest};
pub use search::{Match, Matches, SearchRequest};
pub(crate) use text::encoding_of;
pub(crate) use tree::{copy_tree, measure, remove_tree};
pub(crate) use write::{Existing, Over, Put, rename};

use crate::error::WorkspaceError;
use cap_std::fs::{Dir, MetadataExt, OpenOptions, OpenOptionsExt};
use rustix::fs::{Mode, OFlags};
use std::io;
use std::path::{Path, PathBuf};

/// Temporary files and half-moved folders carry this in their names, as those of `base::atomic` do.
pub(crate) const TEMP_MARK: &str = ".pm-tmp-";

/// The folder of a workspace, open.
pub struct Root {
    path: PathBuf,
    dir: Dir,
    identity: (u64, u64),
}

/// Why a workspace's folder cannot be used.
#[derive(Debug)]
pub enum Lost {
    Gone,
    /// Something else is there.
    Replaced(&'static str),
    Io(io::Error),
}

impl Root {
    /// Opens the folder if `path` is still a real path: absolute and without symbolic links.
    pub fn open(path: &Path) -> Result<Self, Lost> {
        let real = path.canonicalize().map_err(lost)?;
        if real != path {
            return Err(Lost::Replaced("a symbolic link"));
        }
        let dir = open_dir(path).map_err(lost)?;
        let found = dir.dir_metadata().map_err(Lost::Io)?;
        Ok(Root {
            path: path.to_owned(),
            identity: (found.dev(), found.ino()),
            dir,
        })
    }

    /// Whether the path still names the folder that is open. A person may have put a new folder
    /// there: then it is opened again, and nobody goes on in the one that was removed.
    pub fn is_current(&self) -> bool {
        rustix::fs::lstat(&self.path).is_ok_and(|found| (found.st_dev, found.st_ino) == self.identity)
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens for reading without waiting and without taking a terminal, and refuses all but
    /// regular files. Gives the length.
    fn open_file(&self, path: &RelPath) -> Result<(cap_std::fs::File, u64), WorkspaceError> {
        if path.is_folder() {
            return Err(match self.dir.metadata(path.to_path()) {
                Err(error) => io_error(path, error),
                Ok(found) if found.is_dir() => WorkspaceError::NotAFile { path: path.text() },
                Ok(_) => WorkspaceError::NotADirectory { path: path.text() },
            });
        }
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32);
        let file = self
            .dir
            .open_with(path.to_path(), &options)
            .map_err(|error| io_error(path, error))?;
        let found = file.metadata().map_err(|error| io_error(path, error))?;
        match found.is_file() {
            true => Ok((file, found.len())),
            false => Err(WorkspaceError::NotAFile { path: path.text() }),
        }
    }

    /// Opens a folder for listing.
    fn open_folder(&self, path: &RelPath) -> Result<Dir, WorkspaceError> {
        let opened = match path.is_root() {
            true => self.dir.try_clone(),
            false => self.dir.open_dir(path.to_path()),
        };
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => WorkspaceError::DirectoryNotFound { path: path.text() },
            _ => io_error(path, error),
        })
    }
}

/// A folder by its path on the host: one of ours, or one that is bound. Can be synced, unlike those
/// that cap-std opens.
pub(crate) fn open_dir(path: &Path) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(path, flags, Mode::empty())?;
    Ok(Dir::from_std_file(handle.into()))
}

fn lost(error: io::Error) -> Lost {
    match error.kind() {
        io::ErrorKind::NotFound => Lost::Gone,
        io::ErrorKind::NotADirectory => Lost::Replaced("not a folder"),
        _ => Lost::Io(error),
    }
}

/// What the operating system, or cap-std, says of a path.
pub(crate) fn io_error(path: &RelPath, error: io::Error) -> WorkspaceError {
    use rustix::io::Errno;
    let path = path.text();
    let Some(errno) = Errno::from_io_error(&error) else {
        // cap-std reports an escape as an error of its own, without a number.
        return match error.kind() {
            io::ErrorKind::PermissionDenied => escaped(path),
            _ => WorkspaceError::Io { path, source: error },
        };
    };
    match errno {
        Errno::NOENT => WorkspaceError::FileNotFound { path },
        Errno::NOTDIR => WorkspaceError::NotADirectory { path },
        Errno::ISDIR | Errno::NXIO => WorkspaceError::NotAFile { path },
        Errno::LOOP => escaped(path),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => WorkspaceError::PermissionDenied {
            path,
            reason: error.to_string(),
        },
        Errno::NAMETOOLONG => WorkspaceError::InvalidArgs {
            call: "path",
            reason: format!("a name is too long: {}", shown(&path)),
        },
        _ => WorkspaceError::Io { path, source: error },
    }
}

/// A symbolic link leads out, or in a circle.
pub(crate) fn escaped(path: String) -> WorkspaceError {
    WorkspaceError::PathTraversal {
        path,
        part: "symlink".to_owned(),
    }
}
