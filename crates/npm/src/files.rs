//! Files beside the content store: the cache of metadata, and tarballs that lie on this machine.
//!
//! Deliberately not here: packages (`store`), trees (`commit`).

#![allow(clippy::disallowed_methods, reason = "a cache: what is lost is fetched again")]

use crate::error::NpmError;
use crate::install::LocalFiles;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// A local tarball that a person named.
const LOCAL_MOST: u64 = 512 << 20;

pub fn read_cached(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// Whole or not at all, but not worth a sync: what is lost is fetched again.
pub fn write_cached(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let temp = path.with_extension(uuid::Uuid::new_v4().simple().to_string());
    let mut file = File::create(&temp)?;
    for part in parts {
        file.write_all(part)?;
    }
    fs::rename(&temp, path)
}

/// `path` as `package.json` of `folder` names it.
pub fn read_local_tarball(folder: &Path, path: &str, files: LocalFiles) -> Result<Vec<u8>, NpmError> {
    let named = folder.join(path);
    let failed = |error| NpmError::io(&named, error);
    let found = named.canonicalize().map_err(failed)?;
    let is_own = || {
        folder
            .canonicalize()
            .is_ok_and(|folder| found.starts_with(folder))
    };
    if files == LocalFiles::Own && !is_own() {
        return Err(failed(io::Error::from(io::ErrorKind::PermissionDenied)));
    }
    let meta = fs::metadata(&found).map_err(failed)?;
    if !meta.is_file() || meta.len() > LOCAL_MOST {
        return Err(failed(io::Error::from(io::ErrorKind::InvalidInput)));
    }
    fs::read(&found).map_err(failed)
}
