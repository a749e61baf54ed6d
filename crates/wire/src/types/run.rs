//! Scripts and the history of runs.

use crate::table::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ScriptParams {
    /// Body of an async function; a value that is not a string is `invalid_args`.
    #[serde(default)]
    #[ts(type = "string")]
    pub code: Value,
    // Absent is `undefined`, `null` is `null`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[ts(optional, type = "unknown")]
    pub input: Option<Value>,
}

/// What is there is something, even `null`.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// What the script's caller gets: the plain value, `{result, images}` with a canvas, or
/// `{error, message, …}` (CONTRACT, "run_javascript").
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptResult {
    pub run: String,
    pub success: bool,
    #[ts(type = "unknown")]
    pub value: Value,
    pub duration_ms: f64,
    /// What the script wrote to its console.
    pub log: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RunQuery {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<String>,
    #[serde(default)]
    pub page: super::Page,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: String,
    /// Tool name, or `run_javascript`.
    pub subject: String,
    /// Milliseconds since the epoch.
    pub started_at: f64,
    pub duration_ms: f64,
    pub success: bool,
    /// Code of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<String>,
    pub actor: Actor,
    /// Peak memory of the worker, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub memory: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunList {
    pub runs: Vec<RunRow>,
    pub total: u32,
}
