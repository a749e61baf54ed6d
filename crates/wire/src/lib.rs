//! The one declaration of what can be asked of the product: a table of calls, the types of
//! their parameters and results, the events, and the client that speaks them.
//!
//! From [`calls::CALLS`] come the HTTP route `POST /api/{name}`, the desktop's one command,
//! the `pm` client and the TypeScript `Calls` map (`examples/bindings.rs`). The server
//! implements [`calls::Api`]; an entry without an implementation does not compile.
//!
//! Deliberately not here: any behaviour. Domain types are not serialised; the types below
//! stand at the border and are converted to.

mod build;
mod calls;
mod client;
mod table;
pub mod types;
mod typescript;

pub use build::BuildId;
pub use calls::{Api, CALLS, dispatch};
pub use client::{
    Asked, Asset, Client, ClientError, DESKTOP, EventStream, IDEMPOTENCY_AGAIN, IDEMPOTENCY_KEY, MCP_CLIENT,
    MCP_STREAM, OFFER, PROGRAM,
};
pub use table::{Access, Actor, ActorKind, CallInfo, Caller, Effect};
pub use types::*;
pub use typescript::write_bindings;
