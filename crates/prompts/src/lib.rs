//! The prompt library (CONTRACT, "Prompts"): files on disk, search, versions, skills. The room
//! stands empty; MCP prompts come with it.
//!
//! Deliberately not here, when it is furnished: how a prompt reaches a client (`server::mcp`).
