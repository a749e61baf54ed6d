//! Whole folders that a person removed or replaced, in the trash of the data home: ours, and what lay
//! in a client's folder where ours was to be.

#![allow(clippy::disallowed_methods, reason = "renames durably")]

use super::error::SkillError;
use super::moves;
use super::name::SkillName;
use super::tree::Tree;
use base::atomic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Of one skill; the oldest leave first.
const MOST: usize = 50;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    /// When it was put here, in milliseconds since 1970.
    pub at: i64,
    /// `removed` and `replaced` were ours; else the client whose folder it lay in.
    pub was: String,
}

impl Kept {
    pub(super) fn parse(id: &str) -> Option<Self> {
        let (at, was) = id.split_once('-')?;
        let plain = !was.is_empty() && was.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (plain && at.len() == 15).then_some(Kept {
            at: at.parse().ok()?,
            was: was.to_owned(),
        })
    }

    /// Its name among the versions of the skill.
    pub fn id(&self) -> String {
        format!("{:015}-{}", self.at, self.was)
    }
}

pub(super) struct Trash {
    folder: PathBuf,
}

impl Trash {
    pub(super) fn at(folder: PathBuf) -> Self {
        Trash { folder }
    }

    /// Takes what lies at `path`, whatever it is.
    pub(super) fn take(&self, name: &SkillName, path: &Path, was: &str) -> Result<Kept, SkillError> {
        let folder = self.folder.join(name.as_str());
        atomic::create_dir_all(&folder).map_err(|source| SkillError::io(&folder, source))?;
        let mut there = self.list(name)?;
        let now = base::clock::now_ms();
        let kept = Kept {
            at: there.first().map_or(now, |newest| now.max(newest.at + 1)),
            was: was.to_owned(),
        };
        let to = folder.join(kept.id());
        match moves::put(path, &to) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => carry(path, &to, &folder)?,
            Err(source) => return Err(SkillError::io(path, source)),
        }
        for old in there.drain(..).skip(MOST - 1) {
            let old = folder.join(old.id());
            moves::discard(&old).map_err(|source| SkillError::io(&old, source))?;
        }
        Ok(kept)
    }

    /// Newest first.
    pub(super) fn list(&self, name: &SkillName) -> Result<Vec<Kept>, SkillError> {
        let mut found: Vec<Kept> = names(&self.folder.join(name.as_str()))?
            .iter()
            .filter_map(|id| Kept::parse(id))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        Ok(found)
    }

    pub(super) fn folder_of(&self, name: &SkillName, kept: &Kept) -> PathBuf {
        self.folder.join(name.as_str()).join(kept.id())
    }

    /// Skills of which something is kept.
    pub(super) fn skills(&self) -> Result<Vec<SkillName>, SkillError> {
        let mut found: Vec<SkillName> = names(&self.folder)?
            .iter()
            .filter_map(|name| SkillName::parse(name).ok())
            .collect();
        found.sort();
        Ok(found)
    }
}

/// Onto another file system: copied whole, then taken from where it was. What a copy would not hold
/// stays where it is.
fn carry(path: &Path, to: &Path, folder: &Path) -> Result<(), SkillError> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if !is_folder || !Tree::measure(path)?.left_out.is_empty() {
        return Err(SkillError::NotKept(path.to_owned()));
    }
    let made = moves::fill(folder);
    let failed = |source| SkillError::io(path, source);
    Tree::copy(path, &made)?;
    moves::put(&made, to).map_err(failed)?;
    moves::discard(path).map_err(failed)
}

fn names(folder: &Path) -> Result<Vec<String>, SkillError> {
    let failed = |source| SkillError::io(folder, source);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(failed)?.file_name().into_string());
    }
    Ok(names)
}
