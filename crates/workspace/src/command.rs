//! Commands of a task: judged by the policy, asked about where it says so, run behind the sandbox in
//! the task's folder with a limit of time, and written down.
//!
//! A command that runs sees its workspace and nothing of the data home, reaches whom a person granted
//! (`network`), and takes everything it started with it when it ends. What it changes in files does not come by the history.
//! A command whose exit code is not zero is an answer; only one that was not started, or not to its
//! end, is an error.
//!
//! Deliberately not here: how an answer is had from a person ([`Ask`] is implemented by whoever knows
//! one), words, terminals, output while it comes.

use crate::error::WorkspaceError;
use crate::network::{Door, NetworkError, Networks};
use crate::policy::{Decision, Policy};
use crate::workspace::Workspace;
use base::{Args, Coded, Failure, args};
use sandbox::command::toolchains;
use sandbox::{
    CommandPolicy, Ended, Facts, Launcher, Outcome, Run, SandboxError, Toolchains, Watching, prepare_command,
};
use serde_json::{Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Actor, AuditEntry, Store};
use tokio_util::sync::CancellationToken;

/// What a command gets when nothing is said.
pub const USUAL_MS: u64 = 60_000;
/// What it gets at most.
pub const LONGEST_MS: u64 = 600_000;
/// Commands of one task that run at the same time.
pub const AT_ONCE: usize = 4;
/// Characters of a command that the audit keeps.
const AUDITED: usize = 2000;

/// What is needed to run commands. Cheap to clone.
#[derive(Clone)]
pub struct Commands {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    launcher: Launcher,
    facts: Facts,
    program: PathBuf,
    home: PathBuf,
    networks: Networks,
}

#[derive(Clone, Debug)]
pub struct CommandRequest {
    /// Text for `sh -c`.
    pub command: String,
    /// [`USUAL_MS`] when absent, at most [`LONGEST_MS`].
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    pub stdout: String,
    pub stderr: String,
    /// 128 + n when signal n ended it.
    pub exit_code: i32,
    /// Something was left out in the middle of a stream.
    pub truncated: bool,
}

/// What a person is asked.
#[derive(Clone, Debug)]
pub struct Question {
    pub task: String,
    pub command: String,
    /// Why it is asked about: a key of the words, with arguments.
    pub reason: Failure,
    pub actor: Actor,
}

/// Whoever can get an answer.
pub trait Ask: Sync {
    fn ask(&self, question: Question) -> impl Future<Output = Result<(), Failure>> + Send;
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
        stdout: String,
        stderr: String,
    },
    #[error("it was called off")]
    CalledOff { stdout: String, stderr: String },
    #[error("{AT_ONCE} commands of this task run already")]
    TooMany,
    #[error("it could not be run")]
    Failed(#[source] SandboxError),
    #[error("{reason}")]
    Invalid { reason: String },
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
            CommandError::TooMany => "too_many_commands",
            CommandError::Failed(_) | CommandError::Judging(_) => "command_failed",
            CommandError::Invalid { .. } => "invalid_args",
            CommandError::Network(error) => error.code(),
            CommandError::Workspace(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            CommandError::Blocked(why) | CommandError::NotAllowed(why) => args! { reason: why.code },
            CommandError::TimedOut {
                limit_ms,
                stdout,
                stderr,
            } => args! { timedOut: true, timeoutMs: limit_ms, stdout: stdout, stderr: stderr },
            CommandError::CalledOff { stdout, stderr } => args! { stdout: stdout, stderr: stderr },
            CommandError::TooMany => args! { limit: AT_ONCE },
            // The sandbox names paths of the host; its code says what is wrong.
            CommandError::Failed(error) => args! { reason: error.code() },
            CommandError::Judging(_) => args! { reason: "internal" },
            CommandError::Invalid { reason } => args! { call: "run_command", reason: reason },
            CommandError::Network(error) => error.args(),
            CommandError::Workspace(error) => error.args(),
        }
    }
}

impl Commands {
    /// `program`: one whose `main` begins with `sandbox::confine::enter`. `home`: the data home.
    pub fn new(
        store: Store,
        launcher: Launcher,
        facts: Facts,
        program: PathBuf,
        home: PathBuf,
        networks: Networks,
    ) -> Self {
        Commands {
            inner: Arc::new(Inner {
                store,
                launcher,
                facts,
                program,
                home,
                networks,
            }),
        }
    }

