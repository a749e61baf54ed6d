//! Canvases that are open: what their events made of them, and who carries out what that asks for.
//!
//! A change is an event: looked at, applied, kept, and only then carried out. What is to be done is read
//! off the state and not off the event, so that whoever opens a canvas after a kill begins what is
//! pending, and nothing else. A canvas whose event could not be kept is forgotten and read again.
//!
//! Deliberately not here: what an event means (`arena::engine`), the calls (`calls::cells`).

mod heard;
mod interpreter;
mod javascript;
mod model;
mod python;
mod shell;
mod steps;
mod waits;
mod who;

use crate::app::App;
use arena::engine::{Effect, Event, Phase, RunId, State};
use base::{Failure, Lang, clock};
use interpreter::Sessions;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use steps::Step;
use store::{Canvas, CanvasEvent, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use waits::Waits;

pub(crate) use model::{Cognitor, OfSettings};
pub(crate) use who::Who;

/// Canvases in memory; the longest unused leave.
const OPEN: usize = 32;
/// Bytes of one event.
pub(crate) const EVENT: usize = 32 * 1024 * 1024;
/// An interpreter that nobody used for so long ends; what it knew comes back when it is needed.
const IDLE: Duration = Duration::from_secs(600);

pub(crate) struct Canvases {
    open: tokio::sync::Mutex<HashMap<String, Arc<Notebook>>>,
    /// Who answers cells that are said to a model.
    pub(crate) cognitor: Box<dyn Cognitor>,
}

/// One that is open.
pub(crate) struct Notebook {
    pub(crate) id: String,
    kept: tokio::sync::Mutex<Kept>,
    /// Counts changes.
    changed: watch::Sender<u64>,
    sessions: Sessions,
    used: Mutex<Instant>,
    /// An event of it was not kept: it is not what the records say.
    gone: AtomicBool,
}

/// What is under its lock.
pub(crate) struct Kept {
    pub(crate) row: Canvas,
    pub(crate) state: State,
    /// Who asked for a run.
    who: HashMap<RunId, Who>,
    tasks: HashMap<RunId, Task>,
    waits: Waits,
}

/// A step that is carried out.
struct Task {
    step: usize,
    /// Its run among those that are watched.
    live: String,
    cancel: CancellationToken,
}

impl Canvases {
    pub(crate) fn new(cognitor: Box<dyn Cognitor>) -> Self {
        Canvases {
            open: tokio::sync::Mutex::default(),
            cognitor,
        }
    }

    /// Interpreters that nobody used end, and canvases that nobody looks at leave.
    pub(crate) async fn sweep(&self) {
        let mut open = self.open.lock().await;
        for notebook in open.values() {
            notebook.sessions.sweep(IDLE);
        }
        while open.len() > OPEN {
            let unused = open.values().filter(|one| Arc::strong_count(one) == 1);
            let Some(oldest) = unused.min_by_key(|one| one.used()).map(|one| one.id.clone()) else {
                return;
            };
            open.remove(&oldest);
        }
    }

    pub(crate) async fn forget(&self, id: &str) {
        self.taken(id).await;
    }

    /// One that is open, and now is not.
    pub(crate) async fn taken(&self, id: &str) -> Option<Arc<Notebook>> {
        self.open.lock().await.remove(id)
    }
}

impl App {
    /// A canvas; one that is not open is read, and what is pending in it begins.
    pub(crate) async fn canvas(&self, id: &str) -> Result<Arc<Notebook>, Failure> {
        let mut open = self.inner.canvases.open.lock().await;
        if let Some(notebook) = open.get(id).filter(|one| !one.gone.load(Ordering::Acquire)) {
            notebook.touch();
            return Ok(notebook.clone());
        }
        let notebook = Arc::new(Notebook {
            id: id.to_owned(),
            kept: tokio::sync::Mutex::new(Kept::read(&self.inner.store, id).await?),
            changed: watch::Sender::new(0),
            sessions: Sessions::default(),
            used: Mutex::new(Instant::now()),
            gone: AtomicBool::new(false),
        });
        notebook.attend(self, &mut *notebook.kept.lock().await);
        open.insert(id.to_owned(), notebook.clone());
        Ok(notebook)
    }

    /// The same product, for what outlives the call that began it.
    fn lasting(&self) -> App {
        App {
            inner: self.inner.clone(),
            cancel: self.inner.cancel.clone(),
        }
    }
}

impl Kept {
    async fn read(store: &Store, id: &str) -> Result<Self, Failure> {
        let (row, events) = store.canvas(id.to_owned()).await?;
        let lang = match row.lang.as_str() {
            "en" => Lang::En,
            _ => Lang::ZhCn,
        };
        let mut kept = Kept {
            state: State::new(row.arena.clone(), lang),
            row,
            who: HashMap::new(),
            tasks: HashMap::new(),
            waits: Waits::default(),
        };
        for happened in events {
            let event: Event = serde_json::from_str(&happened.event).map_err(store::StoreError::Json)?;
            kept.apply(&event, Who::of(happened.actor), happened.at);
        }
        Ok(kept)
    }

    fn apply(&mut self, event: &Event, by: Who, at: i64) {
        let first = self.state.runs().next();
        self.state.apply(event);
        self.waits.note(&self.state, at);
        for run in first..self.state.runs().next() {
            self.who.insert(run, by.clone());
        }
    }

    /// The run under which the step of a cell is watched that runs now.
    pub(crate) fn live_run(&self, run: RunId) -> Option<&str> {
        self.tasks.get(&run).map(|task| task.live.as_str())
    }

    /// Whether a step runs. What is queued while none does waits for a person or a delegate, or for
    /// the end of a pause.
    pub(crate) fn is_busy(&self) -> bool {
        self.state
            .runs()
            .active()
            .any(|(_, run)| run.phase == Phase::Executing)
    }
}

impl Notebook {
    pub(crate) async fn look(&self) -> tokio::sync::MutexGuard<'_, Kept> {
        self.touch();
        self.kept.lock().await
    }

    /// Lets something happen. `wanted` makes the event from what is there, or refuses.
    pub(crate) async fn change<T>(
        self: &Arc<Self>,
        app: &App,
        by: Who,
        wanted: impl FnOnce(&Kept) -> Result<(Event, T), Failure>,
    ) -> Result<(u32, T), Failure> {
        self.touch();
        let mut kept = self.kept.lock().await;
        if self.gone.load(Ordering::Acquire) {
            return Err(Failure::new("canvas_changed").with("canvas", self.id.clone()));
        }
        let (event, told) = wanted(&kept)?;
        kept.state.check(&event)?;
        let text = serde_json::to_string(&event)
            .map_err(|error| Failure::new("internal").detail(error.to_string()))?;
        if text.len() > EVENT {
            return Err(Failure::new("cells_too_large")
                .with("what", "event")
                .with("limit", EVENT));
        }
        let at = clock::now_ms();
        kept.apply(&event, by.clone(), at);
        let happened = CanvasEvent {
            at,
            actor: by.actor().clone(),
            event: text,
        };
        let (seq, cells) = (kept.row.events, kept.state.cell_count());
        let cells = u32::try_from(cells).unwrap_or(u32::MAX);
        let added = app
            .inner
            .store
            .add_canvas_event(self.id.clone(), seq, happened, cells);
        match added.await {
            Ok(row) => kept.row = row,
            Err(error) => {
                self.gone.store(true, Ordering::Release);
                for task in kept.tasks.values() {
                    task.cancel.cancel();
                }
                return Err(error.into());
            }
        }
        self.attend(app, &mut kept);
        let version = kept.row.events;
        drop(kept);
        self.changed.send_modify(|count| *count += 1);
        Ok((version, told))
    }

    /// Another title or task.
    pub(crate) async fn rename(
        &self,
        app: &App,
        title: Option<String>,
        task: Option<Option<String>>,
    ) -> Result<(), Failure> {
        let mut kept = self.kept.lock().await;
        kept.row = app
            .inner
            .store
            .change_canvas(self.id.clone(), title, task)
            .await?;
        Ok(())
    }

    /// Waits until nothing runs, at most so long.
    pub(crate) async fn settled(&self, most: Duration) {
        let mut changed = self.changed.subscribe();
        let waiting = async {
            while self.kept.lock().await.is_busy() {
                // The sender is in `self`.
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(most, waiting).await;
    }

    /// Ends everything that runs here.
    pub(crate) async fn close(&self) {
        self.gone.store(true, Ordering::Release);
        let mut kept = self.kept.lock().await;
        for (_, task) in kept.tasks.drain() {
            task.cancel.cancel();
        }
    }

    /// Begins the steps that are pending and ends those that are not any more.
    fn attend(self: &Arc<Self>, app: &App, kept: &mut Kept) {
        let pending = kept.state.pending();
        kept.tasks.retain(|id, task| {
            let wanted = pending.iter().any(
                |effect| matches!(effect, Effect::Execute { run, step, .. } if run == id && *step == task.step),
            );
            if !wanted {
                task.cancel.cancel();
            }
            wanted
        });
        if app.inner.ending.is_cancelled() {
            return;
        }
        self.watch_waits(app, &mut kept.waits);
        for effect in pending {
            let Some(step) = Step::of(effect) else { continue };
            let Some(who) = kept
                .who
                .get(&step.run)
                .filter(|_| !kept.tasks.contains_key(&step.run))
            else {
                continue;
            };
            let app = app.lasting();
            let task = Task {
                step: step.step,
                live: uuid::Uuid::new_v4().to_string(),
                cancel: app.inner.cancel.child_token(),
            };
            let (live, cancel) = (task.live.clone(), task.cancel.clone());
            kept.tasks.insert(step.run, task);
            let work = steps::carry_out(app.clone(), self.clone(), step, who.clone(), live, cancel);
            tokio::spawn(app.inner.running.track_future(work));
        }
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
