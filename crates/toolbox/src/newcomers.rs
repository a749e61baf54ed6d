//! Tools that nobody has looked into yet are described behind the caller's back, a few at a time,
//! so that a list of a thousand of them is there at once.

use crate::catalog::Glance;
use crate::toolbox::Toolbox;
use base::name::ToolName;
use base::{Event, Failure};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

/// Described at the same time: runs and lists that wait have their own places.
const AT_A_TIME: usize = 2;
/// What is found within so long is told at once.
const GATHER: Duration = Duration::from_millis(250);

/// Who waits to be described.
#[derive(Default)]
pub(crate) struct Newcomers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: BTreeSet<ToolName>,
    /// The work, while there is any.
    work: Option<AbortHandle>,
    ended: bool,
}

impl Toolbox {
    /// All tools, sorted by name, without waiting for those that nobody has looked into yet. They
    /// are described from now on, and `tool.changed` tells when there is something to see.
    pub async fn glance(&self) -> Result<Vec<Glance>, Failure> {
        let mut looking = JoinSet::new();
        for (at, name) in self.names().await?.into_iter().enumerate() {
            let toolbox = self.clone();
            looking.spawn(async move { (at, toolbox.inner.catalog.glance(&name).await) });
        }
        let mut found = Vec::new();
        while let Some(looked) = looking.join_next().await {
            let (at, glance) = looked.map_err(crate::toolbox::join_failed)?;
            // A tool that vanished meanwhile is not in the list.
            found.extend(glance.map(|glance| (at, glance)));
        }
        found.sort_by_key(|(at, _)| *at);
        let glances: Vec<Glance> = found.into_iter().map(|(_, glance)| glance).collect();
        self.describe_soon(&glances);
        Ok(glances)
    }

    /// Describes nobody any more.
    pub fn end(&self) {
        let mut state = self.inner.newcomers.state();
        state.ended = true;
        state.waiting.clear();
        if let Some(work) = state.work.take() {
            work.abort();
        }
    }

    fn describe_soon(&self, glances: &[Glance]) {
        let mut state = self.inner.newcomers.state();
        if state.ended {
            return;
        }
        state
            .waiting
            .extend(glances.iter().filter_map(|glance| match glance {
                Glance::New { name, .. } => Some(name.clone()),
                Glance::Known(_) => None,
            }));
        if state.work.is_none() && !state.waiting.is_empty() {
            let work = tokio::spawn(describe(self.clone()));
            state.work = Some(work.abort_handle());
        }
    }

    async fn tell(&self) {
        let event = Event::new("tool.changed", json!({})).tag("tools");
        if let Err(error) = self.inner.store.announce(vec![event]).await {
            tracing::warn!(error = %base::failure::chain(&error), "new tools were not told of");
        }
    }
}

impl Newcomers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next one; `None` means that this was all, and that the work is over.
    fn next(&self, busy: bool) -> Option<ToolName> {
        let mut state = self.state();
        let next = state.waiting.pop_first();
        if next.is_none() && !busy {
            state.work = None;
        }
        next
    }
}

async fn describe(toolbox: Toolbox) {
    let mut describing = JoinSet::new();
    let mut tell_at: Option<Instant> = None;
    loop {
        while describing.len() < AT_A_TIME
            && let Some(name) = toolbox
                .inner
                .newcomers
                .next(!describing.is_empty() || tell_at.is_some())
        {
            let toolbox = toolbox.clone();
            describing.spawn(async move { toolbox.find(&name).await });
        }
        let at = match (describing.is_empty(), tell_at) {
            (true, None) => return,
            (_, at) => at.unwrap_or_else(Instant::now),
        };
        tokio::select! {
            Some(_) = describing.join_next() => {
                tell_at.get_or_insert_with(|| Instant::now() + GATHER);
            }
            () = sleep_until(at), if tell_at.is_some() => {
                tell_at = None;
                toolbox.tell().await;
            }
        }
    }
}
