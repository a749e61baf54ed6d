//! Removes what a command left, by handles alone: whatever becomes of a path meanwhile, nothing is
//! touched but what lies in the folder that is held. No link is followed.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Folders deeper than this are first brought up, so that the depth of a tree costs no handles.
const DEEP: u32 = 32;
/// How often the top is looked at again for what was brought up.
const PASSES: u32 = 10_000;

/// A file, a link, or a folder with all that is in it. Not there is no error.
pub fn remove_at(folder: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(Errno::NOENT) => return Ok(()),
        result => return result,
    }
    let inner = open_folder(folder, name)?;
    for _ in 0..PASSES {
        if empty(inner.as_fd(), inner.as_fd(), 0, &mut 0)? == Left::Nothing {
            return rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR);
        }
    }
    Err(Errno::NOTEMPTY)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    /// Something was brought up to the top.
    More,
}

fn empty(
    top: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    depth: u32,
    moved: &mut u64,
) -> rustix::io::Result<Left> {
    let mut left = Left::Nothing;
    for name in names(folder)? {
        match rustix::fs::unlinkat(folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(errno),
        }
        let inner = open_folder(folder, &name)?;
        if depth == DEEP {
            bring_up(top, folder, &name, moved)?;
            left = Left::More;
            continue;
        }
        if empty(top, inner.as_fd(), depth + 1, moved)? == Left::More {
            left = Left::More;
        }
        rustix::fs::unlinkat(folder, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(left)
}

fn bring_up(
    top: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    name: &CStr,
    moved: &mut u64,
) -> rustix::io::Result<()> {
    loop {
        *moved += 1;
        let above = format!("moved-{moved}");
        match rustix::fs::renameat_with(folder, name, top, &above, rustix::fs::RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            result => return result,
        }
    }
}

fn names(folder: BorrowedFd<'_>) -> rustix::io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// A folder, no link; its owner may have taken his own rights away.
fn open_folder(folder: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::openat(folder, name, flags | OFlags::PATH, Mode::empty())?;
    let stat = rustix::fs::fstat(&held)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory && !mode.contains(Mode::RWXU) {
        // A handle of this kind can be changed by its number only.
        let number = format!("/proc/self/fd/{}", held.as_raw_fd());
        rustix::fs::chmod(number, mode | Mode::RWXU)?;
    }
    rustix::fs::openat(&held, c".", flags | OFlags::RDONLY, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn hold(path: &Path) -> OwnedFd {
        rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn a_tree_goes_however_deep_and_closed_and_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("beside")).unwrap();
        std::fs::write(root.join("beside/kept"), "x").unwrap();
        std::fs::create_dir(root.join("tree")).unwrap();
        symlink(root.join("beside"), root.join("tree/link")).unwrap();
        std::fs::create_dir(root.join("tree/closed")).unwrap();
        std::fs::write(root.join("tree/closed/file"), "x").unwrap();
        std::fs::set_permissions(root.join("tree/closed"), std::fs::Permissions::from_mode(0)).unwrap();
        // Deeper than a path may be long.
        let mut at = hold(&root.join("tree"));
        for _ in 0..3000 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = rustix::fs::openat(&at, "d", OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        remove_at(hold(root).as_fd(), c"tree").unwrap();
        remove_at(hold(root).as_fd(), c"tree").unwrap();
        assert!(!root.join("tree").exists() && root.join("beside/kept").exists());
        symlink(root.join("beside"), root.join("link")).unwrap();
        remove_at(hold(root).as_fd(), c"link").unwrap();
        assert!(!root.join("link").is_symlink() && root.join("beside/kept").exists());
    }
}
