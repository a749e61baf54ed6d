//! Temporary folders of commands in the reduced tier, one of them made in advance: on a disk that
//! is a third of what the tier costs, and nobody waits for it while the command before runs.
//!
//! An owner that ends without a word leaves one empty folder, which the next one removes.
//!
//! Deliberately not here: removing a folder with something in it. That is its supervisor's.

#![allow(
    clippy::disallowed_methods,
    reason = "makes and removes the folders of commands"
)]

use rustix::fs::Mode;
use std::io;
use std::path::{Path, PathBuf};

/// Names begin with this and the number of their owner.
const PREFIX: &str = "pm-command-";
const PLACE: &str = "/tmp";

#[derive(Debug, Default)]
pub struct Reserve {
    made: Option<PathBuf>,
    swept: bool,
}

impl Reserve {
    /// A new empty folder that only this user can look into.
    pub fn take(&mut self) -> io::Result<PathBuf> {
        match self.made.take() {
            // Whoever tidies up the temporary folder may have removed it.
            Some(folder) if folder.is_dir() => Ok(folder),
            _ => make(),
        }
    }

    /// Makes the next one. Without it the next command makes its own.
    pub fn refill(&mut self) {
        if !self.swept {
            self.swept = true;
            sweep();
        }
        if self.made.is_none() {
            self.made = make().ok();
        }
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        if let Some(folder) = &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn make() -> io::Result<PathBuf> {
    let mut random = [0; 8];
    fill(&mut random)?;
    let name = format!(
        "{PREFIX}{}-{:016x}",
        std::process::id(),
        u64::from_ne_bytes(random)
    );
    let folder = Path::new(PLACE).canonicalize()?.join(name);
    rustix::fs::mkdir(&folder, Mode::RWXU)?;
    Ok(folder)
}

/// Empty folders of owners that were killed.
fn sweep() {
    for entry in std::fs::read_dir(PLACE).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner).exists()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

#[allow(unsafe_code, reason = "the call has no safe binding without another feature")]
fn fill(bytes: &mut [u8]) -> io::Result<()> {
    // SAFETY: pointer and length are those of the slice.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    match usize::try_from(got) {
        Ok(count) if count == bytes.len() => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn each_is_new_private_and_the_unused_one_goes() {
        let mut reserve = Reserve::default();
        let first = reserve.take().unwrap();
        reserve.refill();
        let kept = reserve.made.clone().unwrap();
        let second = reserve.take().unwrap();
        assert!(second == kept && second != first);
        assert_eq!(second.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        reserve.refill();
        std::fs::remove_dir(reserve.made.clone().unwrap()).unwrap();
        let third = reserve.take().unwrap();
        assert!(third.is_dir(), "made anew");
        reserve.refill();
        let unused = reserve.made.clone().unwrap();
        drop(reserve);
        assert!(!unused.exists());
        for folder in [first, second, third] {
            std::fs::remove_dir(folder).unwrap();
        }
    }
}
