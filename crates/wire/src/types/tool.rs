//! Tools.

use super::WireError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolRef {
    pub tool: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// New or changed, not yet looked into; it will be in a moment.
    Describing,
    Ready,
    NeedsConfiguration,
    DependenciesMissing,
    Broken,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    pub name: String,
    /// The name its author gave it; `name` is the folder's.
    pub title: String,
    pub version: String,
    pub description: String,
    pub author: String,
    pub tags: Vec<String>,
    pub built_in: bool,
    pub state: ToolState,
    /// Why it is not ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolList {
    pub tools: Vec<ToolRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetail {
    #[serde(flatten)]
    pub row: ToolRow,
    /// `~/.prompt-manager/toolbox/{tool}` as shown to people.
    pub folder: String,
    /// JSON schema of the parameters, as the tool gives it.
    #[ts(type = "unknown")]
    pub parameters: Value,
    #[ts(type = "unknown")]
    pub environment: Value,
    #[ts(type = "unknown")]
    pub runtime: Value,
    pub dependencies: std::collections::BTreeMap<String, String>,
    pub warnings: Vec<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolRun {
    pub tool: String,
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub parameters: Map<String, Value>,
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

/// A finished run of a tool.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    pub run: String,
    pub success: bool,
    #[ts(type = "unknown")]
    #[serde(default)]
    pub result: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<WireError>,
    /// Markdown help for a failure, as models get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub help: Option<String>,
    pub duration_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolConfigure {
    pub tool: String,
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub values: Map<String, Value>,
    /// Variables taken out of `.env`, so that their defaults hold again.
    #[serde(default)]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub remove: Vec<String>,
}

/// Secrets that stood in `.env` and are now kept elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SecretsMoved {
    /// Of the variables.
    pub names: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct VariableRef {
    pub tool: String,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConfigurationState {
    Configured,
    Partly,
    Unconfigured,
}

/// The table of seed 002 section 11.11.2.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub state: ConfigurationState,
    /// `~/.prompt-manager/toolbox/{tool}/.env`.
    pub file: String,
    /// Declared ones in the schema's order, then those that only `.env` has.
    pub variables: Vec<VariableRow>,
    /// Where the secrets can go that stand in `.env` as they are; absent: nowhere, or there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub secrets_go: Option<SecretPlace>,
}

/// Where a value is kept that `.env` only names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SecretPlace {
    Keychain,
    /// Encrypted, in a file of the data home.
    File,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VariableRow {
    pub name: String,
    pub description: String,
    /// JSON schema of the value: type, enum, minimum…; empty for what is not declared.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Map<String, Value>,
    pub declared: bool,
    pub required: bool,
    pub secret: bool,
    /// Where the value comes from.
    pub source: VariableSource,
    /// The value in force, masked when it is secret; empty when unset.
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub default: Option<String>,
    /// Why the value breaks its schema, or cannot be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
    /// `.env` names the value, and it is kept there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kept: Option<SecretPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VariableSource {
    /// `.env`.
    File,
    Default,
    Unset,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileRef {
    pub tool: String,
    /// Relative to the tool's folder, `/` between names; empty is the folder itself.
    #[serde(default)]
    pub path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileList {
    pub path: String,
    /// Folders first, then by name.
    pub entries: Vec<FileEntry>,
    /// There are more than are listed.
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    File,
    Directory,
    /// A symbolic link; never followed.
    Link,
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileEntry {
    pub name: String,
    pub kind: FileKind,
    /// Bytes; 0 for folders.
    pub size: f64,
    /// Milliseconds since the epoch.
    pub modified: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct FileView {
    pub path: String,
    /// Bytes of the whole file.
    pub size: f64,
    pub modified: f64,
    /// The beginning, at most 256 KiB; absent when the file is not UTF-8 text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    pub truncated: bool,
    /// Values were masked: the file is `.env`.
    pub masked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogWindowQuery {
    pub tool: String,
    /// Only these levels; empty means all. Numbers below count what is left.
    #[serde(default)]
    #[ts(as = "Option<Vec<LogLevel>>", optional)]
    pub levels: Vec<LogLevel>,
    /// Number of the first record wanted; absent means the last `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first: Option<u32>,
    /// At most 500.
    pub count: u32,
    /// `stamp` of an earlier answer: the call waits up to 20 s while the log is still like that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unlike: Option<String>,
}

/// Records `first..first + records.len()` of the log, as it was at `stamp`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogWindow {
    /// `generation:bytes`. A new generation means that old records left and numbers moved.
    pub stamp: String,
    /// Changes when records leave (rotation), so numbers of another generation mean nothing.
    pub generation: String,
    /// Records of the wanted levels.
    pub total: u32,
    /// Records of each level.
    pub counts: LogCounts,
    /// Bytes of the file.
    pub bytes: f64,
    pub first: u32,
    pub records: Vec<LogRecord>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
pub struct LogCounts {
    pub debug: u32,
    pub info: u32,
    pub warn: u32,
    pub error: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogRecord {
    /// Milliseconds since the epoch; 0 where the file has no readable time.
    pub at: f64,
    pub level: LogLevel,
    /// Continuation lines included, at most 16 KiB.
    pub text: String,
    /// There is more than `text`.
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Forward,
    Backward,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogFindQuery {
    pub tool: String,
    #[serde(default)]
    #[ts(as = "Option<Vec<LogLevel>>", optional)]
    pub levels: Vec<LogLevel>,
    /// Case does not matter.
    pub text: String,
    /// Searched from this record on, itself included; goes round once at the end.
    pub from: u32,
    pub direction: Direction,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogFound {
    /// Number of the record; absent when no record holds the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub index: Option<u32>,
    /// Records that hold the text.
    pub matches: u32,
    /// Which of them `index` is, from 1.
    pub ordinal: u32,
    pub generation: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Configured {
    pub text: String,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolLog {
    pub tool: String,
    /// `tail` (default), `head` or `all`.
    #[serde(default)]
    #[ts(optional)]
    pub action: Option<String>,
    #[serde(default)]
    #[ts(optional)]
    pub lines: Option<u32>,
    /// Lowest level shown: DEBUG, INFO, WARN, ERROR.
    #[serde(default)]
    #[ts(optional)]
    pub level: Option<String>,
    #[serde(default)]
    #[ts(optional)]
    pub search: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LogLines {
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Grants {
    pub tool: String,
    /// Directories.
    pub requested: Vec<String>,
    pub granted: Vec<String>,
    /// Directories that a run of the tool really gets now.
    pub effective: Vec<String>,
    pub network: super::ToolNetwork,
    pub processes: super::ToolProcesses,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GrantChange {
    pub tool: String,
    /// Absolute, or with `~`.
    pub directory: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolmParams {
    #[serde(default)]
    #[ts(optional)]
    pub yaml: Option<Value>,
}

/// Content of an MCP answer, in MCP's own shape.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpContent {
    #[ts(type = "Array<Record<string, unknown>>")]
    pub content: Vec<Value>,
    #[serde(default)]
    pub is_error: bool,
}
