//! Artifacts: bytes first (`artifacts/{uuid}.png`), the row after; start-up reconciles both ways.

#![allow(
    clippy::disallowed_methods,
    reason = "moves removed bytes to the trash, by rename"
)]

use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window};
use base::Event;
use base::atomic::{self, Access};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::json;
use std::collections::HashSet;
use std::io::{self, Read};
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
        let path = self.artifacts_folder().join(png_name(&id));
        let size = new.png.len() as i64;
        let bytes = new.png;
        let target = path.clone();
        tokio::task::spawn_blocking(move || atomic::write(&target, &bytes, Access::Private))
            .await
            .map_err(|error| StoreError::Io {
                path: path.clone(),
                source: io::Error::other(error),
            })?
            .map_err(|source| StoreError::Io { path, source })?;
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

    pub async fn artifacts(&self, window: Window) -> Result<(Vec<Artifact>, u32), StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM artifacts ORDER BY created_at DESC, rowid DESC LIMIT ?1 OFFSET ?2"
            ))?;
            let rows = statement.query_map([window.limit, window.offset], artifact_of)?;
            let found = rows.collect::<Result<Vec<_>, _>>()?;
            let total = connection.query_row("SELECT count(*) FROM artifacts", [], |row| row.get(0))?;
            Ok((found, total))
        })
        .await
    }

    pub async fn artifact(&self, id: String) -> Result<Artifact, StoreError> {
        self.read(move |connection| {
            connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM artifacts WHERE id = ?1"))?
                .query_row([&id], artifact_of)
                .optional()?
                .ok_or(StoreError::NoArtifact(id))
        })
        .await
    }

    /// Drops the row, then moves the bytes to `trash/`.
    pub async fn remove_artifact(&self, id: String, trash: PathBuf) -> Result<(), StoreError> {
        let artifact = self.artifact(id.clone()).await?;
        self.change(move |transaction| {
            transaction.execute("DELETE FROM artifacts WHERE id = ?1", [&id])?;
            Ok((
                (),
                vec![Event::new("artifact.removed", json!({"id": id})).tag("artifacts")],
            ))
        })
        .await?;
        let from = self.artifact_path(&artifact.id);
        let to = trash.join(artifact.file_name());
        tokio::task::spawn_blocking(move || {
            std::fs::rename(&from, &to).map_err(|source| StoreError::Io { path: from, source })
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }

    /// Where the bytes of a picture lie.
    pub fn artifact_path(&self, id: &str) -> PathBuf {
        self.artifacts_folder().join(png_name(id))
    }
}

const COLUMNS: &str =
    "id, kind, title, size, width, height, source, created_at, actor_kind, actor_name, code";

fn png_name(id: &str) -> String {
    format!("{id}.png")
}

fn insert(connection: &Connection, artifact: &Artifact) -> Result<(), StoreError> {
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

/// Rows whose bytes are gone leave; pictures without a row (a kill between the two writes) get one.
pub(crate) fn reconcile(connection: &mut Connection, folder: &Path) -> Result<(), StoreError> {
    let io = |source| StoreError::Io {
        path: folder.to_owned(),
        source,
    };
    let mut files = HashSet::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
        if let Some(id) = name.strip_suffix(".png")
            && uuid::Uuid::try_parse(id).is_ok()
        {
            files.insert(id.to_owned());
        }
    }
    let transaction = connection.transaction()?;
    let known: HashSet<String> = {
        let mut statement = transaction.prepare("SELECT id FROM artifacts")?;
        statement
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?
    };
    for id in known.difference(&files) {
        transaction.execute("DELETE FROM artifacts WHERE id = ?1", [id])?;
        tracing::warn!(id, "an artifact's bytes are gone; its row was dropped");
    }
    for id in files.difference(&known) {
        let path = folder.join(png_name(id));
        match recovered(id, &path) {
            Ok(artifact) => insert(&transaction, &artifact)?,
            Err(error) => tracing::warn!(id, %error, "a file among the artifacts is not a picture"),
        }
    }
    transaction.commit()?;
    Ok(())
}

fn recovered(id: &str, path: &Path) -> io::Result<Artifact> {
    let meta = std::fs::metadata(path)?;
    let mut head = [0_u8; 24];
    std::fs::File::open(path)?.read_exact(&mut head)?;
    if &head[..8] != b"\x89PNG\r\n\x1a\n" {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no PNG signature"));
    }
    // IHDR is always first: width and height follow its 8-byte chunk header, big-endian.
    let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let created_at = meta
        .modified()?
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    Ok(Artifact {
        id: id.to_owned(),
        kind: "image/png".to_owned(),
        title: String::new(),
        size: i64::try_from(meta.len()).unwrap_or(i64::MAX),
        width: number(16),
        height: number(20),
        source: "recovered".to_owned(),
        created_at,
        actor: Actor {
            kind: "person".to_owned(),
            name: String::new(),
        },
        code: String::new(),
    })
}
