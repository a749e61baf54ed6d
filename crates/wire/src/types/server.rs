//! The owner itself, and what `pm doctor` says.

use super::WireError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    pub product: String,
    pub version: String,
    /// Orders builds: a client with a newer one asks the owner to hand over.
    pub build: String,
    pub pid: u32,
    pub home: String,
    /// `http://127.0.0.1:5621`; absent while the owner serves only its socket.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// `full`, `reduced` or `none`.
    pub isolation: String,
    /// `zh-CN` or `en`.
    pub language: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Link {
    pub url: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Doctor {
    /// `full`, `reduced` or `none`: what all that is started gets.
    pub tier: String,
    /// A better tier was promised and its walls did not hold: which, and what is used instead.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// What the system offers.
    pub checks: Vec<DoctorCheck>,
    /// Every tier that could be tried, the best first.
    pub tiers: Vec<DoctorTier>,
    /// What to do for a better tier, or for limits that are missing.
    pub advice: Vec<String>,
}

/// One tier, tried by a worker and by a command.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DoctorTier {
    /// `full` or `reduced`.
    pub tier: String,
    /// Tools, scripts and commands run in it; the others were only tried.
    pub in_use: bool,
    /// A process behind these walls could not do what the owner can.
    pub proved: bool,
    /// All of that in words.
    pub text: String,
    pub checks: Vec<DoctorCheck>,
    /// What this tier does not give to commands here, in words.
    pub weaker: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DoctorCheck {
    pub name: String,
    pub ok: bool,
    pub detail: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Token {
    pub token: String,
}

/// What a client that was set up right sees.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerCheck {
    pub ok: bool,
    /// `http://127.0.0.1:5621/mcp`; absent while there is none.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Names of the MCP tools that the endpoint listed.
    pub tools: Vec<String>,
    pub milliseconds: f64,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// `zh-CN` or `en`.
    pub language: String,
    /// A person has chosen it; otherwise it is what is spoken when nobody has.
    pub language_chosen: bool,
    pub host: String,
    /// The port that is tried first.
    pub port: u16,
    /// Loopback clients may use `/mcp` without the token.
    pub open_mcp_on_loopback: bool,
    /// MCP clients that can put questions about commands to their person, beside the window.
    pub ask_in_mcp_clients: bool,
    /// No run begins, whoever asks for it.
    pub paused: bool,
    /// Names of the favourite tools, in the order in which they were chosen.
    pub favourites: Vec<String>,
    /// Why the person's own rules about commands do not hold as they stand in the file, worded. The
    /// last good ones do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rules_error: Option<super::WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct HomeBackup {
    /// The file to be written, absolute, on the machine of the server. Nothing may be there.
    pub path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HomeBackedUp {
    pub path: String,
    pub files: f64,
    /// Of their contents, and of the file that was written.
    pub bytes: f64,
    pub packed: f64,
}

/// What the data home takes.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Sizes {
    pub sizes: Vec<SizeRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SizeRow {
    /// `toolbox`, `artifacts`, `records`, `trash`, `backups`, `logs` or `other`.
    pub kind: String,
    pub bytes: f64,
    pub files: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct SettingsChange {
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_mcp_on_loopback: Option<bool>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_in_mcp_clients: Option<bool>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favourite: Option<FavouriteChange>,
}

/// One tool becomes a favourite, or is none any more.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FavouriteChange {
    pub tool: String,
    pub on: bool,
}
