//! An install from beginning to end.
//!
//! Deliberately not here: who may ask for one and when (toolbox, `pm`).

#![allow(clippy::disallowed_methods, reason = "reads package.json and the lock")]

mod fetch;

use crate::commit::{self, LinkPolicy, Planned, Staging, Stamp};
use crate::crawl::Source;
use crate::error::NpmError;
use crate::flags::{self, Flags};
use crate::git::{Git, RunGit};
use crate::lock::Lock;
use crate::manifest::{Manifest, Project};
use crate::npmrc::Npmrc;
use crate::place::Known;
use crate::platform::Platform;
use crate::registry::Registry;
use crate::resolve;
use crate::scripts::{Allowed, Scripted, Scripts, scripts_of};
use crate::store::{PackageStore, try_lock};
use crate::tree::{Id, Tree};
use fetch::Fetched;
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use std::any::Any;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Between two looks at a lock that another install holds.
const TURN: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The lock is made to answer `package.json`.
    Update,
    /// A lock that does not is an error (`npm ci`).
    Frozen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Wait,
    Resolve,
    Fetch,
    Link,
    /// Scripts that a person allowed.
    Script,
    Commit(&'static str),
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub phase: Phase,
    pub done: usize,
    pub total: usize,
    pub bytes: u64,
}

/// Asked for when the new tree is whole: whoever uses the old one ends, and nobody begins until
/// what is given back is dropped.
pub type Quiet = Arc<dyn Fn() -> BoxFuture<'static, Box<dyn Any + Send>> + Send + Sync>;

/// Which tarballs on this machine `file:` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalFiles {
    Anywhere,
    /// Those below the folder: others are not the folder's to read.
    Own,
}

/// What to install where, and how.
#[derive(Clone)]
pub struct Install {
    pub folder: PathBuf,
    /// The folder `store` of the data home.
    pub store: PathBuf,
    pub npmrc: Npmrc,
    /// Asked in this order when `npmrc` names no registry.
    pub mirrors: Vec<Url>,
    pub platform: Platform,
    pub mode: Mode,
    pub offline: bool,
    /// Builds the tree even if its stamp says that nothing is to do.
    pub again: bool,
    /// Packages that only development wants are locked and not laid out.
    pub omit_dev: bool,
    pub links: LinkPolicy,
    pub files: LocalFiles,
    /// Without it no script is run.
    pub scripts: Option<Scripts>,
    /// Without it packages of git repositories are an error.
    pub git: Option<RunGit>,
    pub limit: Duration,
    pub quiet: Quiet,
    pub progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// False: everything was there already.
    pub changed: bool,
    pub packages: usize,
    /// Fetched now; the others were in the store.
    pub fetched: usize,
    pub bytes: u64,
    /// Packages that want scripts to run which nobody allowed: they were not.
    pub scripts: Vec<String>,
    /// Packages whose scripts were run.
    pub scripts_run: Vec<String>,
    /// `name@version: reason`.
    pub deprecated: Vec<String>,
    /// Optional packages that are not for this machine or could not be had.
    pub skipped: Vec<String>,
}

/// Makes `node_modules` what `package.json` and the lock say. Dropping the future cancels: the old
/// tree stays.
pub async fn install(install: Install) -> Result<Report, NpmError> {
    let limit = install.limit;
    let done = tokio::time::timeout(limit, Arc::new(install).run()).await;
    done.unwrap_or(Err(NpmError::Timeout {
        seconds: limit.as_secs(),
    }))
}

struct Inputs {
    project: Project,
    lock: Option<(Lock, Vec<u8>)>,
}

