//! Writing a backup, while everything else goes on.

#![allow(
    clippy::disallowed_methods,
    reason = "a large file, renamed into place when it is whole"
)]

use super::{BackupError, DATABASE, END, End, FILES, FORMAT, HEAD, Head, LEFT_OUT, io_at};
use crate::work::blocking;
use base::{DataHome, Failure};
use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use store::Store;
use tar::{Builder, EntryType, Header, HeaderMode};

/// Files up to here are read whole before their length is written down: they may be replaced meanwhile. Longer ones
/// are logs, which only grow, and what nobody changes.
const WHOLE: u64 = 8 << 20;

/// A backup that is being written, beside where it will be. It is locked as long: one that nobody locks was left by a kill.
const BEGUN: &str = ".prompt-manager-backup-";

/// Where the copy of the database is meanwhile, below the folder of what runs.
const COPIES: &str = "backup";

/// Removes what an owner left that was killed. Called before this one makes any.
pub(crate) fn sweep(home: &DataHome) -> io::Result<()> {
    match fs::remove_dir_all(home.run().join(COPIES)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes everything to `to`, which must not exist.
pub(crate) async fn make(home: &DataHome, store: &Store, to: PathBuf) -> Result<End, Failure> {
    let root = home.root().to_owned();
    let (temp, to) = blocking({
        let root = root.clone();
        move || place(&root, to)
    })
    .await??;
    let copies = home.run().join(COPIES);
    let database = copies.join(format!("{}.db", uuid::Uuid::new_v4().simple()));
    blocking(move || base::atomic::create_dir_all(&copies).map_err(io_at(&copies))).await??;
    let copied = store.copy_to(database.clone()).await;
    let made = blocking(move || {
        let made = copied
            .map_err(BackupError::from)
            .and_then(|()| written(&root, &database, &temp, &to));
        // Best effort: what is left goes with the next start, and with the next backup.
        let _ = fs::remove_file(&database);
        if made.is_err() {
            let _ = fs::remove_file(&temp);
        }
        made
    });
    Ok(made.await??)
}

/// The temporary file beside it, and its real path.
fn place(root: &Path, to: PathBuf) -> Result<(PathBuf, PathBuf), BackupError> {
    let wrong = |kind: io::ErrorKind| io_at(&to)(kind.into());
    let name = to
        .file_name()
        .ok_or_else(|| wrong(io::ErrorKind::InvalidFilename))?;
    let folder = to
        .parent()
        .filter(|folder| folder.is_absolute())
        .ok_or_else(|| wrong(io::ErrorKind::InvalidFilename))?;
    let folder = folder.canonicalize().map_err(io_at(folder))?;
    if folder.starts_with(root) {
        return Err(BackupError::Inside(to));
    }
    sweep_begun(&folder).map_err(io_at(&folder))?;
    let temp = folder.join(format!("{BEGUN}{}", uuid::Uuid::new_v4().simple()));
    let to = folder.join(name);
    match fs::symlink_metadata(&to) {
        Ok(_) => Err(BackupError::Exists(to)),
        Err(_) => Ok((temp, to)),
    }
}

/// Removes backups in the folder that were begun and are written by nobody.
fn sweep_begun(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(BEGUN) || !entry.file_type()?.is_file() {
            continue;
        }
        // Another person's, in a folder that many write to.
        let Ok(file) = File::open(entry.path()) else {
            continue;
        };
        if file.try_lock().is_ok() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn written(root: &Path, database: &Path, temp: &Path, to: &Path) -> Result<End, BackupError> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(temp)
        .map_err(io_at(temp))?;
    // It holds as long as the file is open; memory sticks whose file system knows no locks are written to without.
    let _ = file.try_lock();
    // Pictures are most of it, and do not get smaller: speed counts.
    let packed = GzEncoder::new(BufWriter::with_capacity(1 << 18, file), Compression::fast());
    let mut making = Making {
        root,
        archive: Builder::new(packed),
        end: End::default(),
        temp,
    };
    let head = Head {
        backup: FORMAT,
        home: base::home::FORMAT,
        made: base::clock::iso_utc(base::clock::now_ms()),
    };
    making.note(HEAD, &head)?;
    making.folder(Path::new(""))?;
    making.file(Path::new(DATABASE), database)?;
    let end = making.end;
    making.note(END, &end)?;
    let written = making.archive.into_inner().and_then(GzEncoder::finish);
    written
        .and_then(|buffer| buffer.into_inner().map_err(io::IntoInnerError::into_error))
        .and_then(|file| file.sync_all())
        .and_then(|()| into_place(temp, to))
        .map_err(io_at(to))?;
    Ok(end)
}

/// Over nothing that came there meanwhile, where the file system can say so: those of memory sticks cannot.
fn into_place(temp: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, temp, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) if !to.exists() => fs::rename(temp, to)?,
        other => other?,
    }
    match to.parent() {
        Some(folder) => base::atomic::sync_dir(folder),
        None => Ok(()),
    }
}

