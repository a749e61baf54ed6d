//! Commands in workspaces: running them, those that run or ran, what the policy says of one, and the
//! walls around them. A command is a run whose subject is `task:` and the id of the task: what it
//! writes comes by `run.watch`, and `run.cancel` ends it.

use super::{NetworkMode, is_false};
use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRun {
    pub task_id: String,
    /// Text for `sh -c`; the workspace is its folder.
    pub command: String,
    /// 60000 when absent, at most 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub timeout_ms: Option<u64>,
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRan {
    pub stdout: String,
    pub stderr: String,
    /// 128 + n when signal n ended it. Whatever it is, the command ran.
    pub exit_code: i32,
    /// Something was left out in the middle of a stream.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceCommands {
    pub task_id: String,
    /// Only older ones than this run, the last of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<String>,
    /// 50 when absent; at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// Newest first. The first page begins with those that run now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CommandList {
    pub commands: Vec<CommandRow>,
    /// There are older ones.
    pub more: bool,
}

/// How much stands between a command and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    None,
    Reduced,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CommandState {
    /// A person is asked whether it may run.
    Asking,
    Running,
    /// It ran to its end, whatever its exit code.
    Exited,
    /// It was killed: its time was up, or somebody called it off. `error` says which.
    Ended,
    /// It never ran. `error` says why.
    Refused,
}

/// A command that runs or ran.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CommandRow {
    pub run: String,
    /// At most 2000 characters; secrets masked.
    pub command: String,
    pub state: CommandState,
    /// Milliseconds since the epoch.
    pub started_at: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub duration_ms: Option<f64>,
    /// 128 + n when signal n ended it; absent when it did not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit_code: Option<i32>,
    /// Absent while it has not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tier: Option<Tier>,
    /// Bytes of each stream that its caller did not get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cut: Option<CutBytes>,
    /// Why it did not run to its end, worded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<super::WireError>,
    /// The rule of the policy that blocked it or asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule: Option<String>,
    pub actor: Actor,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CutBytes {
    #[ts(type = "number")]
    pub stdout: u64,
    #[ts(type = "number")]
    pub stderr: u64,
}

/// A command that has ended, with what is kept of its output: of much, the beginning and the end.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CommandDetail {
    #[serde(flatten)]
    pub row: CommandRow,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PolicyCheck {
    pub command: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PolicyDecision {
    Block,
    Ask,
    Allow,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PolicyVerdict {
    pub decision: PolicyDecision,
    pub blocked: bool,
    /// In words; empty when it is allowed.
    pub reason: String,
}

/// The walls around the commands and terminals of a task: what its badge shows.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceIsolation {
    /// What this machine gives. With `none` commands are refused, unless `unsandboxed`.
    pub tier: Tier,
    /// What the tier lacks, worded.
    pub weaker: Vec<Weakness>,
    pub network: NetworkMode,
    /// The granted ones, with `hosts`.
    pub hosts: Vec<String>,
    /// A person allowed this task to run commands without any wall where the machine has none.
    pub unsandboxed: bool,
    /// Commands can run: there is a wall, or a person went without.
    pub available: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Weakness {
    pub code: String,
    pub text: String,
}
