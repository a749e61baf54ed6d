//! What agents changed, so that it can be looked at and taken back.
//!
//! A change goes in this order, and a kill may come between any two steps:
//! 1. the bytes before and after it, under their hashes (`objects`);
//! 2. its row, unsettled;
//! 3. the file: temporary name, fsync, rename;
//! 4. the row is settled.
//!
//! So nothing is ever overwritten that is not kept, and `reconcile` finds out at the next start
//! whether step 3 happened. Commands change files as well, without coming by here: then the next
//! change's "before" is another one than the last "after", and both are kept.

mod objects;
pub(crate) mod reconcile;
mod record;
mod versions;

pub(crate) use record::{Recorder, temp_name};
pub use versions::{FileDiff, Version};
pub(crate) use versions::{diff, restore, version};

use crate::error::WorkspaceError;
use crate::limits::Limits;
use crate::task::TaskId;
use crate::trash;
use base::DataHome;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use store::{Change, Store};

/// Where versions and deleted things lie, and how many.
pub(crate) struct Keep {
    pub history: PathBuf,
    pub trash: PathBuf,
    pub limits: Limits,
}

impl Keep {
    pub(crate) fn new(home: &DataHome, limits: Limits) -> Self {
        Keep {
            history: home.history(),
            trash: home.trash().join("workspaces"),
            limits,
        }
    }
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(crate) fn days_ago(days: u32) -> i64 {
    base::clock::now_ms() - i64::from(days) * DAY_MS
}

/// Removes what is too old or too much: first from the trash, then versions. The caller lets nothing
/// change meanwhile.
pub(crate) async fn prune(
    store: &Store,
    keep: &std::sync::Arc<Keep>,
    task: &TaskId,
) -> Result<(), WorkspaceError> {
    trash::prune(store, keep, task).await?;
    let changes = store.all_changes(task.to_string()).await?;
    let old = too_old(&changes, &keep.limits);
    if !old.is_empty() {
        store.forget_changes(old).await?;
    }
    drop_unnamed(store, keep, task).await
}

/// Ids of the changes to forget, given newest first. What is still in the trash is not forgotten.
fn too_old(changes: &[Change], limits: &Limits) -> Vec<String> {
    let oldest = days_ago(limits.history_days);
    let mut named = HashSet::new();
    let mut bytes: u64 = 0;
    let mut old = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        for content in [&change.before, &change.after].into_iter().flatten() {
            if content.hash.as_ref().is_some_and(|hash| named.insert(hash)) {
                bytes = bytes.saturating_add(u64::try_from(content.size).unwrap_or(0));
            }
        }
        let past =
            at >= limits.history_changes || change.at < oldest || (at > 0 && bytes > limits.history_bytes);
        if past && change.trashed.is_none() {
            old.push(change.id.clone());
        }
    }
    old
}

/// Removes the bytes that no row names any more.
async fn drop_unnamed(
    store: &Store,
    keep: &std::sync::Arc<Keep>,
    task: &TaskId,
) -> Result<(), WorkspaceError> {
    let mut changes = store.all_changes(task.to_string()).await?;
    changes.extend(store.unsettled_changes().await?);
    let (keep, task) = (keep.clone(), task.clone());
    on_disk(move || {
        let contents = changes
            .into_iter()
            .flat_map(|change| [change.before, change.after]);
        let named = contents.flatten().filter_map(|content| content.hash).collect();
        objects::retain(&keep, &task, &named)
    })
    .await
}

pub(crate) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
) -> Result<T, WorkspaceError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(WorkspaceError::Keeping {
            path: String::new(),
            source: io::Error::other(error),
        }),
    }
}
