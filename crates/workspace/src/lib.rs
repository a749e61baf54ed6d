//! Task folders (seed 004, first half): which folder is a task's, its files by capability handle,
//! what agents changed in them and how it comes back.
//!
//! - `bindings`: a task and its folder, kept over restarts.
//! - `files`: paths, the handle that everything in a workspace is reached by, and what is done
//!   through it. Knows no tasks and keeps no records.
//! - `history`, `trash`: versions of what agents changed, and what they deleted.
//! - `command`: a command run in a workspace, from its judgement to its record.
//! - `network`: whom commands of a task can reach, by a person's grants.
//! - `policy`: what a command would do, read from its text, and what the rules say of that.
//!
//! Deliberately not here: who asks (agents, MCP clients, the window) and how a process is walled in
//! (`sandbox`).

mod bindings;
pub mod command;
mod error;
pub mod files;
mod held;
mod history;
mod limits;
pub mod network;
pub mod policy;
mod task;
mod trash;
mod workspace;

pub use bindings::Workspaces;
pub use error::WorkspaceError;
pub use history::{FileDiff, Version};
pub use limits::Limits;
pub use task::TaskId;
pub use workspace::{EditRequest, MoveTo, Workspace};
