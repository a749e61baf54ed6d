//! Who changed what: grants, configuration, removals.

use crate::Actor;
use crate::connection::Store;
use crate::error::StoreError;
use rusqlite::{Transaction, params};
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub actor: Actor,
    /// `grant.add`, `configure`, `artifact.remove`…
    pub action: String,
    pub subject: String,
    /// Never holds a secret: the caller passes names, not values.
    pub detail: Value,
}

impl Store {
    pub async fn audit(&self, entry: AuditEntry) -> Result<(), StoreError> {
        self.change(move |transaction| {
            insert(transaction, &entry)?;
            Ok(((), Vec::new()))
        })
        .await
    }

    /// Actions on a subject, oldest first.
    pub async fn audit_of(&self, subject: String) -> Result<Vec<String>, StoreError> {
        self.read(move |connection| {
            let mut statement =
                connection.prepare_cached("SELECT action FROM audit WHERE subject = ?1 ORDER BY id")?;
            let rows = statement.query_map([subject], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

pub(crate) fn insert(transaction: &Transaction, entry: &AuditEntry) -> Result<(), StoreError> {
    transaction
        .prepare_cached(
            "INSERT INTO audit (at, actor_kind, actor_name, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            base::clock::now_ms(),
            entry.actor.kind,
            entry.actor.name,
            entry.action,
            entry.subject,
            entry.detail.to_string()
        ])?;
    Ok(())
}
