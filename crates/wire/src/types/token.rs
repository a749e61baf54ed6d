//! Tokens of MCP clients: what each may use, and when it was last here.

use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the bearer of a token may use. What is absent is not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct TokenScope {
    /// Names of MCP tools (`run_javascript`, `read_file`…), and of tools of the toolbox (`tool://NAME`);
    /// `toolm` is all of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tools: Option<Vec<String>>,
    /// Ids of tasks whose workspaces it may work in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub workspaces: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenRow {
    pub name: String,
    pub scope: TokenScope,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    /// Who made it.
    pub actor: Actor,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ClientSeen {
    /// A token's, or as it was named or calls itself.
    pub name: String,
    /// Milliseconds since the epoch.
    pub at: f64,
}

/// Tokens that hold, oldest first, and clients, those that were here last first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TokenList {
    pub tokens: Vec<TokenRow>,
    pub seen: Vec<ClientSeen>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TokenNew {
    /// Letters, digits, `.`, `_` and `-`, at most 64.
    pub name: String,
    #[serde(default)]
    pub scope: TokenScope,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TokenMade {
    pub name: String,
    /// Shown this once: only its hash is kept.
    pub token: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TokenRef {
    pub name: String,
}
