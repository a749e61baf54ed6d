//! `pm conformance`: files run one after the other, as a suite of tests asks for.

use crate::output::{self, Failed};
use crate::signals;
use server::Programs;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

/// Ends with the first file that does not end well, and with its exit code.
pub async fn run(files: &[PathBuf]) -> Result<ExitCode, Failed> {
    let cancel = CancellationToken::new();
    let stopped = signals::stopped()?;
    let ending = cancel.clone();
    tokio::spawn(async move {
        stopped.await;
        ending.cancel();
    });
    let programs = Programs::start(Box::new(output::line)).map_err(|failure| Failed::of(&failure))?;
    // What is not Unicode cannot be shown to a script.
    let env: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    for file in files {
        let ran = programs.run(file, env.clone(), cancel.clone()).await;
        match ran.map_err(|failure| Failed::of(&failure))? {
            0 => {}
            code => return Ok(ExitCode::from(code)),
        }
    }
    Ok(ExitCode::SUCCESS)
}
