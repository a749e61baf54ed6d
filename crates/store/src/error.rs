//! What can go wrong with the records.

use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("database")]
    Sqlite(#[from] rusqlite::Error),
    /// The transaction that it was part of did not come to its end.
    #[error("database")]
    NotKept(#[source] Arc<rusqlite::Error>),
    #[error("the database has schema {found}, this program knows {known}")]
    Newer { found: i64, known: i64 },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the database thread has ended")]
    Closed,
    #[error("no artifact {0}")]
    NoArtifact(String),
    #[error("no run {0}")]
    NoRun(String),
    #[error("no approval {0}")]
    NoApproval(String),
    #[error("no canvas {0}")]
    NoCanvas(String),
    /// Somebody else added an event meanwhile.
    #[error("canvas {canvas} is at event {found}, not {expected}")]
    CanvasMoved {
        canvas: String,
        expected: u32,
        found: u32,
    },
    #[error("no task {0} of a society")]
    NoSocietyTask(String),
    /// Somebody else added an event meanwhile.
    #[error("task {task} is at event {found}, not {expected}")]
    SocietyMoved { task: String, expected: u64, found: u64 },
    #[error("a stored {0} is not known")]
    UnknownKind(String),
    #[error("a stored value cannot be read")]
    Json(#[from] serde_json::Error),
}

impl Coded for StoreError {
    fn code(&self) -> &'static str {
        match self {
            StoreError::Sqlite(_)
            | StoreError::NotKept(_)
            | StoreError::Json(_)
            | StoreError::UnknownKind(_) => "store_failed",
            StoreError::Newer { .. } => "store_newer",
            StoreError::Io { .. } => "store_io",
            StoreError::Closed => "store_closed",
            StoreError::NoArtifact(_) => "artifact_not_found",
            StoreError::NoRun(_) => "run_not_found",
            StoreError::NoApproval(_) => "approval_not_found",
            StoreError::NoCanvas(_) => "canvas_not_found",
            StoreError::CanvasMoved { .. } => "canvas_changed",
            StoreError::NoSocietyTask(_) => "society_task_not_found",
            StoreError::SocietyMoved { .. } => "society_task_changed",
        }
    }
    fn args(&self) -> Args {
        match self {
            StoreError::Sqlite(error) => args! { reason: error.to_string() },
            StoreError::NotKept(error) => args! { reason: error.to_string() },
            StoreError::Json(error) => args! { reason: error.to_string() },
            StoreError::Newer { found, known } => args! { found: found, known: known },
            StoreError::Io { path, source } => args! { path: path, reason: source.to_string() },
            StoreError::Closed => args! {},
            StoreError::NoArtifact(id) => args! { id: id },
            StoreError::NoRun(id) => args! { run: id },
            StoreError::NoApproval(id) => args! { id: id },
            StoreError::NoCanvas(id) => args! { canvas: id },
            StoreError::CanvasMoved { canvas, .. } => args! { canvas: canvas },
            StoreError::NoSocietyTask(id) => args! { task: id },
            StoreError::SocietyMoved { task, .. } => args! { task: task },
            StoreError::UnknownKind(kind) => args! { reason: kind },
        }
    }
}
