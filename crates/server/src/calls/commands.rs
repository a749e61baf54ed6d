//! A command in a workspace: what the rules want to know is asked of the person.

use super::actor_of;
use crate::app::App;
use crate::approvals::{Approvals, Ask};
use crate::words::worded;
use base::{Event, Failure, Lang};
use serde_json::json;
use store::GrantKind;
use tokio_util::sync::CancellationToken;
use wire::{Caller, WorkspaceRan, WorkspaceRun};
use workspace::command::{self, CommandError, CommandRequest, Question};

pub(crate) async fn run(
    app: &App,
    caller: &Caller,
    params: WorkspaceRun,
    cancel: &CancellationToken,
) -> Result<WorkspaceRan, Failure> {
    let workspace = app.inner.workspaces.get(&params.task_id)?;
    let policy = app.policy().await?;
    let person = Person {
        approvals: app.approvals(),
        cancel,
        lang: app.lang(),
    };
    let request = CommandRequest {
        command: params.command,
        timeout_ms: params.timeout_ms,
    };
    let ran = app
        .inner
        .commands
        .run(&workspace, policy, request, actor_of(caller), &person, cancel)
        .await;
    if ran.is_ok() || matches!(ran, Err(CommandError::TimedOut { .. })) {
        // What it changed in files does not come by the history, which would say so.
        let data = json!({"task": params.task_id});
        let event = Event::new("workspace.command", data).tag("workspace-files");
        app.inner.store.announce(vec![event]).await?;
    }
    match ran {
        Ok(output) => Ok(WorkspaceRan {
            stdout: output.stdout,
            stderr: output.stderr,
            exit_code: output.exit_code,
            truncated: output.truncated,
        }),
        Err(CommandError::Blocked(reason)) => {
            let reason = worded(&reason, app.lang()).message;
            Err(Failure::new("command_blocked").with("reason", reason))
        }
        Err(CommandError::NotAllowed(failure)) => Err(failure),
        Err(error) => Err(error.into()),
    }
}

struct Person<'a> {
    approvals: &'a Approvals,
    cancel: &'a CancellationToken,
    lang: Lang,
}

impl command::Ask for Person<'_> {
    async fn ask(&self, question: Question) -> Result<(), Failure> {
        let reason = worded(&question.reason, self.lang).message;
        let ask = Ask {
            subject: format!("task:{}", question.task),
            kind: GrantKind::Command,
            value: question.command,
            code_hash: String::new(),
            detail: json!({"reason": reason, "rule": question.reason.code}),
            actor: question.actor,
        };
        Ok(self.approvals.ask(ask, self.cancel).await?.check()?)
    }
}
