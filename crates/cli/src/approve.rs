//! `pm approve`: the person's answers to what waits for her.

use crate::options::Approve;
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use std::process::ExitCode;
use wire::{
    ApprovalAnswer, ApprovalKind, ApprovalQuery, ApprovalResolve, ApprovalRow, ApprovalState, Client, Page,
};

pub async fn approve(session: &mut Session, verb: Approve, json: bool) -> Result<ExitCode, Failed> {
    let (id, answer) = match verb {
        Approve::List => {
            list(session, json).await?;
            return Ok(ExitCode::SUCCESS);
        }
        Approve::Allow { id, task: false } => (id, ApprovalAnswer::AllowOnce),
        Approve::Allow { id, task: true } => (id, ApprovalAnswer::AllowForTask),
        Approve::Deny { id } => (id, ApprovalAnswer::Deny),
    };
    let params = ApprovalResolve { id, answer };
    let row = session.change(Client::approval_resolve, params).await?;
    if json {
        output::print(&row);
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &mut Session, json: bool) -> Result<(), Failed> {
    let query = ApprovalQuery {
        state: Some(ApprovalState::Waiting),
        page: Page {
            offset: 0,
            limit: 500,
        },
    };
    let found = session.read(Client::approval_list, query).await?;
    if json {
        output::print(&found);
        return Ok(());
    }
    for row in found.approvals {
        output::line(&line(&row));
    }
    Ok(())
}

/// On one line and without control characters: what is asked for was chosen by a model, and must
/// not look like something else on the terminal.
fn line(row: &ApprovalRow) -> String {
    let kind = match row.kind {
        ApprovalKind::Command => "command",
        ApprovalKind::Directory => "directory",
        ApprovalKind::Network => "network",
        ApprovalKind::Tool => "tool",
        ApprovalKind::Unsandboxed => "unsandboxed",
        ApprovalKind::FullNetwork => "full network",
        ApprovalKind::Script => "script",
        ApprovalKind::Processes => "processes",
        ApprovalKind::Site => "site",
        ApprovalKind::Step => "step",
    };
    let at = base::clock::iso_local(row.created_at as i64);
    format!(
        "{}  {at}  {}  {kind}: {}",
        row.id,
        tame(&row.subject),
        tame(&row.value)
    )
}
