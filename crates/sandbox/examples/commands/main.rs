//! The laboratory for commands: the same command texts behind the walls and without them, and raw
//! system calls that a shell cannot make.
//!
//! `--confinement JSON WORDS`   the inner program of a command
//! `host TIER FOLDER`           runs the cases of standard input behind the walls of that tier
//! `open FOLDER`                the same without walls
//! `raw NAME SCENE`             one raw attempt; exit code 0 when it succeeded
//! `net KIND …`                 one attempt to reach something; exit code 0 when it succeeded
#![allow(unsafe_code, reason = "raw system calls are the point")]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "test program, with a part of another one"
)]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
#[path = "../raw_attacks/kernel.rs"]
mod kernel;
#[cfg(target_os = "linux")]
mod net;
#[cfg(target_os = "linux")]
mod raw;
#[cfg(target_os = "linux")]
#[path = "../raw_attacks/scene.rs"]
mod scene;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let args: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|first| first.to_str()) {
        Some("host") => cases::behind(&args[1..]),
        Some("open") => cases::without(&args[1..]),
        Some("raw") => raw::attempt(&args[1..]),
        Some("net") => net::attempt(&args[1..]),
        _ => match sandbox::confine::enter(args) {
            Ok(sandbox::confine::Entered::Done(code)) => code,
            Ok(sandbox::confine::Entered::Work(_)) => std::process::ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{}", base::failure::chain(&error));
                std::process::ExitCode::from(sandbox::confine::EXIT_NO_WALL)
            }
        },
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
