//! A tree of packages comes into being beside the old one and takes its place in one step.
//!
//! Order: the staging folder is filled; scripts that a person allowed are run in it; the stamp is written
//! into it under another name; one `syncfs`; the stamp gets its name; the lock is written; the two trees are
//! exchanged; their folder is synced; the old one is removed.
//! Killed before the exchange, the old tree is there, whole; after it, the new one. A tree whose stamp does
//! not say what `package.json` and the lock say now is built anew.
//!
//! Deliberately not here: what belongs in the tree (`install`).

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door to node_modules"
)]

use crate::error::NpmError;
use crate::links::link_bins;
use crate::parallel;
use crate::store::{Package, PackageStore, remove, try_lock};
use base::atomic::{self, Access};
use base::text::hex;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

pub const STAMP: &str = ".pm-stamp.json";
/// What it is called while the tree may not last yet.
const STAMP_BEFORE: &str = ".pm-stamp.json.new";
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
    /// What only development wants is not in it.
    #[serde(default)]
    pub omits_dev: bool,
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
    /// The new tree, called as it will be: what runs in it finds its neighbours as Node would.
    tree: PathBuf,
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What cannot be removed now is rubbish for the next install. After the exchange it is the old tree.
        let _ = remove(&self.path);
    }
}

impl Staging {
    pub fn new(folder: &Path) -> Result<Staging, NpmError> {
        let path = folder.join(format!("{STAGING}{}", uuid::Uuid::new_v4().simple()));
        let tree = path.join("node_modules");
        for made in [&path, &tree] {
            fs::create_dir(made).map_err(|error| NpmError::io(made, error))?;
        }
        Ok(Staging {
            folder: folder.to_owned(),
            path,
            tree,
        })
    }

    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Where a package lies that was laid out.
    pub fn place(&self, planned: &Planned) -> PathBuf {
        self.tree.join(&planned.place)
    }

    /// Gives a package files of its own that can be written to: a script must not reach the store,
    /// which other trees share.
    pub fn own(&self, planned: &Planned) -> Result<(), NpmError> {
        for file in planned.package.files() {
            let (from, to) = (planned.package.path(file), self.place(planned).join(&file.path));
            let failed = |error| NpmError::io(&to, error);
            fs::remove_file(&to).map_err(failed)?;
            copy(&from, &to).map_err(failed)?;
            let mut mode = fs::metadata(&to).map_err(failed)?.permissions();
            mode.set_mode(mode.mode() | 0o200);
            fs::set_permissions(&to, mode).map_err(failed)?;
        }
        Ok(())
    }

