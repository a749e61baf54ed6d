//! Bringing a backup back.
//!
//! It is unpacked beside the data home and counted; then both change places in one step of the file system. A kill
//! before that leaves the old data home in use, and one after it the new one.

#![allow(clippy::disallowed_methods, reason = "moves whole folders")]

use super::home::{Set, exchange, is_new, keep, kept};
use super::{BackupError, END, End, FILES, FORMAT, HEAD, Head, io_at, place_of};
use crate::owner::Ownership;
use base::DataHome;
use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use tar::{Archive, Entry, EntryType};

/// What an archive says of itself is short.
const NOTE: u64 = 4096;

/// Written into the folder of a restore when what lies beside it is whole.
const WHOLE: &str = "whole";

#[derive(Debug)]
pub struct Restored {
    pub content: End,
    pub set: Set,
}

/// Puts what `file` holds in the place of the data home, whose lock is `_held`. Blocking.
pub fn restore(home: &DataHome, _held: &Ownership, file: &Path) -> Result<Restored, BackupError> {
    let (_, folder, name) = place_of(home)?;
    let beside = folder.join(format!("{name}.restoring"));
    clear(&beside, &folder, &name)?;
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&beside)
        .map_err(io_at(&beside))?;
    let done = unpacked(file, &beside).and_then(|content| {
        let whole = made_to_last(&beside)?;
        if let Err(refused) = exchange(home, &beside.join(FILES)) {
            // What lies there is a copy of the backup, and not worth keeping.
            fs::remove_file(&whole).map_err(io_at(&whole))?;
            return Err(refused);
        }
        let set = keep(home, &beside.join(FILES))?;
        Ok(Restored { content, set })
    });
    // Where the old data home could not be kept under its name it is still in there.
    clear(&beside, &folder, &name)?;
    done
}

/// What an earlier restore left. Where it was whole it may be somebody's data, before or after the exchange.
fn clear(beside: &Path, folder: &Path, name: &str) -> Result<(), BackupError> {
    let inner = beside.join(FILES);
    if beside.join(WHOLE).exists() && inner.exists() && !is_new(&inner)? {
        fs::rename(&inner, kept(folder, name)).map_err(io_at(&inner))?;
        base::atomic::sync_dir(folder).map_err(io_at(folder))?;
    }
    match fs::remove_dir_all(beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_at(beside)(error)),
        _ => Ok(()),
    }
}

/// All of it is on the disk before it is said to be whole.
fn made_to_last(beside: &Path) -> Result<PathBuf, BackupError> {
    let failed = || io_at(beside);
    let folder = File::open(beside).map_err(failed())?;
    rustix::fs::syncfs(&folder).map_err(|error| failed()(error.into()))?;
    let whole = beside.join(WHOLE);
    base::atomic::write(&whole, b"", base::atomic::Access::Private).map_err(failed())?;
    Ok(whole)
}

/// Unpacks into `into`, which is empty, and holds what came beside what the archive counted.
fn unpacked(file: &Path, into: &Path) -> Result<End, BackupError> {
    let packed = File::open(file).map_err(io_at(file))?;
    let mut archive = Archive::new(GzDecoder::new(BufReader::with_capacity(1 << 18, packed)));
    archive.set_preserve_permissions(true);
    archive.set_preserve_mtime(true);
    archive.set_unpack_xattrs(false);
    // Whoever packed it may have been somebody else.
    archive.set_preserve_ownerships(false);
    let not_one = || BackupError::NotOne(file.to_owned());
    let broken = |error: io::Error| match of_the_system(&error) {
        true => io_at(into)(error),
        false => BackupError::NotWhole(file.to_owned()),
    };

    // Nobody else looks into it before the next start closes it.
    let root = into.join(FILES);
    let made = fs::DirBuilder::new().mode(0o700).create(&root);
    made.map_err(io_at(&root))?;
    let mut entries = archive.entries().map_err(|_| not_one())?;
    let mut first = entries.next().and_then(Result::ok).ok_or_else(not_one)?;
    let head: Head = note(&mut first, HEAD).ok_or_else(not_one)?;
    for (found, known) in [(head.backup, FORMAT), (head.home, base::home::FORMAT)] {
        if found > known {
            return Err(BackupError::Newer { found, known });
        }
    }
    let (mut found, mut said) = (End::default(), None::<End>);
    for entry in entries {
        let mut entry = entry.map_err(broken)?;
        // Nothing comes behind the end.
        if said.is_some() {
            return Err(not_one());
        }
        if let Some(end) = note(&mut entry, END) {
            said = Some(end);
            continue;
        }
        if !belongs(&entry) {
            return Err(not_one());
        }
        if entry.header().entry_type() != EntryType::Directory {
            found.files += 1;
            found.bytes += entry.size();
        }
        if !entry.unpack_in(into).map_err(broken)? {
            return Err(not_one());
        }
    }
    // A link there would be put in the data home's place.
    if !fs::symlink_metadata(&root).is_ok_and(|about| about.is_dir()) {
        return Err(not_one());
    }
    // The checksum stands behind the end of the archive.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    match said {
        Some(said) if said == found => Ok(found),
        _ => Err(BackupError::NotWhole(file.to_owned())),
    }
}

/// Whether the system refused something, as on a full disk: whatever else fails is the archive's own. tar wraps what it
/// is told.
fn of_the_system(error: &io::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.raw_os_error().is_some())
        {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The JSON of an entry with this name.
fn note<T: serde::de::DeserializeOwned>(entry: &mut Entry<impl Read>, name: &str) -> Option<T> {
    if entry.path_bytes() != name.as_bytes() || entry.size() > NOTE {
        return None;
    }
    let mut text = Vec::new();
    entry.take(NOTE).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Whether it is a file, folder or link below [`FILES`].
fn belongs(entry: &Entry<impl Read>) -> bool {
    let kind = matches!(
        entry.header().entry_type(),
        EntryType::Regular | EntryType::Directory | EntryType::Symlink
    );
    let Ok(path) = entry.path() else {
        return false;
    };
    let mut parts = path.components();
    kind && parts.next() == Some(Component::Normal(FILES.as_ref()))
        && parts.all(|part| matches!(part, Component::Normal(_)))
}
