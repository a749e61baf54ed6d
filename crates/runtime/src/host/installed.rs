//! Which version of a command this machine has: `COMMAND --version`, behind the walls of commands.
//!
//! Deliberately not here: whether that version will do.

use super::error::RunError;
use super::pool::Host;
use sandbox::{CommandPolicy, Run, Watching, prepare_command};
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// A version stands at the beginning.
const READ: usize = 4 * 1024;

impl Host {
    /// What `program --version` printed. `home` is hidden, `empty` is the folder that it sees.
    pub async fn version_text(&self, program: &Path, home: &Path, empty: &Path) -> Result<String, RunError> {
        let words = vec![program.as_os_str().to_owned(), "--version".into()];
        let mut policy = CommandPolicy::new(self.worker_program(), empty, Run::Program(words));
        policy.masked = vec![home.to_owned()];
        let prepared = prepare_command(&policy, self.facts())?;
        let watching = Watching {
            limit: Some(PATIENCE),
            cap: READ,
            live: None,
        };
        let mut running = self.launcher().run(prepared, watching).await?;
        let outcome = running.wait().await?;
        // Some say it on the other stream.
        Ok(format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text()))
    }
}
