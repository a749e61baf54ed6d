//! What would come, before it comes: who it is, what it asks for, what is different from what is there.
//!
//! Deliberately not here: running any of it. A throw-away worker describes it, as it describes every tool.

#![allow(clippy::disallowed_methods, reason = "compares files of a tool's folder")]

use super::asked::{self, Asked, Right};
use super::source::Taken;
use crate::model::{Description, SandboxType};
use base::name::ToolName;
use base::{DataHome, Failure};
use std::collections::BTreeMap;
use std::path::Path;

/// Files that are named; of more only the number is known.
const FILES_SHOWN: usize = 200;

#[derive(Clone, Debug)]
pub struct Preview {
    /// As it is to be given again.
    pub source: String,
    /// `folder`, `git`, `file`, `archive` or `npm`.
    pub from: &'static str,
    /// Of a package: the version that was found.
    pub found: Option<String>,
    /// What was looked at, and what [`crate::Toolbox::take_in`] will insist on.
    pub digest: String,
    pub tool: ToolName,
    pub description: Description,
    pub files: usize,
    pub bytes: u64,
    pub left_out: Vec<String>,
    /// What is there under this name.
    pub installed: Option<Installed>,
    pub asked: Vec<Asked>,
    /// Variables that hold secrets.
    pub secrets: Vec<String>,
    /// It runs in the machine's Node.
    pub node: bool,
    pub dependencies: Vec<Difference>,
    pub changes: Changes,
    pub problems: Vec<Failure>,
}

#[derive(Clone, Debug)]
pub struct Installed {
    /// `None` where it cannot be described.
    pub version: Option<String>,
    /// It is what came with this very digest.
    pub same: bool,
}

/// A dependency, as it was and as it will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Files that are different from those that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub total: usize,
    /// The first of them: path and what becomes of it.
    pub files: Vec<(String, FileChange)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    Added,
    Changed,
    Removed,
}

/// What there is to compare with.
pub(super) struct Before<'b> {
    pub description: Option<&'b Description>,
    pub folder: &'b Path,
    pub given: Vec<Right>,
}

/// Rights with what was given and asked for before. Blocking.
pub(super) fn rights(
    home: &DataHome,
    tool: &ToolName,
    after: &Description,
    configured: Option<&str>,
    before: Option<&Before<'_>>,
    problems: &mut Vec<Failure>,
) -> Vec<Asked> {
    let old = before.and_then(|before| before.description);
    let known = old.map(|old| asked::asked(home, tool, old, configured, &mut Vec::new()));
    let given = before.map_or(&[][..], |before| &before.given);
    let wanted = asked::asked(home, tool, after, configured, problems).into_iter();
    wanted
        .map(|right| Asked {
            granted: asked::covers(given, &right),
            added: known.as_ref().is_none_or(|known| !known.contains(&right)),
            right,
        })
        .collect()
}

pub(super) fn secrets(description: &Description) -> Vec<String> {
    let variables = description.schema.environment.properties.iter();
    variables
        .filter(|variable| variable.is_secret())
        .map(|variable| variable.name.clone())
        .collect()
}

pub(super) fn is_node(description: &Description) -> bool {
    description.runtime.sandbox == SandboxType::Node
}

pub(super) fn dependencies(before: Option<&Description>, after: &Description) -> Vec<Difference> {
    let mut all: BTreeMap<&str, (Option<&str>, Option<&str>)> = BTreeMap::new();
    for (name, range) in before.iter().flat_map(|before| &before.dependencies) {
        all.entry(name).or_default().0 = Some(range);
    }
    for (name, range) in &after.dependencies {
        all.entry(name).or_default().1 = Some(range);
    }
    all.into_iter()
        .map(|(name, (before, after))| Difference {
            name: name.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        })
        .collect()
}

/// Files that differ from those in `folder`. Manifests do not count: the host writes them. Blocking.
pub(super) fn changes(folder: &Path, taken: &Taken) -> std::io::Result<Changes> {
    let counts = |path: &str| !matches!(path, "package.json" | "package-lock.json");
    let mut there: BTreeMap<String, String> = BTreeMap::new();
    super::source::each_file(folder, &mut |path, full| {
        if counts(path) {
            let bytes = std::fs::read(full)?;
            there.insert(path.to_owned(), crate::fingerprint::hash_bytes(&bytes));
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for file in taken.files.iter().filter(|file| counts(&file.path)) {
        match there.remove(&file.path) {
            None => all.push((file.path.clone(), FileChange::Added)),
            Some(hash) if hash != file.sha256 => all.push((file.path.clone(), FileChange::Changed)),
            Some(_) => {}
        }
    }
    all.extend(there.into_keys().map(|path| (path, FileChange::Removed)));
    all.sort_by(|one, other| one.0.cmp(&other.0));
    let total = all.len();
    all.truncate(FILES_SHOWN);
    Ok(Changes { total, files: all })
}
