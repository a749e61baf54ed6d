//! Where a change happens: the open folder that holds a name, and the real path of both.
//!
//! The walk opens one component at a time without following links, and expands links itself. So the
//! real path is known before anything is touched: the history has one name for a file whatever links
//! lead to it, and what lies in `.git` is recognised through any link.

use super::{RelPath, Root, escaped, io_error, shown};
use crate::error::WorkspaceError;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::io;

/// What to do when the last component is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLink {
    Follow,
    /// The link itself is meant: it is moved or deleted.
    Itself,
}

/// What to do when a folder on the way is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parents {
    Needed,
    Create,
}

/// A name in an open folder of a workspace.
pub(crate) struct Place {
    pub(super) parent: Dir,
    pub(super) name: String,
    /// Relative to the workspace, without symbolic links.
    real: Vec<String>,
}

/// As many as Linux follows.
const LINKS_MOST: usize = 40;

impl Root {
    /// Finds the place that `path` names, for a change. Refuses the workspace itself and `.git`.
    pub(crate) fn place(
        &self,
        path: &RelPath,
        last: LastLink,
        parents: Parents,
    ) -> Result<Place, WorkspaceError> {
        let failed = |error: Errno| io_error(path, error.into());
        let out = || escaped(path.text());
        let mut walk = Walk {
            dirs: vec![self.dir().try_clone().map_err(|error| io_error(path, error))?],
            names: Vec::new(),
        };
        let mut todo: Vec<String> = path.parts().iter().rev().cloned().collect();
        let mut links = 0;
        while let Some(name) = todo.pop() {
            if name == ".." {
                walk.up().ok_or_else(out)?;
                continue;
            }
            let is_last = todo.is_empty();
            if is_last && last == LastLink::Itself {
                return walk.end(name);
            }
            let step = if is_last {
                walk.look(&name)
            } else {
                walk.down(&name)
            };
            match step.map_err(failed)? {
                Step::Done => {}
                Step::End => return walk.end(name),
                Step::Missing if is_last => return walk.end(name),
                Step::Missing if parents == Parents::Create => {
                    guard(&walk.names, &name)?;
                    walk.create(&name).map_err(failed)?;
                    todo.push(name);
                }
                Step::Missing => return Err(WorkspaceError::FileNotFound { path: path.text() }),
                // A link when it was opened and none when it was read: exchanged meanwhile.
                Step::File if links < LINKS_MOST && !walk.is_file(&name).map_err(failed)? => {
                    links += 1;
                    todo.push(name);
                }
                Step::File => return Err(WorkspaceError::NotADirectory { path: path.text() }),
                Step::Link(target) => {
                    links += 1;
                    if links > LINKS_MOST || target.starts_with('/') {
                        return Err(out());
                    }
                    let parts = target.split('/').filter(|part| !matches!(*part, "" | "."));
                    todo.extend(parts.rev().map(str::to_owned));
                }
            }
        }
        // The workspace itself, or a link to a folder by `..`.
        Err(WorkspaceError::NotAFile { path: path.text() })
    }

    /// The place of a real path, as the history kept it: links on the way are refused.
    pub(crate) fn known_place(&self, path: &RelPath, parents: Parents) -> Result<Place, WorkspaceError> {
        let place = self.place(path, LastLink::Itself, parents)?;
        match place.text() == path.text() {
            true => Ok(place),
            false => Err(escaped(path.text())),
        }
    }
}

enum Step {
    /// The walk is one folder deeper.
    Done,
    /// Something that is no link.
    End,
    Missing,
    File,
    Link(String),
}

struct Walk {
    dirs: Vec<Dir>,
    names: Vec<String>,
}

impl Walk {
    fn here(&self) -> Result<&Dir, Errno> {
        self.dirs.last().ok_or(Errno::NOENT)
    }

    /// To a folder that was opened on the way down; none above the workspace.
    fn up(&mut self) -> Option<()> {
        self.names.pop()?;
        self.dirs.pop();
        Some(())
    }

