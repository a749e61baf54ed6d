//! Scripts: each in a worker of its own that nobody used before and nobody uses after.
//!
//! One worker waits in reserve, so that a picture does not wait for a process. How many run at a
//! time follows from the machine: more would only make each other slow, and every one of them may
//! take its whole heap.

use super::error::RunError;
use super::line::Line;
use super::network::Reach;
use super::pool::Host;
use super::worker::{Finished, Observer, Worker, unless_cancelled};
use super::{BYTES_PER_PIXEL, Deadline, ScriptLimits, at_a_time, check_depth};
use crate::protocol::{FrameError, Level, Load, ScriptLoad, ScriptRun};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Scripts that may wait in line.
const WAITING: usize = 256;

pub(super) struct Scripts {
    line: Arc<Line>,
    reserve: Mutex<Option<(ScriptLimits, Worker)>>,
    /// One reserve is made ready at a time.
    preparing: Arc<Semaphore>,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Scripts {
            line: Line::new(at_a_time(), WAITING),
            reserve: Mutex::default(),
            preparing: Arc::new(Semaphore::new(1)),
        }
    }

    pub(super) fn end_reserve(&self) {
        self.reserve().take();
    }

    pub(super) fn reserved(&self) -> bool {
        self.reserve().is_some()
    }

    /// The worker in reserve, if it fits and still lives; if not, it is of no use to anybody.
    fn take_reserve(&self, limits: &ScriptLimits) -> Option<Worker> {
        let (known, worker) = self.reserve().take()?;
        (known == *limits && worker.alive()).then_some(worker)
    }

    fn has_reserve(&self, limits: &ScriptLimits) -> bool {
        self.reserve()
            .as_ref()
            .is_some_and(|(known, worker)| known == limits && worker.alive())
    }

    fn reserve(&self) -> MutexGuard<'_, Option<(ScriptLimits, Worker)>> {
        self.reserve.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    /// Runs a script in a fresh worker. The one in reserve is used, and the next is started
    /// behind the caller's back.
    pub async fn run_script(
        &self,
        script: &ScriptRun,
        limits: &ScriptLimits,
        cancel: CancellationToken,
        observer: &dyn Observer,
    ) -> Result<Finished, RunError> {
        if let Some(input) = &script.input {
            check_depth(input)?;
        }
        let params = serde_json::to_value(script).map_err(FrameError::from)?;
        let place = self.scripts().line.join()?;
        let starting = async {
            let turn = place.turn().await?;
            let worker = match self.scripts().take_reserve(limits) {
                Some(worker) => worker,
                // Seldom, and large.
                None => Box::pin(self.start_script(limits, Load::Script, observer)).await?,
            };
            Ok((turn, worker))
        };
        let (_turn, mut worker) = unless_cancelled(&cancel, starting).await?;
        self.prepare_reserve(limits);
        let deadline = Deadline {
            time: limits.time,
            cancel,
        };
        worker.run(&params, &deadline, observer, &Reach::nothing()).await
    }

    fn prepare_reserve(&self, limits: &ScriptLimits) {
        let Ok(only) = self.scripts().preparing.clone().try_acquire_owned() else {
            return;
        };
        if self.scripts().has_reserve(limits) {
            return;
        }
        let (host, limits) = (self.clone(), limits.clone());
        tokio::spawn(async move {
            match host.start_script(&limits, Load::Script, &Silent).await {
                Ok(worker) => *host.scripts().reserve() = Some((limits, worker)),
                // The next script starts its own and reports what is wrong.
                Err(error) => tracing::debug!(%error, "no worker in reserve"),
            }
            drop(only);
        });
    }

    /// `kind` says what is made of what it may use.
    pub(super) async fn start_script(
        &self,
        limits: &ScriptLimits,
        kind: fn(ScriptLoad) -> Load,
        observer: &dyn Observer,
    ) -> Result<Worker, RunError> {
        let memory = limits.heap + limits.canvas_pixels * BYTES_PER_PIXEL;
        let policy = self.policy(memory, Vec::new(), Path::new("/nonexistent"));
        let load = ScriptLoad {
            heap: limits.heap,
            canvas_pixels: limits.canvas_pixels,
            result_chars: limits.result_chars,
        };
        let mut worker = Worker::spawn(self.walls(), &policy, limits.canvas_pixels).await?;
        worker.load(&kind(load), observer, &Reach::nothing()).await?;
        Ok(worker)
    }
}

/// Hears nothing: a worker in reserve has not been asked anything yet.
struct Silent;

impl Observer for Silent {
    fn log(&self, _level: Level, _text: String) {}
}
