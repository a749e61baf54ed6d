//! Canvases of cells: what is asked of them as events, and what they are as wire types.
//!
//! A person may write as anybody but the Arena; others write under their own name, so that nobody
//! takes their cells for somebody else's.

mod documents;
mod shown;

use super::actor_of;
use crate::app::App;
use crate::cells::{Kept, Notebook, Who};
use ::arena::convert::{pictures_of, to_ipynb, to_markdown};
use ::arena::engine::{Behaviour, Draft, Event, Phase, RunId, State};
use ::arena::{ARENA, Canvas, CellId, USER, write_canvas};
use base::{Failure, Lang};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use documents::{read, title_of, with_pictures};
pub(crate) use shown::waited_for;
use shown::{LARGEST_PAGE, diagnostic, reference, row, view};
use std::collections::HashMap;
use std::time::Duration;
use store::NewCanvas;
use wire::{
    Caller, CanvasChange, CanvasConvert, CanvasCreate, CanvasExport, CanvasFormat, CanvasList, CanvasOpen,
    CanvasQuery, CanvasSettle, CanvasSource, CanvasView, CellAnswer, CellAppend, CellChanged, CellChecked,
    CellDraft, CellEdit, CellInterrupt, CellQuestion, CellRef, CellRefuse, CellRun, Done, StaleCells, Text,
};

/// Bytes of a document, and of one cell.
const DOCUMENT: usize = 16 * 1024 * 1024;
const CELL: usize = 1024 * 1024;
/// Characters of a title and of a name.
const TITLE: usize = 120;
const NAME: usize = 120;
/// Of a client that does not say who it is.
const NAMELESS: &str = "Client";
/// How long it is waited until nothing runs, in milliseconds.
const SETTLE: u32 = 20_000;
const LONGEST_SETTLE: u32 = 60_000;

pub(super) async fn list(app: &App, query: CanvasQuery) -> Result<CanvasList, Failure> {
    let found = app.inner.store.canvases(query.removed).await?;
    Ok(CanvasList {
        canvases: found.into_iter().map(row).collect(),
    })
}

pub(super) async fn create(app: &App, caller: &Caller, params: CanvasCreate) -> Result<CanvasView, Failure> {
    if let Some(task) = &params.task_id {
        app.inner.workspaces.get(task)?;
    }
    let actor = actor_of(caller);
    let lang = app.lang();
    let text = params.text.unwrap_or_default();
    within("text", text.len(), DOCUMENT)?;
    let read = read(&text, params.format)?;
    let title = params.title.unwrap_or_else(|| title_of(&read.canvas));
    let new = NewCanvas {
        id: uuid::Uuid::new_v4().to_string(),
        title: title_in(&title)?,
        task: params.task_id,
        arena: ARENA.to_owned(),
        lang: match lang {
            Lang::ZhCn => "zh-CN".to_owned(),
            Lang::En => "en".to_owned(),
        },
        actor: actor.clone(),
    };
    let made = app.inner.store.add_canvas(new).await?;
    if !text.trim().is_empty() {
        let canvas = with_pictures(app, &actor, &made.id, read).await?;
        let text = write_canvas(&canvas);
        let notebook = app.canvas(&made.id).await?;
        let opened = notebook
            .change(app, Who::of(actor.clone()), |_| Ok((Event::Opened { text }, ())))
            .await;
        if let Err(failure) = opened {
            app.inner.canvases.forget(&made.id).await;
            app.inner.store.remove_canvas(made.id, actor).await?;
            return Err(failure);
        }
    }
    view(app, &made.id, 0, None).await
}

fn title_in(title: &str) -> Result<String, Failure> {
    let title = title.trim();
    match title.chars().count() {
        1..=TITLE => Ok(title.to_owned()),
        _ => Err(Failure::new("cells_bad_title").with("limit", TITLE)),
    }
}

fn within(what: &str, bytes: usize, limit: usize) -> Result<(), Failure> {
    if bytes > limit {
        return Err(Failure::new("cells_too_large")
            .with("what", what)
            .with("limit", limit));
    }
    Ok(())
}

pub(super) async fn open(app: &App, params: CanvasOpen) -> Result<CanvasView, Failure> {
    view(app, &params.canvas, params.offset, params.limit).await
}

