//! Changes to files, written down as they are made.

use super::{objects, reconcile};
use crate::error::WorkspaceError;
use crate::files::{Existing, Kind, LastLink, Over, Parents, Place, Put, RelPath, Root, TEMP_MARK};
use crate::workspace::{Bound, EditRequest, MoveTo, new_change};
use store::{Actor, Change, ChangeOp, Content};
use tokio::runtime::Handle;

/// Makes the changes of one caller; lives on a blocking thread, while nothing else changes the
/// workspace through us.
pub(crate) struct Recorder<'a> {
    pub bound: &'a Bound,
    pub root: &'a Root,
    pub actor: Actor,
}

/// How often a change starts again because a command changed the file meanwhile.
const TRIES: usize = 8;

/// Where a file is put.
pub(super) struct Target<'a> {
    pub op: ChangeOp,
    pub path: &'a RelPath,
    pub parents: Parents,
    pub origin: Option<String>,
}

/// Temporary name of a change's bytes in the workspace.
pub(crate) fn temp_name(id: &str) -> String {
    format!("{TEMP_MARK}{id}")
}

impl Recorder<'_> {
    pub(crate) fn write(&self, path: &RelPath, content: Vec<u8>) -> Result<Change, WorkspaceError> {
        let target = Target {
            op: ChangeOp::Write,
            path,
            parents: Parents::Create,
            origin: None,
        };
        self.put(&target, |_| Ok(content.clone()))
    }

    pub(crate) fn append(&self, path: &RelPath, content: &[u8]) -> Result<Change, WorkspaceError> {
        let target = Target {
            op: ChangeOp::Append,
            path,
            parents: Parents::Create,
            origin: None,
        };
        self.put(&target, |existing| {
            let mut bytes = match existing {
                None => Vec::new(),
                Some(existing) => self.whole(path, existing)?.to_vec(),
            };
            bytes.extend_from_slice(content);
            self.fits(path, bytes)
        })
    }

    pub(crate) fn edit(&self, path: &RelPath, edit: &EditRequest) -> Result<Change, WorkspaceError> {
        let invalid = |reason: &str| WorkspaceError::InvalidArgs {
            call: "edit_file",
            reason: reason.to_owned(),
        };
        if edit.old.is_empty() || edit.count == 0 {
            return Err(invalid("`old` must not be empty and `count` must be at least 1"));
        }
        if edit.old == edit.new {
            return Err(invalid("`old` and `new` are the same"));
        }
        let target = Target {
            op: ChangeOp::Edit,
            path,
            parents: Parents::Needed,
            origin: None,
        };
        self.put(&target, |existing| {
            let existing = existing.ok_or_else(|| WorkspaceError::FileNotFound { path: path.text() })?;
            let bytes = self.whole(path, existing)?;
            let text = std::str::from_utf8(bytes).map_err(|_| WorkspaceError::NotUtf8 {
                path: path.text(),
                encoding: crate::files::encoding_of(bytes).to_owned(),
            })?;
            match text.matches(&edit.old).count() {
                0 => Err(WorkspaceError::EditNoMatch { path: path.text() }),
                count if count != edit.count => Err(WorkspaceError::EditAmbiguous {
                    path: path.text(),
                    count,
                    expected: edit.count,
                }),
                _ => self.fits(path, text.replace(&edit.old, &edit.new).into_bytes()),
            }
        })
    }

    pub(crate) fn move_file(
        &self,
        from: &RelPath,
        to: &RelPath,
        over: MoveTo,
    ) -> Result<Change, WorkspaceError> {
        let source = self.root.place(from, LastLink::Itself, Parents::Needed)?;
        let kind = self.kind_at(&source, from)?;
        let target = self.root.place(to, LastLink::Itself, Parents::Create)?;
        if kind != Kind::Directory && to.is_folder() {
            return Err(WorkspaceError::DirectoryNotFound { path: to.text() });
        }
        let there = target.file_type()?.map(Kind::of);
        let free =
            there.is_none() || (over == MoveTo::OverFile && there == Some(Kind::File) && kind == Kind::File);
        if !free {
            return Err(WorkspaceError::AlreadyExists { path: target.text() });
        }
        let existing = target.existing(self.bound.limits().file_bytes)?;
        target.check_writable(existing.as_ref())?;
        let change = Change {
            from: Some(source.text()),
            kind: kind.name().to_owned(),
            before: self.keep(existing.as_ref())?,
            ..self.new_change(ChangeOp::Move, target.text())
        };
        let over = match existing {
            Some(_) => Over::File,
            None => Over::Nothing,
        };
        self.record(change, || source.rename(&target, over))
    }

    /// What is at a place that something is to be taken from.
    pub(crate) fn kind_at(&self, place: &Place, path: &RelPath) -> Result<Kind, WorkspaceError> {
        match place.file_type()?.map(Kind::of) {
            None => Err(WorkspaceError::FileNotFound { path: path.text() }),
            Some(kind) if path.is_folder() && kind != Kind::Directory => {
                Err(WorkspaceError::NotADirectory { path: path.text() })
            }
            Some(kind) => Ok(kind),
        }
    }

    /// Puts a file in place, made from what is there; again if a command was quicker.
    pub(super) fn put(
        &self,
        target: &Target,
        make: impl Fn(Option<&Existing>) -> Result<Vec<u8>, WorkspaceError>,
    ) -> Result<Change, WorkspaceError> {
        if target.path.is_folder() {
            return Err(WorkspaceError::NotAFile {
                path: target.path.text(),
            });
        }
        for _ in 0..TRIES {
            let place = self.root.place(target.path, LastLink::Follow, target.parents)?;
            let existing = place.existing(self.bound.limits().file_bytes)?;
            place.check_writable(existing.as_ref())?;
            let bytes = make(existing.as_ref())?;
            let change = Change {
                before: self.keep(existing.as_ref())?,
                after: Some(objects::put(&self.bound.keep, &self.bound.task, &bytes)?),
                origin: target.origin.clone(),
                ..self.new_change(target.op, place.text())
            };
            let temp = temp_name(&change.id);
            let mut put = Put::Done;
            let recorded = self.record(change, || {
                put = place.put(&bytes, &temp, existing.as_ref())?;
                match put {
                    Put::Done => Ok(()),
                    Put::Changed => Err(WorkspaceError::Busy { path: place.text() }),
                }
            });
            if put == Put::Done {
                return recorded;
            }
        }
        Err(WorkspaceError::Busy {
            path: target.path.text(),
        })
    }

    /// Writes the row, makes the change, settles the row. When the change fails, what is there
    /// decides whether it happened all the same.
    pub(crate) fn record(
        &self,
        change: Change,
        make: impl FnOnce() -> Result<(), WorkspaceError>,
    ) -> Result<Change, WorkspaceError> {
        let (store, runtime) = (&self.bound.store, Handle::current());
        runtime.block_on(store.begin_change(change.clone()))?;
        match make() {
            Ok(()) => runtime.block_on(store.settle_change(&change))?,
            Err(error) => {
                runtime.block_on(reconcile::settle(store, &self.bound.keep, self.root, &change))?;
                return Err(error);
            }
        }
        Ok(change)
    }

    pub(crate) fn new_change(&self, op: ChangeOp, path: String) -> Change {
        new_change(self.bound, &self.actor, op, path)
    }

    /// Keeps what is about to go.
    pub(crate) fn keep(&self, existing: Option<&Existing>) -> Result<Option<Content>, WorkspaceError> {
        match existing {
            None => Ok(None),
            Some(Existing {
                bytes: Some(bytes), ..
            }) => objects::put(&self.bound.keep, &self.bound.task, bytes).map(Some),
            Some(existing) => Ok(Some(Content {
                hash: None,
                size: i64::try_from(existing.size).unwrap_or(i64::MAX),
            })),
        }
    }

    fn whole<'e>(&self, path: &RelPath, existing: &'e Existing) -> Result<&'e [u8], WorkspaceError> {
        existing
            .bytes
            .as_deref()
            .ok_or_else(|| self.too_large(path, existing.size))
    }

    fn fits(&self, path: &RelPath, bytes: Vec<u8>) -> Result<Vec<u8>, WorkspaceError> {
        match bytes.len() as u64 <= self.bound.limits().file_bytes {
            true => Ok(bytes),
            false => Err(self.too_large(path, bytes.len() as u64)),
        }
    }

    fn too_large(&self, path: &RelPath, size: u64) -> WorkspaceError {
        WorkspaceError::FileTooLarge {
            path: path.text(),
            size,
            limit: self.bound.limits().file_bytes,
        }
    }
}
