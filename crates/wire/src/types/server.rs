//! The owner itself, and what `pm doctor` says.

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
    /// `full`, `reduced` or `none`.
    pub tier: String,
    pub checks: Vec<DoctorCheck>,
    /// What to do for a better tier; empty at `full`.
    pub advice: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DoctorCheck {
    pub name: String,
    pub ok: bool,
    pub detail: String,
}
