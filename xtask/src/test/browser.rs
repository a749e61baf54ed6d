//! The window's page in a real browser against a real `pm serve`.

use crate::{Outcome, node, proc};

const FOLDER: &str = "tests/browser";

/// In the order in which a failure says most.
const TESTS: &[&str] = &[
    "journey.mjs",
    "workspaces.mjs",
    "cells.mjs",
    "models.mjs",
    "observe.mjs",
    "act.mjs",
    "assistant.mjs",
    "driven.mjs",
    "lifecycle.mjs",
    "keyboard.mjs",
    "csp.mjs",
    "axe.mjs",
];

pub fn run() -> Outcome {
    node::install(FOLDER)?;
    // With the services that models.mjs and others ask.
    proc::build_as_tested(&[])?;
    let folder = proc::root().join(FOLDER);
    let mut failed = Vec::new();
    for test in TESTS {
        // All are run: one broken page must not hide another.
        if let Err(error) = proc::run(proc::program("node").arg(folder.join(test))) {
            eprintln!("{error}");
            failed.push(*test);
        }
    }
    if let Err(error) = miniwob() {
        eprintln!("{error}");
        failed.push("miniwob.mjs");
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{}; what was seen is in target/browser", failed.join(", ")).into())
}

/// One episode of each of MiniWoB++'s tasks, whose pages come from PyPI.
fn miniwob() -> Outcome {
    let python = node::python_of_clients()?;
    let mut command = proc::program("node");
    command
        .arg(proc::root().join(FOLDER).join("miniwob.mjs"))
        .arg("--once")
        .env("PM_TEST_PYTHON", python);
    proc::run(&mut command)
}
