//! Built-in tools come with the program, or from a checkout, and are put into the toolbox at start (seed 002
//! section 3).
//!
//! What belongs to the user is never touched: `.env`, `data/`, `logs/`, `run.log`, dependencies of her own in
//! package.json. A built-in file that she edited is kept beside as `FILE.user` before ours takes its place, until
//! she has decided between them ([`edits`]). What a newer program put there an older one leaves. Killed anywhere,
//! the next start ends what was begun: what is to come is written down before, and an edit is beside before
//! anything takes its place.

#![allow(
    clippy::disallowed_methods,
    reason = "reads what lies in the toolbox, and drops files of ours"
)]

mod asked;
mod edits;
mod follow;
mod merge;
mod record;
mod shipped;
#[cfg(test)]
mod tests;

pub use edits::{EditView, Holding, Standing, Take, Waiting};
pub(crate) use follow::follow;
pub use merge::has_marks;
pub use record::Runs;
pub use shipped::{BuiltIns, NoTools, VARIABLE};

use crate::fingerprint::{self, hash_bytes};
use base::atomic::{self, Access};
use base::name::ToolName;
use base::{Args, Coded, DataHome, args};
use record::{Edit, Record};
use shipped::hashes;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// Of this program: what was put there by a newer one stays.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// A person's edit, beside ours.
const BESIDE: &str = "user";

/// Steps of one tool in their order, for whoever watches. Tests end it there.
pub(crate) type Phase<'p> = &'p dyn Fn(&'static str);

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

/// What came of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synced {
    Same,
    Changed,
    /// A newer program put it there: it stays.
    Newer,
    /// A person's own tool of that name was there before: it stays.
    Theirs,
}

/// Whether the tool in this folder never came with a program: whatever comes under its name, it is a person's own.
pub(crate) fn is_theirs(folder: &Path, tool: &ToolName) -> bool {
    let ours = folder.join(record::RECORD).symlink_metadata().is_ok();
    !ours && fingerprint::main_in(folder, tool).is_some()
}

/// Whether the folder holds the built-in tool as it was shipped: only that has its rights.
pub(crate) fn is_pristine(home: &DataHome, built_ins: &BuiltIns, tool: &ToolName) -> bool {
    let files = built_ins.files(tool).unwrap_or_default();
    let same = |(relative, ours): (&String, &std::borrow::Cow<'_, [u8]>)| {
        let path = home.tool(tool).join(relative);
        // Nobody notices that the target of a link changes.
        std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_file())
            && std::fs::read(&path).is_ok_and(|bytes| bytes == **ours)
    };
    !files.is_empty() && files.iter().all(same)
}

/// Puts every built-in tool into the toolbox. One that fails does not hold up the others.
pub(crate) fn run(home: &DataHome, built_ins: &BuiltIns) -> Vec<SyncError> {
    let names = built_ins.names();
    let synced = names.iter().map(|tool| one(home, built_ins, tool));
    synced.filter_map(Result::err).collect()
}

/// Puts one built-in tool into the toolbox. Nobody runs or changes it meanwhile.
pub(crate) fn one(home: &DataHome, built_ins: &BuiltIns, tool: &ToolName) -> Result<Synced, SyncError> {
    let synced = sync_tool(home, built_ins, tool, PROGRAM, &|_| ());
    match synced {
        Ok(Synced::Newer) => {
            tracing::warn!(%tool, "a newer Prompt Manager put this built-in tool there; it stays as it is");
        }
        Ok(Synced::Theirs) => {
            tracing::warn!(%tool, "a tool of a person's own has the name of a built-in one; it stays, and that does not come");
        }
        Ok(Synced::Same | Synced::Changed) | Err(_) => {}
    }
    synced
}

