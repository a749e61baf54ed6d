//! A data home with workspaces, in a temporary folder.

#![allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "each test takes what it needs; a test fails by panicking"
)]

use base::{Coded, DataHome};
use std::path::{Path, PathBuf};
use store::{Actor, Store, Window};
use workspace::files::{ReadContent, ReadRequest};
use workspace::{EditRequest, Limits, Workspace, WorkspaceError, Workspaces};

pub struct World {
    pub dir: tempfile::TempDir,
    pub home: DataHome,
    pub store: Store,
    pub all: Workspaces,
}

pub const WINDOW: Window = Window {
    offset: 0,
    limit: 1000,
};

pub fn actor() -> Actor {
    Actor {
        kind: "agent".into(),
        name: "test".into(),
    }
}

pub fn edit(old: &str, new: &str, count: usize) -> EditRequest {
    EditRequest {
        old: old.into(),
        new: new.into(),
        count,
    }
}

impl World {
    pub async fn new() -> World {
        World::with(Limits::default()).await
    }

    pub async fn with(limits: Limits) -> World {
        World::within(tempfile::tempdir().unwrap(), limits).await
    }

    pub async fn within(dir: tempfile::TempDir, limits: Limits) -> World {
        let (home, store, all) = open(&dir.path().join("home"), limits).await;
        World {
            dir,
            home,
            store,
            all,
        }
    }

    /// Ends this owner and starts the next.
    pub async fn restart(self, limits: Limits) -> World {
        let World { dir, store, all, .. } = self;
        drop((store, all));
        World::within(dir, limits).await
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub async fn bind(&self, task: &str) -> Workspace {
        self.all.bind(task, &self.folder(task), actor()).await.unwrap();
        self.all.get(task).unwrap()
    }
}

pub async fn open(home: &Path, limits: Limits) -> (DataHome, Store, Workspaces) {
    let home = DataHome::at(home).unwrap().prepare().unwrap();
    let store = Store::open(&home, 1000).unwrap();
    let all = Workspaces::open(store.clone(), &home, limits).await.unwrap();
    (home, store, all)
}

pub fn code<T>(result: Result<T, WorkspaceError>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}

pub async fn read(workspace: &Workspace, path: &str) -> Result<ReadContent, WorkspaceError> {
    workspace.read(path, ReadRequest::default()).await
}

pub async fn text(workspace: &Workspace, path: &str) -> String {
    read(workspace, path).await.unwrap().content
}

pub async fn write(
    workspace: &Workspace,
    path: &str,
    content: &str,
) -> Result<store::Change, WorkspaceError> {
    workspace.write(path, content.into(), actor()).await
}

/// Everything below a folder, by relative path; folders end with `/`.
pub fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            match entry.file_type().unwrap().is_dir() {
                true => {
                    waiting.push(entry.path());
                    found.push(format!("{name}/"));
                }
                false => found.push(name),
            }
        }
    }
    found.sort();
    found
}
