//! Tokens of clients, by hash alone, and when clients were last here.

use crate::Actor;
use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use base::Event;
use rusqlite::{OptionalExtension, params};
use serde_json::{Value, json};

/// Clients that are remembered; the longest gone leave.
const CLIENTS: u32 = 256;

/// A token that was given to a client.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    pub name: String,
    /// Hexadecimal SHA-256 of the secret, which is kept nowhere.
    pub hash: String,
    /// What its bearer may use.
    pub scope: Value,
    /// Milliseconds since the epoch, as all times here.
    pub created_at: i64,
    /// Who made it.
    pub actor: Actor,
    /// A revoked name stays, so that nobody is taken for a client that never had limits.
    pub revoked_at: Option<i64>,
}

impl Store {
    /// Oldest first, revoked ones included.
    pub async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, hash, scope, created_at, actor_kind, actor_name, revoked_at FROM tokens
                 ORDER BY created_at, rowid",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((
                    row.get::<_, String>(2)?,
                    TokenRow {
                        name: row.get(0)?,
                        hash: row.get(1)?,
                        scope: Value::Null,
                        created_at: row.get(3)?,
                        actor: Actor {
                            kind: row.get(4)?,
                            name: row.get(5)?,
                        },
                        revoked_at: row.get(6)?,
                    },
                ))
            })?;
            rows.map(|row| {
                let (scope, token) = row?;
                Ok(TokenRow {
                    scope: serde_json::from_str(&scope)?,
                    ..token
                })
            })
            .collect()
        })
        .await
    }

    /// `false`: the name has a token that holds. A revoked one is replaced.
    pub async fn add_token(&self, row: TokenRow) -> Result<bool, StoreError> {
        self.change(move |transaction| {
            let holds: Option<bool> = transaction
                .query_row(
                    "SELECT revoked_at IS NULL FROM tokens WHERE name = ?1",
                    [&row.name],
                    |found| found.get(0),
                )
                .optional()?;
            if holds == Some(true) {
                return Ok((false, Vec::new()));
            }
            transaction.execute(
                "INSERT OR REPLACE INTO tokens (name, hash, scope, created_at, actor_kind, actor_name)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    row.name,
                    row.hash,
                    row.scope.to_string(),
                    row.created_at,
                    row.actor.kind,
                    row.actor.name
                ],
            )?;
            let entry = AuditEntry {
                actor: row.actor,
                action: "token.new".into(),
                subject: row.name,
                detail: row.scope,
            };
            audit::insert(transaction, &entry)?;
            Ok((true, vec![changed()]))
        })
        .await
    }

    /// `false`: there is no such token, or it was revoked before.
    pub async fn revoke_token(&self, name: String, actor: Actor) -> Result<bool, StoreError> {
        self.change(move |transaction| {
            let done = transaction.execute(
                "UPDATE tokens SET revoked_at = ?2, hash = '' WHERE name = ?1 AND revoked_at IS NULL",
                params![name, base::clock::now_ms()],
            )?;
            if done == 0 {
                return Ok((false, Vec::new()));
            }
            let entry = AuditEntry {
                actor,
                action: "token.revoke".into(),
                subject: name,
                detail: json!({}),
            };
            audit::insert(transaction, &entry)?;
            Ok((true, vec![changed()]))
        })
        .await
    }

    /// When each client was last here, the latest first.
    pub async fn clients(&self) -> Result<Vec<(String, i64)>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT name, seen_at FROM clients ORDER BY seen_at DESC, name")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub async fn clients_seen(&self, seen: Vec<(String, i64)>) -> Result<(), StoreError> {
        self.change(move |transaction| {
            for (name, at) in seen {
                transaction.execute(
                    "INSERT INTO clients (name, seen_at) VALUES (?1, ?2)
                     ON CONFLICT (name) DO UPDATE SET seen_at = max(seen_at, excluded.seen_at)",
                    params![name, at],
                )?;
            }
            transaction.execute(
                "DELETE FROM clients WHERE name NOT IN (SELECT name FROM clients ORDER BY seen_at DESC LIMIT ?1)",
                [CLIENTS],
            )?;
            Ok(((), Vec::new()))
        })
        .await
    }
}

fn changed() -> Event {
    Event::new("tokens.changed", json!({})).tag("tokens")
}
