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
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
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
    /// Only runs that failed.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub failed: bool,
    #[serde(default)]
    pub page: super::Page,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: String,
    /// Tool name, `run_javascript`, or `task:` and the id of a task for a command.
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
    /// What it was given, in one line, secrets masked: parameters, a command, the first words of a
    /// script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub about: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunList {
    pub runs: Vec<RunRow>,
    pub total: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunRef {
    pub run: String,
}

/// A finished run. Parameters and result are absent when they were not kept: of older versions,
/// or over the limit.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunDetail {
    #[serde(flatten)]
    pub row: RunRow,
    /// What a tool was given, secrets masked; of a script `{code, input}`, of a command `{command}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub result: Option<Value>,
    /// The result was over the limit and is not kept, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub result_size: Option<f64>,
    /// Markdown help for a failure, as models get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub help: Option<String>,
    /// The failure, worded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<super::WireError>,
    /// Last lines of its log, oldest first.
    pub lines: Vec<RunLine>,
}

/// Which of a command's two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    Stdout,
    Stderr,
}

/// A line that a run wrote; of a command a piece of its output as it came, which may be less or
/// more than a line.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunLine {
    /// Milliseconds since the epoch.
    pub at: f64,
    pub level: super::LogLevel,
    /// Of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stream: Option<OutputStream>,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ActiveRun {
    pub id: String,
    pub subject: String,
    pub started_at: f64,
    pub actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<RunProgress>,
}

/// What `api.progress(done, total, text)` said last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct RunProgress {
    pub done: f64,
    /// 0 when the tool does not know it.
    pub total: f64,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ActiveRuns {
    pub runs: Vec<ActiveRun>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunWatch {
    pub run: String,
    /// `next` of the last answer; 0 at first.
    #[serde(default)]
    pub from: u32,
    /// `version` of the last answer; the call waits up to 20 s while nothing differs.
    #[serde(default)]
    pub version: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunNews {
    /// `waiting` before the run is known, `running`, `ended`.
    pub state: RunState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<RunProgress>,
    /// Lines from `from` on; the oldest leave when there are too many.
    pub lines: Vec<RunLine>,
    /// Number of the line after the last of `lines`.
    pub next: u32,
    pub version: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Waiting,
    Running,
    Ended,
}
