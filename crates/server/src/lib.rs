//! Every use case once, and the doors through which it is asked for: the owner's socket, HTTP,
//! MCP. The words of failures are chosen here.
//!
//! Read [`owner`] for who owns the data home, [`App`] for what is open while somebody does,
//! `calls/` for what can be asked, `http/` and `mcp/` for the doors.
//!
//! Deliberately not here: how anything is done. A call finds the room that does it.

mod app;
pub mod approvals;
mod assistant;
mod auth;
pub mod backup;
mod browser;
mod calls;
mod cells;
mod check;
mod connect;
mod diagnostics;
mod external;
mod http;
mod library;
mod limits;
mod live;
mod mcp;
mod models;
pub mod owner;
mod programs;
mod records;
mod rules;
mod secrets;
mod sizes;
mod skills;
mod society;
mod thumbs;
mod tokens;
mod words;
mod work;

pub use app::{App, OpenError};
pub use auth::AuthError;
pub use owner::{Address, OwnerError, ServeOptions};
pub use programs::{Print, Programs};
pub use society::{Answered, ModelWorker, WorkerOptions};
pub use words::{Catalog, flat, worded};
