//! A tool's folder is exchanged for another one, whole, whatever moment the process is killed at.
//!
//! Everything that is under way lies in one folder of `toolbox/.changes`. What comes is made there (`tool`); then
//! one file (`change.json`) says what is to become of both folders; the two are exchanged in one step; what is the
//! person's own is carried over; what was there before goes to its place among the versions or into the trash; the
//! folder of the change goes last. [`recover`] tells by the inodes of what came and of what was there how far that
//! was: exchanged, and the rest is done; or not, and all is as it was. Nothing is removed that was a tool's folder,
//! or the person's, and is not known to be elsewhere.
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
pub(super) const FOLDER: &str = "tool";
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
    /// Of what was there.
    before: Option<u64>,
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
    let before = inode_of(&home.tool(&plan.tool))?;
    let placed = Placed {
        home: home.clone(),
        folder: staging.folder.clone(),
        journal: Journal { plan, inode, before },
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
        // Of its steps the last may be the one that failed.
        placed.take_back(phase)?;
        return Err(error);
    }
    if placed.journal.plan.comes && exists(&tool)? {
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
            && exists(&beside)?
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
        if self.journal.plan.goes != Goes::Away && exists(&self.beside())? {
            return Err(io::Error::other("what was there before is not kept yet"));
        }
        clear(&self.folder)
    }

    /// Whatever step failed: all is to be as it was.
    pub(super) fn take_back(self, phase: Phase<'_>) -> io::Result<()> {
        self.settle_aside()?;
        match self.is_exchanged()? {
            true => self.revert(phase),
            false => self.undo(),
        }
    }

    /// Where two folders are exchanged in three steps, the one between them: forth or back, it was on its way
    /// to whichever place is free.
    fn settle_aside(&self) -> io::Result<()> {
        let aside = self.folder.join(ASIDE);
        if !exists(&aside)? {
            return Ok(());
        }
        for free in [self.place(), self.beside()] {
            if !exists(&free)? {
                return fs::rename(&aside, &free);
            }
        }
        Err(io::Error::other("three folders for two places"))
    }

    /// Undoes the exchange: what was there before is there again, with what is the person's.
    pub fn revert(self, phase: Phase<'_>) -> io::Result<()> {
        phase(BACK);
        // From here on nobody goes forward again, whoever goes on.
        atomic::write(&self.folder.join(BACK), b"", Access::Private)?;
        let (place, beside) = (self.place(), self.beside());
        if self.journal.plan.comes && exists(&beside)? {
            carry(&place, &beside)?;
        }
        match (exists(&beside)?, exists(&place)?) {
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
        let beside = self.beside();
        let lies_beside = inode_of(&beside)?;
        if lies_beside.is_some() && lies_beside != self.journal.inode {
            return Err(io::Error::other("what was there before is not in its place"));
        }
        if let Some(entry) = &self.journal.plan.from
            && lies_beside.is_some()
        {
            let back = self.home.root().join(entry).join(FOLDER);
            fs::rename(&beside, &back)?;
        }
        clear(&self.folder)
    }

    fn exchange(&self) -> io::Result<()> {
        let (place, beside) = (self.place(), self.beside());
        match (self.journal.plan.comes, exists(&place)?) {
            (true, true) => exchange(&beside, &place, &self.folder.join(ASIDE))?,
            (true, false) => {
                match rustix::fs::renameat_with(CWD, &beside, CWD, &place, RenameFlags::NOREPLACE) {
                    // File systems without it replace an empty folder, and no other.
                    Err(Errno::INVAL | Errno::NOSYS) => fs::rename(&beside, &place)?,
                    done => done?,
                }
            }
            (false, _) => fs::rename(&place, &beside)?,
        }
        atomic::sync_dir(&self.home.toolbox())
    }

    /// Whether what came is in its place, or was, and what was there has left it.
    fn is_exchanged(&self) -> io::Result<bool> {
        let (there, beside) = (inode_of(&self.place())?, inode_of(&self.beside())?);
        Ok(match self.journal.inode {
            Some(came) => there == Some(came) || beside.is_some_and(|beside| beside != came),
            None => there != self.journal.before,
        })
    }

    /// Whether what came is there still, and not what came after it.
    fn is_there(&self) -> io::Result<bool> {
        Ok(self.journal.inode.is_some() && inode_of(&self.place())? == self.journal.inode)
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
    // Entries whose folder has left them, or never came; not while a change is not in order, which may need them.
    if folders(&home.tool_changes())?.len() == unfinished.len() {
        let mut entries = folders(&home.tool_trash())?;
        for tool in folders(&home.tool_backups())? {
            entries.extend(folders(&tool)?);
        }
        for entry in entries {
            if let Err(error) = forget(&entry) {
                tracing::error!(entry = %entry.display(), %error, "a kept version is not in order");
            }
        }
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
    placed.settle_aside()?;
    if !placed.is_exchanged()? {
        placed.undo()?;
        return Ok(None);
    }
    if exists(&folder.join(BACK))? {
        placed.revert(&|_| ())?;
        return Ok(None);
    }
    if placed.is_there()? && exists(&placed.beside())? {
        carry(&placed.beside(), &placed.place())?;
    }
    placed.keep(&|_| ())?;
    Ok(Some(placed))
}

/// A kept folder and what is known of it; `None` where it is not whole or cannot be read.
pub fn about(entry: &Path) -> Option<About> {
    let read = || -> io::Result<Option<About>> {
        let about = serde_json::from_slice(&fs::read(entry.join(ABOUT))?)?;
        Ok(exists(&entry.join(FOLDER))?.then_some(about))
    };
    read().unwrap_or_else(|error| {
        tracing::warn!(entry = %entry.display(), %error, "a kept version cannot be read");
        None
    })
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

/// Removes an entry that holds no folder, or one that was being dropped. What only cannot be read stays.
fn forget(entry: &Path) -> io::Result<()> {
    let is_whole = exists(&entry.join(FOLDER))? && exists(&entry.join(ABOUT))?;
    match !is_whole && exists(entry)? {
        true => fs::remove_dir_all(entry),
        false => Ok(()),
    }
}

/// Moves what is the person's from one folder of the tool to the other. Again does no harm: what is there already
/// was carried before, and what was made since where it came from stays behind.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    for name in PERSONAL {
        let (old, new) = (from.join(name), to.join(name));
        if !exists(&old)? {
            continue;
        }
        match fs::remove_dir(&new) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory
                ) =>
            {
                tracing::warn!(there = %new.display(), "is there already, and is not replaced");
                continue;
            }
            Err(error) => return Err(error),
        }
        fs::rename(&old, &new)?;
    }
    for folder in [to, from] {
        atomic::sync_dir(folder)?;
    }
    Ok(())
}

pub(crate) fn exchange(one: &Path, other: &Path, aside: &Path) -> io::Result<()> {
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

/// What only cannot be looked at is not taken for absent.
fn exists(path: &Path) -> io::Result<bool> {
    Ok(inode_of(path)?.is_some())
}

fn inode_of(path: &Path) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(data) => Ok(Some(data.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
