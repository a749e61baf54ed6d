//! Rights that a person gave (HOUSE, "Declared means requested").

use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use crate::masking::{self, Kept};
use crate::{Actor, Window};
use base::Event;
use rusqlite::hooks::Action;
use rusqlite::{Connection, Row, params};
use serde_json::json;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is granted. A value is compared as it is kept: whoever grants and whoever asks bring it
/// into one form first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantKind {
    /// An absolute path without `.`, `..` and links.
    Directory,
    /// A whole command line, byte by byte. Secrets in it are kept masked.
    Command,
    /// A host as `sandbox::net::HostRules::normal_form` has it.
    Network,
    /// The name of a tool that may be used.
    Tool,
    /// Commands of a task run without a wall where the host has none; the value is empty.
    Unsandboxed,
    /// The network of this machine as it is, without a list of hosts; the value is empty.
    FullNetwork,
    /// Lifecycle scripts of a package of a tool: `name@version`; the code is the package's integrity.
    Script,
    /// Programs that a tool starts; the value is empty.
    Processes,
    /// A site that the assistant may look at and work on: its origin.
    Site,
    /// A step of the assistant, in words; of the one wish that is the subject.
    Step,
}

impl GrantKind {
    const ALL: [GrantKind; 10] = [
        GrantKind::Directory,
        GrantKind::Command,
        GrantKind::Network,
        GrantKind::FullNetwork,
        GrantKind::Tool,
        GrantKind::Unsandboxed,
        GrantKind::Script,
        GrantKind::Processes,
        GrantKind::Site,
        GrantKind::Step,
    ];

    pub fn name(self) -> &'static str {
        match self {
            GrantKind::Directory => "directory",
            GrantKind::Command => "command",
            GrantKind::Network => "network",
            GrantKind::Tool => "tool",
            GrantKind::Unsandboxed => "unsandboxed",
            GrantKind::FullNetwork => "full_network",
            GrantKind::Script => "script",
            GrantKind::Processes => "processes",
            GrantKind::Site => "site",
            GrantKind::Step => "step",
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

/// One grant of a subject.
#[derive(Debug)]
struct OfSubject {
    kind: GrantKind,
    value: String,
    code: String,
}

/// What was read of grants, good for as long as the table has not been touched.
#[derive(Debug, Default)]
pub(crate) struct KnownGrants {
    /// How often it was.
    changes: Arc<AtomicU64>,
    /// By subject.
    read: Mutex<HashMap<String, Read>>,
}

/// The table's count when it was read, and what was there.
type Read = (u64, Arc<[OfSubject]>);

/// Subjects remembered.
const REMEMBERED: usize = 4096;

impl KnownGrants {
    /// Sees every change that is made over this connection, which is the only one. A change counts
    /// before it is committed: who reads then waits behind it.
    pub(crate) fn watching(connection: &mut Connection) -> rusqlite::Result<Self> {
        let known = KnownGrants::default();
        let changes = known.changes.clone();
        connection.update_hook(Some(move |_: Action, _: &str, table: &str, _: i64| {
            if table == "grants" {
                changes.fetch_add(1, Ordering::AcqRel);
            }
        }))?;
        Ok(known)
    }

    fn get(&self, subject: &str, now: u64) -> Option<Arc<[OfSubject]>> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, known) = read.get(subject)?;
        (*at == now).then(|| known.clone())
    }

