//! The commands of development: `cargo xtask`. Everything a person or a machine needs between a
//! fresh clone and a release is here, so that there is one way for each.
//!
//! Deliberately not here: anything the product does. xtask must build in seconds from nothing,
//! hence the two small dependencies and the hand-written reading of arguments.

#![allow(
    clippy::disallowed_methods,
    reason = "a development command: it starts compilers and writes reports, never in a data home"
)]

mod bench;
mod bindings;
mod conformance;
mod dist;
mod files;
mod nats;
mod node;
mod proc;
mod run;
mod serve;
mod setup;
mod sheets;
mod shots;
mod soak;
mod test;
mod tidy;
mod wpt;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  run [--headless] [-- ARGUMENTS]   set up, build and start: the desktop, or `pm serve` without a display
  test [--long] [--keep-going] [--only STAGE,…] [FILTER…]
                                    everything that must hold before a change is taken
  tidy                              the checks that no compiler makes
  bindings                          write ui/src/generated from the table of calls
  bench [NAME]                      measure beside the peers; writes docs/benchmarks.md
  wpt --cases DIR [--only TEXT] [--tier NAME]
                                    canvas conformance cases through `pm conformance`
  conformance-mcp                   the conformance suite of MCP against a pm with its fixtures
  soak [MINUTES]                    clients of all kinds against one server; what it holds must stay flat
  sheets                            pictures of the canvas beside Chromium's, into target/sheets
  shots [PAGE…]                     a contact sheet of every page of the window, into target/shots
  guide                             the pictures of the user guide, into docs/guide
  dist [--debug] [--try]            packages to give away, into target/dist; --debug to try the packing,
                                    --try to install, use and remove the .deb on a bare Debian
";

/// What went wrong, in words for the person at the terminal.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A command line that cannot be understood: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(code) => code,
        Err(error) if error.is::<Usage>() => {
            eprintln!("{error}\n\n{USAGE}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Outcome<ExitCode> {
    let Some((command, rest)) = words.split_first() else {
        return Err(Usage("which command?".into()).into());
    };
    match command.as_str() {
        "run" => run::run(rest),
        "test" => test::run(rest),
        "tidy" => none(rest, tidy::run),
        "bindings" => none(rest, bindings::write),
        "bench" => bench::run(rest).map(|()| ExitCode::SUCCESS),
        "wpt" => wpt::run(rest),
        "conformance-mcp" => none(rest, conformance::run),
        "soak" => soak::run(rest).map(|()| ExitCode::SUCCESS),
        "sheets" => none(rest, sheets::run),
        "shots" => shots::run(rest),
        "guide" => shots::guide(),
        "dist" => dist::run(rest).map(|()| ExitCode::SUCCESS),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => Err(Usage(format!("unknown command: {other}")).into()),
    }
}

/// For commands that take no arguments.
fn none(rest: &[String], command: fn() -> Outcome) -> Outcome<ExitCode> {
    match rest.first() {
        Some(word) => Err(Usage(format!("unexpected: {word}")).into()),
        None => command().map(|()| ExitCode::SUCCESS),
    }
}
