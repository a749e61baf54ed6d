//! Linux: bubblewrap outside, Landlock and seccomp inside.

mod cgroup;
mod child;
mod command;
mod detect;
mod first;
mod inner;
mod launcher;
mod leash;
mod look;
mod remove;
mod scratch;
mod seccomp;
mod syscalls;

pub use child::Child;
pub(crate) use command::fork_server::serve_forks;
pub(crate) use command::inner::become_command;
pub use command::running::{Running, Stop};
pub use command::streamed::Streamed;
pub use command::terminal::Terminal;
pub use detect::detect;
pub(crate) use detect::expected;
pub(crate) use inner::{channel, confine, read_given, tell};
pub use launcher::Launcher;
pub(crate) use scratch::Folder;
