//! Runs that are open now: their progress, their last lines, and the way to call them off.
//!
//! A run is here from its opening until its record is kept; whoever is late can still see its end
//! for a minute. Everything that a run can grow has a limit. Deliberately not here: finished runs,
//! which are rows of the store.

use crate::app::App;
use base::{Failure, clock};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Actor;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Line, OpenRun, Runs};

/// Lines of one run that are kept, and their bytes together; the oldest leave.
const LINES: usize = 500;
const LINE_BYTES: usize = 256 * 1024;
/// Bytes of one line; the rest is cut.
const LINE: usize = 16 * 1024;
/// Characters of what a run says about its progress.
const PROGRESS: usize = 500;
/// An ended run is shown for this long, to whoever asks late …
const ENDED_AGE: Duration = Duration::from_secs(60);
/// … and so many of them.
const ENDED: usize = 64;
/// The longest that a watcher waits for news.
const PATIENCE: Duration = Duration::from_secs(20);
/// News of so long go out together.
const GATHER: Duration = Duration::from_millis(100);

/// Handle to the open runs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Live {
    state: Arc<Mutex<State>>,
    /// Counts openings, for those who wait for a run to appear.
    opened: watch::Sender<u64>,
    /// None begins.
    paused: Arc<AtomicBool>,
    patience: Duration,
}

#[derive(Default)]
struct State {
    open: HashMap<String, Arc<Run>>,
    /// Oldest first.
    ended: VecDeque<(Instant, Arc<Run>)>,
}

/// One run. What changes is in `shown`.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) subject: String,
    pub(crate) actor: Actor,
    /// Milliseconds since the epoch.
    pub(crate) started_at: i64,
    cancel: CancellationToken,
    shown: watch::Sender<Shown>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Running,
    /// Done but for its record.
    Over,
    Ended,
}

struct Shown {
    phase: Phase,
    progress: Option<Progress>,
    lines: VecDeque<Line>,
    bytes: usize,
    /// Number of the line after the last; the first line of a run is 0.
    next: u32,
    /// Grows with every change, from 1.
    version: u32,
}

/// What a watcher gets.
#[derive(Debug, PartialEq)]
pub(crate) struct News {
    pub(crate) phase: Phase,
    pub(crate) progress: Option<Progress>,
    pub(crate) lines: Vec<Line>,
    pub(crate) next: u32,
    pub(crate) version: u32,
}

/// An open run in the hands of whoever runs it; dropped, it has ended.
pub(crate) struct Opened {
    live: Live,
    run: Arc<Run>,
}

impl Default for Live {
    fn default() -> Self {
        Live {
            state: Arc::default(),
            opened: watch::Sender::new(0),
            paused: Arc::default(),
            patience: PATIENCE,
        }
    }
}

impl Live {
    pub(crate) fn begin(
        &self,
        id: &str,
        subject: &str,
        actor: &Actor,
        cancel: &CancellationToken,
    ) -> Result<Opened, Failure> {
        if self.is_paused() {
            return Err(Failure::new("paused"));
        }
        let run = Arc::new(Run {
            id: id.to_owned(),
            subject: subject.to_owned(),
            actor: actor.clone(),
            started_at: clock::now_ms(),
            cancel: cancel.child_token(),
            shown: watch::Sender::new(Shown::default()),
        });
        let mut state = self.state();
        state.forget(Instant::now());
        if state.find(id).is_some() {
            return Err(Failure::new("run_exists").with("run", id));
        }
        state.open.insert(id.to_owned(), run.clone());
        drop(state);
        self.opened.send_modify(|count| *count += 1);
        Ok(Opened {
            live: self.clone(),
            run,
        })
    }

    /// From now on no run begins, or they do again. Those that are open go on.
    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Open runs and their progress, oldest first.
    pub(crate) fn active(&self) -> Vec<(Arc<Run>, Option<Progress>)> {
        let mut open: Vec<_> = self.state().open.values().cloned().collect();
        open.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        open.into_iter()
            .filter_map(|run| {
                let shown = run.shown.borrow();
                let progress = (shown.phase == Phase::Running).then(|| shown.progress.clone())?;
                drop(shown);
                Some((run, progress))
            })
            .collect()
    }

    /// Asks a run to end. What it was, or `None` when no such run is open.
    pub(crate) fn cancel(&self, id: &str) -> Option<Arc<Run>> {
        let run = self.state().open.get(id).cloned()?;
        if run.shown.borrow().phase != Phase::Running {
            return None;
        }
        run.cancel.cancel();
        Some(run)
    }

