//! What can go wrong in a workspace. Paths in here are relative to it: agents never see where it
//! lies. The two errors of binding alone name the folder that a person asked for.

use base::{Args, Coded, args};
use std::io;
use store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("{path:?} leads out of the workspace: {part}")]
    PathTraversal { path: String, part: String },
    #[error("no file {path:?}")]
    FileNotFound { path: String },
    #[error("no folder {path:?}")]
    DirectoryNotFound { path: String },
    #[error("{path:?} is not a folder")]
    NotADirectory { path: String },
    #[error("{path:?} is not a regular file")]
    NotAFile { path: String },
    #[error("{path:?} has {size} bytes, {limit} are possible")]
    FileTooLarge { path: String, size: u64, limit: u64 },
    #[error("{path:?}: {reason}")]
    PermissionDenied { path: String, reason: String },
    #[error("something is at {path:?} already")]
    AlreadyExists { path: String },
    #[error("{path:?} is not UTF-8 but {encoding}")]
    NotUtf8 { path: String, encoding: String },
    #[error("the text to replace is not in {path:?}")]
    EditNoMatch { path: String },
    #[error("the text to replace is in {path:?} {count} times, not {expected}")]
    EditAmbiguous {
        path: String,
        count: usize,
        expected: usize,
    },
    #[error("{path:?} was changed by somebody else again and again")]
    Busy { path: String },
    #[error("{call}: {reason}")]
    InvalidArgs { call: &'static str, reason: String },
    #[error("{path:?}")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("not a task id: {task:?}")]
    InvalidTaskId { task: String },
    #[error("task {task} has no workspace")]
    NotBound { task: String },
    #[error("the workspace of {task} is gone")]
    Missing { task: String },
    #[error("the workspace of {task} was replaced: {found}")]
    Replaced { task: String, found: &'static str },
    #[error("{path:?} cannot be a workspace: {reason}")]
    InvalidWorkspacePath { path: String, reason: String },
    #[error("task {task} is bound to {path:?}")]
    AlreadyBound { task: String, path: String },
    #[error("{path:?} cannot be bound: {reason}")]
    BindFailed { path: String, reason: String },
    #[error("no version {id:?}")]
    VersionNotFound { id: String },
    #[error("the bytes of version {id:?} are not kept")]
    VersionNotKept { id: String },
    #[error("history or trash: {path}")]
    Keeping {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Coded for WorkspaceError {
    fn code(&self) -> &'static str {
        match self {
            WorkspaceError::PathTraversal { .. } => "path_traversal_blocked",
            WorkspaceError::FileNotFound { .. } => "file_not_found",
            WorkspaceError::DirectoryNotFound { .. } => "directory_not_found",
            WorkspaceError::NotADirectory { .. } => "not_a_directory",
            WorkspaceError::NotAFile { .. } => "not_a_file",
            WorkspaceError::FileTooLarge { .. } => "file_too_large",
            WorkspaceError::PermissionDenied { .. } => "permission_denied",
            WorkspaceError::AlreadyExists { .. } => "already_exists",
            WorkspaceError::NotUtf8 { .. } => "not_utf8",
            WorkspaceError::EditNoMatch { .. } => "edit_no_match",
            WorkspaceError::EditAmbiguous { .. } => "edit_ambiguous",
            WorkspaceError::Busy { .. } => "file_busy",
            WorkspaceError::InvalidArgs { .. } => "invalid_args",
            WorkspaceError::Io { .. } => "workspace_io",
            WorkspaceError::InvalidTaskId { .. } => "invalid_task_id",
            WorkspaceError::NotBound { .. } => "workspace_not_bound",
            WorkspaceError::Missing { .. } => "workspace_missing",
            WorkspaceError::Replaced { .. } => "workspace_replaced",
            WorkspaceError::InvalidWorkspacePath { .. } => "invalid_workspace_path",
            WorkspaceError::AlreadyBound { .. } => "already_bound",
            WorkspaceError::BindFailed { .. } => "bind_failed",
            WorkspaceError::VersionNotFound { .. } => "version_not_found",
            WorkspaceError::VersionNotKept { .. } => "version_not_kept",
            WorkspaceError::Keeping { .. } => "workspace_keeping_failed",
            WorkspaceError::Store(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            WorkspaceError::PathTraversal { path, part } => args! { path: path, part: part },
            WorkspaceError::FileNotFound { path }
            | WorkspaceError::DirectoryNotFound { path }
            | WorkspaceError::NotADirectory { path }
            | WorkspaceError::NotAFile { path }
            | WorkspaceError::AlreadyExists { path }
            | WorkspaceError::EditNoMatch { path }
            | WorkspaceError::Busy { path } => args! { path: path },
            WorkspaceError::FileTooLarge { path, size, limit } => {
                args! { path: path, size: size, limit: limit }
            }
            WorkspaceError::PermissionDenied { path, reason }
            | WorkspaceError::InvalidWorkspacePath { path, reason }
            | WorkspaceError::BindFailed { path, reason } => args! { path: path, reason: reason },
            WorkspaceError::NotUtf8 { path, encoding } => args! { path: path, encoding: encoding },
            WorkspaceError::EditAmbiguous {
                path,
                count,
                expected,
            } => args! { path: path, count: count, expected: expected },
            WorkspaceError::InvalidArgs { call, reason } => args! { call: call, reason: reason },
            WorkspaceError::Io { path, source } | WorkspaceError::Keeping { path, source } => {
                args! { path: path, reason: source.to_string() }
            }
            WorkspaceError::InvalidTaskId { task }
            | WorkspaceError::NotBound { task }
            | WorkspaceError::Missing { task } => args! { task: task },
            WorkspaceError::Replaced { task, found } => args! { task: task, found: found },
            WorkspaceError::AlreadyBound { task, path } => args! { task: task, path: path },
            WorkspaceError::VersionNotFound { id } | WorkspaceError::VersionNotKept { id } => {
                args! { id: id }
            }
            WorkspaceError::Store(error) => error.args(),
        }
    }
}
