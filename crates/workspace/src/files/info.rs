//! Numbers of a workspace, counted while walking: nothing is collected but the folders that are
//! still to be opened. Symbolic links are neither files nor folders and are not followed.

use super::place::kind_of;
use super::{RelPath, Root, io_error};
use crate::error::WorkspaceError;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceInfo {
    pub file_count: u64,
    /// Without the workspace itself.
    pub dir_count: u64,
    /// Bytes of all files.
    pub total_size: u64,
    /// Milliseconds since the epoch: the latest change of a file's content or of a folder's entries.
    pub last_modified: i64,
    /// Folders that could not be looked into; what is below them is not counted.
    pub unreadable: u64,
}

/// Folders that wait to be opened; past this they count as unreadable.
const WAITING_MOST: usize = 1_000_000;

impl Root {
    pub fn info(&self) -> Result<WorkspaceInfo, WorkspaceError> {
        let failed = |error: std::io::Error| io_error(&RelPath::root(), error);
        let mut info = WorkspaceInfo::default();
        let found = rustix::fs::fstat(self.dir()).map_err(|error| failed(error.into()))?;
        info.last_modified = modified(&found);
        let mut waiting = vec![PathBuf::from(".")];
        while let Some(folder) = waiting.pop() {
            let Ok(dir) = self.dir().open_dir(&folder) else {
                // Or it is gone by now.
                info.unreadable += u64::from(self.dir().symlink_metadata(&folder).is_ok());
                continue;
            };
            for entry in dir.entries().map_err(failed)? {
                let name = entry.map_err(failed)?.file_name();
                let found = match rustix::fs::statat(&dir, &name, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => continue,
                    found => found.map_err(|error| failed(error.into()))?,
                };
                info.last_modified = info.last_modified.max(modified(&found));
                match kind_of(&found) {
                    FileType::RegularFile => {
                        info.file_count += 1;
                        info.total_size += u64::try_from(found.st_size).unwrap_or(0);
                    }
                    FileType::Directory => {
                        info.dir_count += 1;
                        match waiting.len() < WAITING_MOST {
                            true => waiting.push(folder.join(name)),
                            false => info.unreadable += 1,
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(info)
    }
}

fn modified(found: &Stat) -> i64 {
    let nanoseconds = i64::try_from(found.st_mtime_nsec).unwrap_or(0);
    found
        .st_mtime
        .saturating_mul(1000)
        .saturating_add(nanoseconds / 1_000_000)
}
