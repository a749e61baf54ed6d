//! Built-in tools come with the program and are put into the toolbox at start (seed 002 section 3).
//!
//! What belongs to the user is never touched: `.env`, `data/`, `logs/`, `run.log`, dependencies
//! of her own in package.json. A built-in file that she edited is kept beside as `FILE.user`
//! before ours takes its place.

#![allow(clippy::disallowed_methods, reason = "reads what lies in the toolbox")]

use crate::fingerprint::hash_bytes;
use base::atomic::{self, Access};
use base::name::ToolName;
use base::{Args, Coded, DataHome, args};
use rust_embed::RustEmbed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// `resources/tools`: one folder a tool.
#[derive(RustEmbed)]
#[folder = "../../resources/tools"]
struct BuiltIn;

/// What was written last time, so that a user's edit can be told from an older version of ours.
const RECORD: &str = ".sync.json";

#[derive(Default, Serialize, Deserialize)]
struct Record {
    files: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
#[error("built-in tool {tool}: {path}")]
pub struct SyncError {
    pub tool: String,
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl Coded for SyncError {
    fn code(&self) -> &'static str {
        "tool_sync_failed"
    }
    fn args(&self) -> Args {
        args! { tool: self.tool, path: self.path, reason: self.source.to_string() }
    }
}

/// Names of the tools that come with the program.
pub fn built_in() -> BTreeSet<ToolName> {
    BuiltIn::iter()
        .filter_map(|path| ToolName::parse(path.split('/').next()?).ok())
        .collect()
}

/// Whether the folder holds the built-in tool as it was shipped: only that has its rights.
pub fn is_pristine(home: &DataHome, tool: &ToolName) -> bool {
    let prefix = format!("{tool}/");
    let mut files = BuiltIn::iter()
        .filter_map(|name| Some((name.strip_prefix(&prefix)?.to_owned(), BuiltIn::get(&name)?)));
    let first = files.next();
    first.is_some()
        && first.into_iter().chain(files).all(|(relative, ours)| {
            std::fs::read(home.tool(tool).join(relative)).is_ok_and(|bytes| bytes == *ours.data)
        })
}

/// Puts every built-in tool into the toolbox. One that fails does not hold up the others.
pub fn run(home: &DataHome) -> Vec<SyncError> {
    built_in()
        .iter()
        .filter_map(|tool| sync_tool(home, tool).err())
        .collect()
}

fn sync_tool(home: &DataHome, tool: &ToolName) -> Result<(), SyncError> {
    let folder = home.tool(tool);
    let failed = |path: &Path| {
        let path = path.to_owned();
        let tool = tool.to_string();
        move |source| SyncError { tool, path, source }
    };
    let made = atomic::create_dir_all(&folder).and_then(|()| prepare_folder(&folder));
    made.map_err(failed(&folder))?;
    let record_path = folder.join(RECORD);
    let mut record: Record = match std::fs::read(&record_path) {
        // A record that cannot be read only costs a `.user` copy too many.
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(_) => Record::default(),
    };
    let mut changed = false;
    for name in BuiltIn::iter() {
        let Some(relative) = name.strip_prefix(&format!("{tool}/")) else {
            continue;
        };
        let Some(file) = BuiltIn::get(&name) else { continue };
        let path = folder.join(relative);
        changed |= sync_file(&path, relative, &file.data, &mut record).map_err(failed(&path))?;
    }
    if changed {
        let bytes = serde_json::to_vec_pretty(&record)
            .map_err(io::Error::other)
            .map_err(failed(&record_path))?;
        atomic::write(&record_path, &bytes, Access::Shared).map_err(failed(&record_path))?;
    }
    Ok(())
}

/// Whether something was written.
fn sync_file(path: &Path, relative: &str, ours: &[u8], record: &mut Record) -> io::Result<bool> {
    let hash = hash_bytes(ours);
    let there = match std::fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let known = record.files.insert(relative.to_owned(), hash.clone());
    if there.as_deref() == Some(ours) {
        return Ok(known.as_ref() != Some(&hash));
    }
    if let Some(theirs) = there
        && known.as_deref() != Some(&hash_bytes(&theirs))
    {
        let beside = path.with_file_name(format!("{}.user", file_name(path)));
        atomic::write(&beside, &theirs, Access::Shared)?;
        tracing::warn!(path = %beside.display(), "an edited built-in file was kept beside the new one");
    }
    atomic::write_with_dirs(path, ours, Access::Shared)?;
    Ok(true)
}

/// The folders that every tool has (seed 002 section 3.1); its own has to be there.
pub fn prepare_folder(folder: &Path) -> io::Result<()> {
    let mut made = false;
    for name in ["data", "logs"] {
        match std::fs::create_dir(folder.join(name)) {
            Ok(()) => made = true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    if made { atomic::sync_dir(folder) } else { Ok(()) }
}

/// Removes what a kill left half-written in the toolbox. Only at start, before anything writes:
/// later it would take away the temporary files of writes under way.
pub fn sweep(home: &DataHome) -> io::Result<()> {
    for entry in std::fs::read_dir(home.toolbox())? {
        let folder = entry?.path();
        for folder in [folder.join("data"), folder] {
            if folder.is_dir() && !folder.is_symlink() {
                atomic::sweep(&folder)?;
            }
        }
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, DataHome) {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap();
        home.prepare().unwrap();
        (dir, home)
    }

    #[test]
    fn built_ins_arrive_and_what_is_the_users_stays() {
        let (_dir, home) = home();
        assert!(run(&home).is_empty());
        let tool = ToolName::parse("todolist").unwrap();
        let main = home.tool(&tool).join(tool.main_file());
        let ours = std::fs::read(&main).unwrap();
        for (name, text) in [
            (".env", "A=1\n"),
            ("data/storage.json", "{}"),
            ("run.log", "x"),
            ("mine.txt", "y"),
        ] {
            std::fs::write(home.tool(&tool).join(name), text).unwrap();
        }
        std::fs::write(&main, "// my edit").unwrap();
        assert!(run(&home).is_empty());
        assert_eq!(std::fs::read(&main).unwrap(), ours);
        assert_eq!(
            std::fs::read_to_string(main.with_file_name("todolist.tool.js.user")).unwrap(),
            "// my edit"
        );
        for (name, text) in [
            (".env", "A=1\n"),
            ("data/storage.json", "{}"),
            ("run.log", "x"),
            ("mine.txt", "y"),
        ] {
            assert_eq!(
                std::fs::read_to_string(home.tool(&tool).join(name)).unwrap(),
                text
            );
        }
    }

    #[test]
    fn an_older_version_of_ours_is_replaced_without_a_copy() {
        let (_dir, home) = home();
        run(&home);
        let tool = ToolName::parse("todolist").unwrap();
        let main = home.tool(&tool).join(tool.main_file());
        let old = b"// version 0 of ours";
        std::fs::write(&main, old).unwrap();
        let mut record = Record::default();
        record.files.insert(tool.main_file(), hash_bytes(old));
        std::fs::write(
            home.tool(&tool).join(RECORD),
            serde_json::to_vec(&record).unwrap(),
        )
        .unwrap();
        run(&home);
        assert_ne!(std::fs::read(&main).unwrap(), old);
        assert!(!main.with_file_name("todolist.tool.js.user").exists());
    }

    #[test]
    fn one_that_fails_does_not_hold_up_the_others() {
        let (_dir, home) = home();
        std::fs::write(
            home.toolbox().join("filesystem"),
            "a file where a folder should be",
        )
        .unwrap();
        let errors = run(&home);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].tool, "filesystem");
        assert!(home.toolbox().join("todolist/todolist.tool.js").exists());
    }
}
