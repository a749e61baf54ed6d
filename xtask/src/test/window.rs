//! The real window, driven as a person would, on a screen and a session bus of its own
//! (tests/window). What it needs is installed or the stage fails: it is never left out.

use crate::{Outcome, node, proc};

const KEYCHAIN: &str = "tests/window/secrets.mjs";
const WINDOWS: &[&str] = &[
    "tests/window/assistant.mjs",
    "tests/window/update.mjs",
    "tests/window/journey.mjs",
];

pub fn run() -> Outcome {
    // Embedded in both programs.
    node::build_ui()?;
    proc::build_as_tested(&[])?;
    proc::run(
        proc::program("node")
            .arg(proc::root().join(KEYCHAIN))
            .env("PM_PROGRAMS", proc::target("debug")),
    )?;
    for script in WINDOWS {
        proc::run(
            // A bus without the person's own desktop on it.
            proc::program("dbus-run-session")
                .args(["--", "node"])
                .arg(proc::root().join(script))
                .env("PM_PROGRAMS", proc::target("debug"))
                .env("PM_EVIDENCE", proc::target("window"))
                .env_remove("WAYLAND_DISPLAY"),
        )?;
    }
    Ok(())
}
