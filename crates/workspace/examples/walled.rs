//! What commands are started by in the tests: puts up the inner wall and becomes the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    match sandbox::confine::enter(std::env::args_os().skip(1)) {
        Ok(sandbox::confine::Entered::Done(code)) => code,
        Ok(sandbox::confine::Entered::Work(_)) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(sandbox::confine::EXIT_NO_WALL)
        }
    }
}
