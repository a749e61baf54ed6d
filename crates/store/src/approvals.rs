//! Questions that wait for a person, and how each was answered.
//!
//! Every change of state goes through one thread and asks for the state `waiting`: whoever comes
//! first decides, whatever the others believed. What was allowed for a whole task becomes a grant
//! in the same transaction.

use crate::audit::{self, AuditEntry};
use crate::connection::Store;
use crate::error::StoreError;
use crate::grants::{self, Grant, GrantKind};
use crate::masking::{self, Kept};
use crate::{Actor, Window};
use base::Event;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

/// Answered questions that are kept.
const KEPT: i64 = 5000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    Waiting,
    AllowedOnce,
    AllowedForTask,
    Denied,
    /// Nobody answered in time, or the process that asked has ended.
    Expired,
}

impl ApprovalState {
    pub fn as_str(self) -> &'static str {
        match self {
            ApprovalState::Waiting => "waiting",
            ApprovalState::AllowedOnce => "allowed_once",
            ApprovalState::AllowedForTask => "allowed_for_task",
            ApprovalState::Denied => "denied",
            ApprovalState::Expired => "expired",
        }
    }

    /// What nobody can read allows nothing.
    fn named(name: &str) -> Self {
        match name {
            "waiting" => ApprovalState::Waiting,
            "allowed_once" => ApprovalState::AllowedOnce,
            "allowed_for_task" => ApprovalState::AllowedForTask,
            "expired" => ApprovalState::Expired,
            _ => ApprovalState::Denied,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    pub id: String,
    /// A tool's name, or `task:` and the id of a task.
    pub subject: String,
    pub kind: GrantKind,
    /// In the one form in which it is compared. Read again, its secrets are masked.
    pub value: String,
    /// Of the code that asks; empty for a task. What is allowed for a task is allowed to this code.
    pub code_hash: String,
    /// What a person wants to know before answering.
    pub detail: Value,
    /// Who asks.
    pub actor: Actor,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    pub asked: NewApproval,
    pub state: ApprovalState,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    pub resolved_at: Option<i64>,
    pub resolver: Option<Actor>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// It decided: this question, and with it others that wait for the very same.
    Won {
        approval: Approval,
        others: Vec<Approval>,
    },
    /// Somebody else was first.
    Already(Approval),
}

impl Store {
    /// Gives what is kept: secrets of a command are masked.
    pub async fn add_approval(&self, mut asked: NewApproval) -> Result<Approval, StoreError> {
        self.change(move |transaction| {
            let Kept { shown, mark } = masking::kept(asked.kind, &asked.value);
            asked.value = shown;
            masking::json(&mut asked.detail);
            let created_at = base::clock::now_ms();
            transaction.execute(
                "INSERT INTO approvals (id, subject, kind, value, code_hash, detail, actor_kind, actor_name, state, created_at, mark)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting', ?9, ?10)",
                params![
                    asked.id,
                    asked.subject,
                    asked.kind.name(),
                    asked.value,
                    asked.code_hash,
                    asked.detail.to_string(),
                    asked.actor.kind,
                    asked.actor.name,
                    created_at,
                    mark
                ],
            )?;
            let row = transaction.last_insert_rowid();
            transaction.execute(
                "DELETE FROM approvals WHERE rowid <= ?1 AND state != 'waiting'",
                [row - KEPT],
            )?;
            let entry = AuditEntry {
                actor: asked.actor.clone(),
                action: "approval.ask".to_owned(),
                subject: asked.subject.clone(),
                detail: json!({"id": asked.id, "kind": asked.kind.name(), "value": asked.value}),
            };
            audit::insert(transaction, &entry)?;
            let data = json!({"id": asked.id, "subject": asked.subject, "kind": asked.kind.name()});
            let event = Event::new("approval.requested", data).tag("approvals");
            let approval = Approval {
                asked,
                state: ApprovalState::Waiting,
                created_at,
                resolved_at: None,
                resolver: None,
            };
            Ok((approval, vec![event]))
        })
        .await
    }

    /// Ends a question, if it still waits; without a resolver nobody answered. Allowed for a task, it ends those that ask for the very
    /// same as well.
    pub async fn resolve_approval(
        &self,
        id: String,
        state: ApprovalState,
        resolver: Option<Actor>,
    ) -> Result<Resolution, StoreError> {
        self.change(move |transaction| {
            let Some(found) = one(transaction, &id)? else {
                return Err(StoreError::NoApproval(id));
            };
            if found.state != ApprovalState::Waiting {
                return Ok((Resolution::Already(found), Vec::new()));
            }
            let resolver = resolver.as_ref();
            let mut events = vec![end(transaction, state, resolver, &found)?];
            let mut others = Vec::new();
            if let (ApprovalState::AllowedForTask, Some(resolver)) = (state, resolver) {
                events.push(remember(transaction, &found.asked, resolver)?);
                for same in waiting_for_the_same(transaction, &found.asked)? {
                    events.push(end(transaction, state, Some(resolver), &same)?);
                    others.extend(one(transaction, &same.asked.id)?);
                }
            }
            match one(transaction, &id)? {
                Some(approval) => Ok((Resolution::Won { approval, others }, events)),
                None => Err(StoreError::NoApproval(id)),
            }
        })
        .await
    }

    /// Newest first, and how many there are in all.
    pub async fn approvals(
        &self,
        state: Option<ApprovalState>,
        window: Window,
    ) -> Result<(Vec<Approval>, u32), StoreError> {
        self.read(move |connection| {
            let state = state.map(ApprovalState::as_str);
            let found = list(
                connection,
                "WHERE (?1 IS NULL OR state = ?1) ORDER BY rowid DESC LIMIT ?2 OFFSET ?3",
                params![state, window.limit, window.offset],
            )?;
            let total = connection
                .prepare_cached("SELECT count(*) FROM approvals WHERE ?1 IS NULL OR state = ?1")?
                .query_row([state], |row| row.get(0))?;
            Ok((found, total))
        })
        .await
    }

    pub async fn approval(&self, id: String) -> Result<Approval, StoreError> {
        self.read(move |connection| one(connection, &id)?.ok_or(StoreError::NoApproval(id)))
            .await
    }

    /// Whether just this was granted, to just this code.
    pub async fn is_granted(
        &self,
        subject: String,
        kind: GrantKind,
        value: String,
        code_hash: String,
    ) -> Result<bool, StoreError> {
        self.read(move |connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT 1 FROM grants WHERE subject = ?1 AND kind = ?2 AND code_hash = ?4
                     AND CASE mark WHEN '' THEN value = ?3 ELSE mark = ?5 END",
                )?
                .exists(params![
                    subject,
                    kind.name(),
                    value,
                    code_hash,
                    masking::mark(&value)
                ])?)
        })
        .await
    }

    /// What a process that has ended left behind: nobody waits for answers to its questions, and
    /// what it did not know as a secret is masked now. Before anything is asked, and after
    /// [`Store::mask`].
    pub async fn settle_approvals(&self) -> Result<(), StoreError> {
        self.change(move |transaction| {
            masking::older(transaction)?;
            let stale = list(transaction, "WHERE state = 'waiting' ORDER BY rowid", params![])?;
            let ended = stale
                .iter()
                .map(|stale| end(transaction, ApprovalState::Expired, None, stale));
            Ok(((), ended.collect::<Result<_, _>>()?))
        })
        .await
    }
}

