//! `pm society worker`: asks models for the agents of others.

use crate::options::society::Worker;
use crate::output::{self, Failed};
use crate::signals;
use crate::workspace::tame;
use base::DataHome;
use serde_json::json;
use server::{Answered, ModelWorker, WorkerOptions};
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

pub async fn run(home: &DataHome, options: Worker, json: bool) -> Result<ExitCode, Failed> {
    let stopped = signals::stopped()?;
    let options = WorkerOptions {
        address: options.queue,
        name: options.name,
        secret_file: options.secret_file,
        at_once: options.at_once,
    };
    let opened = ModelWorker::open(home, options).await;
    let worker = opened.map_err(|failure| Failed::of(&failure))?;
    let address = worker.address();
    match json {
        true => output::print(&json!({"queue": address})),
        false => output::line(&format!("Answers questions of agents from {address}")),
    }
    let end = CancellationToken::new();
    let working = worker.work(move |one| told(one, json), end.clone());
    let ending = async {
        stopped.await;
        end.cancel();
    };
    let (worked, ()) = tokio::join!(working, ending);
    worked.map_err(|error| Failed::of(&base::Failure::of(&error)))?;
    Ok(ExitCode::SUCCESS)
}

fn told(one: &Answered<'_>, json: bool) {
    let agent = one.who.name.as_str();
    let (code, ms) = (one.failure.map(|failure| &failure.code), one.took.as_millis());
    if json {
        output::print(&json!({"agent": agent, "ms": ms as u64, "error": code}));
        return;
    }
    let code = code.map(|code| format!("  {code}")).unwrap_or_default();
    output::line(&format!("{}  {ms} ms{code}", tame(agent)));
}