fn sync_tool(
    home: &DataHome,
    built_ins: &BuiltIns,
    tool: &ToolName,
    program: &str,
    phase: Phase<'_>,
) -> Result<Synced, SyncError> {
    let folder = home.tool(tool);
    let failed = |path: &Path| {
        let (path, tool) = (path.to_owned(), tool.to_string());
        move |source| SyncError { tool, path, source }
    };
    // Asked before anything is put there: a built-in tool has its record before its files.
    if is_theirs(&folder, tool) {
        return Ok(Synced::Theirs);
    }
    let made = atomic::create_dir_all(&folder).and_then(|()| prepare_folder(&folder));
    made.map_err(failed(&folder))?;
    let mut record = Record::load(&folder)
        .map_err(failed(&folder))?
        .unwrap_or_default();
    // A checkout is named by a person, who wants just that.
    if built_ins.checkout().is_none() && record.is_newer_than(program) {
        return Ok(Synced::Newer);
    }
    let files = built_ins.files(tool).map_err(failed(&folder))?;
    let before = record.clone();
    let wanted = hashes(&files);
    // What is to be written; edits are beside when this is done.
    let mut writes = Vec::new();
    for (relative, ours) in &files {
        let path = folder.join(relative);
        let write = look_at(&path, relative, ours, &mut record).map_err(failed(&path))?;
        writes.extend(write.then_some((path, ours)));
    }
    // Of ours now or almost, and not with this program.
    let known: BTreeSet<&String> = record.files.keys().chain(record.coming.keys()).collect();
    let dropped: Vec<String> = known
        .into_iter()
        .filter(|path| !files.contains_key(*path))
        .cloned()
        .collect();
    let texts = record::keep_texts(home, tool, &files).map_err(failed(&home.history()))?;
    if !writes.is_empty() || !dropped.is_empty() {
        phase("intend");
        // What an earlier start began is ours, too.
        record.coming.extend(wanted.clone());
        record.save(&folder).map_err(failed(&folder))?;
    }
    let is_changed = !writes.is_empty() || !dropped.is_empty();
    for (path, ours) in writes {
        phase("write");
        atomic::write_with_dirs(&path, ours, Access::Shared).map_err(failed(&path))?;
    }
    for relative in dropped {
        phase("drop");
        drop_file(&folder, &relative, &mut record).map_err(failed(&folder))?;
    }
    record.files = wanted;
    record.coming = BTreeMap::new();
    record.program = program.to_owned();
    record.checkout = built_ins.checkout().map(Path::to_owned);
    record.texts = Some(texts);
    if record != before {
        phase("record");
        record.save(&folder).map_err(failed(&folder))?;
        record::forget_texts(home, tool, &record).map_err(failed(&home.history()))?;
    }
    Ok(if is_changed { Synced::Changed } else { Synced::Same })
}

/// Whether ours is to be written there. An edit of hers is beside when this is done, or runs because she said so.
fn look_at(path: &Path, relative: &str, ours: &[u8], record: &mut Record) -> io::Result<bool> {
    let there = read(path)?;
    let runs_hers = record
        .edits
        .get(relative)
        .is_some_and(|edit| edit.runs == Runs::Yours);
    let Some(there) = there else {
        return Ok(true);
    };
    if there == ours {
        // Hers is ours again; or hers lay beside, and is there no more.
        if runs_hers || (record.edits.contains_key(relative) && read(&beside(path))?.is_none()) {
            record.edits.remove(relative);
        }
        return Ok(false);
    }
    let hash = hash_bytes(&there);
    if record.is_ours(relative, &hash) {
        // Whatever is to come next, what lies there now stays known as ours.
        record.files.insert(relative.to_owned(), hash);
        return Ok(true);
    }
    if runs_hers {
        return Ok(false);
    }
    put_beside(path, &there)?;
    tracing::warn!(path = %beside(path).display(), "an edited built-in file is kept beside the new one");
    let edit = Edit {
        runs: Runs::Ours,
        before: record.texts.clone(),
        decided: None,
    };
    record.edits.insert(relative.to_owned(), edit);
    Ok(true)
}

/// A file that does not come with the tool any more. One that she edited stays, and is hers.
fn drop_file(folder: &Path, relative: &str, record: &mut Record) -> io::Result<()> {
    let path = folder.join(relative);
    if let Some(there) = read(&path)?
        && record.is_ours(relative, &hash_bytes(&there))
    {
        std::fs::remove_file(&path)?;
        if let Some(folder) = path.parent() {
            atomic::sync_dir(folder)?;
        }
    }
    record.edits.remove(relative);
    Ok(())
}

/// `FILE.user`.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}.{BESIDE}", file_name(path)))
}

/// Puts an edit beside. What lies there already is another edit, and stays under another name.
fn put_beside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    match read(&beside)? {
        Some(there) if there == bytes => return Ok(()),
        Some(there) => atomic::write(&aside(path), &there, Access::Shared)?,
        None => {}
    }
    atomic::write(&beside, bytes, Access::Shared)
}

/// `FILE.user-TIME`: an edit that is not asked about any more.
fn aside(path: &Path) -> PathBuf {
    let stamp = base::clock::stamp_for_names();
    let named = |more: &str| path.with_file_name(format!("{}.{BESIDE}-{stamp}{more}", file_name(path)));
    let mut free = named("");
    let mut count = 1;
    while free.symlink_metadata().is_ok() {
        count += 1;
        free = named(&format!("-{count}"));
    }
    free
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
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
