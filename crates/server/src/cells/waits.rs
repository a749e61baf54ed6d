//! How long cells wait for an answer, or for whom they were delegated to (`cells.waitSeconds`). Counted from the event
//! that made a cell wait, so that a restart gives it no more time; looked at while its canvas is open.
//!
//! Deliberately not here: what becomes of a cell that waited too long (`arena::engine`).

use super::Notebook;
use crate::app::App;
use arena::engine::{Event, Phase, RunId, State};
use base::{Failure, clock};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The cells that wait.
#[derive(Default)]
pub(super) struct Waits {
    /// Since when, in milliseconds since the epoch.
    since: BTreeMap<RunId, i64>,
    /// Ends the clock of the one that has waited longest.
    clock: Option<CancellationToken>,
}

impl Waits {
    /// Takes in what an event of this time made of a canvas.
    pub(super) fn note(&mut self, state: &State, at: i64) {
        let waits = |phase: &Phase| matches!(phase, Phase::Waiting { .. } | Phase::Delegated { .. });
        let now = state.runs().active().filter(|(_, run)| waits(&run.phase));
        let before = std::mem::take(&mut self.since);
        self.since = now
            .map(|(run, _)| (run, before.get(&run).copied().unwrap_or(at)))
            .collect();
    }

    /// The one that has waited longest, and since when.
    fn longest(&self) -> Option<(RunId, i64)> {
        self.since
            .iter()
            .map(|(run, since)| (*run, *since))
            .min_by_key(|(_, since)| *since)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some(clock) = &self.clock {
            clock.cancel();
        }
    }
}

impl Notebook {
    /// Sets the clock anew. It does not keep a canvas open.
    pub(super) fn watch_waits(self: &Arc<Self>, app: &App, waits: &mut Waits) {
        if let Some(before) = waits.clock.take() {
            before.cancel();
        }
        let Some(limit) = app.inner.settings.cells.wait_seconds.map(i64::from) else {
            return;
        };
        let Some((run, since)) = waits.longest() else {
            return;
        };
        let left = since + limit * 1000 - clock::now_ms();
        let rest = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        let stop = app.inner.cancel.child_token();
        waits.clock = Some(stop.clone());
        let (app, notebook) = (app.lasting(), Arc::downgrade(self));
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(rest) => over(&app, &notebook, run, since).await,
            }
        });
    }
}

/// It has waited long enough, if it still does. The event sets the clock for the next one.
async fn over(app: &App, notebook: &Weak<Notebook>, run: RunId, since: i64) {
    let Some(notebook) = notebook.upgrade() else {
        return;
    };
    let Some(who) = notebook.kept.lock().await.who.get(&run).cloned() else {
        return;
    };
    let event = notebook.change(app, who, |kept| match kept.waits.since.get(&run) {
        Some(now) if *now == since => Ok((Event::TimedOut { run }, ())),
        _ => Err(Failure::new("cell_no_question")),
    });
    if let Err(failure) = event.await {
        tracing::debug!(canvas = notebook.id, run, %failure, "a cell waits no longer");
    }
}
