//! The real window, driven as a person would, on a screen and a session bus of its own
//! (tests/window). What it needs is installed or the stage fails: it is never left out.

use crate::{Outcome, node, proc};
use std::path::PathBuf;

const DRIVER: &str = "tauri-driver";
const DRIVER_VERSION: &str = "2.1.0";
const JOURNEY: &str = "tests/window/journey.mjs";
const KEYCHAIN: &str = "tests/window/secrets.mjs";
const ASSISTANT: &str = "tests/window/assistant.mjs";

pub fn run() -> Outcome {
    // Embedded in both programs.
    node::build_ui()?;
    // Without it the window loads the development server's page.
    proc::build_as_tested(&["prompt-manager/custom-protocol"])?;
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
    let driver = driver()?;
    proc::run(
        // A bus without the person's own desktop on it.
        proc::program("dbus-run-session")
            .args(["--", "node"])
            .arg(proc::root().join(JOURNEY))
            .env("PM_TAURI_DRIVER", driver)
            .env("PM_PROGRAMS", proc::target("debug"))
            .env("PM_EVIDENCE", proc::target("window"))
            .env_remove("WAYLAND_DISPLAY"),
    )
}

/// Stands between WebDriver and the window; installed once.
fn driver() -> Outcome<PathBuf> {
    let tools = proc::target("tools");
    let program = tools.join("bin").join(DRIVER);
    // It cannot say its version: cargo's own list can.
    let listed = proc::ask(proc::cargo().args(["install", "--list", "--root"]).arg(&tools));
    let wanted = format!("{DRIVER} v{DRIVER_VERSION}:");
    if !program.is_file() || !listed.is_some_and(|list| list.lines().any(|line| line == wanted)) {
        proc::run(
            proc::cargo()
                .args([
                    "install",
                    DRIVER,
                    "--version",
                    DRIVER_VERSION,
                    "--locked",
                    "--root",
                ])
                .arg(&tools),
        )?;
    }
    Ok(program)
}
