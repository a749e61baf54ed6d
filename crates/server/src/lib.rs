//! Every use case once; MCP, HTTP, events, authentication
