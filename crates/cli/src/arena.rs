//! `pm arena`: documents of cells from the terminal.

#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes the document that the person names"
)]

use crate::options::{Arena, Target};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use base::Failure;
use serde_json::json;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use wire::{
    CanvasConvert, CanvasCreate, CanvasEntry, CanvasExport, CanvasFormat, CanvasOpen, CanvasQuery, CanvasRef,
    CanvasSettle, CanvasView, CellAnswer, CellRef, CellRun, CellSeverity, CellState, CellText, Client,
};

/// Entries that are looked at at once.
const PAGE: u32 = 2000;

pub async fn arena(session: &mut Session, verb: Arena, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Arena::Check { file } => check(session, &file, json).await,
        Arena::Fmt { file, write } => {
            let (text, format) = document(&file)?;
            if format == CanvasFormat::Ipynb {
                return Err(Failed::Usage(format!(
                    "{}: fmt is for ACP documents",
                    file.display()
                )));
            }
            let checked = session.read(Client::cells_check, CellText { text }).await?;
            match write && file != Path::new("-") {
                true => replace(&file, &checked.formatted).map_err(|error| output::file(&file, &error))?,
                false => output::text(&checked.formatted),
            }
            Ok(ExitCode::SUCCESS)
        }
        Arena::Run {
            file,
            answers,
            again,
            task,
        } => {
            let made = create(session, &file, task).await?;
            let canvas = made.canvas.id.clone();
            let ran = run(session, made, answers, again).await;
            let text = exported(session, &canvas).await;
            // It was there to be run; whoever wants it keeps what was printed.
            session.change(Client::cells_remove, CanvasRef { canvas }).await?;
            let text = text?;
            match (ran, json) {
                (Ok(()), false) => output::text(&text),
                (Ok(()), true) => output::print(&json!({"text": text})),
                (Err(failed), _) => {
                    output::text(&text);
                    return Err(failed);
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Arena::Export { file, to } => {
            let (text, from) = document(&file)?;
            let to = match to {
                Target::Acp => CanvasFormat::Acp,
                Target::Markdown => CanvasFormat::Markdown,
                Target::Ipynb => CanvasFormat::Ipynb,
            };
            let converted = session
                .read(Client::cells_convert, CanvasConvert { text, from, to })
                .await?;
            output::text(&converted.text);
            Ok(ExitCode::SUCCESS)
        }
        Arena::Import { file, task } => {
            let made = create(session, &file, task).await?;
            match json {
                true => output::print(&made.canvas),
                false => output::line(&made.canvas.id),
            }
            Ok(ExitCode::SUCCESS)
        }
        Arena::List => {
            let found = session.read(Client::cells_list, CanvasQuery::default()).await?;
            if json {
                output::print(&found);
            } else {
                for row in &found.canvases {
                    output::line(&format!("{}  {:>6}  {}", row.id, row.cells, tame(&row.title)));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The permissions stay.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file)?.permissions().mode() & 0o777;
    base::atomic::write(file, text.as_bytes(), base::atomic::Access::Mode(mode))
}

fn document(file: &Path) -> Result<(String, CanvasFormat), Failed> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| output::file(file, &error))?;
        text
    } else {
        std::fs::read_to_string(file).map_err(|error| output::file(file, &error))?
    };
    let extension = file.extension().and_then(|one| one.to_str()).unwrap_or_default();
    let format = match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => CanvasFormat::Markdown,
        "ipynb" => CanvasFormat::Ipynb,
        _ => CanvasFormat::Acp,
    };
    Ok((text, format))
}

async fn check(session: &mut Session, file: &Path, json: bool) -> Result<ExitCode, Failed> {
    let (text, _) = document(file)?;
    let checked = session.read(Client::cells_check, CellText { text }).await?;
    let failed = checked
        .diagnostics
        .iter()
        .any(|one| one.severity == CellSeverity::Error);
    if json {
        let diagnostics = &checked.diagnostics;
        output::print(
            &json!({"diagnostics": diagnostics, "canvases": checked.canvases, "cells": checked.cells}),
        );
    } else {
        for one in &checked.diagnostics {
            let severity = match one.severity {
                CellSeverity::Info => "info",
                CellSeverity::Warning => "warning",
                CellSeverity::Error => "error",
            };
            let (line, column, message) = (one.line, one.column, tame(&one.message));
            output::line(&format!("{line}:{column}  {severity:7}  {}  {message}", one.code));
        }
    }
    Ok(match failed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

async fn create(session: &mut Session, file: &Path, task_id: Option<String>) -> Result<CanvasView, Failed> {
    let (text, format) = document(file)?;
    let title = file.file_stem().map(|name| name.to_string_lossy().into_owned());
    let params = CanvasCreate {
        title: title
            .filter(|name| name != "-")
            .map(|name| name.chars().take(100).collect()),
        text: Some(text),
        format,
        task_id,
    };
    session.change(Client::cells_create, params).await
}

async fn exported(session: &mut Session, canvas: &str) -> Result<String, Failed> {
    let params = CanvasExport {
        canvas: canvas.to_owned(),
        format: CanvasFormat::Acp,
    };
    Ok(session.read(Client::cells_export, params).await?.text)
}

/// Runs cell after cell, and answers what they ask.
async fn run(
    session: &mut Session,
    made: CanvasView,
    answers: Vec<String>,
    again: bool,
) -> Result<(), Failed> {
    let canvas = made.canvas.id.clone();
    let mut answers = answers.into_iter();
    for cell in runnable(session, made, again).await? {
        let params = CellRun {
            canvas: canvas.clone(),
            cell: cell.clone(),
        };
        session.change(Client::cells_run, params).await?;
        loop {
            let view = settled(session, &canvas).await?;
            if let Some(question) = view.questions.first() {
                let Some(text) = answers.next() else {
                    let (cell, hint) = (named(&question.question), question.hint.clone());
                    return Err(failure(
                        Failure::new("cell_waits").with("cell", cell).with("hint", hint),
                    ));
                };
                let params = CellAnswer {
                    canvas: canvas.clone(),
                    question: Some(question.question.clone()),
                    text,
                };
                session.change(Client::cells_answer, params).await?;
                continue;
            }
            if let Some(delegation) = view.delegations.first() {
                let failed = Failure::new("cell_delegated").with("cell", named(&delegation.cell));
                return Err(failure(failed.with("to", delegation.to.clone())));
            }
            break;
        }
        if state_of(session, &canvas, &cell).await? == Some(CellState::Failed) {
            return Err(failure(
                Failure::new("cell_run_failed").with("cell", named(&cell)),
            ));
        }
    }
    Ok(())
}

fn failure(failure: Failure) -> Failed {
    Failed::of(&failure)
}

fn named(cell: &CellRef) -> String {
    format!("{}:{}", cell.originator, cell.seq)
}

/// The view when nothing runs any more.
async fn settled(session: &mut Session, canvas: &str) -> Result<CanvasView, Failed> {
    loop {
        let params = CanvasSettle {
            canvas: canvas.to_owned(),
            wait_ms: None,
        };
        let view = session.read(Client::cells_settle, params).await?;
        if !view.running {
            return Ok(view);
        }
    }
}

async fn runnable(session: &mut Session, first: CanvasView, again: bool) -> Result<Vec<CellRef>, Failed> {
    let mut found = Vec::new();
    let (canvas, total) = (first.canvas.id, first.total);
    let mut offset = 0;
    while offset < total {
        let view = page(session, &canvas, offset).await?;
        for entry in &view.entries {
            let CanvasEntry::Cell { cell } = entry else {
                continue;
            };
            if cell.route.is_some() && (again || cell.state == CellState::Idle) {
                found.push(CellRef {
                    originator: cell.originator.clone(),
                    seq: cell.seq,
                });
            }
        }
        offset += PAGE;
    }
    Ok(found)
}

async fn page(session: &mut Session, canvas: &str, offset: u32) -> Result<CanvasView, Failed> {
    let params = CanvasOpen {
        canvas: canvas.to_owned(),
        offset,
        limit: Some(PAGE),
    };
    session.read(Client::cells_open, params).await
}

async fn state_of(session: &mut Session, canvas: &str, of: &CellRef) -> Result<Option<CellState>, Failed> {
    let mut offset = 0;
    loop {
        let view = page(session, canvas, offset).await?;
        let cells = view.entries.iter().filter_map(|entry| match entry {
            CanvasEntry::Cell { cell } => Some(cell),
            _ => Option::None,
        });
        let mut cells = cells.filter(|cell| cell.originator == of.originator && cell.seq == of.seq);
        if let Some(cell) = cells.next() {
            return Ok(Some(cell.state));
        }
        offset += PAGE;
        if offset >= view.total {
            return Ok(Option::None);
        }
    }
}
