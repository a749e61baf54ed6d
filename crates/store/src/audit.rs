//! Who changed what: grants, configuration, removals.

use crate::Actor;
use crate::connection::Store;
use crate::error::StoreError;
use rusqlite::{Transaction, params};
use serde_json::Value;
use std::cell::RefCell;

type Scrub = Box<dyn Fn(&str) -> String>;

thread_local! {
    /// Of the store's own thread, which alone writes the audit.
    static SCRUB: RefCell<Option<Scrub>> = const { RefCell::new(None) };
}

#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub actor: Actor,
    /// `grant.add`, `configure`, `artifact.remove`…
    pub action: String,
    pub subject: String,
    /// Names rather than values. What must be a value, such as a command, is scrubbed as it is
    /// written ([`Store::scrub_audit`]).
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

    /// From now on what is written into the audit goes through `scrub`: JSON in, JSON out.
    pub async fn scrub_audit(
        &self,
        scrub: impl Fn(&str) -> String + Send + 'static,
    ) -> Result<(), StoreError> {
        self.read(move |_| {
            SCRUB.set(Some(Box::new(scrub)));
            Ok(())
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
    let detail = entry.detail.to_string();
    let detail = SCRUB.with_borrow(|scrub| scrub.as_ref().map_or(detail.clone(), |scrub| scrub(&detail)));
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
            detail
        ])?;
    Ok(())
}
