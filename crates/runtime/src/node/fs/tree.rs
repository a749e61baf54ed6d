//! Copying without `fchmod`.

#![allow(clippy::disallowed_methods, reason = "this is the file system of the guest")]

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Copies a regular file with its permission bits (less the umask).
pub(super) fn copy_file(from: &Path, to: &Path, exclusive: bool) -> io::Result<()> {
    let mut source = super::options("r", 0)?.open(from)?;
    let data = source.metadata()?;
    if !data.is_file() {
        return Err(io::Error::from_raw_os_error(if data.is_dir() {
            libc::EISDIR
        } else {
            libc::EINVAL
        }));
    }
    if let Ok(there) = fs::metadata(to)
        && (there.dev(), there.ino()) == (data.dev(), data.ino())
    {
        // Truncating the target would empty the source.
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(data.mode() & 0o777);
    if exclusive {
        options.create_new(true);
    }
    io::copy(&mut source, &mut options.open(to)?)?;
    Ok(())
}
