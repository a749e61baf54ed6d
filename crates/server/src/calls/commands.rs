//! Commands in a workspace: each is a run, which can be watched and called off while it is open and
//! is kept when it has ended, refused ones included. What the rules want to know is asked of the
//! person.

use super::{actor_of, wire_actor};
use crate::app::App;
use crate::approvals::{Approvals, Ask, Elsewhere};
use crate::live;
use crate::records;
use crate::words::worded;
use base::{Event, Failure, Lang, clock};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Instant;
use store::{GrantKind, Run, StoreError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Detail, OpenRun as _};
use toolbox::run_log::Secrets;
use wire::{
    Caller, CommandDetail, CommandList, CommandRow, CommandState, CutBytes, Tier, WorkspaceCommands,
    WorkspaceRan, WorkspaceRun,
};
use workspace::command::{self, Asker, CommandError, CommandOutput, CommandRequest, Question};

mod open;
mod pieces;

pub(crate) use open::OpenCommands;
use open::OpenRow;

const CALL: &str = "workspace.run";
/// Rows of one page, when nothing is said and at most.
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;
/// Bytes of each stream that are kept; fewer where they take more room as JSON.
const KEPT: usize = 24 * 1024;

pub(crate) async fn run(
    app: &App,
    caller: &Caller,
    params: WorkspaceRun,
    cancel: &CancellationToken,
    elsewhere: &impl Elsewhere,
) -> Result<WorkspaceRan, Failure> {
    let workspace = app.inner.workspaces.get(&params.task_id)?;
    let policy = app.inner.rules.policy().await?;
    let secrets = app.learn_secrets().await?;
    let chosen = live::chosen(CALL, params.run)?;
    let run = chosen.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let (actor, subject) = (actor_of(caller), format!("task:{}", workspace.task()));
    // Opened before the records are asked: a run is among the open ones or recorded, never neither.
    let open = app.inner.live.begin(&run, &subject, &actor, cancel)?;
    if chosen.is_some() && app.inner.store.has_run(run.clone()).await? {
        return Err(Failure::new("run_exists").with("run", run));
    }
    let shown = secrets.mask(&params.command);
    let row = app.inner.open_commands.begin(
        CommandRow {
            run: run.clone(),
            command: shown.chars().take(command::RECORDED).collect(),
            state: CommandState::Running,
            started_at: clock::now_ms() as f64,
            duration_ms: None,
            exit_code: None,
            tier: None,
            cut: None,
            error: None,
            rule: None,
            actor: caller.actor.clone(),
        },
        &subject,
    );
    let event = Event::new("run.started", json!({"run": run, "subject": subject}));
    announce(app, event).await?;
    let started = Instant::now();
    let person = Person {
        approvals: app.approvals(),
        cancel: &open.cancel(),
        lang: app.lang(),
        row: &row,
        elsewhere,
    };
    let (live, pieces) = mpsc::channel(64);
    let request = CommandRequest {
        command: params.command,
        timeout_ms: params.timeout_ms,
        live: Some(live),
        shown,
    };
    let (ran, ()) = tokio::join!(
        app.inner
            .commands
            .run(&workspace, policy, request, actor.clone(), &person, person.cancel),
        pieces::pass_on(pieces, &open),
    );
    let ended = Ended::of(&ran, app.lang());
    if ended.state != CommandState::Refused {
        // What it changed in files does not come by the history, which would say so.
        let data = json!({"task": params.task_id, "run": run});
        announce(app, Event::new("workspace.command", data).tag("workspace-files")).await?;
    }
    open.over();
    let row = row.take();
    let record = Run {
        id: run,
        subject,
        started_at: row.started_at as i64,
        duration_ms: started.elapsed().as_secs_f64() * 1000.0,
        success: ended.failure.is_none(),
        error: ended.failure.as_ref().map(|failure| failure.code.clone()),
        actor,
        memory: None,
        about: None,
    };
    keep(app, record, &row, &ended, &secrets).await;
    drop(open);
    let failure = ended.failure;
    match ran {
        Ok(output) => Ok(WorkspaceRan {
            truncated: output.stdout_cut > 0 || output.stderr_cut > 0,
            stdout: output.stdout,
            stderr: output.stderr,
            exit_code: output.exit_code,
        }),
        Err(error) => Err(failure.unwrap_or_else(|| error.into())),
    }
}

/// The rule that a verdict of the policy names.
fn rule_of(reason: &Failure) -> Option<String> {
    let rule = reason.arg("rule").and_then(|rule| rule.as_str());
    rule.map(str::to_owned)
}

/// How it came out.
struct Ended<'r> {
    state: CommandState,
    /// The rule that blocked it.
    rule: Option<String>,
    output: Option<&'r CommandOutput>,
    failure: Option<Failure>,
}

impl<'r> Ended<'r> {
    fn of(ran: &'r Result<CommandOutput, CommandError>, lang: Lang) -> Self {
        let error = match ran {
            Ok(output) => {
                return Ended {
                    state: CommandState::Exited,
                    rule: None,
                    output: Some(output),
                    failure: None,
                };
            }
            Err(error) => error,
        };
        let (state, output) = match error {
            CommandError::TimedOut { output, .. }
            | CommandError::CalledOff { output }
            | CommandError::Withdrawn { output, .. } => (CommandState::Ended, Some(&**output)),
            _ => (CommandState::Refused, None),
        };
        let failure = match error {
            CommandError::Blocked(reason) => {
                let reason = worded(reason, lang).message;
                Failure::new("command_blocked").with("reason", reason)
            }
            CommandError::NotAllowed(failure) => failure.clone(),
            error => Failure::of(error),
        };
        let rule = match error {
            CommandError::Blocked(reason) => rule_of(reason),
            _ => None,
        };
        Ended {
            state,
            rule,
            output,
            failure: Some(failure),
        }
    }
}

