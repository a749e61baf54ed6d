//! Somebody edits the files with another program: the library is told.

use crate::{Library, PromptError};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches until it is dropped.
pub struct Watch {
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Calls `changed` from a thread of its own whenever something below the folder was written,
    /// moved or removed: often several times for one save, so the caller waits for a quiet moment.
    pub fn start(library: &Library, changed: impl Fn() + Send + 'static) -> Result<Self, PromptError> {
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| match event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
                Ok(_) => changed(),
                Err(error) => {
                    tracing::warn!(%error, "watching the prompts");
                    changed();
                }
            })?;
        watcher.watch(library.folder(), RecursiveMode::Recursive)?;
        Ok(Watch { _watcher: watcher })
    }
}
