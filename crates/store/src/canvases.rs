//! Canvases of cells: a row each, and the events that made it, numbered from 0 without a gap. An event
//! and what it changes in the row are one transaction, so that a canvas is never between two events.
//!
//! Deliberately not here: what an event means (`arena::engine`); it is a text.

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use base::{Event, clock};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    pub id: String,
    pub title: String,
    /// The task in whose workspace its shells run.
    pub task: Option<String>,
    /// With these two it was begun; a replay with others would give another document.
    pub arena: String,
    pub lang: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    pub changed_at: i64,
    /// How many there are.
    pub events: u32,
    pub cells: u32,
    pub actor: Actor,
    pub removed_at: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCanvas {
    pub id: String,
    pub title: String,
    pub task: Option<String>,
    pub arena: String,
    pub lang: String,
    pub actor: Actor,
}

/// What happened to a canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanvasEvent {
    pub at: i64,
    pub actor: Actor,
    pub event: String,
}

const COLUMNS: &str =
    "id, title, task, arena, lang, created_at, changed_at, events, cells, actor_kind, actor_name, removed_at";

fn canvas(row: &Row<'_>) -> rusqlite::Result<Canvas> {
    Ok(Canvas {
        id: row.get(0)?,
        title: row.get(1)?,
        task: row.get(2)?,
        arena: row.get(3)?,
        lang: row.get(4)?,
        created_at: row.get(5)?,
        changed_at: row.get(6)?,
        events: row.get(7)?,
        cells: row.get(8)?,
        actor: Actor {
            kind: row.get(9)?,
            name: row.get(10)?,
        },
        removed_at: row.get(11)?,
    })
}

impl Store {
    /// Those that are there, or those in the trash; the last changed first.
    pub async fn canvases(&self, removed: bool) -> Result<Vec<Canvas>, StoreError> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM canvases WHERE (removed_at IS NOT NULL) = ?1 ORDER BY changed_at DESC, id"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([removed], canvas)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// One that is not in the trash, with everything that happened to it.
    pub async fn canvas(&self, id: String) -> Result<(Canvas, Vec<CanvasEvent>), StoreError> {
        self.read(move |connection| {
            let found = there(connection, &id)?;
            let mut statement = connection.prepare_cached(
                "SELECT at, actor_kind, actor_name, event FROM canvas_events WHERE canvas = ?1 ORDER BY seq",
            )?;
            let rows = statement.query_map([&id], |row| {
                Ok(CanvasEvent {
                    at: row.get(0)?,
                    actor: Actor {
                        kind: row.get(1)?,
                        name: row.get(2)?,
                    },
                    event: row.get(3)?,
                })
            })?;
            Ok((found, rows.collect::<Result<_, _>>()?))
        })
        .await
    }

    pub async fn add_canvas(&self, new: NewCanvas) -> Result<Canvas, StoreError> {
        self.change(move |transaction| {
            let now = clock::now_ms();
            transaction.execute(
                "INSERT INTO canvases (id, title, task, arena, lang, created_at, changed_at, events, cells, actor_kind, actor_name) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0, 0, ?7, ?8)",
                params![new.id, new.title, new.task, new.arena, new.lang, now, new.actor.kind, new.actor.name],
            )?;
            let made = there(transaction, &new.id)?;
            let event = listed(&made.id);
            Ok((made, vec![event]))
        })
        .await
    }

    /// Keeps what happened as event number `seq`, which must be the next one. `cells`: how many there
    /// are behind it.
    pub async fn add_canvas_event(
        &self,
        id: String,
        seq: u32,
        happened: CanvasEvent,
        cells: u32,
    ) -> Result<Canvas, StoreError> {
        self.change(move |transaction| {
            let before = there(transaction, &id)?;
            if before.events != seq {
                return Err(StoreError::CanvasMoved {
                    canvas: id,
                    expected: seq,
                    found: before.events,
                });
            }
            transaction.execute(
                "INSERT INTO canvas_events (canvas, seq, at, actor_kind, actor_name, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![id, seq, happened.at, happened.actor.kind, happened.actor.name, happened.event],
            )?;
            transaction.execute(
                "UPDATE canvases SET events = ?2 + 1, cells = ?3, changed_at = ?4 WHERE id = ?1",
                params![id, seq, cells, happened.at],
            )?;
            let event = Event::new("arena.cell", json!({"canvas": id, "version": seq + 1})).tag("cells");
            Ok((there(transaction, &id)?, vec![event]))
        })
        .await
    }

    /// Title and task; what is not given stays. A task of `Some(None)` is taken away.
    pub async fn change_canvas(
        &self,
        id: String,
        title: Option<String>,
        task: Option<Option<String>>,
    ) -> Result<Canvas, StoreError> {
        self.change(move |transaction| {
            there(transaction, &id)?;
            if let Some(title) = title {
                transaction.execute("UPDATE canvases SET title = ?2 WHERE id = ?1", params![id, title])?;
            }
            if let Some(task) = task {
                transaction.execute("UPDATE canvases SET task = ?2 WHERE id = ?1", params![id, task])?;
            }
            Ok((there(transaction, &id)?, vec![listed(&id)]))
        })
        .await
    }

    /// Into the trash.
    pub async fn remove_canvas(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        self.change(move |transaction| {
            there(transaction, &id)?;
            transaction.execute(
                "UPDATE canvases SET removed_at = ?2 WHERE id = ?1",
                params![id, clock::now_ms()],
            )?;
            audit::insert(transaction, &AuditEntry::plain("cells.remove", &id, actor))?;
            Ok(((), vec![listed(&id)]))
        })
        .await
    }

    /// Out of it.
    pub async fn restore_canvas(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let sql = "UPDATE canvases SET removed_at = NULL WHERE id = ?1 AND removed_at IS NOT NULL";
            if transaction.execute(sql, [&id])? == 0 {
                return Err(StoreError::NoCanvas(id));
            }
            audit::insert(transaction, &AuditEntry::plain("cells.restore", &id, actor))?;
            Ok(((), vec![listed(&id)]))
        })
        .await
    }

    /// Deletes those that went into the trash before this moment; how many those were.
    pub async fn empty_canvas_trash(&self, before: i64) -> Result<usize, StoreError> {
        self.change(move |transaction| {
            transaction.execute(
                "DELETE FROM canvas_events WHERE canvas IN (SELECT id FROM canvases WHERE removed_at < ?1)",
                [before],
            )?;
            let gone = transaction.execute("DELETE FROM canvases WHERE removed_at < ?1", [before])?;
            Ok((gone, Vec::new()))
        })
        .await
    }
}

fn there(connection: &Connection, id: &str) -> Result<Canvas, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM canvases WHERE id = ?1 AND removed_at IS NULL");
    let found = connection
        .prepare_cached(&sql)?
        .query_row([id], canvas)
        .optional()?;
    found.ok_or_else(|| StoreError::NoCanvas(id.to_owned()))
}

fn listed(id: &str) -> Event {
    Event::new("arena.canvas", json!({"canvas": id})).tag("cells")
}
