//! The prompt library (CONTRACT, "Prompts"): files on disk, read leniently and watched; groups,
//! variables, two searches, versions, import; models that improve a prompt. Beside it [`skills`],
//! folders for other programs.
//!
//! The files are the truth and people edit them by hand, keep them in git and share them. All
//! that is held in memory is derived from them and made again when they change.
//!
//! Calls here read and write files: callers on async threads move them off. Deliberately not here:
//! how a prompt reaches a client (`server::mcp`).

mod error;
mod fill;
mod front;
mod history;
mod import;
mod library;
mod model;
mod optimise;
mod path;
mod read;
mod scan;
mod search;
pub mod skills;
mod starters;
mod watch;
mod write;

pub use error::PromptError;
pub use fill::{Filled, fill, variables};
pub use history::Version;
pub use import::{Import, Imported, Proposal};
pub use library::{Expected, Library};
pub use model::{Argument, ArgumentKind, Content, Message, Prompt, Role};
pub use optimise::{Asked, Optimised, Step, Way, chat, optimise};
pub use path::PromptPath;
pub use scan::{Broken, Group, Shelf};
pub use search::Found;
pub use watch::{Watch, Watched};
