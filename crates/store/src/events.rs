//! State events: committed with their change, kept for a bounded time, read by cursor.

use crate::connection::Store;
use crate::error::StoreError;
use base::Event;
use rusqlite::{Connection, OptionalExtension, params};
use std::fmt;
use std::str::FromStr;

/// `epoch:seq`. The epoch changes when the database does; a cursor of another epoch must resync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub epoch: String,
    pub seq: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    pub cursor: Cursor,
    /// Milliseconds since the epoch of time.
    pub at: i64,
    pub event: Event,
}

/// What a client that was away gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Since {
    Events(Vec<StoredEvent>),
    /// Too far behind, or another database: fetch everything again, continue from here.
    Resync(Cursor),
}

/// Most events handed to a returning client; more than that is a resync.
const CATCH_UP: i64 = 1000;

impl Store {
    /// What happened after `cursor`.
    pub async fn since(&self, cursor: Cursor) -> Result<Since, StoreError> {
        let epoch = self.epoch();
        self.read(move |connection| {
            let last = last_seq(connection)?;
            let here = Cursor {
                epoch: epoch.to_string(),
                seq: last,
            };
            let oldest: i64 = connection
                .query_row("SELECT min(seq) FROM events", [], |row| {
                    row.get::<_, Option<i64>>(0)
                })?
                .unwrap_or(last + 1);
            let reachable = cursor.epoch == here.epoch
                && cursor.seq <= last
                && cursor.seq + 1 >= oldest
                && last - cursor.seq <= CATCH_UP;
            if !reachable {
                return Ok(Since::Resync(here));
            }
            let mut statement = connection
                .prepare_cached("SELECT seq, at, kind, tags, data FROM events WHERE seq > ?1 ORDER BY seq")?;
            let mut rows = statement.query([cursor.seq])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(StoredEvent {
                    cursor: Cursor {
                        epoch: epoch.to_string(),
                        seq: row.get(0)?,
                    },
                    at: row.get(1)?,
                    event: Event {
                        kind: row.get(2)?,
                        tags: serde_json::from_str(&row.get::<_, String>(3)?)?,
                        data: serde_json::from_str(&row.get::<_, String>(4)?)?,
                    },
                });
            }
            Ok(Since::Events(found))
        })
        .await
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.epoch, self.seq)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not a cursor")]
pub struct BadCursor;

impl FromStr for Cursor {
    type Err = BadCursor;
    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (epoch, seq) = text.split_once(':').ok_or(BadCursor)?;
        Ok(Cursor {
            epoch: epoch.to_owned(),
            seq: seq.parse().map_err(|_| BadCursor)?,
        })
    }
}

pub(crate) fn insert(transaction: &Connection, epoch: &str, event: Event) -> Result<StoredEvent, StoreError> {
    let at = base::clock::now_ms();
    transaction
        .prepare_cached("INSERT INTO events (at, kind, tags, data) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            at,
            event.kind,
            serde_json::to_string(&event.tags)?,
            serde_json::to_string(&event.data)?
        ])?;
    let cursor = Cursor {
        epoch: epoch.to_owned(),
        seq: transaction.last_insert_rowid(),
    };
    Ok(StoredEvent { cursor, at, event })
}

/// The epoch of this database, made with it.
pub(crate) fn epoch(connection: &Connection) -> Result<String, StoreError> {
    let known: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = 'epoch'", [], |row| row.get(0))
        .optional()?;
    if let Some(epoch) = known {
        return Ok(epoch);
    }
    let epoch = uuid::Uuid::new_v4().simple().to_string();
    connection.execute("INSERT INTO meta (key, value) VALUES ('epoch', ?1)", [&epoch])?;
    Ok(epoch)
}

pub(crate) fn last_seq(connection: &Connection) -> Result<i64, StoreError> {
    // The sequence survives trimming, unlike max(seq).
    let seq: Option<i64> = connection
        .query_row(
            "SELECT seq FROM sqlite_sequence WHERE name = 'events'",
            [],
            |row| row.get(0),
        )
        .optional()?;
    Ok(seq.unwrap_or(0))
}

pub(crate) fn trim(connection: &Connection, keep: u32) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM events WHERE seq <= (SELECT max(seq) FROM events) - ?1",
        [i64::from(keep)],
    )?;
    Ok(())
}
