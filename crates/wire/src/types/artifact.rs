//! Artifacts: pictures and other results that are kept.

use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ArtifactRef {
    /// A UUID; `{uuid}.png` and `artifact:{uuid}` are understood.
    pub id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactRow {
    pub id: String,
    pub file: String,
    pub title: String,
    /// `image/png` or `application/json`.
    pub kind: String,
    /// Bytes.
    pub size: f64,
    pub width: u32,
    pub height: u32,
    pub source: String,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    pub actor: Actor,
    /// Signed, for this artifact alone; expires.
    pub url: String,
    /// The same of a PNG of at most 320 x 240 pixels, made once.
    pub thumb: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ArtifactList {
    pub artifacts: Vec<ArtifactRow>,
    pub total: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ArtifactDetail {
    #[serde(flatten)]
    pub row: ArtifactRow,
    /// The script that drew it.
    pub code: String,
}
