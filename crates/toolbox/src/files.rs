//! What lies in a tool's folder, for a person to look at. Paths are walked name by name from a
//! handle of the folder and no link is followed, so that nothing a tool puts there leads out.
//!
//! Deliberately not here: changing files, and files of other folders.

use crate::catalog::{Tool, blocking};
use crate::configure;
use crate::env_file::EnvFile;
use crate::toolbox::{Toolbox, unreadable};
use base::name::ToolName;
use base::{Args, Coded, Failure, args};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

/// Entries of the largest list.
pub const MAX_ENTRIES: usize = 2000;
/// Names that are read of a folder; of more, the first that come are sorted.
const MAX_NAMES: usize = 50_000;
/// Bytes of a file that are shown.
pub const MAX_PREVIEW: usize = 256 * 1024;
/// A `.env` is masked whole or not shown.
const MAX_ENV: usize = 1024 * 1024;

/// One folder: folders first, then by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// There are more.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: Kind,
    /// 0 for folders.
    pub size: u64,
    pub modified_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Directory,
    File,
    Link,
    Other,
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Of the whole file.
    pub size: u64,
    pub modified_ms: i64,
    /// `None` when it is not text.
    pub text: Option<String>,
    pub truncated: bool,
    /// It is a `.env`: values were masked.
    pub masked: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("{path} leads out of the folder")]
    Traversal { path: String },
    #[error("no file {path}")]
    FileMissing { path: String },
    #[error("no folder {path}")]
    FolderMissing { path: String },
    #[error("{path} is not a folder")]
    NotFolder { path: String },
    #[error("{path} is not a regular file")]
    NotFile { path: String },
    #[error("{path} is a symbolic link")]
    Link { path: String },
    #[error("{path} may not be read")]
    Denied { path: String },
    #[error("{path}")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

impl Coded for FilesError {
    fn code(&self) -> &'static str {
        match self {
            FilesError::Traversal { .. } => "path_traversal_blocked",
            FilesError::FileMissing { .. } => "file_not_found",
            FilesError::FolderMissing { .. } => "directory_not_found",
            FilesError::NotFolder { .. } => "not_a_directory",
            FilesError::NotFile { .. } => "not_a_file",
            FilesError::Link { .. } => "symlink_not_followed",
            FilesError::Denied { .. } => "permission_denied",
            FilesError::Io { .. } => "toolbox_io",
        }
    }

    fn args(&self) -> Args {
        match self {
            FilesError::Traversal { path }
            | FilesError::FileMissing { path }
            | FilesError::FolderMissing { path }
            | FilesError::NotFolder { path }
            | FilesError::NotFile { path }
            | FilesError::Link { path }
            | FilesError::Denied { path } => args! { path: path },
            FilesError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

impl Toolbox {
    /// Entries of one folder of a tool; an empty path is the tool's own.
    pub async fn files(&self, tool: &ToolName, path: String) -> Result<Listing, Failure> {
        self.known(tool).await?;
        let folder = self.inner.home.tool(tool);
        let listed = blocking({
            let folder = folder.clone();
            move || Ok(list(&folder, &path))
        });
        Ok(listed.await.map_err(|error| unreadable(&folder, &error))??)
    }

    /// The beginning of one file of a tool; of `.env` with masked values.
    pub async fn file(&self, tool: &ToolName, path: String) -> Result<Preview, Failure> {
        self.known(tool).await?;
        let folder = self.inner.home.tool(tool);
        // Which variables are secret is known when the tool is described.
        let env = names(&path)?.last().is_some_and(|name| is_env(name));
        let described = match env {
            true => Some(self.get(tool).await?),
            false => None,
        };
        let seen = blocking({
            let folder = folder.clone();
            move || {
                Ok(preview(&folder, &path, |name| {
                    is_secret(described.as_deref(), name)
                }))
            }
        });
        Ok(seen.await.map_err(|error| unreadable(&folder, &error))??)
    }
}

/// Of a tool that does not say which are, all are.
fn is_secret(tool: Option<&Tool>, name: &str) -> bool {
    match tool.map(Tool::described) {
        Some(Ok(description)) => configure::is_secret(&description.schema.environment, name),
        Some(Err(_)) | None => true,
    }
}

/// Entries of `path` below `root`.
pub fn list(root: &Path, path: &str) -> Result<Listing, FilesError> {
    let failed = |errno: Errno| FilesError::Io {
        path: path.to_owned(),
        source: errno.into(),
    };
    let folder = walk(root, &names(path)?, path)?;
    let mut found = Vec::new();
    let mut truncated = false;
    for entry in Dir::read_from(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if found.len() >= MAX_NAMES {
            truncated = true;
            break;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            kind => kind,
        };
        found.push((kind != FileType::Directory, name.to_owned()));
    }
    found.sort();
    truncated |= found.len() > MAX_ENTRIES;
    found.truncate(MAX_ENTRIES);
    let entries = found.into_iter().filter_map(|(_, name)| {
        // What vanished meanwhile is not there.
        let stat = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        Some(Entry {
            name: name.to_string_lossy().into_owned(),
            kind,
            size: if kind == Kind::Directory { 0 } else { size(&stat) },
            modified_ms: modified(&stat),
        })
    });
    Ok(Listing {
        entries: entries.collect(),
        truncated,
    })
}

/// The beginning of the file `path` below `root`. `is_secret` says which variables of a `.env` are
/// masked.
pub fn preview(root: &Path, path: &str, is_secret: impl Fn(&str) -> bool) -> Result<Preview, FilesError> {
    let names = names(path)?;
    let Some((name, above)) = names.split_last() else {
        return Err(FilesError::NotFile {
            path: path.to_owned(),
        });
    };
    let folder = walk(root, above, path).map_err(|error| match error {
        FilesError::FolderMissing { path } => FilesError::FileMissing { path },
        error => error,
    })?;
    // A pipe must not block, whatever stands there when it is opened.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(&folder, *name, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT | Errno::NAMETOOLONG => FilesError::FileMissing {
            path: path.to_owned(),
        },
        Errno::NXIO => FilesError::NotFile {
            path: path.to_owned(),
        },
        errno => failure(errno, path),
    })?;
    let stat = fstat(&file).map_err(|errno| failure(errno, path))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(FilesError::NotFile {
            path: path.to_owned(),
        });
    }
    let masked = is_env(name);
    let limit = if masked { MAX_ENV } else { MAX_PREVIEW };
    let mut bytes = Vec::new();
    let read = File::from(file).take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|source| FilesError::Io {
        path: path.to_owned(),
        source,
    })?;
    let mut text = match (masked, bytes.len() > limit) {
        (true, true) => None,
        (true, false) => text_of(&bytes, bytes.len()).map(|text| EnvFile::parse(&text).masked(is_secret)),
        (false, _) => text_of(&bytes, limit),
    };
    let mut truncated = bytes.len() > limit;
    if let Some(text) = &mut text
        && text.len() > MAX_PREVIEW
    {
        truncated = true;
        text.truncate(text.floor_char_boundary(MAX_PREVIEW));
    }
    Ok(Preview {
        size: size(&stat),
        modified_ms: modified(&stat),
        text,
        truncated,
        masked,
    })
}