fn end(
    transaction: &Connection,
    state: ApprovalState,
    resolver: Option<&Actor>,
    found: &Approval,
) -> Result<Event, StoreError> {
    let asked = &found.asked;
    let id = &asked.id;
    transaction.execute(
        "UPDATE approvals SET state = ?2, resolved_at = ?3, resolver_kind = ?4, resolver_name = ?5
         WHERE id = ?1 AND state = 'waiting'",
        params![
            id,
            state.as_str(),
            base::clock::now_ms(),
            resolver.map(|resolver| &resolver.kind),
            resolver.map(|resolver| &resolver.name)
        ],
    )?;
    let entry = AuditEntry {
        actor: resolver.cloned().unwrap_or_else(Actor::owner),
        action: "approval.resolve".to_owned(),
        subject: asked.subject.clone(),
        detail: json!({"id": id, "kind": asked.kind.name(), "value": asked.value, "state": state.as_str()}),
    };
    audit::insert(transaction, &entry)?;
    let data =
        json!({"id": id, "subject": asked.subject, "kind": asked.kind.name(), "state": state.as_str()});
    Ok(Event::new("approval.resolved", data).tag("approvals"))
}

fn remember(transaction: &Connection, asked: &NewApproval, resolver: &Actor) -> Result<Event, StoreError> {
    // Here its secrets are masked; the mark is in its row.
    let kept = transaction
        .prepare_cached("SELECT value, mark FROM approvals WHERE id = ?1")?
        .query_row([&asked.id], |row| {
            Ok(Kept {
                shown: row.get(0)?,
                mark: row.get(1)?,
            })
        })?;
    let grant = Grant {
        subject: asked.subject.clone(),
        kind: asked.kind,
        value: asked.value.clone(),
        code_hash: asked.code_hash.clone(),
        actor: resolver.clone(),
    };
    grants::insert_kept(transaction, grant, kept)
}

