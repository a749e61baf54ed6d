//! The installer beside npm: real packages, the same trees. What no registry of our own can stand in
//! for; it asks the one that npm is configured with.

use crate::{Outcome, proc};

pub fn run() -> Outcome {
    proc::build_as_tested(&[])?;
    let install = proc::target("debug").join("examples/install");
    let compare = proc::root().join("tests/packages/compare.mjs");
    let pm = proc::target("debug").join("pm");
    proc::run(proc::program("node").arg(compare).arg(install).arg(pm))
}
