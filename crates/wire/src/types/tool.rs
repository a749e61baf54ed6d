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
    pub requested: Vec<String>,
    pub granted: Vec<String>,
    /// Directories that a run of the tool really gets now.
    pub effective: Vec<String>,
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
