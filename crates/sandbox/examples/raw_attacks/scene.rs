//! Where the attacks take place. Paths by convention below one temporary folder.

use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scene {
    pub root: PathBuf,
    /// A process of the same user outside, and where its secret lies.
    pub victim: i32,
    pub secret_at: usize,
    pub tcp_port: u16,
    pub abstract_name: String,
}

impl Scene {
    pub fn home(&self, path: &str) -> PathBuf {
        self.root.join("home").join(path)
    }

    pub fn tool(&self, path: &str) -> PathBuf {
        self.home(".pm/toolbox/t").join(path)
    }

    pub fn data(&self, path: &str) -> PathBuf {
        self.tool("data").join(path)
    }
}

pub const SECRET: &[u8; 16] = b"the victim's own";

/// An attempt; `Ok` means that it succeeded.
pub type Attempt = fn(&Scene) -> io::Result<()>;

/// A system call with up to six arguments, without the C library's say.
pub fn sys(number: libc::c_long, args: &[usize]) -> io::Result<usize> {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0);
    let result = unsafe { libc::syscall(number, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)) };
    match usize::try_from(result) {
        Ok(value) => Ok(value),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// A path as the kernel wants it. Leaked: the program is short.
pub fn at(path: impl AsRef<Path>) -> usize {
    let text = CString::new(path.as_ref().as_os_str().as_bytes()).unwrap();
    text.into_raw() as usize
}

pub const CWD: usize = libc::AT_FDCWD as isize as usize;

pub fn open(path: impl AsRef<Path>, flags: i32, mode: usize) -> io::Result<usize> {
    sys(libc::SYS_openat, &[CWD, at(path), flags as usize, mode])
}

pub fn close(file: usize) {
    let _ = sys(libc::SYS_close, &[file]);
}

pub fn read(path: impl AsRef<Path>) -> io::Result<()> {
    let file = open(path, libc::O_RDONLY, 0)?;
    let mut buffer = [0u8; 16];
    let result = sys(
        libc::SYS_read,
        &[file, buffer.as_mut_ptr() as usize, buffer.len()],
    );
    close(file);
    match result? {
        0 => Err(io::Error::from_raw_os_error(libc::ENODATA)),
        _ => Ok(()),
    }
}

pub fn write(path: impl AsRef<Path>, flags: i32) -> io::Result<()> {
    let file = open(path, libc::O_WRONLY | flags, 0o644)?;
    let result = sys(libc::SYS_write, &[file, b"evil\n".as_ptr() as usize, 5]);
    close(file);
    result.map(drop)
}
