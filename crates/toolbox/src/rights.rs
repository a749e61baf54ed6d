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

/// Whether `path` may be asked for at all by this tool.
pub fn check_reserved(home: &DataHome, folder: &Path, path: &Path) -> Result<(), RightsError> {
    let own = path.starts_with(folder);
    let open = path.starts_with(home.shared()) || path.starts_with(home.workspaces());
    let code = path.starts_with(folder.join("node_modules"));
    if path.starts_with(home.root()) && (!(own || open) || code) {
        return Err(RightsError::Reserved(path.to_owned()));
    }
    Ok(())
}

/// What of `wanted` still waits for a person.
pub fn waiting(home: &DataHome, tool: &Tool, wanted: &Directories, granted: &[PathBuf]) -> Vec<PathBuf> {
    let shipped = tool.built_in && wanted.origin == Origin::RuntimeConfig;
    let allowed = |path: &Path| {
        shipped
            || path.starts_with(&tool.folder)
            || (path.starts_with(home.shared()) && tool.built_in)
            || granted.iter().any(|grant| path.starts_with(grant))
    };
    wanted
        .paths
        .iter()
        .filter(|path| !allowed(path))
        .cloned()
        .collect()
}

/// Turns what a tool wants into mounts; everything must be granted.
pub fn resolve(
    home: &DataHome,
    tool: &Tool,
    wanted: &Directories,
    granted: &[PathBuf],
) -> Result<Rights, RightsError> {
    for path in &wanted.paths {
        check_reserved(home, &tool.folder, path)?;
    }
    let waiting = waiting(home, tool, wanted, granted);
    if !waiting.is_empty() {
        return Err(RightsError::NotGranted(waiting));
    }
    let real = |path: &Path| {
        std::fs::canonicalize(path).map_err(|source| RightsError::Io {
            path: path.to_owned(),
            source,
        })
    };
    let folder = real(&tool.folder)?;
    let mut rights = Rights {
        directories: Vec::new(),
        mounts: vec![Mount::read_only(&folder)],
        absent: Vec::new(),
    };
    for own in ["data", "logs"] {
        rights.mounts.push(Mount::read_write(folder.join(own)));
    }
    for path in &wanted.paths {
        if path.starts_with(&tool.folder) || path.starts_with(home.shared()) {
            base::atomic::create_dir_all(path).map_err(|source| RightsError::Io {
                path: path.clone(),
                source,
            })?;
        }
        let Ok(found) = std::fs::canonicalize(path) else {
            rights.absent.push(path.clone());
            continue;
        };
        // A link must not lead where the path itself might not.
        if found != *path {
            check_reserved(home, &folder, &found)?;
        }
        if found != folder && !rights.mounts.iter().any(|mount| mount.path == found) {
            rights.mounts.push(Mount::read_write(&found));
        }
        rights.directories.push(found);
    }
    if rights.directories.is_empty() {
        rights.directories.push(folder.join("data"));
    }
    Ok(rights)
}

/// The pool's key: everything a worker is started with, and the code it runs.
pub fn key(spec: &ToolSpec, code: &str) -> String {
    let mut text = format!("{code}\n{}\n", spec.load.heap);
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
