//! Who changed what: grants, configuration, removals.

use crate::Actor;
use crate::connection::Store;
use crate::error::StoreError;
use crate::masking;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub actor: Actor,
    /// `grant.add`, `configure`, `artifact.remove`…
    pub action: String,
    pub subject: String,
    /// Names rather than values. What must be a value, such as a command, is masked as it is
    /// written ([`Store::mask`]).
    pub detail: Value,
}

impl AuditEntry {
    /// Of which there is nothing more to say.
    pub(crate) fn plain(action: &str, subject: &str, actor: Actor) -> Self {
        AuditEntry {
            actor,
            action: action.to_owned(),
            subject: subject.to_owned(),
            detail: json!({}),
        }
    }
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

    /// What is kept of them beside, oldest first.
    pub async fn audit_details(&self, subject: String) -> Result<Vec<Value>, StoreError> {
        self.read(move |connection| {
            let mut statement =
                connection.prepare_cached("SELECT detail FROM audit WHERE subject = ?1 ORDER BY id")?;
            let rows = statement.query_map([subject], |row| row.get::<_, String>(0))?;
            rows.map(|row| Ok(serde_json::from_str(&row?)?)).collect()
        })
        .await
    }
}

pub(crate) fn insert(transaction: &Connection, entry: &AuditEntry) -> Result<(), StoreError> {
    let mut detail = entry.detail.clone();
    masking::json(&mut detail);
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
            detail.to_string()
        ])?;
    Ok(())
}
