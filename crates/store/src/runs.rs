//! Finished runs of tools, scripts and commands.

use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window};
use base::Event;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::json;

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: String,
    /// Tool name, `run_javascript`, or `task:` and the id of a task for a command.
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
    /// What it was given, in one line, to tell runs of one subject apart.
    pub about: Option<String>,
}

impl Run {
    /// What others are told of its end.
    pub fn finished(&self) -> Event {
        let data =
            json!({"run": self.id, "subject": self.subject, "success": self.success, "error": self.error});
        Event::new("run.finished", data).tag("runs")
    }
}

#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    pub subject: Option<String>,
    /// Only runs that failed.
    pub failed: bool,
}

/// Details are kept of so many runs, or a few more; the rows of older ones stay without.
const DETAILED: u32 = 2000;
/// Rows that leave at once, at most.
const TOGETHER: u32 = 64;

impl Store {
    /// Keeps a finished run and tells of it with `events`; the oldest over `keep` leave, a few at a time.
    /// `detail` is JSON that the caller reads back.
    pub async fn add_run(
        &self,
        run: Run,
        detail: Option<String>,
        events: Vec<Event>,
        keep: u32,
    ) -> Result<(), StoreError> {
        self.change(move |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, subject, started_at, duration_ms, success, error, actor_kind, actor_name, memory, about, detail)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
                    run.memory,
                    run.about,
                    detail
                ])?;
            // rowid grows by one with each insert: this trims without counting. Several at once, since old
            // rows lie together: for each alone as many pages would be written as for the new one.
            let row = transaction.last_insert_rowid();
            let turn = |kept: u32| row % i64::from((kept / 64).clamp(1, TOGETHER)) == 0;
            if turn(DETAILED) {
                transaction
                    .prepare_cached("UPDATE runs SET detail = NULL WHERE rowid BETWEEN ?1 - ?3 AND ?1 - ?2")?
                    .execute(params![row, DETAILED, DETAILED + TOGETHER])?;
            }
            if turn(keep) {
                transaction.prepare_cached("DELETE FROM runs WHERE rowid <= ?1 - ?2")?.execute(params![row, keep])?;
            }
            Ok(((), events))
        })
        .await
    }

    /// Newest first, and how many there are in all.
    pub async fn runs(&self, filter: RunFilter, window: Window) -> Result<(Vec<Run>, u32), StoreError> {
        self.read(move |connection| {
            const WANTED: &str = "(?1 IS NULL OR subject = ?1) AND (NOT ?2 OR success = 0)";
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM runs WHERE {WANTED}
                 ORDER BY started_at DESC, rowid DESC LIMIT ?3 OFFSET ?4"
            ))?;
            let wanted = params![filter.subject, filter.failed, window.limit, window.offset];
            let runs = statement
                .query_map(wanted, run_of)?
                .collect::<Result<Vec<_>, _>>()?;
            let total = connection
                .prepare_cached(&format!("SELECT count(*) FROM runs WHERE {WANTED}"))?
                .query_row(params![filter.subject, filter.failed], |row| row.get(0))?;
            Ok((runs, total))
        })
        .await
    }

    /// One run with its detail, if that is still kept.
    pub async fn run(&self, id: String) -> Result<(Run, Option<String>), StoreError> {
        self.read(move |connection| {
            connection
                .prepare_cached(&format!("SELECT {COLUMNS}, detail FROM runs WHERE id = ?1"))?
                .query_row([&id], |row| Ok((run_of(row)?, row.get(10)?)))
                .optional()?
                .ok_or(StoreError::NoRun(id))
        })
        .await
    }

    /// Runs of a subject with their details, newest first; those older than the run `before`.
    pub async fn runs_of(
        &self,
        subject: String,
        before: Option<String>,
        limit: u32,
    ) -> Result<Vec<(Run, Option<String>)>, StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS}, detail FROM runs WHERE subject = ?1 AND (?2 IS NULL OR
                 (started_at, rowid) < (SELECT started_at, rowid FROM runs WHERE id = ?2))
                 ORDER BY started_at DESC, rowid DESC LIMIT ?3"
            ))?;
            let rows = statement.query_map(params![subject, before, limit], |row| {
                Ok((run_of(row)?, row.get(10)?))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub async fn has_run(&self, id: String) -> Result<bool, StoreError> {
        self.read(move |connection| {
            Ok(connection
                .prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?
                .exists([id])?)
        })
        .await
    }
}

const COLUMNS: &str =
    "id, subject, started_at, duration_ms, success, error, actor_kind, actor_name, memory, about";

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
        about: row.get(9)?,
    })
}
