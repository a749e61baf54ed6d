//! The repository's files as git knows them, and stamps that tell whether work must be done again.

use crate::{Outcome, proc};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// Paths, relative to the root, of what is committed or would be: ignored files are left out.
pub fn tracked() -> Outcome<Vec<String>> {
    // A clone that belongs to somebody else (a container's checkout) is still ours to read.
    let listing = proc::capture(proc::program("git").args([
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
    let mut paths: Vec<String> = listing
        .split('\0')
        .filter(|path| !path.is_empty() && proc::root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// One number for the contents and names below `folder`, without the sub-folders named in `skip`.
pub fn fingerprint(folder: &Path, skip: &[&str]) -> Outcome<String> {
    let mut found = BTreeMap::new();
    collect(folder, folder, skip, &mut found)?;
    let mut hasher = DefaultHasher::new();
    for (name, path) in found {
        hasher.write(name.as_bytes());
        hasher.write(&[0]);
        let bytes = fs::read(path)?;
        hasher.write_u64(bytes.len() as u64);
        hasher.write(&bytes);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn collect(
    top: &Path,
    folder: &Path,
    skip: &[&str],
    found: &mut BTreeMap<String, PathBuf>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !skip.contains(&name.as_str()) {
                collect(top, &path, skip, found)?;
            }
        } else if path.is_file() {
            let relative = path
                .strip_prefix(top)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            found.insert(relative, path);
        }
    }
    Ok(())
}

/// Remembers under `name` that the work for `fingerprint` was done.
pub struct Stamp {
    path: PathBuf,
    fingerprint: String,
}

impl Stamp {
    pub fn new(name: &str, fingerprint: String) -> Self {
        Stamp {
            path: proc::scratch().join(format!("{name}.stamp")),
            fingerprint,
        }
    }

    pub fn is_fresh(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|text| text == self.fingerprint)
    }

    pub fn set(&self) -> Outcome {
        fs::create_dir_all(proc::scratch())?;
        Ok(fs::write(&self.path, &self.fingerprint)?)
    }
}

/// A folder with nothing in it.
pub fn make_empty(folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// A folder that is removed when it goes out of scope.
pub struct TempDir(PathBuf);

impl TempDir {
    /// Outside the repository and short: sockets' paths may have at most 107 bytes.
    pub fn new(label: &str) -> Outcome<Self> {
        let start = std::process::id();
        for number in 0..1000 {
            let path = std::env::temp_dir().join(format!("pm-{label}-{start}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(TempDir(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err("no free name for a temporary folder".into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} stays: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_follows_contents_and_names_but_not_skipped_folders() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("src")).unwrap();
        fs::create_dir_all(at("dist")).unwrap();
        fs::write(at("src/a"), "1").unwrap();
        let of = || fingerprint(dir.path(), &["dist"]).unwrap();
        let first = of();
        fs::write(at("dist/out"), "built").unwrap();
        assert_eq!(of(), first, "the result is no source");
        fs::write(at("src/a"), "2").unwrap();
        assert_ne!(of(), first);
        fs::write(at("src/a"), "1").unwrap();
        assert_eq!(of(), first);
        fs::rename(at("src/a"), at("src/b")).unwrap();
        assert_ne!(of(), first);
    }

    #[test]
    fn git_lists_this_file_and_nothing_ignored() {
        let all = tracked().unwrap();
        assert!(all.iter().any(|path| path == "xtask/src/files.rs"));
        assert!(!all.iter().any(|path| path.starts_with("target/")));
    }
}
