//! What lies in the folder of a skill, with bounds on it. Links are not followed, at no level: each
//! folder is opened from the one above it.

#![allow(
    clippy::disallowed_methods,
    reason = "makes copies that are renamed into place"
)]

use super::error::SkillError;
use base::atomic;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Files and folders of one skill.
pub(super) const MAX_ENTRIES: u64 = 2000;
/// Bytes of one skill.
pub(super) const MAX_BYTES: u64 = 32 * 1024 * 1024;
const MAX_DEPTH: u64 = 12;
const CHUNK: usize = 64 * 1024;
/// A person's own repository, which is no part of the skill.
const REPOSITORY: &str = ".git";

/// Everything in a folder, by its path below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub nodes: BTreeMap<String, Node>,
    /// What is neither file nor folder, or has a name that is no text; repositories.
    pub left_out: Vec<String>,
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Folder,
    File {
        bytes: u64,
        executable: bool,
        /// SHA-256; zeros where the content was not read.
        hash: [u8; 32],
    },
}

impl Tree {
    /// Names and sizes; contents are not read.
    pub fn measure(folder: &Path) -> Result<Tree, SkillError> {
        walk(folder, &mut |_, _| Ok([0; 32]), &mut |_| Ok(()))
    }

    pub fn read(folder: &Path) -> Result<Tree, SkillError> {
        walk(folder, &mut |_, file| hashed(file, &mut io::sink()), &mut |_| {
            Ok(())
        })
    }

    /// Copies all but what is left out into a new folder, durably; gives what was written.
    pub fn copy(from: &Path, to: &Path) -> Result<Tree, SkillError> {
        let failed = |source| SkillError::io(to, source);
        fs::create_dir(to).map_err(failed)?;
        let tree = walk(
            from,
            &mut |path, file| {
                let mode = match is_executable(&file.metadata()?) {
                    true => 0o755,
                    false => 0o644,
                };
                let mut copy = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(to.join(path))?;
                let hash = hashed(file, &mut copy)?;
                copy.set_permissions(Permissions::from_mode(mode))?;
                copy.sync_all()?;
                Ok(hash)
            },
            &mut |path| fs::create_dir(to.join(path)),
        )?;
        for (path, node) in &tree.nodes {
            if *node == Node::Folder {
                atomic::sync_dir(&to.join(path)).map_err(failed)?;
            }
        }
        atomic::sync_dir(to).map_err(failed)?;
        Ok(tree)
    }

    /// The same for the same names, contents and executable bits, and for nothing else.
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        for (path, node) in &self.nodes {
            digest.update((path.len() as u64).to_le_bytes());
            digest.update(path);
            match node {
                Node::Folder => digest.update([0]),
                Node::File { executable, hash, .. } => {
                    digest.update([1, u8::from(*executable)]);
                    digest.update(hash);
                }
            }
        }
        digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, u64, bool)> {
        self.nodes.iter().filter_map(|(path, node)| match node {
            Node::File {
                bytes, executable, ..
            } => Some((path.as_str(), *bytes, *executable)),
            Node::Folder => None,
        })
    }
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub bytes: Vec<u8>,
    /// Of the whole file.
    pub size: u64,
    /// In milliseconds since 1970.
    pub modified: i64,
}

/// At most `most` bytes of a file below a folder, `None` where there is none.
pub(super) fn head(folder: &Path, below: &str, most: u64) -> Result<Option<Head>, SkillError> {
    let failed = |source| SkillError::io(&folder.join(below), source);
    let file = match open_below(folder, below) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let metadata = file.metadata().map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(Head {
        size: metadata.len().max(bytes.len() as u64),
        bytes,
        modified: metadata.mtime() * 1000 + metadata.mtime_nsec() / 1_000_000,
    }))
}

/// All of it; more than `most` is refused.
pub(super) fn file(folder: &Path, below: &str, most: u64) -> Result<Option<Vec<u8>>, SkillError> {
    match head(folder, below, most.saturating_add(1))? {
        Some(head) if head.bytes.len() as u64 > most => Err(too_big(&folder.join(below), "bytes", most)),
        head => Ok(head.map(|head| head.bytes)),
    }
}

fn open_below(folder: &Path, below: &str) -> io::Result<File> {
    let mut at = open_folder(rustix::fs::CWD, folder)?;
    let (folders, name) = below.rsplit_once('/').unwrap_or(("", below));
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        at = open_folder(at.as_fd(), Path::new(part))?;
    }
    let file = open_file(at.as_fd(), name)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

type OnFile<'f> = dyn FnMut(&str, &mut File) -> io::Result<[u8; 32]> + 'f;
type OnFolder<'f> = dyn FnMut(&str) -> io::Result<()> + 'f;

fn walk(folder: &Path, on_file: &mut OnFile, on_folder: &mut OnFolder) -> Result<Tree, SkillError> {
    let top = open_folder(rustix::fs::CWD, folder).map_err(|source| SkillError::io(folder, source))?;
    let mut walk = Walk {
        folder,
        tree: Tree::default(),
        on_file,
        on_folder,
    };
    walk.below(top, "", 1)?;
    Ok(walk.tree)
}

struct Walk<'w, 'f> {
    folder: &'w Path,
    tree: Tree,
    on_file: &'w mut OnFile<'f>,
    on_folder: &'w mut OnFolder<'f>,
}

