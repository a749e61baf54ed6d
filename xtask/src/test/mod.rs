//! `cargo xtask test`: everything that must hold before a change is taken, in the order in which
//! it fails fastest.

mod browser;
mod clients;
mod count;
mod js;
mod packages;
mod path;
mod rust;
mod window;

use crate::setup::ALL;
use crate::{Outcome, Usage, conformance, node, proc, setup, soak, tidy};
use count::Count;
use rust::Asked;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, ExitCode};
use std::time::{Duration, Instant};

/// A stage and what it does. `Count` is what cargo's tests said, if it ran any.
struct Stage {
    name: &'static str,
    run: fn(&Options) -> Outcome<Option<Count>>,
}

/// A stage that one core is enough for, the one before it beside which it runs, on another, and what both need, which
/// is made sure of once.
struct Pair {
    second: &'static str,
    first: &'static str,
    both: fn() -> Outcome,
}

const PAIRS: &[Pair] = &[
    Pair {
        second: "js",
        first: "packages",
        both: || Ok(()),
    },
    Pair {
        second: "assistant",
        first: "browser",
        both: browser::prepare,
    },
];

const STAGES: &[Stage] = &[
    Stage {
        name: "setup",
        run: |_| done(setup::ensure(ALL)),
    },
    // Before everything Rust: the page is embedded in pm.
    Stage {
        name: "ui-build",
        run: |_| done(node::build_ui()),
    },
    Stage {
        name: "format",
        run: |_| done(proc::run(proc::cargo().args(["fmt", "--all", "--check"]))),
    },
    Stage {
        name: "tidy",
        run: |_| done(tidy::run()),
    },
    // With the lints. Tests start pm and pm-worker, which lie beside them in target/debug.
    Stage {
        name: "build",
        run: |_| done(rust::build()),
    },
    Stage {
        name: "rust",
        run: |options| rust::run(&options.asked()).map(Some),
    },
    Stage {
        name: "ui",
        run: |_| done(ui()),
    },
    Stage {
        name: "clients",
        run: |_| done(clients::run()),
    },
    Stage {
        name: "soak",
        run: |_| done(soak::all()),
    },
    Stage {
        name: "conformance",
        run: |_| done(conformance::run()),
    },
    Stage {
        name: "packages",
        run: |_| done(packages::run()),
    },
    Stage {
        name: "js",
        run: |_| done(js::run()),
    },
    Stage {
        name: "browser",
        run: |_| done(browser::page()),
    },
    Stage {
        name: "assistant",
        run: |_| done(browser::assistant()),
    },
    Stage {
        name: "window",
        run: |_| done(window::run()),
    },
];

/// What takes half an hour.
const LONG: &[&str] = &["soak"];

/// What a name filter still needs.
const FILTERED: &[&str] = &["build", "rust"];

#[derive(Debug, Default, PartialEq)]
struct Options {
    /// Many more random cases, and the tests that take minutes.
    long: bool,
    keep_going: bool,
    only: Vec<String>,
    filters: Vec<String>,
}

struct Done {
    name: &'static str,
    time: Duration,
    error: Option<String>,
}

