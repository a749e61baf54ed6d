//! Commands on Linux. `inner` is the side behind the wall: it shuts the process in and becomes the
//! command; the others are the owner's side.

mod denied;
mod filters;
pub mod fork_server;
pub mod git;
pub mod inner;
mod relay;
pub mod reserve;
pub mod running;
mod scratch;
pub mod start;
mod supervise;
pub mod terminal;
mod walls;
