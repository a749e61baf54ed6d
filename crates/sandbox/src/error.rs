//! Why a process was not started, or not watched to its end.

use crate::facts::Tier;
use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("no sandbox for processes on this system: {missing}")]
    Unavailable { missing: &'static str },
    #[error("processes are not started on this operating system")]
    Unsupported,
    #[error("{path}: not an absolute path in plain form")]
    PathInvalid { path: PathBuf },
    #[error("{path} can never be part of a sandbox in this way")]
    PathForbidden { path: PathBuf },
    #[error("{path} does not exist")]
    PathMissing { path: PathBuf },
    #[error("{path} leads through a symbolic link")]
    PathSymlink { path: PathBuf },
    #[error("{path} is neither a folder nor a plain file")]
    PathKind { path: PathBuf },
    #[error("{mount} would uncover {masked} in tier {}", tier.as_str())]
    Masked {
        mount: PathBuf,
        masked: PathBuf,
        tier: Tier,
    },
    #[error("{inner} is to be read-only inside {outer}, which is not, in tier {}", tier.as_str())]
    Conflict {
        inner: PathBuf,
        outer: PathBuf,
        tier: Tier,
    },
    #[error("the working folder {path} is not inside a mount")]
    Cwd { path: PathBuf },
    #[error("the variable {name} must not be in a sandbox's environment")]
    Environment { name: String },
    #[error("an argument contains a zero byte")]
    Argument,
    #[error("a list of hosts cannot be enforced in tier {}", tier.as_str())]
    NetworkNeedsFull { tier: Tier },
    #[error("the process did not start: {said}")]
    Start {
        said: String,
        #[source]
        source: Option<io::Error>,
    },
    #[error("watching the process: {what}")]
    Watch {
        what: &'static str,
        #[source]
        source: io::Error,
    },
}

impl Coded for SandboxError {
    fn code(&self) -> &'static str {
        match self {
            SandboxError::Unavailable { .. } => "sandbox_unavailable",
            SandboxError::Unsupported => "sandbox_unsupported",
            SandboxError::PathInvalid { .. } => "sandbox_path_invalid",
            SandboxError::PathForbidden { .. } => "sandbox_path_forbidden",
            SandboxError::PathMissing { .. } => "sandbox_path_missing",
            SandboxError::PathSymlink { .. } => "sandbox_path_symlink",
            SandboxError::PathKind { .. } => "sandbox_path_kind",
            SandboxError::Masked { .. } => "sandbox_masked",
            SandboxError::Conflict { .. } => "sandbox_conflict",
            SandboxError::Cwd { .. } => "sandbox_cwd",
            SandboxError::Environment { .. } => "sandbox_environment",
            SandboxError::Argument => "sandbox_argument",
            SandboxError::NetworkNeedsFull { .. } => "sandbox_network_needs_full",
            SandboxError::Start { .. } => "sandbox_start",
            SandboxError::Watch { .. } => "sandbox_watch",
        }
    }

    fn args(&self) -> Args {
        match self {
            SandboxError::Unavailable { missing } => args! { missing: missing },
            SandboxError::Unsupported | SandboxError::Argument => args! {},
            SandboxError::PathInvalid { path }
            | SandboxError::PathForbidden { path }
            | SandboxError::PathMissing { path }
            | SandboxError::PathSymlink { path }
            | SandboxError::PathKind { path }
            | SandboxError::Cwd { path } => args! { path: path.to_string_lossy() },
            SandboxError::Masked { mount, masked, tier } => {
                args! { mount: mount, masked: masked, tier: tier.as_str() }
            }
            SandboxError::Conflict { inner, outer, tier } => {
                args! { inner: inner, outer: outer, tier: tier.as_str() }
            }
            SandboxError::Environment { name } => args! { name: name },
            SandboxError::NetworkNeedsFull { tier } => args! { tier: tier.as_str() },
            SandboxError::Start { said, source } => {
                args! { reason: source.as_ref().map_or_else(|| said.clone(), ToString::to_string) }
            }
            SandboxError::Watch { source, .. } => args! { reason: source.to_string() },
        }
    }
}
