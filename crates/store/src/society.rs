//! Tasks of societies: a row each, and the events that made it, numbered from 0 without a gap. What happened together
//! is kept in one transaction with what it changes in the row, so that a task is never between two events.
//!
//! Deliberately not here: what an event means (`agents::society`); it is a text.

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use base::{Event, clock};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocietyTask {
    /// Also of the workspace that it is bound to.
    pub id: String,
    pub title: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    pub changed_at: i64,
    /// How many there are.
    pub events: u64,
    pub shown: SocietyShown,
    pub actor: Actor,
    pub removed_at: Option<i64>,
}

/// What a list shows of a task beside its title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocietyShown {
    pub agents: u32,
    pub messages: u32,
    /// Somebody has something to do: whoever opens the records goes on with it.
    pub busy: bool,
    pub paused: bool,
    pub stopped: bool,
    /// Messages to the person.
    pub told: u32,
}

/// What happened, and when, in milliseconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocietyEvent {
    pub at: i64,
    pub event: String,
}

const COLUMNS: &str = "id, title, created_at, changed_at, events, agents, messages, busy, paused, stopped, told, \
     actor_kind, actor_name, removed_at";

fn task(row: &Row<'_>) -> rusqlite::Result<SocietyTask> {
    Ok(SocietyTask {
        id: row.get(0)?,
        title: row.get(1)?,
        created_at: row.get(2)?,
        changed_at: row.get(3)?,
        events: row.get::<_, i64>(4)?.unsigned_abs(),
        shown: SocietyShown {
            agents: row.get(5)?,
            messages: row.get(6)?,
            busy: row.get(7)?,
            paused: row.get(8)?,
            stopped: row.get(9)?,
            told: row.get(10)?,
        },
        actor: Actor {
            kind: row.get(11)?,
            name: row.get(12)?,
        },
        removed_at: row.get(13)?,
    })
}

impl Store {
    /// Those that are there, or those in the trash; the last changed first.
    pub async fn society_tasks(&self, removed: bool) -> Result<Vec<SocietyTask>, StoreError> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM society_tasks WHERE (removed_at IS NOT NULL) = ?1 ORDER BY changed_at DESC, id"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([removed], task)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// One that is not in the trash.
    pub async fn society_task(&self, id: String) -> Result<SocietyTask, StoreError> {
        self.read(move |connection| there(connection, &id)).await
    }

