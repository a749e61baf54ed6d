//! Which version of a command this machine has: `COMMAND --version`, behind the walls of commands.
//!
//! Deliberately not here: whether that version will do.

use super::error::RunError;
use super::pool::Host;
use sandbox::{CommandPolicy, Outcome, Run};
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// A version stands at the beginning.
const READ: usize = 4 * 1024;

impl Host {
    /// What `program --version` printed. `home` is hidden, `empty` is the folder that it sees.
    pub async fn version_text(&self, program: &Path, home: &Path, empty: &Path) -> Result<String, RunError> {
        let mut policy = self.version_policy(program, empty);
        policy.masked = vec![home.to_owned()];
        let outcome = self.ask_version(&policy).await?;
        // Some say it on the other stream.
        Ok(format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text()))
    }

    /// `program --version` with `empty` to be seen, and what the caller adds.
    pub(super) fn version_policy(&self, program: &Path, empty: &Path) -> CommandPolicy {
        let words = vec![program.as_os_str().to_owned(), "--version".into()];
        CommandPolicy::new(self.walls().program(), empty, Run::Program(words))
    }

    pub(super) async fn ask_version(&self, policy: &CommandPolicy) -> Result<Outcome, RunError> {
        self.outcome(policy, Some(PATIENCE), READ).await
    }
}
