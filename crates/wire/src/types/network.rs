//! Whom the commands and terminals of a task can reach, and whom a tool can.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NetworkMode {
    /// Nobody; only the loopback of its own.
    Off,
    /// The granted hosts, through a proxy that judges. Needs the full tier.
    Hosts,
    /// All that this machine can reach.
    Full,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceNetworkChange {
    pub task_id: String,
    /// Nothing is changed when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<NetworkMode>,
    /// With `hosts`: all of them, each `host`, `*.host` or `*`, with `:port` or for every port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub hosts: Vec<String>,
}

/// Hosts as above; `localhost:PORT` is a port of this machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolNetworkChange {
    pub tool: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub grant: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub revoke: Vec<String>,
}

/// Hosts in their normal form, `localhost:PORT` for a port of this machine.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolNetwork {
    /// What it asks for in `getRuntimeConfig()`.
    pub requested: Vec<String>,
    /// What a person granted.
    pub granted: Vec<String>,
    /// What a run reaches now: what is in both, or all that one that came with the program asks for.
    pub effective: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolProcessesChange {
    pub tool: String,
    pub allow: bool,
}

/// Whether a tool may have programs started.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolProcesses {
    /// It says so in `getRuntimeConfig()`.
    pub requested: bool,
    pub granted: bool,
    /// A run may now.
    pub effective: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceNetwork {
    pub mode: NetworkMode,
    /// With `hosts`, in the form in which they are kept.
    pub hosts: Vec<String>,
}
