//! A tarball's files, one after the other, into an empty folder. Everything that is not a regular
//! file with a harmless path refuses the whole package.
//!
//! Deliberately not here: whether the bytes are the right ones (`store` checks before).

#![allow(clippy::disallowed_methods, reason = "writes into a folder nobody sees yet")]

use crate::error::NpmError;
use flate2::bufread::GzDecoder;
use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use tar::EntryType;
use unicode_normalization::UnicodeNormalization;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub entries: usize,
    pub bytes: u64,
    pub path: usize,
    pub depth: usize,
}

pub const LIMITS: Limits = Limits {
    entries: 100_000,
    bytes: 2 << 30,
    path: 1024,
    depth: 64,
};

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    pub path: String,
    pub size: u64,
    pub run: bool,
    pub sha256: String,
}

/// `package.json` comes back too: it is looked at next.
pub struct Unpacked {
    pub files: Vec<PackedFile>,
    pub manifest: Vec<u8>,
}

pub fn unpack(name: &str, tarball: &[u8], into: &Path, limits: Limits) -> Result<Unpacked, NpmError> {
    let mut unpacking = Unpacking {
        name,
        into,
        limits,
        spelled: HashMap::new(),
        folders: HashSet::new(),
        files: Vec::new(),
        manifest: Vec::new(),
        bytes: 0,
    };
    // One byte more than may be, so that too much is seen and not cut off.
    if tarball.starts_with(&[0x1f, 0x8b]) {
        let plain = BufReader::with_capacity(64 << 10, GzDecoder::new(tarball));
        unpacking.archive(plain.take(limits.bytes.saturating_mul(2)))?;
    } else {
        unpacking.archive(tarball)?;
    }
    Ok(Unpacked {
        files: unpacking.files,
        manifest: unpacking.manifest,
    })
}

struct Unpacking<'a> {
    name: &'a str,
    into: &'a Path,
    limits: Limits,
    /// Each path as file systems that fold case or compose characters see it -> how it is written
    /// here, and whether it is a file.
    spelled: HashMap<String, (String, bool)>,
    folders: HashSet<String>,
    files: Vec<PackedFile>,
    manifest: Vec<u8>,
    bytes: u64,
}