pub(super) async fn append(app: &App, caller: &Caller, params: CellAppend) -> Result<CellChanged, Failure> {
    let notebook = app.canvas(&params.canvas).await?;
    let CellDraft {
        originator,
        r#type,
        target_cognitor,
        execution_context,
        depends_on,
        text,
        flags,
    } = params.cell;
    within("text", text.len(), CELL)?;
    let given = [&originator, &r#type, &target_cognitor, &execution_context];
    let names = given.into_iter().flatten().chain(&flags);
    let names = names.chain(depends_on.iter().map(|one| &one.originator));
    if names.map(|name| name.chars().count()).any(|count| count > NAME) || flags.len() > 16 {
        return Err(Failure::new("cells_too_large")
            .with("what", "name")
            .with("limit", NAME));
    }
    let originator = own_name(caller, originator, &notebook).await?;
    let draft = Draft {
        originator: originator.clone(),
        seq: None,
        kind: r#type,
        target_cognitor,
        execution_context,
        requester: None,
        depends_on: depends_on.into_iter().map(pair).collect(),
        text,
        flags,
    };
    let who = Who::of(actor_of(caller));
    let (version, seq) = notebook
        .change(app, who, |kept| {
            let next = kept.state.next_seq(&originator);
            Ok((Event::Submitted { draft }, next))
        })
        .await?;
    Ok(CellChanged {
        version,
        cell: Some(CellRef { originator, seq }),
    })
}

/// The name of a program or model; one that has none is not taken for the user.
fn name_of(caller: &Caller) -> String {
    match caller.actor.name.as_str() {
        "" => NAMELESS.to_owned(),
        name => name.to_owned(),
    }
}

/// Under which name this caller writes.
async fn own_name(caller: &Caller, asked: Option<String>, notebook: &Notebook) -> Result<String, Failure> {
    let who = Who::of(actor_of(caller));
    let own = match who.is_person() {
        true => USER.to_owned(),
        false => name_of(caller),
    };
    let name = asked
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| own.clone());
    let arena = notebook.look().await.row.arena.clone();
    let refused = name == arena || (!who.is_person() && (name != own || name == USER));
    match refused {
        true => Err(Failure::new("cell_originator").with("originator", name)),
        false => Ok(name),
    }
}

fn pair(cell: CellRef) -> (String, u64) {
    (cell.originator, cell.seq)
}

fn id(cell: &CellRef) -> CellId {
    CellId::new(cell.originator.clone(), cell.seq)
}

async fn changed(
    app: &App,
    caller: &Caller,
    canvas: &str,
    cell: Option<CellRef>,
    wanted: impl FnOnce(&Kept) -> Result<Event, Failure>,
) -> Result<CellChanged, Failure> {
    let notebook = app.canvas(canvas).await?;
    let who = Who::of(actor_of(caller));
    let (version, ()) = notebook.change(app, who, |kept| Ok((wanted(kept)?, ()))).await?;
    Ok(CellChanged { version, cell })
}

pub(super) async fn run(app: &App, caller: &Caller, params: CellRun) -> Result<CellChanged, Failure> {
    let cell = pair(params.cell.clone());
    changed(app, caller, &params.canvas, Some(params.cell), |_| {
        Ok(Event::RunRequested { cell })
    })
    .await
}

pub(super) async fn run_stale(app: &App, caller: &Caller, params: CellRun) -> Result<CellChanged, Failure> {
    let cell = pair(params.cell.clone());
    changed(app, caller, &params.canvas, Some(params.cell), |_| {
        Ok(Event::DownstreamRequested { cell })
    })
    .await
}

pub(super) async fn edit(app: &App, caller: &Caller, params: CellEdit) -> Result<CellChanged, Failure> {
    within("text", params.text.len(), CELL)?;
    let (cell, text) = (pair(params.cell.clone()), params.text);
    let own = name_of(caller);
    let person = Who::of(actor_of(caller)).is_person();
    // What others have said stands as they said it.
    if !person && params.cell.originator != own {
        return Err(Failure::new("cell_originator").with("originator", params.cell.originator));
    }
    changed(app, caller, &params.canvas, Some(params.cell), |_| {
        Ok(Event::Edited { cell, text })
    })
    .await
}

