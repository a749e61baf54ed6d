//! Built-in tools, what a person changed in them, and tools of the old layout.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolStanding {
    /// It never came with a program.
    Own,
    /// It comes with this program.
    BuiltIn,
    /// A newer program put it there, and this one leaves it.
    Newer,
    /// It came with a program, and does not come with this one any more.
    Retired,
}

/// Which file of an edited one runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolEditRuns {
    BuiltIn,
    Yours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolEditState {
    Undecided,
    /// Decided, and the built-in file is still what it was then.
    Decided,
    /// At the next start the built-in file is there again, and the edit beside it.
    UntilStart,
}

/// A file of a built-in tool that a person changed.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolEdit {
    pub path: String,
    pub runs: ToolEditRuns,
    pub state: ToolEditState,
    /// Where the edit lies, in the tool's folder.
    pub file: String,
    /// From what was built in before to the edit, as a unified difference; absent where that is not known any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub yours: Option<String>,
    /// From what was built in before to what is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub now: Option<String>,
    /// From what is built in now to the edit; absent where one is no text or too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub difference: Option<String>,
    /// Places that both changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conflicts: Option<u32>,
    /// The file in which both are brought together, in the tool's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub merged: Option<String>,
    /// Nothing is left to decide in it.
    pub merged_whole: bool,
}

/// How a tool stands to what comes with the program.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolShipped {
    pub tool: String,
    pub standing: ToolStanding,
    /// Version of the program that put it there, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub program: Option<String>,
    /// The checkout that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub checkout: Option<String>,
    pub edits: Vec<ToolEdit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolTake {
    /// The edit runs.
    Mine,
    /// The built-in file runs; the edit stays beside under another name.
    New,
    /// Both are brought together in a file beside; nothing else changes.
    Merge,
    /// What was brought together runs.
    Merged,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolSettle {
    pub tool: String,
    pub path: String,
    pub take: ToolTake,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OldToolState {
    Moving,
    Moved,
    /// There is a tool of this name; it was left where it is.
    Taken,
    NoTool,
    Failed,
    Undoing,
    Undone,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OldTool {
    pub tool: String,
    pub state: OldToolState,
    /// Milliseconds since the epoch.
    pub at: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
}

/// What became of the tools of the old layout.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolMigration {
    pub tools: Vec<OldTool>,
    /// Where their folders are kept.
    pub backup: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolMigrate {
    /// Folders go back to where they lay, what became of the tools into the trash.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub undo: bool,
}
