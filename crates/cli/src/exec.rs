//! `pm workspace exec`: what the command writes goes on as it comes ([`crate::follow`]), and its exit
//! code is named on standard error. Ctrl+C ends it with all that it started. What is written is text
//! on the wire: bytes that are no UTF-8 arrive as U+FFFD.
//!
//! Deliberately not here: `--json`, which gives the answer and nothing else.

use crate::follow::{Ended, followed};
use crate::output::{self, Failed};
use crate::owner::Session;
use std::process::ExitCode;
use wire::{Client, WireError, WorkspaceRun};

pub async fn exec(session: &mut Session, mut params: WorkspaceRun) -> Result<ExitCode, Failed> {
    let ended = followed(session, async move |session, run| {
        params.run = Some(run);
        session.change(Client::workspace_run, params).await
    })
    .await?;
    let (answered, mut shown) = match ended {
        Ended::Answered(answered, shown) => (answered, shown),
        Ended::Stopped(code) => return Ok(code),
    };
    match answered {
        Ok(ran) => {
            shown.rest(&ran.stdout, &ran.stderr);
            // CONTRACT: `pm` did its work; how the command ended is its answer.
            if ran.exit_code != 0 {
                output::aside(&format!("pm: exit code {}", ran.exit_code));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(Failed::Work(error)) => {
            let text = |name: &str| said(&error, name);
            shown.rest(text("stdout"), text("stderr"));
            Err(Failed::Work(error))
        }
        Err(usage) => Err(usage),
    }
}

fn said<'e>(error: &'e WireError, name: &str) -> &'e str {
    error
        .args
        .get(name)
        .and_then(|text| text.as_str())
        .unwrap_or_default()
}
