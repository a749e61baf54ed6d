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
", "
    ALTER TABLE runs ADD COLUMN detail TEXT;
    ALTER TABLE artifacts ADD COLUMN removed_at INTEGER;
    CREATE INDEX artifacts_by_removal ON artifacts (removed_at) WHERE removed_at IS NOT NULL;
", "
    CREATE TABLE workspaces (
        task TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL
    ) STRICT;
    CREATE TABLE changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL, root TEXT NOT NULL,
        path TEXT NOT NULL, from_path TEXT, op TEXT NOT NULL, kind TEXT NOT NULL, before_hash TEXT,
        before_size INTEGER, after_hash TEXT, after_size INTEGER, origin TEXT, trashed INTEGER, at INTEGER NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, settled INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX changes_by_path ON changes (task, root, path, seq);
    CREATE INDEX changes_unsettled ON changes (seq) WHERE settled = 0;
", APPROVALS, MARKS, "
    ALTER TABLE runs ADD COLUMN about TEXT;
", TOKENS, CANVASES, SOCIETY, ASSISTANT];

/// A task of a society is what its events make of it, in their order.
const SOCIETY: &str = "
    CREATE TABLE society_tasks (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL,
        events INTEGER NOT NULL, agents INTEGER NOT NULL, messages INTEGER NOT NULL, busy INTEGER NOT NULL,
        paused INTEGER NOT NULL, stopped INTEGER NOT NULL, told INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL, removed_at INTEGER
    ) STRICT;
    CREATE TABLE society_events (
        task TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (task, seq)
    ) STRICT, WITHOUT ROWID;
";

/// What was said to the browser assistant and what it did. `seq` is the order; metadata is JSON.
const ASSISTANT: &str = "
    CREATE TABLE assistant_messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, kind TEXT NOT NULL,
        content TEXT NOT NULL, metadata TEXT NOT NULL
    ) STRICT;
";

