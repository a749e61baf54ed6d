//! Runs: the history, and those that are open now.

use super::{actor_of, wire_actor};
use crate::app::App;
use crate::live::{self, News, Phase, Progress};
use crate::words::worded;
use base::Failure;
use serde_json::json;
use store::{AuditEntry, Run, RunFilter};
use toolbox::modes::{Detail, KeptLine, Line, Stream};
use toolbox::run_log::Level;
use wire::{
    ActiveRun, ActiveRuns, Caller, Done, LogLevel, OutputStream, RunDetail, RunLine, RunList, RunNews,
    RunProgress, RunQuery, RunRow, RunState, RunWatch,
};

pub(super) async fn list(app: &App, query: RunQuery) -> Result<RunList, Failure> {
    let filter = RunFilter {
        subject: query.tool,
        failed: query.failed,
    };
    let (runs, total) = app.inner.store.runs(filter, super::window(query.page)).await?;
    Ok(RunList {
        runs: runs.into_iter().map(row).collect(),
        total,
    })
}

pub(super) async fn show(app: &App, run: &str) -> Result<RunDetail, Failure> {
    let (run, detail) = app.inner.store.run(run.to_owned()).await?;
    let detail = detail.map(|text| Detail::read(&text)).unwrap_or_default();
    // Of a run without a detail the code is known.
    let failure = detail.failure.or_else(|| run.error.clone().map(Failure::new));
    Ok(RunDetail {
        parameters: detail.parameters,
        result: detail.result,
        result_size: detail.result_size.map(|bytes| bytes as f64),
        help: detail.help,
        failure: failure.map(|failure| worded(&failure, app.lang())),
        lines: detail.lines.into_iter().map(kept_line).collect(),
        row: row(run),
    })
}

pub(super) fn active(app: &App) -> ActiveRuns {
    let runs = app.inner.live.active().into_iter().map(|(run, at)| ActiveRun {
        id: run.id.clone(),
        subject: run.subject.clone(),
        started_at: run.started_at as f64,
        actor: wire_actor(run.actor.clone()),
        progress: at.map(progress),
    });
    ActiveRuns { runs: runs.collect() }
}

pub(super) async fn watch(app: &App, params: RunWatch) -> Result<RunNews, Failure> {
    let RunWatch { run, from, version } = params;
    // One that ended long ago is not waited for.
    if !app.inner.live.knows(&run) && app.inner.store.has_run(run.clone()).await? {
        return Ok(nothing(RunState::Ended, from, version));
    }
    let watched = live::unless_ending(app, app.inner.live.watch(&run, from, version)).await;
    Ok(match watched.flatten() {
        Some(found) => news(found),
        None => nothing(RunState::Waiting, from, version),
    })
}

pub(super) async fn cancel(app: &App, caller: &Caller, id: &str) -> Result<Done, Failure> {
    let Some(run) = app.inner.live.cancel(id) else {
        return Err(Failure::new("run_not_open").with("run", id));
    };
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "run.cancel".to_owned(),
        subject: run.id.clone(),
        detail: json!({"subject": run.subject}),
    };
    app.inner.store.audit(entry).await?;
    Ok(Done {})
}

fn row(run: Run) -> RunRow {
    RunRow {
        id: run.id,
        subject: run.subject,
        started_at: run.started_at as f64,
        duration_ms: run.duration_ms,
        success: run.success,
        error: run.error,
        actor: wire_actor(run.actor),
        memory: run.memory.map(|bytes| bytes as f64),
        about: run.about,
    }
}

fn nothing(state: RunState, next: u32, version: u32) -> RunNews {
    RunNews {
        state,
        progress: None,
        lines: Vec::new(),
        next,
        version,
    }
}

fn news(found: News) -> RunNews {
    RunNews {
        state: match found.phase {
            Phase::Running | Phase::Over => RunState::Running,
            Phase::Ended => RunState::Ended,
        },
        progress: found.progress.map(progress),
        lines: found.lines.into_iter().map(line).collect(),
        next: found.next,
        version: found.version,
    }
}

fn progress(at: Progress) -> RunProgress {
    RunProgress {
        done: at.done,
        total: at.total.unwrap_or_default(),
        text: at.text,
    }
}

fn line(line: Line) -> RunLine {
    RunLine {
        at: line.at as f64,
        level: level(Some(line.level)),
        stream: line.stream.map(|stream| match stream {
            Stream::Stdout => OutputStream::Stdout,
            Stream::Stderr => OutputStream::Stderr,
        }),
        text: line.text,
    }
}

fn kept_line(line: KeptLine) -> RunLine {
    RunLine {
        at: line.at as f64,
        level: level(Level::named(&line.level)),
        stream: None,
        text: line.text,
    }
}

fn level(level: Option<Level>) -> LogLevel {
    match level {
        Some(Level::Debug) => LogLevel::Debug,
        Some(Level::Info) | None => LogLevel::Info,
        Some(Level::Warn) => LogLevel::Warn,
        Some(Level::Error) => LogLevel::Error,
    }
}
