//! Tools of the old layout, `tools/{tool}` of the data home, come into the toolbox once (seed 002 section 10).
//!
//! The old folder, as it is, becomes the backup: it is moved among the backups in one step, and what comes into the
//! toolbox is a copy of it, with data and `.env` and without installed packages. What was done is written down
//! before it is, so that the next start ends what a kill left, and so that it can be undone: then the folder moves
//! back to where it was, and what has become of the tool since goes into the trash.
//!
//! Deliberately not here: tools whose place is taken. They are named and left where they are.

#![allow(
    clippy::disallowed_methods,
    reason = "moves folders of the old layout; copies into a folder that nobody sees yet"
)]

use super::place::{self, Goes, Plan, Staging};
use crate::held::{Folder, Found};
use base::DataHome;
use base::atomic::{self, Access};
use base::clock;
use base::name::ToolName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const RECORD: &str = "record.json";
/// Of one tool.
const FILES_MOST: usize = 100_000;
const DEPTH: usize = 64;
const TOOLS_MOST: usize = 10_000;
/// Installed again when it runs.
const PACKAGES: &str = "node_modules";

/// Steps of one tool in their order, for whoever watches. Tests end it there.
pub(crate) type Phase<'p> = &'p dyn Fn(&'static str);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum State {
    Moving,
    Moved,
    /// There is a tool of this name, or one comes with the program: it was left where it is.
    Taken,
    /// It holds no `{tool}.tool.js`.
    NoTool,
    Failed {
        reason: String,
    },
    Undoing,
    Undone,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldTool {
    #[serde(flatten)]
    pub state: State,
    /// Milliseconds since the epoch.
    pub at: i64,
}

/// What became of each folder of the old layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Migration {
    pub tools: BTreeMap<ToolName, OldTool>,
}

/// Where tools of the old layout lie.
fn old(home: &DataHome) -> PathBuf {
    home.root().join("tools")
}

/// Where their folders are kept.
pub fn backup(home: &DataHome) -> PathBuf {
    home.backups().join("old-layout")
}

impl Migration {
    /// Blocking.
    pub fn load(home: &DataHome) -> io::Result<Migration> {
        match fs::read(backup(home).join(RECORD)) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Migration::default()),
            Err(error) => Err(error),
        }
    }

    fn note(&mut self, home: &DataHome, tool: &ToolName, state: State) -> io::Result<()> {
        let at = clock::now_ms();
        self.tools.insert(tool.clone(), OldTool { state, at });
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        atomic::write_with_dirs(&backup(home).join(RECORD), &bytes, Access::Shared)
    }

    fn state(&self, tool: &ToolName) -> Option<&State> {
        self.tools.get(tool).map(|tool| &tool.state)
    }
}

/// Names of folders of the old layout. A link is none.
pub(crate) fn names(home: &DataHome) -> io::Result<Vec<ToolName>> {
    let old = old(home);
    if !fs::symlink_metadata(&old).is_ok_and(|data| data.is_dir()) {
        return Ok(Vec::new());
    }
    let found = place::folders(&old)?.into_iter().take(TOOLS_MOST);
    let named = found.filter_map(|path| ToolName::parse(path.file_name()?.to_str()?).ok());
    Ok(named.collect())
}

/// Brings in what has not been looked at yet, and ends what a kill left. Gives back which tools are new here.
/// Blocking; before anybody looks at tools, and after changes of tools are in order.
pub(crate) fn run(home: &DataHome, comes: &dyn Fn(&ToolName) -> bool) -> io::Result<Vec<ToolName>> {
    let mut record = Migration::load(home)?;
    let mut moved = Vec::new();
    let unfinished = record
        .tools
        .iter()
        .filter(|(_, tool)| matches!(tool.state, State::Moving | State::Undoing));
    let mut all: Vec<ToolName> = unfinished.map(|(name, _)| name.clone()).collect();
    all.extend(
        names(home)?
            .into_iter()
            .filter(|name| record.state(name).is_none()),
    );
    for tool in all {
        let done = match record.state(&tool) {
            Some(State::Undoing) => put_back(home, &mut record, &tool, &|_| ()).map(|()| false),
            _ => bring(home, &mut record, &tool, comes, &|_| ()),
        };
        match done {
            Ok(true) => moved.push(tool),
            Ok(false) => {}
            Err(error) => tracing::error!(%tool, %error, "a tool of the old layout is not in order"),
        }
    }
    Ok(moved)
}

