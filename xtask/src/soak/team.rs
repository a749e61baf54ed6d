//! A team of agents that delivers a tested program, again and again, for models that play it.

use crate::files::TempDir;
use crate::serve::Server;
use crate::{Outcome, proc};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Through the same verbs that a person types. `models` is an address.
pub fn works(server: &Server, models: &str, stop: &AtomicBool, done: &AtomicU64) -> Outcome {
    let url = format!("http://{models}/v1");
    let terms = ["--protocol", "openai", "--model", "none", "--url", &url];
    said(server.home(), &["model", "add", "team"], &terms)?;
    let folder = TempDir::new("team")?;
    let work = folder.path().join("calculator");
    let at = work
        .to_str()
        .ok_or("the folder for tests has a name that is no text")?;
    while !stop.load(Ordering::Relaxed) {
        let team = ["--team", "dev-team", "--service", "team", "--workspace", at];
        // It ends when the person is asked.
        let asked = said(
            server.home(),
            &["society", "run", "a calculator", "--once", "--json"],
            &team,
        )?;
        let first = serde_json::Deserializer::from_str(&asked)
            .into_iter::<Value>()
            .next();
        let task = first.ok_or("society run said nothing")??["taskId"].clone();
        let task = task.as_str().ok_or_else(|| format!("no task in: {asked}"))?;
        let told = said(
            server.home(),
            &["society", "say", task, "Yes, please."],
            &["--agent", "2"],
        )?;
        if !told.contains("Delivered: calculator.sh") {
            return Err(format!("the team did not deliver: {told}").into());
        }
        let program = work.join("calculator.sh");
        let mut run = proc::program("sh");
        let product = proc::capture(run.arg(&program).args(["6", "x", "7"]).current_dir(&work))?;
        if product.trim() != "42" {
            return Err(format!("6 x 7 = {product}").into());
        }
        said(server.home(), &["society", "remove", task], &[])?;
        // The next one works in the same folder.
        said(server.home(), &["workspace", "unbind", task], &[])?;
        fs::remove_dir_all(&work)?;
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn said(home: &Path, words: &[&str], more: &[&str]) -> Outcome<String> {
    let mut command = proc::program(proc::built("release", "pm"));
    command.env_remove("PROMPT_MANAGER_HOME").arg("--home").arg(home);
    proc::capture(command.args(words).args(more))
}
