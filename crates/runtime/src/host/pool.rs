//! Warm workers by tool.
//!
//! A worker's mounts never change. Its key names everything it was started with; a call with
//! another key lets the old worker finish what it does and starts a new one.

use super::error::RunError;
use super::worker::{Finished, Observer, Worker};
use super::{Deadline, ScriptLimits};
use crate::protocol::{Load, ToolLoad};
use sandbox::{Facts, Launcher, Mount};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Calls of one tool that may wait in line.
const WAITING: usize = 256;
/// Warm workers of all tools; the longest idle leaves.
const WARM: usize = 32;
/// A worker that nobody asked anything for this long ends.
const IDLE: Duration = Duration::from_secs(600);

/// Starts and keeps workers. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

struct Inner {
    launcher: Launcher,
    facts: Facts,
    program: PathBuf,
    tools: Mutex<HashMap<String, Entry>>,
    standby: Mutex<Option<(ScriptLimits, Worker)>>,
}

struct Entry {
    permits: Arc<Semaphore>,
    concurrency: usize,
    waiting: Arc<AtomicUsize>,
    idle: Vec<Idle>,
}

struct Idle {
    key: String,
    worker: Worker,
    since: Instant,
}

/// Everything a tool's worker is started with.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    pub load: ToolLoad,
    /// Directories, each with its access; the tool's own folder included.
    pub mounts: Vec<Mount>,
    /// The data home: hidden but for `mounts`.
    pub home: PathBuf,
    /// Changes when anything above does, or the tool's code.
    pub key: String,
    /// Runs at the same time; more than one means more than one worker.
    pub concurrency: usize,
}

impl Host {
    /// Finds `pm-worker` beside the running program and learns what isolation there is.
    /// Blocks some milliseconds.
    pub fn start() -> Result<Self, RunError> {
        let program = worker_program()?;
        let host = Self::with(Launcher::start()?, sandbox::detect(), program);
        Ok(host)
    }

    /// For tests that lower the tier.
    pub fn with(launcher: Launcher, facts: Facts, program: PathBuf) -> Self {
        let inner = Inner {
            launcher,
            facts,
            program,
            tools: Mutex::default(),
            standby: Mutex::default(),
        };
        Host {
            inner: Arc::new(inner),
        }
    }

    pub fn launcher(&self) -> &Launcher {
        &self.inner.launcher
    }

    pub fn facts(&self) -> &Facts {
        &self.inner.facts
    }

    pub fn worker_program(&self) -> &Path {
        &self.inner.program
    }

    /// Runs a tool in its warm worker, or in a new one.
    pub async fn run_tool(
        &self,
        spec: &ToolSpec,
        params: &Value,
        deadline: &Deadline,
        observer: &dyn Observer,
    ) -> Result<Finished, RunError> {
        let (permits, waiting) = self.line(spec)?;
        let permit = permits.acquire_owned().await;
        waiting.fetch_sub(1, Ordering::Relaxed);
        // The semaphore is never closed.
        let _permit = permit.map_err(|_| RunError::Protocol)?;
        let mut worker = match self.take_idle(spec) {
            Some(worker) => worker,
            None => self.start_tool(spec, observer).await?,
        };
        let finished = worker.run(params, deadline, observer).await;
        if worker.alive() {
            self.give_back(spec, worker);
        }
        finished
    }

    /// Ends a tool's warm workers; the next call starts a new one.
    pub fn retire(&self, tool: &str) {
        if let Some(entry) = self.tools().get_mut(tool) {
            entry.idle.clear();
        }
    }

    /// Ends workers that were idle too long. Called now and then by the owner.
    pub fn sweep(&self) {
        let now = Instant::now();
        let mut tools = self.tools();
        for entry in tools.values_mut() {
            entry.idle.retain(|idle| now.duration_since(idle.since) < IDLE);
        }
        tools.retain(|_, entry| {
            !entry.idle.is_empty() || entry.permits.available_permits() < entry.concurrency
        });
    }

    /// Ends all warm workers.
    pub fn shut_down(&self) {
        self.tools().clear();
        self.standby().take();
    }