pub(super) async fn answer(app: &App, caller: &Caller, params: CellAnswer) -> Result<CellChanged, Failure> {
    within("text", params.text.len(), CELL)?;
    let notebook = app.canvas(&params.canvas).await?;
    let who = Who::of(actor_of(caller));
    let requester = (!who.is_person()).then(|| name_of(caller));
    let asked = params.question;
    let (version, cell) = notebook
        .change(app, who, |kept| {
            let (open, _) = waited_for(&kept.state);
            let fits = |one: &&CellQuestion| match &asked {
                Some(asked) => one.question == *asked || one.cell == *asked,
                None => true,
            };
            let question = open
                .iter()
                .find(fits)
                .ok_or_else(|| Failure::new("cell_no_question"))?;
            let cell = CellRef {
                originator: question.from.clone(),
                seq: kept.state.next_seq(&question.from),
            };
            let draft = Draft {
                originator: question.from.clone(),
                kind: Some("INPUT".to_owned()),
                // Whoever brings the answer of somebody else says so.
                requester: requester.filter(|name| *name != question.from),
                depends_on: vec![pair(question.question.clone())],
                text: params.text,
                ..Draft::default()
            };
            Ok((Event::Submitted { draft }, cell))
        })
        .await?;
    Ok(CellChanged {
        version,
        cell: Some(cell),
    })
}

pub(super) async fn refuse(app: &App, caller: &Caller, params: CellRefuse) -> Result<CellChanged, Failure> {
    within("reason", params.reason.len(), CELL)?;
    let wanted = id(&params.cell);
    let person = Who::of(actor_of(caller)).is_person();
    let own = name_of(caller);
    let reason = params.reason;
    changed(app, caller, &params.canvas, Some(params.cell), |kept| {
        let run = active(&kept.state, &wanted)?;
        if let Phase::Delegated { to } = &kept.state.runs()[run].phase
            && !person
            && *to != own
        {
            return Err(Failure::new("cell_originator").with("originator", to.clone()));
        }
        Ok(Event::Refused { run, reason })
    })
    .await
}

/// The run of a cell that has not ended.
fn active(state: &State, cell: &CellId) -> Result<RunId, Failure> {
    let (run, newest) = state
        .last_run(cell)
        .ok_or_else(|| Failure::new("cell_not_found").with("cell", cell.to_string()))?;
    match newest.is_active() {
        true => Ok(run),
        false => Err(Failure::new("cell_run_late").with("run", run)),
    }
}

pub(super) async fn interrupt(
    app: &App,
    caller: &Caller,
    params: CellInterrupt,
) -> Result<CellChanged, Failure> {
    let cell = params.cell.clone();
    changed(app, caller, &params.canvas, params.cell, |kept| match &cell {
        Some(cell) => {
            let run = active(&kept.state, &id(cell))?;
            Ok(Event::Interrupted { run })
        }
        None => Ok(Event::Stopped),
    })
    .await
}

pub(super) async fn settle(app: &App, params: CanvasSettle) -> Result<CanvasView, Failure> {
    let notebook = app.canvas(&params.canvas).await?;
    let most = params.wait_ms.unwrap_or(SETTLE).min(LONGEST_SETTLE);
    let settled = notebook.settled(Duration::from_millis(u64::from(most)));
    // A view is given all the same when the owner ends: nobody waits for a watcher.
    let _ = crate::live::unless_ending(app, settled).await;
    view(app, &params.canvas, 0, Some(LARGEST_PAGE)).await
}

pub(super) async fn stale(app: &App, canvas: &str) -> Result<StaleCells, Failure> {
    let notebook = app.canvas(canvas).await?;
    let kept = notebook.look().await;
    Ok(StaleCells {
        cells: kept.state.stale().map(|id| reference(&id)).collect(),
    })
}

