//! Task folders: what lies in them, and what was changed there. Names are
//! those that models are told (CONTRACT, "Workspace"), so that MCP, agents and `pm` pass them on as
//! they are. Paths are relative to the workspace; where it lies is told to the person alone.

use super::is_false;
use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRef {
    pub task_id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceBind {
    pub task_id: String,
    /// Absolute; created when it is missing.
    pub workspace_path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRow {
    pub task_id: String,
    /// For the person; absent for everybody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub workspace_path: Option<String>,
    /// Milliseconds since the epoch.
    #[ts(type = "number")]
    pub created_at: i64,
}

/// By task.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceList {
    pub workspaces: Vec<WorkspaceRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Unbound {
    /// Whether the task had a workspace.
    pub removed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceNumbers {
    #[ts(type = "number")]
    pub file_count: u64,
    /// Without the workspace itself.
    #[ts(type = "number")]
    pub dir_count: u64,
    /// Bytes of all files.
    #[ts(type = "number")]
    pub total_size: u64,
    /// ISO 8601, UTC: the latest change of a file's content or of a folder's entries.
    pub last_modified: String,
    /// Folders that could not be looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub unreadable: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceFolder {
    pub task_id: String,
    /// The workspace itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceEntry {
    pub name: String,
    /// `file`, `directory`, `symlink`, `other`.
    pub r#type: String,
    /// Bytes of a file; 0 for everything else.
    #[ts(type = "number")]
    pub size: u64,
}

/// By name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceEntries {
    pub files: Vec<WorkspaceEntry>,
    /// There are more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRead {
    pub task_id: String,
    pub path: String,
    /// Lines to pass over; bytes with base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub offset: Option<u64>,
    /// Lines to give at most; bytes with base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub limit: Option<u64>,
    /// `utf-8`, `base64`, or a name of the Encoding Standard such as `gb18030`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub encoding: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContent {
    pub content: String,
    /// Bytes of the whole file.
    #[ts(type = "number")]
    pub size: u64,
    /// How `content` is to be read: `utf-8`, `base64` for what is no text, or what was asked for.
    pub encoding: String,
    /// There is more after it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Where to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub next_offset: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceWrite {
    pub task_id: String,
    pub path: String,
    pub content: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEdit {
    pub task_id: String,
    pub path: String,
    /// To the letter, with its line ends.
    pub old: String,
    pub new: String,
    /// How often `old` must be there (1); every one is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub count: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceMove {
    pub task_id: String,
    pub from: String,
    pub to: String,
    /// Replace a file that is there; never a folder.
    #[serde(default)]
    pub overwrite: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspacePath {
    pub task_id: String,
    pub path: String,
}

/// A change was made.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceChanged {
    pub ok: bool,
    /// Its id in the history, by which it can be taken back.
    pub change: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSearch {
    pub task_id: String,
    /// A regular expression, matched line by line.
    pub pattern: String,
    /// A file or a folder; the workspace itself when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// As in `.gitignore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub glob: Option<String>,
    #[serde(default)]
    pub ignore_case: bool,
    /// Matches to give at most (200); at most 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceMatch {
    pub path: String,
    /// From 1.
    #[ts(type = "number")]
    pub line: u64,
    pub text: String,
}

/// By path, then by line.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceMatches {
    pub matches: Vec<WorkspaceMatch>,
    /// There may be more.
    pub truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceHistory {
    pub task_id: String,
    /// Only changes that touched this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    #[serde(default)]
    pub page: super::Page,
}

/// One change, made through us; what commands change is not among them.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRow {
    pub id: String,
    /// `write`, `append`, `edit`, `move`, `delete`, `restore`, `undelete`.
    pub op: String,
    /// `file`, `directory`, `symlink`, `other`.
    pub kind: String,
    pub path: String,
    /// Where a moved thing came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// Bytes of the file before it; absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub size_before: Option<u64>,
    /// Bytes of the file after it; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub size_after: Option<u64>,
    /// The change that a restoration brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub origin: Option<String>,
    /// Bytes that lie in the trash because of it; absent when there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub trashed: Option<u64>,
    /// Milliseconds since the epoch.
    #[ts(type = "number")]
    pub at: i64,
    pub actor: Actor,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ChangeList {
    pub changes: Vec<ChangeRow>,
    pub total: u32,
}

/// A file at one time.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VersionRef {
    /// Before the change of this id.
    Before(String),
    /// After it.
    After(String),
    /// Now, by its path.
    Current(String),
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceCompare {
    pub task_id: String,
    pub old: VersionRef,
    pub new: VersionRef,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    pub old_path: String,
    pub new_path: String,
    /// Bytes; absent when there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub old_size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub new_size: Option<u64>,
    /// Unified; absent when one side is no text or too large to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    pub truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRestore {
    pub task_id: String,
    pub version: VersionRef,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceUndelete {
    pub task_id: String,
    /// The change that deleted it.
    pub change: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceVersion {
    pub task_id: String,
    pub version: VersionRef,
}

/// A version of a file, as a person looks at it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct VersionContent {
    /// Absent when there was no file then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content: Option<WorkspaceContent>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TrashEmptied {
    /// How many things are gone for good.
    pub removed: u32,
}