    /// So many of its events from this number on.
    pub async fn society_events(
        &self,
        id: String,
        from: u64,
        most: u32,
    ) -> Result<Vec<SocietyEvent>, StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT at, event FROM society_events WHERE task = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
            )?;
            let rows = statement.query_map(params![id, signed(from), most], |row| {
                Ok(SocietyEvent {
                    at: row.get(0)?,
                    event: row.get(1)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// A task with its first events.
    pub async fn add_society_task(
        &self,
        id: String,
        title: String,
        actor: Actor,
        events: Vec<SocietyEvent>,
        shown: SocietyShown,
    ) -> Result<SocietyTask, StoreError> {
        self.change(move |transaction| {
            let now = clock::now_ms();
            transaction.execute(
                "INSERT INTO society_tasks (id, title, created_at, changed_at, events, agents, messages, busy, paused, \
                 stopped, told, actor_kind, actor_name) VALUES (?1, ?2, ?3, ?3, 0, 0, 0, 0, 0, 0, 0, ?4, ?5)",
                params![id, title, now, actor.kind, actor.name],
            )?;
            add(transaction, &id, 0, &events, shown)?;
            let entry = AuditEntry {
                actor,
                action: "society.begin".to_owned(),
                subject: id.clone(),
                detail: json!({"title": title}),
            };
            audit::insert(transaction, &entry)?;
            Ok((there(transaction, &id)?, vec![listed(&id)]))
        })
        .await
    }

    /// Keeps what happened from event number `seq` on, which must be the next one.
    pub async fn add_society_events(
        &self,
        id: String,
        seq: u64,
        events: Vec<SocietyEvent>,
        shown: SocietyShown,
    ) -> Result<(), StoreError> {
        self.change(move |transaction| {
            add(transaction, &id, seq, &events, shown)?;
            let version = seq + events.len() as u64;
            let data = json!({"task": id, "version": version, "busy": shown.busy, "paused": shown.paused});
            Ok(((), vec![Event::new("society.message", data).tag("society")]))
        })
        .await
    }

    pub async fn rename_society_task(&self, id: String, title: String) -> Result<SocietyTask, StoreError> {
        self.change(move |transaction| {
            there(transaction, &id)?;
            transaction.execute(
                "UPDATE society_tasks SET title = ?2 WHERE id = ?1",
                params![id, title],
            )?;
            Ok((there(transaction, &id)?, vec![listed(&id)]))
        })
        .await
    }

    /// Into the trash.
    pub async fn remove_society_task(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        self.change(move |transaction| {
            there(transaction, &id)?;
            transaction.execute(
                "UPDATE society_tasks SET removed_at = ?2 WHERE id = ?1",
                params![id, clock::now_ms()],
            )?;
            audit::insert(transaction, &AuditEntry::plain("society.remove", &id, actor))?;
            Ok(((), vec![listed(&id)]))
        })
        .await
    }

    /// Out of it.
    pub async fn restore_society_task(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let sql = "UPDATE society_tasks SET removed_at = NULL WHERE id = ?1 AND removed_at IS NOT NULL";
            if transaction.execute(sql, [&id])? == 0 {
                return Err(StoreError::NoSocietyTask(id));
            }
            audit::insert(transaction, &AuditEntry::plain("society.restore", &id, actor))?;
            Ok(((), vec![listed(&id)]))
        })
        .await
    }

    /// Deletes those that went into the trash before this moment; how many those were.
    pub async fn empty_society_trash(&self, before: i64) -> Result<usize, StoreError> {
        self.change(move |transaction| {
            transaction.execute(
                "DELETE FROM society_events WHERE task IN (SELECT id FROM society_tasks WHERE removed_at < ?1)",
                [before],
            )?;
            let gone = transaction.execute("DELETE FROM society_tasks WHERE removed_at < ?1", [before])?;
            Ok((gone, Vec::new()))
        })
        .await
    }
}

fn add(
    transaction: &Connection,
    id: &str,
    seq: u64,
    events: &[SocietyEvent],
    shown: SocietyShown,
) -> Result<(), StoreError> {
    let found: Option<i64> = transaction
        .prepare_cached("SELECT events FROM society_tasks WHERE id = ?1 AND removed_at IS NULL")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let found = found
        .ok_or_else(|| StoreError::NoSocietyTask(id.to_owned()))?
        .unsigned_abs();
    if found != seq {
        return Err(StoreError::SocietyMoved {
            task: id.to_owned(),
            expected: seq,
            found,
        });
    }
    let mut insert = transaction
        .prepare_cached("INSERT INTO society_events (task, seq, at, event) VALUES (?1, ?2, ?3, ?4)")?;
    for (seq, happened) in (seq..).zip(events) {
        insert.execute(params![id, signed(seq), happened.at, happened.event])?;
    }
    let changed_at = events.last().map_or_else(clock::now_ms, |last| last.at);
    transaction
        .prepare_cached(
            "UPDATE society_tasks SET events = ?2, changed_at = ?3, agents = ?4, messages = ?5, busy = ?6, paused = ?7, \
             stopped = ?8, told = ?9 WHERE id = ?1",
        )?
        .execute(params![
            id,
            signed(seq + events.len() as u64),
            changed_at,
            shown.agents,
            shown.messages,
            shown.busy,
            shown.paused,
            shown.stopped,
            shown.told
        ])?;
    Ok(())
}

/// There are never so many.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn there(connection: &Connection, id: &str) -> Result<SocietyTask, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM society_tasks WHERE id = ?1 AND removed_at IS NULL");
    let found = connection
        .prepare_cached(&sql)?
        .query_row([id], task)
        .optional()?;
    found.ok_or_else(|| StoreError::NoSocietyTask(id.to_owned()))
}

fn listed(id: &str) -> Event {
    Event::new("society.agent", json!({"task": id})).tag("society")
}