    /// After scripts ran in it: a package is files, folders, and links that stay in the tree. What else
    /// there may be, a pipe or a link to a device, would be met by whoever reads the tree.
    pub fn check(&self, planned: &Planned) -> Result<(), NpmError> {
        let hostile = |path: &Path, what: &str| {
            let path = path.strip_prefix(&self.tree).unwrap_or(path);
            NpmError::hostile(&planned.place, format!("{what}: {}", path.display()))
        };
        let tree = self
            .tree
            .canonicalize()
            .map_err(|error| NpmError::io(&self.tree, error))?;
        let mut folders = vec![self.place(planned)];
        while let Some(folder) = folders.pop() {
            let failed = |error| NpmError::io(&folder, error);
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_symlink() {
                    let target = fs::read_link(&path).map_err(failed)?;
                    let leads = path.canonicalize().ok();
                    if target.is_absolute() || !leads.is_some_and(|leads| leads.starts_with(&tree)) {
                        return Err(hostile(
                            &path,
                            "its script left a link that leads out of the tree",
                        ));
                    }
                } else if !kind.is_file() {
                    return Err(hostile(&path, "its script left what is neither file nor folder"));
                }
            }
        }
        Ok(())
    }

    /// Takes a package out again, with its commands.
    pub fn leave_out(&self, planned: &Planned) -> Result<(), NpmError> {
        let place = self.place(planned);
        let failed = |error| NpmError::io(&place, error);
        remove(&place).map_err(failed)?;
        let bins = self.modules_of(planned).0.join(".bin");
        for (name, _) in &planned.bins {
            let bin = bins.join(name);
            // Another package may have the same command.
            if fs::symlink_metadata(&bin).is_ok() && fs::metadata(&bin).is_err() {
                fs::remove_file(&bin).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The `node_modules` that a package lies in, and its name there.
    fn modules_of<'p>(&self, planned: &'p Planned) -> (PathBuf, &'p str) {
        let (modules, package) = match planned.place.rfind("node_modules/") {
            Some(at) => planned.place.split_at(at + "node_modules/".len()),
            None => ("", planned.place.as_str()),
        };
        (self.tree.join(modules), package)
    }

    /// Lays the packages out, parents first; `done` hears how many there are.
    pub fn fill(
        &self,
        plan: &[Planned],
        policy: LinkPolicy,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), NpmError> {
        for planned in plan {
            let path = self.place(planned);
            fs::create_dir_all(&path).map_err(|error| NpmError::io(&path, error))?;
        }
        let way = Way::find(plan, &self.tree, policy);
        let count = AtomicUsize::new(0);
        parallel::each(plan, LINKERS, |planned| {
            lay_out(&planned.package, &self.place(planned), way)?;
            done(count.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(())
        })?;
        for planned in plan {
            let (modules, package) = self.modules_of(planned);
            let bins = planned
                .bins
                .iter()
                .map(|(name, path)| (name.as_str(), path.as_str()));
            link_bins(&modules, package, bins)?;
        }
        Ok(())
    }

    /// Makes the tree last, and says so by its stamp. It lasts as well, under another name: called by its own
    /// only when the tree does. Should that be lost, the tree is built anew.
    pub fn seal(&self, stamp: &Stamp, phase: &dyn Fn(&'static str)) -> Result<(), NpmError> {
        let failed = |error| NpmError::io(&self.folder, error);
        let text = serde_json::to_vec(stamp).map_err(|error| NpmError::Internal(error.to_string()))?;
        phase("stamp");
        let written = self.tree.join(STAMP_BEFORE);
        fs::write(&written, text).map_err(failed)?;
        phase("sync");
        let handle = File::open(&self.tree).map_err(failed)?;
        rustix::fs::syncfs(&handle).map_err(|error| failed(error.into()))?;
        fs::rename(&written, self.tree.join(STAMP)).map_err(failed)
    }

    /// Makes the tree the folder's `node_modules`, with `lock` beside it where it is new.
    pub fn take_place(self, lock: Option<&[u8]>, phase: &dyn Fn(&'static str)) -> Result<(), NpmError> {
        let failed = |error| NpmError::io(&self.folder, error);
        if let Some(lock) = lock {
            phase("lock");
            atomic::write(&self.folder.join("package-lock.json"), lock, Access::Shared).map_err(failed)?;
        }
        phase("exchange");
        let modules = self.folder.join("node_modules");
        exchange(&self.tree, &modules).map_err(failed)?;
        atomic::sync_dir(&self.folder).map_err(failed)?;
        phase("remove");
        drop(self);
        Ok(())
    }
}

/// The old tree, if there was one, lies beside the place of the new one afterwards.
fn exchange(new: &Path, modules: &Path) -> io::Result<()> {
    if fs::symlink_metadata(modules).is_err() {
        rustix::fs::renameat_with(CWD, new, CWD, modules, RenameFlags::NOREPLACE)?;
        return Ok(());
    }
    match rustix::fs::renameat_with(CWD, new, CWD, modules, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // File systems without it: for a moment there is no tree, and then the next install makes one.
        Err(Errno::INVAL | Errno::NOSYS) => {
            let aside = new.with_extension("old");
            fs::rename(modules, &aside)?;
            fs::rename(new, modules)
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
    let failed = |error: io::Error| NpmError::io(into, error);
    // By handle: the way to both is gone once for a package and not for each file.
    let open = |path: &Path| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map_err(|error| failed(error.into()))
    };
    let (store, target) = (open(&package.files_folder())?, open(into)?);
    let mut made = HashSet::new();
    for file in package.files() {
        for (end, _) in file.path.match_indices('/') {
            let folder = &file.path[..end];
            if made.insert(folder) {
                match rustix::fs::mkdirat(&target, folder, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(NpmError::io(&into.join(folder), error.into())),
                }
            }
        }
        let done = match way {
            Way::Reflink => reflink(&package.path(file), &into.join(&file.path)),
            Way::Hard => {
                match rustix::fs::linkat(&store, &*file.path, &target, &*file.path, AtFlags::empty()) {
                    // So many trees use it that the file system counts no further.
                    Err(Errno::MLINK) => copy(&package.path(file), &into.join(&file.path)),
                    other => other.map_err(io::Error::from),
                }
            }
            Way::Copy => copy(&package.path(file), &into.join(&file.path)),
        };
        done.map_err(|error| NpmError::io(&into.join(&file.path), error))?;
    }
    Ok(())
}