/// Brings one tool in. Whether it came.
pub(crate) fn bring(
    home: &DataHome,
    record: &mut Migration,
    tool: &ToolName,
    comes: &dyn Fn(&ToolName) -> bool,
    phase: Phase<'_>,
) -> io::Result<bool> {
    let (from, kept, to) = (
        old(home).join(tool.as_str()),
        backup(home).join(tool.as_str()),
        home.tool(tool),
    );
    if record.state(tool) != Some(&State::Moving) {
        // By its record it can be taken back: nothing that lies there since changes that.
        if matches!(record.state(tool), Some(State::Moved | State::Undoing)) {
            return Ok(false);
        }
        let state = match () {
            () if comes(tool) || to.exists() || kept.exists() => State::Taken,
            () if !fs::symlink_metadata(from.join(tool.main_file())).is_ok_and(|data| data.is_file()) => {
                State::NoTool
            }
            () => State::Moving,
        };
        phase("note");
        record.note(home, tool, state.clone())?;
        if state != State::Moving {
            tracing::warn!(%tool, ?state, "a tool of the old layout stays where it is");
            return Ok(false);
        }
    }
    if !kept.exists() {
        phase("keep");
        fs::rename(&from, &kept)?;
        for folder in [old(home), backup(home)] {
            atomic::sync_dir(&folder)?;
        }
    }
    // What is there under its name came just before a kill: nothing was there before.
    if !to.exists()
        && let Err(error) = place_copy(home, tool, &kept, phase)
    {
        // As it was.
        fs::rename(&kept, &from)?;
        record.note(
            home,
            tool,
            State::Failed {
                reason: error.to_string(),
            },
        )?;
        return Err(error);
    }
    phase("moved");
    record.note(home, tool, State::Moved)?;
    // Goes when it is empty.
    let _ = fs::remove_dir(old(home));
    Ok(true)
}

fn place_copy(home: &DataHome, tool: &ToolName, kept: &Path, phase: Phase<'_>) -> io::Result<()> {
    let staging = Staging::new(home)?;
    let mut room = FILES_MOST;
    fs::create_dir(staging.tool())?;
    copy(&Folder::open(kept)?, &staging.tool(), 0, &mut room)?;
    crate::sync::prepare_folder(&staging.tool())?;
    let plan = Plan {
        tool: tool.clone(),
        comes: true,
        from: None,
        goes: Goes::Away,
        rights: None,
    };
    let placed = place::put(home, staging, plan, &|step| {
        // Its own steps are killed by tests of their own.
        tracing::debug!(step, "a tool of the old layout comes");
    })?;
    phase("placed");
    placed.keep(&|_| ())?;
    placed.clear(&|_| ())
}

/// Links are left: where they led is not known to be the person's.
fn copy(from: &Folder, to: &Path, depth: usize, room: &mut usize) -> io::Result<()> {
    let too_much = || io::Error::other(format!("more than {FILES_MOST} files"));
    if depth > DEPTH {
        return Err(too_much());
    }
    for name in from.names(FILES_MOST)?.ok_or_else(too_much)? {
        if depth == 0 && name == PACKAGES {
            continue;
        }
        *room = room.checked_sub(1).ok_or_else(too_much)?;
        let there = to.join(&name);
        match from.find(&name)? {
            Found::Folder(folder) => {
                fs::create_dir(&there)?;
                copy(&folder, &there, depth + 1, room)?;
            }
            Found::File(mut file) => {
                let mode = file.metadata()?.permissions().mode() & 0o777;
                let mut made = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(&there)?;
                io::copy(&mut file, &mut made)?;
                made.set_permissions(fs::Permissions::from_mode(mode | 0o600))?;
            }
            _ => tracing::warn!(path = %there.display(), "is no file, and is not taken along"),
        }
    }
    Ok(())
}

/// Notes that a tool is on its way back; the caller takes it out of the toolbox then.
/// Not begun when it could not be ended: its place is taken, or the folder is gone.
pub(crate) fn begin_back(home: &DataHome, record: &mut Migration, tool: &ToolName) -> io::Result<()> {
    let (back, kept) = (old(home).join(tool.as_str()), backup(home).join(tool.as_str()));
    match (kept.exists(), fs::symlink_metadata(&back).is_ok()) {
        (true, true) => {
            let taken = format!("{} is there again", back.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, taken));
        }
        (false, false) => {
            let gone = format!("{} is gone", kept.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, gone));
        }
        _ => {}
    }
    record.note(home, tool, State::Undoing)
}

/// Moves the folder back to where it was, if the toolbox has no such tool any more; otherwise the tool stays.
pub(crate) fn put_back(
    home: &DataHome,
    record: &mut Migration,
    tool: &ToolName,
    phase: Phase<'_>,
) -> io::Result<()> {
    let (back, kept) = (old(home).join(tool.as_str()), backup(home).join(tool.as_str()));
    if kept.exists() {
        if home.tool(tool).join(tool.main_file()).exists() {
            return record.note(home, tool, State::Moved);
        }
        atomic::create_dir_all(&old(home))?;
        phase("back");
        // Onto what somebody made there meanwhile it does not go.
        fs::rename(&kept, &back)?;
        for folder in [old(home), backup(home)] {
            atomic::sync_dir(&folder)?;
        }
    }
    phase("undone");
    record.note(home, tool, State::Undone)
}
