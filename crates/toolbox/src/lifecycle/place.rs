//! A tool's folder is exchanged for another one, whole, whatever moment the process is killed at.
//!
//! Everything that is under way lies in one folder of `toolbox/.changes`. What comes is made there (`tool`); then
//! one file (`change.json`) says what is to become of both folders; the two are exchanged in one step; what is the
//! person's own is carried over; what was there before goes to its place among the versions or into the trash; the
//! folder of the change goes last. [`recover`] tells by the inode of what came how far that was: exchanged, and the
//! rest is done; or not, and all is as it was.
//!
//! Deliberately not here: what comes and why, when workers have to end, and records.

#![allow(
    clippy::disallowed_methods,
    reason = "moves folders of tools, and nothing else does"
)]

use base::DataHome;
use base::atomic::{self, Access};
use base::name::ToolName;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const JOURNAL: &str = "change.json";
/// What comes; after the exchange what was there.
const FOLDER: &str = "tool";
/// What was there, for a moment, where two folders cannot be exchanged in one step.
const ASIDE: &str = "aside";
/// What is known of a folder that is kept, beside it.
const ABOUT: &str = "about.json";

/// What of a tool's folder is the person's, or made by its runs: it stays whatever comes.
pub const PERSONAL: [&str; 7] = [".env", "run.log", "data", "logs", "cache", "tmp", "output"];

/// Steps, in their order, for whoever watches. `back` is instead of all after `carry`.
pub const STEPS: [&str; 7] = ["sync", "journal", "exchange", "carry", "keep", "settle", "clear"];
pub const BACK: &str = "back";

pub type Phase<'p> = &'p (dyn Fn(&'static str) + Sync);

/// A version of a tool that is not in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    pub tool: ToolName,
    pub version: String,
    /// When it left its place, milliseconds since the epoch.
    pub at: i64,
    /// Of its code.
    pub hash: String,
    /// Rights that a person had given to just this code: kind and value.
    pub rights: Vec<(String, String)>,
    /// What is the person's stayed when it was removed.
    #[serde(default)]
    pub data_stayed: bool,
}

/// Where a folder that left its place goes; paths are below the data home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goes {
    /// It held nothing but what was carried over.
    Away,
    Kept {
        entry: PathBuf,
        about: About,
    },
}

/// Rights that hold when all is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rights {
    pub code: String,
    pub rights: Vec<(String, String)>,
    /// Who gave them: kind and name.
    pub by: (String, String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub tool: ToolName,
    /// Whether a folder comes in the place of what is there.
    pub comes: bool,
    /// The entry, below the data home, that it comes from; it goes back there if nothing comes of it.
    #[serde(default)]
    pub from: Option<PathBuf>,
    pub goes: Goes,
    #[serde(default)]
    pub rights: Option<Rights>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    plan: Plan,
    /// Of the folder that comes.
    inode: Option<u64>,
}

/// A folder in which what comes is made; it goes when this is dropped, unless it was put in place.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
    /// The journal rules what becomes of it.
    handed: bool,
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.handed {
            // What cannot be removed now goes at the next start.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl Staging {
    pub fn new(home: &DataHome) -> io::Result<Staging> {
        let folder = home
            .tool_changes()
            .join(uuid::Uuid::new_v4().simple().to_string());
        atomic::create_dir_all(&folder)?;
        Ok(Staging {
            folder,
            handed: false,
        })
    }

    /// For whatever else has to lie beside.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder that comes. Whoever fills it makes it.
    pub fn tool(&self) -> PathBuf {
        self.folder.join(FOLDER)
    }
}

/// A change whose folders are exchanged; everything else is still to be done, or undone.
#[derive(Debug)]
pub struct Placed {
    home: DataHome,
    folder: PathBuf,
    journal: Journal,
}

