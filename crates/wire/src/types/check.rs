//! Checks of tools.

use super::WireError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckLevel {
    /// What the tool says of itself and what lies in its folder.
    Basic,
    /// And what it does, in trial runs.
    #[default]
    Full,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolValidate {
    pub tool: String,
    #[serde(default)]
    #[ts(as = "Option<CheckLevel>", optional)]
    pub level: CheckLevel,
}

/// The layers of seed 002 section 12.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckLayer {
    Files,
    Interface,
    Metadata,
    Schema,
    Methods,
    Parameters,
    Results,
    Errors,
    Dependencies,
    Environment,
    Integration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckSeverity {
    Error,
    Warning,
    /// Nothing is wrong.
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Passed,
    Warned,
    Failed,
    /// None of its checks could be made, or they belong to another level.
    Unchecked,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolValidated {
    pub tool: String,
    pub level: CheckLevel,
    /// All eleven, in their order.
    pub layers: Vec<CheckedLayer>,
    /// In the order of layers.
    pub findings: Vec<CheckFinding>,
    pub errors: u32,
    pub warnings: u32,
    pub took_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckedLayer {
    pub layer: CheckLayer,
    pub state: CheckState,
    /// How many checks it has at this level.
    pub checks: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CheckFinding {
    pub layer: CheckLayer,
    pub severity: CheckSeverity,
    /// What it is, and as the hint how to mend it.
    pub about: WireError,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub place: Option<CheckPlace>,
}

/// In a file of the tool's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckPlace {
    pub file: String,
    /// From 1, as the column.
    pub line: u32,
    pub column: u32,
}
