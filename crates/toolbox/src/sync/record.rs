//! What was put into the toolbox, and by which program: so that an edit can be told from an older version of
//! ours, and a newer version from an older one.
//!
//! The record lies in the tool's folder, which no tool may write to; the texts themselves, one file for each
//! version that is still of use, in the history.

#![allow(clippy::disallowed_methods, reason = "reads what we wrote, and drops it")]

use super::shipped::Files;
use crate::fingerprint::hash_bytes;
use base::DataHome;
use base::atomic::{self, Access};
use base::name::ToolName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

pub(super) const RECORD: &str = ".sync.json";

/// Missing fields have defaults, unknown ones are dropped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// Of ours, as they were put there: path and SHA-256.
    pub files: BTreeMap<String, String>,
    /// The same, of those that are just being put there.
    pub coming: BTreeMap<String, String>,
    /// Version of the program that put them there.
    pub program: String,
    /// The checkout that they are from.
    pub checkout: Option<PathBuf>,
    /// Under which their texts are kept.
    pub texts: Option<String>,
    /// Files that the person changed.
    pub edits: BTreeMap<String, Edit>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runs {
    /// The built-in file; hers lies beside it.
    #[default]
    Ours,
    /// Hers: she said so.
    Yours,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    pub runs: Runs,
    /// Texts of ours that hers was made from.
    pub before: Option<String>,
    /// SHA-256 of ours that she decided about.
    pub decided: Option<String>,
}

impl Record {
    /// One that cannot be read only costs a copy beside too many.
    pub fn load(folder: &Path) -> io::Result<Option<Record>> {
        match std::fs::read(folder.join(RECORD)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        atomic::write(&folder.join(RECORD), &bytes, Access::Shared)
    }

    /// Whether we wrote this, now or before.
    pub fn is_ours(&self, path: &str, hash: &str) -> bool {
        let known = [self.files.get(path), self.coming.get(path)];
        known.into_iter().flatten().any(|known| known == hash)
    }

    /// Whether another program put it there, a newer one than `program`.
    pub fn is_newer_than(&self, program: &str) -> bool {
        numbers(&self.program) > numbers(program)
    }
}

fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// Texts of one version of a tool; what is no text is not among them.
pub struct Texts(pub BTreeMap<String, String>);

fn folder(home: &DataHome) -> PathBuf {
    home.history().join(".built-in")
}

fn file(home: &DataHome, tool: &ToolName, id: &str) -> PathBuf {
    folder(home).join(format!("{tool}.{id}.json"))
}

/// Keeps the texts of a version; the name that it gives back finds them.
pub(super) fn keep_texts(home: &DataHome, tool: &ToolName, files: &Files) -> io::Result<String> {
    let texts: BTreeMap<&str, &str> = files
        .iter()
        .filter_map(|(path, bytes)| Some((path.as_str(), std::str::from_utf8(bytes).ok()?)))
        .collect();
    let bytes = serde_json::to_vec(&texts).map_err(io::Error::other)?;
    let id: String = hash_bytes(&bytes).chars().take(16).collect();
    let path = file(home, tool, &id);
    if !path.is_file() {
        atomic::write_with_dirs(&path, &bytes, Access::Shared)?;
    }
    Ok(id)
}

/// `None` where they are not there any more, or cannot be read.
pub(super) fn texts(home: &DataHome, tool: &ToolName, id: &str) -> Option<Texts> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let bytes = plain
        .then(|| std::fs::read(file(home, tool, id)).ok())
        .flatten()?;
    serde_json::from_slice(&bytes).ok().map(Texts)
}

/// Drops texts that the record does not name.
pub(super) fn forget_texts(home: &DataHome, tool: &ToolName, record: &Record) -> io::Result<()> {
    let named = record.edits.values().filter_map(|edit| edit.before.as_ref());
    let wanted: BTreeSet<&String> = named.chain(&record.texts).collect();
    let entries = match std::fs::read_dir(folder(home)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| {
            let rest = name.strip_prefix(tool.as_str())?.strip_prefix('.')?;
            rest.strip_suffix(".json")
        });
        if id.is_some_and(|id| !wanted.contains(&id.to_owned())) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let of = |program: &str| Record {
            program: program.to_owned(),
            ..Record::default()
        };
        for (newer, older) in [("0.10.0", "0.9.9"), ("1.0.0", "0.9.0"), ("1.0.1-rc.1", "1.0.0")] {
            assert!(of(newer).is_newer_than(older) && !of(older).is_newer_than(newer));
        }
        assert!(!of("").is_newer_than("0.1.0") && !of("0.1.0").is_newer_than("0.1.0"));
    }
}
