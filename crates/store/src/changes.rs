//! What agents changed in workspaces, one row a change. A row is written *before* its change and
//! settled after it; the bytes of the versions lie in `history/`, written before the row, and what
//! was deleted lies in `trash/`. Whoever owns those bytes (`workspace`) decides at start what became
//! of rows that a kill left unsettled.

use crate::connection::Store;
use crate::error::StoreError;
use crate::{Actor, Window};
use base::Event;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row, params};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOp {
    Write,
    Append,
    Edit,
    Move,
    Delete,
    /// An earlier version written again.
    Restore,
    /// A deleted thing moved back from the trash.
    Undelete,
}

const OPS: [(ChangeOp, &str); 7] = [
    (ChangeOp::Write, "write"),
    (ChangeOp::Append, "append"),
    (ChangeOp::Edit, "edit"),
    (ChangeOp::Move, "move"),
    (ChangeOp::Delete, "delete"),
    (ChangeOp::Restore, "restore"),
    (ChangeOp::Undelete, "undelete"),
];

impl ChangeOp {
    pub fn name(self) -> &'static str {
        OPS.iter()
            .find(|(op, _)| *op == self)
            .map_or("", |(_, name)| name)
    }
}

impl ToSql for ChangeOp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for ChangeOp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let found = value.as_str()?;
        let known = OPS.iter().find(|(_, name)| *name == found);
        known.map(|(op, _)| *op).ok_or(FromSqlError::InvalidType)
    }
}

/// What a file held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// SHA-256 in hex, the name of the bytes in the history; none when it was too large to keep.
    pub hash: Option<String>,
    pub size: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// UUID; also the name of what was deleted in the trash.
    pub id: String,
    pub task: String,
    /// The workspace's path when it happened.
    pub root: String,
    /// Relative to the workspace, with `/`, without symbolic links.
    pub path: String,
    /// Where a moved thing came from.
    pub from: Option<String>,
    pub op: ChangeOp,
    /// `file`, `directory`, `symlink`, `other`.
    pub kind: String,
    /// None: there was nothing at `path`.
    pub before: Option<Content>,
    /// None: there is nothing at `path` afterwards, or it is no file.
    pub after: Option<Content>,
    /// The change whose version or trash a restoration brought back.
    pub origin: Option<String>,
    /// Bytes in the trash; none when nothing of this change lies there.
    pub trashed: Option<i64>,
    pub at: i64,
    pub actor: Actor,
}

const COLUMNS: &str = "id, task, root, path, from_path, op, kind, before_hash, before_size, after_hash, \
                       after_size, origin, trashed, at, actor_kind, actor_name";

