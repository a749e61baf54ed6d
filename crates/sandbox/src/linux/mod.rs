//! Linux: bubblewrap outside, Landlock and seccomp inside.

mod child;
mod detect;
mod first;
mod inner;
mod launcher;
mod leash;
mod look;
mod seccomp;
mod syscalls;

pub use child::Child;
pub use detect::detect;
pub(crate) use inner::{channel, confine};
pub use launcher::Launcher;
