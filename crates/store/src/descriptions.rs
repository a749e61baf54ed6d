//! What throw-away workers said about tools, by hash of the tool's files.

use crate::connection::Store;
use crate::error::StoreError;
use rusqlite::{OptionalExtension, params};

/// Descriptions kept; the longest unused leave.
const KEEP: u32 = 5000;

impl Store {
    pub async fn description(&self, hash: String) -> Result<Option<String>, StoreError> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached("SELECT json FROM descriptions WHERE hash = ?1")?;
            Ok(statement.query_row([hash], |row| row.get(0)).optional()?)
        })
        .await
    }

    pub async fn keep_description(&self, hash: String, json: String) -> Result<(), StoreError> {
        self.change(move |transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO descriptions (hash, used_at, json) VALUES (?1, ?2, ?3)",
                params![hash, base::clock::now_ms(), json],
            )?;
            transaction.execute(
                "DELETE FROM descriptions WHERE hash IN
                 (SELECT hash FROM descriptions ORDER BY used_at DESC LIMIT -1 OFFSET ?1)",
                [KEEP],
            )?;
            Ok(((), Vec::new()))
        })
        .await
    }
}
