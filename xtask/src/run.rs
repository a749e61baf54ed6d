//! `cargo xtask run`: from a clone to a running product.
//!
//! Built with the dev profile: a first start in minutes rather than in tens of them. The parts
//! that would be slow without optimisation (pixels, hashes, the interpreter) are optimised there
//! too, see the root Cargo.toml.

use crate::setup::{DESKTOP, HEADLESS};
use crate::{Outcome, Usage, node, proc, setup};
use std::process::{Command, ExitCode, Stdio};

#[derive(Debug, PartialEq)]
struct Options<'a> {
    headless: bool,
    /// For the program that is started.
    rest: &'a [String],
}

pub fn run(words: &[String]) -> Outcome<ExitCode> {
    let options = parse(words)?;
    let window = !options.headless && has_display();
    setup::ensure(if window { DESKTOP } else { HEADLESS })?;
    node::build_ui()?;
    proc::build_programs(&[])?;
    let mut command = if window {
        proc::run(proc::cargo().args(["build", "-p", "prompt-manager", "--features", "custom-protocol"]))?;
        Command::new(proc::built("debug", "prompt-manager"))
    } else {
        let mut pm = Command::new(proc::built("debug", "pm"));
        pm.arg("serve");
        pm
    };
    command.args(options.rest).stdin(Stdio::inherit());
    println!("$ {}", proc::shown(&command));
    become_program(command)
}

fn parse(words: &[String]) -> Result<Options<'_>, Usage> {
    let (own, rest) = match words.iter().position(|word| word == "--") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[] as &[String]),
    };
    let mut headless = false;
    for word in own {
        match word.as_str() {
            "--headless" => headless = true,
            other => {
                return Err(Usage(format!(
                    "unexpected: {other} (arguments for the program go after --)"
                )));
            }
        }
    }
    Ok(Options { headless, rest })
}

fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// The program takes the place of xtask: Ctrl+C reaches it alone, its exit code is ours.
#[cfg(unix)]
fn become_program(mut command: Command) -> Outcome<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_program(mut command: Command) -> Outcome<ExitCode> {
    let code = command.status()?.code().unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_after_two_dashes_are_the_programs() {
        let words: Vec<String> = ["--headless", "--", "--port", "0", "--"]
            .map(String::from)
            .to_vec();
        let options = parse(&words).unwrap();
        assert!(options.headless);
        assert_eq!(options.rest, ["--port", "0", "--"]);
        assert!(!parse(&[]).unwrap().headless);
        assert!(parse(&["--port".to_owned()]).is_err());
    }
}
