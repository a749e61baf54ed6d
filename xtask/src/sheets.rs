//! `cargo xtask sheets`: pictures of the canvas beside those of Chromium and of @napi-rs/canvas, to
//! be looked at, with their differences.

use crate::setup::PICTURES;
use crate::{Outcome, node, proc, setup};

pub fn run() -> Outcome {
    setup::ensure(PICTURES)?;
    node::install("tests/pictures")?;
    proc::build_programs(&[])?;
    let script = proc::root().join("tests/pictures/sheets.mjs");
    proc::run(proc::program("node").arg(script).arg(proc::built("debug", "pm")))
}
