//! That a run has begun: told when it takes longer than a moment, and otherwise together with its end,
//! which is one change of the records instead of two.

use base::name::ToolName;
use base::{Event, failure};
use serde_json::json;
use std::pin::pin;
use std::time::Duration;
use store::Store;
use tokio::time::Instant;

/// Nobody sees of a run that is shorter more than that it was.
const MOMENT: Duration = Duration::from_millis(20);

pub(super) struct Begun {
    store: Store,
    event: Option<Event>,
    tell_at: Instant,
}

impl Begun {
    pub(super) fn new(store: &Store, run: &str, tool: &ToolName) -> Self {
        let event = Event::new("run.started", json!({"run": run, "subject": tool.as_str()}));
        Begun {
            store: store.clone(),
            event: Some(event.tag("runs")),
            tell_at: Instant::now() + MOMENT,
        }
    }

    /// Sees to a part of the run, and tells in the middle of it when it is time.
    pub(super) async fn during<T>(&mut self, part: impl Future<Output = T>) -> T {
        let mut part = pin!(part);
        if self.event.is_some() {
            tokio::select! {
                biased;
                done = part.as_mut() => return done,
                () = tokio::time::sleep_until(self.tell_at) => {}
            }
            if let Some(event) = self.event.take()
                && let Err(error) = self.store.announce_soon(event).await
            {
                tracing::error!(error = %failure::chain(&error), "nobody was told that a run has begun");
            }
        }
        part.await
    }

    /// What was not told, for its end.
    pub(super) fn untold(self) -> Vec<Event> {
        self.event.into_iter().collect()
    }
}
