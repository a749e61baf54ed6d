//! MCP clients of this machine and their files of configuration.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What stands in a client's file under our name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClientState {
    /// Nothing, or there is no file.
    Absent,
    /// What we would write.
    Written,
    /// Another entry: of a person, or of a program that lay elsewhere.
    Different,
    /// The file cannot be read.
    Unreadable,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ClientConfig {
    /// `claude-desktop`, `claude-code`, `cursor`, `vs-code`, `windsurf`, `zed`, `gemini` or `codex`.
    pub client: String,
    /// The file in which it keeps its servers.
    pub file: String,
    /// A whole file that holds our entry alone.
    pub text: String,
    pub state: ClientState,
    /// Why the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// Its folder is there: the client was probably started once.
    pub installed: bool,
    pub can_undo: bool,
    /// When it was last here, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub seen: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ClientConfigs {
    pub clients: Vec<ClientConfig>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ClientRef {
    pub client: String,
}
