//! `pm grant`: the rights that the person gave.

use crate::options::Grant;
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use std::process::ExitCode;
use wire::{ApprovalKind, Client, GrantQuery, GrantRef, GrantRow, Page};

pub async fn grant(session: &mut Session, verb: Grant, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Grant::List { subject } => {
            let page = Page {
                offset: 0,
                limit: 500,
            };
            let query = GrantQuery { subject, page };
            let found = session.read(Client::grant_list, query).await?;
            match json {
                true => output::print(&found),
                false => found.grants.iter().for_each(|row| output::line(&line(row))),
            }
        }
        Grant::Unsandboxed { task } => {
            let params = GrantRef {
                subject: format!("task:{task}"),
                kind: ApprovalKind::Unsandboxed,
                value: String::new(),
            };
            let row = session.change(Client::grant_add, params).await?;
            if json {
                output::print(&row);
            }
        }
        Grant::Revoke { subject, kind, value } => {
            let kind = KINDS.iter().find(|(_, name)| *name == kind);
            let kind = kind.map(|(kind, _)| *kind).ok_or_else(|| {
                let known: Vec<_> = KINDS.iter().map(|(_, name)| *name).collect();
                Failed::Usage(format!("KIND is one of {}", known.join(", ")))
            })?;
            // As it is given.
            let subject = match kind {
                ApprovalKind::Unsandboxed if !subject.contains(':') => format!("task:{subject}"),
                _ => subject,
            };
            let params = GrantRef { subject, kind, value };
            let done = session.change(Client::grant_revoke, params).await?;
            if json {
                output::print(&done);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// As they are typed and printed.
const KINDS: [(ApprovalKind, &str); 10] = [
    (ApprovalKind::Command, "command"),
    (ApprovalKind::Directory, "directory"),
    (ApprovalKind::Network, "network"),
    (ApprovalKind::Tool, "tool"),
    (ApprovalKind::Unsandboxed, "unsandboxed"),
    (ApprovalKind::FullNetwork, "full_network"),
    (ApprovalKind::Script, "script"),
    (ApprovalKind::Processes, "processes"),
    (ApprovalKind::Site, "site"),
    (ApprovalKind::Step, "step"),
];

/// On one line and without control characters: a granted command was written by a model.
fn line(row: &GrantRow) -> String {
    let at = base::clock::iso_local(row.at as i64);
    let name = KINDS.iter().find(|(kind, _)| *kind == row.kind);
    let kind = name.map_or("", |(_, name)| *name);
    format!("{at}  {}  {kind}  {}", tame(&row.subject), tame(&row.value))
}