impl Walk<'_, '_> {
    fn below(&mut self, at: OwnedFd, above: &str, depth: u64) -> Result<(), SkillError> {
        if depth > MAX_DEPTH {
            return Err(too_big(self.folder, "levels", MAX_DEPTH));
        }
        for name in names(&at).map_err(|source| SkillError::io(&self.folder.join(above), source))? {
            let path = match (above, name.to_string_lossy()) {
                ("", name) => name.into_owned(),
                (above, name) => format!("{above}/{name}"),
            };
            if self.tree.nodes.len() + self.tree.left_out.len() >= MAX_ENTRIES as usize {
                return Err(too_big(self.folder, "entries", MAX_ENTRIES));
            }
            let entered = match name.to_str() {
                Some(name) if name != REPOSITORY => self.entry(at.as_fd(), name, &path, depth),
                _ => {
                    self.tree.left_out.push(path);
                    continue;
                }
            };
            match entered {
                // Gone since it was listed.
                Err(error) if error.is_missing() => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, at: BorrowedFd, name: &str, path: &str, depth: u64) -> Result<(), SkillError> {
        let full = self.folder.join(path);
        let failed = |source: io::Error| SkillError::io(&full, source);
        let stat =
            rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| failed(errno.into()))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                let inner = open_folder(at, Path::new(name)).map_err(failed)?;
                (self.on_folder)(path).map_err(failed)?;
                self.tree.nodes.insert(path.to_owned(), Node::Folder);
                self.below(inner, path, depth + 1)
            }
            FileType::RegularFile => {
                let mut file = open_file(at, name).map_err(failed)?;
                let metadata = file.metadata().map_err(failed)?;
                self.tree.bytes = self.tree.bytes.saturating_add(metadata.len());
                if self.tree.bytes > MAX_BYTES {
                    return Err(too_big(self.folder, "bytes", MAX_BYTES));
                }
                let hash = (self.on_file)(path, &mut file).map_err(failed)?;
                let node = Node::File {
                    bytes: metadata.len(),
                    executable: is_executable(&metadata),
                    hash,
                };
                self.tree.nodes.insert(path.to_owned(), node);
                Ok(())
            }
            _ => {
                self.tree.left_out.push(path.to_owned());
                Ok(())
            }
        }
    }
}

fn names(at: &OwnedFd) -> io::Result<Vec<std::ffi::OsString>> {
    use std::os::unix::ffi::OsStringExt;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(at)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(std::ffi::OsString::from_vec(name));
        }
        if names.len() > MAX_ENTRIES as usize {
            break;
        }
    }
    names.sort();
    Ok(names)
}

fn open_folder(at: BorrowedFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at, path, flags, Mode::empty())?)
}

/// Does not wait for whoever writes to a pipe: what is opened is looked at afterwards.
fn open_file(at: BorrowedFd, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at, name, flags, Mode::empty())?.into())
}

fn hashed(file: &mut File, copy: &mut dyn Write) -> io::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut left = MAX_BYTES;
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            return Ok(digest.finalize().into());
        }
        // It grows while it is read.
        left = left
            .checked_sub(count as u64)
            .ok_or(io::ErrorKind::FileTooLarge)?;
        digest.update(&chunk[..count]);
        copy.write_all(&chunk[..count])?;
    }
}

fn is_executable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o100 != 0
}

fn too_big(folder: &Path, what: &'static str, limit: u64) -> SkillError {
    SkillError::TooBig {
        path: folder.to_owned(),
        what,
        limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_lead_nowhere_and_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let secret = dir.path().join("secret");
        fs::create_dir(&secret).unwrap();
        fs::write(secret.join("key"), "s3cret").unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir_all(skill.join("sub/.git")).unwrap();
        fs::write(skill.join("sub/a.txt"), "a").unwrap();
        symlink(&secret, skill.join("linked")).unwrap();
        symlink(secret.join("key"), skill.join("SKILL.md")).unwrap();
        let copied = Tree::copy(&skill, &dir.path().join("copy")).unwrap();
        assert_eq!(copied.left_out, ["SKILL.md", "linked", "sub/.git"]);
        assert_eq!(
            copied.files().map(|file| file.0).collect::<Vec<_>>(),
            ["sub/a.txt"]
        );
        assert_eq!(Tree::read(&dir.path().join("copy")).unwrap().nodes, copied.nodes);
        assert!(matches!(file(&skill, "SKILL.md", 10), Err(SkillError::Io { .. })));
        assert!(file(&skill, "linked/key", 10).is_err(), "a folder that is a link");
        assert!(Tree::read(&skill.join("linked")).is_err(), "not even at the top");
    }

    #[test]
    fn more_than_a_skill_may_hold_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for at in 0..=MAX_ENTRIES {
            fs::write(dir.path().join(at.to_string()), "").unwrap();
        }
        assert!(matches!(
            Tree::measure(dir.path()),
            Err(SkillError::TooBig { what: "entries", .. })
        ));
        let dir = tempfile::tempdir().unwrap();
        File::create(dir.path().join("big"))
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        assert!(matches!(
            Tree::read(dir.path()),
            Err(SkillError::TooBig { what: "bytes", .. })
        ));
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("d/".repeat(13))).unwrap();
        assert!(matches!(
            Tree::read(dir.path()),
            Err(SkillError::TooBig { what: "levels", .. })
        ));
    }

    #[test]
    fn the_fingerprint_sees_names_contents_and_modes() {
        let make = |path: &str, text: &str, mode: u32| {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            Tree::read(dir.path()).unwrap().fingerprint()
        };
        let first = make("a/b", "x", 0o644);
        assert_eq!(first, make("a/b", "x", 0o600));
        for other in [
            make("a/b", "x", 0o755),
            make("a/b", "y", 0o644),
            make("a/c", "x", 0o644),
            make("ab", "x", 0o644),
        ] {
            assert_ne!(first, other);
        }
    }
}
