//! A canvas as it is now, as wire types.

use super::super::{id_of, wire_actor};
use crate::app::App;
use crate::cells::{Kept, Notebook};
use ::arena::convert::pictures_of;
use ::arena::engine::{Behaviour, Effect, Language, Route, Standing, State};
use ::arena::{ARENA, ARTIFACTS, Cell, CellId, CellType, Code, Diagnostic, Entry, Log, Severity, ValueType};
use base::{Failure, Lang};
use std::sync::Arc;
use wire::{
    CanvasEntry, CanvasRow, CanvasView, CellDelegation, CellDiagnostic, CellKind, CellLog, CellQuestion,
    CellRef, CellSeverity, CellState, CellStdout, CellValue, CellView, ExpectedCell,
};

/// Entries of one view, when nothing is said and at most.
const PAGE: u32 = 500;
pub(super) const LARGEST_PAGE: u32 = 2000;
/// What is said of a document, at most.
const DIAGNOSTICS: usize = 200;
/// Cells of a document about which anything is said at each look.
const CHECKED: usize = 2000;

pub(super) async fn view(
    app: &App,
    canvas: &str,
    offset: u32,
    limit: Option<u32>,
) -> Result<CanvasView, Failure> {
    let notebook: Arc<Notebook> = app.canvas(canvas).await?;
    let kept = notebook.look().await;
    let (state, limit) = (&kept.state, limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE));
    let (entries, pending) = (&state.canvas().entries, state.pending());
    let window = entries.iter().skip(offset as usize).take(limit as usize);
    Ok(CanvasView {
        canvas: row(kept.row.clone()),
        entries: window.map(|entry| shown(&kept, entry)).collect(),
        total: u32::try_from(entries.len()).unwrap_or(u32::MAX),
        running: kept.is_busy(),
        paused: state.is_paused(),
        automatic: state.is_automatic(),
        questions: pending
            .iter()
            .filter_map(|effect| question(state, effect))
            .collect(),
        delegations: pending.iter().filter_map(delegation).collect(),
        expected: pending.iter().filter_map(expected).collect(),
        types: state
            .types()
            .map(|(name, behaviour)| kind(name, behaviour))
            .collect(),
        diagnostics: diagnostics(state, app.lang()),
    })
}

/// What makes the graph of cells one that cannot be followed; how it is spelt is ours.
fn diagnostics(state: &State, lang: Lang) -> Vec<CellDiagnostic> {
    if state.cell_count() > CHECKED {
        return Vec::new();
    }
    let graph = [
        Code::DuplicateSeq,
        Code::DanglingDependency,
        Code::DependencyCycle,
        Code::WrongOrder,
    ];
    let found = ::arena::check(&::arena::read(&::arena::write_canvas(state.canvas()), ARENA));
    let of_graph = found.iter().filter(|one| graph.contains(&one.code));
    of_graph
        .take(DIAGNOSTICS)
        .map(|one| diagnostic(one, lang))
        .collect()
}

/// Whom the canvas waits for: with an answer, and with cells of their own.
pub(crate) fn waited_for(state: &State) -> (Vec<CellQuestion>, Vec<CellDelegation>) {
    let pending = state.pending();
    let questions = pending.iter().filter_map(|effect| question(state, effect));
    (
        questions.collect(),
        pending.iter().filter_map(delegation).collect(),
    )
}

fn question(state: &State, effect: &Effect) -> Option<CellQuestion> {
    match effect {
        Effect::AskInput {
            run,
            output,
            from,
            hint,
            ..
        } => Some(CellQuestion {
            cell: reference(&state.runs().get(*run)?.cell),
            question: reference(output),
            from: from.clone(),
            hint: hint.clone(),
        }),
        _ => None,
    }
}

fn delegation(effect: &Effect) -> Option<CellDelegation> {
    match effect {
        Effect::Delegate {
            cell,
            to,
            context,
            text,
            ..
        } => Some(CellDelegation {
            cell: reference(cell),
            to: to.clone(),
            context: context.clone(),
            text: text.clone(),
        }),
        _ => None,
    }
}

fn expected(effect: &Effect) -> Option<ExpectedCell> {
    match effect {
        Effect::CreateCell { originator, after } => Some(ExpectedCell {
            originator: originator.clone(),
            after: reference(after),
        }),
        _ => None,
    }
}

fn kind(name: &str, behaviour: &Behaviour) -> CellKind {
    let (executes, context) = match behaviour {
        Behaviour::Keep => (false, None),
        Behaviour::Execute { context } => (true, context.clone()),
    };
    CellKind {
        name: name.to_owned(),
        executes,
        context,
    }
}