/// Puts what `staging` holds in the tool's place, with what is the person's. An error means that all
/// is as it was.
pub fn put(home: &DataHome, mut staging: Staging, plan: Plan, phase: Phase<'_>) -> io::Result<Placed> {
    let tool = staging.tool();
    let from = plan
        .from
        .as_ref()
        .map(|entry| home.root().join(entry).join(FOLDER));
    let coming = from.as_ref().unwrap_or(&tool);
    let inode = match plan.comes {
        true => {
            phase("sync");
            rustix::fs::syncfs(File::open(coming)?)?;
            Some(fs::metadata(coming)?.ino())
        }
        false => None,
    };
    let placed = Placed {
        home: home.clone(),
        folder: staging.folder.clone(),
        journal: Journal { plan, inode },
    };
    phase("journal");
    let text = serde_json::to_vec(&placed.journal)?;
    atomic::write(&staging.folder.join(JOURNAL), &text, Access::Private)?;
    staging.handed = true;
    phase("exchange");
    let exchanged = match &from {
        Some(from) => fs::rename(from, &tool).and_then(|()| placed.exchange()),
        None => placed.exchange(),
    };
    if let Err(error) = exchanged {
        placed.undo()?;
        return Err(error);
    }
    if placed.journal.plan.comes && exists(&tool) {
        phase("carry");
        if let Err(error) = carry(&tool, &placed.place()) {
            placed.revert(phase)?;
            return Err(error);
        }
    }
    Ok(placed)
}

impl Placed {
    fn place(&self) -> PathBuf {
        self.home.tool(&self.journal.plan.tool)
    }

    fn beside(&self) -> PathBuf {
        self.folder.join(FOLDER)
    }

    pub fn plan(&self) -> &Plan {
        &self.journal.plan
    }

    /// What was there goes to its place. Then the rights are settled, and then [`Placed::clear`].
    pub fn keep(&self, phase: Phase<'_>) -> io::Result<()> {
        phase("keep");
        let (plan, beside) = (&self.journal.plan, self.beside());
        if let Goes::Kept { entry, about } = &plan.goes
            && exists(&beside)
        {
            let entry = self.home.root().join(entry);
            atomic::create_dir_all(&entry)?;
            atomic::write(&entry.join(ABOUT), &serde_json::to_vec(about)?, Access::Private)?;
            fs::rename(&beside, entry.join(FOLDER))?;
            atomic::sync_dir(&entry)?;
        }
        if let Some(entry) = &plan.from {
            forget(&self.home.root().join(entry))?;
        }
        Ok(())
    }

    /// The last step. `phase` hears that it begins.
    pub fn clear(self, phase: Phase<'_>) -> io::Result<()> {
        phase("clear");
        clear(&self.folder)
    }

    /// Undoes the exchange: what was there before is there again, with what is the person's.
    pub fn revert(self, phase: Phase<'_>) -> io::Result<()> {
        phase(BACK);
        // From here on nobody goes forward again, whoever goes on.
        atomic::write(&self.folder.join(BACK), b"", Access::Private)?;
        let (place, beside) = (self.place(), self.beside());
        if self.journal.plan.comes && exists(&beside) {
            carry(&place, &beside)?;
        }
        match (exists(&beside), exists(&place)) {
            (true, true) => exchange(&beside, &place, &self.folder.join(ASIDE))?,
            (true, false) => fs::rename(&beside, &place)?,
            (false, true) => fs::rename(&place, &beside)?,
            (false, false) => {}
        }
        atomic::sync_dir(&self.home.toolbox())?;
        self.undo()
    }

    /// Nothing was exchanged, or not any more: what came goes where it came from, or away.
    fn undo(&self) -> io::Result<()> {
        let (place, beside, aside) = (self.place(), self.beside(), self.folder.join(ASIDE));
        if exists(&aside) && !exists(&place) {
            fs::rename(&aside, &place)?;
        }
        if let Some(entry) = &self.journal.plan.from
            && exists(&beside)
        {
            let back = self.home.root().join(entry).join(FOLDER);
            fs::rename(&beside, &back)?;
        }
        clear(&self.folder)
    }

    fn exchange(&self) -> io::Result<()> {
        let (place, beside) = (self.place(), self.beside());
        match (self.journal.plan.comes, exists(&place)) {
            (true, true) => exchange(&beside, &place, &self.folder.join(ASIDE))?,
            (true, false) => rustix::fs::renameat_with(CWD, &beside, CWD, &place, RenameFlags::NOREPLACE)?,
            (false, _) => fs::rename(&place, &beside)?,
        }
        atomic::sync_dir(&self.home.toolbox())
    }