    fn down(&mut self, name: &str) -> Result<Step, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(self.here()?, name, flags, Mode::empty()) {
            Ok(handle) => {
                self.dirs.push(Dir::from_std_file(handle.into()));
                self.names.push(name.to_owned());
                Ok(Step::Done)
            }
            Err(Errno::NOENT) => Ok(Step::Missing),
            Err(Errno::LOOP | Errno::NOTDIR) => self.link(name),
            Err(error) => Err(error),
        }
    }

    fn link(&self, name: &str) -> Result<Step, Errno> {
        match rustix::fs::readlinkat(self.here()?, name, Vec::new()) {
            // A name that is no text cannot be said by anybody who asks.
            Ok(target) => target.into_string().map(Step::Link).map_err(|_| Errno::NOENT),
            Err(Errno::INVAL) => Ok(Step::File),
            Err(error) => Err(error),
        }
    }

    fn look(&self, name: &str) -> Result<Step, Errno> {
        match stat(self.here()?, name)? {
            None => Ok(Step::Missing),
            Some(found) if kind_of(&found) == FileType::Symlink => match self.link(name)? {
                // Exchanged meanwhile for something else: that is what is there now.
                Step::File => Ok(Step::End),
                step => Ok(step),
            },
            Some(_) => Ok(Step::End),
        }
    }

    /// Nothing at all is no file: while a name is exchanged it may look as if it were missing.
    fn is_file(&self, name: &str) -> Result<bool, Errno> {
        let found = stat(self.here()?, name)?;
        Ok(found.is_some_and(|found| !matches!(kind_of(&found), FileType::Directory | FileType::Symlink)))
    }

    fn create(&self, name: &str) -> Result<(), Errno> {
        match rustix::fs::mkdirat(self.here()?, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => rustix::fs::fsync(self.here()?),
            Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn end(mut self, name: String) -> Result<Place, WorkspaceError> {
        guard(&self.names, &name)?;
        let parent = self
            .dirs
            .pop()
            .ok_or_else(|| WorkspaceError::FileNotFound { path: name.clone() })?;
        let mut real = self.names;
        real.push(name.clone());
        Ok(Place { parent, name, real })
    }
}

/// Git runs what hooks and configuration name, outside of every wall, the next time somebody calls
/// it: commands see these read-only, and the file interface must not be the way round. `.git` as a
/// whole, since a folder moved there and back would bring its own hooks.
fn guard(folders: &[String], name: &str) -> Result<(), WorkspaceError> {
    let inside = folders.iter().map(String::as_str).chain([name]);
    if inside.clone().any(|part| part.eq_ignore_ascii_case(".git")) {
        return Err(WorkspaceError::PermissionDenied {
            path: shown(&inside.collect::<Vec<_>>().join("/")),
            reason: "what is in .git is changed by git alone: it runs hooks and configured programs"
                .to_owned(),
        });
    }
    Ok(())
}

impl Place {
    /// The real path, with `/`.
    pub(crate) fn text(&self) -> String {
        self.real.join("/")
    }

    pub(crate) fn stat(&self) -> Result<Option<Stat>, WorkspaceError> {
        stat(&self.parent, &self.name).map_err(|error| self.failed(error))
    }

    /// What is here, itself.
    pub(crate) fn file_type(&self) -> Result<Option<FileType>, WorkspaceError> {
        Ok(self.stat()?.map(|found| kind_of(&found)))
    }

    pub(crate) fn failed(&self, error: impl Into<io::Error>) -> WorkspaceError {
        match RelPath::parse("path", &self.text()) {
            Ok(path) => io_error(&path, error.into()),
            Err(error) => error,
        }
    }

    pub(crate) fn parent(&self) -> &Dir {
        &self.parent
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

pub(super) fn stat(dir: &Dir, name: &str) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn kind_of(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}