impl Install {
    async fn run(self: Arc<Self>) -> Result<Report, NpmError> {
        let own = self.clone();
        if let Some(report) = blocking(move || own.nothing_to_do()).await? {
            return Ok(report);
        }
        self.tell(Phase::Wait, 0, 0, 0);
        let own = self.clone();
        let store = blocking(move || PackageStore::open(&own.store)).await?;
        let turn = Arc::new(self.wait_for_turn(&store).await?);
        // Another install may have done it meanwhile, or only not have cleaned up.
        let own = self.clone();
        let done = blocking(move || {
            commit::sweep(&own.folder)?;
            own.nothing_to_do()
        });
        if let Some(report) = done.await? {
            return Ok(report);
        }
        let own = self.clone();
        let inputs = blocking(move || own.read()).await?;
        let mut registry = Registry::new(
            self.npmrc.clone(),
            self.mirrors.clone(),
            &store.metadata(),
            self.offline,
        )?;
        registry.prefer_fastest().await;
        let registry = Arc::new(registry);
        let (mut tree, is_as_locked) = self.resolve(&inputs, &registry, &store).await?;
        let fetched = self.fetch_all(&mut tree, &registry, &store, &inputs).await?;
        let lock = self.lock_bytes(&tree, &inputs, is_as_locked && !fetched.bundles_found);
        let mut report = self.report(&tree, &fetched);
        report.bytes = registry.received();
        let own = self.clone();
        // The turn goes along: a cancelled install must not be overtaken while it still writes.
        let held = turn.clone();
        let (laid, inputs) = blocking(move || {
            let _turn = held;
            let laid = own.lay_out(&tree, &fetched)?;
            Ok((laid, inputs))
        })
        .await?;
        let laid = self.run_scripts(laid, &mut report).await?;
        let (own, held) = (self.clone(), turn.clone());
        let built = blocking(move || {
            let _turn = held;
            own.seal(laid, &inputs, lock)
        })
        .await?;
        let quiet = (self.quiet)().await;
        let own = self.clone();
        blocking(move || {
            let _held = (turn, quiet);
            own.exchange(built)
        })
        .await?;
        self.tell(Phase::Done, report.packages, report.packages, report.bytes);
        Ok(report)
    }

    fn tell(&self, phase: Phase, done: usize, total: usize, bytes: u64) {
        (self.progress)(Progress {
            phase,
            done,
            total,
            bytes,
        });
    }

