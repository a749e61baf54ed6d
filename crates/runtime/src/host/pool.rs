//! Warm workers by tool.
//!
//! A worker's mounts never change. Its key names everything it was started with; a call with
//! another key lets the old worker finish what it does and starts a new one.

use super::error::RunError;
use super::line::{Line, Place};
use super::network::Reach;
use super::scripts::Scripts;
use super::worker::{Finished, Observer, Worker, unless_cancelled};
use super::{Deadline, at_a_time, check_depth};
use crate::protocol::{Load, ToolLoad};
use sandbox::net::OwnPorts;
use sandbox::{Facts, Launcher, Mount};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Runs of one tool at the same time, whatever it asks for.
const CONCURRENCY: usize = 16;
/// Calls of one tool that may wait in line.
const WAITING: usize = 256;
/// Calls of all tools that run at the same time.
const RUNNING: usize = 64;
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
    own: OwnPorts,
    tools: Mutex<HashMap<String, Entry>>,
    /// Calls that reached the head of their tool's line.
    running: Arc<Line>,
    describing: Arc<Line>,
    scripts: Scripts,
}

struct Entry {
    line: Arc<Line>,
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
    /// What its workers may reach. Not in the key: they ask for each connection.
    pub reach: Reach,
    /// Changes when anything else here does, or the tool's code.
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
            own: OwnPorts::default(),
            tools: Mutex::default(),
            // How many wait for it is bounded by the lines of the tools, and by who describes.
            running: Line::new(RUNNING, usize::MAX),
            describing: Line::new(at_a_time(), usize::MAX),
            scripts: Scripts::new(),
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

    /// Where this program listens: no grant opens that to a worker.
    pub fn own_ports(&self) -> &OwnPorts {
        &self.inner.own
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
        check_depth(params)?;
        let place = self.join(spec)?;
        let starting = async {
            let turn = place.turn().await?;
            let room = self.inner.running.join()?.turn().await?;
            let worker = match self.take_idle(spec) {
                Some(worker) => worker,
                None => self.start_tool(spec, observer).await?,
            };
            Ok((turn, room, worker))
        };
        let (_turn, _room, mut worker) = unless_cancelled(&deadline.cancel, starting).await?;
        let finished = worker.run(params, deadline, observer, &spec.reach).await;
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

    /// Ends workers that were idle too long, and forgets tools that nobody uses. Called now and
    /// then by the owner.
    pub fn sweep(&self) {
        let now = Instant::now();
        let mut tools = self.tools();
        for entry in tools.values_mut() {
            entry
                .idle
                .retain(|idle| now.duration_since(idle.since) < IDLE && idle.worker.alive());
        }
        // Whoever waits or runs holds the line as well.
        tools.retain(|_, entry| !entry.idle.is_empty() || Arc::strong_count(&entry.line) > 1);
    }

    /// Ends all warm workers.
    pub fn shut_down(&self) {
        self.tools().clear();
        self.inner.scripts.end_reserve();
    }

    /// How many workers wait for work: those of tools, and the scripts' reserve.
    pub fn warm(&self) -> usize {
        let idle: usize = self.tools().values().map(|entry| entry.idle.len()).sum();
        idle + usize::from(self.inner.scripts.reserved())
    }

    pub(super) fn scripts(&self) -> &Scripts {
        &self.inner.scripts
    }

    pub(super) fn describing(&self) -> &Arc<Line> {
        &self.inner.describing
    }

    /// Takes a place in the tool's line, which is as wide as the tool says now.
    fn join(&self, spec: &ToolSpec) -> Result<Place, RunError> {
        let width = spec.concurrency.clamp(1, CONCURRENCY);
        let mut tools = self.tools();
        let entry = tools.entry(spec.load.name.clone()).or_insert_with(|| Entry {
            line: Line::new(width, WAITING),
            idle: Vec::new(),
        });
        entry.line.resize(width);
        entry.line.join()
    }

    fn take_idle(&self, spec: &ToolSpec) -> Option<Worker> {
        let mut tools = self.tools();
        let entry = tools.get_mut(&spec.load.name)?;
        // Workers of another key have nothing left to do, and dead ones cannot.
        entry
            .idle
            .retain(|idle| idle.key == spec.key && idle.worker.alive());
        entry.idle.pop().map(|idle| idle.worker)
    }

    async fn start_tool(&self, spec: &ToolSpec, observer: &dyn Observer) -> Result<Worker, RunError> {
        let policy = self.policy(spec.load.heap, spec.mounts.clone(), &spec.home);
        let mut worker = Worker::spawn(self.launcher(), self.facts(), &policy, 0).await?;
        worker
            .load(&Load::Tool(spec.load.clone()), observer, &spec.reach)
            .await?;
        Ok(worker)
    }

    fn give_back(&self, spec: &ToolSpec, worker: Worker) {
        let mut tools = self.tools();
        // Nothing to give it back to: the host was shut down meanwhile.
        let Some(entry) = tools.get_mut(&spec.load.name) else {
            return;
        };
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
