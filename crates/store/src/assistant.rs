//! The conversation with the browser assistant: messages in their order, the oldest of too many forgotten.
//!
//! Deliberately not here: what a message means; its metadata is JSON.

use crate::connection::Store;
use crate::error::StoreError;
use crate::masking;
use base::{Event, clock};
use rusqlite::{Row, params};
use serde_json::{Value, json};

/// Messages that are kept.
const KEPT: i64 = 20_000;

#[derive(Clone, Debug, PartialEq)]
pub struct AssistantSaid {
    pub id: String,
    /// Milliseconds since the epoch.
    pub at: i64,
    /// `user`, `assistant` or `system`.
    pub kind: String,
    pub content: String,
    pub metadata: Value,
}

/// How wishes and steps of the conversation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssistantCounts {
    pub wishes: u32,
    pub fulfilled: u32,
    pub steps: u32,
    pub steps_done: u32,
}

const COLUMNS: &str = "id, at, kind, content, metadata";

fn said(row: &Row<'_>) -> rusqlite::Result<(AssistantSaid, String)> {
    let metadata: String = row.get(4)?;
    let said = AssistantSaid {
        id: row.get(0)?,
        at: row.get(1)?,
        kind: row.get(2)?,
        content: row.get(3)?,
        metadata: Value::Null,
    };
    Ok((said, metadata))
}

impl Store {
    /// Adds a message; its secrets are masked.
    pub async fn assistant_say(
        &self,
        kind: &'static str,
        content: String,
        mut metadata: Value,
    ) -> Result<AssistantSaid, StoreError> {
        self.change(move |transaction| {
            let content = masking::text(&content);
            masking::json(&mut metadata);
            let one = AssistantSaid {
                id: uuid::Uuid::now_v7().to_string(),
                at: clock::now_ms(),
                kind: kind.to_owned(),
                content,
                metadata,
            };
            transaction.execute(
                "INSERT INTO assistant_messages (id, at, kind, content, metadata) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![one.id, one.at, one.kind, one.content, one.metadata.to_string()],
            )?;
            let last = transaction.last_insert_rowid();
            transaction.execute("DELETE FROM assistant_messages WHERE seq <= ?1", [last - KEPT])?;
            let event = Event::new("assistant.step", json!({"message": one.id})).tag("assistant-messages");
            Ok((one, vec![event]))
        })
        .await
    }

    /// So many, oldest first: the last, or those before a message. And whether there are older ones.
    pub async fn assistant_messages(
        &self,
        before: Option<String>,
        most: u32,
    ) -> Result<(Vec<AssistantSaid>, bool), StoreError> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM assistant_messages
                 WHERE ?1 IS NULL OR seq < (SELECT seq FROM assistant_messages WHERE id = ?1)
                 ORDER BY seq DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![before, i64::from(most) + 1], said)?;
            let mut found = Vec::new();
            for row in rows {
                let (mut one, metadata) = row?;
                one.metadata = serde_json::from_str(&metadata)?;
                found.push(one);
            }
            let more = found.len() > most as usize;
            found.truncate(most as usize);
            found.reverse();
            Ok((found, more))
        })
        .await
    }

    pub async fn assistant_counts(&self) -> Result<AssistantCounts, StoreError> {
        self.read(|connection| {
            let mut counts = AssistantCounts::default();
            let mut statement = connection.prepare_cached(
                "SELECT metadata ->> 'part', coalesce(metadata ->> 'success', 0), count(*) FROM assistant_messages
                 WHERE metadata ->> 'part' IN ('end', 'step') GROUP BY 1, 2",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, row.get::<_, u32>(2)?))
            })?;
            for row in rows {
                let (part, success, count) = row?;
                let (all, good) = match part.as_str() {
                    "end" => (&mut counts.wishes, &mut counts.fulfilled),
                    _ => (&mut counts.steps, &mut counts.steps_done),
                };
                *all += count;
                if success {
                    *good += count;
                }
            }
            Ok(counts)
        })
        .await
    }

    /// Forgets all of it.
    pub async fn clear_assistant(&self) -> Result<(), StoreError> {
        self.change(|transaction| {
            transaction.execute("DELETE FROM assistant_messages", [])?;
            let event = Event::new("assistant.step", json!({}))
                .tag("assistant-messages")
                .tag("assistant");
            Ok(((), vec![event]))
        })
        .await
    }
}
