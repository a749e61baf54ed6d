//! What a person changed in a built-in tool, beside what it was and what it is now, and what she decides.
//!
//! Each step of a decision leaves what she wrote in some file: what is not asked about any more lies beside as
//! `FILE.user-TIME`. Killed between two steps, the next start finds an edit that nobody has decided about.

#![allow(
    clippy::disallowed_methods,
    reason = "drops files that a person decided about"
)]

use super::merge::{Names, has_marks, merge};
use super::record::{self, Record, Runs};
use super::shipped::{BuiltIns, Files, hashes};
use super::{PROGRAM, aside, beside, put_beside, read};
use crate::fingerprint::hash_bytes;
use base::atomic::{self, Access};
use base::name::ToolName;
use base::{Args, Coded, DataHome, Lang, args};
use similar::TextDiff;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Larger files are not compared.
const TEXT_MOST: usize = 256 << 10;
const MERGED: &str = "merge";

/// How a tool stands to what comes with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It comes with this program.
    Here { checkout: Option<PathBuf> },
    /// A newer program put it there, and this one leaves it.
    Newer { program: String },
    /// It came with a program, and does not come with this one any more.
    Retired { program: String },
}

/// A built-in tool, and what a person changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    pub standing: Standing,
    pub edits: Vec<EditView>,
}

/// Whether a person is asked about her edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    Undecided,
    /// She decided, and ours is still what it was then.
    Decided,
    /// She changed it while the program runs: at its next start ours is there again, and hers beside.
    UntilStart,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditView {
    pub path: String,
    pub runs: Runs,
    pub waiting: Waiting,
    /// Where hers lies, in the tool's folder.
    pub file: String,
    /// What she changed in what was built in before; absent where nobody knows that any more.
    pub yours: Option<String>,
    /// What the program changed since.
    pub now: Option<String>,
    /// From the built-in file to hers; absent where one of them is no text, or too long.
    pub difference: Option<String>,
    /// Places that both changed.
    pub conflicts: Option<usize>,
    /// The file in which both are brought together, and whether nothing in it is left to decide.
    pub merged: Option<(String, bool)>,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Hers runs.
    Mine,
    /// Ours runs; hers stays beside, and nobody asks about it any more.
    New,
    /// Both are brought together in a file beside; nothing else changes.
    Merge,
    /// What was brought together runs.
    Merged,
}

