//! Runs of a tool and changes of its folder take turns: a run is of the code that its rights were looked up for.
//!
//! Deliberately not here: a tool's line of runs (`runtime`).

use base::name::ToolName;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Names that anybody may make up are forgotten beyond so many.
const REMEMBERED: usize = 256;

#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<ToolName, Arc<RwLock<()>>>>);

impl Turns {
    /// As long as what is given back lives, the tool stays what it is. Not twice in one run.
    pub(crate) async fn unchanged(&self, tool: &ToolName) -> OwnedRwLockReadGuard<()> {
        self.of(tool).read_owned().await
    }

    /// Nothing of the tool runs, and nothing begins.
    pub(crate) async fn alone(&self, tool: &ToolName) -> OwnedRwLockWriteGuard<()> {
        self.of(tool).write_owned().await
    }

    fn of(&self, tool: &ToolName) -> Arc<RwLock<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED {
            all.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        all.entry(tool.clone()).or_default().clone()
    }
}
