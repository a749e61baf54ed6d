//! Looking at versions, and bringing one back.

use super::objects;
use super::record::{Recorder, Target};
use crate::error::WorkspaceError;
use crate::files::{Parents, RelPath, Root};
use crate::trash;
use crate::workspace::Bound;
use similar::TextDiff;
use std::time::Duration;
use store::{Change, ChangeOp, Content};
use tokio::runtime::Handle;

/// A file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// What was there before this change.
    Before(String),
    /// What was there after it.
    After(String),
    /// What is there now, by its path.
    Current(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub old_path: String,
    pub new_path: String,
    /// Bytes; none when there was no file.
    pub old_size: Option<u64>,
    pub new_size: Option<u64>,
    /// Unified, three lines of context; none when one side is no UTF-8 text or too large to compare.
    pub text: Option<String>,
    /// The text was cut.
    pub truncated: bool,
}

const COMPARED_BYTES: usize = 4 * 1024 * 1024;
const DIFF_BYTES: usize = 512 * 1024;
const DIFF_TIME: Duration = Duration::from_secs(2);

/// Path and content of a version; blocks.
fn find(bound: &Bound, root: &Root, version: &Version) -> Result<(String, Option<Vec<u8>>), WorkspaceError> {
    match version {
        Version::Current(path) => {
            let path = RelPath::parse("history", path)?;
            let limit = bound.limits().file_bytes;
            let found = match root.known_place(&path, Parents::Needed) {
                Err(WorkspaceError::FileNotFound { .. }) => None,
                place => place?.existing(limit)?,
            };
            match found {
                Some(file) if file.bytes.is_none() => Err(WorkspaceError::FileTooLarge {
                    path: path.text(),
                    size: file.size,
                    limit,
                }),
                found => Ok((path.text(), found.and_then(|file| file.bytes))),
            }
        }
        Version::Before(id) | Version::After(id) => {
            let change = change_of(bound, id)?;
            match side(&change, version) {
                None => Ok((change.path, None)),
                Some(Content { hash: None, .. }) => Err(WorkspaceError::VersionNotKept { id: id.clone() }),
                Some(Content { hash: Some(hash), .. }) => {
                    let bytes = objects::get(&bound.keep, &bound.task, hash)?;
                    let bytes = bytes.ok_or_else(|| WorkspaceError::VersionNotKept { id: id.clone() })?;
                    Ok((change.path, Some(bytes)))
                }
            }
        }
    }
}

fn side<'c>(change: &'c Change, version: &Version) -> Option<&'c Content> {
    match version {
        Version::Before(_) => change.before.as_ref(),
        _ => change.after.as_ref(),
    }
}

fn change_of(bound: &Bound, id: &str) -> Result<Change, WorkspaceError> {
    let found = Handle::current().block_on(
        bound
            .store
            .workspace_change(bound.task.to_string(), id.to_owned()),
    )?;
    found
        .filter(|change| change.root == bound.binding.path)
        .ok_or_else(|| WorkspaceError::VersionNotFound {
            id: crate::files::shown(id),
        })
}

pub(crate) fn version(
    bound: &Bound,
    root: &Root,
    version: &Version,
) -> Result<Option<Vec<u8>>, WorkspaceError> {
    Ok(find(bound, root, version)?.1)
}

pub(crate) fn diff(
    bound: &Bound,
    root: &Root,
    old: &Version,
    new: &Version,
) -> Result<FileDiff, WorkspaceError> {
    let (old_path, old) = find(bound, root, old)?;
    let (new_path, new) = find(bound, root, new)?;
    let size = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| bytes.len() as u64);
    let mut diff = FileDiff {
        old_size: size(&old),
        new_size: size(&new),
        old_path,
        new_path,
        text: None,
        truncated: false,
    };
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    if old.len() + new.len() > COMPARED_BYTES {
        return Ok(diff);
    }
    let (Ok(old), Ok(new)) = (std::str::from_utf8(&old), std::str::from_utf8(&new)) else {
        return Ok(diff);
    };
    let compared = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    let mut text = compared
        .unified_diff()
        .header(&diff.old_path, &diff.new_path)
        .to_string();
    if text.len() > DIFF_BYTES {
        let end = text[..text.floor_char_boundary(DIFF_BYTES)]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        text.truncate(end);
        diff.truncated = true;
    }
    diff.text = Some(text);
    Ok(diff)
}

pub(crate) fn restore(recorder: &Recorder, version: &Version) -> Result<Change, WorkspaceError> {
    let (Version::Before(id) | Version::After(id)) = version else {
        return Err(invalid("what is there now needs no restoring"));
    };
    let change = change_of(recorder.bound, id)?;
    if change.op == ChangeOp::Delete && change.trashed.is_some() && *version == Version::Before(id.clone()) {
        return trash::undelete(recorder, id);
    }
    if change.kind != "file" || (change.op == ChangeOp::Move && change.before.is_none()) {
        return Err(invalid(
            "a move is taken back by moving, and only files have versions",
        ));
    }
    if change.op == ChangeOp::Move && *version == Version::After(id.clone()) {
        return Err(invalid(
            "what was moved is not changed by it: see the versions of where it came from",
        ));
    }
    let path = RelPath::parse("restore", &change.path)?;
    match find(recorder.bound, recorder.root, version)?.1 {
        None => trash::delete(recorder, &path),
        Some(bytes) => {
            let target = Target {
                op: ChangeOp::Restore,
                path: &path,
                parents: Parents::Create,
                origin: Some(id.clone()),
            };
            recorder.put(&target, |_| Ok(bytes.clone()))
        }
    }
}

fn invalid(reason: &str) -> WorkspaceError {
    WorkspaceError::InvalidArgs {
        call: "restore",
        reason: reason.to_owned(),
    }
}
