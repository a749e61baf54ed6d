//! What lies in `.git` of a workspace when a command starts, and what must not have come there
//! when it has ended.
//!
//! Hooks and settings in there run programs of their choice in the hands of whoever uses git
//! outside. Bound read-only they cannot be changed; `.git` is bound onto itself, so that it cannot
//! be exchanged. Two files would lead git to other hooks and settings and cannot be held by a mount
//! while they are not there: those are removed at the end.

#![allow(
    clippy::disallowed_methods,
    reason = "removes two files of git that a command made"
)]

use super::super::look::entry;
use crate::command::prepare::{GitGuard, GitPart};
use crate::confine::Identity;
use crate::error::SandboxError;
use rustix::fs::FileType;
use std::path::{Path, PathBuf};

/// The parts that are there, with what they are.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub parts: Vec<(GitPart, Option<Identity>)>,
    /// Not there at the start.
    pub unwanted: Vec<PathBuf>,
}

const MISLEADING: &[&str] = &[".git/commondir", ".git/config.worktree"];

pub fn look(workspace: &Path) -> Result<Found, SandboxError> {
    let kind = |name: &str| match entry(&workspace.join(name)) {
        Ok((identity, kind)) => Ok(Some((identity, kind))),
        Err(SandboxError::PathMissing { .. } | SandboxError::PathSymlink { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let mut found = Found::default();
    let mut hold = |name, guard, identity| found.parts.push((GitPart { name, guard }, identity));
    match kind(".git")? {
        Some((identity, FileType::Directory)) => hold(".git", GitGuard::Keep, Some(identity)),
        // A pointer to a repository elsewhere.
        Some((identity, FileType::RegularFile)) => {
            hold(".git", GitGuard::ReadOnly, Some(identity));
            return Ok(found);
        }
        _ => return Ok(found),
    }
    match kind(".git/hooks")? {
        Some((identity, FileType::Directory)) => hold(".git/hooks", GitGuard::ReadOnly, Some(identity)),
        Some(_) => return Err(odd(workspace, ".git/hooks")),
        // A link counts as missing here, and bubblewrap refuses it as a mount point.
        None => hold(".git/hooks", GitGuard::Empty, None),
    }
    match kind(".git/config")? {
        Some((identity, FileType::RegularFile)) => hold(".git/config", GitGuard::ReadOnly, Some(identity)),
        Some(_) => return Err(odd(workspace, ".git/config")),
        None => {}
    }
    let absent = |name: &&&str| std::fs::symlink_metadata(workspace.join(name)).is_err();
    found.unwanted = MISLEADING
        .iter()
        .filter(absent)
        .map(|name| workspace.join(name))
        .collect();
    Ok(found)
}

fn odd(workspace: &Path, name: &str) -> SandboxError {
    SandboxError::PathKind {
        path: workspace.join(name),
    }
}

/// Removes what came; blocks shortly.
pub fn clean(unwanted: &[PathBuf]) -> Vec<PathBuf> {
    let came = |path: &&PathBuf| {
        let Ok(what) = std::fs::symlink_metadata(path) else {
            return false;
        };
        let removed = match what.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
        if let Err(error) = removed {
            tracing::warn!(path = %path.display(), %error, "a misleading file of git stays");
        }
        true
    };
    unwanted.iter().filter(came).cloned().collect()
}
