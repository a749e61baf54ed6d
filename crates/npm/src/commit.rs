//! A tree of packages comes into being beside the old one and takes its place in one step.
//!
//! Order: the staging folder is filled; one `syncfs`; the stamp is written into it; the lock is
//! written; the two trees are exchanged; the old one is removed. Killed before the exchange, the
//! old tree is there, whole; after it, the new one. A tree whose stamp does not say what
//! `package.json` and the lock say now is built anew.
//!
//! Deliberately not here: what belongs in the tree (`install`).

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door to node_modules"
)]

use crate::error::NpmError;
use crate::links::link_bins;
use crate::store::{Package, PackageStore, remove, try_lock};
use crate::unpack::hex;
use base::atomic::{self, Access};
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

pub const STAMP: &str = ".pm-stamp.json";
const STAGING: &str = ".pm-node_modules-";
/// Threads that link; more only wait for the same folder locks of the kernel.
const LINKERS: usize = 2;

/// How files of the store come into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// Reflink, else hard link, else copy.
    Share,
    /// Reflink, else copy: where a tool could write through a hard link.
    Separate,
}

/// A package and its place below `node_modules`.
pub struct Planned {
    /// `a`, `@s/b`, `a/node_modules/b`.
    pub place: String,
    pub package: Package,
    /// Command -> file.
    pub bins: Vec<(String, String)>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Of `package.json`, the lock, the platform and the options.
    pub input: String,
    /// Names in the content store that this tree uses.
    pub packages: Vec<String>,
}

pub fn stamp_input(parts: &[&[u8]]) -> String {
    let mut hash = sha2::Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

pub fn read_stamp(folder: &Path) -> Option<Stamp> {
    serde_json::from_slice(&fs::read(folder.join("node_modules").join(STAMP)).ok()?).ok()
}

pub fn has_leftovers(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with(STAGING))
}

/// Names in the content store that the tree in `folder` uses.
pub fn used(folder: &Path) -> Vec<String> {
    read_stamp(folder).map_or_else(Vec::new, |stamp| stamp.packages)
}

/// Removes what a killed install left in `folder`, unless one is at work there. `root` is the folder
/// of the content store.
pub fn recover(folder: &Path, root: &Path) -> Result<usize, NpmError> {
    if !has_leftovers(folder) {
        return Ok(0);
    }
    let store = PackageStore::open(root)?;
    let real = folder
        .canonicalize()
        .map_err(|error| NpmError::io(folder, error))?;
    match try_lock(&store.lock_of(&real))? {
        Some(_turn) => sweep(folder),
        None => Ok(0),
    }
}

/// Removes staging folders that an install did not finish with. Only under the folder's lock.
pub(crate) fn sweep(folder: &Path) -> Result<usize, NpmError> {
    let failed = |error| NpmError::io(folder, error);
    let mut removed = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            remove(&entry.path()).map_err(failed)?;
            removed += 1;
        }
    }
    atomic::sweep(folder).map_err(failed)?;
    Ok(removed)
}

pub struct Staging {
    folder: PathBuf,
    path: PathBuf,
    is_done: bool,
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = remove(&self.path);
        }
    }
}

