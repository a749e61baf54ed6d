//! The worker of `tests/escapes`: the product's guest, engine and confinement, and beside them a
//! native that makes any system call. `pm-worker` has no such native, whatever it is built with,
//! since the calls are made in this program alone.
//!
//! `--confinement …` as `pm-worker` has it; `open`: the same without a wall; `victim`: sleeps with a
//! secret in its memory until its input ends.

#![cfg(target_os = "linux")]
#![allow(unsafe_code, clippy::unwrap_used, reason = "this is the attacker")]

mod calls;

use runtime::guest;
use sandbox::confine::{self, Entered};
use std::io::Read;
use std::process::ExitCode;

const SECRET: [u8; 16] = *b"the victim's own";

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("victim") => return victim(),
        Some("open") => {}
        _ => match confine::enter(std::env::args_os().skip(1)) {
            Ok(Entered::Work(_)) => {}
            Ok(Entered::Done(code)) => return code,
            Err(error) => {
                eprintln!("{}", base::failure::chain(&error));
                return ExitCode::from(confine::EXIT_NO_WALL);
            }
        },
    }
    guest::serve_with(confine::channel().unwrap(), Some(calls::install))
}

fn victim() -> ExitCode {
    let secret = std::hint::black_box(SECRET);
    println!("{}", secret.as_ptr() as usize);
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    ExitCode::from(std::hint::black_box(secret)[0])
}
