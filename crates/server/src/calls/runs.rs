//! Runs: the history, and those that are open now.

use super::wire_actor;
use crate::app::App;
use base::Failure;
use store::RunFilter;
use wire::{ActiveRuns, Caller, Done, RunDetail, RunList, RunNews, RunQuery, RunRow, RunWatch};

pub(super) async fn list(app: &App, query: RunQuery) -> Result<RunList, Failure> {
    let filter = RunFilter { subject: query.tool };
    let (runs, total) = app.inner.store.runs(filter, super::window(query.page)).await?;
    let runs = runs.into_iter().map(|run| RunRow {
        id: run.id,
        subject: run.subject,
        started_at: run.started_at as f64,
        duration_ms: run.duration_ms,
        success: run.success,
        error: run.error,
        actor: wire_actor(run.actor),
        memory: run.memory.map(|bytes| bytes as f64),
    });
    Ok(RunList {
        runs: runs.collect(),
        total,
    })
}

pub(super) async fn show(_app: &App, _run: &str) -> Result<RunDetail, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) fn active(_app: &App) -> ActiveRuns {
    ActiveRuns { runs: Vec::new() }
}

pub(super) async fn watch(_app: &App, _params: RunWatch) -> Result<RunNews, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) fn cancel(_app: &App, _caller: &Caller, _run: &str) -> Result<Done, Failure> {
    Err(Failure::new("not_here_yet"))
}
