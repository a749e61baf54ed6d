//! The one way a file of the data home is written: a temporary file beside it, fsync, rename,
//! fsync of the folder. After a kill at any moment the file is the old one or the new one, whole.

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door that the lint points to"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Who may read the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// 0644 before the umask.
    Shared,
    /// 0600: secrets.
    Private,
    /// Exactly these permissions: those of the file that it replaces.
    Mode(u32),
}

/// Temporary files carry this in their names; [`sweep`] removes what a kill left behind.
const TEMP_MARK: &str = ".pm-tmp-";

/// Writes `bytes` to `path` atomically and durably. The folder must exist.
pub fn write(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let (folder, temp) = temp_beside(path)?;
    let mode = match access {
        Access::Shared => 0o644,
        Access::Private | Access::Mode(_) => 0o600,
    };
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&temp)?;
        file.write_all(bytes)?;
        if let Access::Mode(mode) = access {
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()?;
        fs::rename(&temp, path)
    })();
    if let Err(error) = written {
        // Best effort: the caller gets the first error, the sweep gets the rest.
        let _ = fs::remove_file(&temp);
        return Err(error);
    }
    sync_dir(&folder)
}

/// Like [`write`], creating missing folders first.
pub fn write_with_dirs(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_dir_all(folder)?;
    }
    write(path, bytes, access)
}

/// Creates a folder and its parents and makes the new entries durable.
pub fn create_dir_all(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    match folder.parent() {
        Some(parent) if parent.is_dir() => sync_dir(parent),
        _ => Ok(()),
    }
}

/// Makes renames and creations in a folder durable.
pub fn sync_dir(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes temporary files that a kill left in `folder` (not in its sub-folders).
pub fn sweep(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().contains(TEMP_MARK) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn temp_beside(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "path has no file name"))?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let temp = folder.join(format!(
        ".{}{TEMP_MARK}{}",
        name.to_string_lossy(),
        uuid::Uuid::new_v4().simple()
    ));
    Ok((folder, temp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn replaces_whole_and_sets_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.json");
        write_with_dirs(&path, b"one", Access::Private).unwrap();
        write(&path, b"two", Access::Private).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "no temporary file left"
        );
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_temp() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x"), "").unwrap();
        assert!(
            write(&path, b"bytes", Access::Shared).is_err(),
            "a folder cannot be replaced by a file"
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn sweep_removes_only_leftovers() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(format!(".a.json{TEMP_MARK}1")), "half").unwrap();
        fs::write(dir.path().join("a.json"), "whole").unwrap();
        assert_eq!(sweep(dir.path()).unwrap(), 1);
        assert_eq!(fs::read(dir.path().join("a.json")).unwrap(), b"whole");
    }
}
