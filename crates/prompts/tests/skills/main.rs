//! Skills on real folders: what people and other programs do in files, and what is done through it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "writes what other programs would, and starts what is killed"
)]

mod kill;
mod library;
mod properties;
mod sync;
mod world;
