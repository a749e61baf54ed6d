//! A command behind the walls of commands, run to its end.

use super::error::RunError;
use super::pool::Host;
use sandbox::{CommandPolicy, Outcome, Watching, prepare_command};
use std::time::Duration;

impl Host {
    /// `kept`: bytes of each stream. Without `limit` the caller ends it by no longer waiting.
    pub(super) async fn outcome(
        &self,
        policy: &CommandPolicy,
        limit: Option<Duration>,
        kept: usize,
    ) -> Result<Outcome, RunError> {
        let prepared = prepare_command(policy, self.walls().facts().await)?;
        let watching = Watching {
            limit,
            cap: kept,
            live: None,
        };
        let mut running = self.walls().launcher().run(prepared, watching).await?;
        Ok(running.wait().await?)
    }
}
