//! Interactive terminals of a person in a task's workspace, behind the same walls as commands.

use super::{NetworkMode, Tier};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TerminalOpen {
    pub task_id: String,
    /// 1 to 1000, as `rows`.
    pub cols: u16,
    pub rows: u16,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TerminalRow {
    pub id: String,
    pub task_id: String,
    pub cols: u16,
    pub rows: u16,
    pub tier: Tier,
    /// What it was opened with; it ends when that is more than a person grants now.
    pub network: NetworkMode,
    /// Milliseconds since the epoch.
    pub opened_at: f64,
    /// Of its shell, once that has ended: nothing can be typed any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit_code: Option<i32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TerminalQuery {
    /// Those of all tasks when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub task_id: Option<String>,
}

/// Oldest first. One whose shell has ended stays until it is closed, for some minutes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TerminalList {
    pub terminals: Vec<TerminalRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TerminalRef {
    pub id: String,
}

/// Calls for one terminal are made one after the other: their order is the order of the keys.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TerminalInput {
    pub id: String,
    /// What is typed, control characters included; at most 64 KiB.
    pub data: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TerminalResize {
    pub id: String,
    pub cols: u16,
    pub rows: u16,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TerminalWatch {
    pub id: String,
    /// `next` of the last answer; 0 at first. The call waits up to 20 s while nothing comes after it.
    #[serde(default)]
    #[ts(type = "number")]
    pub from: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TerminalNews {
    /// Bytes for the screen as base64; characters may be cut at its ends.
    pub data: String,
    /// Bytes that nobody kept, between the last answer and these.
    #[ts(type = "number")]
    pub cut: u64,
    /// Number of the byte after these.
    #[ts(type = "number")]
    pub next: u64,
    /// The shell has ended, and everything it wrote up to `next` is all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit_code: Option<i32>,
}
