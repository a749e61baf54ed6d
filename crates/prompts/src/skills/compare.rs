//! Ours beside what lies at a client, file by file.

use super::error::SkillError;
use super::library::{Skills, unified};
use super::name::SkillName;
use super::tree::{self, Node, Tree};
use std::collections::BTreeSet;
use std::path::Path;

/// A longer text is compared, not shown.
const MAX_SHOWN: u64 = 256 * 1024;
/// Of all differences together.
const MAX_DIFFS: usize = 2 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Ours,
    Theirs,
    /// There on both sides, and not the same.
    Both,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub path: String,
    pub side: Side,
    /// From ours to theirs; `None` where one of them is no text or too long to be shown.
    pub diff: Option<String>,
}

impl Skills {
    /// What differs between ours and a folder of a client, by path; empty when nothing does.
    pub(super) fn differences(&self, name: &SkillName, theirs: &Path) -> Result<Vec<Compared>, SkillError> {
        let ours = self.folder.join(name.as_str());
        let (own, other) = (Tree::read(&ours)?, Tree::read(theirs)?);
        let paths: BTreeSet<&String> = own.nodes.keys().chain(other.nodes.keys()).collect();
        let mut found = Vec::new();
        let mut room = MAX_DIFFS;
        for path in paths {
            let side = match (own.nodes.get(path), other.nodes.get(path)) {
                (one, two) if one == two => continue,
                (Some(_), None) => Side::Ours,
                (None, _) => Side::Theirs,
                (Some(_), Some(_)) => Side::Both,
            };
            let old = shown(&own, &ours, path)?;
            let new = shown(&other, theirs, path)?;
            let diff = match (old, new) {
                (Some(old), Some(new)) => Some(unified(&old, &new, path, path)),
                _ => None,
            };
            let diff = diff.filter(|diff| diff.len() <= room);
            room -= diff.as_ref().map_or(0, String::len);
            let path = path.clone();
            found.push(Compared { path, side, diff });
        }
        Ok(found)
    }
}

/// Empty where there is no file.
fn shown(tree: &Tree, folder: &Path, path: &str) -> Result<Option<String>, SkillError> {
    match tree.nodes.get(path) {
        Some(Node::File { bytes, .. }) if *bytes <= MAX_SHOWN => {
            let bytes = tree::file(folder, path, MAX_SHOWN)?.unwrap_or_default();
            Ok(String::from_utf8(bytes).ok())
        }
        Some(Node::File { .. }) => Ok(None),
        Some(Node::Folder) | None => Ok(Some(String::new())),
    }
}
