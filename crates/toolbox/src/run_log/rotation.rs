//! Appending to one log and removing from it. Only the writer's thread comes here; readers borrow
//! [`open`].

#![allow(
    clippy::disallowed_methods,
    reason = "appends: a log is the one file that is not replaced whole"
)]

use super::lines::Backward;
use super::record::head;
use super::{KEPT_LINES, MAX_AGE, MAX_BYTES};
use crate::plain_file;
use base::atomic::{self, Access};
use base::clock;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The newest lines are fewer when they are this much: half of the limit, so that the next
/// rotation is not due at once.
const KEPT_BYTES: usize = (MAX_BYTES / 2) as usize;

/// What a cleaning removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub bytes_before: u64,
    pub bytes_after: u64,
}

impl Cleaned {
    pub fn changed(self) -> bool {
        self.bytes_before != self.bytes_after
    }
}

/// Appends `text`, which ends with a line; returns where it begins and the file's new size.
pub(super) fn append(path: &Path, text: &str) -> io::Result<(u64, u64)> {
    let mut file = plain_file::open(
        path,
        OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600),
    )?;
    let mut offset = file.metadata()?.len();
    // A kill in the middle of a write leaves half a line.
    if offset > 0 && last_byte(&mut file, offset)? != b'\n' {
        file.write_all(b"\n")?;
        offset += 1;
    }
    file.write_all(text.as_bytes())?;
    Ok((offset, offset + text.len() as u64))
}

/// Removes records older than [`MAX_AGE`] and, over [`MAX_BYTES`], all but the newest lines. The
/// file is replaced whole: a kill leaves the old one or the new one.
pub(super) fn clean(path: &Path, now_ms: i64) -> io::Result<Cleaned> {
    let file = match plain_file::open(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Cleaned::default()),
        Err(error) => return Err(error),
    };
    let bytes_before = file.metadata()?.len();
    let newest = match bytes_before > MAX_BYTES {
        true => newest_lines(file)?,
        false => {
            let mut bytes = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut bytes)?;
            bytes
        }
    };
    let age = i64::try_from(MAX_AGE.as_millis()).unwrap_or(i64::MAX);
    let kept = younger(&newest, clock::iso_utc(now_ms.saturating_sub(age)).as_bytes());
    let bytes_after = kept.len() as u64;
    if bytes_after != bytes_before {
        atomic::write(path, &kept, Access::Private)?;
    }
    Ok(Cleaned {
        bytes_before,
        bytes_after,
    })
}

fn last_byte(file: &mut File, size: u64) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::Start(size - 1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn newest_lines(file: File) -> io::Result<Vec<u8>> {
    let mut lines = Backward::new(file)?;
    let mut newest: Vec<Vec<u8>> = Vec::new();
    let mut bytes = 0;
    while newest.len() < KEPT_LINES
        && let Some(line) = lines.next_line()?
    {
        bytes += line.len() + 1;
        if bytes > KEPT_BYTES {
            break;
        }
        newest.push(line);
    }
    let mut text = Vec::with_capacity(bytes);
    for line in newest.into_iter().rev() {
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    Ok(text)
}

/// Records not older than `cutoff`, a time as text. A continuation line goes with its record.
fn younger(bytes: &[u8], cutoff: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut keep = true;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(head) = head(line) {
            keep = head.at >= cutoff;
        }
        if keep {
            kept.extend_from_slice(line);
        }
    }
    kept
}
