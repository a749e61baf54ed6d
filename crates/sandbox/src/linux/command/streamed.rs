//! A command whose standard streams somebody else holds: nothing is drained here, and a pipe that
//! nobody reads makes the command wait.

use super::super::launcher::Launcher;
use super::running::Tree;
use super::start::Wiring;
use crate::command::prepare::PreparedCommand;
use crate::error::SandboxError;
use std::os::fd::OwnedFd;

/// Dropped, everything in it is killed.
#[derive(Debug)]
pub struct Streamed {
    tree: Tree,
}

impl Launcher {
    /// Starts a command with these as its standard input, output and errors. Needs a tokio runtime
    /// with input/output and time.
    pub async fn run_with(
        &self,
        prepared: PreparedCommand,
        streams: [OwnedFd; 3],
    ) -> Result<Streamed, SandboxError> {
        let started = self.start_command(prepared, Wiring::Given(streams)).await?;
        let tree = Tree::adopt(started.process, started.tier, started.status).await?;
        Ok(Streamed { tree })
    }
}

impl Streamed {
    pub fn id(&self) -> u32 {
        self.tree.process.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// The exit code, 128 + n after signal n, when nothing of it lives any more. May be abandoned.
    pub async fn wait(&mut self) -> Result<i32, SandboxError> {
        let end = self.tree.ended().await?;
        self.finish(end.exit_code).await
    }

    /// Kills everything and waits for it.
    pub async fn end(&mut self) -> Result<i32, SandboxError> {
        let end = self.tree.end().await?;
        // It may have been killed on the way to the command.
        let _ = self.tree.clean().await;
        Ok(end.exit_code)
    }

    async fn finish(&mut self, exit_code: i32) -> Result<i32, SandboxError> {
        let _ = self.tree.clean().await;
        match self.tree.never_began() {
            None => Ok(exit_code),
            Some(said) => Err(SandboxError::Start { said, source: None }),
        }
    }
}
