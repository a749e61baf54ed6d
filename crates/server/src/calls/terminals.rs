//! Terminals of the person.

use super::actor_of;
use crate::app::App;
use crate::live;
use base::{Event, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use wire::{
    Caller, Done, NetworkMode, TerminalInput, TerminalList, TerminalNews, TerminalOpen, TerminalQuery,
    TerminalRef, TerminalResize, TerminalRow, TerminalWatch,
};
use workspace::command::terminal::{Listed, News, Size};
use workspace::network::Extent;

pub(super) async fn open(app: &App, caller: &Caller, params: TerminalOpen) -> Result<TerminalRow, Failure> {
    let workspace = app.inner.workspaces.get(&params.task_id)?;
    let size = Size {
        cols: params.cols,
        rows: params.rows,
    };
    let opened = app
        .inner
        .terminals
        .open(&workspace, size, actor_of(caller))
        .await?;
    changed(app, &opened.task).await?;
    tokio::spawn({
        let (app, opened) = (app.clone(), opened.clone());
        async move {
            app.inner.terminals.ended(&opened.id).await;
            // Best effort: whoever watches it has seen the end already.
            let _ = changed(&app, &opened.task).await;
        }
    });
    Ok(row(opened))
}

pub(super) fn list(app: &App, query: TerminalQuery) -> TerminalList {
    let found = app.inner.terminals.list(query.task_id.as_deref());
    TerminalList {
        terminals: found.into_iter().map(row).collect(),
    }
}

pub(super) async fn input(app: &App, params: TerminalInput) -> Result<Done, Failure> {
    app.inner
        .terminals
        .input(&params.id, params.data.as_bytes())
        .await?;
    Ok(Done {})
}

pub(super) fn resize(app: &App, params: TerminalResize) -> Result<Done, Failure> {
    let size = Size {
        cols: params.cols,
        rows: params.rows,
    };
    app.inner.terminals.resize(&params.id, size)?;
    Ok(Done {})
}

pub(super) async fn watch(app: &App, params: TerminalWatch) -> Result<TerminalNews, Failure> {
    let watched = app.inner.terminals.watch(&params.id, params.from);
    let Some(news) = live::unless_ending(app, watched).await else {
        return Err(Failure::new("server_ending"));
    };
    let News {
        bytes,
        cut,
        next,
        exit_code,
    } = news?;
    Ok(TerminalNews {
        data: STANDARD.encode(bytes),
        cut,
        next,
        exit_code,
    })
}

pub(super) async fn close(app: &App, params: TerminalRef) -> Result<Done, Failure> {
    let task = app.inner.terminals.close(&params.id).await?;
    changed(app, &task).await?;
    Ok(Done {})
}

/// What is typed in a terminal changes files without a word: whoever shows them looks again.
async fn changed(app: &App, task: &str) -> Result<(), Failure> {
    let event = Event::new("workspace.terminal", json!({"task": task}))
        .tag("terminals")
        .tag("workspace-files");
    Ok(app.inner.store.announce(vec![event]).await?)
}

fn row(listed: Listed) -> TerminalRow {
    TerminalRow {
        id: listed.id,
        task_id: listed.task,
        cols: listed.size.cols,
        rows: listed.size.rows,
        tier: super::commands::tier(listed.tier),
        network: match listed.network {
            Extent::Off => NetworkMode::Off,
            Extent::Hosts => NetworkMode::Hosts,
            Extent::Full => NetworkMode::Full,
        },
        opened_at: listed.opened_at as f64,
        exit_code: listed.exit_code,
    }
}
