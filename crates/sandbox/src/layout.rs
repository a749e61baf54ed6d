//! In which order paths are shown and hidden, so that the deepest word counts. Pure; what the
//! paths are on the disk is looked at when the process is started.

use crate::error::SandboxError;
use crate::facts::Tier;
use crate::policy::{Access, Mount};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// One step in building the root; later steps lie over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Show(Mount),
    Hide(PathBuf),
}

impl Step {
    pub fn path(&self) -> &Path {
        match self {
            Step::Show(mount) => &mount.path,
            Step::Hide(path) => path,
        }
    }
}

/// Made by the kernel, and ours alone to give.
const KERNEL: &[&str] = &["/proc", "/sys", "/dev"];

/// Never writable, whoever asks.
const SYSTEM: &[&str] = &[
    "/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot",
];

/// The steps for `mounts` and `masked` on top of `system`, the folders of the host's own root
/// that are always there, read-only.
pub fn layout(
    system: &[&Path],
    mounts: &[Mount],
    masked: &[PathBuf],
    tier: Tier,
) -> Result<Vec<Step>, SandboxError> {
    let mut shown: Vec<Mount> = Vec::new();
    for mount in mounts {
        check_mount(mount)?;
        let path = plain(&mount.path)?;
        match shown.iter().find(|other| other.path == path) {
            Some(other) if other.access == mount.access => {}
            Some(_) => return Err(conflict(&path, &path, tier)),
            None => shown.push(Mount {
                path,
                access: mount.access,
            }),
        }
    }
    let hidden = masked
        .iter()
        .map(|path| plain(path))
        .collect::<Result<Vec<_>, _>>()?;
    let bases = system.iter().map(|path| Mount::read_only(*path));
    let everything_shown: Vec<Mount> = bases.chain(shown.iter().cloned()).collect();
    check_masks(&everything_shown, &hidden, tier)?;
    if tier < Tier::Full {
        check_nesting(&shown, tier)?;
    }
    Ok(order(&everything_shown, shown, hidden))
}

/// The path without doubled separators and single dots, if it is absolute and goes only down.
pub fn plain(path: &Path) -> Result<PathBuf, SandboxError> {
    let invalid = || SandboxError::PathInvalid {
        path: path.to_owned(),
    };
    if !path.is_absolute() || path.to_str().is_none() || path.as_os_str().as_bytes().contains(&0) {
        return Err(invalid());
    }
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(invalid());
    }
    Ok(path.components().collect())
}

fn check_mount(mount: &Mount) -> Result<(), SandboxError> {
    let path = plain(&mount.path)?;
    let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let forbidden =
        path == Path::new("/") || below(KERNEL) || (mount.access == Access::ReadWrite && below(SYSTEM));
    if forbidden {
        return Err(SandboxError::PathForbidden { path });
    }
    Ok(())
}

/// Nobody mounts a masked folder itself; and Landlock cannot take back what a folder above gave.
fn check_masks(shown: &[Mount], hidden: &[PathBuf], tier: Tier) -> Result<(), SandboxError> {
    for mask in hidden {
        let uncovers =
            |mount: &&Mount| mount.path == *mask || (tier < Tier::Full && mask.starts_with(&mount.path));
        if let Some(mount) = shown.iter().find(uncovers) {
            return Err(SandboxError::Masked {
                mount: mount.path.clone(),
                masked: mask.clone(),
                tier,
            });
        }
    }
    Ok(())
}

/// For Landlock rights only ever add up on the way down.
fn check_nesting(shown: &[Mount], tier: Tier) -> Result<(), SandboxError> {
    for outer in shown.iter().filter(|mount| mount.access == Access::ReadWrite) {
        let weaker = |inner: &&Mount| inner.access == Access::ReadOnly && inner.path.starts_with(&outer.path);
        if let Some(inner) = shown.iter().find(weaker) {
            return Err(conflict(&inner.path, &outer.path, tier));
        }
    }
    Ok(())
}

fn conflict(inner: &Path, outer: &Path, tier: Tier) -> SandboxError {
    SandboxError::Conflict {
        inner: inner.to_owned(),
        outer: outer.to_owned(),
        tier,
    }
}

/// Shallow before deep: a bind laid over its own parent would hide what was laid below it.
fn order(everything_shown: &[Mount], shown: Vec<Mount>, hidden: Vec<PathBuf>) -> Vec<Step> {
    let uncovered = |mask: &PathBuf| {
        let depth_of_showing = deepest(everything_shown.iter().map(|mount| mount.path.as_path()), mask);
        let others = hidden.iter().filter(|other| *other != mask);
        depth_of_showing > deepest(others.map(PathBuf::as_path), mask)
    };
    let mut masks: Vec<&PathBuf> = hidden.iter().filter(|mask| uncovered(mask)).collect();
    masks.sort();
    masks.dedup();
    let mut steps: Vec<Step> = masks.into_iter().cloned().map(Step::Hide).collect();
    steps.extend(shown.into_iter().map(Step::Show));
    steps.sort_by(|a, b| {
        let depth = |step: &Step| step.path().components().count();
        depth(a).cmp(&depth(b)).then_with(|| a.path().cmp(b.path()))
    });
    steps
}

/// Number of components of the deepest of `paths` that is `path` or above it; 0 if none is.
fn deepest<'a>(paths: impl Iterator<Item = &'a Path>, path: &Path) -> usize {
    paths
        .filter(|candidate| path.starts_with(candidate))
        .map(|candidate| candidate.components().count())
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
