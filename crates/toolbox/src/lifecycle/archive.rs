//! Zip archives, entry by entry through [`Intake`].
//!
//! Deliberately not here: encrypted archives, those of several parts, and other methods than deflate.

use super::error::LifecycleError;
use npm::intake::{Entry, Intake, IntakeError, Refused};
use npm::{Placed, take_tar};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

/// Of an entry's mode: what kind of file it is.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
/// An archive ends with this record, and after it at most a comment.
const END: &[u8] = b"PK\x05\x06";
const END_MOST: u64 = 22 + 65_535;
/// Where in it the number of all entries stands.
const END_COUNT: usize = 10;

/// Takes in the files of a zip archive.
pub(super) fn take_zip(
    path: &Path,
    at: &str,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    most: usize,
) -> Result<(), LifecycleError> {
    let refused = |refused| LifecycleError::refused(at, refused);
    let mut file = File::open(path).map_err(|error| LifecycleError::io(path, error))?;
    let count = entries_of(&mut file).map_err(|error| LifecycleError::io(path, error))?;
    // Before a list of them is made. What has 65,535 or more says so elsewhere.
    if count.is_some_and(|count| count > most) {
        return Err(refused(Refused::Entries(most)));
    }
    let mut archive = ZipArchive::new(file).map_err(|error| refused(broken(&error)))?;
    for index in 0..archive.len() {
        intake.count().map_err(refused)?;
        take_entry(&mut archive, index, intake, placed).map_err(|error| LifecycleError::intake(at, error))?;
    }
    Ok(())
}

pub(super) fn take_tarball(
    path: &Path,
    at: &str,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    limits: npm::intake::Limits,
) -> Result<(), LifecycleError> {
    let file = File::open(path).map_err(|error| LifecycleError::io(path, error))?;
    let taken = take_tar(file, limits, intake, placed, &mut |_, _| ());
    taken.map_err(|error| LifecycleError::intake(at, error))
}

fn take_entry(
    archive: &mut ZipArchive<File>,
    index: usize,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
) -> Result<(), IntakeError> {
    let mut entry = archive.by_index(index).map_err(|error| broken(&error))?;
    let Ok(path) = std::str::from_utf8(entry.name_raw()).map(str::to_owned) else {
        return Err(Refused::NotText.into());
    };
    let parts = intake.path(&path)?;
    let mode = entry.unix_mode().unwrap_or(REGULAR);
    match mode & KIND {
        0 | REGULAR if !path.ends_with('/') => {}
        0 | REGULAR | DIRECTORY => return Ok(()),
        kind => {
            let kind = format!("mode {kind:o}");
            return Err(Refused::Kind { path, kind }.into());
        }
    }
    let Some(path) = placed(intake, &parts) else {
        return Ok(());
    };
    let (size, run) = (entry.size(), mode & 0o111 != 0);
    let own = path.clone();
    intake.take(Entry { path, size, run }, &mut entry, &mut |_| ())?;
    // To its very end: more than it said, or a checksum that is wrong, shows there.
    match entry.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Refused::Broken(format!("{own:?} is larger than it says")).into()),
        Err(error) => Err(Refused::Broken(error.to_string()).into()),
    }
}

/// How many entries an archive says it has, in its last end record.
fn entries_of(file: &mut File) -> std::io::Result<Option<usize>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(END_MOST)))?;
    let mut tail = Vec::new();
    file.take(END_MOST).read_to_end(&mut tail)?;
    file.seek(SeekFrom::Start(0))?;
    let end = tail.windows(END.len()).rposition(|window| window == END);
    let count = end.and_then(|end| tail.get(end + END_COUNT..end + END_COUNT + 2));
    Ok(count.and_then(|bytes| Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))))
}

fn broken(error: &ZipError) -> Refused {
    Refused::Broken(error.to_string())
}
