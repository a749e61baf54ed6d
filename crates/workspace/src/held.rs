//! Rights that are taken back while something has them: it holds a token of its task, which is
//! cancelled then. Who comes later holds a new one.
//!
//! Deliberately not here: which right it is, and what becomes of who had it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// One right of all tasks. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Held {
    tokens: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl Held {
    /// To be held before the right is looked up: one that is taken back meanwhile is not missed.
    pub(crate) fn hold(&self, task: &str) -> CancellationToken {
        self.tokens().entry(task.to_owned()).or_default().clone()
    }

    /// When it is gone from the store.
    pub(crate) fn withdraw(&self, task: &str) {
        if let Some(token) = self.tokens().remove(task) {
            token.cancel();
        }
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_it_is_told_and_nobody_else() {
        let held = Held::default();
        let (one, same, other) = (held.hold("a"), held.hold("a"), held.hold("b"));
        held.withdraw("a");
        assert!(one.is_cancelled() && same.is_cancelled());
        assert!(!other.is_cancelled() && !held.hold("a").is_cancelled());
    }
}
