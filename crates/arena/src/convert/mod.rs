//! Canvases as the files that others write notebooks in, and back: Markdown with fenced blocks, and
//! Jupyter's notebooks. What those cannot say (logs, the Arena's own lines, flags) is left out; names,
//! dependencies, contexts and texts come back as they went.
//!
//! Text between cells is a cell of the type `MARKDOWN`, with which nothing happens.
//!
//! Deliberately not here: bytes of pictures. Whoever has them gives and takes them by name.

mod ipynb;
mod markdown;

use std::collections::BTreeSet;

use crate::model::{ARTIFACTS, Canvas, Cell, CellId, CellType, Entry, USER, Value};

pub use ipynb::{from_ipynb, to_ipynb};
pub use markdown::{from_markdown, to_markdown};

/// The type of a cell that is text for people.
pub const MARKDOWN: &str = "MARKDOWN";

/// Why a text is none of this kind.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("no JSON of a notebook")]
    Json(#[from] serde_json::Error),
    #[error("notebooks of format {0} are not read")]
    Format(u64),
    #[error("no cells")]
    NoCells,
}

impl base::Coded for ConvertError {
    fn code(&self) -> &'static str {
        match self {
            ConvertError::Json(_) | ConvertError::NoCells => "cells_not_a_notebook",
            ConvertError::Format(_) => "cells_notebook_format",
        }
    }

    fn args(&self) -> base::Args {
        match self {
            ConvertError::Json(error) => base::args! { reason: error.to_string() },
            ConvertError::NoCells => base::args! { reason: "cells" },
            ConvertError::Format(found) => base::args! { found: found },
        }
    }
}

/// What was read: cells in their order, and pictures by the cell that brought them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub canvas: Canvas,
    /// PNG as base64.
    pub pictures: Vec<(CellId, String)>,
}

/// Names of the pictures that a cell brought: `artifact:ID`.
pub fn pictures_of(cell: &Cell) -> impl Iterator<Item = &str> {
    let listed = cell.attributes.iter().filter(|(name, _)| name == ARTIFACTS);
    listed.flat_map(|(_, list)| list.split_whitespace())
}

fn text_cell(text: &str) -> Cell {
    let mut cell = Cell::new(USER, 0, CellType::Custom(MARKDOWN.to_owned()));
    cell.value = Some(Value::plain(text));
    cell
}

/// A cell that came, and whether its name came with it.
struct Came {
    cell: Cell,
    named: bool,
}

/// Names for those that came without: the next one of their originator that nobody has.
fn canvas_of(came: Vec<Came>) -> Canvas {
    let mut taken: BTreeSet<CellId> = BTreeSet::new();
    for one in came.iter().filter(|one| one.named) {
        taken.insert(one.cell.id());
    }
    let mut last: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    let mut canvas = Canvas::default();
    for Came { mut cell, named } in came {
        if !named {
            let mut seq = last
                .get(&cell.originator)
                .map_or(0, |last| last.saturating_add(1));
            while taken.contains(&CellId::new(cell.originator.clone(), seq)) {
                seq = seq.saturating_add(1);
            }
            cell.seq = seq;
            taken.insert(cell.id());
        }
        let newest = last.entry(cell.originator.clone()).or_insert(cell.seq);
        *newest = (*newest).max(cell.seq);
        canvas.entries.push(Entry::Cell(Box::new(cell)));
    }
    canvas
}

/// The context of a language that a fence or a kernel names, if cells of it can run.
fn context_of(language: &str) -> Option<&'static str> {
    match language.to_ascii_lowercase().as_str() {
        "js" | "javascript" | "mjs" | "node" => Some("javascript"),
        "py" | "python" | "python3" | "ipython" | "ipython3" => Some("python"),
        "sh" | "shell" | "console" => Some("local_shell"),
        "bash" => Some("local_bash_shell"),
        "zsh" => Some("local_zsh_shell"),
        "fish" => Some("local_fish_shell"),
        "chat" | "prompt" => Some("chat"),
        _ => None,
    }
}

/// The language of a cell, as fences and kernels call it.
fn language_of(cell: &Cell) -> &'static str {
    match cell.execution_context.as_deref() {
        Some("javascript" | "js" | "node") => "javascript",
        Some(word) if word.starts_with("python") => "python",
        Some("local_bash_shell") => "bash",
        Some("local_zsh_shell") => "zsh",
        Some("local_fish_shell") => "fish",
        Some(word) if word.starts_with("local_") && word.ends_with("shell") => "sh",
        Some("chat" | "model" | "llm") => "chat",
        Some(_) => "text",
        None => match crate::engine::route(cell, None, crate::read::ARENA) {
            crate::engine::Route::Code(crate::engine::Language::Python) => "python",
            crate::engine::Route::Code(_) => "javascript",
            _ => "text",
        },
    }
}

fn references(cells: &[CellId]) -> String {
    let word = |cell: &CellId| {
        let name = cell.to_string().replace('%', "%25");
        name.split(char::is_whitespace).collect::<Vec<_>>().join("%20")
    };
    cells.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn listed(list: &str) -> Vec<CellId> {
    let words = list.split_whitespace();
    words
        .filter_map(|word| reference(&word.replace("%20", " ").replace("%25", "%")))
        .collect()
}

fn reference(word: &str) -> Option<CellId> {
    let (originator, seq) = word.rsplit_once(':')?;
    Some(CellId::new(originator, seq.parse().ok()?))
}
