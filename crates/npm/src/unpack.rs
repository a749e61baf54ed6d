//! Tarballs, packed or plain: their files go through [`Intake`], which refuses what is not harmless.
//!
//! Deliberately not here: whether the bytes are the right ones (`store` checks before).

use crate::error::NpmError;
use crate::intake::{Entry, Files, Intake, IntakeError, Limits, PackedFile, Refused};
use flate2::bufread::GzDecoder;
use std::io::{BufReader, Read};
use std::path::Path;
use tar::EntryType;

pub const LIMITS: Limits = Limits {
    entries: 100_000,
    bytes: 2 << 30,
    path: 1024,
    depth: 64,
};

/// Of a manifest.
const MANIFEST_MOST: usize = 8 << 20;

/// `package.json` comes back too: it is looked at next.
pub struct Unpacked {
    pub files: Vec<PackedFile>,
    pub manifest: Vec<u8>,
}

/// A package: what lies below the tarball's one folder, whatever that is called.
pub fn unpack(name: &str, tarball: &[u8], into: &Path, limits: Limits) -> Result<Unpacked, NpmError> {
    let mut intake = Intake::new(into, Files::ReadOnly, limits);
    let mut manifest = Vec::new();
    let done = take_tar(tarball, limits, &mut intake, &mut below, &mut |path, bytes| {
        if path != "package.json" {
            return;
        }
        // The same file again: the later one rules.
        if bytes.is_empty() {
            manifest.clear();
        }
        if manifest.len() < MANIFEST_MOST {
            manifest.extend_from_slice(bytes);
        }
    });
    let files = done.and_then(|()| Ok(intake.finish()?));
    let files = files.map_err(|error| match error {
        IntakeError::Refused(refused) => NpmError::hostile(name, refused.to_string()),
        IntakeError::Io { path, source } => NpmError::io(&path, source),
    })?;
    Ok(Unpacked { files, manifest })
}

/// Where an entry comes to lie; `None`: not at all.
pub type Placed<'f> = dyn FnMut(&Intake<'_>, &[&str]) -> Option<String> + 'f;
/// Hears path and bytes; none of them where a file begins.
pub type Seen<'f> = dyn FnMut(&str, &[u8]) + 'f;

/// Takes in the files of a tarball, which may be packed by gzip.
pub fn take_tar(
    tarball: impl Read,
    limits: Limits,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let mut from = BufReader::with_capacity(64 << 10, tarball);
    let begin = std::io::BufRead::fill_buf(&mut from).map_err(broken)?;
    if begin.starts_with(&[0x1f, 0x8b]) {
        // Headers, and what is left out, take their part.
        let plain = BufReader::with_capacity(64 << 10, GzDecoder::new(from));
        let mut plain = plain.take(limits.bytes.saturating_mul(2));
        let done = entries(&mut plain, intake, placed, seen);
        return match done {
            // It was cut off here: no more is ours to read.
            Ok(()) | Err(IntakeError::Refused(Refused::Broken(_))) if plain.limit() == 0 => {
                Err(Refused::Bytes(limits.bytes).into())
            }
            done => done,
        };
    }
    entries(from, intake, placed, seen)
}

fn broken(error: std::io::Error) -> Refused {
    Refused::Broken(error.to_string())
}

fn entries(
    from: impl Read,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let mut archive = tar::Archive::new(from);
    for entry in archive.entries().map_err(broken)? {
        intake.count()?;
        take_entry(entry.map_err(broken)?, intake, placed, seen)?;
    }
    // To the very end: a checksum of what was packed stands there.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(broken)?;
    Ok(())
}

fn take_entry(
    mut entry: tar::Entry<'_, impl Read>,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let Ok(path) = String::from_utf8(entry.path_bytes().into_owned()) else {
        return Err(Refused::NotText.into());
    };
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous => {}
        EntryType::Directory => {
            intake.path(&path)?;
            return Ok(());
        }
        EntryType::XGlobalHeader => return Ok(()),
        other => {
            let kind = format!("{other:?}");
            return Err(Refused::Kind { path, kind }.into());
        }
    }
    let parts = intake.path(&path)?;
    let Some(path) = placed(intake, &parts) else {
        return Ok(());
    };
    let size = entry.size();
    let run = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
    let own = path.clone();
    seen(&own, &[]);
    let file = Entry { path, size, run };
    intake.take(file, &mut entry, &mut |bytes| seen(&own, bytes))
}

/// Below the one folder. What lies beside it is no part of the package.
fn below(intake: &Intake<'_>, parts: &[&str]) -> Option<String> {
    let path = parts.get(1..).filter(|parts| !parts.is_empty())?.join("/");
    // As npm does: a package in a repository must not hide its files from it.
    let folder = path.strip_suffix(".gitignore");
    match folder.filter(|folder| folder.is_empty() || folder.ends_with('/')) {
        Some(folder) => {
            let other = format!("{folder}.npmignore");
            (!intake.has(&other)).then_some(other)
        }
        None => Some(path),
    }
}
