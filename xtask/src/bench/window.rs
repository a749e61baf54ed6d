//! The window from its start until it looks as it will, and its memory, beside an empty Tauri
//! window: tests/window/opening.mjs measures, this words it.

use crate::{Outcome, proc, setup};
use serde_json::Value;
use std::fmt::Write as _;

const PEER: &str = "empty-window";
const SCRIPT: &str = "tests/window/opening.mjs";

pub fn run() -> Outcome<String> {
    setup::ensure(setup::ALL)?;
    proc::run(proc::cargo().args([
        "build",
        "--release",
        "-p",
        "prompt-manager",
        "--features",
        "custom-protocol",
        "--bin",
        "prompt-manager",
        "--example",
        PEER,
    ]))?;
    let programs = proc::target("release");
    let text = proc::capture(
        proc::program("dbus-run-session")
            .args(["--", "node"])
            .arg(proc::root().join(SCRIPT))
            .env("PM_EMPTY", programs.join("examples").join(PEER))
            .env("PM_PROGRAMS", programs)
            .env("PM_EVIDENCE", proc::target("window"))
            .env_remove("WAYLAND_DISPLAY"),
    )?;
    let line = text.lines().last().ok_or("opening.mjs printed nothing")?;
    report(&serde_json::from_str(line)?)
}

fn report(result: &Value) -> Outcome<String> {
    let mut text = String::from(
        "Under Xvfb, 1200 x 800, software drawing; median of 7 starts each, in turn. Ready: the last change of\n\
         what is on the screen. Memory: PSS of all processes of the start then; at rest: their CPU of a second,\n\
         in twenty seconds that begin ten after the last start.\n\n\
         | window | on the screen, ms | ready, ms | window with WebKit, MB | `pm serve`, MB | at rest, ms |\n|---|---|---|---|---|---|\n",
    );
    for (key, name) in [
        ("ours", "Prompt Manager, with its server"),
        ("empty", "an empty Tauri window"),
    ] {
        let of = &result[key];
        let held = of["kilobytes"]
            .as_object()
            .ok_or_else(|| format!("no memory of {key}"))?;
        let (mut window, mut server) = (0.0, 0.0);
        for (program, kilobytes) in held {
            let megabytes = kilobytes.as_f64().ok_or("memory is a number")? * 1024.0 / 1e6;
            match program.as_str() {
                "pm" | "pm-worker" | "bwrap" => server += megabytes,
                _ => window += megabytes,
            }
        }
        let server = if server > 0.0 {
            format!("{server:.1}")
        } else {
            String::new()
        };
        writeln!(
            text,
            "| {name} | {:.0} | {:.0} | {window:.1} | {server} | {:.1} |",
            number(of, "shown")?,
            number(of, "ready")?,
            number(of, "idle")?,
        )?;
    }
    Ok(text)
}

fn number(of: &Value, key: &str) -> Outcome<f64> {
    of[key]
        .as_f64()
        .ok_or_else(|| format!("opening.mjs gave no {key}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_server_is_counted_by_itself() {
        let result = json!({
            "ours": {"shown": 400.0, "ready": 500.0, "idle": 1.5, "kilobytes": {"prompt-manager": 100_000, "WebKitWebProcess": 100_000, "pm": 10_000}},
            "empty": {"shown": 300.0, "ready": 350.0, "idle": 0.0, "kilobytes": {"empty-window": 150_000}},
        });
        let text = report(&result).unwrap();
        assert!(
            text.contains("| Prompt Manager, with its server | 400 | 500 | 204.8 | 10.2 | 1.5 |"),
            "{text}"
        );
        assert!(
            text.contains("| an empty Tauri window | 300 | 350 | 153.6 |  | 0.0 |"),
            "{text}"
        );
        assert!(report(&json!({"ours": {}})).is_err());
    }
}
