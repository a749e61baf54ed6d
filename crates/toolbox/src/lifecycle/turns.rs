//! Runs of a tool and changes of its folder take turns: a run is of the code that its rights were looked up for.
//!
//! Deliberately not here: a tool's line of runs (`runtime`).

use base::name::ToolName;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedMutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Names that anybody may make up are forgotten beyond so many.
const REMEMBERED: usize = 256;

#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<ToolName, Turn>>);

#[derive(Clone, Default)]
struct Turn {
    runs: Arc<RwLock<()>>,
    changes: Arc<tokio::sync::Mutex<()>>,
}

/// Nobody else changes the tool, from the first look at what is there on; runs go on meanwhile.
pub(crate) type ChangeTurn = OwnedMutexGuard<()>;

impl Turns {
    /// As long as what is given back lives, the tool stays what it is. Not twice in one run.
    pub(crate) async fn unchanged(&self, tool: &ToolName) -> OwnedRwLockReadGuard<()> {
        self.of(tool).runs.read_owned().await
    }

    /// Nothing of the tool runs, and nothing begins.
    pub(crate) async fn alone(&self, tool: &ToolName) -> OwnedRwLockWriteGuard<()> {
        self.of(tool).runs.write_owned().await
    }

    pub(crate) async fn change(&self, tool: &ToolName) -> ChangeTurn {
        self.of(tool).changes.lock_owned().await
    }

    fn of(&self, tool: &ToolName) -> Turn {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED {
            let used =
                |turn: &Turn| Arc::strong_count(&turn.runs) > 1 || Arc::strong_count(&turn.changes) > 1;
            all.retain(|_, turn| used(turn));
        }
        all.entry(tool.clone()).or_default().clone()
    }
}