    /// Runs a command in a workspace. It ends when `cancel` is cancelled.
    pub async fn run(
        &self,
        workspace: &Workspace,
        policy: Arc<Policy>,
        request: CommandRequest,
        actor: Actor,
        asks: &impl Ask,
        cancel: &CancellationToken,
    ) -> Result<CommandOutput, CommandError> {
        let limit_ms = check(&request)?;
        let command = request.command;
        let task = workspace.task().to_string();
        let judged = command.clone();
        let verdict = tokio::task::spawn_blocking(move || policy.judge(&judged))
            .await
            .map_err(CommandError::Judging)?;
        if let (Decision::Block | Decision::Ask, Some(reason)) = (verdict.decision, verdict.reason()) {
            let refused = match verdict.blocked() {
                true => Some(CommandError::Blocked(reason)),
                false => {
                    let question = Question {
                        task: task.clone(),
                        command: command.clone(),
                        reason,
                        actor: actor.clone(),
                    };
                    asks.ask(question).await.err().map(CommandError::NotAllowed)
                }
            };
            if let Some(error) = refused {
                tracing::warn!(task, command = short(&command), %error, "a command was refused");
                self.note(
                    &task,
                    actor,
                    "command.refused",
                    &command,
                    json!({"why": error.code()}),
                )
                .await;
                return Err(error);
            }
        }
        let _turn = workspace.command_turn().ok_or(CommandError::TooMany)?;
        workspace.is_there().await?;
        let door = match self.inner.networks.open(&task, &command, &actor).await {
            Ok(door) => door,
            Err(error) => {
                let why = json!({"why": error.code()});
                self.note(&task, actor, "command.refused", &command, why).await;
                return Err(error.into());
            }
        };
        let network = door.name();
        let ran = self.sandboxed(workspace, &command, limit_ms, &door, cancel).await;
        let unreached = door.close().await.unwrap_or_default();
        let detail = match &ran {
            Ok(outcome) => json!({
                "exitCode": outcome.exit_code,
                "ended": format!("{:?}", outcome.ended).to_lowercase(),
                "tookMs": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
                "tier": outcome.tier.as_str(),
                "network": network,
            }),
            Err(error) => {
                tracing::error!(task, error = %base::failure::chain(error), "a command was not run");
                json!({"why": error.code()})
            }
        };
        self.note(&task, actor, "command.run", &command, detail).await;
        let outcome = ran.map_err(CommandError::Failed)?;
        let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text() + &unreached);
        match outcome.ended {
            Ended::Exited => Ok(CommandOutput {
                truncated: outcome.stdout.cut > 0 || outcome.stderr.cut > 0,
                exit_code: outcome.exit_code,
                stdout,
                stderr,
            }),
            Ended::TimedOut => Err(CommandError::TimedOut {
                limit_ms,
                stdout,
                stderr,
            }),
            Ended::Stopped => Err(CommandError::CalledOff { stdout, stderr }),
        }
    }

    async fn sandboxed(
        &self,
        workspace: &Workspace,
        command: &str,
        limit_ms: u64,
        door: &Door,
        cancel: &CancellationToken,
    ) -> Result<Outcome, SandboxError> {
        let Inner {
            facts,
            launcher,
            program,
            home,
            ..
        } = &*self.inner;
        let mut policy = CommandPolicy::new(program, workspace.path(), Run::Shell(command.into()));
        policy.masked = vec![home.clone()];
        policy.toolchains = installed().await;
        policy.network = door.link().clone();
        let watching = Watching {
            limit: Some(Duration::from_millis(limit_ms)),
            ..Watching::default()
        };
        let mut running = launcher.run(prepare_command(&policy, facts)?, watching).await?;
        let stopper = running.stopper();
        let ended = running.wait();
        tokio::pin!(ended);
        tokio::select! {
            outcome = &mut ended => return outcome,
            () = cancel.cancelled() => stopper.stop(),
        }
        ended.await
    }

    /// The command happened, or was refused, whether or not this can be written.
    async fn note(&self, task: &str, actor: Actor, action: &str, command: &str, mut detail: Value) {
        detail["command"] = short(command).into();
        let entry = AuditEntry {
            actor,
            action: action.to_owned(),
            subject: format!("task:{task}"),
            detail,
        };
        if let Err(error) = self.inner.store.audit(entry).await {
            tracing::error!(task, action, error = %base::failure::chain(&error), "not in the audit");
        }
    }
}

/// The limit in milliseconds.
fn check(request: &CommandRequest) -> Result<u64, CommandError> {
    let invalid = |reason: String| Err(CommandError::Invalid { reason });
    let limit = request.timeout_ms.unwrap_or(USUAL_MS);
    if request.command.trim().is_empty() {
        return invalid("command: it is empty".to_owned());
    }
    if request.command.contains('\0') {
        return invalid("command: it contains NUL".to_owned());
    }
    match (1..=LONGEST_MS).contains(&limit) {
        true => Ok(limit),
        false => invalid(format!("timeoutMs: 1 to {LONGEST_MS}")),
    }
}

/// Toolchains in the person's home that a command sees.
async fn installed() -> Toolchains {
    let look = || match (base::home::user_home(), std::env::var_os("PATH")) {
        (Ok(home), Some(path)) => toolchains::find(&home, &path),
        _ => Toolchains::default(),
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

fn short(command: &str) -> String {
    command.chars().take(AUDITED).collect()
}
