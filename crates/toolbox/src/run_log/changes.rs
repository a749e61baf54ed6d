//! Tells who waits for a tool's log that the file has changed. Only the tools that somebody waits
//! for are kept.

use base::name::ToolName;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

#[derive(Debug, Default)]
pub(super) struct Changes {
    waiting: Mutex<HashMap<ToolName, watch::Sender<()>>>,
}

impl Changes {
    /// Changes of the file from now on.
    pub(super) fn of(&self, tool: &ToolName) -> watch::Receiver<()> {
        let mut waiting = self.lock();
        waiting.retain(|_, sender| sender.receiver_count() > 0);
        let sender = waiting
            .entry(tool.clone())
            .or_insert_with(|| watch::Sender::new(()));
        sender.subscribe()
    }

    pub(super) fn tell(&self, tool: &ToolName) {
        if let Some(sender) = self.lock().get(tool) {
            sender.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ToolName, watch::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_and_forgotten_when_gone() {
        let changes = Changes::default();
        let names = ["a", "b"].map(|name| ToolName::parse(name).unwrap());
        let a = changes.of(&names[0]);
        let b = changes.of(&names[1]);
        changes.tell(&names[0]);
        assert!(a.has_changed().unwrap() && !b.has_changed().unwrap());
        drop(a);
        drop(changes.of(&names[1]));
        assert_eq!(changes.lock().len(), 1);
    }
}