    fn put(&self, subject: String, at: u64, known: Arc<[OfSubject]>) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= REMEMBERED {
            read.clear();
        }
        read.insert(subject, (at, known));
    }
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
        let known = self.grants_of(subject).await?;
        let wanted = known
            .iter()
            .filter(|kept| kept.kind == kind && code.as_ref().is_none_or(|code| *code == kept.code));
        Ok(wanted.map(|kept| kept.value.clone()).collect())
    }

    /// Values with the code that each was granted to, in order of granting.
    pub async fn grants_with_code(
        &self,
        subject: String,
        kind: GrantKind,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let known = self.grants_of(subject).await?;
        let wanted = known.iter().filter(|kept| kept.kind == kind);
        Ok(wanted
            .map(|kept| (kept.value.clone(), kept.code.clone()))
            .collect())
    }

    /// All that a subject has: every run asks, and the table is asked only when it was changed.
    async fn grants_of(&self, subject: String) -> Result<Arc<[OfSubject]>, StoreError> {
        let now = self.grants.changes.load(Ordering::Acquire);
        if let Some(known) = self.grants.get(&subject, now) {
            return Ok(known);
        }
        let read: Arc<[OfSubject]> = {
            let subject = subject.clone();
            self.read(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT kind, value, code_hash FROM grants WHERE subject = ?1 ORDER BY granted_at, rowid",
                )?;
                let rows = statement.query_map([subject], |row| {
                    let kind: String = row.get(0)?;
                    // A kind that only a newer program knows is nothing that this one would act on.
                    let Some(kind) = GrantKind::named(&kind) else {
                        return Ok(None);
                    };
                    let (value, code) = (row.get(1)?, row.get(2)?);
                    Ok(Some(OfSubject { kind, value, code }))
                })?;
                Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
            })
            .await?
        };
        self.grants.put(subject, now, read.clone());
        Ok(read)
    }

    pub async fn add_grant(&self, grant: Grant) -> Result<(), StoreError> {
        self.change(move |transaction| Ok(((), vec![insert(transaction, grant)?])))
            .await
    }

    /// Makes these the only grants that a task has of these kinds, in one step.
    pub async fn set_grants(
        &self,
        subject: String,
        kinds: &'static [GrantKind],
        wanted: Vec<(GrantKind, String)>,
        actor: Actor,
    ) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let mut changes = 0;
            for kind in kinds {
                let mut statement = transaction
                    .prepare_cached("SELECT value FROM grants WHERE subject = ?1 AND kind = ?2")?;
                let rows = statement.query_map(params![subject, kind.name()], |row| row.get(0))?;
                let known: Vec<String> = rows.collect::<Result<_, _>>()?;
                let has = |value: &String| wanted.iter().any(|(of, wanted)| of == kind && wanted == value);
                for value in known.iter().filter(|value| !has(value)) {
                    changes += usize::from(remove(transaction, &subject, *kind, value, &actor)?);
                }
                for (_, value) in wanted
                    .iter()
                    .filter(|(of, value)| of == kind && !known.contains(value))
                {
                    let grant = Grant {
                        subject: subject.clone(),
                        kind: *kind,
                        value: value.clone(),
                        code_hash: String::new(),
                        actor: actor.clone(),
                    };
                    insert(transaction, grant)?;
                    changes += 1;
                }
            }
            let events = if changes > 0 {
                vec![changed(&subject)]
            } else {
                Vec::new()
            };
            Ok(((), events))
        })
        .await
    }

    /// Makes these the only grants that a tool has of these kinds, all for this code, in one step.
    pub async fn settle_grants(
        &self,
        tool: String,
        kinds: &'static [GrantKind],
        code: String,
        wanted: Vec<(GrantKind, String)>,
        actor: Actor,
    ) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let known = of_kinds(transaction, &tool, kinds)?;
            let stays = |(kind, value, for_code): &(GrantKind, String, String)| {
                *for_code == code && wanted.iter().any(|(of, wanted)| of == kind && wanted == value)
            };
            let mut changes = 0;
            for (kind, value, _) in known.iter().filter(|one| !stays(one)) {
                changes += usize::from(remove(transaction, &tool, *kind, value, &actor)?);
            }
            let has = |kind: GrantKind, value: &str| {
                let mut staying = known.iter().filter(|one| stays(one));
                staying.any(|(of, known, _)| *of == kind && known == value)
            };
            for (kind, value) in wanted.iter().filter(|(kind, value)| !has(*kind, value)) {
                let grant = Grant {
                    subject: tool.clone(),
                    kind: *kind,
                    value: value.clone(),
                    code_hash: code.clone(),
                    actor: actor.clone(),
                };
                insert(transaction, grant)?;
                changes += 1;
            }
            let events = if changes > 0 {
                vec![changed(&tool)]
            } else {
                Vec::new()
            };
            Ok(((), events))
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
        self.change(
            move |transaction| match remove(transaction, &subject, kind, &value, &actor)? {
                true => Ok((true, vec![changed(&subject)])),
                false => Ok((false, Vec::new())),
            },
        )
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
        value: masking::shown(kind, &row.get::<_, String>(2)?),
        code_hash: row.get(3)?,
        actor: Actor {
            kind: row.get(4)?,
            name: row.get(5)?,
        },
    };
    let at = row.get(6)?;
    Ok(Some(Granted { grant, at }))
}

