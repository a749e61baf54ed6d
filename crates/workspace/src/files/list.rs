//! What is in a folder: by name, each thing as what it is. A symbolic link is shown as one and not
//! followed; where it leads is not said, since that may be a path of the host.

use super::place::kind_of;
use super::{RelPath, Root, io_error, place};
use crate::error::WorkspaceError;
use rustix::fs::FileType;
use std::collections::BinaryHeap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Symlink,
    /// A pipe, a socket or a device.
    Other,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Directory => "directory",
            Kind::Symlink => "symlink",
            Kind::Other => "other",
        }
    }

    pub(crate) fn of(found: FileType) -> Self {
        match found {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Symlink,
            _ => Kind::Other,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A name that is not UTF-8 is shown with replacement characters and cannot be used as a path.
    pub name: String,
    pub kind: Kind,
    /// Bytes of a file; 0 for everything else.
    pub size: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// By name, from the first on.
    pub files: Vec<Entry>,
    /// There are more.
    pub truncated: bool,
}

impl Root {
    /// The first `most` entries by name, in a space that does not grow with the folder.
    pub fn list(&self, path: &RelPath, most: usize) -> Result<Listing, WorkspaceError> {
        let dir = self.open_folder(path)?;
        let failed = |error| io_error(path, error);
        let mut first = BinaryHeap::new();
        let mut truncated = false;
        for entry in dir.entries().map_err(failed)? {
            first.push(entry.map_err(failed)?.file_name());
            if first.len() > most {
                first.pop();
                truncated = true;
            }
        }
        let mut files = Vec::with_capacity(first.len());
        for name in first.into_sorted_vec() {
            let found = match rustix::fs::statat(&dir, &name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
                // Gone since its name was read.
                Err(rustix::io::Errno::NOENT) => continue,
                found => found.map_err(|error| failed(error.into()))?,
            };
            let kind = Kind::of(kind_of(&found));
            files.push(Entry {
                name: name.to_string_lossy().into_owned(),
                kind,
                size: match kind {
                    Kind::File => u64::try_from(found.st_size).unwrap_or(0),
                    _ => 0,
                },
            });
        }
        Ok(Listing { files, truncated })
    }

    /// Whether something is at a real path, whatever it is.
    pub(crate) fn is_there(&self, path: &RelPath) -> bool {
        self.known_place(path, place::Parents::Needed)
            .and_then(|place| place.stat())
            .is_ok_and(|found| found.is_some())
    }
}
