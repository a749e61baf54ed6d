//! The only door to other processes: a [`Policy`] says what a process may reach, [`prepare`]
//! turns it into walls without touching anything, [`Launcher`] starts it (for others: [`Walls::start`]), [`Child`]
//! watches it.
//!
//! Two layers stand around a process of the full tier. Outside, bubblewrap builds a root from
//! an allow-list in namespaces of its own; inside, the process itself adds Landlock, seccomp and
//! resource limits ([`confine`]) before it looks at anything it was given. The reduced tier is
//! the inner layer alone. Without even that there is no process: [`prepare`] refuses.
//!
//! A [`Policy`] is for workers of our own; a [`CommandPolicy`] is for any program that somebody
//! wants to run in a workspace: [`prepare_command`], then [`Launcher::run`] or
//! [`Launcher::open_terminal`]. [`Walls`] says which facts may be counted on: those that were proved.
//!
//! Deliberately not here: what a process is told and answers (the channel's protocol belongs to
//! its owner), who may have which grant, and whether a command is a good idea.

mod advice;
pub mod command;
mod error;
mod facts;
mod layout;
mod policy;
mod prepare;
mod proof;
mod selftest;
#[cfg(target_os = "linux")]
mod tail;

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod os;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod os;

pub mod confine;
pub mod net;

pub use advice::Advice;
pub use command::captured::Captured;
pub use command::outcome::{Chunk, Ended, GitDanger, Outcome, Stream, Watching};
pub use command::prepare::{PreparedCommand, prepare_command};
pub use command::toolchains::Toolchains;
pub use command::{CommandPolicy, Network, Proxy, Run};
pub use error::SandboxError;
pub use facts::{Cgroup, Facts, Namespaces, Switches, SystemPath, Tier, Weaker};
pub use os::{Child, Launcher, Running, Stop, Streamed, Terminal, detect};
pub use policy::{Access, Kind, Limits, Mount, Policy};
pub use prepare::{Prepared, Wrapper, prepare};
pub use proof::{Proof, TierProof, Walls};
pub use selftest::Check;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    /// In the full tier read from bubblewrap's 128 + n, so a process that *says* 137 looks killed.
    pub signal: Option<i32>,
}

impl Exit {
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}
