//! Installs a folder: what the tests kill, and what is measured. Prints each phase as it begins.
//! `install FOLDER STORE [--frozen] [--offline] [--quiet]`

use npm::{Install, LinkPolicy, LocalFiles, Mode, Npmrc, Phase, Platform, Progress, Trust};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, store, options @ ..] = arguments.as_slice() else {
        eprintln!("install FOLDER STORE [--frozen] [--offline] [--quiet]");
        return ExitCode::from(2);
    };
    let has = |option: &str| options.iter().any(|given| given == option);
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let home = environment.get("HOME").map(PathBuf::from);
    let folder = PathBuf::from(folder);
    let npmrc = match Npmrc::load(&folder, Trust::Own, home.as_deref(), &environment) {
        Ok(npmrc) => npmrc,
        Err(error) => {
            eprintln!("{error:?}");
            return ExitCode::FAILURE;
        }
    };
    let last = Mutex::new(None);
    let quiet = has("--quiet");
    let progress = move |progress: Progress| {
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !quiet && *last != Some(progress.phase) {
            *last = Some(progress.phase);
            let name = match progress.phase {
                Phase::Commit(step) => step.to_owned(),
                other => format!("{other:?}").to_lowercase(),
            };
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{name}").and_then(|()| out.flush());
        }
    };
    let node = environment.get("PM_NODE").map_or("22.0.0", String::as_str);
    let install = Install {
        folder,
        store: PathBuf::from(store),
        npmrc,
        mirrors: Vec::new(),
        platform: Platform::this_machine(node),
        mode: if has("--frozen") {
            Mode::Frozen
        } else {
            Mode::Update
        },
        offline: has("--offline"),
        again: false,
        omit_dev: false,
        links: LinkPolicy::Share,
        files: LocalFiles::Anywhere,
        limit: Duration::from_secs(300),
        quiet: Arc::new(|| Box::pin(async { Box::new(()) as _ })),
        progress: Arc::new(progress),
    };
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    match runtime.block_on(npm::install(install)) {
        Ok(report) => {
            println!("{}", serde_json::to_string(&report).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {}", base::Coded::code(&error), base::failure::chain(&error));
            ExitCode::FAILURE
        }
    }
}
