//! Artifacts: bytes first (`artifacts/{uuid}.png`), the row after. A removed one keeps its row, with
//! the time, and its bytes lie in `trash/` until they are too old. `reconcile.rs` puts in order what
//! a kill left between two of these steps.

use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window, reconcile};
use base::Event;
use base::atomic::{self, Access};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// A kept artifact. Pictures are `image/png`.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// UUID.
    pub id: String,
    pub kind: String,
    pub title: String,
    /// Bytes.
    pub size: i64,
    pub width: u32,
    pub height: u32,
    /// `run_javascript`, a tool's name, or `recovered`.
    pub source: String,
    pub created_at: i64,
    pub actor: Actor,
    /// The script that made it.
    pub code: String,
}

/// What the caller knows of a picture before it is kept.
#[derive(Clone, Debug)]
pub struct NewArtifact {
    pub title: String,
    pub source: String,
    pub actor: Actor,
    pub code: String,
    pub width: u32,
    pub height: u32,
    pub png: Vec<u8>,
}

impl Artifact {
    /// `{uuid}.png`.
    pub fn file_name(&self) -> String {
        png_name(&self.id)
    }
}

impl Store {
    /// Writes the bytes, then the row.
    pub async fn add_picture(&self, new: NewArtifact) -> Result<Artifact, StoreError> {
        let id = uuid::Uuid::new_v4().to_string();
        let path = self.artifact_path(&id);
        let size = new.png.len() as i64;
        let bytes = new.png;
        on_disk(&path.clone(), move || {
            atomic::write(&path, &bytes, Access::Private)
        })
        .await?;
        let artifact = Artifact {
            id,
            kind: "image/png".to_owned(),
            title: new.title,
            size,
            width: new.width,
            height: new.height,
            source: new.source,
            created_at: base::clock::now_ms(),
            actor: new.actor,
            code: new.code,
        };
        let row = artifact.clone();
        self.change(move |transaction| {
            insert(transaction, &row)?;
            let event =
                Event::new("artifact.added", json!({"id": row.id, "title": row.title})).tag("artifacts");
            Ok(((), vec![event]))
        })
        .await?;
        Ok(artifact)
    }

