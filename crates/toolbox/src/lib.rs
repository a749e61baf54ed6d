//! Tools from the day they are put into the toolbox: what they are, how they are configured, what
//! they may reach, how they run and what their log says (seed 002).
//!
//! Deliberately not here: how JavaScript and Python run (`runtime`), how packages are installed (`npm`),
//! how an MCP client asks (`server`), and the words of failures, which are chosen at the border.

mod catalog;
pub mod configure;
pub mod dependencies;
pub mod directories;
pub mod env_file;
pub mod env_secrets;
pub mod failure_text;
pub mod files;
mod fingerprint;
mod held;
pub mod lifecycle;
mod logs;
pub mod manual;
mod markdown;
pub mod model;
pub mod modes;
mod network;
mod newcomers;
pub mod package_json;
pub mod parameters;
mod plain_file;
mod processes;
pub mod request;
pub mod requirements;
mod rights;
pub mod run_log;
pub mod sync;
mod toolbox;
pub mod validate;
mod watch;

pub use catalog::{Glance, Tool};
pub use logs::LogFile;
pub use network::NetworkView;
pub use toolbox::{RightsView, Toolbox};
