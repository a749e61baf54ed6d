//! Looks at the paths of a prepared process just before it starts: they exist, no symbolic link
//! leads to them, and what they are is noted, so that the process can see that it still is.

use super::inner::identity;
use crate::confine::Identity;
use crate::error::SandboxError;
use crate::prepare::Prepared;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;

pub fn look(prepared: &mut Prepared) -> Result<(), SandboxError> {
    for (grant, source) in prepared.confinement.grants.iter_mut().zip(&prepared.sources) {
        let (found, kind) = entry(source)?;
        if !matches!(kind, FileType::Directory | FileType::RegularFile) {
            return Err(SandboxError::PathKind { path: source.clone() });
        }
        grant.identity = Some(found);
    }
    for path in prepared.masked.iter().chain([&prepared.cwd]) {
        if entry(path)?.1 != FileType::Directory {
            return Err(SandboxError::PathKind { path: path.clone() });
        }
    }
    if entry(&prepared.program)?.1 != FileType::RegularFile {
        return Err(SandboxError::PathKind {
            path: prepared.program.clone(),
        });
    }
    Ok(())
}

/// An entry by itself, no link on the way.
pub fn held(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

pub fn entry(path: &Path) -> Result<(Identity, FileType), SandboxError> {
    let path = path.to_owned();
    match held(&path).and_then(rustix::fs::fstat) {
        Ok(stat) => Ok((identity(&stat), FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT | Errno::NOTDIR) => Err(SandboxError::PathMissing { path }),
        Err(Errno::LOOP) => Err(SandboxError::PathSymlink { path }),
        Err(errno) => Err(SandboxError::Start {
            said: path.display().to_string(),
            source: Some(errno.into()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Coded;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_real_entries_by_their_real_names() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        symlink(root.join("folder"), root.join("link")).unwrap();
        std::fs::create_dir(root.join("folder/below")).unwrap();
        let code = |path: &str| entry(&root.join(path)).map_err(|error| error.code());
        assert_eq!(code("folder/below").unwrap().1, FileType::Directory);
        assert_eq!(code("link").unwrap_err(), "sandbox_path_symlink");
        assert_eq!(code("link/below").unwrap_err(), "sandbox_path_symlink");
        assert_eq!(code("none").unwrap_err(), "sandbox_path_missing");
        let same = entry(&root.join("folder")).unwrap();
        assert_eq!(same, entry(&root.join("folder")).unwrap());
        assert_ne!(same, entry(&root.join("folder/below")).unwrap());
    }
}
