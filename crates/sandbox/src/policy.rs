//! What a process may reach, in the words of the one who starts it.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// What kind of process it is; decides which system calls it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// The QuickJS guest: one process with threads, no network, no children.
    Worker,
    /// Any program in a workspace, with children, threads and sockets of its own namespaces; see
    /// [`CommandPolicy`](crate::command::CommandPolicy).
    Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

/// A folder or file that the process sees at the path it has on the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    pub path: PathBuf,
    pub access: Access,
}

impl Mount {
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Mount {
            path: path.into(),
            access: Access::ReadOnly,
        }
    }

    pub fn read_write(path: impl Into<PathBuf>) -> Self {
        Mount {
            path: path.into(),
            access: Access::ReadWrite,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of heap and other private writable memory, thread stacks included.
    pub memory: u64,
    pub open_files: u64,
    /// Bytes that any one file may grow to.
    pub file_size: u64,
    /// Bytes of the private `/tmp`, which only the full tier has.
    pub scratch: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Limits {
            memory: 512 * MIB,
            open_files: 256,
            file_size: 256 * MIB,
            scratch: 64 * MIB,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub kind: Kind,
    /// Absolute and without symlinks; the process sees it, read-only, without a mount.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// `/`, or a place inside a mount.
    pub cwd: PathBuf,
    /// The whole environment. Variables that the loader or the C library act upon are refused:
    /// they would run before the inner wall stands.
    pub env: Vec<(OsString, OsString)>,
    pub mounts: Vec<Mount>,
    /// Folders that stay hidden even where a mount contains them; mounts below them are seen.
    pub masked: Vec<PathBuf>,
    pub limits: Limits,
}
