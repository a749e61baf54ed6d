//! The throw-away copy of a tool's folder in which it is tried: whatever a trial does is done to the
//! copy, and the folder stays as it is, byte for byte. The tool may run meanwhile and exchange what it
//! owns for a link: the copy is made by handles.
//!
//! Deliberately not here: what the trial may reach otherwise (nothing).

#![allow(
    clippy::disallowed_methods,
    reason = "copies into a folder of the owner's own, which nobody else reads"
)]

use crate::held::{Folder, Found};
use base::{Args, Coded, DataHome, args};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Folder of the copies, in `run` of the data home.
const COPIES: &str = "trials";
/// Most that is copied; packages of a tool are some tens of megabytes.
const BYTES: u64 = 512 * 1024 * 1024;
const FILES: usize = 50_000;
/// Folders within folders: each is open while what is below it is copied.
const DEPTH: usize = 128;
/// What no code reads, or what grows.
const SKIPPED: [&str; 3] = ["logs", "run.log", ".git"];

#[derive(Debug, thiserror::Error)]
pub(super) enum CopyError {
    #[error("more than {BYTES} bytes or {FILES} files")]
    TooLarge,
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for CopyError {
    fn code(&self) -> &'static str {
        match self {
            CopyError::TooLarge => "trial_copy_too_large",
            CopyError::Io { .. } => "trial_copy_io",
        }
    }

    fn args(&self) -> Args {
        match self {
            CopyError::TooLarge => args! { bytes: BYTES, files: FILES },
            CopyError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

/// A copy, gone when this is dropped.
pub(super) struct Copy {
    pub(super) folder: PathBuf,
}

impl Drop for Copy {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.folder);
        // What stays goes when the next owner starts.
        let remove = move || drop(std::fs::remove_dir_all(folder));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

/// Removes what an owner that was killed left. Once, at start.
pub(crate) fn sweep(home: &DataHome) {
    match std::fs::remove_dir_all(home.run().join(COPIES)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "copies of tools that were tried stay");
        }
        _ => {}
    }
}

/// Copies a tool's folder. Blocking.
pub(super) fn copy(home: &DataHome, tool: &Path) -> Result<Copy, CopyError> {
    let folder = home
        .run()
        .join(COPIES)
        .join(uuid::Uuid::new_v4().simple().to_string());
    base::atomic::create_dir_all(&folder).map_err(|source| CopyError::Io {
        path: folder.clone(),
        source,
    })?;
    let copy = Copy { folder };
    let mut room = (BYTES, FILES);
    let from = Folder::open(tool).map_err(failed(tool))?;
    tree(&from, tool, &copy.folder, 0, &mut room)?;
    for own in ["data", "logs"] {
        let path = copy.folder.join(own);
        // A file in the place of a folder was found before, and stops the trial here.
        std::fs::create_dir_all(&path).map_err(|source| CopyError::Io { path, source })?;
    }
    Ok(copy)
}

/// `here` is what `from` is called, for whoever reads of a failure.
fn tree(
    from: &Folder,
    here: &Path,
    to: &Path,
    depth: usize,
    room: &mut (u64, usize),
) -> Result<(), CopyError> {
    if depth > DEPTH {
        return Err(failed(here)(rustix::io::Errno::NAMETOOLONG.into()));
    }
    let names = from.names(FILES).map_err(failed(here))?;
    for name in names.ok_or(CopyError::TooLarge)? {
        if depth == 0 && SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        room.1 = room.1.checked_sub(1).ok_or(CopyError::TooLarge)?;
        let (here, there) = (here.join(&name), to.join(&name));
        match from.find(&name).map_err(failed(&here))? {
            Found::Folder(folder) => {
                std::fs::create_dir(&there).map_err(failed(&there))?;
                tree(&folder, &here, &there, depth + 1, room)?;
            }
            Found::Link(target) => std::os::unix::fs::symlink(target, &there).map_err(failed(&there))?,
            Found::File(file) => one_file(&file, &here, &there, &mut room.0)?,
            Found::Other(_) => {}
            Found::Changed => return Err(failed(&here)(io::Error::other("changed while it was copied"))),
        }
    }
    Ok(())
}

/// Counts what came, not what was announced: the tool may be writing it.
fn one_file(file: &File, here: &Path, there: &Path, room: &mut u64) -> Result<(), CopyError> {
    let data = file.metadata().map_err(failed(here))?;
    if data.len() > *room {
        return Err(CopyError::TooLarge);
    }
    let mut options = OpenOptions::new();
    let to = options.write(true).create_new(true).mode(0o600).open(there);
    let mut to = to.map_err(failed(there))?;
    let most = room.saturating_add(1);
    let copied = io::copy(&mut file.take(most), &mut to).map_err(failed(here))?;
    *room = room.checked_sub(copied).ok_or(CopyError::TooLarge)?;
    let mode = Permissions::from_mode(data.permissions().mode() & 0o777);
    to.set_permissions(mode).map_err(failed(there))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    move |source| CopyError::Io { path, source }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::held::race;
    use std::fs;

    #[test]
    fn a_copy_has_all_but_logs_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        let tool = dir.path().join("t");
        fs::create_dir_all(tool.join("node_modules/p")).unwrap();
        fs::write(tool.join("t.tool.js"), "x").unwrap();
        fs::write(tool.join("node_modules/p/logs"), "y").unwrap();
        fs::write(tool.join("run.log"), "z").unwrap();
        std::os::unix::fs::symlink("t.tool.js", tool.join("link")).unwrap();
        let made = copy(&home, &tool).unwrap();
        let folder = made.folder.clone();
        assert_eq!(fs::read(folder.join("node_modules/p/logs")).unwrap(), b"y");
        assert_eq!(
            fs::read_link(folder.join("link")).unwrap(),
            Path::new("t.tool.js")
        );
        assert!(!folder.join("run.log").exists() && folder.join("data").is_dir());
        drop(made);
        assert!(!folder.exists() && tool.join("run.log").exists());
        let killed = std::mem::ManuallyDrop::new(copy(&home, &tool).unwrap());
        sweep(&home);
        assert!(!killed.folder.exists());
    }
    #[test]
    fn a_copy_is_never_led_out_of_the_folder() {
        let mut through = 0;
        let led_out = race::leads_out(race::TURNS, |from, to| {
            let folder = Folder::open(from).unwrap();
            let copied = tree(&folder, from, to, 0, &mut (BYTES, FILES));
            through += usize::from(copied.is_ok());
        });
        assert!(!led_out);
        assert!(through > 0, "nothing was ever copied");
    }

