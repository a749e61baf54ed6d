//! npm and Python packages of the parts that are not Rust: the UI, the clients, the peers.

use crate::files::{Stamp, fingerprint};
use crate::{Outcome, proc};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is not source in a folder with a package.json.
const RESULTS: &[&str] = &["node_modules", "dist"];

pub fn npm() -> Command {
    proc::program(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// `npm ci`, when the lock file changed since the last time.
pub fn install(folder: &str) -> Outcome {
    let at = proc::root().join(folder);
    let lock = at.join("package-lock.json");
    if !lock.is_file() {
        return Err(
            format!("{folder}/package-lock.json is missing: run npm install there and commit it").into(),
        );
    }
    let seen = fs::read_to_string(&lock)? + &fs::read_to_string(at.join("package.json"))?;
    let stamp = Stamp::new(&format!("npm-{}", folder.replace('/', "-")), digest(&seen));
    if stamp.is_fresh() && at.join("node_modules").is_dir() {
        return Ok(());
    }
    let mut command = npm();
    command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&at);
    // As the distribution's libraries make it, which is what a benchmark says of it.
    command.env("npm_config_build_from_source", "canvas");
    if let Some(prefix) = headers() {
        // Otherwise an addon that is built asks a site for them.
        command.env("npm_config_nodedir", prefix);
    }
    proc::run(&mut command)?;
    stamp.set()
}

/// The prefix under which Node's headers lie, where they came with Node.
fn headers() -> Option<PathBuf> {
    let program = proc::ask(proc::program("node").args(["-p", "process.execPath"]))?;
    let prefix = Path::new(program.trim()).parent()?.parent()?;
    let found = prefix.join("include/node/node_api.h").is_file();
    found.then(|| prefix.to_owned())
}

/// The scripts that a package.json offers.
pub fn has_script(folder: &str, name: &str) -> Outcome<bool> {
    let text = fs::read_to_string(proc::root().join(folder).join("package.json"))?;
    let package: serde_json::Value = serde_json::from_str(&text)?;
    Ok(package["scripts"][name].is_string())
}

pub fn script(folder: &str, name: &str) -> Outcome {
    proc::run(npm().args(["run", name]).current_dir(proc::root().join(folder)))
}

/// Builds `ui/dist`, unless it was built from just these sources.
pub fn build_ui() -> Outcome {
    let ui = proc::root().join("ui");
    install("ui")?;
    let stamp = Stamp::new("ui-build", fingerprint(&ui, RESULTS)?);
    if stamp.is_fresh() && ui.join("dist/index.html").is_file() {
        println!("ui/dist is up to date");
        return Ok(());
    }
    script("ui", "build")?;
    stamp.set()
}

/// The Python of the clients' tests, which has pip as well.
pub fn python_of_clients() -> Outcome<PathBuf> {
    python(&proc::root().join("tests/clients/requirements.txt"))
}

/// A Python with the packages of `requirements`; gives its interpreter.
pub fn python(requirements: &Path) -> Outcome<PathBuf> {
    // One for each list, named by the folder that the list is in.
    let of = requirements
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default();
    let name = format!("python-{}", of.to_string_lossy());
    let folder = proc::scratch().join(&name);
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let stamp = Stamp::new(&name, digest(&fs::read_to_string(requirements)?));
    if stamp.is_fresh() && python.is_file() {
        return Ok(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    proc::run(proc::program(system).args(["-m", "venv", "--clear"]).arg(&folder))?;
    proc::run(
        proc::program(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
            ])
            .arg(requirements),
    )?;
    stamp.set()?;
    Ok(python)
}

fn digest(text: &str) -> String {
    use std::hash::Hasher;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(text.as_bytes());
    format!("{:016x}", hasher.finish())
}
