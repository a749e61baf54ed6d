//! Which folder belongs to which task.

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use crate::grants;
use base::Event;
use rusqlite::params;
use serde_json::json;

/// A task's folder. The path is the real one: absolute, without symbolic links when it was bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub task: String,
    pub path: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    pub actor: Actor,
}

impl Store {
    /// Oldest first.
    pub async fn workspaces(&self) -> Result<Vec<Binding>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT task, path, created_at, actor_kind, actor_name FROM workspaces ORDER BY created_at, rowid",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Binding {
                    task: row.get(0)?,
                    path: row.get(1)?,
                    created_at: row.get(2)?,
                    actor: Actor {
                        kind: row.get(3)?,
                        name: row.get(4)?,
                    },
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The caller has checked that the task has none and that the folder is no other task's.
    pub async fn add_workspace(&self, binding: Binding) -> Result<(), StoreError> {
        self.change(move |transaction| {
            transaction.execute(
                "INSERT INTO workspaces (task, path, created_at, actor_kind, actor_name) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    binding.task,
                    binding.path,
                    binding.created_at,
                    binding.actor.kind,
                    binding.actor.name
                ],
            )?;
            let event = changed(&binding.task);
            let entry = AuditEntry {
                actor: binding.actor,
                action: "workspace.bind".into(),
                subject: binding.task,
                detail: json!({"path": binding.path}),
            };
            audit::insert(transaction, &entry)?;
            Ok(((), vec![event]))
        })
        .await
    }

    /// Whether there was one. The rights of the task go with it: they were given for that folder.
    /// Files, history and trash are not touched.
    pub async fn remove_workspace(&self, task: String, actor: Actor) -> Result<bool, StoreError> {
        self.change(move |transaction| {
            if transaction.execute("DELETE FROM workspaces WHERE task = ?1", [&task])? == 0 {
                return Ok((false, Vec::new()));
            }
            let mut events = vec![changed(&task)];
            events.extend(grants::remove_all(transaction, &format!("task:{task}"), &actor)?);
            let entry = AuditEntry {
                actor,
                action: "workspace.unbind".into(),
                subject: task,
                detail: json!({}),
            };
            audit::insert(transaction, &entry)?;
            Ok((true, events))
        })
        .await
    }
}

fn changed(task: &str) -> Event {
    Event::new("workspace.changed", json!({"task": task})).tag("workspaces")
}
