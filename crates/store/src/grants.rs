//! Rights that a person gave (HOUSE, "Declared means requested").

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use base::Event;
use rusqlite::params;
use serde_json::json;

/// What is granted. More kinds (network, process) come with the brokers that enforce them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantKind {
    Directory,
}

impl GrantKind {
    fn name(self) -> &'static str {
        match self {
            GrantKind::Directory => "directory",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Tool name.
    pub subject: String,
    pub kind: GrantKind,
    /// Absolute path.
    pub value: String,
    /// Hash of the tool's code when it was granted.
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
        self.change(move |transaction| {
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
            let detail = json!({"kind": grant.kind.name(), "value": grant.value});
            let event = changed(&grant.subject);
            let entry = AuditEntry { actor: grant.actor, action: "grant.add".into(), subject: grant.subject, detail };
            audit::insert(transaction, &entry)?;
            Ok(((), vec![event]))
        })
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

fn changed(subject: &str) -> Event {
    Event::new("tool.changed", json!({"tool": subject}))
        .tag("grants")
        .tag("tools")
}
