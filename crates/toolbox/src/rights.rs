//! What a tool may reach: its own folder, what it was shipped with, what a person granted
//! (HOUSE, "Declared means requested").

#![allow(
    clippy::disallowed_methods,
    reason = "resolves directories before they are mounted"
)]

use crate::catalog::Tool;
use crate::directories::{Directories, Origin};
use base::{Args, Coded, DataHome, args};
use runtime::host::Mount;
use runtime::host::ToolSpec;
use std::io;
use std::path::{Path, PathBuf};

/// Directories and mounts of one tool, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Rights {
    /// What the tool sees as its allowed directories, in its order.
    pub directories: Vec<PathBuf>,
    /// The tool's folder read-only, its own data folders and `directories` writable.
    pub mounts: Vec<Mount>,
    /// Listed, granted, but not there.
    pub absent: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum RightsError {
    #[error("not granted: {0:?}")]
    NotGranted(Vec<PathBuf>),
    #[error("{0} belongs to the data home and can be given to nobody")]
    Reserved(PathBuf),
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for RightsError {
    fn code(&self) -> &'static str {
        match self {
            RightsError::NotGranted(_) => "permission_required",
            RightsError::Reserved(_) => "directory_reserved",
            RightsError::Io { .. } => "directory_io",
        }
    }
    fn args(&self) -> Args {
        match self {
            RightsError::NotGranted(paths) => {
                let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                args! { directories: list.join(", "), first: list.first() }
            }
            RightsError::Reserved(path) => args! { path: path },
            RightsError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

/// Folders of a tool's own that it may write. They are never scanned for code, and the rest of
/// its folder is never writable.
pub const OWN: &[&str] = &["data", "logs", "cache", "tmp", "output"];

/// Refuses what no tool can be given: the data home, but for the tool's own folders, `shared/`
/// and task folders below `workspaces/`.
pub fn check_reserved(home: &DataHome, folder: &Path, path: &Path) -> Result<(), RightsError> {
    let own = path == folder || own_part(folder, path).is_some();
    let open =
        path.starts_with(home.shared()) || (path.starts_with(home.workspaces()) && path != home.workspaces());
    if path.starts_with(home.root()) && !own && !open {
        return Err(RightsError::Reserved(path.to_owned()));
    }
    Ok(())
}

/// What of `wanted` still waits for a person.
pub fn waiting(home: &DataHome, tool: &Tool, wanted: &Directories, granted: &[PathBuf]) -> Vec<PathBuf> {
    let waits = |path: &&PathBuf| matches!(judge(home, tool, wanted, granted, path), Ok(Verdict::Waits));
    wanted.paths.iter().filter(waits).cloned().collect()
}

/// Turns what a tool wants into mounts; everything must be granted.
pub fn resolve(
    home: &DataHome,
    tool: &Tool,
    wanted: &Directories,
    granted: &[PathBuf],
) -> Result<Rights, RightsError> {
    let folder = real(&tool.folder)?;
    let mut rights = Rights {
        directories: Vec::new(),
        mounts: vec![Mount::read_only(&folder)],
        absent: Vec::new(),
    };
    for own in ["data", "logs"] {
        rights
            .mounts
            .push(Mount::read_write(make_beneath(&folder, Path::new(own))?));
    }
    let mut waits = Vec::new();
    for path in &wanted.paths {
        let found = match judge(home, tool, wanted, granted, path)? {
            Verdict::OwnFolder => {
                rights.directories.push(folder.clone());
                continue;
            }
            Verdict::Beneath { root, below } => make_beneath(&real(&root)?, &below)?,
            Verdict::Outside(found) => found,
            Verdict::Waits => {
                waits.push(path.clone());
                continue;
            }
            Verdict::Absent => {
                rights.absent.push(path.clone());
                continue;
            }
        };
        if !rights.mounts.iter().any(|mount| mount.path == found) {
            rights.mounts.push(Mount::read_write(&found));
        }
        rights.directories.push(found);
    }
    if !waits.is_empty() {
        return Err(RightsError::NotGranted(waits));
    }
    if rights.directories.is_empty() {
        rights.directories.push(folder.join("data"));
    }
    Ok(rights)
}

enum Verdict {
    /// The tool's folder itself: readable as ever.
    OwnFolder,
    /// A folder of ours, reached without following links.
    Beneath {
        root: PathBuf,
        below: PathBuf,
    },
    /// Where the path really leads, and that place is granted.
    Outside(PathBuf),
    Waits,
    Absent,
}

/// Judges a path by where it really leads: a tool can plant links in what it may write, and a
/// model can name a link that stands inside a granted folder.
fn judge(
    home: &DataHome,
    tool: &Tool,
    wanted: &Directories,
    granted: &[PathBuf],
    path: &Path,
) -> Result<Verdict, RightsError> {
    check_reserved(home, &tool.folder, path)?;
    if path == tool.folder {
        return Ok(Verdict::OwnFolder);
    }
    if let Some(below) = own_part(&tool.folder, path) {
        return Ok(Verdict::Beneath {
            root: tool.folder.clone(),
            below,
        });
    }
    let shipped = tool.built_in && wanted.origin == Origin::RuntimeConfig;
    let under_grant = |path: &Path| granted.iter().any(|grant| path.starts_with(grant));
    if let Ok(below) = path.strip_prefix(home.shared()) {
        let allowed = tool.built_in || under_grant(path);
        return Ok(match allowed {
            true => Verdict::Beneath {
                root: home.shared(),
                below: below.to_owned(),
            },
            false => Verdict::Waits,
        });
    }
    let Ok(found) = std::fs::canonicalize(path) else {
        return Ok(if shipped || under_grant(path) {
            Verdict::Absent
        } else {
            Verdict::Waits
        });
    };
    check_reserved(home, &real(&tool.folder)?, &found)?;
    if found.starts_with(home.root()) && !found.starts_with(home.workspaces()) {
        return Err(RightsError::Reserved(found));
    }
    Ok(if shipped || under_grant(&found) {
        Verdict::Outside(found)
    } else {
        Verdict::Waits
    })
}

/// The part of `path` below `folder`, when it lies in one of the tool's own writable folders.
fn own_part(folder: &Path, path: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(folder).ok()?;
    let first = below.components().next()?;
    OWN.iter()
        .any(|own| first.as_os_str() == *own)
        .then(|| below.to_owned())
}

/// Creates the folders of `below` under `root`, refusing links on the way. A link that is planted
/// later is refused by the sandbox when it mounts.
fn make_beneath(root: &Path, below: &Path) -> Result<PathBuf, RightsError> {
    let mut path = root.to_owned();
    for part in below.components() {
        path.push(part);
        let failed = |source| RightsError::Io {
            path: path.clone(),
            source,
        };
        match std::fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => {}
            Ok(_) => return Err(RightsError::Reserved(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::create_dir(&path).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(path)
}

fn real(path: &Path) -> Result<PathBuf, RightsError> {
    std::fs::canonicalize(path).map_err(|source| RightsError::Io {
        path: path.to_owned(),
        source,
    })
}

/// The pool's key: everything a worker is started with, and the code it runs.
pub fn key(spec: &ToolSpec, code: &str, lock: &str) -> String {
    let mut text = format!("{code}\n{lock}\n{:?}\n{}\n", spec.engine, spec.load.heap);
    for mount in &spec.mounts {
        text.push_str(&format!("{:?} {}\n", mount.access, mount.path.display()));
    }
    for directory in &spec.load.directories {
        text.push_str(&format!("dir {}\n", directory.display()));
    }
    for (name, value) in &spec.load.env {
        text.push_str(&format!("{name}={value}\0"));
    }
    crate::fingerprint::hash_bytes(text.as_bytes())
}
