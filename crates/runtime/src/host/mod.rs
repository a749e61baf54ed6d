//! The owner's side: starts workers behind the sandbox, keeps tools warm, ends runs in time.
//!
//! A run is one message to a worker and one answer. Log lines and progress go to the caller's
//! [`Observer`] while it lasts. At the limit the worker is asked to stop; 200 ms later it is
//! killed with everything it started.

mod error;
mod frames;
mod pool;
mod worker;

pub use error::RunError;
pub use pool::{Host, ToolSpec};
pub use sandbox::{Mount, Report, Tier};
pub use worker::{Finished, Observer, Picture};

use crate::protocol::{Load, ScriptLoad, ScriptRun, ToolLoad};
use sandbox::{Kind, Limits, Policy};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use worker::Worker;

/// What the process needs beside the JavaScript heap: code, stacks, buffers of the pipe, bytes.
const OVERHEAD: u64 = 192 * 1024 * 1024;
/// Bytes a canvas pixel may need at once: its bitmap, a layer, the encoded picture.
const BYTES_PER_PIXEL: u64 = 12;

/// Limits of describing a tool (HOUSE, "Workers").
const DESCRIBE_TIME: Duration = Duration::from_secs(1);
const DESCRIBE_HEAP: u64 = 64 * 1024 * 1024;

/// What a script may use.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptLimits {
    pub time: Duration,
    /// Bytes.
    pub heap: u64,
    pub canvas_pixels: u64,
    pub result_chars: usize,
}

/// When a run must end.
#[derive(Clone, Debug)]
pub struct Deadline {
    pub time: Duration,
    pub cancel: CancellationToken,
}

impl Host {
    /// Asks a tool what it is: throw-away worker, folder read-only, no data, no directories.
    pub async fn describe(
        &self,
        mut load: ToolLoad,
        home: &Path,
        observer: &dyn Observer,
    ) -> Result<serde_json::Value, RunError> {
        load.heap = DESCRIBE_HEAP;
        let policy = self.policy(DESCRIBE_HEAP, vec![Mount::read_only(&load.folder)], home);
        let deadline = Deadline {
            time: DESCRIBE_TIME,
            cancel: CancellationToken::new(),
        };
        let mut worker = Worker::spawn(self.launcher(), self.facts(), &policy).await?;
        let finished = worker.ask(&Load::Describe(load), &deadline, observer).await?;
        Ok(finished.value)
    }

    /// Runs a script in a fresh worker. One that waits already is used, and the next is started
    /// behind the caller's back, so that a picture does not wait for a process.
    pub async fn run_script(
        &self,
        script: &ScriptRun,
        limits: &ScriptLimits,
        cancel: CancellationToken,
        observer: &dyn Observer,
    ) -> Result<Finished, RunError> {
        let mut worker = match self.take_standby(limits) {
            Some(worker) => worker,
            None => self.start_script(limits, observer).await?,
        };
        self.prepare_standby(limits);
        let params = serde_json::to_value(script).map_err(crate::protocol::FrameError::from)?;
        worker
            .run(
                &params,
                &Deadline {
                    time: limits.time,
                    cancel,
                },
                observer,
            )
            .await
    }

    /// Tries the walls and says what stands, for `pm doctor`.
    pub async fn self_test(&self) -> Report {
        sandbox::self_test(self.launcher(), self.facts(), self.worker_program()).await
    }

    /// The tier that new workers get.
    pub fn tier(&self) -> Tier {
        self.facts().tier()
    }

    async fn start_script(&self, limits: &ScriptLimits, observer: &dyn Observer) -> Result<Worker, RunError> {
        let memory = limits.heap + limits.canvas_pixels * BYTES_PER_PIXEL;
        let policy = self.policy(memory, Vec::new(), Path::new("/nonexistent"));
        let load = ScriptLoad {
            heap: limits.heap,
            canvas_pixels: limits.canvas_pixels,
            result_chars: limits.result_chars,
        };
        let mut worker = Worker::spawn(self.launcher(), self.facts(), &policy).await?;
        worker.load(&Load::Script(load), observer).await?;
        Ok(worker)
    }

    fn policy(&self, memory: u64, mounts: Vec<Mount>, home: &Path) -> Policy {
        Policy {
            kind: Kind::Worker,
            program: self.worker_program().to_owned(),
            args: Vec::new(),
            cwd: PathBuf::from("/"),
            // A tool's own environment goes over the pipe, where no other process can read it.
            env: ["LANG", "LC_ALL", "TZ"]
                .iter()
                .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
                .collect(),
            mounts,
            masked: if home.exists() {
                vec![home.to_owned()]
            } else {
                Vec::new()
            },
            limits: Limits {
                memory: memory + OVERHEAD,
                ..Limits::default()
            },
        }
    }
}
