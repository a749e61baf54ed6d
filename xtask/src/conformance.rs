//! `cargo xtask conformance-mcp`: the conformance suite of MCP (npm, tests/conformance) against `pm serve`
//! with the fixtures that the suite asks for (feature `conformance`).
//!
//! The suite itself compares what failed with `expected.yml` beside its package.json, where each name has
//! its argument: what fails beside it, and what does not fail any more, is an error.

use crate::serve::Server;
use crate::{Outcome, node, proc};
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/conformance";
/// The suite does not run on an older one.
const NODE: u32 = 22;
/// Everything, and what each revision requires.
const SETS: &[[&str; 2]] = &[
    ["--suite", "all"],
    ["--requirements", "2025-11-25"],
    ["--requirements", "2026-07-28"],
];
/// The suite knows no token: for it `/mcp` is open to this machine. It leaves each session behind.
const SETTINGS: &str = r#"{"server": {"openMcpOnLoopback": true, "limits": {"sessions": 1000}}}"#;

pub fn run() -> Outcome {
    node::install(FOLDER)?;
    let node = new_node()?;
    let pm = build()?;
    let mut failed = Vec::new();
    for set in SETS {
        // All are run: what one finds must not hide what the others would.
        if let Err(error) = one(&node, &pm, set) {
            eprintln!("{error}");
            failed.push(set.join(" "));
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{}; what was said is in target/conformance", failed.join(", ")).into())
}

fn one(node: &Path, pm: &Path, set: &[&str; 2]) -> Outcome {
    let server = Server::start_program(pm, |home| Ok(fs::write(home.join("settings.json"), SETTINGS)?))?;
    let folder = proc::root().join(FOLDER);
    let suite = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let results = proc::target("conformance").join(set.join("").replace("--", ""));
    fs::create_dir_all(&results)?;
    let mut command = proc::program(node);
    command
        .arg(suite)
        .args(["server", "--url"])
        .arg(format!("{}/mcp", server.url()))
        .args(set)
        .arg("--expected-failures")
        .arg(folder.join("expected.yml"))
        .arg("--output-dir")
        .arg(results)
        // A proxy has no way to this server.
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
    proc::run(&mut command)?;
    server.stop()
}

/// A `pm` with the fixtures, in a folder of its own: the others test the one without.
fn build() -> Outcome<PathBuf> {
    let folder = proc::scratch().join("conformance");
    fs::create_dir_all(&folder)?;
    proc::build_as_tested(&["cli/conformance"])?;
    let copied = ["pm", "pm-worker"].map(|name| {
        let built = proc::built("debug", name);
        let to = folder.join(built.file_name().unwrap_or_default());
        fs::copy(&built, &to).map(|_| to)
    });
    // Even when it could not be copied: nobody else is to meet the fixtures.
    proc::build_as_tested(&[])?;
    let [pm, worker] = copied;
    worker?;
    Ok(pm?)
}

/// The machine's Node, or one from npm where that is too old.
fn new_node() -> Outcome<PathBuf> {
    let version = proc::ask(proc::program("node").arg("--version"));
    if version
        .as_deref()
        .and_then(major)
        .is_some_and(|major| major >= NODE)
    {
        return Ok(PathBuf::from("node"));
    }
    let folder = format!("{FOLDER}/node");
    node::install(&folder)?;
    let program = proc::root().join(folder).join("node_modules/node/bin/node");
    match program.is_file() {
        true => Ok(program),
        false => Err(format!("npm brought no {}", program.display()).into()),
    }
}

/// `v22.21.1` -> 22
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major("v22.21.1"), Some(22));
        assert_eq!(major("v8"), Some(8));
        assert_eq!(major("22"), None);
        assert_eq!(major(""), None);
    }
}
