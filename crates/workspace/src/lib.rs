//! Task folders (seed 004, first half): bindings, files by capability handle, history, commands
//! and their parsed policy. The room stands empty until the sandbox runs commands.
//!
//! Deliberately not here, when it is furnished: who asks (agents, MCP clients, the window) and how
//! a process is walled in (`sandbox`).
