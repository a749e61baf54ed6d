//! What agents deleted: moved to `trash/workspaces/{task}/{change}` in the data home, out of reach of
//! tasks, and back from there. By renaming where the workspace is on the same file system; else by a
//! whole copy that is in place before anything is taken away.

use crate::error::WorkspaceError;
use crate::files::{
    Kind, LastLink, Over, Parents, Place, RelPath, copy_tree, measure, open_dir, remove_tree, rename,
};
use crate::history::{Keep, Recorder, days_ago, on_disk, temp_name};
use crate::task::TaskId;
use cap_std::fs::Dir;
use rustix::io::Errno;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use store::{Change, ChangeOp, Store};
use tokio::runtime::Handle;

/// Moves a file, a folder or a link to the trash.
pub(crate) fn delete(recorder: &Recorder, path: &RelPath) -> Result<Change, WorkspaceError> {
    let place = recorder.root.place(path, LastLink::Itself, Parents::Needed)?;
    let kind = recorder.kind_at(&place, path)?;
    let before = match kind {
        Kind::File => {
            let file = place.existing(recorder.bound.limits().file_bytes)?;
            recorder.keep(file.as_ref())?
        }
        _ => None,
    };
    let size = measure(place.parent(), place.name()).map_err(|error| place.failed(error))?;
    let change = Change {
        kind: kind.name().to_owned(),
        before,
        trashed: Some(i64::try_from(size).unwrap_or(i64::MAX)),
        ..recorder.new_change(ChangeOp::Delete, place.text())
    };
    let trash = open(&recorder.bound.keep, &change.task)?;
    let id = change.id.clone();
    recorder.record(change, || bring(&place, &trash, &id))
}

fn bring(place: &Place, trash: &Dir, id: &str) -> Result<(), WorkspaceError> {
    let failed = |error: io::Error| place.failed(error);
    match rename(place.parent(), place.name(), trash, id, Over::Nothing) {
        Err(Errno::XDEV) => {}
        done => return done.map_err(|error| failed(error.into())),
    }
    let partial = format!("{id}{PARTIAL}");
    // Whole in the trash before anything is taken away; then out of sight at once, so that nobody
    // sees half of it.
    let temp = temp_name(id);
    let moved = copy_tree(place.parent(), place.name(), trash, &partial)
        .and_then(|()| Ok(rename(trash, &partial, trash, id, Over::Nothing)?))
        .and_then(|()| {
            Ok(rename(
                place.parent(),
                place.name(),
                place.parent(),
                &temp,
                Over::Nothing,
            )?)
        });
    if let Err(error) = moved {
        // Best effort: the next start looks for them as well.
        let _ = remove_tree(trash, &partial);
        let _ = remove_tree(trash, id);
        return Err(failed(error));
    }
    remove_tree(place.parent(), &temp).map_err(failed)
}

/// Half-copied things.
const PARTIAL: &str = ".partial";

/// Moves what a change deleted back to its place, which must be free.
pub(crate) fn undelete(recorder: &Recorder, id: &str) -> Result<Change, WorkspaceError> {
    let bound = recorder.bound;
    let not_found = || WorkspaceError::VersionNotFound {
        id: crate::files::shown(id),
    };
    let found = Handle::current().block_on(
        bound
            .store
            .workspace_change(bound.task.to_string(), id.to_owned()),
    )?;
    let deleted = found
        .filter(|change| change.root == bound.binding.path)
        .ok_or_else(not_found)?;
    if deleted.trashed.is_none() {
        return Err(WorkspaceError::VersionNotKept { id: id.to_owned() });
    }
    let path = RelPath::parse("undelete", &deleted.path)?;
    let place = recorder.root.known_place(&path, Parents::Create)?;
    if place.stat()?.is_some() {
        return Err(WorkspaceError::AlreadyExists { path: path.text() });
    }
    let trash = open(&bound.keep, &deleted.task)?;
    let change = Change {
        kind: deleted.kind,
        after: deleted.before,
        origin: Some(deleted.id),
        ..recorder.new_change(ChangeOp::Undelete, path.text())
    };
    let temp = temp_name(&change.id);
    recorder.record(change, || take(&trash, id, &place, &temp))
}

