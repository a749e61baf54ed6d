//! Tools that come, change and go.

use super::WireError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a tool is to come from. A path, `npm:NAME` or `npm:NAME@RANGE`; without it, where the tool came from.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ToolSource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<String>,
    /// It has to be this tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolSourceKind {
    Folder,
    Git,
    File,
    Archive,
    Npm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolPermissionKind {
    Directory,
    Network,
    Processes,
}

/// A right that a tool asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolPermission {
    pub kind: ToolPermissionKind,
    /// The directory, the host; empty for programs.
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolPermissionAsked {
    #[serde(flatten)]
    pub permission: ToolPermission,
    /// What was given to the version that is there covers it.
    pub granted: bool,
    /// The version that is there does not ask for it.
    pub added: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolDependencyChange {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolFileChangeKind {
    Added,
    Changed,
    Removed,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolFileChange {
    pub path: String,
    pub what: ToolFileChangeKind,
}

/// What is there under the name of what comes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolThere {
    /// Absent where it cannot be described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// It came with the very same files.
    pub same: bool,
}

/// What would come.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolPreview {
    /// To be given to `tool.install` as it is.
    pub source: String,
    pub kind: ToolSourceKind,
    /// Of a package: the version that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub found: Option<String>,
    /// Of all files; `tool.install` takes in nothing else.
    pub digest: String,
    pub tool: String,
    pub title: String,
    pub version: String,
    pub description: String,
    pub author: String,
    pub files: u32,
    pub bytes: f64,
    /// What of the source is not taken in: data, packages, repositories.
    pub left_out: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub installed: Option<ToolThere>,
    /// Configuration and data that a removed tool of this name left: it is given them. The digest covers that.
    #[serde(default)]
    pub inherits: Vec<String>,
    pub permissions: Vec<ToolPermissionAsked>,
    /// Variables that hold secrets.
    pub secrets: Vec<String>,
    /// It runs in the machine's Node.
    pub node: bool,
    /// It runs in the machine's Python.
    #[serde(default)]
    pub python: bool,
    pub dependencies: Vec<ToolDependencyChange>,
    /// The first of the files that are different from those that are there.
    pub changes: Vec<ToolFileChange>,
    pub changes_total: u32,
    pub warnings: Vec<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolInstall {
    pub source: String,
    pub tool: String,
    pub digest: String,
    /// It may take the place of the version that is there.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replace: bool,
    /// What it is given of what it asks for, beside what it has.
    #[serde(default)]
    pub allow: Vec<ToolPermission>,
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolInstalled {
    pub run: String,
    pub tool: String,
    pub version: String,
    /// The version that was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<String>,
}

/// A version that can be gone back to.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolVersion {
    pub id: String,
    pub version: String,
    /// When another one took its place, milliseconds since the epoch.
    pub at: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolVersions {
    /// Where what is there came from, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<String>,
    /// Newest first.
    pub versions: Vec<ToolVersion>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolVersionRef {
    pub tool: String,
    pub id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolVersionIs {
    pub tool: String,
    pub version: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolRemove {
    pub tool: String,
    /// Configuration, data and log stay for whatever comes under this name.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub keep_data: bool,
}

/// A tool in the trash.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RemovedTool {
    pub id: String,
    pub tool: String,
    pub version: String,
    /// Milliseconds since the epoch.
    pub at: f64,
    pub data_stayed: bool,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemovedTools {
    pub tools: Vec<RemovedTool>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RemovedToolRef {
    pub id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolNew {
    pub tool: String,
    #[serde(default)]
    #[ts(as = "Option<ToolLanguage>", optional)]
    pub language: ToolLanguage,
}

/// What a tool is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolLanguage {
    #[default]
    Javascript,
    Python,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolMade {
    pub tool: String,
    /// Absolute.
    pub folder: String,
}