impl Unpacking<'_> {
    fn archive(&mut self, from: impl Read) -> Result<(), NpmError> {
        let mut archive = tar::Archive::new(from);
        let broken = |error: std::io::Error| NpmError::hostile(self.name, format!("broken tarball: {error}"));
        let entries = archive.entries().map_err(broken)?;
        for (count, entry) in entries.enumerate() {
            let entry =
                entry.map_err(|error| NpmError::hostile(self.name, format!("broken tarball: {error}")))?;
            if count >= self.limits.entries {
                return self.refuse(format!("more than {} entries", self.limits.entries));
            }
            self.entry(entry)?;
        }
        if self.files.is_empty() {
            return self.refuse("no files".to_owned());
        }
        // To the very end: a checksum of what was packed stands there.
        let rest = std::io::copy(&mut archive.into_inner(), &mut std::io::sink());
        rest.map_err(|error| NpmError::hostile(self.name, format!("broken tarball: {error}")))?;
        Ok(())
    }

    fn refuse<T>(&self, reason: String) -> Result<T, NpmError> {
        Err(NpmError::hostile(self.name, reason))
    }

    fn entry(&mut self, mut entry: tar::Entry<'_, impl Read>) -> Result<(), NpmError> {
        let raw = entry.path_bytes().into_owned();
        let Ok(path) = String::from_utf8(raw) else {
            return self.refuse("a path that is not UTF-8".to_owned());
        };
        let kind = entry.header().entry_type();
        match kind {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory => {
                self.path(&path)?;
                return Ok(());
            }
            EntryType::XGlobalHeader => return Ok(()),
            other => return self.refuse(format!("{path:?} is no regular file ({other:?})")),
        }
        // What lies beside the one folder of the tarball is no part of the package.
        let Some(mut path) = self.path(&path)? else {
            return Ok(());
        };
        // As npm does: a package in a repository must not hide its files from it.
        if let Some(folder) = path
            .strip_suffix(".gitignore")
            .filter(|folder| folder.is_empty() || folder.ends_with('/'))
        {
            let other = format!("{folder}.npmignore");
            if self.files.iter().any(|file| file.path == other) {
                return Ok(());
            }
            path = other;
        }
        let size = entry.size();
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > self.limits.bytes {
            return self.refuse(format!("more than {} bytes unpacked", self.limits.bytes));
        }
        let again = self.spell(&path, true)?;
        let run = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
        let file = self.write(&path, size, run, &mut entry)?;
        if again {
            self.files.retain(|file| file.path != path);
        }
        self.files.push(file);
        Ok(())
    }

    fn write(
        &mut self,
        path: &str,
        size: u64,
        run: bool,
        from: &mut impl Read,
    ) -> Result<PackedFile, NpmError> {
        let full = self.into.join(path);
        if let Some((folder, _)) = path.rsplit_once('/')
            && self.folders.insert(folder.to_owned())
        {
            let folder = self.into.join(folder);
            fs::create_dir_all(&folder).map_err(|error| NpmError::io(&folder, error))?;
        }
        let open = || {
            let mut options = OpenOptions::new();
            options
                .write(true)
                .create_new(true)
                .mode(if run { 0o555 } else { 0o444 });
            options.open(&full)
        };
        let mut file = match open() {
            // The same path twice: the later one rules, as for every tar.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                fs::remove_file(&full).and_then(|()| open())
            }
            other => other,
        }
        .map_err(|error| NpmError::io(&full, error))?;
        let mut hash = sha2::Sha256::new();
        let is_manifest = path == "package.json";
        if is_manifest {
            self.manifest.clear();
        }
        let mut buffer = vec![0; usize::try_from(size.clamp(1, 256 << 10)).unwrap_or(1)];
        let mut left = size;
        while left > 0 {
            let most = usize::try_from(left.min(buffer.len() as u64)).unwrap_or(1);
            let read = from
                .read(&mut buffer[..most])
                .map_err(|error| NpmError::hostile(self.name, format!("broken tarball: {error}")))?;
            if read == 0 {
                return self.refuse(format!("the tarball ends within {path:?}"));
            }
            hash.update(&buffer[..read]);
            file.write_all(&buffer[..read])
                .map_err(|error| NpmError::io(&full, error))?;
            if is_manifest && self.manifest.len() < 8 << 20 {
                self.manifest.extend_from_slice(&buffer[..read]);
            }
            left -= read as u64;
        }
        Ok(PackedFile {
            path: path.to_owned(),
            size,
            run,
            sha256: base::text::hex(&hash.finalize()),
        })
    }

    /// The path below the tarball's one folder, whatever that is called.
    fn path(&self, path: &str) -> Result<Option<String>, NpmError> {
        let wrong = |why: &str| NpmError::hostile(self.name, format!("{path:?}: {why}"));
        if path.len() > self.limits.path {
            return Err(wrong("too long a path"));
        }
        if path.starts_with('/') || path.contains('\\') || path.contains('\0') {
            return Err(wrong("no relative path"));
        }
        if path.chars().any(char::is_control) {
            return Err(wrong("control characters"));
        }
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        if parts.contains(&"..") {
            return Err(wrong("leads out of the package"));
        }
        if parts.iter().any(|part| part.len() > 255) {
            return Err(wrong("too long a name"));
        }
        let is_drive = |part: &&str| part.len() == 2 && part.ends_with(':');
        if parts.iter().take(2).any(is_drive) {
            return Err(wrong("a drive"));
        }
        if parts.len() > self.limits.depth {
            return Err(wrong("too deep"));
        }
        Ok((parts.len() > 1).then(|| parts[1..].join("/")))
    }

    /// Notes a path and the folders above it; whether it was there already, spelled the same.
    fn spell(&mut self, path: &str, is_file: bool) -> Result<bool, NpmError> {
        let key: String = path.nfc().flat_map(char::to_lowercase).nfc().collect();
        let before = self.spelled.get(&key).cloned();
        match before {
            Some((spelled, was_file)) if spelled == path && was_file == is_file => Ok(true),
            Some((spelled, _)) => {
                self.refuse(format!("{path:?} and {spelled:?} are the same on some systems"))
            }
            None => {
                self.spelled.insert(key, (path.to_owned(), is_file));
                if let Some((folder, _)) = path.rsplit_once('/') {
                    self.spell(folder, false)?;
                }
                Ok(false)
            }
        }
    }
}
