//! Rows, versions, trash and files after a kill: what is found in the workspace decides whether an
//! unsettled change happened.
//!
//! | found | the change |
//! |---|---|
//! | file: holds what it was to hold | happened |
//! | file: holds anything else | did not |
//! | move: gone from here, there is something there | happened, else not |
//! | deletion: it is in the trash | happened, else not; what was half removed goes |
//! | undeletion: out of the trash, there is something at its place | happened, else not |
//! | the workspace is not there | stays unsettled until it is |
//!
//! Then bytes that no row names go, and rows do not claim what is no longer in the trash.

use super::record::temp_name;
use super::{Keep, drop_unnamed, objects, on_disk};
use crate::error::WorkspaceError;
use crate::files::{Parents, RelPath, Root, remove_tree};
use crate::task::TaskId;
use crate::trash;
use std::path::Path;
use std::sync::Arc;
use store::{Change, ChangeOp, Store};

/// At start, before anything changes.
pub(crate) async fn run(store: &Store, keep: &Arc<Keep>) -> Result<(), WorkspaceError> {
    for change in store.unsettled_changes().await? {
        let (row, keep) = (change.clone(), keep.clone());
        let happened = on_disk(move || {
            let Ok(root) = Root::open(Path::new(&row.root)) else {
                tracing::warn!(
                    task = row.task,
                    "a change waits for its workspace to be there again"
                );
                return Ok(None);
            };
            Ok(Some(look(&keep, &root, &row)))
        })
        .await?;
        match happened {
            Some(true) => store.settle_change(&change).await?,
            Some(false) => store.forget_changes(vec![change.id]).await?,
            None => {}
        }
    }
    for task in store.changed_tasks().await? {
        let task = TaskId::parse(&task)?;
        trash::reconcile(store, keep, &task).await?;
        drop_unnamed(store, keep, &task).await?;
    }
    Ok(())
}

/// After a change that failed. Blocks.
pub(super) async fn settle(
    store: &Store,
    keep: &Keep,
    root: &Root,
    change: &Change,
) -> Result<(), WorkspaceError> {
    match look(keep, root, change) {
        true => store.settle_change(change).await?,
        false => store.forget_changes(vec![change.id.clone()]).await?,
    }
    Ok(())
}

/// Whether a change happened; takes away what it left half-done.
fn look(keep: &Keep, root: &Root, change: &Change) -> bool {
    let Ok(path) = RelPath::parse("history", &change.path) else {
        return false;
    };
    let place = root.known_place(&path, Parents::Needed);
    if let Ok(place) = &place
        && let Err(error) = remove_tree(place.parent(), &temp_name(&change.id))
    {
        tracing::warn!(task = change.task, path = change.path, %error, "something half-done stays");
    }
    let in_trash = |id: &str| trash::is_there(keep, &change.task, id);
    match change.op {
        ChangeOp::Write | ChangeOp::Append | ChangeOp::Edit | ChangeOp::Restore => {
            let Some(after) = &change.after else { return false };
            let size = u64::try_from(after.size).unwrap_or(0);
            let found = place.and_then(|place| place.existing(size));
            matches!(found, Ok(Some(file)) if file.bytes.as_deref().map(objects::hash) == after.hash)
        }
        ChangeOp::Move => {
            let from = change
                .from
                .as_deref()
                .and_then(|from| RelPath::parse("history", from).ok());
            root.is_there(&path) && from.is_some_and(|from| !root.is_there(&from))
        }
        ChangeOp::Delete => in_trash(&change.id),
        ChangeOp::Undelete => {
            root.is_there(&path) && change.origin.as_deref().is_some_and(|origin| !in_trash(origin))
        }
    }
}
