//! The content store: each package once for all tools, in a folder named by its tarball's hash.
//!
//! A package is unpacked in `tmp/` and renamed into `packages/`: it is there whole or not at all.
//! After a crash of the machine files may be empty that were whole before; so a package is trusted
//! in the boot that wrote or checked it, and checked file by file in the next.
//!
//! Deliberately not here: the network, trees.

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door to the content store"
)]

use crate::error::NpmError;
use crate::intake::PackedFile;
use crate::integrity::Integrity;
use crate::unpack::{LIMITS, unpack};
use base::text::hex;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use sha2::Digest;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const INDEX: &str = "index.json";
const FILES: &str = "files";

#[derive(Clone, Debug)]
pub struct PackageStore {
    root: PathBuf,
    boot: Arc<str>,
    /// Held while the store is open: what lies in `tmp/` without its owner is rubbish.
    session: Arc<Session>,
}

#[derive(Debug)]
struct Session {
    folder: PathBuf,
    /// The lock ends with the process.
    _alive: File,
    /// Shared by everybody who installs; `gc` wants it alone.
    _in_use: File,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Index {
    boot: String,
    files: Vec<PackedFile>,
    /// Read when somebody asks: most installs do not.
    manifest: Box<RawValue>,
}

/// A package in the store.
#[derive(Clone, Debug)]
pub struct Package {
    folder: PathBuf,
    index: Arc<Index>,
}

impl Package {
    pub fn files(&self) -> &[PackedFile] {
        &self.index.files
    }
    /// Where its files are.
    pub fn files_folder(&self) -> PathBuf {
        self.folder.join(FILES)
    }
    pub fn path(&self, file: &PackedFile) -> PathBuf {
        self.files_folder().join(&file.path)
    }
    /// What its own `package.json` says.
    pub fn manifest(&self) -> Result<Map<String, Value>, NpmError> {
        serde_json::from_str(self.index.manifest.get()).map_err(|error| NpmError::Internal(error.to_string()))
    }
    pub fn size(&self) -> u64 {
        self.index.files.iter().map(|file| file.size).sum()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheInfo {
    pub packages: u64,
    pub files: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheVerified {
    pub packages: u64,
    /// Removed; the next install fetches them again.
    pub damaged: Vec<String>,
}

impl PackageStore {
    /// `root` is the folder `store` of the data home.
    pub fn open(root: &Path) -> Result<PackageStore, NpmError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| NpmError::io(&path, error)
        };
        for folder in ["packages", "tmp", "metadata", "locks"] {
            let path = root.join(folder);
            fs::create_dir_all(&path).map_err(failed(&path))?;
        }
        let in_use = open_lock(&root.join("in-use")).map_err(failed(root))?;
        in_use.lock_shared().map_err(failed(root))?;
        sweep(&root.join("tmp"));
        let folder = root.join("tmp").join(uuid::Uuid::new_v4().simple().to_string());
        // Locked before anybody can find it.
        let hidden = root
            .join("tmp")
            .join(format!("{}.new", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&hidden).map_err(failed(&hidden))?;
        let alive = open_lock(&hidden.join("alive")).map_err(failed(&hidden))?;
        alive.lock().map_err(failed(&hidden))?;
        fs::rename(&hidden, &folder).map_err(failed(&folder))?;
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Ok(PackageStore {
            root: root.to_owned(),
            boot: boot.trim().into(),
            session: Arc::new(Session {
                folder,
                _alive: alive,
                _in_use: in_use,
            }),
        })
    }

    pub fn metadata(&self) -> PathBuf {
        self.root.join("metadata")
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The lock file of a folder that is installed into.
    pub fn lock_of(&self, folder: &Path) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        let name = hex(&sha2::Sha256::digest(folder.as_os_str().as_bytes())[..16]);
        self.root.join("locks").join(name)
    }

    fn place(&self, integrity: &Integrity) -> PathBuf {
        self.root.join("packages").join(integrity.hex())
    }

    pub fn get(&self, integrity: &Integrity) -> Option<Package> {
        let folder = self.place(integrity);
        let index: Index = serde_json::from_slice(&fs::read(folder.join(INDEX)).ok()?).ok()?;
        let package = Package {
            folder,
            index: Arc::new(index),
        };
        if package.index.boot == *self.boot && !self.boot.is_empty() {
            return Some(package);
        }
        if !is_whole(&package) {
            let _ = remove(&package.folder);
            return None;
        }
        let index = Index {
            boot: self.boot.to_string(),
            ..(*package.index).clone()
        };
        if let Ok(bytes) = serde_json::to_vec(&index) {
            // Not told: the next one checks again.
            let _ = base::atomic::write(&package.folder.join(INDEX), &bytes, base::atomic::Access::Shared);
        }
        Some(package)
    }

    /// Checks, unpacks and keeps a tarball. Without `expected` it is named by what it is.
    pub fn put(&self, name: &str, tarball: &[u8], expected: Option<&Integrity>) -> Result<Package, NpmError> {
        let integrity = match expected {
            Some(expected) => {
                expected.check(tarball).map_err(|found| NpmError::Integrity {
                    name: name.to_owned(),
                    expected: expected.to_string(),
                    found: found.to_string(),
                })?;
                expected.clone()
            }
            None => Integrity::of(tarball),
        };
        if let Some(there) = self.get(&integrity) {
            return Ok(there);
        }
        let temp = self
            .session
            .folder
            .join(uuid::Uuid::new_v4().simple().to_string());
        let made = self
            .unpack(name, tarball, &temp)
            .and_then(|index| self.publish(&temp, &integrity, index));
        if made.is_err() {
            let _ = remove(&temp);
        }
        made
    }

    fn unpack(&self, name: &str, tarball: &[u8], temp: &Path) -> Result<Index, NpmError> {
        let files = temp.join(FILES);
        fs::create_dir_all(&files).map_err(|error| NpmError::io(&files, error))?;
        let mut unpacked = unpack(name, tarball, &files, LIMITS)?;
        let text = String::from_utf8_lossy(&unpacked.manifest);
        let manifest: Map<String, Value> =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
        let kept = to_raw_value(&manifest).map_err(|error| NpmError::Internal(error.to_string()))?;
        // A command must be one to run, whatever the tarball says.
        let own = crate::manifest::Manifest::new(name, manifest);
        for (_, path) in own.list("bin") {
            if let Some(file) = unpacked.files.iter_mut().find(|file| file.path == path) {
                let full = files.join(path);
                make_runnable(&full, file).map_err(|error| NpmError::io(&full, error))?;
            }
        }
        Ok(Index {
            boot: self.boot.to_string(),
            files: unpacked.files,
            manifest: kept,
        })
    }

    fn publish(&self, temp: &Path, integrity: &Integrity, index: Index) -> Result<Package, NpmError> {
        let path = temp.join(INDEX);
        let bytes = serde_json::to_vec(&index).map_err(|error| NpmError::Internal(error.to_string()))?;
        fs::write(&path, bytes).map_err(|error| NpmError::io(&path, error))?;
        let folder = self.place(integrity);
        match fs::rename(temp, &folder) {
            Ok(()) => {}
            // Another install was quicker; both have the same bytes. Or it is what a crash left.
            Err(_) if folder.is_dir() => match self.get(integrity) {
                Some(there) => {
                    let _ = remove(temp);
                    return Ok(there);
                }
                None => {
                    let _ = remove(&folder);
                    fs::rename(temp, &folder).map_err(|error| NpmError::io(&folder, error))?;
                }
            },
            Err(error) => return Err(NpmError::io(&folder, error)),
        }
        Ok(Package {
            folder,
            index: Arc::new(index),
        })
    }

    /// What is known of a package, unchecked.
    pub fn look(&self, integrity: &Integrity) -> Option<Package> {
        Self::read(&self.place(integrity))
    }

    fn each(&self) -> Result<Vec<PathBuf>, NpmError> {
        let folder = self.root.join("packages");
        let entries = fs::read_dir(&folder).map_err(|error| NpmError::io(&folder, error))?;
        Ok(entries.flatten().map(|entry| entry.path()).collect())
    }

    fn read(folder: &Path) -> Option<Package> {
        let index: Index = serde_json::from_slice(&fs::read(folder.join(INDEX)).ok()?).ok()?;
        Some(Package {
            folder: folder.to_owned(),
            index: Arc::new(index),
        })
    }

    pub fn info(&self) -> Result<CacheInfo, NpmError> {
        let mut info = CacheInfo::default();
        for package in self.each()?.iter().filter_map(|folder| Self::read(folder)) {
            info.packages += 1;
            info.files += package.files().len() as u64;
            info.bytes += package.size();
        }
        Ok(info)
    }

    /// Every file of every package against its hash; what is damaged leaves.
    pub fn verify(&self) -> Result<CacheVerified, NpmError> {
        let mut verified = CacheVerified::default();
        for folder in self.each()? {
            verified.packages += 1;
            if !Self::read(&folder).is_some_and(|package| is_whole(&package)) {
                let name = folder
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                remove(&folder).map_err(|error| NpmError::io(&folder, error))?;
                verified.damaged.push(name);
            }
        }
        Ok(verified)
    }

    /// Drops packages that are not in what `used` gives, which is asked when nobody installs, and
    /// that have been there for so long.
    pub fn gc(
        root: &Path,
        age: Duration,
        used: impl FnOnce() -> HashSet<String>,
    ) -> Result<CacheInfo, NpmError> {
        let packages = root.join("packages");
        if !packages.is_dir() {
            return Ok(CacheInfo::default());
        }
        let lock = open_lock(&root.join("in-use")).map_err(|error| NpmError::io(root, error))?;
        lock.lock().map_err(|error| NpmError::io(root, error))?;
        let used = used();
        let mut dropped = CacheInfo::default();
        for entry in fs::read_dir(&packages)
            .map_err(|error| NpmError::io(&packages, error))?
            .flatten()
        {
            let is_young = || {
                let made = entry.metadata().and_then(|meta| meta.modified()).ok();
                made.and_then(|made| made.elapsed().ok())
                    .is_none_or(|is| is < age)
            };
            if used.contains(&*entry.file_name().to_string_lossy()) || !age.is_zero() && is_young() {
                continue;
            }
            if let Some(package) = Self::read(&entry.path()) {
                dropped.packages += 1;
                dropped.files += package.files().len() as u64;
                dropped.bytes += package.size();
            }
            remove(&entry.path()).map_err(|error| NpmError::io(&entry.path(), error))?;
        }
        Ok(dropped)
    }
}

/// With a first line that the kernel reads as an interpreter's name: as npm makes it, without the
/// carriage return of another system.
fn make_runnable(path: &Path, file: &mut PackedFile) -> io::Result<()> {
    let mut bytes = fs::read(path)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    if bytes.starts_with(b"#!") && bytes[..end].ends_with(b"\r") {
        bytes.remove(end - 1);
        fs::remove_file(path)?;
        fs::write(path, &bytes)?;
        file.size = bytes.len() as u64;
        file.sha256 = hex(&sha2::Sha256::digest(&bytes));
    } else if file.run {
        return Ok(());
    }
    file.run = true;
    fs::set_permissions(path, fs::Permissions::from_mode(0o555))
}

fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

/// Takes a lock now, or says that another has it.
pub fn try_lock(path: &Path) -> Result<Option<File>, NpmError> {
    let file = open_lock(path).map_err(|error| NpmError::io(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(NpmError::io(path, error)),
    }
}

/// Removes what processes left that ended without cleaning up.
fn sweep(tmp: &Path) {
    let Ok(entries) = fs::read_dir(tmp) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // One that is just being made is left alone for a while.
        let is_new = path.extension().is_some_and(|end| end == "new");
        let age = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if is_new && age.is_none_or(|age| age.as_secs() < 60) {
            continue;
        }
        let alive = OpenOptions::new().write(true).open(path.join("alive"));
        let is_alive = alive.is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)));
        if !is_alive {
            let _ = remove(&path);
        }
    }
}

fn is_whole(package: &Package) -> bool {
    package.files().iter().all(|file| {
        let mode = if file.run { 0o555 } else { 0o444 };
        let path = package.path(file);
        let right = |meta: fs::Metadata| {
            meta.is_file() && meta.len() == file.size && meta.permissions().mode() & 0o777 == mode
        };
        fs::symlink_metadata(&path).is_ok_and(right) && hash_of(&path).is_ok_and(|hash| hash == file.sha256)
    })
}

pub fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = sha2::Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs::remove_file(path),
        other => other,
    }
}