    /// How many warm workers there are.
    pub fn warm(&self) -> usize {
        self.tools().values().map(|entry| entry.idle.len()).sum()
    }

    pub(super) fn take_standby(&self, limits: &ScriptLimits) -> Option<Worker> {
        self.standby()
            .take()
            .filter(|(known, worker)| known == limits && worker.alive())
            .map(|(_, worker)| worker)
    }

    pub(super) fn prepare_standby(&self, limits: &ScriptLimits) {
        let host = self.clone();
        let limits = limits.clone();
        tokio::spawn(async move {
            match host.start_script(&limits, &Silent).await {
                Ok(worker) => *host.standby() = Some((limits, worker)),
                // The next script starts its own and reports what is wrong.
                Err(error) => tracing::debug!(%error, "no worker in reserve"),
            }
        });
    }

    /// Takes a place in the tool's line.
    fn line(&self, spec: &ToolSpec) -> Result<(Arc<Semaphore>, Arc<AtomicUsize>), RunError> {
        let mut tools = self.tools();
        let entry = tools
            .entry(spec.load.name.clone())
            .or_insert_with(|| Entry::new(spec.concurrency));
        if entry.concurrency != spec.concurrency {
            *entry = Entry::new(spec.concurrency);
        }
        let waiting = entry.waiting.fetch_add(1, Ordering::Relaxed);
        if waiting >= WAITING {
            entry.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(RunError::Busy { waiting });
        }
        Ok((entry.permits.clone(), entry.waiting.clone()))
    }

    fn take_idle(&self, spec: &ToolSpec) -> Option<Worker> {
        let mut tools = self.tools();
        let entry = tools.get_mut(&spec.load.name)?;
        // Workers of another key have nothing left to do.
        entry.idle.retain(|idle| idle.key == spec.key);
        entry.idle.pop().map(|idle| idle.worker)
    }

    async fn start_tool(&self, spec: &ToolSpec, observer: &dyn Observer) -> Result<Worker, RunError> {
        let policy = self.policy(spec.load.heap, spec.mounts.clone(), &spec.home);
        let mut worker = Worker::spawn(self.launcher(), self.facts(), &policy).await?;
        worker.load(&Load::Tool(spec.load.clone()), observer).await?;
        Ok(worker)
    }

    fn give_back(&self, spec: &ToolSpec, worker: Worker) {
        let mut tools = self.tools();
        let entry = tools
            .entry(spec.load.name.clone())
            .or_insert_with(|| Entry::new(spec.concurrency));
        entry.idle.push(Idle {
            key: spec.key.clone(),
            worker,
            since: Instant::now(),
        });
        let warm: usize = tools.values().map(|entry| entry.idle.len()).sum();
        if warm > WARM {
            drop_longest_idle(&mut tools);
        }
    }

    fn tools(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.inner.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn standby(&self) -> MutexGuard<'_, Option<(ScriptLimits, Worker)>> {
        self.inner.standby.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn new(concurrency: usize) -> Self {
        let concurrency = concurrency.clamp(1, 16);
        Entry {
            permits: Arc::new(Semaphore::new(concurrency)),
            concurrency,
            waiting: Arc::default(),
            idle: Vec::new(),
        }
    }
}

fn drop_longest_idle(tools: &mut HashMap<String, Entry>) {
    let oldest = tools
        .iter()
        .filter_map(|(name, entry)| Some((entry.idle.first()?.since, name.clone())))
        .min_by_key(|(since, _)| *since);
    if let Some((_, name)) = oldest
        && let Some(entry) = tools.get_mut(&name)
    {
        entry.idle.remove(0);
    }
}

/// Hears nothing: a worker in reserve has not been asked anything yet.
struct Silent;

impl Observer for Silent {
    fn log(&self, _level: crate::protocol::Level, _text: String) {}
}

/// `pm-worker` lies beside the program; test programs lie one folder deeper.
fn worker_program() -> Result<PathBuf, RunError> {
    let program = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .unwrap_or_default();
    let beside = program
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("pm-worker"));
    beside
        .into_iter()
        .find(|path| path.is_file())
        .ok_or(RunError::NoWorker(program))
}