impl Staging {
    pub fn new(folder: &Path) -> Result<Staging, NpmError> {
        let path = folder.join(format!("{STAGING}{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&path).map_err(|error| NpmError::io(&path, error))?;
        Ok(Staging {
            folder: folder.to_owned(),
            path,
            is_done: false,
        })
    }

    /// Lays the packages out, parents first; `done` hears how many there are.
    pub fn fill(
        &self,
        plan: &[Planned],
        policy: LinkPolicy,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), NpmError> {
        for planned in plan {
            let path = self.path.join(&planned.place);
            fs::create_dir_all(&path).map_err(|error| NpmError::io(&path, error))?;
        }
        let way = Way::find(plan, &self.path, policy);
        let (next, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || -> Result<(), NpmError> {
            while let Some(planned) = plan.get(next.fetch_add(1, Ordering::Relaxed)) {
                lay_out(&planned.package, &self.path.join(&planned.place), way)?;
                done(count.fetch_add(1, Ordering::Relaxed) + 1);
            }
            Ok(())
        };
        let results: Vec<Result<(), NpmError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..LINKERS).map(|_| scope.spawn(work)).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|result| {
                    result.unwrap_or_else(|_| Err(NpmError::Internal("a linking thread ended".to_owned())))
                })
                .collect()
        });
        results.into_iter().collect::<Result<(), _>>()?;
        for planned in plan {
            let (modules, package) = match planned.place.rfind("node_modules/") {
                Some(at) => planned.place.split_at(at + "node_modules/".len()),
                None => ("", planned.place.as_str()),
            };
            let bins = planned
                .bins
                .iter()
                .map(|(name, path)| (name.as_str(), path.as_str()));
            link_bins(&self.path.join(modules), package, bins)?;
        }
        Ok(())
    }

    /// Makes the tree last, and says so by its stamp.
    pub fn seal(&self, stamp: &Stamp, phase: &dyn Fn(&'static str)) -> Result<(), NpmError> {
        let failed = |error| NpmError::io(&self.folder, error);
        phase("sync");
        let handle = File::open(&self.path).map_err(failed)?;
        rustix::fs::syncfs(&handle).map_err(|error| failed(error.into()))?;
        let text = serde_json::to_vec(stamp).map_err(|error| NpmError::Internal(error.to_string()))?;
        phase("stamp");
        atomic::write(&self.path.join(STAMP), &text, Access::Shared).map_err(failed)
    }

    /// Makes the tree the folder's `node_modules`, with `lock` beside it where it is new.
    pub fn take_place(mut self, lock: Option<&[u8]>, phase: &dyn Fn(&'static str)) -> Result<(), NpmError> {
        let failed = |error| NpmError::io(&self.folder, error);
        if let Some(lock) = lock {
            phase("lock");
            atomic::write(&self.folder.join("package-lock.json"), lock, Access::Shared).map_err(failed)?;
        }
        phase("exchange");
        let modules = self.folder.join("node_modules");
        let old = exchange(&self.path, &modules).map_err(failed)?;
        atomic::sync_dir(&self.folder).map_err(failed)?;
        self.is_done = true;
        phase("remove");
        if let Some(old) = old {
            // What cannot be removed now is rubbish for the next install.
            let _ = remove(&old);
        }
        Ok(())
    }
}

/// Where the old tree lies afterwards, if there was one.
fn exchange(new: &Path, modules: &Path) -> io::Result<Option<PathBuf>> {
    if fs::symlink_metadata(modules).is_err() {
        rustix::fs::renameat_with(CWD, new, CWD, modules, RenameFlags::NOREPLACE)?;
        return Ok(None);
    }
    match rustix::fs::renameat_with(CWD, new, CWD, modules, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(Some(new.to_owned())),
        // File systems without it: for a moment there is no tree, and then the next install makes one.
        Err(Errno::INVAL | Errno::NOSYS) => {
            let aside = new.with_extension("old");
            fs::rename(modules, &aside)?;
            fs::rename(new, modules)?;
            Ok(Some(aside))
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Reflink,
    Hard,
    Copy,
}

impl Way {
    /// What works between the store and this folder, tried with one file.
    fn find(plan: &[Planned], staging: &Path, policy: LinkPolicy) -> Way {
        let first = plan.iter().find_map(|planned| {
            let file = planned.package.files().first()?;
            Some(planned.package.path(file))
        });
        let Some(from) = first else { return Way::Copy };
        let probe = staging.join(".pm-probe");
        let reflinks = reflink(&from, &probe).is_ok();
        let _ = fs::remove_file(&probe);
        if reflinks {
            return Way::Reflink;
        }
        if policy == LinkPolicy::Separate {
            return Way::Copy;
        }
        let hard = fs::hard_link(&from, &probe).is_ok();
        let _ = fs::remove_file(&probe);
        if hard { Way::Hard } else { Way::Copy }
    }
}

fn reflink(from: &Path, to: &Path) -> io::Result<()> {
    let source = File::open(from)?;
    let target = File::create_new(to)?;
    target.set_permissions(source.metadata()?.permissions())?;
    Ok(rustix::fs::ioctl_ficlone(&target, &source)?)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // Mode and all; a reflink where the system can.
    fs::copy(from, to).map(|_| ())
}

fn lay_out(package: &Package, into: &Path, way: Way) -> Result<(), NpmError> {
    let mut made = HashSet::new();
    for file in package.files() {
        let to = into.join(&file.path);
        if let Some((folder, _)) = file.path.rsplit_once('/')
            && made.insert(folder)
        {
            let folder = into.join(folder);
            fs::create_dir_all(&folder).map_err(|error| NpmError::io(&folder, error))?;
        }
        let from = package.path(file);
        let done = match way {
            Way::Reflink => reflink(&from, &to),
            Way::Hard => match fs::hard_link(&from, &to) {
                // So many trees use it that the file system counts no further.
                Err(error) if error.raw_os_error() == Some(Errno::MLINK.raw_os_error()) => copy(&from, &to),
                other => other,
            },
            Way::Copy => copy(&from, &to),
        };
        done.map_err(|error| NpmError::io(&to, error))?;
    }
    Ok(())
}
