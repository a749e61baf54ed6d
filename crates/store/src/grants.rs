//! Rights that a person gave (HOUSE, "Declared means requested").

use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window};
use base::Event;
use rusqlite::{Row, Transaction, params};
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
    /// Commands of a task run without a wall where the host has none; the value is empty.
    Unsandboxed,
}

impl GrantKind {
    const ALL: [GrantKind; 5] = [
        GrantKind::Directory,
        GrantKind::Command,
        GrantKind::Network,
        GrantKind::Tool,
        GrantKind::Unsandboxed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            GrantKind::Directory => "directory",
            GrantKind::Command => "command",
            GrantKind::Network => "network",
            GrantKind::Tool => "tool",
            GrantKind::Unsandboxed => "unsandboxed",
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

/// A grant with the time it was given, milliseconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    pub grant: Grant,
    pub at: i64,
}

impl Store {
    /// Newest first, and how many there are in all; with `subject`, only its own.
    pub async fn all_grants(
        &self,
        subject: Option<String>,
        window: Window,
    ) -> Result<(Vec<Granted>, u32), StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT subject, kind, value, code_hash, actor_kind, actor_name, granted_at FROM grants
                 WHERE ?1 IS NULL OR subject = ?1 ORDER BY granted_at DESC, rowid DESC LIMIT ?2 OFFSET ?3",
            )?;
            let rows = statement.query_map(params![subject, window.limit, window.offset], granted_of)?;
            // A kind that only a newer program knows is nothing that this one would act on.
            let known = rows.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            let total = connection
                .prepare_cached("SELECT count(*) FROM grants WHERE ?1 IS NULL OR subject = ?1")?
                .query_row([subject], |row| row.get(0))?;
            Ok((known, total))
        })
        .await
    }

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

fn granted_of(row: &Row) -> rusqlite::Result<Option<Granted>> {
    let Some(kind) = GrantKind::named(&row.get::<_, String>(1)?) else {
        return Ok(None);
    };
    let grant = Grant {
        subject: row.get(0)?,
        kind,
        value: row.get(2)?,
        code_hash: row.get(3)?,
        actor: Actor {
            kind: row.get(4)?,
            name: row.get(5)?,
        },
    };
    let at = row.get(6)?;
    Ok(Some(Granted { grant, at }))
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
        Some(task) => Event::new("grant.changed", json!({"task": task}))
            .tag("grants")
            .tag("isolation"),
        None => Event::new("tool.changed", json!({"tool": subject}))
            .tag("grants")
            .tag("tools"),
    }
}
