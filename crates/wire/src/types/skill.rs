//! Agent Skills. A skill is named by its folder below `skills/`.

use super::WireError;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How a skill stands at a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillStanding {
    /// The next sync puts it there.
    Waiting,
    Linked,
    Copied,
    /// The copy was changed there.
    Theirs,
    /// Both were changed.
    Both,
    /// Something that is not ours lies there.
    Occupied,
    /// A person left the conflict as it is.
    Left,
    Failed,
}

/// How skills get into a client's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillWay {
    Off,
    /// A link; a copy where none can be made.
    Link,
    Copy,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillPlace {
    pub client: String,
    pub path: String,
    pub standing: SkillStanding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillProblem {
    /// In `SKILL.md`, counted from one; zero when it is about no line.
    pub line: u32,
    pub problem: WireError,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillRow {
    pub skill: String,
    pub description: String,
    /// Given to the clients that are on.
    pub enabled: bool,
    pub files: u32,
    pub bytes: f64,
    /// Of its text, milliseconds since the epoch.
    pub modified: f64,
    pub problems: u32,
    /// Clients at which somebody has to decide, or where it could not be put.
    pub conflicts: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillQuery {
    /// Every word stands in name or description; empty is all.
    #[serde(default)]
    pub words: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillList {
    pub skills: Vec<SkillRow>,
    /// Before the words are looked for.
    pub all: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillRef {
    pub skill: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillFile {
    /// Below the skill's folder.
    pub path: String,
    pub bytes: f64,
    pub executable: bool,
}

/// A field of the front matter besides name and description.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillField {
    pub field: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillDetail {
    pub row: SkillRow,
    /// Its folder, as shown to people.
    pub folder: String,
    /// `SKILL.md` as it is.
    pub text: String,
    /// Of the text, to be given back with a change.
    pub version: String,
    pub fields: Vec<SkillField>,
    pub problems: Vec<SkillProblem>,
    pub files: Vec<SkillFile>,
    pub places: Vec<SkillPlace>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillFileRef {
    pub skill: String,
    pub path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillCreate {
    pub skill: String,
    pub description: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillSave {
    pub skill: String,
    pub text: String,
    /// The version that was changed; without it whatever is there is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub expected: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillImport {
    /// A folder of this machine with a `SKILL.md`, or with such folders.
    pub source: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportedSkill {
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub skill: Option<String>,
    /// The same was there already.
    pub same: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillImports {
    pub skills: Vec<ImportedSkill>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillSwitch {
    pub skill: String,
    pub enabled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillVersionKind {
    /// Of `SKILL.md`.
    Text,
    /// The whole folder.
    Folder,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillVersion {
    pub skill: String,
    pub version: String,
    pub kind: SkillVersionKind,
    /// Of a folder: `removed`, `replaced`, or the client in whose folder it lay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub was: Option<String>,
    /// When it was replaced or removed, milliseconds since the epoch.
    pub replaced: f64,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillVersions {
    pub versions: Vec<SkillVersion>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillVersionRef {
    pub skill: String,
    pub version: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillClient {
    pub client: String,
    pub folder: String,
    pub way: SkillWay,
    /// Its folder, or the one above it, is there.
    pub installed: bool,
    pub skills: u32,
    pub conflicts: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillClients {
    pub clients: Vec<SkillClient>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillClientChange {
    pub client: String,
    pub way: SkillWay,
}

/// One skill at one client.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillPlaceRef {
    pub skill: String,
    pub client: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillSide {
    Ours,
    Theirs,
    Both,
}

/// A file that is there on one side only, or not the same on both.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillDifference {
    pub path: String,
    pub side: SkillSide,
    /// From ours to theirs, unified; absent when it is no text or too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub diff: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillDifferences {
    pub files: Vec<SkillDifference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillTake {
    Ours,
    Theirs,
    Leave,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillResolve {
    pub skill: String,
    pub client: String,
    pub take: SkillTake,
}

/// A skill at a client, after a sync.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SyncedSkill {
    pub skill: String,
    pub place: SkillPlace,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SkillsSynced {
    pub places: Vec<SyncedSkill>,
}