pub(super) async fn change(app: &App, caller: &Caller, params: CanvasChange) -> Result<CellChanged, Failure> {
    let notebook = app.canvas(&params.canvas).await?;
    let title = params.title.as_deref().map(title_in).transpose()?;
    let task = params
        .task_id
        .map(|task| Some(task).filter(|task| !task.is_empty()));
    if let Some(Some(task)) = &task {
        app.inner.workspaces.get(task)?;
    }
    if title.is_some() || task.is_some() {
        notebook.rename(app, title, task).await?;
    }
    let kind = params.kind.map(|kind| Event::TypeRegistered {
        name: kind.name,
        behaviour: match kind.executes {
            true => Behaviour::Execute {
                context: kind.context,
            },
            false => Behaviour::Keep,
        },
    });
    let events = [
        params
            .paused
            .map(|paused| if paused { Event::Paused } else { Event::Resumed }),
        params
            .automatic
            .map(|automatic| Event::AutomaticSet { automatic }),
        kind,
    ];
    for event in events.into_iter().flatten() {
        notebook
            .change(app, Who::of(actor_of(caller)), |_| Ok((event, ())))
            .await?;
    }
    let version = notebook.look().await.row.events;
    Ok(CellChanged { version, cell: None })
}

pub(super) async fn source(app: &App, caller: &Caller, params: CanvasSource) -> Result<CanvasView, Failure> {
    within("text", params.text.len(), DOCUMENT)?;
    let (text, expected) = (params.text, params.version);
    changed(app, caller, &params.canvas, None, |kept| {
        if expected.is_some_and(|version| version != kept.row.events) {
            return Err(Failure::new("canvas_changed").with("canvas", kept.row.id.clone()));
        }
        Ok(Event::Opened { text })
    })
    .await?;
    view(app, &params.canvas, 0, None).await
}

pub(super) async fn export(app: &App, params: CanvasExport) -> Result<Text, Failure> {
    let notebook = app.canvas(&params.canvas).await?;
    let canvas = notebook.look().await.state.canvas().clone();
    let text = match params.format {
        CanvasFormat::Acp => write_canvas(&canvas),
        CanvasFormat::Markdown => to_markdown(&canvas),
        CanvasFormat::Ipynb => {
            let mut pictures = HashMap::new();
            for name in canvas.cells().flat_map(pictures_of) {
                let Ok(id) = super::id_of(name) else { continue };
                // One that was removed is not in the notebook.
                if let Ok(bytes) = tokio::fs::read(app.inner.store.artifact_path(&id)).await {
                    pictures.insert(name.to_owned(), STANDARD.encode(bytes));
                }
            }
            to_ipynb(&canvas, &|name| pictures.get(name).cloned())
        }
    };
    Ok(Text { text })
}

pub(super) fn convert(params: CanvasConvert) -> Result<Text, Failure> {
    within("text", params.text.len(), DOCUMENT)?;
    let canvas = read(&params.text, params.from)?.canvas;
    let text = match params.to {
        CanvasFormat::Acp => write_canvas(&canvas),
        CanvasFormat::Markdown => to_markdown(&canvas),
        CanvasFormat::Ipynb => to_ipynb(&canvas, &|_| None),
    };
    Ok(Text { text })
}

pub(super) fn check(app: &App, text: &str) -> Result<CellChecked, Failure> {
    within("text", text.len(), DOCUMENT)?;
    let lang = app.lang();
    let reading = ::arena::read(text, ARENA);
    let diagnostics = ::arena::check(&reading);
    let canvases: Vec<&Canvas> = reading.document.canvases().collect();
    Ok(CellChecked {
        canvases: u32::try_from(canvases.len()).unwrap_or(u32::MAX),
        cells: u32::try_from(canvases.iter().flat_map(|canvas| canvas.cells()).count()).unwrap_or(u32::MAX),
        formatted: ::arena::write(&reading.settled(ARENA, lang)),
        diagnostics: diagnostics.iter().map(|one| diagnostic(one, lang)).collect(),
    })
}

pub(super) async fn remove(app: &App, caller: &Caller, canvas: &str) -> Result<Done, Failure> {
    app.inner
        .store
        .remove_canvas(canvas.to_owned(), actor_of(caller))
        .await?;
    if let Some(notebook) = app.inner.canvases.taken(canvas).await {
        notebook.close().await;
    }
    Ok(Done {})
}

pub(super) async fn restore(app: &App, caller: &Caller, canvas: &str) -> Result<Done, Failure> {
    app.inner
        .store
        .restore_canvas(canvas.to_owned(), actor_of(caller))
        .await?;
    Ok(Done {})
}