pub fn run(words: &[String]) -> Outcome<ExitCode> {
    let options = parse(words)?;
    let mut summary = Vec::new();
    let mut count = None;
    let mut beside = HashMap::new();
    for stage in STAGES.iter().filter(|stage| options.wants(stage.name)) {
        println!("\n=== {}", stage.name);
        for pair in PAIRS.iter().filter(|pair| pair.first == stage.name) {
            if options.wants(pair.second) {
                beside.insert(
                    pair.second,
                    (pair.both)().and_then(|()| Beside::start(pair.second)),
                );
            }
        }
        let begun = Instant::now();
        let done = match beside.remove(stage.name) {
            Some(beside) => done(beside.and_then(Beside::end)),
            None => (stage.run)(&options),
        };
        let error = match done {
            Ok(found) => {
                count = found.or(count);
                count::failure(found)
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = &error {
            eprintln!("{} failed: {error}", stage.name);
        }
        let failed = error.is_some();
        summary.push(Done {
            name: stage.name,
            time: begun.elapsed(),
            error,
        });
        if failed && !options.keep_going {
            break;
        }
    }
    for (_, beside) in beside {
        // Not come to, and not left running.
        beside?.end()?;
    }
    print_summary(&summary);
    if let Some(count) = count {
        println!("{} passed, {} failed", count.passed, count.failed);
    }
    let failed = summary.iter().any(|done| done.error.is_some());
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A stage in a process of its own, whose output is kept until it is its turn.
struct Beside {
    child: Child,
    output: PathBuf,
}

impl Beside {
    fn start(stage: &str) -> Outcome<Self> {
        let output = proc::scratch().join(format!("{stage}.log"));
        fs::create_dir_all(proc::scratch())?;
        let file = File::create(&output)?;
        // Not the program that runs: the tests' own build has put another in its place.
        let mut command = proc::program(proc::built("debug", "xtask"));
        command.args(["test", "--only", stage]);
        command.stdout(file.try_clone()?).stderr(file);
        let child = proc::spawn(&mut command)?;
        Ok(Beside { child, output })
    }

    fn end(mut self) -> Outcome {
        let status = self.child.wait()?;
        std::io::copy(&mut File::open(&self.output)?, &mut std::io::stdout())?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("it ended with {status}").into()),
        }
    }
}

impl Options {
    fn asked(&self) -> Asked<'_> {
        Asked {
            filters: &self.filters,
            long: self.long,
        }
    }

    fn wants(&self, stage: &str) -> bool {
        if !self.only.is_empty() {
            return self.only.iter().any(|name| name == stage);
        }
        if LONG.contains(&stage) && !self.long {
            return false;
        }
        self.filters.is_empty() || FILTERED.contains(&stage)
    }
}

fn parse(words: &[String]) -> Result<Options, Usage> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--long" => options.long = true,
            "--keep-going" => options.keep_going = true,
            "--only" => {
                let names = words.next().ok_or_else(|| Usage("--only which stages?".into()))?;
                options.only = names.split(',').map(str::to_owned).collect();
            }
            flag if flag.starts_with('-') => return Err(Usage(format!("unknown option: {flag}"))),
            filter => options.filters.push(filter.to_owned()),
        }
    }
    let known: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
    match options.only.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(Usage(format!("no stage {name}; there are {}", known.join(", ")))),
        None => Ok(options),
    }
}

fn done(outcome: Outcome) -> Outcome<Option<Count>> {
    outcome.map(|()| None)
}

fn ui() -> Outcome {
    node::install("ui")?;
    for name in ["check", "test"] {
        if node::has_script("ui", name)? {
            node::script("ui", name)?;
        }
    }
    Ok(())
}

fn print_summary(summary: &[Done]) {
    println!("\n=== summary");
    for done in summary {
        let mark = if done.error.is_none() { "ok" } else { "FAILED" };
        println!("{:<10} {mark:<6} {:>8.1} s", done.name, done.time.as_secs_f64());
    }
    let all: Duration = summary.iter().map(|done| done.time).sum();
    println!("{:<10} {:<6} {:>8.1} s", "together", "", all.as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<Options, Usage> {
        parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn without_arguments_every_stage_runs_but_those_that_take_long() {
        let (short, long) = (of(&[]).unwrap(), of(&["--long"]).unwrap());
        for stage in STAGES {
            assert_eq!(
                short.wants(stage.name),
                !LONG.contains(&stage.name),
                "{}",
                stage.name
            );
            assert!(long.wants(stage.name), "{}", stage.name);
        }
    }

    #[test]
    fn a_filter_runs_the_rust_tests_alone_and_only_picks_stages() {
        let options = of(&["--long", "env_file", "canvas"]).unwrap();
        assert!(options.long && options.filters == ["env_file", "canvas"]);
        assert!(options.wants("rust") && options.wants("build") && !options.wants("tidy"));
        let options = of(&["--only", "ui,clients", "--keep-going"]).unwrap();
        assert!(options.keep_going && options.wants("clients") && !options.wants("rust"));
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(of(&["--fast"]).is_err());
        assert!(of(&["--only"]).is_err());
        assert!(of(&["--only", "nothing"]).is_err());
    }

    #[test]
    fn what_runs_beside_another_has_its_turn_after_it() {
        let at = |name: &str| STAGES.iter().position(|stage| stage.name == name);
        for pair in PAIRS {
            let (first, second) = (at(pair.first), at(pair.second));
            assert!(first.is_some() && second > first);
        }
    }

    #[test]
    fn the_stages_that_a_filter_needs_exist() {
        assert!(
            FILTERED
                .iter()
                .all(|name| STAGES.iter().any(|stage| stage.name == *name))
        );
    }
}