    fn read(&self) -> Result<Inputs, NpmError> {
        let path = self.folder.join("package.json");
        let bytes = std::fs::read(&path).map_err(|error| NpmError::io(&path, error))?;
        let project = Project::parse(&path, bytes)?;
        let path = self.folder.join("package-lock.json");
        let lock = match std::fs::read(&path) {
            Ok(bytes) => Lock::parse(&path, &bytes)?.map(|lock| (lock, bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(NpmError::io(&path, error)),
        };
        Ok(Inputs { project, lock })
    }

    fn stamp_input(&self, project: &[u8], lock: &[u8]) -> String {
        let mut options = format!("1 {:?} {:?} {}", self.platform, self.links, self.omit_dev);
        let mut allowed: Vec<&Allowed> = self.scripts.iter().flat_map(|scripts| &scripts.allowed).collect();
        allowed.sort();
        for one in allowed {
            options.push_str(&format!(" {} {}", one.package, one.integrity));
        }
        commit::stamp_input(&[project, lock, options.as_bytes()])
    }

    /// By the stamp alone: no lock, no store, no network. Blocking.
    pub fn nothing_to_do(&self) -> Result<Option<Report>, NpmError> {
        let stamp = commit::read_stamp(&self.folder).filter(|_| !self.again);
        let Some(stamp) = stamp else {
            return Ok(None);
        };
        let read = |name: &str| std::fs::read(self.folder.join(name)).ok();
        let (Some(project), Some(lock)) = (read("package.json"), read("package-lock.json")) else {
            return Ok(None);
        };
        if stamp.input != self.stamp_input(&project, &lock) || commit::has_leftovers(&self.folder) {
            return Ok(None);
        }
        Ok(Some(Report {
            packages: stamp.packages.len(),
            ..Report::default()
        }))
    }

    async fn wait_for_turn(&self, store: &PackageStore) -> Result<std::fs::File, NpmError> {
        let folder = self
            .folder
            .canonicalize()
            .map_err(|error| NpmError::io(&self.folder, error))?;
        let path = store.lock_of(&folder);
        loop {
            if let Some(turn) = try_lock(&path)? {
                return Ok(turn);
            }
            // The lock is another process's: nothing tells an asynchronous waiter when it is free.
            tokio::time::sleep(TURN).await;
        }
    }

    /// The tree, and whether it is exactly what the lock said.
    async fn resolve(
        &self,
        inputs: &Inputs,
        registry: &Registry,
        store: &PackageStore,
    ) -> Result<(Tree, bool), NpmError> {
        self.tell(Phase::Resolve, 0, 0, 0);
        let lock = inputs.lock.as_ref().map(|(lock, _)| lock);
        let make = || resolve::begin(&self.folder, &inputs.project, lock);
        let (tree, open) = resolve::unanswered(make()?);
        if self.mode == Mode::Frozen {
            if lock.is_none() {
                return Err(NpmError::LockStale {
                    missing: vec!["package-lock.json".to_owned()],
                });
            }
            return if open.is_empty() {
                Ok((tree, true))
            } else {
                Err(NpmError::LockStale { missing: open })
            };
        }
        if lock.is_some() && open.is_empty() && resolve::is_settled(&tree, &inputs.project, lock) {
            return Ok((tree, true));
        }
        let source = Source {
            registry,
            store,
            platform: &self.platform,
            folder: &self.folder,
            files: self.files,
            git: self.git(store),
            overrides: resolve::overrides(&inputs.project),
        };
        let found = |count: usize| self.tell(Phase::Resolve, count, 0, registry.received());
        let mut known = Known::new();
        let tree = resolve::complete(&make, &source, &mut known, &found).await?;
        Ok((tree, false))
    }

    fn git<'a>(&'a self, store: &'a PackageStore) -> Git<'a> {
        Git {
            run: self.git.as_ref(),
            store,
            offline: self.offline,
        }
    }

    fn lock_bytes(&self, tree: &Tree, inputs: &Inputs, is_as_locked: bool) -> Option<Vec<u8>> {
        if is_as_locked {
            return None;
        }
        let folder = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let omits = self.npmrc.flag("omit-lockfile-registry-resolved") == Some(true);
        let lock = flags::lock(tree, &Flags::of(tree), &inputs.project, &folder, !omits);
        Some(lock.bytes(&inputs.project.indent()))
    }

    fn report(&self, tree: &Tree, fetched: &Fetched) -> Report {
        let mut report = Report {
            changed: true,
            packages: fetched.packages.len(),
            fetched: fetched.fetched,
            ..Report::default()
        };
        for id in tree.packages() {
            let manifest = &tree.nodes[id].manifest;
            let name = format!("{}@{}", manifest.name, manifest.version);
            if fetched.omitted.contains(&id) {
                continue;
            }
            if fetched.skipped.contains(&id) {
                report.skipped.push(name);
                continue;
            }
            if manifest.flag("hasInstallScript") {
                report.scripts.push(name.clone());
            }
            if let Some(reason) = manifest.fields.get("deprecated").and_then(Value::as_str) {
                report.deprecated.push(format!("{name}: {reason}"));
            }
        }
        for list in [&mut report.scripts, &mut report.deprecated, &mut report.skipped] {
            list.sort();
            list.dedup();
        }
        report
    }

    /// Lays the new tree out beside the old one.
    fn lay_out(&self, tree: &Tree, fetched: &Fetched) -> Result<LaidOut, NpmError> {
        let optional = Flags::of(tree);
        let (mut plan, mut scripted) = (Vec::new(), Vec::new());
        let mut names: Vec<String> = Vec::new();
        for id in tree.packages() {
            let Some((package, name)) = fetched.packages.get(&id) else {
                continue;
            };
            let node = &tree.nodes[id];
            let place = tree.location(id);
            names.push(name.clone());
            if let Some(manifest) = self.may_run(&node.manifest) {
                scripted.push((plan.len(), manifest, optional.is_optional(id)));
            }
            plan.push(Planned {
                place: place.strip_prefix("node_modules/").unwrap_or(&place).to_owned(),
                package: package.clone(),
                bins: node
                    .manifest
                    .list("bin")
                    .map(|(name, path)| (name.to_owned(), path.to_owned()))
                    .collect(),
            });
        }
        let staging = Staging::new(&self.folder)?;
        self.tell(Phase::Link, 0, plan.len(), 0);
        staging.fill(&plan, self.links, &|done| {
            self.tell(Phase::Link, done, plan.len(), 0)
        })?;
        Ok(LaidOut {
            staging,
            plan,
            names,
            scripted,
        })
    }

    /// Name and version, where its scripts were allowed.
    fn may_run(&self, manifest: &Manifest) -> Option<(String, String)> {
        let allowed = &self.scripts.as_ref()?.allowed;
        let integrity = manifest.integrity.as_ref()?.to_string();
        let package = format!("{}@{}", manifest.name, manifest.version);
        let known = allowed
            .iter()
            .any(|one| one.package == package && one.integrity == integrity);
        known.then(|| (manifest.name.clone(), manifest.version.to_string()))
    }

    /// What may run runs, packages further down first: what they make others may need.
    async fn run_scripts(self: &Arc<Self>, laid: LaidOut, report: &mut Report) -> Result<LaidOut, NpmError> {
        let Some(scripts) = self.scripts.clone().filter(|_| !laid.scripted.is_empty()) else {
            return Ok(laid);
        };
        let mut order = laid.scripted.clone();
        order.sort_by_key(|(at, ..)| std::cmp::Reverse(laid.plan[*at].place.matches('/').count()));
        let laid = Arc::new(laid);
        let total = order.len();
        for (done, (at, (name, version), optional)) in order.into_iter().enumerate() {
            self.tell(Phase::Script, done, total, 0);
            let package = format!("{name}@{version}");
            let own = laid.clone();
            let scripted = blocking(move || {
                let planned = &own.plan[at];
                let folder = own.staging.place(planned);
                let scripts = scripts_of(&folder)?;
                own.staging.own(planned)?;
                Ok(Scripted {
                    name,
                    version,
                    folder,
                    tree: own.staging.tree().to_owned(),
                    scripts,
                })
            });
            match (scripts.run)(scripted.await?).await {
                Ok(()) => {
                    let own = laid.clone();
                    blocking(move || own.staging.check(&own.plan[at])).await?;
                    report.scripts_run.push(package.clone());
                }
                Err(NpmError::Script { .. }) if optional => {
                    let own = laid.clone();
                    blocking(move || own.staging.leave_out(&own.plan[at])).await?;
                    report.skipped.push(package.clone());
                }
                Err(error) => return Err(error),
            }
            report.scripts.retain(|one| *one != package);
        }
        report.scripts_run.sort();
        Arc::into_inner(laid).ok_or_else(|| NpmError::Internal("the new tree is still in use".to_owned()))
    }

    /// Makes the new tree last, with its stamp.
    fn seal(&self, laid: LaidOut, inputs: &Inputs, lock: Option<Vec<u8>>) -> Result<Built, NpmError> {
        let LaidOut {
            staging, plan, names, ..
        } = laid;
        let locked = lock
            .as_deref()
            .or(inputs.lock.as_ref().map(|(_, bytes)| bytes.as_slice()));
        let stamp = Stamp {
            input: self.stamp_input(&inputs.project.bytes, locked.unwrap_or_default()),
            packages: names,
            omits_dev: self.omit_dev,
        };
        let total = plan.len();
        staging.seal(&stamp, &|step| self.tell(Phase::Commit(step), total, total, 0))?;
        Ok(Built {
            staging,
            lock,
            packages: total,
        })
    }

    fn exchange(&self, built: Built) -> Result<(), NpmError> {
        let count = built.packages;
        let tell = |step| self.tell(Phase::Commit(step), count, count, 0);
        built.staging.take_place(built.lock.as_deref(), &tell)
    }
}

/// A tree that is laid out and not yet sealed.
struct LaidOut {
    staging: Staging,
    plan: Vec<Planned>,
    /// In the content store.
    names: Vec<String>,
    /// Place in the plan, name and version, whether it may be missing.
    scripted: Vec<(usize, (String, String), bool)>,
}

/// A tree that waits for its place.
struct Built {
    staging: Staging,
    lock: Option<Vec<u8>>,
    packages: usize,
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NpmError> + Send + 'static,
) -> Result<T, NpmError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| NpmError::Internal(error.to_string()))?
}

/// Packages of the tree that are planned to lie in it.
fn to_fetch(tree: &Tree, leave: &HashSet<Id>) -> Vec<Id> {
    let wanted = tree.packages().into_iter();
    wanted
        .filter(|id| !leave.contains(id) && !tree.nodes[*id].bundled && tree.nodes[*id].failed.is_none())
        .collect()
}