fn take(trash: &Dir, id: &str, place: &Place, temp: &str) -> Result<(), WorkspaceError> {
    let failed = |error: Errno| match error {
        Errno::EXIST | Errno::NOTEMPTY => WorkspaceError::AlreadyExists { path: place.text() },
        error => place.failed(error),
    };
    match rename(trash, id, place.parent(), place.name(), Over::Nothing) {
        Err(Errno::XDEV) => {}
        done => return done.map_err(failed),
    }
    copy_tree(trash, id, place.parent(), temp).map_err(|error| place.failed(error))?;
    rename(place.parent(), temp, place.parent(), place.name(), Over::Nothing).map_err(failed)?;
    remove_tree(trash, id).map_err(|error| keeping(id, error))
}

/// Removes for good what `choose` names of a task's trash, given newest first with the bytes up to
/// it. The caller lets nothing change meanwhile.
pub(crate) async fn empty(
    store: &Store,
    keep: &Arc<Keep>,
    task: &TaskId,
    choose: impl Fn(&Change, u64) -> bool,
) -> Result<usize, WorkspaceError> {
    let mut bytes: u64 = 0;
    let mut ids = Vec::new();
    for change in store.trashed_changes(task.to_string()).await? {
        bytes = bytes.saturating_add(
            change
                .trashed
                .and_then(|size| u64::try_from(size).ok())
                .unwrap_or(0),
        );
        if choose(&change, bytes) {
            ids.push(change.id);
        }
    }
    if ids.is_empty() {
        return Ok(0);
    }
    let (old, disk, name) = (ids.clone(), keep.clone(), task.to_string());
    on_disk(move || {
        let trash = open(&disk, &name)?;
        old.iter()
            .try_for_each(|id| remove_tree(&trash, id).map_err(|error| keeping(id, error)))
    })
    .await?;
    let count = ids.len();
    store.leave_trash(ids).await?;
    Ok(count)
}

/// Removes what is too old, and the oldest when it is too much; the newest stays whatever its size.
pub(crate) async fn prune(store: &Store, keep: &Arc<Keep>, task: &TaskId) -> Result<(), WorkspaceError> {
    let oldest = days_ago(keep.limits.trash_days);
    let most = keep.limits.trash_bytes;
    let newest = store.trashed_changes(task.to_string()).await?.into_iter().next();
    let newest = newest.map(|change| change.id);
    let is_past = |change: &Change, bytes: u64| {
        change.at < oldest || (bytes > most && newest.as_ref() != Some(&change.id))
    };
    empty(store, keep, task, is_past).await?;
    Ok(())
}

/// Rows do not claim what is not there; half-copied things go, and so does what has no row.
pub(crate) async fn reconcile(store: &Store, keep: &Arc<Keep>, task: &TaskId) -> Result<(), WorkspaceError> {
    let rows = store.trashed_changes(task.to_string()).await?;
    let waiting = store.unsettled_changes().await?;
    let known: HashSet<String> = rows
        .iter()
        .chain(&waiting)
        .map(|change| change.id.clone())
        .collect();
    let (disk, name) = (keep.clone(), task.to_string());
    let there = on_disk(move || {
        let folder = folder(&disk, &name);
        let io = |error| keeping(&name, error);
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
            entries => entries.map_err(io)?,
        };
        let mut there = HashSet::new();
        let trash = open(&disk, &name)?;
        for entry in entries {
            let found = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
            if known.contains(&found) {
                there.insert(found);
            } else {
                remove_tree(&trash, &found).map_err(io)?;
            }
        }
        Ok(there)
    })
    .await?;
    let gone: Vec<String> = rows
        .into_iter()
        .map(|change| change.id)
        .filter(|id| !there.contains(id))
        .collect();
    if !gone.is_empty() {
        store.leave_trash(gone).await?;
    }
    Ok(())
}

/// Whether what a change deleted lies in the trash, whole.
pub(crate) fn is_there(keep: &Keep, task: &str, id: &str) -> bool {
    folder(keep, task).join(id).symlink_metadata().is_ok()
}

fn folder(keep: &Keep, task: &str) -> PathBuf {
    keep.trash.join(task)
}

fn open(keep: &Keep, task: &str) -> Result<Dir, WorkspaceError> {
    let folder = folder(keep, task);
    base::atomic::create_dir_all(&folder)
        .and_then(|()| open_dir(&folder))
        .map_err(|error| keeping(task, error))
}

fn keeping(path: &str, source: io::Error) -> WorkspaceError {
    WorkspaceError::Keeping {
        path: path.to_owned(),
        source,
    }
}
