//! Node as the oracle: generated cases over its modules (tests/js/differential), every name that they
//! have (tests/js/surface) and npm packages in their usual ways (tests/js/packages), in Node and in ours;
//! built-in tools that have such packages (tests/js/tools.mjs).
//! Ours runs where neither node nor npm can be found.

use super::path;
use crate::{Outcome, node, proc};

const FOLDER: &str = "tests/js";

/// In the order in which a failure says most.
const TESTS: &[&str] = &["differential/run.mjs", "surface.mjs", "packages.mjs", "tools.mjs"];

pub fn run() -> Outcome {
    node::install(FOLDER)?;
    node::install("tests/js/packages")?;
    let without_node = path::without_node()?;
    let mut failed = Vec::new();
    for test in TESTS {
        let script = proc::root().join(FOLDER).join(test);
        // All are run: what one finds must not hide what the other would.
        let ran = proc::run(
            proc::program("node")
                .arg(script)
                .env("PM_PROGRAMS", proc::target("debug"))
                .env("PM_PATH", &without_node),
        );
        if let Err(error) = ran {
            eprintln!("{error}");
            failed.push(*test);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.join(", ").into())
}
