//! What stands around a program of the machine that serves as a tool's worker: the walls of commands, since its system
//! calls are too many for the walls of our own workers. It speaks the same protocol, and the same pool keeps it.
//!
//! Sockets cannot be passed to it, so in the full tier it reaches what its tool reaches through a [`Link`]; in the
//! reduced tier it reaches nobody. Its processes are its own and end with it.
//!
//! Deliberately not here: which program that is, and what it is told (`node`, `python`).

use super::error::RunError;
use super::link::Link;
use super::network::Reach;
use super::pool::Host;
use sandbox::command::toolchains;
use sandbox::{CommandPolicy, Mount, Proxy, Run, Tier};
use std::ffi::OsString;
use std::path::Path;

/// Threads count as well: Node has a dozen, and the way out two for each connection.
const PROCESSES: u64 = 512;

pub(super) struct Served<'a> {
    pub(super) words: Vec<OsString>,
    /// A command begins in a folder that it may write.
    pub(super) workspace: &'a Path,
    pub(super) mounts: &'a [Mount],
    /// Hidden but for `mounts`.
    pub(super) home: &'a Path,
    /// Bytes.
    pub(super) memory: u64,
}

impl Host {
    /// The way to whom it may reach, where there is one.
    pub(super) async fn link(&self, reach: &Reach) -> Result<Option<Link>, RunError> {
        let is_full = self.walls().tier().await == Tier::Full;
        match &reach.sockets {
            Some(sockets) if is_full => {
                let link = Link::new(sockets).await;
                Ok(Some(link.map_err(RunError::Socket)?))
            }
            Some(_) | None => Ok(None),
        }
    }

    pub(super) async fn served_policy(&self, served: Served<'_>, link: Option<&Link>) -> CommandPolicy {
        let is_full = self.walls().tier().await == Tier::Full;
        let run = Run::Program(served.words);
        let mut policy = CommandPolicy::new(self.walls().program(), served.workspace, run);
        policy.mounts = served.mounts.to_vec();
        policy.toolchains = toolchains::installed().await;
        if served.home.exists() {
            policy.masked = vec![served.home.to_owned()];
        }
        policy.limits.memory = served.memory;
        policy.memory_together = served.memory;
        policy.processes = PROCESSES;
        policy.env = vec![("PM_APART".into(), if is_full { "1" } else { "0" }.into())];
        if let Some(link) = link {
            policy.network = sandbox::Network::Proxy(Proxy {
                socket: link.socket().to_owned(),
                port: Proxy::PORT,
            });
        }
        policy
    }
}
