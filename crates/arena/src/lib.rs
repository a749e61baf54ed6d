//! ACP Canvas (seed 001): a document of cells that people, models and code share. The lenient reader
//! understands what was meant, the canonical writer spells it, `check` judges the graph of cells.
//!
//! [`engine`] is the Arena: what happens when cells are put into a canvas.
//!
//! All of it is pure: text in, text and values out. Deliberately not here: the HTML canvas (`canvas`),
//! running code, asking models and waiting for people, which are the engine's callers' business.

mod check;
pub mod convert;
mod diagnostic;
pub mod engine;
mod model;
mod read;
mod scan;
mod text;
mod write;

pub use check::check;
pub use diagnostic::{Code, Diagnostic, Severity};
pub use model::*;
pub use read::{ARENA, Growing, Inference, Inferred, Reading, read};
pub use write::{write, write_canvas, write_entry};

/// The canonical form of a text, with what was inferred recorded in it.
pub fn fmt(text: &str, arena: &str, lang: base::Lang) -> String {
    write(&read(text, arena).settled(arena, lang))
}
