//! External MCP servers: what a person adds, and how it stands with them and their tools.

use super::WireError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use ts_rs::TS;

/// How a server is reached, as clients of MCP write it into their files: a command, or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(type = "Record<string, string>")]
    pub env: BTreeMap<String, String>,
    /// Of its endpoint for streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(type = "Record<string, string>")]
    pub headers: BTreeMap<String, String>,
    /// Until it has said which tools it has; 30 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub start_seconds: Option<u32>,
    /// Without a word about a call; 120 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call_seconds: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExternalState {
    /// A person switched it off.
    Off,
    /// It is started when one of its tools is called.
    Idle,
    Starting,
    Running,
    /// It could not be started or ended by itself.
    Failed,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExternalRow {
    pub name: String,
    /// The command line, secrets masked, or the address.
    pub target: String,
    /// Reached by HTTP; else a program.
    pub remote: bool,
    pub enabled: bool,
    pub state: ExternalState,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
    /// Tools that are offered.
    pub offered: u32,
    /// Tools that wait for a person.
    pub waiting: u32,
}

/// By name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalList {
    pub servers: Vec<ExternalRow>,
}

/// What a server says of one of its tools, as far as a person approves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExternalDefinition {
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub description: String,
    #[ts(type = "unknown")]
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub output_schema: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub annotations: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExternalToolState {
    Approved,
    /// The server has it since the others were approved.
    New,
    /// It is not what was approved any more.
    Changed,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExternalTool {
    pub name: String,
    /// What clients call it.
    pub offered_as: String,
    /// A person lets it be offered.
    pub enabled: bool,
    pub state: ExternalToolState,
    /// As the server describes it now.
    pub listed: ExternalDefinition,
    /// As it was approved, where that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub approved: Option<ExternalDefinition>,
    /// From what was approved to what it says now, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub difference: Option<String>,
}

/// A variable or a header. Secrets are masked.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalValue {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExternalDetail {
    pub server: ExternalRow,
    /// As it calls itself, with its version; empty until it was here.
    pub implementation: String,
    /// What it tells models about itself.
    pub instructions: String,
    pub env: Vec<ExternalValue>,
    pub headers: Vec<ExternalValue>,
    /// Folders that it was granted.
    pub directories: Vec<String>,
    /// Hosts that it was granted; `localhost:PORT` is a port of this machine.
    pub hosts: Vec<String>,
    /// Its own folder.
    pub folder: String,
    pub tools: Vec<ExternalTool>,
}

/// An entry of its own, or a text with entries of another client's file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalAdd {
    /// Of the one server; a text that names its servers needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub entry: Option<ExternalEntry>,
    /// JSON: `{"mcpServers": {…}}`, `{"servers": {…}}`, `{NAME: {…}}`, or one entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub bundle: Option<ExternalBundleAdd>,
    /// Granted with it.
    pub directories: Vec<String>,
    pub hosts: Vec<String>,
}

/// A bundle of MCP as it was looked at, and what a person set of it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalBundleAdd {
    pub path: String,
    pub digest: String,
    /// By key; several values stand on a line each.
    #[serde(default)]
    #[ts(type = "Record<string, string>")]
    pub values: BTreeMap<String, String>,
}

/// The path of a `.mcpb` on the machine of the server.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalBundleRef {
    pub path: String,
}

/// What a bundle holds. Nothing of it was run.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalBundle {
    /// What its server would be called here; empty where its own name makes none.
    pub name: String,
    pub title: String,
    pub version: String,
    pub description: String,
    pub author: String,
    /// `node`, `binary`, `python` or `uv`.
    pub kind: String,
    pub settings: Vec<ExternalSetting>,
    pub files: u32,
    pub bytes: f64,
    /// To be given back by who adds it.
    pub digest: String,
    /// What is there under this name, and would be replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub installed: Option<ExternalBundleThere>,
}

/// A bundle that is there. What was set and granted stays with another version.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalBundleThere {
    pub version: String,
    /// Keys of what was set.
    pub settings: Vec<String>,
    pub directories: Vec<String>,
    pub hosts: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalSetting {
    pub key: String,
    pub title: String,
    pub description: String,
    /// `string`, `number`, `boolean`, `directory` or `file`.
    pub kind: String,
    pub required: bool,
    pub sensitive: bool,
    pub multiple: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub default: Option<Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalAddedOne {
    pub server: ExternalRow,
    /// What stood in its entry and means nothing here.
    pub ignored: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExternalAdded {
    pub servers: Vec<ExternalAddedOne>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalRef {
    pub name: String,
}

/// Of the server, or of one of its tools.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalSwitch {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<String>,
    pub enabled: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalApprove {
    pub name: String,
    /// Names as the server has them, each with the definition that was looked at.
    pub tools: Vec<ExternalLooked>,
}

/// What a person saw and approves; it is refused when the server says something else by now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalLooked {
    pub tool: String,
    pub listed: ExternalDefinition,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ExternalGrant {
    pub name: String,
    #[serde(default)]
    pub directories: Vec<String>,
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Granted, or taken back.
    pub granted: bool,
}
