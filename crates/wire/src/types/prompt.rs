//! The prompt library. A prompt is named by its path below `prompts/`, `/` between the parts.

use crate::WireError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum PromptRole {
    User,
    Assistant,
    System,
}

/// Named as in JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum PromptArgumentType {
    #[default]
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PromptMessage {
    pub role: PromptRole,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PromptArgument {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default, rename = "type")]
    pub kind: PromptArgumentType,
    #[serde(default)]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub default: Option<Value>,
}

/// What a person writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PromptContent {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
    pub messages: Vec<PromptMessage>,
    /// Its own switch.
    pub enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PromptRow {
    pub path: String,
    /// Eight hex digits.
    pub id: String,
    pub name: String,
    pub description: String,
    /// Its own switch.
    pub enabled: bool,
    /// It and every group it is in are on: clients are offered it.
    pub usable: bool,
    pub arguments: u32,
    /// Milliseconds since the epoch.
    pub modified: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptGroup {
    /// Path of the folder.
    pub path: String,
    pub enabled: bool,
    pub usable: bool,
}

/// A file of the library that is no prompt.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BrokenPrompt {
    pub path: String,
    pub problem: WireError,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptList {
    /// Best first where something was looked for, else by path.
    pub prompts: Vec<PromptRow>,
    /// Found, of which `prompts` may be a part.
    pub total: u32,
    /// In the library, whether they fit or not.
    pub all: u32,
    pub groups: Vec<PromptGroup>,
    pub broken: Vec<BrokenPrompt>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptSearch {
    /// By name and description, scored (CONTRACT, "Prompts").
    #[default]
    Names,
    /// By every word of the messages, too.
    FullText,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PromptQuery {
    /// Empty: all.
    pub words: String,
    pub search: PromptSearch,
    /// Path of a group: what is in it and in the groups below. Empty: everywhere.
    pub group: String,
    pub page: super::Page,
}

/// Path, id or name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptRef {
    pub prompt: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptDetail {
    pub row: PromptRow,
    pub content: PromptContent,
    /// The file as it is.
    pub text: String,
    /// Of the text; what `expected` means.
    pub version: String,
    /// Names of the variables in the messages, in their order.
    pub variables: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptFill {
    pub prompt: String,
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub values: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptFilled {
    pub messages: Vec<PromptMessage>,
    /// Required and not given: still in braces.
    pub missing: Vec<String>,
    /// In the text and neither declared nor given: still in braces.
    pub undeclared: Vec<String>,
    /// Given and not in the text.
    pub unused: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptCreate {
    /// Folder; empty is the top.
    #[serde(default)]
    pub group: String,
    pub content: PromptContent,
}

/// Content or text, one of them.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptSave {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content: Option<PromptContent>,
    /// The whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// The version that was edited; absent: whatever is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub expected: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptMove {
    pub path: String,
    pub to: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptSwitch {
    /// Folder; empty is the whole library.
    pub group: String,
    pub enabled: bool,
}

/// A path, whether a prompt lies there now or not.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptPath {
    pub path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptVersionRef {
    pub path: String,
    pub version: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptVersion {
    pub path: String,
    pub version: String,
    /// When it was replaced or removed, milliseconds since the epoch.
    pub replaced: f64,
    pub bytes: u32,
}

/// Newest first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptVersions {
    pub versions: Vec<PromptVersion>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptImport {
    /// A file or folder of this machine.
    pub source: String,
    /// Folder of the library; empty is the top.
    #[serde(default)]
    pub group: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptProposal {
    New,
    /// The library has its messages already: left out.
    Same,
    /// Another prompt lies there: taken in under another name.
    Taken,
    Broken,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportedPrompt {
    pub file: String,
    pub proposal: PromptProposal,
    /// Where it would lie or lies; of `same`, the one that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptImports {
    pub files: Vec<ImportedPrompt>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptTry {
    pub prompt: String,
    #[serde(default)]
    #[ts(type = "Record<string, unknown>")]
    pub values: Map<String, Value>,
    /// Name of a service; absent: the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub service: Option<String>,
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptTried {
    pub run: String,
    pub text: String,
    #[serde(rename = "use")]
    pub used: super::ModelUse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OptimiseWay {
    /// Once over it.
    Quick,
    /// A review first, then a rewriting after it.
    Deep,
    /// What the person wishes and nothing else.
    Wish,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptOptimise {
    /// As it is now, saved or not.
    pub content: PromptContent,
    pub way: OptimiseWay,
    /// Of `wish`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wish: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub service: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

/// A proposal; nothing is written.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct PromptOptimised {
    pub run: String,
    /// In the place of those of the prompt: as many, in the same roles.
    pub messages: Vec<PromptMessage>,
    /// A unified diff.
    pub diff: String,
    /// Of `deep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub review: Option<String>,
    /// Variables that are missing in the proposal.
    pub lost: Vec<String>,
    /// Variables that the prompt had not.
    pub added: Vec<String>,
    #[serde(rename = "use")]
    pub used: super::ModelUse,
}
