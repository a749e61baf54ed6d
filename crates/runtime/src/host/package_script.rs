//! A lifecycle script of a package, behind the walls of commands: it writes below its package's folder
//! and in a home that is gone afterwards, reads the tree around it, and has no network.
//!
//! Deliberately not here: who allowed it, and which package it belongs to.

use super::error::RunError;
use super::pool::Host;
use sandbox::command::toolchains;
use sandbox::{CommandPolicy, Mount, Outcome, Run};
use std::ffi::OsString;
use std::path::Path;

/// Kept of each stream.
const CAP: usize = 64 * 1024;
/// Set aside for the start of the script alone.
const BINS: &str = "PM_SCRIPT_BINS";

/// Everything about one script. All paths are absolute and without links.
#[derive(Clone, Copy, Debug)]
pub struct PackageScript<'a> {
    /// What `sh` runs, in the package's folder.
    pub text: &'a str,
    pub folder: &'a Path,
    /// The `node_modules` around it.
    pub tree: &'a Path,
    /// Folders of commands that come before the machine's.
    pub bins: &'a [&'a Path],
    pub env: &'a [(&'a str, String)],
    /// Hidden: the data home.
    pub home: &'a Path,
    /// A folder that nobody else uses.
    pub empty: &'a Path,
}

impl Host {
    /// Runs until the script has ended, and all that it started. Dropped, it is killed.
    pub async fn package_script(&self, script: PackageScript<'_>) -> Result<Outcome, RunError> {
        // The folder that commands begin in is the empty one: the package lies in the data home.
        let text = format!(
            "cd \"${{npm_package_json%/*}}\" || exit 126\nPATH=\"${BINS}:$PATH\"\nexport PATH\nunset {BINS}\n{}",
            script.text
        );
        let mut policy = CommandPolicy::new(self.walls().program(), script.empty, Run::Shell(text.into()));
        policy.mounts = vec![Mount::read_only(script.tree), Mount::read_write(script.folder)];
        policy.masked = vec![script.home.to_owned()];
        // Node may be one of them.
        policy.toolchains = toolchains::installed().await;
        let bins: Vec<&std::ffi::OsStr> = script.bins.iter().map(|path| path.as_os_str()).collect();
        let named = script
            .env
            .iter()
            .map(|(name, value)| ((*name).into(), value.into()));
        policy.env = named.collect();
        policy.env.push((BINS.into(), bins.join(":".as_ref())));
        policy.env.push((
            "npm_package_json".into(),
            OsString::from(script.folder.join("package.json")),
        ));
        self.outcome(&policy, None, CAP).await
    }
}
