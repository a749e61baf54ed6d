//! `pm-worker`: the guest side alone. The wall goes up before anything else happens.

use runtime::guest;
use sandbox::confine::{self, Entered};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: guest::LastResort = guest::LastResort;

fn main() -> ExitCode {
    match confine::enter(std::env::args_os().skip(1)) {
        Ok(Entered::Work(_)) => {}
        Ok(Entered::Done(code)) => return code,
        Err(error) => {
            eprintln!("{}", base::failure::chain(&error));
            return ExitCode::from(confine::EXIT_NO_WALL);
        }
    }
    match confine::channel() {
        Ok(channel) => guest::serve(channel),
        Err(error) => {
            eprintln!("{}", base::failure::chain(&error));
            ExitCode::FAILURE
        }
    }
}
