//! What of a tool's dependencies lies there, in some hundred microseconds.

#![allow(clippy::disallowed_methods, reason = "looks at the tool's folder")]

use crate::model::DependencySources;
use crate::package_json;
use base::Failure;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

/// What decides whether a tree is as wanted.
const FILES: [&str; 5] = [
    "package.json",
    "package-lock.json",
    "node_modules/.pm-stamp.json",
    "requirements.txt",
    ".venv/.pm-stamp.json",
];

/// Size, time and inode of each of [`FILES`]: equal looks mean the same files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Look([Option<(u64, i64, i64, u64)>; FILES.len()]);

impl Look {
    pub(super) fn at(folder: &Path) -> Look {
        Look(FILES.map(|name| {
            let meta = std::fs::symlink_metadata(folder.join(name)).ok()?;
            Some((meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()))
        }))
    }

    /// An install of ours made the tree.
    pub(super) fn has_stamp(&self) -> bool {
        self.0[2].is_some()
    }
}

pub(crate) struct Found {
    pub(super) look: Look,
    pub(super) files_missing: Vec<String>,
    /// Commands with the versions they need.
    pub(super) commands: Vec<(String, Option<String>)>,
    pub(super) unmet: Vec<npm::Unmet>,
    /// Nothing has to be installed.
    pub(super) settled: bool,
    pub(super) has_tree: bool,
}

pub(super) fn look(
    folder: &Path,
    sources: &DependencySources,
    settled: Option<&Look>,
) -> Result<Found, Failure> {
    let look = Look::at(folder);
    let (npm, found) = package_json::split(folder, sources.npm.clone());
    let mut commands = sources.system.clone();
    commands.extend(found.into_iter().map(|(name, range)| (name, Some(range))));
    let unmet = npm::unmet(folder, &npm)?;
    let known = settled == Some(&look);
    let missing = sources.local.iter().filter(|name| !is_own_file(folder, name));
    let has_tree = folder.join("node_modules").is_dir();
    // What a person added to package.json is hers to want, too.
    let wants_nothing = || npm.is_empty() && !has_tree && package_json::dependencies(folder).is_empty();
    let settled = match &sources.python {
        // That Python may be gone since, which nothing in the folder says.
        Some(requirements) => super::python::is_settled(folder, requirements),
        None => unmet.is_empty() && (known || wants_nothing()),
    };
    Ok(Found {
        files_missing: missing.cloned().collect(),
        commands,
        settled,
        unmet,
        has_tree,
        look,
    })
}

/// Whether `name` is a regular file in the tool's folder; paths that lead out of it are not.
pub(crate) fn is_own_file(folder: &Path, name: &str) -> bool {
    let path = Path::new(name);
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let plain = |path: &Path| !path.is_symlink();
    inside && path.ancestors().all(|part| plain(&folder.join(part))) && folder.join(path).is_file()
}
