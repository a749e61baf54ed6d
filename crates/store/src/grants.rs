//! Rights that a person gave (HOUSE, "Declared means requested").

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use base::Event;
use rusqlite::{Transaction, params};
use serde_json::json;

/// What is granted. A value is compared as it is kept: whoever grants and whoever asks bring it
/// into one form first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantKind {
    /// An absolute path without `.`, `..` and links.
    Directory,
    /// A whole command line, byte by byte.
    Command,
    /// A host as `sandbox::net::HostRules::normal_form` has it.
    Network,
    /// The name of a tool that may be used.
    Tool,
}

impl GrantKind {
    const ALL: [GrantKind; 4] = [
        GrantKind::Directory,
        GrantKind::Command,
        GrantKind::Network,
        GrantKind::Tool,
    ];

    pub fn name(self) -> &'static str {
        match self {
            GrantKind::Directory => "directory",
            GrantKind::Command => "command",
            GrantKind::Network => "network",
            GrantKind::Tool => "tool",
        }
    }

    pub(crate) fn named(name: &str) -> Option<GrantKind> {
        GrantKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// A tool's name, or `task:` and the id of a task.
    pub subject: String,
    pub kind: GrantKind,
    pub value: String,
    /// Hash of the tool's code when it was granted; empty for a task.
    pub code_hash: String,
    pub actor: Actor,
}

impl Store {
    /// Values granted to a subject, in order of granting; with `code`, only those that were granted
    /// to just this code.
    pub async fn grants(
        &self,
        subject: String,
        kind: GrantKind,
        code: Option<String>,
    ) -> Result<Vec<String>, StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT value FROM grants WHERE subject = ?1 AND kind = ?2 AND (?3 IS NULL OR code_hash = ?3)
                 ORDER BY granted_at, rowid",
            )?;
            let rows = statement.query_map(params![subject, kind.name(), code], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub async fn add_grant(&self, grant: Grant) -> Result<(), StoreError> {
        self.change(move |transaction| Ok(((), vec![insert(transaction, grant)?])))
            .await
    }

    /// Whether there was such a grant.
    pub async fn revoke(
        &self,
        subject: String,
        kind: GrantKind,
        value: String,
        actor: Actor,
    ) -> Result<bool, StoreError> {
        self.change(move |transaction| {
            let gone = transaction.execute(
                "DELETE FROM grants WHERE subject = ?1 AND kind = ?2 AND value = ?3",
                params![subject, kind.name(), value],
            )?;
            if gone == 0 {
                return Ok((false, Vec::new()));
            }
            let event = changed(&subject);
            let detail = json!({"kind": kind.name(), "value": value});
            audit::insert(
                transaction,
                &AuditEntry {
                    actor,
                    action: "grant.revoke".into(),
                    subject,
                    detail,
                },
            )?;
            Ok((true, vec![event]))
        })
        .await
    }
}

/// Keeps a grant with its audit row; the event tells of it.
pub(crate) fn insert(transaction: &Transaction, grant: Grant) -> Result<Event, StoreError> {
    transaction.execute(
        "INSERT OR REPLACE INTO grants (subject, kind, value, code_hash, actor_kind, actor_name, granted_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            grant.subject,
            grant.kind.name(),
            grant.value,
            grant.code_hash,
            grant.actor.kind,
            grant.actor.name,
            base::clock::now_ms()
        ],
    )?;
    let event = changed(&grant.subject);
    let entry = AuditEntry {
        detail: json!({"kind": grant.kind.name(), "value": grant.value}),
        actor: grant.actor,
        action: "grant.add".into(),
        subject: grant.subject,
    };
    audit::insert(transaction, &entry)?;
    Ok(event)
}

fn changed(subject: &str) -> Event {
    match subject.strip_prefix("task:") {
        Some(task) => Event::new("grant.changed", json!({"task": task})).tag("grants"),
        None => Event::new("tool.changed", json!({"tool": subject}))
            .tag("grants")
            .tag("tools"),
    }
}
