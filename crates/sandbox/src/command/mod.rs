//! Commands: `sh -c` in a workspace, and interactive terminals, as their callers describe them.
//!
//! A command is the opposite of a worker: any program of the machine, with children, threads and
//! sockets. So it gets a whole small system of its own instead of a short list of system calls:
//! own namespaces with a private `/tmp`, `/proc` and `/dev`, an own network, and the workspace at
//! [`WORKSPACE`]. Whatever it leaves running dies with it.
//!
//! Limits that callers should tell people about:
//! - Repositories of the workspace are there, their hooks and configuration are read-only, also of
//!   those further down (submodules, nested clones) as far as a bounded search goes. In one that a
//!   command itself makes, hooks and settings that would run when a person uses git outside are
//!   found when it has ended ([`Outcome::git`](crate::Outcome)). Where `.git/hooks` is a link, the
//!   command is refused, because a link cannot be held.
//! - What changes the configuration of such a repository fails: `git remote add`, `git config`,
//!   `git push -u`, deleting a branch that is tracked. So does moving or removing a nested one.
//! - What runs in the background ends with the command.
//! - `LD_LIBRARY_PATH` and the like cannot be given as environment, only set in the text: they would
//!   act before the inner wall stands.
//! - Folders of the user's home are not there, but for the toolchains of [`Toolchains`].
//! - Where the host keeps the workspace is said in one place of the full tier: the fourth field of
//!   `/proc/self/mountinfo` is the folder of its file system that a bind mount shows. The kernel has no
//!   way to keep that from a process with a `/proc`. Toolchains of the user's home lie where the host
//!   has them on purpose.
//! - [`Facts::weaker`](crate::Facts::weaker) names what the reduced tier does not give.
//!
//! Deliberately not here: whether a command is a good idea, who may run it, and what is kept of it.

pub mod captured;
pub mod environment;
pub mod outcome;
pub mod prepare;
pub mod seatbelt;
pub mod toolchains;

use crate::policy::{Limits, Mount};
use std::ffi::OsString;
use std::path::PathBuf;
pub use toolchains::Toolchains;

/// Where a command of the full tier finds its workspace. In the reduced tier it lies where the
/// host has it.
pub const WORKSPACE: &str = "/workspace";

/// The home of a command: empty, private, gone afterwards.
pub const HOME: &str = "/tmp/home";

/// Where the proxy's socket is put in the full tier.
pub(crate) const PROXY_SOCKET: &str = "/run/proxy.sock";

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// `/bin/sh -c TEXT`.
    Shell(OsString),
    /// A program by its absolute path or by its name on the command's PATH, with its arguments.
    Program(Vec<OsString>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// An own network whose loopback works. In the reduced tier no sockets at all.
    #[default]
    Off,
    /// As `Off`, and a proxy of the host can be reached through its socket. The proxy judges.
    Proxy(Proxy),
    /// The network of the host. A person's grant, never a default.
    Open,
}

/// A proxy that the host runs outside; it tells HTTP, CONNECT and SOCKS5 by their first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// A unix socket on the host.
    pub socket: PathBuf,
    /// The port of 127.0.0.1 inside on which it appears.
    pub port: u16,
}

impl Proxy {
    /// Where it appears unless something else is wanted.
    pub const PORT: u16 = 3128;
}

/// Everything about one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPolicy {
    /// A program whose `main` begins with [`confine::enter`](crate::confine::enter): it puts up
    /// the inner wall and then becomes the command. Absolute and without symlinks.
    pub program: PathBuf,
    pub run: Run,
    /// The folder of the task, on the host; absolute and without symlinks.
    pub workspace: PathBuf,
    /// Below the workspace.
    pub cwd: PathBuf,
    /// On top of what [`environment`] builds. The owner's own environment is never passed on.
    pub env: Vec<(OsString, OsString)>,
    /// Further folders at the place they have on the host.
    pub mounts: Vec<Mount>,
    /// Hidden even where the workspace or a mount contains them: the data home.
    pub masked: Vec<PathBuf>,
    pub toolchains: Toolchains,
    pub network: Network,
    /// Where the host can promise nothing: start it all the same, without any wall. A person's grant
    /// for one task, never a default; where there is a wall it stands.
    pub unsandboxed: bool,
    pub limits: Limits,
    /// How many processes and threads it may have at a time.
    pub processes: u64,
    /// Bytes of memory of all its processes together, where a cgroup can be had.
    pub memory_together: u64,
}

impl CommandPolicy {
    /// The usual command: no network, no mounts, limits with room for compilers.
    pub fn new(program: impl Into<PathBuf>, workspace: impl Into<PathBuf>, run: Run) -> Self {
        CommandPolicy {
            program: program.into(),
            run,
            workspace: workspace.into(),
            cwd: PathBuf::new(),
            env: Vec::new(),
            mounts: Vec::new(),
            masked: Vec::new(),
            toolchains: Toolchains::default(),
            network: Network::Off,
            unsandboxed: false,
            limits: limits(),
            processes: 512,
            memory_together: 6 << 30,
        }
    }
}

/// Room for compilers, linkers and Node.
pub fn limits() -> Limits {
    Limits {
        memory: 4 << 30,
        open_files: 4096,
        file_size: 4 << 30,
        scratch: 512 << 20,
    }
}
