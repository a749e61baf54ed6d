//! What would come, before it comes: who it is, what it asks for, what is different from what is there.
//!
//! Deliberately not here: running any of it. A throw-away worker describes it, as it describes every tool.

#![allow(clippy::disallowed_methods, reason = "compares files of a tool's folder")]

use super::asked::{self, Asked, Right};
use super::place::PERSONAL;
use super::source::Taken;
use crate::fingerprint::hash_bytes;
use crate::model::{Description, SandboxType};
use crate::package_json::{self, Declared};
use base::name::ToolName;
use base::{DataHome, Failure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Of a tool that brings them: the host writes on in them.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];
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
    /// What a removed tool of this name left, and this one is given: configuration, data, logs.
    pub inherits: Vec<String>,
    pub asked: Vec<Asked>,
    /// Variables that hold secrets.
    pub secrets: Vec<String>,
    /// It runs in the machine's Node.
    pub node: bool,
    /// It runs in the machine's Python.
    pub python: bool,
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
    /// What of its rights passes on.
    pub given: Vec<Right>,
}

/// What a removed tool left in its folder for whatever comes under its name. Blocking.
pub(super) fn left_behind(folder: &Path) -> Vec<String> {
    let there = |name: &&str| std::fs::symlink_metadata(folder.join(name)).is_ok();
    PERSONAL.into_iter().filter(there).map(str::to_owned).collect()
}

/// What is approved: the files, and that they are given what another tool left.
pub(super) fn approved(files: &str, inherits: &[String]) -> String {
    match inherits {
        [] => files.to_owned(),
        _ => hash_bytes(format!("{files}\n{}", inherits.join("\n")).as_bytes()),
    }
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

/// All that a tool in `folder` depends on. Blocking.
pub(super) fn depends(folder: &Path, description: Option<&Description>) -> BTreeMap<String, String> {
    let declared = description.into_iter().flat_map(declared);
    declared.chain(package_json::packages(folder)).collect()
}

/// All that what comes will depend on: what it declares, and every package that the manifest wants which it
/// brings, or else finds. Blocking.
pub(super) fn will_depend(
    tool: &ToolName,
    description: &Description,
    staged: &Path,
    folder: &Path,
) -> BTreeMap<String, String> {
    if description.is_python() {
        return declared(description).collect();
    }
    let npm = description.dependency_sources().npm;
    let asked = Declared {
        tool,
        description: &description.metadata.description,
        npm: &npm,
        commands: &[],
    };
    let manifest = if brings_manifest(staged) { staged } else { folder };
    let packages = package_json::wanted(manifest, &asked);
    declared(description).chain(packages).collect()
}

fn declared(description: &Description) -> impl Iterator<Item = (String, String)> + use<> {
    let python = description.requirements.wanted.clone().into_iter();
    let python = python.map(|one| (one.name, one.range));
    description.dependencies.clone().into_iter().chain(python)
}

/// Blocking.
pub(super) fn brings_manifest(staged: &Path) -> bool {
    staged.join(MANIFESTS[0]).exists()
}

pub(super) fn differences(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Difference> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names
        .into_iter()
        .map(|name| Difference {
            name: name.clone(),
            before: before.get(name).cloned(),
            after: after.get(name).cloned(),
        })
        .collect()
}

/// Files that differ from those in `folder`. Manifests count where they come with the tool: the host writes the
/// others. Blocking.
pub(super) fn changes(folder: &Path, taken: &Taken) -> std::io::Result<Changes> {
    let comes = |path: &str| taken.files.iter().any(|file| file.path == path);
    let counts = |path: &str| !MANIFESTS.contains(&path) || comes(path);
    let mut there: BTreeMap<String, String> = BTreeMap::new();
    super::source::each_file(folder, &mut |path, full| {
        if counts(path) {
            let bytes = std::fs::read(full)?;
            there.insert(path.to_owned(), hash_bytes(&bytes));
        }
        Ok(())
    })?;
    let mut all = Vec::new();
    for file in &taken.files {
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
