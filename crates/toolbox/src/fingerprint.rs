//! Whether a tool's code changed: a cheap look at every call, a hash of the contents when the
//! look differs.

#![allow(clippy::disallowed_methods, reason = "reads the tool's files")]

use base::name::ToolName;
use base::text::hex;
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders that hold no code of the tool's own, beside those that it may write.
const SKIPPED: &[&str] = &["node_modules"];
/// Written by the host from the tool's own declarations, or by an installer.
const NOT_CODE: &[&str] = &["package.json", "package-lock.json"];
/// Says which code of others runs.
const REQUIREMENTS: &str = crate::requirements::FILE;
/// What is code or decides how code runs.
const EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "json", "ts", "py"];
/// Files of a tool; more than this is not a tool's own code.
const MAX_FILES: usize = 2000;

/// Names, sizes, times and inodes of the code files: equal looks mean equal code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look(Vec<(PathBuf, u64, i64, i64, u64)>);

/// Looks at a tool's folder.
pub fn look(folder: &Path) -> io::Result<Look> {
    let mut files = Vec::new();
    collect(folder, Path::new(""), &mut files)?;
    files.sort();
    Ok(Look(files))
}

/// The file that makes the folder a tool; `None` when there is none.
pub fn main_in(folder: &Path, tool: &ToolName) -> Option<String> {
    let mut mains = tool.main_files().into_iter();
    mains.find(|main| folder.join(main).is_file())
}

/// SHA-256 of names and contents, hexadecimal.
pub fn hash(folder: &Path, look: &Look) -> io::Result<String> {
    let mut hasher = Sha256::new();
    for (path, ..) in &look.0 {
        let bytes = fs::read(folder.join(path))?;
        hasher.update(path.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    Ok(hex(&hasher.finalize()))
}

/// Hash of what says what a tool's packages are: the lock, or the stamp of those of Python; empty without one.
pub fn lock_hash(folder: &Path) -> io::Result<String> {
    let mut locks = Vec::new();
    for name in ["package-lock.json", ".venv/.pm-stamp.json"] {
        match fs::read(folder.join(name)) {
            Ok(bytes) => locks.extend(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(match locks.is_empty() {
        true => String::new(),
        false => hash_bytes(&locks),
    })
}

/// SHA-256 of some bytes, hexadecimal.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn collect(root: &Path, below: &Path, files: &mut Vec<(PathBuf, u64, i64, i64, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name();
        let path = below.join(&name);
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let mut skipped = SKIPPED.iter().chain(crate::rights::OWN);
            let skipped = below.as_os_str().is_empty() && skipped.any(|skipped| name == *skipped);
            if !skipped && !name.to_string_lossy().starts_with('.') {
                collect(root, &path, files)?;
            }
            continue;
        }
        let code = path
            .extension()
            .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known));
        let top = below.as_os_str().is_empty();
        let manifest = top && NOT_CODE.iter().any(|known| name == *known);
        let code = code || (top && name == REQUIREMENTS);
        if !kind.is_file() || !code || manifest || name.to_string_lossy().starts_with('.') {
            continue;
        }
        if files.len() >= MAX_FILES {
            return Err(io::Error::other(format!("more than {MAX_FILES} code files")));
        }
        let data = entry.metadata()?;
        files.push((path, data.len(), data.mtime(), data.mtime_nsec(), data.ino()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_counts_and_data_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("a.tool.js", "1");
        put("lib/b.js", "2");
        let first = look(dir.path()).unwrap();
        let hashed = hash(dir.path(), &first).unwrap();
        for data in [
            "data/storage.json",
            "logs/x.js",
            "node_modules/p/index.js",
            "run.log",
            ".env",
            ".sync.json",
            "package.json",
            "cache/generated.js",
        ] {
            put(data, "x");
        }
        assert_eq!(look(dir.path()).unwrap(), first);
        put("requirements.txt", "1");
        assert_ne!(
            look(dir.path()).unwrap(),
            first,
            "it says which code of others runs"
        );
        fs::remove_file(dir.path().join("requirements.txt")).unwrap();
        put("lib/requirements.txt", "1");
        assert_eq!(look(dir.path()).unwrap(), first);
        put("lib/b.js", "3");
        let second = look(dir.path()).unwrap();
        assert_ne!(hash(dir.path(), &second).unwrap(), hashed);
        put("lib/b.js", "2");
        assert_eq!(
            hash(dir.path(), &look(dir.path()).unwrap()).unwrap(),
            hashed,
            "the same contents again"
        );
    }
}
