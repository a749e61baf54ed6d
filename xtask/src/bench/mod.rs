//! `cargo xtask bench`: the figures of docs/benchmarks.md, each beside what one would use instead,
//! in one run, with the outputs compared. A figure without its neighbour is not written down.

mod canvas;
mod http;
pub mod machine;
pub mod mcp;
mod npm;
mod page;
mod runtime;
mod sandbox;
mod server;
mod society;
mod stats;
mod toolbox;
mod toolm;
mod ui;
mod window;

use crate::setup::HEADLESS;
use crate::{Outcome, Usage, node, proc, setup};

struct Bench {
    name: &'static str,
    of: Of,
    /// Gives the body of its report, in Markdown.
    run: fn() -> Outcome<String>,
}

/// What has to be there before it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// `pm` with its page, and the peers.
    Product,
    /// What it builds itself.
    Parts,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "sandbox",
        of: Of::Parts,
        run: sandbox::run,
    },
    Bench {
        name: "npm",
        of: Of::Parts,
        run: npm::run,
    },
    Bench {
        name: "runtime",
        of: Of::Product,
        run: runtime::run,
    },
    Bench {
        name: "canvas",
        of: Of::Product,
        run: canvas::run,
    },
    Bench {
        name: "toolm",
        of: Of::Product,
        run: toolm::run,
    },
    Bench {
        name: "toolbox",
        of: Of::Parts,
        run: toolbox::run,
    },
    Bench {
        name: "server",
        of: Of::Product,
        run: server::run,
    },
    Bench {
        name: "society",
        of: Of::Parts,
        run: society::run,
    },
    Bench {
        name: "ui",
        of: Of::Product,
        run: ui::run,
    },
    Bench {
        name: "window",
        of: Of::Product,
        run: window::run,
    },
];

pub fn run(words: &[String]) -> Outcome {
    let chosen: Vec<&Bench> = match words {
        [] => BENCHES.iter().collect(),
        [name] => BENCHES.iter().filter(|bench| bench.name == name).collect(),
        _ => return Err(Usage("bench takes one name".into()).into()),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        return Err(Usage(format!("no such benchmark; there are {}", names.join(", "))).into());
    }
    let quick = proc::built("release", "xtask");
    if std::env::current_exe()?.canonicalize()? != quick.canonicalize().unwrap_or_default() {
        // Clients share the processors with what they measure.
        proc::run(proc::cargo().args(["build", "--release", "-p", "xtask"]))?;
        return proc::run(proc::program(quick).arg("bench").args(words));
    }
    setup::ensure(HEADLESS)?;
    if chosen.iter().any(|bench| bench.of == Of::Product) {
        node::build_ui()?;
        node::install("benches/peers")?;
        proc::build_programs(&["--release"])?;
    }
    for bench in chosen {
        let report = report(bench.name, &(bench.run)()?);
        print!("\n{report}");
        page::write(bench.name, &report)?;
    }
    Ok(())
}

fn report(name: &str, body: &str) -> String {
    let machine = machine::describe().join("; ");
    format!(
        "`cargo xtask bench {name}` (release build; {machine}).\n\n{}",
        body.trim()
    )
}
