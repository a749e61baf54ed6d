//! The command policy: tables of commands, properties, rules of users.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod blocked;
mod disguised;
mod harmless;
mod properties;
mod rules;
mod unseen;
mod unsure;

use std::sync::LazyLock;
use workspace::policy::{Decision, Policy};

static POLICY: LazyLock<Policy> = LazyLock::new(|| Policy::built_in().unwrap());

/// All commands of a table get this decision; what does not is listed in one go.
fn all(expected: Decision, commands: &[&str]) {
    let wrong: Vec<String> = commands
        .iter()
        .map(|command| (command, POLICY.judge(command)))
        .filter(|(_, verdict)| verdict.decision != expected)
        .map(|(command, verdict)| format!("{command:?} gives {:?}: {:?}", verdict.decision, verdict.findings))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        commands.len(),
        wrong.join("\n")
    );
}