/// Kind, value and code of what a subject has of these kinds.
fn of_kinds(
    transaction: &Connection,
    subject: &str,
    kinds: &[GrantKind],
) -> Result<Vec<(GrantKind, String, String)>, StoreError> {
    let mut all = Vec::new();
    let mut statement =
        transaction.prepare_cached("SELECT value, code_hash FROM grants WHERE subject = ?1 AND kind = ?2")?;
    for kind in kinds {
        let rows = statement.query_map(params![subject, kind.name()], |row| {
            Ok((*kind, row.get(0)?, row.get(1)?))
        })?;
        for row in rows {
            all.push(row?);
        }
    }
    Ok(all)
}

/// Takes all grants of a subject away, each with its audit row.
pub(crate) fn remove_all(
    transaction: &Connection,
    subject: &str,
    actor: &Actor,
) -> Result<Option<Event>, StoreError> {
    let mut statement = transaction.prepare_cached("SELECT kind, value FROM grants WHERE subject = ?1")?;
    let rows = statement.query_map([subject], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let known: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
    let mut any = false;
    for (kind, value) in &known {
        if let Some(kind) = GrantKind::named(kind) {
            any |= remove(transaction, subject, kind, value, actor)?;
        }
    }
    Ok(any.then(|| changed(subject)))
}

/// Takes a grant away with its audit row, if there is one. Of commands that look the same because
/// their secrets are masked, all go.
fn remove(
    transaction: &Connection,
    subject: &str,
    kind: GrantKind,
    value: &str,
    actor: &Actor,
) -> Result<bool, StoreError> {
    let mut statement =
        transaction.prepare_cached("SELECT rowid, value FROM grants WHERE subject = ?1 AND kind = ?2")?;
    let rows = statement.query_map(params![subject, kind.name()], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let wanted = masking::shown(kind, value);
    let mut gone = false;
    for (row, kept) in rows {
        if kept == value || masking::shown(kind, &kept) == wanted {
            transaction.execute("DELETE FROM grants WHERE rowid = ?1", [row])?;
            gone = true;
        }
    }
    if gone {
        let entry = AuditEntry {
            actor: actor.clone(),
            action: "grant.revoke".into(),
            subject: subject.to_owned(),
            detail: json!({"kind": kind.name(), "value": value}),
        };
        audit::insert(transaction, &entry)?;
    }
    Ok(gone)
}

/// Keeps a grant with its audit row; the event tells of it.
pub(crate) fn insert(transaction: &Connection, grant: Grant) -> Result<Event, StoreError> {
    let kept = masking::kept(grant.kind, &grant.value);
    insert_kept(transaction, grant, kept)
}

/// The same for a value as it is kept elsewhere.
pub(crate) fn insert_kept(transaction: &Connection, grant: Grant, kept: Kept) -> Result<Event, StoreError> {
    transaction.execute(
        "INSERT OR REPLACE INTO grants (subject, kind, value, mark, code_hash, actor_kind, actor_name, granted_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            grant.subject,
            grant.kind.name(),
            kept.shown,
            kept.mark,
            grant.code_hash,
            grant.actor.kind,
            grant.actor.name,
            base::clock::now_ms()
        ],
    )?;
    let event = changed(&grant.subject);
    let entry = AuditEntry {
        detail: json!({"kind": grant.kind.name(), "value": kept.shown}),
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
            .tag("tools")
            .tag("dependencies"),
    }
}
