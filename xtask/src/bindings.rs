//! TypeScript from the table of calls. The writing is `wire`'s; this only knows where it goes.

use crate::{Outcome, proc};
use std::process::Command;

/// Where the window and the web page read the types from.
pub const FOLDER: &str = "ui/src/generated";

pub fn write() -> Outcome {
    proc::run(command()?.arg(FOLDER))
}

/// Fails when the committed files are not what the table says.
pub fn check() -> Outcome {
    proc::run(command()?.args(["--check", FOLDER]))
}

fn command() -> Outcome<Command> {
    proc::run(proc::as_tested("build").args(["--quiet", "--example", "bindings"]))?;
    Ok(proc::program(proc::built("debug", "examples/bindings")))
}
