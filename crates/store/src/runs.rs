//! Finished runs of tools and scripts.

use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window};
use base::Event;
use rusqlite::{Row, params};

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: String,
    /// Tool name, or `run_javascript`.
    pub subject: String,
    /// Milliseconds since the epoch.
    pub started_at: i64,
    pub duration_ms: f64,
    pub success: bool,
    /// Code of the failure.
    pub error: Option<String>,
    pub actor: Actor,
    /// Peak memory of the worker, bytes.
    pub memory: Option<i64>,
}

#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    pub subject: Option<String>,
}

impl Store {
    /// Keeps a finished run and tells of it with `event`; the oldest over `keep` leave.
    pub async fn add_run(&self, run: Run, event: Event, keep: u32) -> Result<(), StoreError> {
        self.change(move |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, subject, started_at, duration_ms, success, error, actor_kind, actor_name, memory)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )?
                .execute(params![
                    run.id,
                    run.subject,
                    run.started_at,
                    run.duration_ms,
                    run.success,
                    run.error,
                    run.actor.kind,
                    run.actor.name,
                    run.memory
                ])?;
            // rowid grows with each insert: this trims without counting.
            let row = transaction.last_insert_rowid();
            transaction.prepare_cached("DELETE FROM runs WHERE rowid <= ?1 - ?2")?.execute(params![row, keep])?;
            Ok(((), vec![event]))
        })
        .await
    }

    /// Newest first, and how many there are in all.
    pub async fn runs(&self, filter: RunFilter, window: Window) -> Result<(Vec<Run>, u32), StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, subject, started_at, duration_ms, success, error, actor_kind, actor_name, memory FROM runs
                 WHERE ?1 IS NULL OR subject = ?1 ORDER BY started_at DESC, rowid DESC LIMIT ?2 OFFSET ?3",
            )?;
            let rows = statement.query_map(params![filter.subject, window.limit, window.offset], run_of)?;
            let runs = rows.collect::<Result<Vec<_>, _>>()?;
            let total = connection
                .prepare_cached("SELECT count(*) FROM runs WHERE ?1 IS NULL OR subject = ?1")?
                .query_row([&filter.subject], |row| row.get(0))?;
            Ok((runs, total))
        })
        .await
    }
}

fn run_of(row: &Row) -> rusqlite::Result<Run> {
    Ok(Run {
        id: row.get(0)?,
        subject: row.get(1)?,
        started_at: row.get(2)?,
        duration_ms: row.get(3)?,
        success: row.get(4)?,
        error: row.get(5)?,
        actor: Actor {
            kind: row.get(6)?,
            name: row.get(7)?,
        },
        memory: row.get(8)?,
    })
}
