//! The owner's lock. The kernel gives it back when the process ends, however it ends.

#![allow(clippy::disallowed_methods, reason = "the lock file is never written")]

use super::OwnerError;
use base::DataHome;
use std::fs::{File, OpenOptions, TryLockError};
use std::time::Duration;

/// Held while this process owns the data home.
#[derive(Debug)]
pub struct Ownership {
    _file: File,
}

impl Ownership {
    /// The lock, or `None` when somebody else has it.
    pub fn try_take(home: &DataHome) -> Result<Option<Self>, OwnerError> {
        let file = open(home)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Ownership { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(OwnerError::Io {
                path: home.lock(),
                source,
            }),
        }
    }

    /// Waits for the present owner to end.
    pub async fn wait(home: &DataHome, most: Duration) -> Result<Self, OwnerError> {
        let file = open(home)?;
        let path = home.lock();
        // A thread that waits for longer than `most` ends with the process.
        let waited = tokio::task::spawn_blocking(move || file.lock().map(|()| file));
        match tokio::time::timeout(most, waited).await {
            Ok(Ok(Ok(file))) => Ok(Ownership { _file: file }),
            Ok(Ok(Err(source))) => Err(OwnerError::Io { path, source }),
            Ok(Err(error)) => Err(OwnerError::Io {
                path,
                source: std::io::Error::other(error),
            }),
            Err(_) => Err(OwnerError::Held),
        }
    }
}

fn open(home: &DataHome) -> Result<File, OwnerError> {
    let path = home.lock();
    let failed = |source| OwnerError::Io {
        path: path.clone(),
        source,
    };
    base::atomic::create_dir_all(&home.run()).map_err(failed)?;
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed)
}
