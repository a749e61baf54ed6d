//! Files that somebody else named, one after the other, into an empty folder: what is not a regular file with
//! a harmless path refuses the whole. Every archive and every foreign folder goes through here.
//!
//! Deliberately not here: formats of archives, and whether the bytes are the right ones.

#![allow(clippy::disallowed_methods, reason = "writes into a folder nobody sees yet")]

use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub entries: usize,
    pub bytes: u64,
    pub path: usize,
    pub depth: usize,
}

/// A file that was taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    pub path: String,
    pub size: u64,
    pub run: bool,
    pub sha256: String,
}

/// Whether an owner may change the files afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Shared by all who use them.
    ReadOnly,
    Own,
}

impl Files {
    fn mode(self, run: bool) -> u32 {
        match (self, run) {
            (Files::ReadOnly, false) => 0o444,
            (Files::ReadOnly, true) => 0o555,
            (Files::Own, false) => 0o644,
            (Files::Own, true) => 0o755,
        }
    }
}

/// Why a file is not taken in, and nothing beside it.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("more than {0} entries")]
    Entries(usize),
    #[error("more than {0} bytes unpacked")]
    Bytes(u64),
    #[error("{path:?}: {why}")]
    Path { path: String, why: &'static str },
    #[error("a path that is not UTF-8")]
    NotText,
    #[error("{path:?} is no regular file ({kind})")]
    Kind { path: String, kind: String },
    #[error("{one:?} and {other:?} are the same on some systems")]
    Same { one: String, other: String },
    #[error("the archive ends within {0:?}")]
    Short(String),
    #[error("broken archive: {0}")]
    Broken(String),
    #[error("no files")]
    Empty,
}

#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl IntakeError {
    pub fn io(path: &Path, source: io::Error) -> Self {
        IntakeError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// An entry as its archive describes it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As [`Intake::path`] gave it.
    pub path: String,
    pub size: u64,
    pub run: bool,
}

pub struct Intake<'a> {
    into: &'a Path,
    limits: Limits,
    files: Files,
    /// Each path as file systems that fold case or compose characters see it -> how it is written
    /// here, and whether it is a file.
    spelled: HashMap<String, (String, bool)>,
    folders: HashSet<String>,
    taken: Vec<PackedFile>,
    entries: usize,
    bytes: u64,
}

impl<'a> Intake<'a> {
    /// `into` is empty.
    pub fn new(into: &'a Path, files: Files, limits: Limits) -> Self {
        Intake {
            into,
            limits,
            files,
            spelled: HashMap::new(),
            folders: HashSet::new(),
            taken: Vec::new(),
            entries: 0,
            bytes: 0,
        }
    }

    /// One more entry of whatever kind: a million empty folders are too much as well.
    pub fn count(&mut self) -> Result<(), Refused> {
        self.entries += 1;
        match self.entries > self.limits.entries {
            true => Err(Refused::Entries(self.limits.entries)),
            false => Ok(()),
        }
    }

    /// The names of a path below the folder; refuses what leads elsewhere.
    pub fn path<'p>(&self, path: &'p str) -> Result<Vec<&'p str>, Refused> {
        let wrong = |why: &'static str| Refused::Path {
            path: base::text::cut(path, 200),
            why,
        };
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
        Ok(parts)
    }

    pub fn has(&self, path: &str) -> bool {
        self.taken.iter().any(|file| file.path == path)
    }

    /// Writes one file; `seen` hears its bytes. The same path again replaces what was there, as for
    /// every tar.
    pub fn take(
        &mut self,
        entry: Entry,
        from: &mut impl Read,
        seen: &mut dyn FnMut(&[u8]),
    ) -> Result<(), IntakeError> {
        self.bytes = self.bytes.saturating_add(entry.size);
        if self.bytes > self.limits.bytes {
            return Err(Refused::Bytes(self.limits.bytes).into());
        }
        let again = self.spell(&entry.path, true)?;
        let file = self.write(entry, from, seen)?;
        if again {
            self.taken.retain(|known| known.path != file.path);
        }
        self.taken.push(file);
        Ok(())
    }

    /// What was taken in.
    pub fn finish(self) -> Result<Vec<PackedFile>, Refused> {
        match self.taken.is_empty() {
            true => Err(Refused::Empty),
            false => Ok(self.taken),
        }
    }

    fn write(
        &mut self,
        entry: Entry,
        from: &mut impl Read,
        seen: &mut dyn FnMut(&[u8]),
    ) -> Result<PackedFile, IntakeError> {
        let Entry { path, size, run } = entry;
        let full = self.into.join(&path);
        if let Some((folder, _)) = path.rsplit_once('/')
            && self.folders.insert(folder.to_owned())
        {
            let folder = self.into.join(folder);
            fs::create_dir_all(&folder).map_err(|error| IntakeError::io(&folder, error))?;
        }
        let mode = self.files.mode(run);
        let open = || {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(mode);
            options.open(&full)
        };
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&full).and_then(|()| open())
            }
            other => other,
        }
        .map_err(|error| IntakeError::io(&full, error))?;
        let mut hash = sha2::Sha256::new();
        let mut buffer = vec![0; usize::try_from(size.clamp(1, 256 << 10)).unwrap_or(1)];
        let mut left = size;
        while left > 0 {
            let most = usize::try_from(left.min(buffer.len() as u64)).unwrap_or(1);
            let read = from
                .read(&mut buffer[..most])
                .map_err(|error| Refused::Broken(error.to_string()))?;
            if read == 0 {
                return Err(Refused::Short(path).into());
            }
            hash.update(&buffer[..read]);
            seen(&buffer[..read]);
            file.write_all(&buffer[..read])
                .map_err(|error| IntakeError::io(&full, error))?;
            left -= read as u64;
        }
        Ok(PackedFile {
            path,
            size,
            run,
            sha256: base::text::hex(&hash.finalize()),
        })
    }

    /// Notes a path and the folders above it; whether it was there already, spelled the same.
    fn spell(&mut self, path: &str, is_file: bool) -> Result<bool, Refused> {
        let key: String = path.nfc().flat_map(char::to_lowercase).nfc().collect();
        let before = self.spelled.get(&key).cloned();
        match before {
            Some((spelled, was_file)) if spelled == path && was_file == is_file => Ok(true),
            Some((spelled, _)) => Err(Refused::Same {
                one: path.to_owned(),
                other: spelled,
            }),
            None => {
                // A folder is made, and remembered: one long path would stand for dozens of them.
                if !is_file {
                    self.count()?;
                }
                self.spelled.insert(key, (path.to_owned(), is_file));
                if let Some((folder, _)) = path.rsplit_once('/') {
                    self.spell(folder, false)?;
                }
                Ok(false)
            }
        }
    }
}
