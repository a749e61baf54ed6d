//! The data home as one file, and back.

use crate::output::{self, Failed};
use crate::owner::Session;
use base::DataHome;
use serde_json::json;
use server::backup::{self, BackupError, Set};
use server::owner::Ownership;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wire::{Client, HomeBackup};

pub async fn make(session: &mut Session, file: &Path, json: bool) -> Result<ExitCode, Failed> {
    let path = std::path::absolute(file).map_err(|error| output::file(file, &error))?;
    let path = path
        .to_str()
        .ok_or_else(|| Failed::Usage(format!("{}: not a name in UTF-8", file.display())))?;
    let made = session
        .change(
            Client::home_backup,
            HomeBackup {
                path: path.to_owned(),
            },
        )
        .await?;
    if json {
        output::print(&json!(made));
    } else {
        output::line(&format!(
            "{}: {} files, {}",
            made.path,
            made.files,
            megabytes(made.packed)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Nobody may own the data home meanwhile: it is put in the place of a running program's.
pub async fn restore(home: &DataHome, file: PathBuf, json: bool) -> Result<ExitCode, Failed> {
    let held = held(home)?;
    let home = home.clone();
    let restoring = tokio::task::spawn_blocking(move || backup::restore(&home, &held, &file));
    let restored = restoring
        .await
        .map_err(|error| Failed::of(&base::Failure::new("internal").detail(error.to_string())))??;
    let content = restored.content;
    if json {
        output::print(
            &json!({"files": content.files, "bytes": content.bytes, "before": restored.set.before}),
        );
    } else {
        output::line(&format!(
            "{} files, {}",
            content.files,
            megabytes(content.bytes as f64)
        ));
        say_before(&restored.set);
    }
    Ok(ExitCode::SUCCESS)
}

pub fn reset(home: &DataHome, json: bool) -> Result<ExitCode, Failed> {
    let set = backup::reset(home, &held(home)?)?;
    if json {
        output::print(&json!({"before": set.before}));
    } else {
        say_before(&set);
    }
    Ok(ExitCode::SUCCESS)
}

fn held(home: &DataHome) -> Result<Ownership, Failed> {
    Ok(Ownership::try_take(home)?.ok_or(BackupError::InUse)?)
}

fn say_before(set: &Set) {
    match &set.before {
        Some(before) => output::line(&format!("before: {}", before.display())),
        None => output::line("before: nothing"),
    }
}

fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}
