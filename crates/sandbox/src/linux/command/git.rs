//! What lies in the repositories of a workspace when a command starts, and what must not have come
//! there when it has ended.
//!
//! Hooks and settings in there run programs of their choice in the hands of whoever uses git
//! outside. Bound read-only they cannot be changed; the repository is bound onto itself, so that it
//! cannot be exchanged. Two files would lead git to other hooks and settings and cannot be held by a
//! mount while they are not there: those are removed at the end, by the handle of the folder that
//! was held, whatever lies at its path by then. What a command makes anew is looked through when it
//! has ended.

use super::super::inner::identity;
use super::super::look::entry;
use super::super::remove::remove_at;
use super::repositories::{Seen, Shape, open, open_below, search};
use crate::command::outcome::GitDanger;
use crate::command::prepare::{GitGuard, GitPart};
use crate::confine::Identity;
use crate::error::SandboxError;
use rustix::fs::{AtFlags, FileType};
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The repositories of a workspace before a command.
#[derive(Debug)]
pub struct Found {
    workspace: OwnedFd,
    path: PathBuf,
    seen: Vec<Seen>,
    /// What is held, with what it is.
    pub parts: Vec<(GitPart, Option<Identity>)>,
    /// Folders, and names that were not there.
    unwanted: Vec<(OwnedFd, PathBuf, &'static CStr)>,
}

/// What was to be seen at the end.
#[derive(Debug, Default)]
pub struct Cleaned {
    pub removed: Vec<PathBuf>,
    pub dangers: Vec<GitDanger>,
}

/// Blocks shortly.
pub fn look(workspace: &Path) -> Result<Found, SandboxError> {
    entry(workspace)?;
    let held = open(workspace).map_err(|errno| SandboxError::Start {
        said: workspace.display().to_string(),
        source: Some(errno.into()),
    })?;
    let seen = search(held.as_fd());
    let mut found = Found {
        workspace: held,
        path: workspace.to_owned(),
        parts: Vec::new(),
        unwanted: Vec::new(),
        seen: Vec::new(),
    };
    for one in &seen {
        found.hold(one)?;
    }
    found.seen = seen;
    Ok(found)
}

impl Found {
    fn hold(&mut self, seen: &Seen) -> Result<(), SandboxError> {
        // In the person's own repository something odd is no reason to hold less.
        let own = seen.place == Path::new(".git");
        if seen.shape == Shape::Pointer {
            // A link counts as missing.
            return match self.kind(&seen.place)? {
                Some((identity, FileType::RegularFile)) => {
                    self.part(&seen.place, GitGuard::ReadOnly, Some(identity));
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        let Some(folder) = open_below(self.workspace.as_fd(), &seen.place) else {
            return Ok(());
        };
        let stat = rustix::fs::fstat(&folder).map_err(|errno| self.odd(&seen.place, errno.into()))?;
        let plain = |name: &CStr| {
            let there = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
            there.is_ok_and(|there| FileType::from_raw_mode(there.st_mode) == FileType::RegularFile)
        };
        if !own && seen.shape == Shape::Repository && !(plain(c"HEAD") && plain(c"config")) {
            return Ok(());
        }
        self.part(&seen.place, GitGuard::Keep, Some(identity(&stat)));
        if seen.shape == Shape::Repository {
            let hooks = seen.place.join("hooks");
            match self.kind(&hooks)? {
                Some((identity, FileType::Directory)) => {
                    self.part(&hooks, GitGuard::ReadOnly, Some(identity))
                }
                Some(_) if own => {
                    return Err(SandboxError::PathKind {
                        path: self.path.join(hooks),
                    });
                }
                // A link counts as missing here, and bubblewrap refuses it as a mount point.
                None if own || !linked(&folder, c"hooks") => self.part(&hooks, GitGuard::Empty, None),
                _ => {}
            }
        }
        for (name, missing) in [
            (c"config", Missing::Stays),
            (c"gitdir", Missing::Stays),
            (c"commondir", Missing::Unwanted),
            (c"config.worktree", Missing::Unwanted),
        ] {
            self.file(seen, own, &folder, name, missing)?;
        }
        Ok(())
    }

    fn file(
        &mut self,
        seen: &Seen,
        own: bool,
        folder: &OwnedFd,
        name: &'static CStr,
        missing: Missing,
    ) -> Result<(), SandboxError> {
        let place = seen.place.join(name.to_string_lossy().as_ref());
        match self.kind(&place)? {
            Some((identity, FileType::RegularFile)) => self.part(&place, GitGuard::ReadOnly, Some(identity)),
            Some(_) if own => {
                return Err(SandboxError::PathKind {
                    path: self.path.join(place),
                });
            }
            None if missing == Missing::Unwanted && !linked(folder, name) => {
                let folder = folder.try_clone().map_err(|error| self.odd(&seen.place, error))?;
                self.unwanted.push((folder, place, name));
            }
            _ => {}
        }
        Ok(())
    }

    fn part(&mut self, place: &Path, guard: GitGuard, identity: Option<Identity>) {
        let name = place.to_owned();
        self.parts.push((GitPart { name, guard }, identity));
    }

    fn kind(&self, place: &Path) -> Result<Option<(Identity, FileType)>, SandboxError> {
        match entry(&self.path.join(place)) {
            Ok(found) => Ok(Some(found)),
            Err(SandboxError::PathMissing { .. } | SandboxError::PathSymlink { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn odd(&self, place: &Path, source: std::io::Error) -> SandboxError {
        SandboxError::Start {
            said: self.path.join(place).display().to_string(),
            source: Some(source),
        }
    }

    /// Nothing of it is held: the tier cannot.
    pub fn let_go(&mut self) {
        self.parts.clear();
        self.unwanted.clear();
    }

    /// Removes what came and says what is new; blocks shortly. When nothing of the command lives.
    pub fn clean(&self) -> Cleaned {
        let mut cleaned = Cleaned::default();
        for (folder, place, name) in &self.unwanted {
            if rustix::fs::statat(folder, *name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
                continue;
            }
            let path = self.path.join(place);
            if let Err(error) = remove_at(folder.as_fd(), name) {
                tracing::warn!(path = %path.display(), %error, "a misleading file of git stays");
            }
            cleaned.removed.push(path);
        }
        for now in search(self.workspace.as_fd()) {
            let before = self.seen.iter().find(|seen| seen.place == now.place);
            let new = |danger: &&String| before.is_none_or(|seen| !seen.dangers.contains(*danger));
            let what: Vec<String> = now.dangers.iter().filter(new).cloned().collect();
            if !what.is_empty() {
                cleaned.dangers.push(GitDanger {
                    place: now.place,
                    what,
                });
            }
        }
        cleaned
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Stays,
    Unwanted,
}

/// Whether something of that name is there that is no plain entry.
fn linked(folder: &OwnedFd, name: &CStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

#[cfg(test)]
#[path = "git_tests.rs"]
mod tests;
