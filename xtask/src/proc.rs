//! Starting other programs: always at the root of the repository, always shown, never with
//! a keyboard (nothing here may wait for an answer).

use crate::Outcome;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The repository.
pub fn root() -> &'static Path {
    static MANIFEST: &str = env!("CARGO_MANIFEST_DIR");
    Path::new(MANIFEST).parent().unwrap_or(Path::new("."))
}

/// Where builds of `profile` (`debug` or `release`) are.
pub fn target(profile: &str) -> PathBuf {
    target_dir().join(profile)
}

/// Files of xtask itself: stamps, virtual environments, temporary homes.
pub fn scratch() -> PathBuf {
    target_dir().join("xtask")
}

fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A built program; `.exe` where programs are called so.
pub fn built(profile: &str, name: &str) -> PathBuf {
    target(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// A command of cargo's that builds, as every stage of the tests does. Another choice of packages or features has
/// others below it too, and all that they depend on would be compiled once more. The window's program is one with the
/// page in it: without that feature it would load the development server's.
///
/// The compiler of our own packages is clippy's, which is the same one with the lints in it: to check everything apart
/// takes a third as long as to build it. A warning is an error.
pub fn as_tested(verb: &str) -> Command {
    let mut command = cargo();
    let beside = Path::new(command.get_program()).with_file_name("clippy-driver");
    command
        .env("RUSTC_WORKSPACE_WRAPPER", beside)
        // As `cargo clippy -- -D warnings` hands it on.
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
        .args([
            verb,
            "--workspace",
            "--features",
            "prompt-manager/custom-protocol",
        ]);
    command
}

/// Builds every program and example as the tests are built, with `features` besides.
pub fn build_as_tested(features: &[&str]) -> Outcome {
    let mut command = as_tested("build");
    command.args(["--bins", "--examples"]);
    for feature in features {
        command.args(["--features", feature]);
    }
    run(&mut command)
}

/// Builds `pm` and `pm-worker`, and nothing beside them: what is built in one go shares features, and they would not
/// be the programs that are shipped.
pub fn build_programs(flags: &[&str]) -> Outcome {
    run(cargo().args(["build", "-p", "cli", "-p", "runtime"]).args(flags))
}

/// The cargo that runs xtask. What it told xtask about xtask's own package is taken away:
/// build scripts watch these variables and would run again for nothing.
pub fn cargo() -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST_")
            || text == "CARGO_PRIMARY_PACKAGE"
        {
            command.env_remove(&name);
        }
    }
    command
}

/// A program with root's rights: by sudo, which alone may ask, where we are somebody else.
pub fn as_root(name: &str) -> Command {
    if ask(program("id").arg("-u")).as_deref() == Some("0") {
        return program(name);
    }
    let mut command = program("sudo");
    command.stdin(Stdio::inherit()).arg(name);
    command
}

/// Runs to the end with its output on the terminal.
pub fn run(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| start_error(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{} ended with {status}", shown(command)).into())
}

/// Starts it and comes back at once.
pub fn spawn(command: &mut Command) -> Outcome<Child> {
    command.spawn().map_err(|error| start_error(command, &error))
}

/// Characters of what a program that failed printed last.
const SAID: usize = 2000;

/// Runs to the end and gives what it printed.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| start_error(command, &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let end = said.char_indices().rev().nth(SAID).map_or(0, |(at, _)| at);
        let (status, said) = (output.status, &said[end..]);
        return Err(format!("{} ended with {status}: {}", shown(command), said.trim()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// What a program prints, or nothing when it is not there or fails: for questions, not for work.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it, paths below the repository made short.
pub fn shown(command: &Command) -> String {
    let prefix = format!("{}/", root().display());
    let mut text = short(command.get_program());
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy().replace(&prefix, ""));
    }
    match command.get_current_dir() {
        Some(folder) if folder != root() => match folder.strip_prefix(root()) {
            Ok(inside) => format!("(in {}) {text}", inside.display()),
            Err(_) => text,
        },
        _ => text,
    }
}

fn short(program: &OsStr) -> String {
    let path = Path::new(program);
    match path.strip_prefix(root()) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.file_name().unwrap_or(program).to_string_lossy().into_owned(),
    }
}

fn start_error(command: &Command, error: &std::io::Error) -> Box<dyn std::error::Error> {
    let name = command.get_program().to_string_lossy();
    if error.kind() == ErrorKind::NotFound {
        format!("{name} was not found").into()
    } else {
        format!("{name} could not be started: {error}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = program("npm");
        command.args(["run", "build"]).current_dir(root().join("ui"));
        assert_eq!(shown(&command), "(in ui) npm run build");
        assert_eq!(
            shown(program(root().join("target/debug/pm")).arg("serve")),
            "target/debug/pm serve"
        );
    }

    #[test]
    fn failures_say_which_command() {
        let error = run(program("cargo").arg("no-such-command-here"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("cargo no-such-command-here ended with"),
            "{error}"
        );
        assert!(spawn(&mut program("no-such-program-here")).is_err());
        let missing = run(&mut program("no-such-program-here")).unwrap_err().to_string();
        assert_eq!(missing, "no-such-program-here was not found");
        assert_eq!(ask(&mut program("no-such-program-here")), None);
    }
}
