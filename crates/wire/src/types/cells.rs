//! Canvases of cells (ACP Canvas): documents that people, models and code share. A canvas is opened by
//! its id; every change makes a new version, which the event `arena.cell` tells
//! `{canvas, version}`. A step that runs is a run whose subject is `canvas:` and the id: what it
//! prints comes by `run.watch`, and `run.cancel` ends it.

use super::is_false;
use crate::table::Actor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The name of a cell: each originator counts its own cells from 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
pub struct CellRef {
    pub originator: String,
    #[ts(type = "number")]
    pub seq: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CanvasRef {
    /// Its id.
    pub canvas: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CanvasRow {
    pub id: String,
    pub title: String,
    /// The task in whose workspace its shells run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub task_id: Option<String>,
    /// The name under which the Arena writes its outputs.
    pub arena: String,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    pub changed_at: f64,
    /// How many events made it.
    pub version: u32,
    pub cells: u32,
    pub actor: Actor,
    /// Only of one in the trash: since when, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub removed_at: Option<f64>,
}

/// The last changed first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CanvasList {
    pub canvases: Vec<CanvasRow>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct CanvasQuery {
    /// Those in the trash instead.
    #[serde(skip_serializing_if = "is_false")]
    pub removed: bool,
}

/// How a canvas is written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CanvasFormat {
    /// `.acp.xml`: everything.
    #[default]
    Acp,
    /// Texts between cells as prose, cells as fenced blocks.
    Markdown,
    /// Jupyter's `.ipynb`, format 4.
    Ipynb,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct CanvasCreate {
    /// Taken from the text, or the day, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// A document to begin with, read leniently; nothing of it is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    pub format: CanvasFormat,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub task_id: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CanvasOpen {
    pub canvas: String,
    /// Entries to pass over.
    #[serde(default)]
    pub offset: u32,
    /// 500 when absent, at most 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A canvas as it is now.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CanvasView {
    pub canvas: CanvasRow,
    /// A window of what stands in it, in its order.
    pub entries: Vec<CanvasEntry>,
    /// How many entries there are.
    pub total: u32,
    /// A step runs.
    pub running: bool,
    /// No step begins.
    pub paused: bool,
    /// An edit runs what depends on it.
    pub automatic: bool,
    /// Questions that wait for an INPUT, oldest first.
    pub questions: Vec<CellQuestion>,
    /// Cells that another cognitor is to deal with, oldest first.
    pub delegations: Vec<CellDelegation>,
    /// Who is to create the next cell (`ThenCreateCell`).
    pub expected: Vec<ExpectedCell>,
    /// Cells of types of the document's own that do something.
    pub types: Vec<CellKind>,
    /// What would be said of the document as a text.
    pub diagnostics: Vec<CellDiagnostic>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CanvasEntry {
    Cell {
        cell: Box<CellView>,
    },
    /// Lines of the Arena about itself.
    Log {
        logs: Vec<CellLog>,
    },
    /// A comment, an element or a text that is none of these, as it was written.
    Other {
        text: String,
    },
}

/// What a cell does or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    /// It never ran, or is none that runs.
    Idle,
    Queued,
    Running,
    /// For an INPUT.
    Waiting,
    /// Another cognitor has it.
    Delegated,
    Done,
    Failed,
    Stopped,
    /// It, or something that it depends on, was edited since it ran.
    Stale,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CellView {
    pub originator: String,
    #[ts(type = "number")]
    pub seq: u64,
    /// `EXEC`, `OUTPUT`, `INPUT`, or a type of the document's own.
    pub r#type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub target_cognitor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub execution_context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub requester: Option<String>,
    pub depends_on: Vec<CellRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub value: Option<CellValue>,
    pub stdout: Vec<CellStdout>,
    pub logs: Vec<CellLog>,
    pub flags: Vec<String>,
    pub attributes: BTreeMap<String, String>,
    pub state: CellState,
    /// File names of its pictures, as `artifact.show` and the asset addresses have them.
    pub pictures: Vec<String>,
    /// Who deals with it when it runs, of a cell that does: `javascript`, `python`, `plain`, `shell`,
    /// `model`, `delegate`, or the name of its context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub route: Option<String>,
    /// While it runs: the run to watch and to cancel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellValue {
    pub text: String,
    /// `NORMAL`, `INPUT_HINT`, or another word.
    pub r#type: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellStdout {
    #[ts(type = "number")]
    pub seq: u64,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellLog {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub originator: Option<String>,
    /// `TRACE`, `DEBUG`, `INFO`, `WARN`, `ERROR`, or another word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub level: Option<String>,
    #[ts(type = "number")]
    pub seq: u64,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub r#type: Option<String>,
}

/// A question that waits for an INPUT.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellQuestion {
    /// The cell that runs.
    pub cell: CellRef,
    /// The OUTPUT that asks.
    pub question: CellRef,
    /// Whose answer it wants.
    pub from: String,
    pub hint: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellDelegation {
    pub cell: CellRef,
    pub to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ExpectedCell {
    pub originator: String,
    pub after: CellRef,
}

/// A type of cell of the document's own.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellKind {
    pub name: String,
    /// Cells of it run; otherwise they are kept.
    pub executes: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CellSeverity {
    Info,
    Warning,
    Error,
}

/// What is to be said of a text. Lines and columns count from 1; a column is a character.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellDiagnostic {
    pub code: String,
    pub severity: CellSeverity,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// A cell as somebody submits it; what is missing is inferred, and logged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct CellDraft {
    /// Of a person: `User`. Of others: the name of the caller; they can take no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub originator: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub target_cognitor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub execution_context: Option<String>,
    pub depends_on: Vec<CellRef>,
    pub text: String,
    pub flags: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellAppend {
    pub canvas: String,
    pub cell: CellDraft,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellRun {
    pub canvas: String,
    pub cell: CellRef,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellEdit {
    pub canvas: String,
    pub cell: CellRef,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellAnswer {
    pub canvas: String,
    /// The OUTPUT that asks, or the cell that runs; the oldest question when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<CellRef>,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellRefuse {
    pub canvas: String,
    /// One that was delegated.
    pub cell: CellRef,
    #[serde(default)]
    pub reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellInterrupt {
    pub canvas: String,
    /// Its run ends, also one that waits; all runs when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cell: Option<CellRef>,
}

/// Waits until nothing runs or is queued.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CanvasSettle {
    pub canvas: String,
    /// At most so long, in milliseconds: 20000 when absent, at most 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wait_ms: Option<u32>,
}

/// Only what is given is changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct CanvasChange {
    pub canvas: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// Empty: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub paused: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub automatic: Option<bool>,
    /// A type of cell that does from now on what this says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kind: Option<CellKind>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CanvasSource {
    pub canvas: String,
    /// The whole document; what ran is over.
    pub text: String,
    /// The version that it was made from: another one is a failure. Any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CanvasExport {
    pub canvas: String,
    #[serde(default)]
    pub format: CanvasFormat,
}

/// What came of a change.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellChanged {
    pub version: u32,
    /// The cell that it was about; of one that was appended its name, which may have been inferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cell: Option<CellRef>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StaleCells {
    pub cells: Vec<CellRef>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellText {
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CanvasConvert {
    pub text: String,
    #[serde(default)]
    pub from: CanvasFormat,
    pub to: CanvasFormat,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct CellChecked {
    pub diagnostics: Vec<CellDiagnostic>,
    /// The canonical form.
    pub formatted: String,
    pub canvases: u32,
    pub cells: u32,
}
