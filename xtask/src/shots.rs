//! `cargo xtask shots`: a contact sheet of every page of the window, to be looked at.

use crate::setup::PICTURES;
use crate::{Outcome, node, proc, setup};
use std::process::ExitCode;

pub fn run(words: &[String]) -> Outcome<ExitCode> {
    setup::ensure(PICTURES)?;
    node::build_ui()?;
    node::install("tests/browser")?;
    proc::run(proc::cargo().args(["build", "-p", "cli", "-p", "runtime"]))?;
    let script = proc::root().join("tests/browser/shots.mjs");
    proc::run(proc::program("node").arg(script).args(words))?;
    Ok(ExitCode::SUCCESS)
}
