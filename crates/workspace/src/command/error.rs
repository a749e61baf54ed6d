//! Why a command or a terminal did not come to its end, or not to its beginning.

use super::{AT_ONCE, CommandOutput};
use crate::error::WorkspaceError;
use crate::network::NetworkError;
use base::{Args, Coded, Failure, args};
use sandbox::SandboxError;
use std::fmt;

/// What a person can take back while something runs with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The whole network.
    Network,
    /// Running without any wall.
    Unsandboxed,
}

impl Right {
    pub fn name(self) -> &'static str {
        match self {
            Right::Network => "network",
            Right::Unsandboxed => "unsandboxed",
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("the policy blocks it: {0}")]
    Blocked(Failure),
    #[error("it was not allowed: {0}")]
    NotAllowed(Failure),
    #[error("it took longer than {limit_ms} ms")]
    TimedOut {
        limit_ms: u64,
        output: Box<CommandOutput>,
    },
    #[error("it was called off")]
    CalledOff { output: Box<CommandOutput> },
    #[error("a right that it had was taken back: {right}")]
    Withdrawn {
        right: Right,
        output: Box<CommandOutput>,
    },
    #[error("{AT_ONCE} commands of this task run already")]
    TooMany,
    #[error("{} terminals of this task are open already", super::terminal::AT_ONCE)]
    TooManyTerminals,
    #[error("there is no such terminal")]
    NoTerminal { id: String },
    #[error("what runs in the terminal reads nothing")]
    TerminalBusy { id: String },
    #[error("it could not be run")]
    Failed(#[source] SandboxError),
    #[error("{reason}")]
    Invalid { call: &'static str, reason: String },
    #[error("judging it failed")]
    Judging(#[source] tokio::task::JoinError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl Coded for CommandError {
    fn code(&self) -> &'static str {
        match self {
            CommandError::Blocked(_) => "command_blocked",
            CommandError::NotAllowed(_) => "approval_denied",
            CommandError::TimedOut { .. } => "command_timeout",
            CommandError::CalledOff { .. } => "command_cancelled",
            CommandError::Withdrawn { .. } => "grant_withdrawn",
            CommandError::TooMany => "too_many_commands",
            CommandError::TooManyTerminals => "too_many_terminals",
            CommandError::NoTerminal { .. } => "terminal_not_open",
            CommandError::TerminalBusy { .. } => "terminal_busy",
            CommandError::Failed(_) | CommandError::Judging(_) => "command_failed",
            CommandError::Invalid { .. } => "invalid_args",
            CommandError::Network(error) => error.code(),
            CommandError::Workspace(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            CommandError::Blocked(why) | CommandError::NotAllowed(why) => args! { reason: why.code },
            CommandError::TimedOut { limit_ms, output } => {
                args! { timedOut: true, timeoutMs: limit_ms, stdout: output.stdout, stderr: output.stderr }
            }
            CommandError::CalledOff { output } => args! { stdout: output.stdout, stderr: output.stderr },
            CommandError::Withdrawn { right, output } => {
                args! { right: right.name(), stdout: output.stdout, stderr: output.stderr }
            }
            CommandError::TooMany => args! { limit: AT_ONCE },
            CommandError::TooManyTerminals => args! { limit: super::terminal::AT_ONCE },
            CommandError::NoTerminal { id } | CommandError::TerminalBusy { id } => args! { terminal: id },
            // The sandbox names paths of the host; its code says what is wrong.
            CommandError::Failed(error) => args! { reason: error.code() },
            CommandError::Judging(_) => args! { reason: "internal" },
            CommandError::Invalid { call, reason } => args! { call: call, reason: reason },
            CommandError::Network(error) => error.args(),
            CommandError::Workspace(error) => error.args(),
        }
    }
}
