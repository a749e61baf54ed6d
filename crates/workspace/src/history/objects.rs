//! Bytes of versions: `history/{task}/{sha256}`, one file for equal contents however often they
//! come. Written durably before any row names them.

use super::Keep;
use crate::error::WorkspaceError;
use crate::task::TaskId;
use base::atomic::{self, Access};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use store::Content;

pub(super) fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Keeps bytes; gives what a row says of them.
pub(super) fn put(keep: &Keep, task: &TaskId, bytes: &[u8]) -> Result<Content, WorkspaceError> {
    let hash = hash(bytes);
    let path = path_of(keep, task, &hash);
    let size = bytes.len() as u64;
    if !path.metadata().is_ok_and(|found| found.len() == size) {
        atomic::write_with_dirs(&path, bytes, Access::Private).map_err(|error| failed(&hash, error))?;
    }
    Ok(Content {
        hash: Some(hash),
        size: i64::try_from(size).unwrap_or(i64::MAX),
    })
}

/// None when they are not there, or not as they were.
pub(super) fn get(keep: &Keep, task: &TaskId, name: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
    match std::fs::read(path_of(keep, task, name)) {
        Ok(bytes) => Ok((hash(&bytes) == name).then_some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(name, error)),
    }
}

/// Removes what no row names, and what a kill left half-written.
pub(super) fn retain(keep: &Keep, task: &TaskId, named: &HashSet<String>) -> Result<(), WorkspaceError> {
    let folder = keep.history.join(task.as_str());
    let removed = (|| -> io::Result<()> {
        atomic::sweep(&folder)?;
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            if !named.contains(entry.file_name().to_string_lossy().as_ref()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    })();
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(|error| failed(task.as_str(), error)),
    }
}

fn path_of(keep: &Keep, task: &TaskId, hash: &str) -> PathBuf {
    keep.history.join(Path::new(task.as_str())).join(hash)
}

fn failed(path: &str, source: io::Error) -> WorkspaceError {
    WorkspaceError::Keeping {
        path: path.to_owned(),
        source,
    }
}
