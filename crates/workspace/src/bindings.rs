//! Which folder is a task's. A binding is a row of `store`; what is bound is open here, once.
//!
//! A folder is bound by its real path. It cannot be `/`, a system folder, the person's home, a
//! folder around the home or around the data home, anything in the data home except below
//! `workspaces/`, nor in or around another task's. Taking a binding away touches no files; the task's
//! history and trash stay until they are too old, and are there again when the task is bound to the
//! same folder again.

use crate::error::WorkspaceError;
use crate::files::shown;
use crate::history::{Keep, reconcile};
use crate::limits::Limits;
use crate::task::TaskId;
use crate::workspace::{Bound, Workspace};
use base::DataHome;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Actor, Binding, Store};

/// All workspaces. Cheap to clone.
#[derive(Clone)]
pub struct Workspaces {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    keep: Arc<Keep>,
    forbidden: Forbidden,
    bound: Mutex<BTreeMap<TaskId, Workspace>>,
    /// Bindings change one at a time, so that two tasks cannot get one folder.
    binding: tokio::sync::Mutex<()>,
}

impl Workspaces {
    /// Reads the bindings and puts in order what a kill left of changes (`history::reconcile`).
    pub async fn open(store: Store, home: &DataHome, limits: Limits) -> Result<Self, WorkspaceError> {
        let keep = Arc::new(Keep::new(home, limits));
        reconcile::run(&store, &keep).await?;
        let mut bound = BTreeMap::new();
        for binding in store.workspaces().await? {
            let task = TaskId::parse(&binding.task)?;
            let workspace = Workspace::new(Bound::new(task.clone(), binding, store.clone(), keep.clone()));
            bound.insert(task, workspace);
        }
        Ok(Workspaces {
            inner: Arc::new(Inner {
                forbidden: Forbidden::new(home),
                store,
                keep,
                bound: Mutex::new(bound),
                binding: tokio::sync::Mutex::new(()),
            }),
        })
    }

    /// Binds a task to a folder, which is created if it is missing. The same again is fine.
    pub async fn bind(&self, task: &str, path: &Path, actor: Actor) -> Result<Binding, WorkspaceError> {
        let task = TaskId::parse(task)?;
        let _alone = self.inner.binding.lock().await;
        let others: Vec<(TaskId, PathBuf)> = self
            .list()
            .into_iter()
            .filter(|workspace| *workspace.task() != task)
            .map(|workspace| (workspace.task().clone(), workspace.path().to_owned()))
            .collect();
        let (asked, inner, known) = (path.to_owned(), self.inner.clone(), self.find(&task));
        let real = blocking(path, move || {
            let real = real_path(&asked)?;
            if let Some(known) = &known {
                return match known.path() == real {
                    true => Ok(real),
                    false => Err(WorkspaceError::AlreadyBound {
                        task: known.task().to_string(),
                        path: known.path().display().to_string(),
                    }),
                };
            }
            inner.forbidden.check(&real)?;
            check_overlap(&real, &others)?;
            create(&real)?;
            Ok(real)
        })
        .await?;
        if let Some(known) = self.find(&task) {
            return Ok(known.binding().clone());
        }
        let Some(text) = real.to_str() else {
            return Err(refused(&real, "the path is not UTF-8"));
        };
        let binding = Binding {
            task: task.to_string(),
            path: text.to_owned(),
            created_at: base::clock::now_ms(),
            actor,
        };
        self.inner.store.add_workspace(binding.clone()).await?;
        let bound = Bound::new(
            task.clone(),
            binding.clone(),
            self.inner.store.clone(),
            self.inner.keep.clone(),
        );
        self.lock().insert(task, Workspace::new(bound));
        Ok(binding)
    }

    /// Takes the binding away, never files. Whether there was one.
    pub async fn unbind(&self, task: &str, actor: Actor) -> Result<bool, WorkspaceError> {
        let task = TaskId::parse(task)?;
        let _alone = self.inner.binding.lock().await;
        let removed = self.inner.store.remove_workspace(task.to_string(), actor).await?;
        if let Some(workspace) = self.lock().remove(&task) {
            workspace.unbound().cancel();
        }
        Ok(removed)
    }

    /// By task.
    pub fn list(&self) -> Vec<Workspace> {
        self.lock().values().cloned().collect()
    }

