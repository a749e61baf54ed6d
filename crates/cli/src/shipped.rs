//! Built-in tools that the person changed, and tools of the old layout.

use crate::lifecycle::say;
use crate::output::{self, Failed};
use crate::owner::Session;
use base::Failure;
use serde_json::json;
use wire::{
    Client, OldToolState, ToolMigrate, ToolMigration, ToolRef, ToolSettle, ToolShipped, ToolStanding,
    ToolTake,
};

/// The tool, and what there is to say about it as a built-in one.
pub async fn show(session: &mut Session, tool: String) -> Result<(), Failed> {
    let detail = session
        .read(Client::tool_show, ToolRef { tool: tool.clone() })
        .await?;
    let shipped = session.read(Client::tool_shipped, ToolRef { tool }).await?;
    let mut all = json!(detail);
    if shipped.standing != ToolStanding::Own {
        all["shipped"] = json!(shipped);
    }
    output::print(&all);
    Ok(())
}

pub async fn settle(
    session: &mut Session,
    tool: String,
    file: Option<String>,
    take: ToolTake,
    json: bool,
) -> Result<(), Failed> {
    let path = match file {
        Some(file) => file,
        Option::None => only(
            &session
                .read(Client::tool_shipped, ToolRef { tool: tool.clone() })
                .await?,
        )?,
    };
    let params = ToolSettle {
        tool,
        path: path.clone(),
        take,
    };
    let now = session.change(Client::tool_settle, params).await?;
    let left = now.edits.iter().find(|edit| edit.path == path);
    let text = match (take, left.and_then(|edit| edit.merged.as_ref())) {
        (ToolTake::Merge, Some(file)) => {
            let places = left.and_then(|edit| edit.conflicts).unwrap_or(0);
            format!(
                "{file} in the tool's folder: {places} places to decide; then pm tool settle {} --merged",
                now.tool
            )
        }
        (ToolTake::New, _) => format!("{path}: the built-in one runs, yours lies beside it"),
        _ => format!("{path}: yours runs"),
    };
    say(json, &now, &text);
    Ok(())
}

/// The file that can be meant where none is named.
fn only(shipped: &ToolShipped) -> Result<String, Failed> {
    match shipped.edits.as_slice() {
        [edit] => Ok(edit.path.clone()),
        edits => {
            let files: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
            let failure = Failure::new("tool_edit_which").with("tool", shipped.tool.as_str());
            Err(Failed::of(&failure.with("files", files.join(", "))))
        }
    }
}

pub async fn migrate(session: &mut Session, undo: bool, json: bool) -> Result<(), Failed> {
    let found = session.change(Client::tool_migrate, ToolMigrate { undo }).await?;
    say(json, &found, &told(&found));
    Ok(())
}

fn told(found: &ToolMigration) -> String {
    if found.tools.is_empty() {
        return "there are no tools of the old layout".to_owned();
    }
    let line = |old: &wire::OldTool| {
        let what = match old.state {
            OldToolState::Moving | OldToolState::Undoing => "not finished; the next start ends it",
            OldToolState::Moved => "in the toolbox",
            OldToolState::Taken => "left in tools/: there is a tool of this name",
            OldToolState::NoTool => "left in tools/: it holds no tool of its name",
            OldToolState::Failed => "left in tools/",
            OldToolState::Undone => "back in tools/",
        };
        let reason = old.reason.as_ref().map(|reason| format!(" ({reason})"));
        format!("{}  {what}{}\n", old.tool, reason.unwrap_or_default())
    };
    let lines: String = found.tools.iter().map(line).collect();
    format!("{lines}kept as they were: {}", found.backup)
}
