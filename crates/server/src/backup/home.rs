//! One data home in the place of another. The old one stays, under a name of its own.

#![allow(clippy::disallowed_methods, reason = "moves whole folders")]

use super::{BackupError, io_at, place_of};
use crate::owner::Ownership;
use base::DataHome;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::path::{Path, PathBuf};

/// Where what was there before is now; `None` where nothing was.
#[derive(Debug, PartialEq, Eq)]
pub struct Set {
    pub before: Option<PathBuf>,
}

/// Begins anew: the next start finds no data home and makes one. `_held` is the lock of the present one.
pub fn reset(home: &DataHome, _held: &Ownership) -> Result<Set, BackupError> {
    let (root, folder, name) = place_of(home)?;
    if is_new(&root)? {
        return Ok(Set { before: None });
    }
    let before = kept(&folder, &name);
    fs::rename(&root, &before).map_err(io_at(&root))?;
    base::atomic::sync_dir(&folder).map_err(io_at(&folder))?;
    Ok(Set { before: Some(before) })
}

/// Puts `new`, a whole data home on the same file system, in the place of the present one, in one step, and
/// the present one in its place. After an error nothing was moved.
pub(super) fn exchange(home: &DataHome, new: &Path) -> Result<(), BackupError> {
    let (root, ..) = place_of(home)?;
    renameat_with(CWD, new, CWD, &root, RenameFlags::EXCHANGE).map_err(|error| io_at(&root)(error.into()))
}

/// Keeps `old`, which an exchange left, if there is anything in it.
pub(super) fn keep(home: &DataHome, old: &Path) -> Result<Set, BackupError> {
    let (_, folder, name) = place_of(home)?;
    base::atomic::sync_dir(&folder).map_err(io_at(&folder))?;
    if is_new(old)? {
        return Ok(Set { before: None });
    }
    let before = kept(&folder, &name);
    fs::rename(old, &before).map_err(io_at(old))?;
    base::atomic::sync_dir(&folder).map_err(io_at(&folder))?;
    Ok(Set { before: Some(before) })
}

/// Where a data home goes that is not used any more.
pub(super) fn kept(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.before-{}", base::clock::stamp_for_names()))
}

/// Whether there is nothing in it but the lock.
pub(super) fn is_new(root: &Path) -> Result<bool, BackupError> {
    let names = fs::read_dir(root).map_err(io_at(root))?;
    for name in names {
        if name.map_err(io_at(root))?.file_name() != "run" {
            return Ok(false);
        }
    }
    Ok(true)
}