    pub fn get(&self, task: &str) -> Result<Workspace, WorkspaceError> {
        let task = TaskId::parse(task)?;
        self.find(&task).ok_or_else(|| WorkspaceError::NotBound {
            task: task.to_string(),
        })
    }

    /// Removes versions and deleted things that are too old or too many, of unbound tasks as well.
    pub async fn clean(&self) -> Result<(), WorkspaceError> {
        for task in self.inner.store.changed_tasks().await? {
            let task = TaskId::parse(&task)?;
            match self.find(&task) {
                Some(workspace) => workspace.clean().await?,
                None => crate::history::prune(&self.inner.store, &self.inner.keep, &task).await?,
            }
        }
        Ok(())
    }

    fn find(&self, task: &TaskId) -> Option<Workspace> {
        self.lock().get(task).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<TaskId, Workspace>> {
        self.inner.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
) -> Result<T, WorkspaceError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(failed(path, io::Error::other(error))),
    }
}

fn refused(path: &Path, reason: impl Into<String>) -> WorkspaceError {
    WorkspaceError::InvalidWorkspacePath {
        path: shown(&path.display().to_string()),
        reason: reason.into(),
    }
}

fn failed(path: &Path, error: io::Error) -> WorkspaceError {
    WorkspaceError::BindFailed {
        path: shown(&path.display().to_string()),
        reason: error.to_string(),
    }
}

/// The path without symbolic links; what is missing of it is appended as it was written.
fn real_path(path: &Path) -> Result<PathBuf, WorkspaceError> {
    if !path.is_absolute() {
        return Err(refused(path, "the path is not absolute"));
    }
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refused(path, "the path contains `..`"));
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(refused(path, "the path contains NUL"));
    }
    let mut missing = Vec::new();
    let mut there: PathBuf = path.components().collect();
    loop {
        match there.canonicalize() {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            // A link to nowhere is something that is there.
            Err(error) if error.kind() == io::ErrorKind::NotFound && there.symlink_metadata().is_err() => {
                match (there.file_name().map(ToOwned::to_owned), there.parent()) {
                    (Some(name), Some(parent)) => {
                        missing.push(name);
                        there = parent.to_owned();
                    }
                    _ => return Err(failed(path, error)),
                }
            }
            Err(error) => return Err(failed(path, error)),
        }
    }
}

fn create(path: &Path) -> Result<(), WorkspaceError> {
    base::atomic::create_dir_all(path).map_err(|error| failed(path, error))?;
    match path.canonicalize() {
        Ok(real) if real == path && real.is_dir() => Ok(()),
        Ok(_) => Err(failed(path, io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(failed(path, error)),
    }
}

fn check_overlap(path: &Path, others: &[(TaskId, PathBuf)]) -> Result<(), WorkspaceError> {
    match others
        .iter()
        .find(|(_, other)| path.starts_with(other) || other.starts_with(path))
    {
        Some((task, _)) => Err(refused(
            path,
            format!("it overlaps with the workspace of task {task}"),
        )),
        None => Ok(()),
    }
}

/// What the system is made of; the sandbox opens none of it for writing either. Shared memory in
/// `/dev/shm` is a place for files like `/tmp`, though commands cannot run there.
const SYSTEM: &[&str] = &[
    "/proc", "/sys", "/dev", "/boot", "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
];

struct Forbidden {
    data: PathBuf,
    workspaces: PathBuf,
    home: Option<PathBuf>,
}

impl Forbidden {
    fn new(home: &DataHome) -> Self {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        Forbidden {
            data: real(home.root().to_owned()),
            workspaces: real(home.workspaces()),
            home: base::home::user_home().ok().map(real),
        }
    }

    fn check(&self, path: &Path) -> Result<(), WorkspaceError> {
        let reason = if path == Path::new("/") {
            "it is the root of the file system"
        } else if SYSTEM.iter().any(|folder| path.starts_with(folder)) && !path.starts_with("/dev/shm") {
            "it is a folder of the system"
        } else if self.home.as_deref().is_some_and(|home| home.starts_with(path)) {
            "it is the home folder or around it"
        } else if self.data.starts_with(path) {
            "it is the data folder or around it"
        } else if path.starts_with(&self.data)
            && (path == self.workspaces || !path.starts_with(&self.workspaces))
        {
            "in the data folder only folders below workspaces/ are possible"
        } else {
            return Ok(());
        };
        Err(refused(path, reason))
    }
}