    #[test]
    fn a_copy_keeps_modes_and_leaves_pipes_alone() {
        let dir = tempfile::tempdir().unwrap();
        let [tool, to] = ["t", "to"].map(|name| dir.path().join(name));
        fs::create_dir_all(&tool).unwrap();
        fs::create_dir_all(&to).unwrap();
        fs::write(tool.join("run"), "x").unwrap();
        fs::set_permissions(tool.join("run"), Permissions::from_mode(0o4755)).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, tool.join("pipe"), 0o600.into()).unwrap();
        let folder = Folder::open(&tool).unwrap();
        tree(&folder, &tool, &to, 0, &mut (BYTES, FILES)).unwrap();
        let mode = fs::metadata(to.join("run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o755);
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
    }

    #[test]
    fn a_copy_has_its_limits() {
        let dir = tempfile::tempdir().unwrap();
        let [tool, to] = ["t", "to"].map(|name| dir.path().join(name));
        fs::create_dir_all(&tool).unwrap();
        fs::write(tool.join("a"), "12345").unwrap();
        fs::write(tool.join("b"), "12345").unwrap();
        let folder = Folder::open(&tool).unwrap();
        for (room, fits) in [((10, 2), true), ((9, 2), false), ((10, 1), false)] {
            fs::create_dir_all(&to).unwrap();
            let mut left = room;
            let copied = tree(&folder, &tool, &to, 0, &mut left);
            match copied {
                Ok(()) => assert!(fits, "{room:?}"),
                Err(error) => assert!(!fits && error.code() == "trial_copy_too_large", "{room:?}"),
            }
            fs::remove_dir_all(&to).unwrap();
        }
        fs::create_dir_all(tool.join("d/".repeat(DEPTH + 1))).unwrap();
        fs::create_dir_all(&to).unwrap();
        let deep = tree(&folder, &tool, &to, 0, &mut (BYTES, FILES));
        assert_eq!(deep.unwrap_err().code(), "trial_copy_io");
    }
}
