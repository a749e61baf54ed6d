//! The owner's lock. The kernel gives it back when the process ends, however it ends.

#![allow(clippy::disallowed_methods, reason = "the lock file is never written")]

use super::OwnerError;
use base::DataHome;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two tries of a lock that somebody else holds.
const AGAIN: Duration = Duration::from_millis(50);

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
            // A data home may be put in the place of another, and this was the other's.
            Ok(()) if !is_at(&file, home)? => Ok(None),
            Ok(()) => Ok(Some(Ownership { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed(home)(source)),
        }
    }

    /// Waits for the present owner to end.
    ///
    /// It tries again and again: a lock that blocks needs a thread, which cannot be called off
    /// when the wait is over and keeps this process from ending. The kernel tells nobody that
    /// another process let go of a lock.
    pub async fn wait(home: &DataHome, most: Duration) -> Result<Self, OwnerError> {
        let deadline = Instant::now() + most;
        loop {
            if let Some(ownership) = Self::try_take(home)? {
                return Ok(ownership);
            }
            if Instant::now() >= deadline {
                return Err(OwnerError::Held);
            }
            sleep(AGAIN).await;
        }
    }
}

/// Whether the data home's lock still is this file.
fn is_at(file: &File, home: &DataHome) -> Result<bool, OwnerError> {
    let about = file.metadata().map_err(failed(home))?;
    match std::fs::metadata(home.lock()) {
        Ok(there) => Ok((there.dev(), there.ino()) == (about.dev(), about.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(home)(error)),
    }
}

fn failed(home: &DataHome) -> impl Fn(io::Error) -> OwnerError + use<> {
    let path = home.lock();
    move |source| OwnerError::Io {
        path: path.clone(),
        source,
    }
}

fn open(home: &DataHome) -> Result<File, OwnerError> {
    let failed = failed(home);
    base::atomic::create_dir_all(&home.run()).map_err(&failed)?;
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(home.lock())
        .map_err(failed)
}