/// The names on the way; nothing that leads elsewhere on any system.
fn names(path: &str) -> Result<Vec<&str>, FilesError> {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    let parts = path.split('/');
    if drive || path.starts_with('/') || path.contains(['\\', '\0']) || parts.clone().any(|part| part == "..")
    {
        return Err(FilesError::Traversal {
            path: path.to_owned(),
        });
    }
    Ok(parts.filter(|part| !matches!(*part, "" | ".")).collect())
}

/// A handle of the folder below `root`.
fn walk(root: &Path, names: &[&str], path: &str) -> Result<OwnedFd, FilesError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, root, flags, Mode::empty()).map_err(|errno| failure(errno, path))?;
    for name in names {
        let below = openat(&folder, *name, flags | OFlags::NOFOLLOW, Mode::empty());
        folder = below.map_err(|errno| match errno {
            // The kernel says the same of a link and of a file; this is for the words alone.
            Errno::NOTDIR if is_link(&folder, name) => failure(Errno::LOOP, path),
            errno => failure(errno, path),
        })?;
    }
    Ok(folder)
}

fn is_link(folder: &OwnedFd, name: &str) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

fn failure(errno: Errno, path: &str) -> FilesError {
    let path = path.to_owned();
    match errno {
        Errno::NOENT | Errno::NAMETOOLONG => FilesError::FolderMissing { path },
        Errno::NOTDIR => FilesError::NotFolder { path },
        Errno::LOOP => FilesError::Link { path },
        Errno::ACCESS | Errno::PERM => FilesError::Denied { path },
        errno => FilesError::Io {
            path,
            source: errno.into(),
        },
    }
}

/// `.env`, whatever it is called as a variant (`.env.local`) or a copy (`.env~`, `.ENV`), and the
/// temporary file that becomes one.
fn is_env(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(".env") || name.starts_with("..env")
}

/// The first `limit` bytes if they are text; a character that they cut is left out.
fn text_of(bytes: &[u8], limit: usize) -> Option<String> {
    let shown = &bytes[..bytes.len().min(limit)];
    let text = match std::str::from_utf8(shown) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && bytes.len() > limit => {
            std::str::from_utf8(&shown[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    (!text.contains('\0')).then(|| text.to_owned())
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

fn modified(stat: &Stat) -> i64 {
    let milliseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or_default() / 1_000_000;
    stat.st_mtime.saturating_mul(1000).saturating_add(milliseconds)
}
