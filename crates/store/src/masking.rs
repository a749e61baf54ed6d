//! Secrets in records: where people and programs read a command again, a mask stands in the place
//! of each.
//!
//! Who knows the secrets says how they are masked ([`Store::mask`]). The audit, and commands that
//! were asked about or granted, go through it when they are written, and commands once more when
//! they are read: a value may have become a secret since. A command that is kept masked is still the
//! same command: beside what is shown stands a keyed hash of the whole, and that is what is compared.
//!
//! Deliberately not here: which values are secrets, and whose the key is.

use crate::connection::Store;
use crate::error::StoreError;
use crate::grants::GrantKind;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::cell::RefCell;

type Text = Box<dyn Fn(&str) -> String + Send>;

/// How secrets are kept out.
pub struct Masking {
    /// The text with masks.
    pub mask: Text,
    /// A hash by which the same text is known again and nothing else can be learnt.
    pub mark: Text,
}

thread_local! {
    /// Of the store's own thread, which alone reads and writes records.
    static MASKING: RefCell<Option<Masking>> = const { RefCell::new(None) };
}

/// A value as it is kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub shown: String,
    /// Of the value; empty when what is shown is the value itself.
    pub mark: String,
}

impl Store {
    /// From now on records are masked so.
    pub async fn mask(&self, masking: Masking) -> Result<(), StoreError> {
        self.read(move |_| {
            MASKING.set(Some(masking));
            Ok(())
        })
        .await
    }
}

pub(crate) fn text(text: &str) -> String {
    MASKING.with_borrow(|masking| match masking {
        Some(masking) => (masking.mask)(text),
        None => text.to_owned(),
    })
}

/// In every text of it: what is JSON stays JSON, whatever the secrets are.
pub(crate) fn json(value: &mut Value) {
    match value {
        Value::String(said) => *said = text(said),
        Value::Array(items) => items.iter_mut().for_each(json),
        Value::Object(fields) => fields.values_mut().for_each(json),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Only commands hold secrets. Of a folder or a host the very text is needed.
pub(crate) fn shown(kind: GrantKind, value: &str) -> String {
    match kind {
        GrantKind::Command => text(value),
        _ => value.to_owned(),
    }
}

pub(crate) fn mark(value: &str) -> String {
    MASKING.with_borrow(|masking| {
        masking
            .as_ref()
            .map_or_else(String::new, |masking| (masking.mark)(value))
    })
}

pub(crate) fn kept(kind: GrantKind, value: &str) -> Kept {
    let shown = shown(kind, value);
    let mark = if shown == value {
        String::new()
    } else {
        mark(value)
    };
    Kept { shown, mark }
}

/// Commands that were kept before a value in them was known as a secret.
pub(crate) fn older(transaction: &Connection) -> Result<(), StoreError> {
    for table in ["approvals", "grants"] {
        let mut statement = transaction.prepare(&format!(
            "SELECT rowid, value FROM {table} WHERE kind = 'command' AND mark = ''"
        ))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
        for (row, value) in rows {
            let Kept { shown, mark } = kept(GrantKind::Command, &value);
            if !mark.is_empty() {
                transaction.execute(
                    &format!("UPDATE OR REPLACE {table} SET value = ?2, mark = ?3 WHERE rowid = ?1"),
                    params![row, shown, mark],
                )?;
            }
        }
    }
    let mut statement = transaction.prepare("SELECT rowid, detail FROM approvals")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    for (row, detail) in rows {
        let mut masked: Value = serde_json::from_str(&detail)?;
        json(&mut masked);
        let masked = masked.to_string();
        if masked != detail {
            transaction.execute(
                "UPDATE approvals SET detail = ?2 WHERE rowid = ?1",
                params![row, masked],
            )?;
        }
    }
    Ok(())
}