const TOKENS: &str = "
    CREATE TABLE tokens (
        name TEXT PRIMARY KEY, hash TEXT NOT NULL, scope TEXT NOT NULL, created_at INTEGER NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, revoked_at INTEGER
    ) STRICT;
    CREATE TABLE clients (name TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT;
";

/// A canvas is what its events make of it, in their order.
const CANVASES: &str = "
    CREATE TABLE canvases (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, task TEXT, arena TEXT NOT NULL, lang TEXT NOT NULL,
        created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, events INTEGER NOT NULL, cells INTEGER NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, removed_at INTEGER
    ) STRICT;
    CREATE INDEX canvases_by_change ON canvases (changed_at DESC);
    CREATE TABLE canvas_events (
        canvas TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (canvas, seq)
    ) STRICT, WITHOUT ROWID;
";

const APPROVALS: &str = "
    CREATE TABLE approvals (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, code_hash TEXT NOT NULL,
        detail TEXT NOT NULL, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, state TEXT NOT NULL,
        created_at INTEGER NOT NULL, resolved_at INTEGER, resolver_kind TEXT, resolver_name TEXT
    ) STRICT;
    CREATE INDEX approvals_waiting ON approvals (subject, kind, value) WHERE state = 'waiting';
";

/// Commands with secrets are kept masked, with a mark of the whole: two may look the same.
const MARKS: &str = "
    ALTER TABLE approvals ADD COLUMN mark TEXT NOT NULL DEFAULT '';
    CREATE TABLE marked_grants (
        subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, mark TEXT NOT NULL, code_hash TEXT NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, granted_at INTEGER NOT NULL,
        PRIMARY KEY (subject, kind, value, mark)
    ) STRICT;
    INSERT INTO marked_grants
        SELECT subject, kind, value, '', code_hash, actor_kind, actor_name, granted_at FROM grants ORDER BY rowid;
    DROP TABLE grants;
    ALTER TABLE marked_grants RENAME TO grants;
";

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

    /// A database as the first release left it.
    fn first_schema(folder: &Path) -> Connection {
        let connection = Connection::open(folder.join("pm.db")).unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
            .execute_batch(
                "INSERT INTO runs VALUES ('r', 's', 5, 1.5, 0, 'timeout', 'person', 'pm', 7);
                 INSERT INTO artifacts VALUES ('a', 'image/png', 't', 1, 2, 3, 'run_javascript', 4, 'person', 'pm', 'c');
                 INSERT INTO grants VALUES ('tool', 'directory', '/x', 'hash', 'person', 'pm', 9);",
            )
            .unwrap();
        connection
    }

    fn backups(folder: &Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.to_string_lossy().contains("pm-schema"))
            .collect()
    }

    fn version(connection: &Connection) -> i64 {
        connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn an_older_database_is_backed_up_and_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let mut connection = first_schema(dir.path());
        run(&mut connection, dir.path()).unwrap();
        assert_eq!(version(&connection), known());
        let kept: (String, Option<String>) = connection
            .query_row("SELECT error, detail FROM runs WHERE id = 'r'", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!(kept, ("timeout".to_owned(), None));
        let removed: Option<i64> = connection
            .query_row("SELECT removed_at FROM artifacts WHERE id = 'a'", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(removed, None);

        let grant: (String, String, i64) = connection
            .query_row("SELECT value, mark, granted_at FROM grants", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(grant, ("/x".to_owned(), String::new(), 9));

        let copies = backups(dir.path());
        assert_eq!(copies.len(), 1);
        assert!(copies[0].to_string_lossy().contains("pm-schema1-"));
        let copy = Connection::open(&copies[0]).unwrap();
        assert_eq!(version(&copy), 1, "as it was before");
        assert!(copy.prepare("SELECT detail FROM runs").is_err());

        run(&mut connection, dir.path()).unwrap();
        assert_eq!(backups(dir.path()).len(), 1, "nothing to do, nothing to keep");
    }

    /// What a table holds: its columns, and each row as text.
    fn content(connection: &Connection, table: &str, columns: &str) -> Vec<String> {
        let mut rows = connection
            .prepare(&format!("SELECT json_array({columns}) FROM {table}"))
            .unwrap();
        let mut rows: Vec<String> = rows
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        rows.sort();
        rows
    }

    /// Tables and their columns, and the names of indices.
    fn schema(connection: &Connection) -> std::collections::BTreeMap<String, Vec<String>> {
        let mut names = connection
            .prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
            .unwrap();
        let names: Vec<String> = names
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let columns = |name: &String| {
            let mut columns = connection
                .prepare("SELECT name FROM pragma_table_info(?1)")
                .unwrap();
            columns
                .query_map([name], |row| row.get(0))
                .unwrap()
                .collect::<Result<Vec<String>, _>>()
                .unwrap()
        };
        names
            .into_iter()
            .map(|name| {
                let columns = columns(&name);
                (name, columns)
            })
            .collect()
    }

    #[test]
    fn every_earlier_version_comes_up_to_date_with_all_its_rows() {
        let fresh = tempfile::tempdir().unwrap();
        let mut new = Connection::open(fresh.path().join("pm.db")).unwrap();
        run(&mut new, fresh.path()).unwrap();
        for earlier in 1..known() {
            let dir = tempfile::tempdir().unwrap();
            let fixture = format!("{}/src/versions/{earlier}.sql", env!("CARGO_MANIFEST_DIR"));
            let fixture = std::fs::read_to_string(&fixture)
                .unwrap_or_else(|_| panic!("a step was added without the fixture of version {earlier}"));
            let mut connection = Connection::open(dir.path().join("pm.db")).unwrap();
            connection.execute_batch(&fixture).unwrap();
            assert_eq!(version(&connection), earlier);
            let tables: Vec<(String, String)> = schema(&connection)
                .into_iter()
                .filter(|(_, columns)| !columns.is_empty())
                .map(|(table, columns)| (table, columns.join(", ")))
                .collect();
            let before: Vec<_> = tables
                .iter()
                .map(|(table, columns)| content(&connection, table, columns))
                .collect();
            assert!(before.iter().all(|rows| rows.len() == 2), "version {earlier}");

            run(&mut connection, dir.path()).unwrap();
            assert_eq!(schema(&connection), schema(&new), "version {earlier}");
            for ((table, columns), rows) in tables.iter().zip(&before) {
                assert_eq!(
                    &content(&connection, table, columns),
                    rows,
                    "{table} of version {earlier}"
                );
            }
            assert_eq!(backups(dir.path()).len(), 1);
        }
    }

    #[test]
    fn a_new_database_needs_no_backup_and_a_newer_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(dir.path().join("pm.db")).unwrap();
        run(&mut connection, dir.path()).unwrap();
        assert_eq!(backups(dir.path()), Vec::<std::path::PathBuf>::new());
        connection
            .pragma_update(None, "user_version", known() + 1)
            .unwrap();
        assert!(matches!(
            run(&mut connection, dir.path()),
            Err(StoreError::Newer { .. })
        ));
    }
}
