//! One task's workspace: what agents, MCP clients and the window ask of it. Reads go straight to the
//! files; changes wait for each other, are written down (`history`) and run to their end even when
//! whoever asked has gone.
//!
//! One line for a whole workspace and not one for each file: a link, or a folder that is being moved,
//! would give a file two names.

use crate::error::WorkspaceError;
use crate::files::{
    Listing, Lost, Matches, ReadContent, ReadRequest, RelPath, Root, SearchRequest, WorkspaceInfo,
};
use crate::history::{self, FileDiff, Keep, Recorder, Version};
use crate::limits::Limits;
use crate::task::TaskId;
use crate::trash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Actor, Binding, Change, ChangeOp, Store, Window};
use tokio_util::sync::CancellationToken;

/// Handle to one. Cheap to clone.
#[derive(Clone)]
pub struct Workspace {
    bound: Arc<Bound>,
}

pub(crate) struct Bound {
    pub task: TaskId,
    pub binding: Binding,
    pub store: Store,
    pub keep: Arc<Keep>,
    path: PathBuf,
    root: Mutex<Option<Arc<Root>>>,
    changing: Arc<tokio::sync::Mutex<()>>,
    changes: AtomicU32,
    commands: Arc<tokio::sync::Semaphore>,
    /// Cancelled when the task is unbound.
    unbound: CancellationToken,
}

/// An exact replacement.
#[derive(Clone, Debug)]
pub struct EditRequest {
    pub old: String,
    pub new: String,
    /// How often `old` must be there; every one is replaced.
    pub count: usize,
}

/// What may be at the place that something is moved to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveTo {
    #[default]
    Free,
    /// A file there is replaced; the history keeps it.
    OverFile,
}

/// Changes between two looks at what is too old.
const CLEAN_EVERY: u32 = 64;

impl Bound {
    pub(crate) fn new(task: TaskId, binding: Binding, store: Store, keep: Arc<Keep>) -> Self {
        Bound {
            task,
            path: PathBuf::from(&binding.path),
            binding,
            store,
            keep,
            root: Mutex::default(),
            changing: Arc::default(),
            changes: AtomicU32::new(0),
            commands: Arc::new(tokio::sync::Semaphore::new(crate::command::AT_ONCE)),
            unbound: CancellationToken::new(),
        }
    }

    fn root(&self) -> Result<Arc<Root>, WorkspaceError> {
        let mut open = self.root.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = open.as_ref().filter(|root| root.is_current()) {
            return Ok(root.clone());
        }
        *open = None;
        let root = Root::open(&self.path).map_err(|lost| {
            let task = self.task.to_string();
            tracing::warn!(task, path = %self.path.display(), ?lost, "a workspace cannot be used");
            match lost {
                Lost::Gone => WorkspaceError::Missing { task },
                Lost::Replaced(found) => WorkspaceError::Replaced { task, found },
                Lost::Io(source) => crate::files::io_error(&RelPath::root(), source),
            }
        })?;
        Ok(open.insert(Arc::new(root)).clone())
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.keep.limits
    }
}

impl Workspace {
    pub(crate) fn new(bound: Bound) -> Self {
        Workspace {
            bound: Arc::new(bound),
        }
    }

    pub fn task(&self) -> &TaskId {
        &self.bound.task
    }

    /// Where it lies; for persons and the sandbox, never for agents.
    pub fn path(&self) -> &Path {
        &self.bound.path
    }

    pub fn binding(&self) -> &Binding {
        &self.bound.binding
    }

    pub async fn read(&self, path: &str, request: ReadRequest) -> Result<ReadContent, WorkspaceError> {
        let path = self.parse("read_file", path)?;
        let window = self.bound.limits().read_bytes;
        self.look("read_file", move |root| root.read(&path, request, window))
            .await
    }

    /// `None` lists the workspace itself.
    pub async fn list(&self, path: Option<&str>) -> Result<Listing, WorkspaceError> {
        let path = self.parse("list_files", path.unwrap_or("."))?;
        let most = self.bound.limits().list_entries;
        self.look("list_files", move |root| root.list(&path, most)).await
    }

    pub async fn info(&self) -> Result<WorkspaceInfo, WorkspaceError> {
        self.look("get_workspace_info", |root| root.info()).await
    }

