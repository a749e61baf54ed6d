//! The data home as one file, and back (CONTRACT, "Command line": `pm backup FILE | restore FILE`).
//!
//! The file is a tar archive behind gzip, which any archiver opens: [`HEAD`] says what it is, below [`FILES`] is what
//! the data home holds, and [`END`] counts that, so that half a backup is known for one. Left out is what comes again by
//! itself: `run/`, the npm store, thumbnails. Secrets are in it as they lie on the disk, those of a keychain are not.
//!
//! Deliberately not here: copies of the database before a migration (`store`), versions of one tool (`toolbox`).

mod home;
mod make;
mod restore;

pub use home::{Set, reset};
pub(crate) use make::{make, sweep};
pub use restore::{Restored, restore};

use base::{Args, Coded, DataHome, args};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use store::StoreError;

/// Version of the archive's own layout.
const FORMAT: u32 = 1;

/// The first entry.
const HEAD: &str = "prompt-manager.json";
/// The folder of everything else.
const FILES: &str = "home";
/// The last entry.
const END: &str = "end.json";

/// What is not copied, by its path in the data home.
const LEFT_OUT: &[&str] = &[
    "run",
    "store",
    "artifacts/thumbs",
    // A copy of it that is whole takes its place.
    DATABASE,
    "pm.db-wal",
    "pm.db-shm",
];

const DATABASE: &str = "pm.db";

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    backup: u32,
    /// Format of the data home ([`base::home::FORMAT`]).
    home: u32,
    made: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub files: u64,
    /// Of their contents.
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{0} is there already")]
    Exists(PathBuf),
    #[error("{0} is in the data home itself")]
    Inside(PathBuf),
    #[error("{0} was written to meanwhile")]
    Changed(PathBuf),
    #[error("{0} is no backup")]
    NotOne(PathBuf),
    #[error("{0} is a backup that is not whole")]
    NotWhole(PathBuf),
    #[error("the backup has format {found}")]
    Newer { found: u32, known: u32 },
    #[error("the data home is in use")]
    InUse,
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Coded for BackupError {
    fn code(&self) -> &'static str {
        match self {
            BackupError::Exists(_) => "backup_exists",
            BackupError::Inside(_) => "backup_inside",
            BackupError::Changed(_) => "backup_changed",
            BackupError::NotOne(_) => "backup_not_one",
            BackupError::NotWhole(_) => "backup_not_whole",
            BackupError::Newer { .. } => "backup_newer",
            BackupError::InUse => "backup_home_in_use",
            BackupError::Io { .. } => "backup_io",
            BackupError::Store(error) => error.code(),
        }
    }
    fn args(&self) -> Args {
        match self {
            BackupError::Exists(path)
            | BackupError::Inside(path)
            | BackupError::Changed(path)
            | BackupError::NotOne(path)
            | BackupError::NotWhole(path) => args! { path: path },
            BackupError::Newer { found, known } => args! { found: found, known: known },
            BackupError::InUse => args! {},
            BackupError::Io { path, source } => args! { path: path, reason: source.to_string() },
            BackupError::Store(error) => error.args(),
        }
    }
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> BackupError + use<> {
    let path = path.to_owned();
    move |source| BackupError::Io { path, source }
}

/// Its real path, folder and name: what is moved is the folder and not a link to it.
fn place_of(home: &DataHome) -> Result<(PathBuf, PathBuf, String), BackupError> {
    let root = home.root().canonicalize().map_err(io_at(home.root()))?;
    match (root.parent(), root.file_name().and_then(|name| name.to_str())) {
        (Some(folder), Some(name)) => Ok((root.clone(), folder.to_owned(), name.to_owned())),
        _ => Err(io_at(&root)(io::ErrorKind::InvalidFilename.into())),
    }
}

#[cfg(test)]
mod tests;
