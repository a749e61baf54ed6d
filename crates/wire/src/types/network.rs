//! Whom the commands and terminals of a task can reach.

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

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct WorkspaceNetwork {
    pub mode: NetworkMode,
    /// With `hosts`, in the form in which they are kept.
    pub hosts: Vec<String>,
}
