//! Questions that wait for a person.

use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    Waiting,
    AllowedOnce,
    AllowedForTask,
    Denied,
    /// Nobody answered in time, or whoever asked has gone.
    Expired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    Command,
    Directory,
    Network,
    Tool,
    /// Commands without any wall, where the machine has none. Never asked for: a person grants it.
    Unsandboxed,
    /// The network of this machine as it is. Never asked for: a person grants it.
    FullNetwork,
    /// Install scripts of a package. Never asked for: a person grants it.
    Script,
    /// Programs that a tool starts. Never asked for: a person grants it.
    Processes,
    /// A site that the assistant may look at and work on: its origin.
    Site,
    /// A step of the assistant, in words.
    Step,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct ApprovalQuery {
    /// All states when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state: Option<ApprovalState>,
    #[serde(default)]
    pub page: super::Page,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRow {
    pub id: String,
    /// A tool's name, or `task:` and the id of a task.
    pub subject: String,
    pub kind: ApprovalKind,
    /// The command, the path, the host, the tool.
    pub value: String,
    /// What a person wants to know before answering; its form depends on who asks.
    #[ts(type = "unknown")]
    pub detail: serde_json::Value,
    /// Who asks.
    pub actor: Actor,
    pub state: ApprovalState,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub resolved_at: Option<f64>,
    /// Who answered; absent when nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub resolver: Option<Actor>,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ApprovalList {
    pub approvals: Vec<ApprovalRow>,
    pub total: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalAnswer {
    AllowOnce,
    /// The very same is not asked again for this subject.
    AllowForTask,
    Deny,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ApprovalResolve {
    pub id: String,
    pub answer: ApprovalAnswer,
}
