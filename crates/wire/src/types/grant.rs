//! Rights that a person gave, all of them in one list.

use super::ApprovalKind;
use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a grant holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    Task,
    /// A tool as long as its code does not change.
    Code,
    /// A tool, whatever its code.
    Tool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GrantRow {
    /// A tool's name, or `task:` and the id of a task.
    pub subject: String,
    pub kind: ApprovalKind,
    /// The command, the path, the host, the tool; empty for `unsandboxed`.
    pub value: String,
    pub scope: GrantScope,
    /// Who gave it.
    pub actor: Actor,
    /// Milliseconds since the epoch.
    pub at: f64,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GrantList {
    pub grants: Vec<GrantRow>,
    pub total: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct GrantQuery {
    /// Only those of this tool or task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    #[serde(default)]
    pub page: super::Page,
}

/// One grant, as its row names it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct GrantRef {
    pub subject: String,
    pub kind: ApprovalKind,
    #[serde(default)]
    pub value: String,
}
