//! `api.storage`: `data/storage.json`, one JSON object.
//!
//! Every change reads, changes and replaces the file under a lock, so that what is written is
//! there at once, also for a second worker of the same tool, and whole after a kill.

use super::json::{self, Unreadable};
use base::atomic::{self, Access};
use rquickjs::{Ctx, Exception, Result};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of the whole file.
const LIMIT: usize = 32 * 1024 * 1024;

pub(crate) struct Storage {
    file: PathBuf,
    lock: PathBuf,
}

#[derive(Debug, thiserror::Error)]
enum StorageError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("data/storage.json is not valid JSON ({0}); it was left as it is")]
    Broken(#[from] serde_json::Error),
    #[error("the value cannot be kept: {0}")]
    Value(#[from] Unreadable),
    #[error("storage would grow to {0} bytes, the limit is {LIMIT}")]
    TooLarge(usize),
}

impl Storage {
    pub(crate) fn new(folder: &Path) -> Self {
        Storage {
            file: folder.join("data/storage.json"),
            lock: folder.join("data/.storage.lock"),
        }
    }

    /// The whole store as JSON.
    pub(crate) fn read(&self, ctx: &Ctx<'_>) -> Result<String> {
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok("{}".to_owned()),
            Err(error) => Err(throw(ctx, &error.into())),
        }
    }

    /// Sets a key to a JSON text, removes it (`None`), or clears everything (no key).
    pub(crate) fn write(&self, ctx: &Ctx<'_>, key: Option<String>, json: Option<String>) -> Result<()> {
        self.change(key, json).map_err(|error| throw(ctx, &error))
    }

    fn change(&self, key: Option<String>, value: Option<String>) -> std::result::Result<(), StorageError> {
        let lock: File = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&self.lock)?;
        lock.lock()?;
        let mut all: Map<String, Value> = match std::fs::read_to_string(&self.file) {
            Ok(text) => serde_json::from_str(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(error.into()),
        };
        match (key, value) {
            (Some(key), Some(value)) => {
                all.insert(key, json::parse(value)?);
            }
            (Some(key), None) => {
                all.remove(&key);
            }
            (None, _) => all.clear(),
        }
        let bytes = serde_json::to_vec(&all)?;
        if bytes.len() > LIMIT {
            return Err(StorageError::TooLarge(bytes.len()));
        }
        Ok(atomic::write(&self.file, &bytes, Access::Private)?)
    }
}

fn throw(ctx: &Ctx<'_>, error: &StorageError) -> rquickjs::Error {
    Exception::throw_message(ctx, &error.to_string())
}
