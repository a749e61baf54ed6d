//! Task folders (seed 004, first half): bindings, files by capability handle, history, commands
//! and their parsed policy.
//!
//! Deliberately not here: who asks (agents, MCP clients, the window) and how a process is walled in
//! (`sandbox`).

pub mod policy;
