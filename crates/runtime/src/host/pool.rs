//! Warm workers by tool.
//!
//! A worker's mounts never change. Its key names everything it was started with; a call with
//! another key lets the old worker finish what it does and starts a new one.

use super::error::RunError;
use super::interpreters::Interpreters;
use super::line::{Line, Place};
use super::network::Reach;
use super::scripts::Scripts;
use super::worker::{Finished, Observer, Worker, unless_cancelled};
use super::{Deadline, at_a_time, check_depth};
use crate::protocol::{Load, ToolLoad};
use sandbox::net::OwnPorts;
use sandbox::{Launcher, Mount, Walls};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

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
    walls: Walls,
    own: OwnPorts,
    tools: Mutex<HashMap<String, Entry>>,
    /// Calls that reached the head of their tool's line.
    running: Arc<Line>,
    describing: Arc<Line>,
    scripts: Scripts,
    interpreters: Interpreters,
}

struct Entry {
    line: Arc<Line>,
    idle: Vec<Idle>,
    /// How often its workers were retired: one from before is not kept.
    retired: u64,
    /// Shared by the tool's runs; alone for whoever changes what they run on.
    still: Arc<RwLock<()>>,
}

/// No worker of a tool lives, and none begins, until this is dropped.
pub struct Still(#[allow(dead_code, reason = "held")] OwnedRwLockWriteGuard<()>);

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
    pub engine: Engine,
}

/// What a tool's module runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    #[default]
    QuickJs,
    /// The machine's Node.
    Node,
    /// The machine's Python.
    Python,
}

impl Host {
    /// Finds `pm-worker` beside the running program. What isolation there is turns out when it is
    /// first needed, or before: [`Walls::proof`].
    pub fn start() -> Result<Self, RunError> {
        let program = worker_program()?;
        Ok(Self::with(Walls::new(Launcher::start()?, program)))
    }

    /// For tests that have other walls.
    pub fn with(walls: Walls) -> Self {
        let inner = Inner {
            walls,
            own: OwnPorts::default(),
            tools: Mutex::default(),
            // How many wait for it is bounded by the lines of the tools, and by who describes.
            running: Line::new(RUNNING, usize::MAX),
            describing: Line::new(at_a_time(), usize::MAX),
            scripts: Scripts::new(),
            interpreters: Interpreters::default(),
        };
        Host {
            inner: Arc::new(inner),
        }
    }

    /// What stands around workers, and around all else that is started.
    pub fn walls(&self) -> &Walls {
        &self.inner.walls
    }

    /// Where this program listens: no grant opens that to a worker.
    pub fn own_ports(&self) -> &OwnPorts {
        &self.inner.own
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
        let (place, still) = self.join(spec)?;
        let starting = async {
            let still = still.read_owned().await;
            let turn = place.turn().await?;
            let room = self.inner.running.join()?.turn().await?;
            let retired = self.retired(spec);
            let worker = match self.take_idle(spec) {
                Some(worker) => worker,
                // Seldom, and large.
                None => Box::pin(self.start_tool(spec, observer)).await?,
            };
            Ok(((still, turn, room), retired, worker))
        };
        let (_held, retired, mut worker): ((OwnedRwLockReadGuard<()>, _, _), _, _) =
            unless_cancelled(&deadline.cancel, starting).await?;
        let finished = worker.run(params, deadline, observer, &spec.reach).await;
        if worker.alive() && self.retired(spec) == retired {
            self.give_back(spec, worker);
        }
        finished
    }

    /// Ends a tool's warm workers, and those that run now when they are done; the next call starts a
    /// new one.
    pub fn retire(&self, tool: &str) {
        if let Some(entry) = self.tools().get_mut(tool) {
            entry.idle.clear();
            entry.retired += 1;
        }
    }

    fn retired(&self, spec: &ToolSpec) -> u64 {
        let tools = self.tools();
        tools.get(&spec.load.name).map_or(0, |entry| entry.retired)
    }

    /// Waits until no run of the tool is open and its warm workers have ended; new ones wait until
    /// what is given back is dropped.
    pub async fn still(&self, tool: &str) -> Still {
        let still = entry(&mut self.tools(), tool).still.clone();
        let still = still.write_owned().await;
        self.retire(tool);
        Still(still)
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
        let used = |entry: &Entry| Arc::strong_count(&entry.line) > 1 || Arc::strong_count(&entry.still) > 1;
        tools.retain(|_, entry| !entry.idle.is_empty() || used(entry));
    }

    /// Ends all warm workers.
    pub fn shut_down(&self) {
        self.tools().clear();
        self.inner.scripts.end_reserve();
        self.inner.walls.launcher().shut_down();
    }

    /// How many workers wait for work: those of tools, and the scripts' reserve.
    pub fn warm(&self) -> usize {
        let idle: usize = self.tools().values().map(|entry| entry.idle.len()).sum();
        idle + usize::from(self.inner.scripts.reserved())
    }

    pub(super) fn scripts(&self) -> &Scripts {
        &self.inner.scripts
    }

    pub(super) fn interpreters(&self) -> &Interpreters {
        &self.inner.interpreters
    }

    pub(super) fn describing(&self) -> &Arc<Line> {
        &self.inner.describing
    }

    /// Takes a place in the tool's line, which is as wide as the tool says now.
    fn join(&self, spec: &ToolSpec) -> Result<(Place, Arc<RwLock<()>>), RunError> {
        let mut tools = self.tools();
        let entry = entry(&mut tools, &spec.load.name);
        entry.line.resize(spec.concurrency.clamp(1, CONCURRENCY));
        Ok((entry.line.join()?, entry.still.clone()))
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
        let mut worker = self.spawn_tool(spec).await?;
        worker
            .load(&Load::Tool(spec.load.clone()), observer, &spec.reach)
            .await?;
        Ok(worker)
    }

    /// A worker behind the tool's walls, into which nothing is loaded yet.
    pub(super) async fn spawn_tool(&self, spec: &ToolSpec) -> Result<Worker, RunError> {
        match spec.engine {
            Engine::QuickJs => {
                let policy = self.policy(spec.load.heap, spec.mounts.clone(), &spec.home);
                Worker::spawn(self.walls(), &policy, 0).await
            }
            Engine::Node => {
                let (policy, link) = self.node_policy(spec).await?;
                Worker::serve(self.walls(), &policy, link).await
            }
            Engine::Python => {
                let (policy, link) = self.python_policy(spec).await?;
                Worker::serve(self.walls(), &policy, link).await
            }
        }
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

fn entry<'t>(tools: &'t mut HashMap<String, Entry>, tool: &str) -> &'t mut Entry {
    tools.entry(tool.to_owned()).or_insert_with(|| Entry {
        line: Line::new(1, WAITING),
        idle: Vec::new(),
        retired: 0,
        still: Arc::default(),
    })
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
