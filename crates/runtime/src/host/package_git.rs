//! `git` for packages that lie in repositories, behind the walls of commands: it writes in a folder
//! that is gone afterwards, sees no home, no keys and no configuration, and reaches one host.
//!
//! Limit: the full tier alone. The reduced tier cannot let a command reach one host and no other.
//!
//! Deliberately not here: what git is to do, and for which package.

use super::error::RunError;
use super::pool::Host;
use sandbox::net::proxy::{self, Options};
use sandbox::net::{HostRules, Network, Tally};
use sandbox::{CommandPolicy, Outcome, Proxy, Run, SandboxError, Tier};
use std::ffi::OsString;
use std::path::Path;

/// Kept of what git says.
const CAP: usize = 16 * 1024;

/// Everything about one run of git. All paths are absolute and without links.
#[derive(Clone, Debug)]
pub struct PackageGit<'a> {
    /// For `sh`, in the empty folder.
    pub script: &'a str,
    pub env: &'a [(&'a str, String)],
    /// Whom it may reach.
    pub hosts: HostRules,
    /// Hidden: the data home.
    pub home: &'a Path,
    /// A folder that nobody else uses; what it leaves lies there.
    pub empty: &'a Path,
    /// A folder of the owner's, for a socket.
    pub sockets: &'a Path,
}

impl Host {
    /// Runs until it has ended; says whom it asked for. Dropped, it is killed.
    pub async fn package_git(&self, git: PackageGit<'_>) -> Result<(Outcome, Tally), RunError> {
        let tier = self.walls().tier().await;
        if tier != Tier::Full {
            return Err(SandboxError::NetworkNeedsFull { tier }.into());
        }
        let tally = Tally::default();
        let (listener, socket) = proxy::listen(git.sockets).map_err(RunError::Socket)?;
        let network = Network::new(git.hosts, self.own_ports());
        let _proxy = proxy::serve(listener, network, Options::new(tally.audit()));
        // A repository of this machine is reached as every other one is.
        let text = format!("unset no_proxy NO_PROXY\n{}", git.script);
        let mut policy = CommandPolicy::new(self.walls().program(), git.empty, Run::Shell(text.into()));
        policy.masked = vec![git.home.to_owned()];
        policy.network = sandbox::Network::Proxy(Proxy {
            socket: socket.path().to_owned(),
            port: Proxy::PORT,
        });
        let given = git.env.iter().map(|(name, value)| ((*name).into(), value.into()));
        policy.env = given.collect();
        // Nobody is there to be asked for a password.
        policy
            .env
            .push(("GIT_TERMINAL_PROMPT".into(), OsString::from("0")));
        policy
            .env
            .push(("GIT_ALLOW_PROTOCOL".into(), OsString::from("http:https")));
        Ok((self.outcome(&policy, None, CAP).await?, tally))
    }
}
