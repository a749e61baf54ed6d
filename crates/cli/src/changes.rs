//! `pm workspace history|diff|restore|trash|undelete|commands`: what was changed in a workspace and
//! how it comes back, and what ran there.

use crate::options::Changes;
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use wire::{
    ChangeRow, Client, CommandRow, CommandState, Page, VersionRef, WorkspaceCommands, WorkspaceCompare,
    WorkspaceHistory, WorkspaceRef, WorkspaceRestore, WorkspaceUndelete,
};

/// Rows that are printed of a list.
const SHOWN: u32 = 100;

pub async fn changes(session: &mut Session, verb: Changes, json: bool) -> Result<(), Failed> {
    match verb {
        Changes::History { task, path } => {
            let params = WorkspaceHistory {
                task_id: task,
                path,
                page: Page {
                    offset: 0,
                    limit: SHOWN,
                },
            };
            let found = session.read(Client::workspace_history, params).await?;
            show(json, &found, || {
                found
                    .changes
                    .iter()
                    .for_each(|change| output::line(&change_line(change)));
            });
        }
        Changes::Diff { task, change, now } => {
            let mut params = WorkspaceCompare {
                task_id: task,
                old: VersionRef::Before(change.clone()),
                new: VersionRef::After(change),
            };
            if now {
                let path = session
                    .read(Client::workspace_diff, params.clone())
                    .await?
                    .new_path;
                params.new = VersionRef::Current(path);
            }
            let diff = session.read(Client::workspace_diff, params).await?;
            show(json, &diff, || match &diff.text {
                Some(text) => output::text(text),
                Option::None => output::note("no_diff"),
            });
        }
        Changes::Restore { task, change, after } => {
            let version = match after {
                true => VersionRef::After(change),
                false => VersionRef::Before(change),
            };
            let params = WorkspaceRestore {
                task_id: task,
                version,
            };
            let done = session.change(Client::workspace_restore, params).await?;
            show(json, &done, || output::line(&done.change));
        }
        Changes::Trash { task, empty: false } => {
            let params = WorkspaceRef { task_id: task };
            let found = session.read(Client::workspace_trash, params).await?;
            show(json, &found, || {
                found
                    .changes
                    .iter()
                    .for_each(|change| output::line(&change_line(change)));
            });
        }
        Changes::Trash { task, empty: true } => {
            let params = WorkspaceRef { task_id: task };
            let done = session.change(Client::workspace_empty_trash, params).await?;
            show(json, &done, || {});
        }
        Changes::Undelete { task, change } => {
            let params = WorkspaceUndelete {
                task_id: task,
                change,
            };
            let done = session.change(Client::workspace_undelete, params).await?;
            show(json, &done, || output::line(&done.change));
        }
        Changes::Commands { task } => {
            let params = WorkspaceCommands {
                task_id: task,
                before: Option::None,
                limit: Some(SHOWN),
            };
            let found = session.read(Client::workspace_commands, params).await?;
            show(json, &found, || {
                found
                    .commands
                    .iter()
                    .for_each(|row| output::line(&command_line(row)));
            });
        }
    }
    Ok(())
}

fn show(json: bool, answer: &impl serde::Serialize, words: impl FnOnce()) {
    match json {
        true => output::print(answer),
        false => words(),
    }
}

fn change_line(change: &ChangeRow) -> String {
    let at = base::clock::iso_local(change.at);
    let path = match &change.from {
        Some(from) => format!("{} -> {}", tame(from), tame(&change.path)),
        Option::None => tame(&change.path),
    };
    format!("{}  {at}  {:8}  {path}", change.id, change.op)
}

fn command_line(row: &CommandRow) -> String {
    let at = base::clock::iso_local(row.started_at as i64);
    let state = match (row.state, row.exit_code, &row.error) {
        (CommandState::Asking, ..) => "asking".to_owned(),
        (CommandState::Running, ..) => "running".to_owned(),
        (_, Some(code), _) => format!("exit {code}"),
        (_, Option::None, Some(error)) => error.code.clone(),
        (_, Option::None, Option::None) => "ended".to_owned(),
    };
    format!("{}  {at}  {state:16}  {}", row.run, tame(&row.command))
}