/// What is kept of a command beside its row.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    state: CommandState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<Tier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<CutBytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

async fn keep(app: &App, mut run: Run, row: &CommandRow, ended: &Ended<'_>, secrets: &Secrets) {
    let mut detail = Detail::default();
    let mask = |text: &str| secrets.mask(text);
    detail.given(&json!({"command": row.command}).to_string(), mask);
    // Masked before anything is cut: half a secret is not found any more.
    let streams = ended
        .output
        .map(|output| [mask(&output.stdout), mask(&output.stderr)]);
    let [stdout, stderr] = streams.unwrap_or_default();
    run.about = detail.value_of("command");
    let mut room = KEPT;
    while detail.result.is_none() && room > 0 {
        let kept = Kept {
            state: ended.state,
            exit_code: ended
                .output
                .filter(|_| ended.state == CommandState::Exited)
                .map(|output| output.exit_code),
            tier: ended.output.map(|output| tier(output.tier)),
            cut: ended.output.map(|output| CutBytes {
                stdout: output.stdout_cut,
                stderr: output.stderr_cut,
            }),
            rule: ended.rule.clone().or_else(|| row.rule.clone()),
            stdout: command::shortened(&stdout, room),
            stderr: command::shortened(&stderr, room),
        };
        detail.gave(&json!(kept).to_string(), str::to_owned);
        room /= 2;
    }
    if let Some(mut failure) = ended.failure.clone() {
        // It stands in the result.
        for stream in ["stdout", "stderr"] {
            failure.args.remove(stream);
        }
        detail.failed(&failure, None);
    }
    let finished = run.finished().tag("commands");
    records::keep_telling(app, run, &detail, finished).await;
}

async fn announce(app: &App, event: Event) -> Result<(), Failure> {
    let event = event.tag("runs").tag("commands");
    Ok(app.inner.store.announce(vec![event]).await?)
}

pub(super) async fn list(app: &App, params: WorkspaceCommands) -> Result<CommandList, Failure> {
    let workspace = app.inner.workspaces.get(&params.task_id)?;
    let subject = format!("task:{}", workspace.task());
    let limit = params.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
    let first = params.before.is_none();
    // Looked at before the records: what ends meanwhile is in both, never in neither.
    let mut open = app.inner.open_commands.of(&subject);
    let store = &app.inner.store;
    let mut found = store.runs_of(subject, params.before, limit + 1).await?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let ended: Vec<CommandRow> = found
        .into_iter()
        .map(|(run, detail)| read(app, run, detail).0)
        .collect();
    open.retain(|row| first && !ended.iter().any(|ended| ended.run == row.run));
    open.extend(ended);
    Ok(CommandList { commands: open, more })
}

pub(super) async fn show(app: &App, run: &str) -> Result<CommandDetail, Failure> {
    let (found, detail) = app.inner.store.run(run.to_owned()).await?;
    if !found.subject.starts_with("task:") {
        return Err(StoreError::NoRun(run.to_owned()).into());
    }
    let (row, kept) = read(app, found, detail);
    let (stdout, stderr) = kept.map_or_else(Default::default, |kept| (kept.stdout, kept.stderr));
    Ok(CommandDetail { row, stdout, stderr })
}

fn read(app: &App, run: Run, detail: Option<String>) -> (CommandRow, Option<Kept>) {
    let detail = detail.map(|text| Detail::read(&text)).unwrap_or_default();
    let command = detail
        .parameters
        .as_ref()
        .and_then(|given| given["command"].as_str());
    let kept: Option<Kept> = detail.result.and_then(|value| serde_json::from_value(value).ok());
    // Of a run without a detail the code is known.
    let failure = detail.failure.or_else(|| run.error.clone().map(Failure::new));
    let of = kept.as_ref();
    let row = CommandRow {
        run: run.id,
        command: command.unwrap_or_default().to_owned(),
        state: of.map_or(CommandState::Ended, |kept| kept.state),
        started_at: run.started_at as f64,
        duration_ms: Some(run.duration_ms),
        exit_code: of.and_then(|kept| kept.exit_code),
        tier: of.and_then(|kept| kept.tier),
        cut: of.and_then(|kept| kept.cut),
        error: failure.map(|failure| worded(&failure, app.lang())),
        rule: of.and_then(|kept| kept.rule.clone()),
        actor: wire_actor(run.actor),
    };
    (row, kept)
}

pub(super) fn tier(tier: command::Tier) -> Tier {
    match tier {
        command::Tier::None => Tier::None,
        command::Tier::Reduced => Tier::Reduced,
        command::Tier::Full => Tier::Full,
    }
}

struct Person<'a, E> {
    approvals: &'a Approvals,
    cancel: &'a CancellationToken,
    lang: Lang,
    row: &'a OpenRow<'a>,
    elsewhere: &'a E,
}

impl<E: Elsewhere> Asker for Person<'_, E> {
    async fn ask(&self, question: Question) -> Result<(), Failure> {
        self.row.change(|row| {
            row.state = CommandState::Asking;
            row.rule = rule_of(&question.reason);
        });
        let reason = worded(&question.reason, self.lang).message;
        let ask = Ask {
            subject: format!("task:{}", question.task),
            kind: GrantKind::Command,
            value: question.command,
            code_hash: String::new(),
            detail: json!({"reason": reason, "rule": rule_of(&question.reason)}),
            actor: question.actor,
        };
        let answered = self.approvals.ask_by(ask, self.cancel, self.elsewhere).await?;
        Ok(answered.check()?)
    }

    fn starts(&self) {
        self.row.change(|row| row.state = CommandState::Running);
    }
}
