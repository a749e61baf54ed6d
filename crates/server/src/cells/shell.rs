//! Cells of a shell (`local_bash_shell`): a command in the workspace of the canvas's task, behind the walls
//! and rules of its commands. Of what a person did not ask for herself she is asked first, always.
//!
//! Deliberately not here: how commands run.

use super::interpreter::scope_has;
use super::steps::{Around, Came, Fault, Step};
use crate::approvals::{Ask, Nowhere};
use crate::calls;
use arena::engine::StepEnd;
use base::Failure;
use runtime::protocol::Level;
use serde_json::json;
use store::GrantKind;
use wire::WorkspaceRun;
use workspace::policy::Decision;

const NAME: &str = "shell";
/// Milliseconds that a command may take.
const TIME: u64 = 600_000;

pub(super) async fn step(around: &Around<'_>, step: &Step, context: &str) -> Result<Came, Fault> {
    let Around {
        app,
        notebook,
        who,
        heard,
        cancel,
    } = around;
    let task = notebook.look().await.row.task.clone();
    let task = task.ok_or_else(|| Failure::new("cell_no_workspace"))?;
    scope_has(app, who, |scope| scope.has_task(&task), &task)?;
    let command = command(context, &step.text);
    if !who.is_person() {
        let policy = app.inner.rules.policy().await?;
        // What the rules ask about is asked when it runs, and what they block is not asked.
        if matches!(policy.judge(&command).decision, Decision::Allow) {
            let ask = Ask {
                subject: format!("task:{task}"),
                kind: GrantKind::Command,
                value: command.clone(),
                code_hash: String::new(),
                detail: json!({"reason": context, "cell": step.cell.to_string()}),
                actor: who.actor().clone(),
            };
            app.approvals().ask(ask, cancel).await?.check()?;
        }
    }
    let params = WorkspaceRun {
        task_id: task,
        command,
        timeout_ms: Some(TIME),
        run: None,
    };
    let ran = calls::run_command(app, &who.caller(), params, cancel, &Nowhere).await?;
    for line in ran.stdout.lines() {
        heard.line(Level::Info, line.to_owned());
    }
    for line in ran.stderr.lines() {
        heard.line(Level::Error, line.to_owned());
    }
    let value = match ran.exit_code {
        0 => String::new(),
        code => format!("exit {code}"),
    };
    Ok(Came {
        end: StepEnd::Done { value },
        artifacts: Vec::new(),
        by: NAME,
    })
}

/// The text for the shell that the context names; `sh` reads it where it names none.
fn command(context: &str, text: &str) -> String {
    let word = context.to_ascii_lowercase();
    let shell = word
        .strip_prefix("local_")
        .and_then(|rest| rest.strip_suffix("shell"));
    match shell.map(|shell| shell.trim_matches('_')) {
        Some(shell @ ("bash" | "zsh" | "fish")) => format!("{shell} -c '{}'", text.replace('\'', r"'\''")),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_names_its_shell() {
        assert_eq!(command("local_shell", "ls"), "ls");
        assert_eq!(command("local_sh_shell", "ls"), "ls");
        assert_eq!(
            command("local_bash_shell", "echo 'a'"),
            r"bash -c 'echo '\''a'\'''"
        );
        assert_eq!(command("Local_Fish_Shell", "ls"), "fish -c 'ls'");
    }
}
