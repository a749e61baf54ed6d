//! Runs JavaScript in worker processes: QuickJS with a Node layer, behind the sandbox.
//!
//! Two sides of one pipe. [`guest`] is all that the binary `pm-worker` contains: engine, loader,
//! Node modules (`node/`, one folder a module), canvas bindings. [`host`] lives in the owner
//! process: starts workers through `sandbox`, keeps them warm, stops them. [`protocol`] is what
//! they say to each other.
//!
//! Deliberately not here: records, logs and files of the toolbox. Callers get what happened
//! through [`host::Observer`] and store it themselves.

mod canvas;
pub mod guest;
pub mod host;
mod node;
pub mod protocol;

pub use node::NODE_VERSION;