impl Store {
    /// Writes the row of a change that is about to happen.
    pub async fn begin_change(&self, change: Change) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let hash = |content: &Option<Content>| content.as_ref().and_then(|content| content.hash.clone());
            let size = |content: &Option<Content>| content.as_ref().map(|content| content.size);
            transaction
                .prepare_cached(&format!(
                    "INSERT INTO changes ({COLUMNS}, settled)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 0)"
                ))?
                .execute(params![
                    change.id,
                    change.task,
                    change.root,
                    change.path,
                    change.from,
                    change.op,
                    change.kind,
                    hash(&change.before),
                    size(&change.before),
                    hash(&change.after),
                    size(&change.after),
                    change.origin,
                    change.trashed,
                    change.at,
                    change.actor.kind,
                    change.actor.name
                ])?;
            Ok(((), Vec::new()))
        })
        .await
    }

    /// It happened. What an undeletion brought back is no longer in the trash.
    pub async fn settle_change(&self, change: &Change) -> Result<(), StoreError> {
        let (id, op, origin) = (change.id.clone(), change.op, change.origin.clone());
        let data = json!({"task": change.task, "path": change.path, "op": op.name()});
        self.change(move |transaction| {
            transaction
                .prepare_cached("UPDATE changes SET settled = 1 WHERE id = ?1")?
                .execute([&id])?;
            if op == ChangeOp::Undelete {
                transaction.execute("UPDATE changes SET trashed = NULL WHERE id = ?1", [origin])?;
            }
            let event = Event::new("workspace.changed", data).tag("workspace-files");
            Ok(((), vec![event]))
        })
        .await
    }

    /// Rows of changes that did not happen, or that are too old to keep.
    pub async fn forget_changes(&self, ids: Vec<String>) -> Result<(), StoreError> {
        self.change(move |transaction| {
            let mut statement = transaction.prepare_cached("DELETE FROM changes WHERE id = ?1")?;
            for id in &ids {
                statement.execute([id])?;
            }
            drop(statement);
            Ok(((), Vec::new()))
        })
        .await
    }

    /// What these deleted is no longer in the trash.
    pub async fn leave_trash(&self, ids: Vec<String>) -> Result<(), StoreError> {
        self.change(move |transaction| {
            for id in &ids {
                transaction.execute("UPDATE changes SET trashed = NULL WHERE id = ?1", [id])?;
            }
            Ok(((), Vec::new()))
        })
        .await
    }

    /// Those that a kill left unsettled, oldest first.
    pub async fn unsettled_changes(&self) -> Result<Vec<Change>, StoreError> {
        self.changes_where("settled = 0 ORDER BY seq", ()).await
    }

    /// A settled one of this task.
    pub async fn workspace_change(&self, task: String, id: String) -> Result<Option<Change>, StoreError> {
        self.read(move |connection| {
            Ok(connection
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM changes WHERE id = ?1 AND task = ?2 AND settled = 1"
                ))?
                .query_row([id, task], change_of)
                .optional()?)
        })
        .await
    }

    /// Newest first; with `path`, those that touched it. And how many there are in all.
    pub async fn workspace_changes(
        &self,
        task: String,
        root: String,
        path: Option<String>,
        window: Window,
    ) -> Result<(Vec<Change>, u32), StoreError> {
        self.read(move |connection| {
            let filter = "task = ?1 AND root = ?2 AND settled = 1
                          AND (?3 IS NULL OR path = ?3 OR from_path = ?3)";
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM changes WHERE {filter} ORDER BY seq DESC LIMIT ?4 OFFSET ?5"
            ))?;
            let rows =
                statement.query_map(params![task, root, path, window.limit, window.offset], change_of)?;
            let found = rows.collect::<Result<Vec<_>, _>>()?;
            let total = connection
                .prepare_cached(&format!("SELECT count(*) FROM changes WHERE {filter}"))?
                .query_row(params![task, root, path], |row| row.get(0))?;
            Ok((found, total))
        })
        .await
    }

    /// What of a task lies in the trash, newest first.
    pub async fn trashed_changes(&self, task: String) -> Result<Vec<Change>, StoreError> {
        self.changes_where(
            "task = ?1 AND settled = 1 AND trashed IS NOT NULL ORDER BY seq DESC",
            [task],
        )
        .await
    }

    /// Every settled change of a task, newest first: for those who decide what is kept.
    pub async fn all_changes(&self, task: String) -> Result<Vec<Change>, StoreError> {
        self.changes_where("task = ?1 AND settled = 1 ORDER BY seq DESC", [task])
            .await
    }

    /// Tasks that have changes, bound or not.
    pub async fn changed_tasks(&self) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare("SELECT DISTINCT task FROM changes ORDER BY task")?;
            let tasks = statement.query_map([], |row| row.get(0))?;
            Ok(tasks.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn changes_where(
        &self,
        filter: &'static str,
        params: impl rusqlite::Params + Send + 'static,
    ) -> Result<Vec<Change>, StoreError> {
        self.read(move |connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM changes WHERE {filter}"))?;
            let rows = statement.query_map(params, change_of)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn change_of(row: &Row) -> rusqlite::Result<Change> {
    let content = |hash, size: Option<i64>| size.map(|size| Content { hash, size });
    Ok(Change {
        id: row.get(0)?,
        task: row.get(1)?,
        root: row.get(2)?,
        path: row.get(3)?,
        from: row.get(4)?,
        op: row.get(5)?,
        kind: row.get(6)?,
        before: content(row.get(7)?, row.get(8)?),
        after: content(row.get(9)?, row.get(10)?),
        origin: row.get(11)?,
        trashed: row.get(12)?,
        at: row.get(13)?,
        actor: Actor {
            kind: row.get(14)?,
            name: row.get(15)?,
        },
    })
}
