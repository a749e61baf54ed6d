//! Commands on Linux. `inner` is the side behind the wall: it shuts the process in and becomes the
//! command; the others are the owner's side.

mod denied;
mod filters;
pub mod fork_server;
mod furnish;
pub mod git;
pub mod inner;
pub mod left;
mod relay;
mod repositories;
pub mod reserve;
pub mod running;
mod settings;
pub mod start;
pub mod streamed;
mod supervise;
pub mod terminal;
mod walls;
