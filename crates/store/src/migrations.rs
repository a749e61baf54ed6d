//! Schema versions. Each step runs once, in its own transaction, after a backup of what was there.

#![allow(
    clippy::disallowed_methods,
    reason = "the backup is renamed into place when it is whole"
)]

use crate::error::StoreError;
use rusqlite::Connection;
use std::path::Path;

/// Step n brings the schema from version n to n + 1. Never change a step that was released.
const STEPS: &[&str] = &["
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL, started_at INTEGER NOT NULL, duration_ms REAL NOT NULL,
        success INTEGER NOT NULL, error TEXT, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, memory INTEGER
    ) STRICT;
    CREATE INDEX runs_by_time ON runs (started_at DESC);
    CREATE INDEX runs_by_subject ON runs (subject, started_at DESC);
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL,
        action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL
    ) STRICT;
    CREATE TABLE grants (
        subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, code_hash TEXT NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, granted_at INTEGER NOT NULL,
        PRIMARY KEY (subject, kind, value)
    ) STRICT;
    CREATE TABLE artifacts (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL, width INTEGER NOT NULL,
        height INTEGER NOT NULL, source TEXT NOT NULL, created_at INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL, code TEXT NOT NULL
    ) STRICT;
    CREATE INDEX artifacts_by_time ON artifacts (created_at DESC);
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL,
        data TEXT NOT NULL
    ) STRICT;
    CREATE TABLE descriptions (hash TEXT PRIMARY KEY, used_at INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
"];

/// The schema that this program writes.
pub fn known() -> i64 {
    STEPS.len() as i64
}

/// Brings the database to [`known`], keeping a copy of an older one in `backups`.
pub fn run(connection: &mut Connection, backups: &Path) -> Result<(), StoreError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known() {
        return Err(StoreError::Newer {
            found,
            known: known(),
        });
    }
    if found == known() {
        return Ok(());
    }
    if found > 0 {
        backup(connection, backups, found)?;
    }
    for (version, step) in (0_i64..).zip(STEPS).skip(usize::try_from(found).unwrap_or(0)) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

fn backup(connection: &Connection, backups: &Path, version: i64) -> Result<(), StoreError> {
    let name = format!("pm-schema{version}-{}.db", base::clock::stamp_for_names());
    let path = backups.join(&name);
    let partial = backups.join(format!("{name}.partial"));
    connection.execute("VACUUM INTO ?1", [partial.to_string_lossy()])?;
    let io = |source| StoreError::Io {
        path: path.clone(),
        source,
    };
    std::fs::File::open(&partial)
        .and_then(|file| file.sync_all())
        .map_err(io)?;
    std::fs::rename(&partial, &path).map_err(io)?;
    base::atomic::sync_dir(backups).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_database_is_backed_up_and_a_newer_one_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(dir.path().join("pm.db")).unwrap();
        run(&mut connection, dir.path()).unwrap();
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            1,
            "a new database needs no backup"
        );

        backup(&connection, dir.path(), 1).unwrap();
        let copy = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path());
        let copy = copy
            .filter(|p| p.to_string_lossy().contains("pm-schema1-"))
            .collect::<Vec<_>>();
        assert_eq!(copy.len(), 1);
        let copied = Connection::open(&copy[0]).unwrap();
        let version: i64 = copied
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version, known());

        connection
            .pragma_update(None, "user_version", known() + 1)
            .unwrap();
        assert!(matches!(
            run(&mut connection, dir.path()),
            Err(StoreError::Newer { .. })
        ));
    }
}
