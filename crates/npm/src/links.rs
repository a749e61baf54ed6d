//! Commands of packages: links in `node_modules/.bin`.
//!
//! Deliberately not here: shims for Windows, where this installer does not run yet.

#![allow(clippy::disallowed_methods, reason = "makes links in a tree nobody sees yet")]

use crate::error::NpmError;
use std::fs;
use std::path::Path;

/// `modules` is a `node_modules` folder, `package` a folder in it. What another package took first
/// stays.
pub fn link_bins<'a>(
    modules: &Path,
    package: &str,
    bins: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(), NpmError> {
    let folder = modules.join(".bin");
    for (name, path) in bins {
        if !modules.join(package).join(path).is_file() {
            continue;
        }
        fs::create_dir_all(&folder).map_err(|error| NpmError::io(&folder, error))?;
        let link = folder.join(name);
        let target = format!("../{package}/{path}");
        match std::os::unix::fs::symlink(target, &link) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(NpmError::io(&link, error));
            }
            _ => {}
        }
    }
    Ok(())
}
