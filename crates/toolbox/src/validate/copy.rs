//! The throw-away copy of a tool's folder in which it is tried: whatever a trial does is done to the
//! copy, and the folder stays as it is, byte for byte.
//!
//! Deliberately not here: what the trial may reach otherwise (nothing).

#![allow(
    clippy::disallowed_methods,
    reason = "copies into a folder of the owner's own, which nobody else reads"
)]

use base::{Args, Coded, DataHome, args};
use std::io;
use std::path::{Path, PathBuf};

/// Folder of the copies, in `run` of the data home.
const COPIES: &str = "trials";
/// Most that is copied; packages of a tool are some tens of megabytes.
const BYTES: u64 = 512 * 1024 * 1024;
const FILES: usize = 50_000;
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
    tree(tool, &copy.folder, true, &mut room)?;
    for own in ["data", "logs"] {
        let path = copy.folder.join(own);
        // A file in the place of a folder was found before, and stops the trial here.
        std::fs::create_dir_all(&path).map_err(|source| CopyError::Io { path, source })?;
    }
    Ok(copy)
}

fn tree(from: &Path, to: &Path, top: bool, room: &mut (u64, usize)) -> Result<(), CopyError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CopyError::Io { path, source }
    };
    for entry in std::fs::read_dir(from).map_err(failed(from))? {
        let entry = entry.map_err(failed(from))?;
        let name = entry.file_name();
        if top && SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        let (here, there) = (entry.path(), to.join(&name));
        let data = entry.metadata().map_err(failed(&here))?;
        let size = if data.is_file() { data.len() } else { 0 };
        *room = match (room.0.checked_sub(size), room.1.checked_sub(1)) {
            (Some(bytes), Some(files)) => (bytes, files),
            _ => return Err(CopyError::TooLarge),
        };
        if data.is_dir() {
            std::fs::create_dir(&there).map_err(failed(&there))?;
            tree(&here, &there, false, room)?;
        } else if data.is_symlink() {
            let target = std::fs::read_link(&here).map_err(failed(&here))?;
            std::os::unix::fs::symlink(target, &there).map_err(failed(&there))?;
        } else if data.is_file() {
            std::fs::copy(&here, &there).map_err(failed(&here))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
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
}