impl Take {
    /// As records have it.
    pub fn name(self) -> &'static str {
        match self {
            Take::Mine => "mine",
            Take::New => "new",
            Take::Merge => "merge",
            Take::Merged => "merged",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("{path} of {tool} is not a built-in file that a person changed")]
    NoEdit { tool: ToolName, path: String },
    #[error("{0} is no text, or too long")]
    NoText(String),
    #[error("{0} is not there")]
    NotMerged(String),
    #[error("{0} has marks of conflicts")]
    Marks(String),
    #[error("{tool} was put there by the newer program {program}")]
    Newer { tool: ToolName, program: String },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for EditError {
    fn code(&self) -> &'static str {
        match self {
            EditError::NoEdit { .. } => "tool_edit_unknown",
            EditError::NoText(_) => "tool_edit_no_text",
            EditError::NotMerged(_) => "tool_edit_not_merged",
            EditError::Marks(_) => "tool_edit_marks",
            EditError::Newer { .. } => "tool_edit_newer",
            EditError::Io { .. } => "toolbox_io",
        }
    }
    fn args(&self) -> Args {
        match self {
            EditError::NoEdit { tool, path } => args! { tool: tool.as_str(), path: path },
            EditError::NoText(path) | EditError::NotMerged(path) | EditError::Marks(path) => {
                args! { path: path }
            }
            EditError::Newer { tool, program } => args! { tool: tool.as_str(), program: program },
            EditError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

/// `None` for a tool that never came with a program. Blocking.
pub(crate) fn holding(home: &DataHome, built_ins: &BuiltIns, tool: &ToolName) -> io::Result<Option<Holding>> {
    let folder = home.tool(tool);
    let Some(record) = Record::load(&folder)? else {
        return Ok(None);
    };
    let program = record.program.clone();
    let newer = built_ins.checkout().is_none() && record.is_newer_than(PROGRAM);
    let standing = match (newer, built_ins.has(tool)) {
        (true, _) => Standing::Newer { program },
        (false, false) => Standing::Retired { program },
        (false, true) => Standing::Here {
            checkout: record.checkout.clone(),
        },
    };
    let mut edits = Vec::new();
    if matches!(standing, Standing::Here { .. }) {
        let files = built_ins.files(tool)?;
        for path in edited(&folder, &record, &files)? {
            edits.extend(view(home, tool, &folder, &record, &files, &path)?);
        }
    }
    Ok(Some(Holding { standing, edits }))
}

/// Paths that are written down as edited, and those that only are.
fn edited(folder: &Path, record: &Record, files: &Files) -> io::Result<BTreeSet<String>> {
    let mut paths: BTreeSet<String> = record
        .edits
        .keys()
        .filter(|path| files.contains_key(*path))
        .cloned()
        .collect();
    for (path, ours) in files {
        let there = read(&folder.join(path))?;
        if there.is_some_and(|there| there != **ours && !record.is_ours(path, &hash_bytes(&there))) {
            paths.insert(path.clone());
        }
    }
    Ok(paths)
}

/// Hers, and where it lies; `None` where there is no such edit (any more).
fn hers(folder: &Path, record: &Record, path: &str) -> io::Result<Option<(PathBuf, Vec<u8>)>> {
    let file = folder.join(path);
    if let Some(there) = read(&file)?
        && !record.is_ours(path, &hash_bytes(&there))
    {
        return Ok(Some((file, there)));
    }
    let waits = record.edits.get(path).is_some_and(|edit| edit.runs == Runs::Ours);
    let beside = beside(&file);
    Ok(match waits {
        true => read(&beside)?.map(|bytes| (beside, bytes)),
        false => None,
    })
}

fn view(
    home: &DataHome,
    tool: &ToolName,
    folder: &Path,
    record: &Record,
    files: &Files,
    path: &str,
) -> io::Result<Option<EditView>> {
    let (Some((file, bytes)), Some(ours)) = (hers(folder, record, path)?, files.get(path)) else {
        return Ok(None);
    };
    let edit = record.edits.get(path);
    let runs = match file == folder.join(path) {
        true => Runs::Yours,
        false => Runs::Ours,
    };
    let waiting = match edit {
        Some(edit) if edit.runs == Runs::Yours && edit.decided == Some(hash_bytes(ours)) => Waiting::Decided,
        Some(edit) if edit.runs == runs => Waiting::Undecided,
        _ => Waiting::UntilStart,
    };
    let before = before(home, tool, record, path);
    let (theirs, now) = (text(&bytes), text(ours));
    let diff = |old: Option<&str>, new: Option<&str>| Some(unified(old?, new?));
    let conflicts = before
        .as_deref()
        .zip(theirs)
        .zip(now)
        .map(|((before, theirs), now)| merge(theirs, Some(before), now, names(Lang::En)).conflicts);
    let beside = merged(&folder.join(path));
    let merged = read(&beside)?.map(|bytes| {
        let is_whole = text(&bytes).is_some_and(|text| !has_marks(text));
        (shown(folder, &beside), is_whole)
    });
    Ok(Some(EditView {
        path: path.to_owned(),
        runs,
        waiting,
        file: shown(folder, &file),
        yours: diff(before.as_deref(), theirs),
        now: diff(before.as_deref(), now),
        difference: diff(now, theirs),
        conflicts,
        merged,
    }))
}

/// What was built in when she began to edit.
fn before(home: &DataHome, tool: &ToolName, record: &Record, path: &str) -> Option<String> {
    let id = match record.edits.get(path) {
        Some(edit) => edit.before.clone(),
        None => record.texts.clone(),
    };
    let mut texts = record::texts(home, tool, &id?)?;
    texts.0.remove(path).filter(|text| text.len() <= TEXT_MOST)
}

/// Does what a person decided about one file. Nobody runs or changes the tool meanwhile. Blocking.
pub(crate) fn settle(
    home: &DataHome,
    built_ins: &BuiltIns,
    tool: &ToolName,
    path: &str,
    take: Take,
    lang: Lang,
) -> Result<(), EditError> {
    let folder = home.tool(tool);
    let failed = |source| EditError::Io {
        path: folder.join(path),
        source,
    };
    let unknown = || EditError::NoEdit {
        tool: tool.clone(),
        path: base::text::cut(path, 300),
    };
    let mut record = Record::load(&folder).map_err(failed)?.ok_or_else(unknown)?;
    // What this program has is older: whatever was decided would put that there.
    if built_ins.checkout().is_none() && record.is_newer_than(PROGRAM) {
        return Err(EditError::Newer {
            tool: tool.clone(),
            program: record.program,
        });
    }
    let files = built_ins.files(tool).map_err(failed)?;
    let ours = files.get(path).ok_or_else(unknown)?;
    let (place, theirs) = hers(&folder, &record, path)
        .map_err(failed)?
        .ok_or_else(unknown)?;
    let file = folder.join(path);
    match take {
        Take::Mine => {
            if place != file {
                atomic::write(&file, &theirs, Access::Shared).map_err(failed)?;
            }
            runs_hers(home, tool, path, &files, &mut record).map_err(failed)?;
            record.save(&folder).map_err(failed)?;
            forget(&beside(&file), &theirs).map_err(failed)
        }
        Take::New => {
            put_beside(&file, &theirs).map_err(failed)?;
            atomic::write(&file, ours, Access::Shared).map_err(failed)?;
            put_aside(&file).map_err(failed)?;
            record.edits.remove(path);
            record.save(&folder).map_err(failed)
        }
        Take::Merge => {
            let no_text = || EditError::NoText(shown(&folder, &place));
            let (theirs, now) = (
                text(&theirs).ok_or_else(no_text)?,
                text(ours).ok_or_else(no_text)?,
            );
            let before = before(home, tool, &record, path);
            let merged_text = merge(theirs, before.as_deref(), now, names(lang)).text;
            // What she made of an earlier one is hers.
            let place = merged(&file);
            if let Some(there) = read(&place).map_err(failed)?
                && there != merged_text.as_bytes()
            {
                atomic::write(&aside(&place), &there, Access::Shared).map_err(failed)?;
            }
            atomic::write(&place, merged_text.as_bytes(), Access::Shared).map_err(failed)
        }
        Take::Merged => {
            let merged = merged(&file);
            let shown = shown(&folder, &merged);
            let bytes = read(&merged)
                .map_err(failed)?
                .ok_or_else(|| EditError::NotMerged(shown.clone()))?;
            let whole = text(&bytes).ok_or_else(|| EditError::NoText(shown.clone()))?;
            if has_marks(whole) {
                return Err(EditError::Marks(shown));
            }
            put_beside(&file, &theirs).map_err(failed)?;
            atomic::write(&file, &bytes, Access::Shared).map_err(failed)?;
            runs_hers(home, tool, path, &files, &mut record).map_err(failed)?;
            record.save(&folder).map_err(failed)?;
            put_aside(&file).map_err(failed)?;
            std::fs::remove_file(&merged).map_err(failed)
        }
    }
}

/// From now on her file runs, made from what is built in now.
fn runs_hers(
    home: &DataHome,
    tool: &ToolName,
    path: &str,
    files: &Files,
    record: &mut Record,
) -> io::Result<()> {
    let before = record::keep_texts(home, tool, files)?;
    let decided = hashes(files).remove(path);
    record.edits.insert(
        path.to_owned(),
        record::Edit {
            runs: Runs::Yours,
            before: Some(before),
            decided,
        },
    );
    Ok(())
}

/// What lies beside is not asked about any more.
fn put_aside(file: &Path) -> io::Result<()> {
    if let Some(bytes) = read(&beside(file))? {
        atomic::write(&aside(file), &bytes, Access::Shared)?;
        std::fs::remove_file(beside(file))?;
    }
    Ok(())
}

/// Drops a copy of what lies elsewhere.
fn forget(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match read(path)? {
        Some(there) if there == bytes => std::fs::remove_file(path),
        _ => Ok(()),
    }
}

fn merged(file: &Path) -> PathBuf {
    file.with_file_name(format!("{}.{MERGED}", super::file_name(file)))
}

fn text(bytes: &[u8]) -> Option<&str> {
    let short = bytes.len() <= TEXT_MOST;
    short.then(|| std::str::from_utf8(bytes).ok()).flatten()
}

fn shown(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn unified(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().to_string()
}

fn names(lang: Lang) -> Names<'static> {
    Names {
        yours: lang.pick("你的修改", "your edit"),
        before: lang.pick("原来的内置版本", "built in before"),
        now: lang.pick("现在的内置版本", "built in now"),
    }
}
