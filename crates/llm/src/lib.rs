//! Model services: one shape over the protocols that they speak, a streamed answer, usage.
//!
//! A [`Service`] is what a person wrote into the settings, with its key from [`Keys`]. [`Models::ask`]
//! opens an [`Answer`], whose pieces come until it ends. Nothing here is trusted: what a service sends
//! has a limit in size, in time and in silence, its redirects are not followed (they would carry the
//! key elsewhere), and whoever drops an answer closes the connection.
//!
//! The protocols are spoken here and not by a library of all services: what is read must be bounded
//! before it is understood, and errors must be known by status and kind.
//!
//! A model may be offered tools and shown pictures; its calls are read and given whole, and run by nobody here.
//!
//! Deliberately not here: what is said (agents, arena, prompts), who may spend money, records. *Not
//! furnished*: prices.

mod answer;
mod chat;
mod context;
mod error;
mod frames;
mod keys;
mod protocol;
mod retry;
mod service;
#[cfg(feature = "stub")]
pub mod stub;
mod tools;

pub use answer::{Answer, Models};
pub use chat::{Chat, End, Finish, Limits, Message, Piece, Role, Usage};
pub use context::{Context, Level};
pub use error::{ModelError, Patience};
pub use keys::Keys;
pub use service::{Key, Protocol, Service};
pub use tools::{Picture, Tool, ToolCall, ToolResult};
