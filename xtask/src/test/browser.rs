//! The window's page in a real browser against a real `pm serve`, and what the assistant does in browsers.

use crate::{Outcome, node, proc};

const FOLDER: &str = "tests/browser";

/// In the order in which a failure says most.
const PAGE: &[&str] = &[
    "journey.mjs",
    "workspaces.mjs",
    "cells.mjs",
    "models.mjs",
    "lifecycle.mjs",
    "keyboard.mjs",
    "csp.mjs",
    "axe.mjs",
];
const ASSISTANT: &[&str] = &["observe.mjs", "act.mjs", "assistant.mjs", "driven.mjs"];

pub fn page() -> Outcome {
    all(PAGE, || Ok(()))
}

pub fn assistant() -> Outcome {
    all(ASSISTANT, miniwob)
}

/// What both need.
pub fn prepare() -> Outcome {
    node::install(FOLDER)?;
    // With the services that models.mjs and others ask.
    proc::build_as_tested(&[])
}

/// All are run: one broken page must not hide another.
fn all(tests: &[&'static str], last: fn() -> Outcome) -> Outcome {
    prepare()?;
    let folder = proc::root().join(FOLDER);
    let mut failed = Vec::new();
    for test in tests {
        if let Err(error) = proc::run(proc::program("node").arg(folder.join(test))) {
            eprintln!("{error}");
            failed.push(*test);
        }
    }
    if let Err(error) = last() {
        eprintln!("{error}");
        failed.push("what comes last");
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
