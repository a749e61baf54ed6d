//! Why a run gave no result.

use crate::protocol::{Cause, DEPTH_LIMIT, EXIT_NO_MEMORY, FrameError, GuestFailure, Stop};
use base::{Args, Coded, args};
use sandbox::{Exit, SandboxError};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The guest said why.
    #[error("{}", .0.message)]
    Failed(Box<GuestFailure>),
    /// It did not stop when asked and was killed; what the tool kept in memory is lost.
    #[error("killed after it did not stop; what it kept in memory is lost")]
    Killed { why: Stop },
    /// The process ended by itself.
    #[error("the worker ended: {exit}")]
    Crashed { exit: String, stderr: String },
    #[error("sandbox")]
    Sandbox(#[from] SandboxError),
    #[error("pipe to the worker")]
    Frame(#[from] FrameError),
    #[error("the worker broke the protocol")]
    Protocol,
    /// It was called off before it began.
    #[error("cancelled before it began")]
    Cancelled,
    #[error("{waiting} calls are waiting already")]
    Busy { waiting: usize },
    #[error("parameters nested deeper than {DEPTH_LIMIT} levels")]
    InputTooDeep,
    #[error("a socket for a proxy, or the folder it lies in")]
    Socket(#[source] std::io::Error),
    #[error("no pm-worker beside {0}")]
    NoWorker(std::path::PathBuf),
    /// The tool asks for the machine's Node.
    #[error("no program named node on PATH")]
    NoNode,
    /// A tool in Python.
    #[error("no program named python3 on PATH")]
    NoPython,
    /// The packages of a tool in Python were made for another Python than this machine has.
    #[error("the virtual environment is for {0}, which is not here")]
    OtherPython(std::path::PathBuf),
}

impl RunError {
    pub(crate) fn crashed(exit: &Exit, stderr: String) -> Self {
        if exit.code == Some(i32::from(EXIT_NO_MEMORY)) {
            let mut failure = GuestFailure::new(Cause::MemoryLimit, "out of memory");
            failure.state_lost = true;
            return RunError::Failed(Box::new(failure));
        }
        // bubblewrap reports a signal of its child as 128 + n.
        let signal = exit.signal.or(exit
            .code
            .filter(|code| (129..=192).contains(code))
            .map(|code| code - 128));
        let exit = match (signal, exit.code) {
            (Some(signal), _) => format!("signal {signal}"),
            (None, Some(code)) => format!("exit code {code}"),
            (None, None) => "unknown".to_owned(),
        };
        RunError::Crashed { exit, stderr }
    }

    /// The guest's own account, when it gave one.
    pub fn guest(&self) -> Option<&GuestFailure> {
        match self {
            RunError::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

impl Coded for RunError {
    fn code(&self) -> &'static str {
        match self {
            RunError::Failed(failure) => match failure.cause {
                Cause::Threw => "js_execution_failed",
                Cause::TimeLimit => "timeout",
                Cause::Cancelled => "cancelled",
                Cause::MemoryLimit => "memory_limit",
                Cause::Exited => "process_exited",
                Cause::NeverSettles => "never_settles",
                Cause::NotSerializable => "non_json_serializable_return",
                Cause::ResultTooLarge => "result_too_large",
                Cause::DependencyMissing => "dependency_missing",
                Cause::BlockedCode => "blocked_code",
                Cause::CanvasExport => "canvas_export_failed",
                Cause::NativeAddon => "native_addon",
                Cause::OldNode => "node_too_old",
                Cause::OldPython => "python_too_old",
            },
            RunError::Killed { why: Stop::TimeLimit } => "timeout",
            RunError::Killed { why: Stop::Cancelled } | RunError::Cancelled => "cancelled",
            RunError::Crashed { .. } => "worker_crashed",
            RunError::Sandbox(error) => error.code(),
            RunError::Frame(_) | RunError::Protocol => "worker_protocol",
            RunError::Busy { .. } => "tool_busy",
            RunError::InputTooDeep => "input_too_deep",
            RunError::Socket(_) => "proxy_socket",
            RunError::NoWorker(_) => "worker_missing",
            RunError::NoNode => "node_missing",
            RunError::NoPython => "python_missing",
            RunError::OtherPython(_) => "python_other",
        }
    }

    fn args(&self) -> Args {
        match self {
            RunError::Failed(failure) if failure.state_lost => {
                args! { reason: failure.message, detail: failure.detail, state_lost: true }
            }
            RunError::Failed(failure) => args! { reason: failure.message, detail: failure.detail },
            RunError::Killed { .. } => args! { state_lost: true },
            RunError::Cancelled | RunError::Protocol | RunError::NoNode | RunError::NoPython => {
                args! {}
            }
            RunError::Crashed { exit, stderr } => args! { exit: exit, stderr: stderr },
            RunError::Sandbox(error) => error.args(),
            RunError::Frame(error) => args! { reason: error.to_string() },
            RunError::Busy { waiting } => args! { waiting: waiting },
            RunError::InputTooDeep => args! { limit: DEPTH_LIMIT },
            RunError::Socket(error) => args! { reason: error.to_string() },
            RunError::NoWorker(path) | RunError::OtherPython(path) => args! { path: path },
        }
    }
}