struct Making<'a, W: Write> {
    root: &'a Path,
    archive: Builder<W>,
    end: End,
    temp: &'a Path,
}

impl<W: Write> Making<'_, W> {
    /// What the archive says of itself.
    fn note(&mut self, name: &str, value: &impl serde::Serialize) -> Result<(), BackupError> {
        let text = serde_json::to_vec(value).map_err(|error| io_at(self.temp)(error.into()))?;
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_size(text.len() as u64);
        let written = self.archive.append_data(&mut header, name, &*text);
        written.map_err(io_at(self.temp))
    }

    /// Everything below `path`, which is relative to the data home.
    fn folder(&mut self, path: &Path) -> Result<(), BackupError> {
        let folder = self.root.join(path);
        let mut names = match fs::read_dir(&folder) {
            Ok(entries) => entries
                .map(|entry| entry.map(|entry| entry.file_name()))
                .collect::<Result<Vec<_>, _>>()
                .map_err(io_at(&folder))?,
            Err(error) => return gone(&folder, error),
        };
        names.sort_unstable();
        for name in names {
            let path = path.join(name);
            if !LEFT_OUT.iter().any(|left_out| Path::new(left_out) == path) {
                self.entry(&path)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path) -> Result<(), BackupError> {
        let from = self.root.join(path);
        let about = match fs::symlink_metadata(&from) {
            Ok(about) => about,
            Err(error) => return gone(&from, error),
        };
        if about.is_file() {
            return self.file(path, &from);
        }
        let mut header = header_of(&about);
        if about.is_symlink() {
            let target = match fs::read_link(&from) {
                Ok(target) => target,
                Err(error) => return gone(&from, error),
            };
            header.set_entry_type(EntryType::Symlink);
            header.set_size(0);
            self.end.files += 1;
            let written = self.archive.append_link(&mut header, inside(path), target);
            return written.map_err(io_at(self.temp));
        }
        // Sockets and pipes belong to who has them open.
        if !about.is_dir() {
            return Ok(());
        }
        header.set_entry_type(EntryType::Directory);
        header.set_size(0);
        let written = self.archive.append_data(&mut header, inside(path), io::empty());
        written.map_err(io_at(self.temp))?;
        self.folder(path)
    }

    fn file(&mut self, path: &Path, from: &Path) -> Result<(), BackupError> {
        let opened = OpenOptions::new()
            .read(true)
            // It may have become a link or a pipe since it was looked at.
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
            .open(from);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) => return gone(from, error),
        };
        let about = file.metadata().map_err(io_at(from))?;
        if !about.is_file() {
            return Ok(());
        }
        let mut header = header_of(&about);
        self.end.files += 1;
        if about.len() > WHOLE {
            return self.long(path, from, file, header);
        }
        let mut content = Vec::new();
        let read = Read::by_ref(&mut file).take(2 * WHOLE).read_to_end(&mut content);
        if read.map_err(io_at(from))? as u64 == 2 * WHOLE {
            return Err(BackupError::Changed(from.to_owned()));
        }
        header.set_size(content.len() as u64);
        self.end.bytes += content.len() as u64;
        let written = self.archive.append_data(&mut header, inside(path), &*content);
        written.map_err(io_at(self.temp))
    }

    /// As much of it as there was at the beginning.
    fn long(&mut self, path: &Path, from: &Path, file: File, mut header: Header) -> Result<(), BackupError> {
        let length = header.size().map_err(io_at(from))?;
        self.end.bytes += length;
        let mut content = Counted {
            content: file.take(length),
            failed: None,
        };
        let written = self.archive.append_data(&mut header, inside(path), &mut content);
        match content.failed {
            Some(error) => Err(io_at(from)(error)),
            None if content.content.limit() > 0 && written.is_ok() => {
                Err(BackupError::Changed(from.to_owned()))
            }
            None => written.map_err(io_at(self.temp)),
        }
    }
}

/// Tells a failure to read from one to write.
struct Counted {
    content: io::Take<File>,
    failed: Option<io::Error>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read(buffer).map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

/// What is removed meanwhile is not in the data home any more; everything else must be in its backup.
fn gone(path: &Path, error: io::Error) -> Result<(), BackupError> {
    match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(io_at(path)(error)),
    }
}

/// Mode, times and length.
fn header_of(about: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    header.set_metadata_in_mode(about, HeaderMode::Complete);
    header
}

fn inside(path: &Path) -> PathBuf {
    Path::new(FILES).join(path)
}
