//! Exchanges folders of tools: what the tests kill. Prints each step as it begins.
//! `place HOME put VERSION | undo VERSION | back | remove | remove-all | restore | recover`
//!
//! With `--die STEP` it kills itself where that step begins.

#![allow(clippy::disallowed_methods, reason = "makes tools of a test")]

use base::DataHome;
use base::name::ToolName;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolbox::lifecycle::place::{self, About, Goes, Placed, Plan, Staging};

/// Files of a version: enough that it is something to be whole.
const FILES: usize = 40;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> io::Result<()> {
    let [home, deed, rest @ ..] = arguments else {
        return Err(io::Error::other("place HOME DEED"));
    };
    let home = DataHome::at(PathBuf::from(home)).map_err(io::Error::other)?;
    let die = rest
        .iter()
        .position(|one| one == "--die")
        .and_then(|at| rest.get(at + 1))
        .cloned();
    let phase = move |step: &'static str| {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{step}").and_then(|()| out.flush());
        if die.as_deref() == Some(step) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    };
    let tool = ToolName::parse("t").map_err(io::Error::other)?;
    let version = rest.first().map_or("", String::as_str);
    match deed.as_str() {
        "put" | "undo" => {
            let staging = Staging::new(&home)?;
            fill(&staging.tool(), version)?;
            let plan = plan(&home, &tool, None, "backups/tools/t")?;
            let placed = place::put(&home, staging, plan, &phase)?;
            match deed.as_str() {
                "put" => finish(placed, &phase),
                _ => placed.revert(&phase),
            }
        }
        "back" => {
            let from = newest(&home, &home.tool_backups().join("t"))?;
            let plan = plan(&home, &tool, Some(from), "backups/tools/t")?;
            finish(place::put(&home, Staging::new(&home)?, plan, &phase)?, &phase)
        }
        "remove" | "remove-all" => {
            let (staging, mut plan) = (Staging::new(&home)?, plan(&home, &tool, None, "trash/tools")?);
            plan.comes = deed == "remove";
            if plan.comes {
                std::fs::create_dir(staging.tool())?;
            }
            finish(place::put(&home, staging, plan, &phase)?, &phase)
        }
        "restore" => {
            let mut plan = plan(&home, &tool, Some(newest(&home, &home.tool_trash())?), "")?;
            plan.goes = Goes::Away;
            finish(place::put(&home, Staging::new(&home)?, plan, &phase)?, &phase)
        }
        _ => {
            for placed in place::recover(&home)? {
                placed.clear(&|_| ())?;
            }
            Ok(())
        }
    }
}

fn finish(placed: Placed, phase: place::Phase<'_>) -> io::Result<()> {
    placed.keep(phase)?;
    phase("settle");
    placed.clear(phase)
}

fn plan(home: &DataHome, tool: &ToolName, from: Option<PathBuf>, goes: &str) -> io::Result<Plan> {
    let there = std::fs::read_to_string(home.tool(tool).join("t.tool.js")).unwrap_or_default();
    let about = About {
        tool: tool.clone(),
        version: there,
        at: base::clock::now_ms(),
        hash: String::new(),
        rights: Vec::new(),
        data_stayed: false,
    };
    let entry = Path::new(goes).join(uuid::Uuid::new_v4().simple().to_string());
    Ok(Plan {
        tool: tool.clone(),
        comes: true,
        from,
        goes: Goes::Kept { entry, about },
        rights: None,
    })
}

fn fill(folder: &Path, version: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder.join("lib"))?;
    std::fs::write(folder.join("t.tool.js"), version)?;
    for at in 0..FILES {
        std::fs::write(folder.join(format!("lib/{at}.js")), version)?;
    }
    Ok(())
}

/// The entry that came last, below the data home.
fn newest(home: &DataHome, folder: &Path) -> io::Result<PathBuf> {
    let entries = place::folders(folder)?.into_iter();
    let known = entries.filter_map(|entry| Some((place::about(&entry)?.at, entry)));
    let (_, entry) = known.max().ok_or_else(|| io::Error::other("nothing is kept"))?;
    Ok(entry
        .strip_prefix(home.root())
        .map_err(io::Error::other)?
        .to_owned())
}