fn shown(kept: &Kept, entry: &Entry) -> CanvasEntry {
    match entry {
        Entry::Cell(cell) => CanvasEntry::Cell {
            cell: Box::new(cell_view(kept, cell)),
        },
        Entry::ArenaLog(arena) => CanvasEntry::Log {
            logs: arena.logs.iter().map(log).collect(),
        },
        Entry::Other(text) => CanvasEntry::Other { text: text.clone() },
    }
}

fn log(log: &Log) -> CellLog {
    CellLog {
        originator: log.originator.clone(),
        level: log.level.as_ref().map(|level| level.word().to_owned()),
        seq: log.seq,
        message: log.message.clone(),
        r#type: log.kind.as_ref().map(|kind| kind.word().to_owned()),
    }
}

fn cell_view(kept: &Kept, cell: &Cell) -> CellView {
    let name = cell.id();
    let newest = kept.state.last_run(&name);
    let pictures = pictures_of(cell).filter_map(|name| id_of(name).ok());
    let attributes = cell.attributes.iter().filter(|(name, _)| name != ARTIFACTS);
    CellView {
        originator: cell.originator.clone(),
        seq: cell.seq,
        r#type: cell.kind.word().to_owned(),
        target_cognitor: cell.target_cognitor.clone(),
        execution_context: cell.execution_context.clone(),
        requester: cell.requester.clone(),
        depends_on: cell.depends_on.iter().map(reference).collect(),
        value: cell.value.as_ref().map(|value| CellValue {
            text: value.text.clone(),
            r#type: value
                .kind
                .as_ref()
                .unwrap_or(&ValueType::Normal)
                .word()
                .to_owned(),
        }),
        stdout: cell
            .stdout
            .iter()
            .map(|line| CellStdout {
                seq: line.seq,
                text: line.text.clone(),
            })
            .collect(),
        logs: cell.logs.iter().map(log).collect(),
        flags: cell.flags.iter().map(|flag| flag.value.clone()).collect(),
        attributes: attributes.cloned().collect(),
        state: state_of(kept.state.standing(&name)),
        pictures: pictures.map(|id| format!("{id}.png")).collect(),
        route: match cell.kind {
            CellType::Output | CellType::Input => None,
            CellType::Exec | CellType::Custom(_) => kept.state.route_of_cell(cell).map(route),
        },
        run: newest.and_then(|(run, _)| kept.live_run(run)).map(str::to_owned),
    }
}

fn state_of(standing: Standing) -> CellState {
    match standing {
        Standing::Idle => CellState::Idle,
        Standing::Queued => CellState::Queued,
        Standing::Running => CellState::Running,
        Standing::Waiting => CellState::Waiting,
        Standing::Delegated => CellState::Delegated,
        Standing::Stale => CellState::Stale,
        Standing::Done => CellState::Done,
        Standing::Stopped => CellState::Stopped,
        Standing::Failed => CellState::Failed,
    }
}

fn route(route: Route) -> String {
    match route {
        Route::Delegate(_) => "delegate".to_owned(),
        Route::Model => "model".to_owned(),
        Route::Code(Language::JavaScript) => "javascript".to_owned(),
        Route::Code(Language::Python) => "python".to_owned(),
        Route::Code(Language::Plain) => "plain".to_owned(),
        Route::Shell(_) => "shell".to_owned(),
        Route::Context(context) => context,
    }
}

pub(super) fn diagnostic(found: &Diagnostic, lang: Lang) -> CellDiagnostic {
    CellDiagnostic {
        code: found.code.word().to_owned(),
        severity: match found.severity {
            Severity::Info => CellSeverity::Info,
            Severity::Warning => CellSeverity::Warning,
            Severity::Error => CellSeverity::Error,
        },
        line: u32::try_from(found.line).unwrap_or(u32::MAX),
        column: u32::try_from(found.column).unwrap_or(u32::MAX),
        message: found.message(lang),
    }
}

pub(super) fn row(canvas: store::Canvas) -> CanvasRow {
    CanvasRow {
        id: canvas.id,
        title: canvas.title,
        task_id: canvas.task,
        arena: canvas.arena,
        created_at: canvas.created_at as f64,
        changed_at: canvas.changed_at as f64,
        version: canvas.events,
        cells: canvas.cells,
        actor: wire_actor(canvas.actor),
        removed_at: canvas.removed_at.map(|at| at as f64),
    }
}

pub(super) fn reference(id: &CellId) -> CellRef {
    CellRef {
        originator: id.originator.clone(),
        seq: id.seq,
    }
}