    /// What happened to a run since `version`, with its lines from `from` on: at once when that is
    /// something or it is the first look, else when it is, or when the watcher's patience ends.
    /// `None` when the run did not appear in that time.
    pub(crate) async fn watch(&self, id: &str, from: u32, version: u32) -> Option<News> {
        let deadline = Instant::now() + self.patience;
        let run = self.appeared(id, deadline).await?;
        let mut seen = run.shown.subscribe();
        let ended = |shown: &Shown| shown.phase == Phase::Ended;
        let new = |shown: &Shown| shown.version != version || ended(shown);
        // The sender is in `run`: waiting fails by time alone, here and below.
        let news = timeout_at(deadline, seen.wait_for(new)).await.is_ok();
        if news && version != 0 {
            let _ = timeout(GATHER, seen.wait_for(ended)).await;
        }
        let news = seen.borrow_and_update().since(from);
        Some(news)
    }

    pub(crate) fn knows(&self, id: &str) -> bool {
        self.state().find(id).is_some()
    }

    async fn appeared(&self, id: &str, deadline: Instant) -> Option<Arc<Run>> {
        // Subscribed before the look, so that no opening falls between.
        let mut opened = self.opened.subscribe();
        loop {
            if let Some(run) = self.state().find(id) {
                return Some(run);
            }
            match timeout_at(deadline, opened.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return None,
            }
        }
    }

    fn end(&self, run: &Arc<Run>) {
        let now = Instant::now();
        let mut state = self.state();
        state.open.remove(&run.id);
        state.ended.push_back((now, run.clone()));
        state.forget(now);
        drop(state);
        run.change(|shown| shown.phase = Phase::Ended);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&self, id: &str) -> Option<Arc<Run>> {
        let ended = || self.ended.iter().map(|(_, run)| run).find(|run| run.id == id);
        self.open.get(id).or_else(ended).cloned()
    }

    fn forget(&mut self, now: Instant) {
        let old = |at: &Instant| now.saturating_duration_since(*at) >= ENDED_AGE;
        while self.ended.len() > ENDED || self.ended.front().is_some_and(|(at, _)| old(at)) {
            self.ended.pop_front();
        }
    }
}

impl Run {
    fn change(&self, change: impl FnOnce(&mut Shown)) {
        self.shown.send_modify(|shown| {
            change(shown);
            shown.version += 1;
        });
    }
}

impl Default for Shown {
    fn default() -> Self {
        Shown {
            phase: Phase::Running,
            progress: None,
            lines: VecDeque::new(),
            bytes: 0,
            next: 0,
            version: 1,
        }
    }
}

impl Shown {
    fn push(&mut self, mut line: Line) {
        line.text.truncate(line.text.floor_char_boundary(LINE));
        self.bytes += line.text.len();
        self.lines.push_back(line);
        self.next += 1;
        while self.lines.len() > LINES || self.bytes > LINE_BYTES {
            let Some(oldest) = self.lines.pop_front() else {
                return;
            };
            self.bytes -= oldest.text.len();
        }
    }

    /// Lines that left, or are not there yet, are not waited for.
    fn since(&self, from: u32) -> News {
        let wanted = usize::try_from(self.next.saturating_sub(from)).unwrap_or(usize::MAX);
        let skipped = self.lines.len().saturating_sub(wanted);
        News {
            phase: self.phase,
            progress: self.progress.clone(),
            lines: self.lines.iter().skip(skipped).cloned().collect(),
            next: self.next,
            version: self.version,
        }
    }
}

impl OpenRun for Opened {
    fn line(&self, line: Line) {
        self.run.change(|shown| shown.push(line));
    }

    fn progress(&self, done: f64, total: Option<f64>, text: Option<String>) {
        let text: String = text.unwrap_or_default().chars().take(PROGRESS).collect();
        self.run
            .change(|shown| shown.progress = Some(Progress { done, total, text }));
    }

    fn lines(&self) -> Vec<Line> {
        self.run.shown.borrow().lines.iter().cloned().collect()
    }

    fn cancel(&self) -> CancellationToken {
        self.run.cancel.clone()
    }

    fn over(&self) {
        self.run.change(|shown| shown.phase = Phase::Over);
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.live.end(&self.run);
    }
}

impl Runs for Live {
    fn open(
        &self,
        run: &str,
        subject: &str,
        actor: &Actor,
        cancel: &CancellationToken,
    ) -> Result<Box<dyn OpenRun>, Failure> {
        Ok(Box::new(self.begin(run, subject, actor, cancel)?))
    }
}

/// The id that a caller chose for a run, if it did: a random UUID as it is usually written.
pub(crate) fn chosen(call: &str, run: Option<String>) -> Result<Option<String>, Failure> {
    let Some(given) = run else { return Ok(None) };
    match uuid::Uuid::try_parse(&given) {
        Ok(id) if id.get_version_num() == 4 && id.to_string() == given => Ok(Some(given)),
        _ => Err(Failure::new("invalid_args")
            .with("call", call)
            .with("reason", "run: UUID v4")),
    }
}

/// `work`, or `None` when the owner ends before it does: nobody waits for a watcher.
pub(crate) async fn unless_ending<T>(app: &App, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = app.inner.ending.cancelled() => None,
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
