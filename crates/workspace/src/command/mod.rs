//! Commands of a task: judged by the policy, asked about where it says so, run behind the sandbox in
//! the task's folder with a limit of time, and written down.
//!
//! A command that runs sees its workspace and nothing of the data home, reaches whom a person granted
//! (`network`), and takes everything it started with it when it ends. What it changes in files does
//! not come by the history.
//! A command whose exit code is not zero is an answer; only one that was not started, or not to its
//! end, is an error.
//!
//! Deliberately not here: how an answer is had from a person, and who watches ([`Asker`] is
//! implemented by whoever knows), words.

mod error;
mod screen;
pub mod terminal;

pub use error::{CommandError, Right};
pub use sandbox::{Chunk, Stream, Tier, Weaker};

use crate::held::Held;
use crate::network::{Door, Extent, Networks};
use crate::policy::{Decision, Policy, Verdict};
use crate::workspace::Workspace;
use base::{Coded, Failure, Lang};
use sandbox::command::captured::Capture;
use sandbox::command::{environment, toolchains};
use sandbox::{
    CommandPolicy, Ended, GitDanger, Outcome, Run, SandboxError, Walls, Watching, prepare_command,
};
use serde_json::{Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Actor, AuditEntry, GrantKind, Store, StoreError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a command gets when nothing is said.
pub const USUAL_MS: u64 = 60_000;
/// What it gets at most.
pub const LONGEST_MS: u64 = 600_000;
/// Commands of one task that run at the same time.
pub const AT_ONCE: usize = 4;
/// Characters of a command that records keep.
pub const RECORDED: usize = 2000;

/// What is needed to run commands. Cheap to clone.
#[derive(Clone)]
pub struct Commands {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    walls: Walls,
    home: PathBuf,
    networks: Networks,
    /// Of commands and terminals that run without a wall.
    unwalled: Held,
}

#[derive(Clone, Debug)]
pub struct CommandRequest {
    /// Text for `sh -c`.
    pub command: String,
    /// [`USUAL_MS`] when absent, at most [`LONGEST_MS`].
    pub timeout_ms: Option<u64>,
    /// Takes the output while it comes; what it does not take in time is missed, not waited for.
    pub live: Option<mpsc::Sender<Chunk>>,
    /// The text as records and logs may have it: secrets masked.
    pub shown: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    pub stdout: String,
    pub stderr: String,
    /// 128 + n when signal n ended it.
    pub exit_code: i32,
    pub tier: Tier,
    /// Bytes that were left out in the middle of each stream.
    pub stdout_cut: u64,
    pub stderr_cut: u64,
}

impl From<Outcome> for CommandOutput {
    fn from(outcome: Outcome) -> Self {
        CommandOutput {
            stdout: outcome.stdout.text(),
            stderr: outcome.stderr.text(),
            exit_code: outcome.exit_code,
            tier: outcome.tier,
            stdout_cut: outcome.stdout.cut,
            stderr_cut: outcome.stderr.cut,
        }
    }
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

/// For whom a command is run.
pub trait Asker: Sync {
    /// Gets an answer from a person.
    fn ask(&self, question: Question) -> impl Future<Output = Result<(), Failure>> + Send;
    /// Nothing more is asked; it starts.
    fn starts(&self);
}

impl Commands {
    /// `home`: the data home.
    pub fn new(store: Store, walls: Walls, home: PathBuf, networks: Networks) -> Self {
        Commands {
            inner: Arc::new(Inner {
                store,
                walls,
                home,
                networks,
                unwalled: Held::default(),
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
        asker: &impl Asker,
        cancel: &CancellationToken,
    ) -> Result<CommandOutput, CommandError> {
        let limit_ms = check(&request)?;
        let CommandRequest {
            command, live, shown, ..
        } = request;
        let task = workspace.task().to_string();
        let (judged, masked) = (command.clone(), shown.clone());
        let judge = move || {
            let verdict = policy.judge(&judged);
            let told = (masked != judged).then(|| policy.judge(&masked));
            (told_of(&verdict, told.as_ref()), verdict)
        };
        let judged = tokio::task::spawn_blocking(judge).await;
        let (reason, verdict) = judged.map_err(CommandError::Judging)?;
        if let (Decision::Block, Some(reason)) = (verdict.decision, &reason) {
            let error = CommandError::Blocked(reason.clone());
            return Err(self.refused(&task, actor, &shown, error).await);
        }
        workspace.check_bound()?;
        // Taken before a person is asked: a task asks her no more than it could run.
        let _turn = workspace.command_turn().ok_or(CommandError::TooMany)?;
        if let (Decision::Ask, Some(reason)) = (verdict.decision, reason) {
            let question = Question {
                task: task.clone(),
                command: command.clone(),
                reason,
                actor: actor.clone(),
            };
            if let Err(failure) = asker.ask(question).await {
                let error = CommandError::NotAllowed(failure);
                return Err(self.refused(&task, actor, &shown, error).await);
            }
            workspace.check_bound()?;
        }
        workspace.is_there().await?;
        let door = match self.inner.networks.open(&task, &shown, &actor).await {
            Ok(door) => door,
            Err(error) => return Err(self.refused(&task, actor, &shown, error.into()).await),
        };
        asker.starts();
        let watching = Watching {
            limit: Some(Duration::from_millis(limit_ms)),
            live: live.clone(),
            ..Watching::default()
        };
        let network = door.extent();
        let ran = self.sandboxed(workspace, &command, watching, &door, cancel).await;
        let unreached = door.close().await.unwrap_or_default();
        if let (false, Some(live)) = (unreached.is_empty(), live) {
            // Who watches may have gone, or sees it at the end.
            let _ = live.try_send(Chunk {
                stream: Stream::Stderr,
                bytes: unreached.clone().into_bytes(),
                missed: 0,
            });
        }
        let mut detail = match &ran {
            Ok((outcome, withdrawn)) => json!({
                "exitCode": outcome.exit_code,
                "ended": format!("{:?}", outcome.ended).to_lowercase(),
                "tookMs": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
                "tier": outcome.tier.as_str(),
                "network": network_of(outcome.tier, network).name(),
                "git": outcome.git,
                "withdrawn": withdrawn.map(Right::name),
            }),
            Err(error) => {
                tracing::error!(task, error = %base::failure::chain(error), "a command was not run");
                json!({"why": error.code()})
            }
        };
        detail["command"] = short(&shown).into();
        self.note(&task, actor, "command.run", detail).await;
        let (outcome, withdrawn) = ran.map_err(CommandError::Failed)?;
        let ended = outcome.ended;
        let dangers = git_words(&outcome.git, self.inner.networks.lang());
        if !dangers.is_empty() {
            tracing::warn!(task, dangers = ?outcome.git, "a command left what runs with git");
        }
        let mut output = CommandOutput::from(outcome);
        output.stderr += &unreached;
        output.stderr += &dangers;
        let output = Box::new(output);
        match (ended, withdrawn) {
            (Ended::Exited, _) => Ok(*output),
            (Ended::TimedOut, _) => Err(CommandError::TimedOut { limit_ms, output }),
            (Ended::Stopped, Some(right)) => Err(CommandError::Withdrawn { right, output }),
            (Ended::Stopped, None) => Err(CommandError::CalledOff { output }),
        }
    }

    /// Writes down that it does not run.
    async fn refused(&self, task: &str, actor: Actor, shown: &str, error: CommandError) -> CommandError {
        tracing::warn!(
            task,
            command = short(shown),
            error = error.code(),
            "a command was refused"
        );
        let detail = json!({"command": short(shown), "why": error.code()});
        self.note(task, actor, "command.refused", detail).await;
        error
    }

    /// What this machine gives to commands, and what that lacks.
    pub async fn tier(&self) -> (Tier, Vec<Weaker>) {
        let facts = self.inner.walls.facts().await;
        (facts.tier(), facts.weaker())
    }

    /// Whether a person allowed this task to go without a wall where there is none.
    pub async fn may_go_without(&self, task: &str) -> Result<bool, StoreError> {
        let (subject, kind) = (format!("task:{task}"), GrantKind::Unsandboxed);
        let store = &self.inner.store;
        store
            .is_granted(subject, kind, String::new(), String::new())
            .await
    }

    /// Takes that back. Whether it was there; what runs without a wall now ends.
    pub async fn no_longer_without(&self, task: &str, actor: Actor) -> Result<bool, StoreError> {
        let (subject, kind) = (format!("task:{task}"), GrantKind::Unsandboxed);
        let store = &self.inner.store;
        let gone = store.revoke(subject, kind, String::new(), actor).await?;
        self.inner.unwalled.withdraw(task);
        Ok(gone)
    }

    /// How it ended, and which right was taken back meanwhile, if that ended it.
    async fn sandboxed(
        &self,
        workspace: &Workspace,
        command: &str,
        watching: Watching,
        door: &Door,
        cancel: &CancellationToken,
    ) -> Result<(Outcome, Option<Right>), SandboxError> {
        let mut allowed = self.allowed(workspace, Run::Shell(command.into())).await;
        allowed.policy.network = door.link().clone();
        let walls = &self.inner.walls;
        let prepared = prepare_command(&allowed.policy, walls.facts().await)?;
        let mut running = walls.launcher().run(prepared, watching).await?;
        let stopper = running.stopper();
        let ended = running.wait();
        tokio::pin!(ended);
        let withdrawn = tokio::select! {
            outcome = &mut ended => return outcome.map(|outcome| (outcome, None)),
            () = cancel.cancelled() => None,
            () = workspace.unbound().cancelled() => None,
            right = allowed.withdrawn(door) => Some(right),
        };
        stopper.stop();
        ended.await.map(|outcome| (outcome, withdrawn))
    }

    /// What a command or a terminal of this task may have. What a person granted to the task in
    /// this respect is looked up here.
    async fn allowed(&self, workspace: &Workspace, run: Run) -> Allowed {
        let Inner { walls, home, .. } = &*self.inner;
        let mut policy = CommandPolicy::new(walls.program(), workspace.path(), run);
        policy.masked = vec![home.clone()];
        policy.toolchains = toolchains::installed().await;
        policy.env = environment::taken(|name| std::env::var_os(name));
        let mut unwalled = None;
        if walls.tier().await == Tier::None {
            let task = workspace.task().to_string();
            unwalled = Some(self.inner.unwalled.hold(&task));
            // Who cannot be asked has not agreed.
            policy.unsandboxed = self.may_go_without(&task).await.unwrap_or(false);
        }
        Allowed { policy, unwalled }
    }

    /// It happened, or was refused, whether or not this can be written.
    async fn note(&self, task: &str, actor: Actor, action: &str, detail: Value) {
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

/// What something is started with.
struct Allowed {
    policy: CommandPolicy,
    /// Cancelled when it may no longer go without a wall; where it has none.
    unwalled: Option<CancellationToken>,
}

impl Allowed {
    /// When a person takes back a right that it cannot lose while it runs.
    async fn withdrawn(&self, door: &Door) -> Right {
        let unwalled = async {
            match &self.unwalled {
                Some(unwalled) => unwalled.cancelled().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = unwalled => Right::Unsandboxed,
            () = door.withdrawn().cancelled() => Right::Network,
        }
    }
}

/// Without a wall nothing keeps it from the network.
fn network_of(tier: Tier, granted: Extent) -> Extent {
    match tier {
        Tier::None => Extent::Full,
        Tier::Reduced | Tier::Full => granted,
    }
}

/// Why it is blocked or asked about, in words of what may be shown: a reason quotes the command, cut
/// to a length, and half a secret is not found any more. `told`: what is said of the masked text.
fn told_of(verdict: &Verdict, told: Option<&Verdict>) -> Option<Failure> {
    let reason = verdict.reason()?;
    let Some(told) = told else { return Some(reason) };
    match told.reason() {
        Some(same) if same.code == reason.code && same.arg("rule") == reason.arg("rule") => Some(same),
        // The masks changed its sense: it is only named by its rule.
        _ => {
            let rule = reason.arg("rule").cloned().unwrap_or_default();
            let bare = Failure::new(&reason.code).with("rule", rule.clone());
            Some(bare.with("what", rule))
        }
    }
}

/// The limit in milliseconds.
fn check(request: &CommandRequest) -> Result<u64, CommandError> {
    let invalid = |reason: String| {
        Err(CommandError::Invalid {
            call: "run_command",
            reason,
        })
    };
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

/// What a command left in repositories, for whoever reads its output.
fn git_words(dangers: &[GitDanger], lang: Lang) -> String {
    let line = |danger: &GitDanger| {
        let (place, what) = (danger.place.display(), danger.what.join(", "));
        match lang {
            Lang::ZhCn => format!(
                "[pm] 此命令在 git 仓库 {place} 中留下了会运行程序的内容：{what}。在沙箱之外使用 git 之前，请先检查。\n"
            ),
            Lang::En => format!(
                "[pm] This command left in the git repository {place} what runs programs: {what}. Look at it before you use git there outside the sandbox.\n"
            ),
        }
    };
    dangers.iter().map(line).collect()
}

/// The beginning and the end of an output, together so many bytes at most, with a line between them
/// that says how much was left out.
pub fn shortened(text: &str, most: usize) -> String {
    let mut capture = Capture::new(most);
    capture.push(text.as_bytes());
    capture.finish().text()
}

fn short(command: &str) -> String {
    command.chars().take(RECORDED).collect()
}
