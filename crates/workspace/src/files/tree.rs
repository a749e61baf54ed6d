//! Whole trees below open folders: how large, copied to another file system, removed. Names are
//! opened one by one and links are never followed.

use super::place::{kind_of, stat};
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Folders within folders that are copied or removed; each holds handles open.
const DEEPEST: usize = 200;

/// Bytes of the files in what a name names, itself or below.
pub(crate) fn measure(dir: &Dir, name: &str) -> io::Result<u64> {
    let mut total = 0;
    visit(dir, OsStr::new(name), 0, &mut |_, _, size| total += size)?;
    Ok(total)
}

fn visit(dir: &Dir, name: &OsStr, depth: usize, show: &mut dyn FnMut(&Dir, &OsStr, u64)) -> io::Result<()> {
    let found = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    match kind_of(&found) {
        FileType::RegularFile => show(dir, name, u64::try_from(found.st_size).unwrap_or(0)),
        FileType::Directory => {
            let below = open_below(dir, name, depth)?;
            for entry in below.entries()? {
                visit(&below, &entry?.file_name(), depth + 1, show)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Copies what `name` names to `new_name`, which must not exist: files with their permissions, links
/// as links. Pipes, sockets and devices cannot be copied.
pub(crate) fn copy_tree(from: &Dir, name: &str, to: &Dir, new_name: &str) -> io::Result<()> {
    copy(from, OsStr::new(name), to, OsStr::new(new_name), 0)?;
    Ok(rustix::fs::fsync(to)?)
}

fn copy(from: &Dir, name: &OsStr, to: &Dir, new_name: &OsStr, depth: usize) -> io::Result<()> {
    let found = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let mode = Mode::from_raw_mode(found.st_mode & 0o1777);
    match kind_of(&found) {
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let mut source = std::fs::File::from(rustix::fs::openat(from, name, flags, Mode::empty())?);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut target = std::fs::File::from(rustix::fs::openat(
                to,
                new_name,
                flags,
                Mode::from_raw_mode(0o600),
            )?);
            if !source.metadata()?.is_file() {
                return Err(io::Error::other("exchanged while it was copied"));
            }
            io::copy(&mut source, &mut target)?;
            rustix::fs::fchmod(&target, mode)?;
            target.sync_all()
        }
        FileType::Directory => {
            let below = open_below(from, name, depth)?;
            rustix::fs::mkdirat(to, new_name, Mode::from_raw_mode(0o700))?;
            let target = open_below(to, new_name, depth)?;
            for entry in below.entries()? {
                let name = entry?.file_name();
                copy(&below, &name, &target, &name, depth + 1)?;
            }
            rustix::fs::fchmod(&target, mode)?;
            Ok(rustix::fs::fsync(&target)?)
        }
        FileType::Symlink => {
            let target = rustix::fs::readlinkat(from, name, Vec::new())?;
            Ok(rustix::fs::symlinkat(target, to, new_name)?)
        }
        _ => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a pipe, a socket or a device cannot be copied to another file system",
        )),
    }
}

/// Removes what a name names, itself and below; nothing there is fine.
pub(crate) fn remove_tree(dir: &Dir, name: &str) -> io::Result<()> {
    if stat(dir, name)?.is_none() {
        return Ok(());
    }
    remove(dir, OsStr::new(name), 0)?;
    Ok(rustix::fs::fsync(dir)?)
}

fn remove(dir: &Dir, name: &OsStr, depth: usize) -> io::Result<()> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        done => return Ok(done?),
    }
    // A folder without permissions of its own could not be emptied.
    let below = match open_below(dir, name, depth) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            rustix::fs::chmodat(dir, name, Mode::from_raw_mode(0o700), AtFlags::empty())?;
            open_below(dir, name, depth)?
        }
        opened => opened?,
    };
    let names = below.entries()?.map(|entry| Ok(entry?.file_name()));
    // Read before anything goes: an emptied folder may otherwise pass names over.
    for name in names.collect::<io::Result<Vec<OsString>>>()? {
        remove(&below, &name, depth + 1)?;
    }
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

fn open_below(dir: &Dir, name: &OsStr, depth: usize) -> io::Result<Dir> {
    if depth > DEEPEST {
        let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
        return Err(io::Error::other(format!("folders are nested too deep: {name}")));
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::openat(dir, name, flags, Mode::empty())?;
    Ok(Dir::from_std_file(handle.into()))
}