fn waiting_for_the_same(transaction: &Connection, asked: &NewApproval) -> Result<Vec<Approval>, StoreError> {
    list(
        transaction,
        "WHERE state = 'waiting' AND id != ?1 AND (subject, kind, value, mark, code_hash) =
         (SELECT subject, kind, value, mark, code_hash FROM approvals WHERE id = ?1)",
        params![asked.id],
    )
}

const COLUMNS: &str = "id, subject, kind, value, code_hash, detail, actor_kind, actor_name, state, created_at, \
                       resolved_at, resolver_kind, resolver_name";

fn one(connection: &Connection, id: &str) -> Result<Option<Approval>, StoreError> {
    let found = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM approvals WHERE id = ?1"))?
        .query_row([id], approval_of)
        .optional()?;
    found.transpose()
}

fn list(
    connection: &Connection,
    wanted: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Approval>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM approvals {wanted}"))?;
    let rows = statement.query_map(values, approval_of)?;
    rows.map(|row| row?).collect()
}

fn approval_of(row: &Row) -> rusqlite::Result<Result<Approval, StoreError>> {
    let actor = |at: usize| -> rusqlite::Result<Option<Actor>> {
        let kind: Option<String> = row.get(at)?;
        let name: Option<String> = row.get(at + 1)?;
        Ok(kind.zip(name).map(|(kind, name)| Actor { kind, name }))
    };
    let (kind, detail): (String, String) = (row.get(2)?, row.get(5)?);
    let state: String = row.get(8)?;
    let asked = |kind, detail| -> rusqlite::Result<NewApproval> {
        Ok(NewApproval {
            id: row.get(0)?,
            subject: row.get(1)?,
            kind,
            value: masking::shown(kind, &row.get::<_, String>(3)?),
            code_hash: row.get(4)?,
            detail,
            actor: Actor {
                kind: row.get(6)?,
                name: row.get(7)?,
            },
        })
    };
    let Some(kind) = GrantKind::named(&kind) else {
        return Ok(Err(StoreError::UnknownKind(kind)));
    };
    let detail = match serde_json::from_str(&detail) {
        Ok(mut detail) => {
            masking::json(&mut detail);
            detail
        }
        Err(error) => return Ok(Err(error.into())),
    };
    Ok(Ok(Approval {
        asked: asked(kind, detail)?,
        state: ApprovalState::named(&state),
        created_at: row.get(9)?,
        resolved_at: row.get(10)?,
        resolver: actor(11)?,
    }))
}