    /// Newest first, without removed ones, and how many there are in all.
    pub async fn artifacts(&self, window: Window) -> Result<(Vec<Artifact>, u32), StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM artifacts WHERE removed_at IS NULL
                 ORDER BY created_at DESC, rowid DESC LIMIT ?1 OFFSET ?2"
            ))?;
            let rows = statement.query_map([window.limit, window.offset], artifact_of)?;
            let found = rows.collect::<Result<Vec<_>, _>>()?;
            let total = connection
                .prepare_cached("SELECT count(*) FROM artifacts WHERE removed_at IS NULL")?
                .query_row([], |row| row.get(0))?;
            Ok((found, total))
        })
        .await
    }

    /// Ids of all that are not removed.
    pub async fn artifact_ids(&self) -> Result<HashSet<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare("SELECT id FROM artifacts WHERE removed_at IS NULL")?;
            let ids = statement.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// One that is not removed.
    pub async fn artifact(&self, id: String) -> Result<Artifact, StoreError> {
        self.read(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM artifacts WHERE id = ?1 AND removed_at IS NULL"
                ))?
                .query_row([&id], artifact_of)
                .optional()?
                .ok_or(StoreError::NoArtifact(id))
        })
        .await
    }

    /// Marks the row as removed, then moves the bytes to `trash/`. A kill between the two leaves
    /// a removed row whose bytes the next start moves.
    pub async fn remove_artifact(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        let _alone = self.moving().lock().await;
        let row = id.clone();
        self.change(move |transaction| {
            let removed = transaction.execute(
                "UPDATE artifacts SET removed_at = ?2 WHERE id = ?1 AND removed_at IS NULL",
                params![row, base::clock::now_ms()],
            )?;
            if removed == 0 {
                return Err(StoreError::NoArtifact(row));
            }
            audit::insert(transaction, &entry(actor, "artifact.remove", &row))?;
            let event = Event::new("artifact.removed", json!({"id": row})).tag("artifacts");
            Ok(((), vec![event]))
        })
        .await?;
        // Bytes that are gone already are where they should be.
        move_file(self.artifact_path(&id), self.trashed_path(&id)).await?;
        Ok(())
    }

    /// Moves the bytes back, then clears the mark. A kill between the two leaves it removed.
    pub async fn restore_artifact(&self, id: String, actor: Actor) -> Result<(), StoreError> {
        let _alone = self.moving().lock().await;
        let row = id.clone();
        let removed = self
            .read(move |connection| {
                connection
                    .prepare_cached("SELECT removed_at IS NOT NULL FROM artifacts WHERE id = ?1")?
                    .query_row([&row], |row| row.get::<_, bool>(0))
                    .optional()?
                    .ok_or(StoreError::NoArtifact(row))
            })
            .await?;
        if !removed {
            return Ok(());
        }
        let to = self.artifact_path(&id);
        let moved = move_file(self.trashed_path(&id), to.clone()).await?;
        // They may be back already, when the mark could not be cleared the last time.
        if !moved && !on_disk(&to.clone(), move || to.try_exists()).await? {
            return Err(StoreError::NoArtifact(id));
        }
        self.change(move |transaction| {
            transaction.execute("UPDATE artifacts SET removed_at = NULL WHERE id = ?1", [&id])?;
            audit::insert(transaction, &entry(actor, "artifact.restore", &id))?;
            let event = Event::new("artifact.added", json!({"id": id})).tag("artifacts");
            Ok(((), vec![event]))
        })
        .await
    }

    /// Deletes what was removed before `before`, milliseconds since the epoch: the bytes, then the
    /// row. Gives how many.
    pub async fn empty_trash(&self, before: i64) -> Result<usize, StoreError> {
        let _alone = self.moving().lock().await;
        let old: Vec<String> = self
            .read(move |connection| {
                let mut statement = connection.prepare("SELECT id FROM artifacts WHERE removed_at < ?1")?;
                let ids = statement.query_map([before], |row| row.get(0))?;
                Ok(ids.collect::<Result<_, _>>()?)
            })
            .await?;
        let known = self.removed_ids().await?;
        let trash = self.trash_folder();
        let gone = old.clone();
        let orphans = on_disk(&trash.clone(), move || {
            for id in &gone {
                delete(&trash.join(png_name(id)))?;
            }
            reconcile::delete_orphans(&trash, &known, before)
        })
        .await?;
        let count = old.len() + orphans;
        self.change(move |transaction| {
            for id in &old {
                transaction.execute("DELETE FROM artifacts WHERE id = ?1", [id])?;
            }
            Ok(((), Vec::new()))
        })
        .await?;
        Ok(count)
    }

    async fn removed_ids(&self) -> Result<HashSet<String>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT id FROM artifacts WHERE removed_at IS NOT NULL")?;
            let ids = statement.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Where the bytes of a picture lie.
    pub fn artifact_path(&self, id: &str) -> PathBuf {
        self.artifacts_folder().join(png_name(id))
    }

    fn trashed_path(&self, id: &str) -> PathBuf {
        self.trash_folder().join(png_name(id))
    }
}

fn entry(actor: Actor, action: &str, id: &str) -> AuditEntry {
    AuditEntry {
        actor,
        action: action.to_owned(),
        subject: id.to_owned(),
        detail: Value::Null,
    }
}

/// Whether there was anything to move.
async fn move_file(from: PathBuf, to: PathBuf) -> Result<bool, StoreError> {
    on_disk(&from.clone(), move || match reconcile::move_file(&from, &to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        moved => moved.map(|()| true),
    })
    .await
}

/// Work on files, whose failure names `path`.
async fn on_disk<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    let failed = |source| StoreError::Io {
        path: path.to_owned(),
        source,
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| failed(io::Error::other(error)))?
        .map_err(failed)
}

fn delete(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

const COLUMNS: &str =
    "id, kind, title, size, width, height, source, created_at, actor_kind, actor_name, code";

pub(crate) fn png_name(id: &str) -> String {
    format!("{id}.png")
}

pub(crate) fn insert(connection: &Connection, artifact: &Artifact) -> Result<(), StoreError> {
    connection
        .prepare_cached(&format!(
            "INSERT INTO artifacts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            artifact.id,
            artifact.kind,
            artifact.title,
            artifact.size,
            artifact.width,
            artifact.height,
            artifact.source,
            artifact.created_at,
            artifact.actor.kind,
            artifact.actor.name,
            artifact.code
        ])?;
    Ok(())
}

fn artifact_of(row: &Row) -> rusqlite::Result<Artifact> {
    Ok(Artifact {
        id: row.get(0)?,
        kind: row.get(1)?,
        title: row.get(2)?,
        size: row.get(3)?,
        width: row.get(4)?,
        height: row.get(5)?,
        source: row.get(6)?,
        created_at: row.get(7)?,
        actor: Actor {
            kind: row.get(8)?,
            name: row.get(9)?,
        },
        code: row.get(10)?,
    })
}
