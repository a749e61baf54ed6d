//! Where git would find a repository in a workspace, and what in each of them runs programs in the
//! hands of whoever uses git there.
//!
//! A repository is told by its shape, not by its name: git also takes a folder that looks like one
//! (`bare`), one below `.git/modules`, and what a file called `.git` points to. Settings are judged
//! by a list of those that are known to run nothing; all others count.
//!
//! The search is bounded: what is too deep, or lies behind too many other files, is not found.

use super::settings;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::{CStr, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders on the way down, and names looked at in all.
const DEPTH: usize = 8;
const NAMES: usize = 20_000;
/// Repositories in one workspace.
const MOST: usize = 64;
/// Things said about one repository.
const SAID: usize = 16;
/// Bytes of a file with settings.
const SETTINGS: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Repository,
    /// The part of a linked worktree that lies with its repository.
    Linked,
    /// A file that says where the repository is.
    Pointer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Below the workspace.
    pub place: PathBuf,
    pub shape: Shape,
    /// What runs programs: names of settings, files of hooks.
    pub dangers: BTreeSet<String>,
}

/// Blocks shortly. Parents stand before what is in them.
pub fn search(workspace: BorrowedFd<'_>) -> Vec<Seen> {
    let (mut seen, mut left) = (Vec::new(), NAMES);
    let mut queue = VecDeque::from([PathBuf::new()]);
    while let Some(place) = queue.pop_front() {
        let Some(folder) = open_below(workspace, &place) else {
            continue;
        };
        let Some(names) = names(folder.as_fd(), &mut left) else {
            return seen;
        };
        let has = |name: &str| names.iter().any(|(found, _)| found.to_bytes() == name.as_bytes());
        let shape = shape(&place, has);
        if let Some(shape) = shape {
            seen.push(Seen {
                dangers: dangers(folder.as_fd(), shape),
                place: place.clone(),
                shape,
            });
        }
        for (name, kind) in &names {
            let below = place.join(OsStr::from_bytes(name.to_bytes()));
            match kind {
                FileType::Directory if goes_on(&place, shape, name) && below.iter().count() <= DEPTH => {
                    queue.push_back(below);
                }
                FileType::RegularFile if name.as_c_str() == c".git" => seen.push(Seen {
                    place: below,
                    shape: Shape::Pointer,
                    dangers: BTreeSet::new(),
                }),
                FileType::Symlink if name.as_c_str() == c".git" => seen.push(Seen {
                    place: below,
                    shape: Shape::Pointer,
                    dangers: BTreeSet::from([".git -> ?".to_owned()]),
                }),
                _ => {}
            }
        }
        if seen.len() >= MOST {
            seen.truncate(MOST);
            return seen;
        }
    }
    seen
}

fn shape(place: &Path, has: impl Fn(&str) -> bool) -> Option<Shape> {
    let named = place.file_name() == Some(OsStr::new(".git"));
    if has("commondir") && has("gitdir") {
        return Some(Shape::Linked);
    }
    let looks = has("objects") && has("refs") && (has("config") || has("hooks") || has("config.worktree"));
    (named || looks).then_some(Shape::Repository)
}

/// Of a repository's own folders only those that hold other repositories.
fn goes_on(place: &Path, shape: Option<Shape>, name: &CStr) -> bool {
    let inside = place.iter().any(|part| part == ".git");
    let name = name.to_bytes();
    match (shape, inside) {
        (Some(_), true) => name == b"modules" || name == b"worktrees",
        (Some(_), false) => name != b"objects" && name != b"refs",
        (None, _) => true,
    }
}

pub fn open_below(workspace: BorrowedFd<'_>, place: &Path) -> Option<OwnedFd> {
    let place = if place.as_os_str().is_empty() {
        Path::new(".")
    } else {
        place
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    rustix::fs::openat2(workspace, place, flags, Mode::empty(), resolve).ok()
}

/// The workspace itself, for [`search`].
pub fn open(workspace: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat2(CWD, workspace, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

type Names = Vec<(std::ffi::CString, FileType)>;

/// Nothing when there are too many.
fn names(folder: BorrowedFd<'_>, left: &mut usize) -> Option<Names> {
    let mut names = Names::new();
    for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        *left = left.checked_sub(1)?;
        let kind = match entry.file_type() {
            FileType::Unknown => kind_of(folder, name),
            kind => kind,
        };
        names.push((name.to_owned(), kind));
    }
    Some(names)
}

fn kind_of(folder: BorrowedFd<'_>, name: &CStr) -> FileType {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}

fn dangers(folder: BorrowedFd<'_>, shape: Shape) -> BTreeSet<String> {
    let mut said = BTreeSet::new();
    for file in [c"config", c"config.worktree"] {
        let name = file.to_string_lossy();
        match kind_of(folder, file) {
            FileType::RegularFile => match read(folder, file) {
                Some(text) => said.extend(settings::that_run(&text).map(|key| format!("{name}: {key}"))),
                None => drop(said.insert(name.into_owned())),
            },
            FileType::Unknown => {}
            _ => drop(said.insert(name.into_owned())),
        }
    }
    if shape == Shape::Repository && kind_of(folder, c"commondir") != FileType::Unknown {
        said.insert("commondir".to_owned());
    }
    match kind_of(folder, c"hooks") {
        FileType::Directory => said.extend(hooks(folder)),
        FileType::Symlink => drop(said.insert("hooks".to_owned())),
        _ => {}
    }
    said.into_iter().take(SAID).collect()
}

fn hooks(folder: BorrowedFd<'_>) -> Vec<String> {
    let Some(hooks) = open_below(folder, Path::new("hooks")) else {
        return vec!["hooks".to_owned()];
    };
    let runs = |name: &CStr| {
        let stat = rustix::fs::statat(&hooks, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => stat.st_mode & 0o111 != 0,
            FileType::Symlink => true,
            _ => false,
        })
    };
    let Some(names) = names(hooks.as_fd(), &mut 1000) else {
        return vec!["hooks".to_owned()];
    };
    let real = names.iter().map(|(name, _)| name);
    real.filter(|name| !name.to_bytes().ends_with(b".sample") && runs(name))
        .map(|name| format!("hooks/{}", name.to_string_lossy()))
        .collect()
}

fn read(folder: BorrowedFd<'_>, name: &CStr) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty()).ok()?;
    let mut text = vec![0; SETTINGS + 1];
    let mut length = 0;
    loop {
        match rustix::io::read(&file, &mut text[length..]).ok()? {
            0 => break,
            count => length += count,
        }
    }
    text.truncate(length);
    (length <= SETTINGS).then_some(text)
}
