//! Somebody edits the files with another program: whoever reads them is told.

use crate::PromptError;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// With everything below it, links followed.
    Deep(PathBuf),
    /// Only what lies in it: it is not ours, and what its links lead to may be large.
    Flat(PathBuf),
}

/// Watches until it is dropped.
pub struct Watch {
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Calls `changed` from a thread of its own whenever something below one of the folders was written,
    /// moved or removed: often several times for one save, so the caller waits for a quiet moment.
    pub fn start(folders: &[Watched], changed: impl Fn() + Send + 'static) -> Result<Self, PromptError> {
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| match event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
                Ok(_) => changed(),
                Err(error) => {
                    tracing::warn!(%error, "watching folders");
                    changed();
                }
            })?;
        for folder in folders {
            match folder {
                Watched::Deep(folder) => watcher.watch(folder, RecursiveMode::Recursive)?,
                Watched::Flat(folder) => watcher.watch(folder, RecursiveMode::NonRecursive)?,
            }
        }
        Ok(Watch { _watcher: watcher })
    }
}
