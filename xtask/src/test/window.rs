//! The real window, driven as a person would, on a screen and a session bus of its own
//! (tests/window). What it needs is installed or the stage fails: it is never left out.

use crate::{Outcome, node, proc};

const JOURNEY: &str = "tests/window/journey.mjs";
const KEYCHAIN: &str = "tests/window/secrets.mjs";
const ASSISTANT: &str = "tests/window/assistant.mjs";

pub fn run() -> Outcome {
    // Embedded in both programs.
    node::build_ui()?;
    proc::build_as_tested(&[])?;
    proc::run(
        proc::program("node")
            .arg(proc::root().join(KEYCHAIN))
            .env("PM_PROGRAMS", proc::target("debug")),
    )?;
    proc::run(
        proc::program("dbus-run-session")
            .args(["--", "node"])
            .arg(proc::root().join(ASSISTANT))
            .env("PM_PROGRAMS", proc::target("debug"))
            .env_remove("WAYLAND_DISPLAY"),
    )?;
    proc::run(
        // A bus without the person's own desktop on it.
        proc::program("dbus-run-session")
            .args(["--", "node"])
            .arg(proc::root().join(JOURNEY))
            .env("PM_PROGRAMS", proc::target("debug"))
            .env("PM_EVIDENCE", proc::target("window"))
            .env_remove("WAYLAND_DISPLAY"),
    )
}