    pub async fn search(&self, request: SearchRequest) -> Result<Matches, WorkspaceError> {
        self.look("search_files", move |root| root.search(&request)).await
    }

    /// Writes a whole file, with the folders that are missing. Gives the change.
    pub async fn write(&self, path: &str, content: Vec<u8>, actor: Actor) -> Result<Change, WorkspaceError> {
        let path = self.parse("write_file", path)?;
        self.check_size(&path, content.len())?;
        self.change("write_file", actor, move |recorder| {
            recorder.write(&path, content)
        })
        .await
    }

    /// Appends to a file, which is made if it is missing.
    pub async fn append(&self, path: &str, content: Vec<u8>, actor: Actor) -> Result<Change, WorkspaceError> {
        let path = self.parse("append_file", path)?;
        self.check_size(&path, content.len())?;
        self.change("append_file", actor, move |recorder| {
            recorder.append(&path, &content)
        })
        .await
    }

    pub async fn edit(&self, path: &str, edit: EditRequest, actor: Actor) -> Result<Change, WorkspaceError> {
        let path = self.parse("edit_file", path)?;
        self.check_size(&path, edit.new.len())?;
        self.change("edit_file", actor, move |recorder| recorder.edit(&path, &edit))
            .await
    }

    /// Moves a file, a folder or a link.
    pub async fn move_file(
        &self,
        from: &str,
        to: &str,
        over: MoveTo,
        actor: Actor,
    ) -> Result<Change, WorkspaceError> {
        let from = self.parse("move_file", from)?;
        let to = self.parse("move_file", to)?;
        self.change("move_file", actor, move |recorder| {
            recorder.move_file(&from, &to, over)
        })
        .await
    }

    /// Moves a file, a folder or a link to the trash. The change's id brings it back.
    pub async fn delete(&self, path: &str, actor: Actor) -> Result<Change, WorkspaceError> {
        let path = self.parse("delete_file", path)?;
        self.change("delete_file", actor, move |recorder| {
            trash::delete(recorder, &path)
        })
        .await
    }

    /// Newest first; with `path`, those that touched it. And how many there are in all.
    pub async fn history(
        &self,
        path: Option<&str>,
        window: Window,
    ) -> Result<(Vec<Change>, u32), WorkspaceError> {
        let path = match path {
            None => None,
            Some(path) => Some(self.parse("history", path)?.text()),
        };
        let (task, root) = (self.bound.task.to_string(), self.bound.binding.path.clone());
        Ok(self
            .bound
            .store
            .workspace_changes(task, root, path, window)
            .await?)
    }

    /// What a file held; none when it was not there.
    pub async fn version(&self, version: Version) -> Result<Option<Vec<u8>>, WorkspaceError> {
        self.quietly("history", move |bound, root| {
            history::version(bound, root, &version)
        })
        .await
    }

    /// What is different between two versions.
    pub async fn diff(&self, old: Version, new: Version) -> Result<FileDiff, WorkspaceError> {
        self.quietly("history", move |bound, root| {
            history::diff(bound, root, &old, &new)
        })
        .await
    }

    /// Brings a version back, as a change of its own. What was not there is deleted.
    pub async fn restore(&self, version: Version, actor: Actor) -> Result<Change, WorkspaceError> {
        self.change("restore", actor, move |recorder| {
            history::restore(recorder, &version)
        })
        .await
    }

    /// What lies in this task's trash, newest first.
    pub async fn trash(&self) -> Result<Vec<Change>, WorkspaceError> {
        let mut found = self
            .bound
            .store
            .trashed_changes(self.bound.task.to_string())
            .await?;
        found.retain(|change| change.root == self.bound.binding.path);
        Ok(found)
    }

    /// Moves what a change deleted back to its place, which must be free.
    pub async fn undelete(&self, id: &str, actor: Actor) -> Result<Change, WorkspaceError> {
        let id = id.to_owned();
        self.change("undelete", actor, move |recorder| trash::undelete(recorder, &id))
            .await
    }

    /// Removes everything in this task's trash for good. Gives how many things.
    pub async fn empty_trash(&self) -> Result<usize, WorkspaceError> {
        let _alone = self.bound.changing.clone().lock_owned().await;
        trash::empty(&self.bound.store, &self.bound.keep, &self.bound.task, |_, _| true).await
    }

