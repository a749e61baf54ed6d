//! Societies of this owner: what their agents have outside, by the rooms of the product.
//!
//! An agent is a caller of its own (`agent`, by its id): what it does is recorded under its name, and what the rules
//! want a person for waits for her. Deliberately not here: what a society is (`agents::society`), the calls
//! (`calls::society`).

mod hands;
mod lines;
mod queue;
mod skills;

pub use agents::queue::Answered;
pub use queue::{ModelWorker, WorkerOptions};

use crate::app::{App, Inner};
use agents::queue::Asking;
use agents::society::{AtOnce, Society};
use hands::Hands;
use std::sync::{Arc, OnceLock};
use tokio::sync::OnceCell;

/// Models that are asked at once where workers of other processes answer.
const ASKS: usize = 256;

/// Set once the product is open: its hands reach into it.
#[derive(Default)]
pub(crate) struct Societies {
    set: OnceLock<Society>,
    asking: OnceCell<Option<Asking>>,
}

impl Societies {
    pub(crate) fn open(inner: &Arc<Inner>) {
        let hands = Arc::new(Hands::of(inner));
        let usual = AtOnce::default();
        let at_once = match inner.settings.agents.queue {
            Some(_) => AtOnce { asks: ASKS, ..usual },
            None => usual,
        };
        let society = Society::new(inner.store.clone(), hands, at_once);
        // Only set here, once.
        let _ = inner.societies.set.set(society);
    }
}

impl App {
    pub(crate) fn society(&self) -> Result<&Society, base::Failure> {
        self.inner
            .societies
            .set
            .get()
            .ok_or_else(|| base::Failure::new("server_ending"))
    }

    /// Tasks that were at work when the last owner ended go on. For an owner that stays.
    pub(crate) async fn resume_societies(&self) {
        let resumed = match self.society() {
            Ok(society) => society.resume().await,
            Err(failure) => Err(failure),
        };
        match resumed {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "tasks of societies go on"),
            Err(failure) => tracing::error!(%failure, "tasks of societies do not go on"),
        }
    }
}
