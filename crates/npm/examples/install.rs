//! Installs a folder: what the tests kill, and what is measured. Prints each phase as it begins.
//! `install FOLDER STORE [--frozen] [--offline] [--quiet]`
//!
//! PM_SCRIPTS, `PACKAGE INTEGRITY` on each line, allows scripts. They are run as they are, without the
//! walls that toolbox puts around them: only those of a test.

#![allow(clippy::disallowed_methods, reason = "runs scripts of a test without walls")]

use npm::{Allowed, GitJob, Install, LinkPolicy, LocalFiles, Mode, NpmError, Npmrc, Phase};
use npm::{Platform, Progress, Scripted, Scripts, Trust};
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
        scripts: environment.get("PM_SCRIPTS").map(|lines| scripts(lines)),
        git: Some(Arc::new(|job| Box::pin(git(job)))),
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

fn scripts(lines: &str) -> Scripts {
    let allowed = lines.lines().filter_map(|line| {
        let (package, integrity) = line.split_once(' ')?;
        Some(Allowed {
            package: package.to_owned(),
            integrity: integrity.to_owned(),
        })
    });
    Scripts {
        allowed: allowed.collect(),
        run: Arc::new(|scripted| Box::pin(run(scripted))),
    }
}

async fn run(scripted: Scripted) -> Result<(), NpmError> {
    let package = format!("{}@{}", scripted.name, scripted.version);
    for (event, text) in scripted.scripts {
        let mut command = tokio::process::Command::new("/bin/sh");
        command
            .args(["-c", &text])
            .current_dir(&scripted.folder)
            .kill_on_drop(true);
        let ended = command.status().await.map_err(|error| NpmError::ScriptNotRun {
            package: package.clone(),
            failure: Box::new(base::Failure::new("package_io").detail(error.to_string())),
        })?;
        if !ended.success() {
            return Err(NpmError::Script {
                package,
                event,
                code: ended.code().unwrap_or(-1),
                said: String::new(),
            });
        }
    }
    Ok(())
}

/// As it is, without the walls that toolbox puts around it.
async fn git(job: GitJob) -> Result<Vec<u8>, NpmError> {
    let failed = |reason: String| NpmError::Git {
        name: job.name.clone(),
        reason,
    };
    let folder = std::env::temp_dir().join(format!(
        "git-{}-{}",
        std::process::id(),
        job.name.replace('/', "+")
    ));
    std::fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
    let mut command = tokio::process::Command::new("/bin/sh");
    command
        .args(["-c", job.script])
        .current_dir(&folder)
        .envs(job.env.iter().map(|(name, value)| (name, value)));
    let ended = command.kill_on_drop(true).status().await;
    let left = std::fs::read(folder.join("out"));
    let _ = std::fs::remove_dir_all(&folder);
    match ended {
        Ok(status) if status.success() => left.map_err(|error| failed(error.to_string())),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