    pub(crate) async fn clean(&self) -> Result<(), WorkspaceError> {
        let _alone = self.bound.changing.clone().lock_owned().await;
        history::prune(&self.bound.store, &self.bound.keep, &self.bound.task).await
    }

    /// A place among the commands that run here; none when there are too many.
    pub(crate) fn command_turn(&self) -> Option<tokio::sync::OwnedSemaphorePermit> {
        self.bound.commands.clone().try_acquire_owned().ok()
    }

    /// Cancelled when the task is unbound: what runs in it ends, and nothing begins.
    pub(crate) fn unbound(&self) -> &CancellationToken {
        &self.bound.unbound
    }

    /// An answer to a question, or a lock, may come after the task was unbound.
    pub(crate) fn check_bound(&self) -> Result<(), WorkspaceError> {
        match self.bound.unbound.is_cancelled() {
            true => Err(WorkspaceError::NotBound {
                task: self.bound.task.to_string(),
            }),
            false => Ok(()),
        }
    }

    /// Whether the folder is where it was bound.
    pub(crate) async fn is_there(&self) -> Result<(), WorkspaceError> {
        self.look("run_command", |_| Ok(())).await
    }

    fn parse(&self, call: &'static str, path: &str) -> Result<RelPath, WorkspaceError> {
        let parsed = RelPath::parse(call, path);
        if let Err(error) = &parsed {
            self.warn(call, error);
        }
        parsed
    }

    fn check_size(&self, path: &RelPath, size: usize) -> Result<(), WorkspaceError> {
        let limit = self.bound.limits().write_bytes;
        match size as u64 > limit {
            false => Ok(()),
            true => Err(WorkspaceError::FileTooLarge {
                path: path.text(),
                size: size as u64,
                limit,
            }),
        }
    }

    fn warn(&self, call: &'static str, error: &WorkspaceError) {
        if matches!(
            error,
            WorkspaceError::PathTraversal { .. } | WorkspaceError::PermissionDenied { .. }
        ) {
            tracing::warn!(task = %self.bound.task, call, %error, "a path was refused");
        }
    }

    async fn look<T: Send + 'static>(
        &self,
        call: &'static str,
        work: impl FnOnce(&Root) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let bound = self.bound.clone();
        self.blocking(call, move || work(bound.root()?.as_ref())).await
    }

    /// Looks at records and files while nothing changes.
    async fn quietly<T: Send + 'static>(
        &self,
        call: &'static str,
        work: impl FnOnce(&Bound, &Root) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let alone = self.bound.changing.clone().lock_owned().await;
        let bound = self.bound.clone();
        self.blocking(call, move || {
            let _alone = alone;
            work(&bound, bound.root()?.as_ref())
        })
        .await
    }

    async fn change(
        &self,
        call: &'static str,
        actor: Actor,
        work: impl FnOnce(&Recorder) -> Result<Change, WorkspaceError> + Send + 'static,
    ) -> Result<Change, WorkspaceError> {
        let bound = self.bound.clone();
        let change = self
            .quietly(call, move |_, root| {
                work(&Recorder {
                    bound: &bound,
                    root,
                    actor,
                })
            })
            .await?;
        let count = self.bound.changes.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        if count.is_multiple_of(CLEAN_EVERY) {
            let workspace = self.clone();
            tokio::spawn(async move {
                if let Err(error) = workspace.clean().await {
                    tracing::warn!(task = %workspace.task(), %error, "old versions were not removed");
                }
            });
        }
        Ok(change)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        call: &'static str,
        work: impl FnOnce() -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let done = match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => Err(WorkspaceError::Io {
                path: ".".to_owned(),
                source: io::Error::other(error),
            }),
        };
        if let Err(error) = &done {
            self.warn(call, error);
        }
        done
    }
}

/// The row of a change that begins now.
pub(crate) fn new_change(bound: &Bound, actor: &Actor, op: ChangeOp, path: String) -> Change {
    Change {
        id: uuid::Uuid::new_v4().simple().to_string(),
        task: bound.task.to_string(),
        root: bound.binding.path.clone(),
        path,
        from: None,
        op,
        kind: "file".to_owned(),
        before: None,
        after: None,
        origin: None,
        trashed: None,
        at: base::clock::now_ms(),
        actor: actor.clone(),
    }
}
