//! A hostile worker for the tests: raw system calls, each an attempt to get out, and a line of
//! JSON about what came of it. The same program runs behind the walls and without them.
//!
//! `--confinement JSON WORK SCENE`   as a worker, behind the walls
//! `open WORK SCENE`                 the same without
//! `host TIER WORK SCENE [BWRAP]`    starts itself as a worker and passes on what it says
//! `churn SCENE`                     starts workers and drops them, without end
//! `victim`                          does nothing, with a secret in its memory
#![allow(unsafe_code, reason = "raw system calls are the point")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "test program")]

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod work;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    work::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
