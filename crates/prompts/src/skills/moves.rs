//! Moves of whole folders that a kill does not divide. What is made beside its place carries a name of
//! ours, which says what may be done with it when it is found again: a `fill` is unfinished or done
//! with and is removed; a `swap` is whole, and may be what lay in the place before.

#![allow(clippy::disallowed_methods, reason = "renames durably")]

use super::name::SkillName;
use base::atomic;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use uuid::Uuid;

const FILL: &str = ".pm-skill-fill-";
const SWAP: &str = ".pm-skill-swap-";

pub(super) fn fill(folder: &Path) -> PathBuf {
    folder.join(format!("{FILL}{}", Uuid::new_v4().simple()))
}

fn swap_of(folder: &Path, name: &SkillName) -> PathBuf {
    folder.join(format!("{SWAP}{}-{name}", Uuid::new_v4().simple()))
}

/// What an earlier process left in a folder.
pub(super) struct Leftover {
    pub path: PathBuf,
    /// Of a `swap`: whose place it was beside.
    pub swapped: Option<SkillName>,
}

pub(super) fn leftovers(folder: &Path) -> io::Result<Vec<Leftover>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        let made = |rest: &str| rest.len() == 32 && Uuid::try_parse(rest).is_ok();
        let swapped = match (name.strip_prefix(FILL), name.strip_prefix(SWAP)) {
            (Some(rest), _) if made(rest) => None,
            (_, Some(rest)) => match rest.split_once('-') {
                Some((id, of)) if made(id) => match SkillName::parse(of) {
                    Ok(of) => Some(of),
                    Err(_) => continue,
                },
                _ => continue,
            },
            _ => continue,
        };
        found.push(Leftover {
            path: folder.join(name),
            swapped,
        });
    }
    Ok(found)
}

/// Renames, unless something lies there.
pub(super) fn put(from: &Path, to: &Path) -> io::Result<()> {
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?;
    synced(to)
}

/// The two change places at once. File systems without that are refused: there would be a moment in
/// which a client finds nothing, and one in which a kill loses what lay there.
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?;
    synced(other)
}

/// Exchanges what was made as a [`fill`] with what lies at `place`; gives where that lies now.
pub(super) fn swap_in(made: &Path, place: &Path, name: &SkillName) -> io::Result<PathBuf> {
    let swap = swap_of(place.parent().unwrap_or(place), name);
    put(made, &swap)?;
    match exchange(&swap, place) {
        Ok(()) => Ok(swap),
        Err(error) => {
            discard(&swap)?;
            Err(error)
        }
    }
}

/// Moves what lies at `place` aside; gives where it lies now.
pub(super) fn set_aside(place: &Path, name: &SkillName) -> io::Result<PathBuf> {
    let swap = swap_of(place.parent().unwrap_or(place), name);
    put(place, &swap)?;
    Ok(swap)
}

/// Removes something of ours. Under the name of a `fill` first: half removed it is nothing else.
pub(super) fn discard(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let doomed = fill(folder);
    match put(path, &doomed) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    match fs::symlink_metadata(&doomed)?.is_dir() {
        true => fs::remove_dir_all(&doomed),
        false => fs::remove_file(&doomed),
    }
}

fn synced(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), atomic::sync_dir)
}
