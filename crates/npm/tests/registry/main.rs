//! The installer against a registry of our own, over HTTP.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests write fixtures and start the program they kill"
)]

mod fixture;
mod hostile;
mod kill;
mod network;
mod trees;
mod ways;
