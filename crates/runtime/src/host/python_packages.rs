//! Packages of a tool in Python, into a virtual environment of its own, behind the walls of commands: what installs them
//! writes in that one folder, sees no home, no keys and no configuration, and reaches the index of packages alone. Only
//! wheels are taken: what would have to be built runs code of strangers before anybody granted it anything.
//!
//! `uv` does it where the machine has it, else Python's own `venv` and `pip`.
//!
//! Limit: the full tier alone. The reduced tier cannot let a command reach one host and no other.
//!
//! Deliberately not here: what is wanted, where the folder goes when it is whole.

use super::error::RunError;
use super::interpreters::PYTHON;
use super::pool::Host;
use sandbox::command::toolchains;
use sandbox::net::proxy::{self, Options};
use sandbox::net::{HostRules, Network, Tally};
use sandbox::{CommandPolicy, Mount, Outcome, Proxy, Run, SandboxError, Tier};
use std::path::{Path, PathBuf};

/// Exit code: this Python cannot make virtual environments.
pub const NO_VENV: i32 = 91;

/// Kept of each stream.
const CAP: usize = 64 * 1024;

/// What it is given stands in variables. `uv` is asked for nothing that older ones have not.
const SCRIPT: &str = "unset no_proxy NO_PROXY all_proxy ALL_PROXY
set -e
printf '%s' \"$PM_REQUIREMENTS\" > requirements.txt
if command -v uv > /dev/null 2>&1; then
  uv venv --python \"$PM_PYTHON\" \"$PM_VENV\"
  exec uv pip install --python \"$PM_VENV/bin/python\" --only-binary :all: --compile-bytecode --index-url \"$PM_INDEX\" -r requirements.txt
fi
\"$PM_PYTHON\" -I -c 'import ensurepip, venv' || exit NO_VENV
\"$PM_PYTHON\" -I -m venv \"$PM_VENV\"
exec \"$PM_VENV/bin/python\" -I -m pip install --only-binary :all: --index-url \"$PM_INDEX\" -r requirements.txt";

/// Everything about one install. All paths are absolute and without links.
#[derive(Clone, Debug)]
pub struct PythonPackages<'a> {
    /// One a line.
    pub requirements: &'a str,
    /// An empty folder that becomes the environment.
    pub venv: &'a Path,
    /// Where packages are listed.
    pub index: &'a str,
    /// Whom it may reach.
    pub hosts: HostRules,
    /// Hidden: the data home.
    pub home: &'a Path,
    /// A folder that nobody else uses.
    pub empty: &'a Path,
    /// A folder of the owner's, for a socket.
    pub sockets: &'a Path,
}

impl Host {
    /// Runs until it has ended; says which Python it was and whom it asked for. Dropped, it is killed.
    pub async fn python_packages(
        &self,
        packages: PythonPackages<'_>,
    ) -> Result<(Outcome, PathBuf, Tally), RunError> {
        let tier = self.walls().tier().await;
        if tier != Tier::Full {
            return Err(SandboxError::NetworkNeedsFull { tier }.into());
        }
        let newest = self.newest_python(packages.empty, packages.home).await?;
        let tally = Tally::default();
        let (listener, socket) = proxy::listen(packages.sockets).map_err(RunError::Socket)?;
        let network = Network::new(packages.hosts, self.own_ports());
        let _proxy = proxy::serve(listener, network, Options::new(tally.audit()));
        let script = SCRIPT.replace("NO_VENV", &NO_VENV.to_string());
        let run = Run::Shell(script.into());
        let mut policy = CommandPolicy::new(self.walls().program(), packages.empty, run);
        policy.mounts = vec![Mount::read_write(packages.venv)];
        policy.masked = vec![packages.home.to_owned()];
        policy.toolchains = toolchains::installed().await;
        policy.network = sandbox::Network::Proxy(Proxy {
            socket: socket.path().to_owned(),
            port: Proxy::PORT,
        });
        policy.env = [
            ("PM_REQUIREMENTS", packages.requirements.into()),
            ("PM_PYTHON", newest.clone().into_os_string()),
            ("PM_VENV", packages.venv.into()),
            ("PM_INDEX", packages.index.into()),
            ("PIP_CONFIG_FILE", "/dev/null".into()),
            ("PIP_NO_INPUT", "1".into()),
            ("PIP_NO_CACHE_DIR", "1".into()),
            ("PIP_DISABLE_PIP_VERSION_CHECK", "1".into()),
            ("UV_NO_CONFIG", "1".into()),
            ("UV_NO_PROGRESS", "1".into()),
            ("UV_LINK_MODE", "copy".into()),
            ("UV_PYTHON_DOWNLOADS", "never".into()),
            ("UV_CACHE_DIR", "/tmp/uv".into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        PYTHON.show(&mut policy, &newest).await;
        Ok((self.outcome(&policy, None, CAP).await?, newest, tally))
    }
}
