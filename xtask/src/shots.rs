//! Pictures of the window: `cargo xtask shots`, a contact sheet of every page, to be looked at, and
//! `cargo xtask guide`, those of the user guide.

use crate::setup::PICTURES;
use crate::{Outcome, node, proc, setup};
use std::process::ExitCode;

pub fn run(words: &[String]) -> Outcome<ExitCode> {
    take("shots.mjs", words)
}

pub fn guide() -> Outcome<ExitCode> {
    take("guide.mjs", &[])
}

fn take(script: &str, words: &[String]) -> Outcome<ExitCode> {
    setup::ensure(PICTURES)?;
    node::build_ui()?;
    node::install("tests/browser")?;
    proc::build_programs(&[])?;
    let script = proc::root().join("tests/browser").join(script);
    proc::run(proc::program("node").arg(script).args(words))?;
    Ok(ExitCode::SUCCESS)
}