    /// Whether what came is in its place.
    fn is_exchanged(&self) -> bool {
        let there = fs::symlink_metadata(self.place()).ok().map(|data| data.ino());
        there == self.journal.inode
    }
}

/// Puts in order what a kill left. What is given back was exchanged: its rights are to be settled, and
/// then it is cleared. Before anybody looks at tools.
pub fn recover(home: &DataHome) -> io::Result<Vec<Placed>> {
    let mut unfinished = Vec::new();
    for folder in folders(&home.tool_changes())? {
        match recover_one(home, &folder) {
            Ok(placed) => unfinished.extend(placed),
            // One that cannot be mended must not keep the others from their tools.
            Err(error) => {
                tracing::error!(folder = %folder.display(), %error, "a change of a tool is not in order")
            }
        }
    }
    // Entries whose folder has left them, or never came.
    for tool in folders(&home.tool_backups())? {
        for entry in folders(&tool)? {
            forget(&entry)?;
        }
    }
    for entry in folders(&home.tool_trash())? {
        forget(&entry)?;
    }
    Ok(unfinished)
}

fn recover_one(home: &DataHome, folder: &Path) -> io::Result<Option<Placed>> {
    let text = match fs::read(folder.join(JOURNAL)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::remove_dir_all(folder)?;
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let placed = Placed {
        home: home.clone(),
        folder: folder.to_owned(),
        // Written in one step: what cannot be read is of another program.
        journal: serde_json::from_slice(&text)?,
    };
    if !placed.is_exchanged() {
        placed.undo()?;
        return Ok(None);
    }
    let aside = folder.join(ASIDE);
    if exists(&aside) {
        fs::rename(&aside, placed.beside())?;
    }
    if exists(&folder.join(BACK)) {
        placed.revert(&|_| ())?;
        return Ok(None);
    }
    if placed.journal.plan.comes && exists(&placed.beside()) {
        carry(&placed.beside(), &placed.place())?;
    }
    placed.keep(&|_| ())?;
    Ok(Some(placed))
}

/// A kept folder and what is known of it; `None` where it is not whole.
pub fn about(entry: &Path) -> Option<About> {
    let text = fs::read(entry.join(ABOUT)).ok()?;
    let about = serde_json::from_slice(&text).ok()?;
    exists(&entry.join(FOLDER)).then_some(about)
}

/// Where the folder of a kept version lies.
pub fn folder_of(entry: &Path) -> PathBuf {
    entry.join(FOLDER)
}

/// Removes a kept folder: what is half gone is no version any more.
pub fn drop_entry(entry: &Path) -> io::Result<()> {
    match fs::remove_file(entry.join(ABOUT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir_all(entry),
    }
}

/// Folders in a folder, sorted by name; none where it is not there.
pub fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Removes an entry that holds no folder, or of which nothing is known.
fn forget(entry: &Path) -> io::Result<()> {
    match about(entry) {
        Some(_) => Ok(()),
        None if exists(entry) => fs::remove_dir_all(entry),
        None => Ok(()),
    }
}

/// Moves what is the person's from one folder of the tool to the other. Again does no harm.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    for name in PERSONAL {
        let (old, new) = (from.join(name), to.join(name));
        if !exists(&old) {
            continue;
        }
        match fs::symlink_metadata(&new) {
            Ok(data) if data.is_dir() => fs::remove_dir_all(&new)?,
            Ok(_) => fs::remove_file(&new)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        fs::rename(&old, &new)?;
    }
    for folder in [to, from] {
        atomic::sync_dir(folder)?;
    }
    Ok(())
}

fn exchange(one: &Path, other: &Path, aside: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // File systems without it: for a moment there is no tool, and a kill just then is mended.
        Err(Errno::INVAL | Errno::NOSYS) => {
            fs::rename(other, aside)?;
            fs::rename(one, other)?;
            fs::rename(aside, one)
        }
        Err(error) => Err(error.into()),
    }
}

/// The journal goes first: what is left without it is rubbish.
fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(JOURNAL)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir_all(folder),
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
