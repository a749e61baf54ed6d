//! What is seen to when nothing of a command lives any more: its temporary folder, and what it did
//! to repositories.

use super::super::scratch::Folder;
use super::git::{Cleaned, Found};

/// Dropped, it is seen to as well; nobody is told then.
#[derive(Debug, Default)]
pub struct Left {
    pub scratch: Option<Folder>,
    pub git: Option<Found>,
}

impl Left {
    /// Blocks shortly.
    pub fn clean(&mut self) -> Cleaned {
        drop(self.scratch.take());
        self.git.take().map(|found| found.clean()).unwrap_or_default()
    }

    /// Off the thread that waits for it.
    pub async fn cleaned(mut self) -> Cleaned {
        if self.scratch.is_none() && self.git.is_none() {
            return Cleaned::default();
        }
        tokio::task::spawn_blocking(move || self.clean())
            .await
            .unwrap_or_default()
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let Cleaned { removed, dangers } = self.clean();
        if !removed.is_empty() || !dangers.is_empty() {
            tracing::warn!(
                ?removed,
                ?dangers,
                "a command that nobody waited for was at work in git"
            );
        }
    }
}
