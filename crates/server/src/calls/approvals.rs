//! Questions that wait for a person, and her answers.

use super::{actor_of, wire_actor};
use crate::app::App;
use crate::approvals::Answer;
use base::Failure;
use store::{Approval, ApprovalState, GrantKind};
use wire::{ApprovalAnswer, ApprovalKind, ApprovalList, ApprovalQuery, ApprovalResolve, ApprovalRow, Caller};

pub(super) async fn list(app: &App, query: ApprovalQuery) -> Result<ApprovalList, Failure> {
    let state = query.state.map(stored);
    let (found, total) = app
        .inner
        .store
        .approvals(state, super::window(query.page))
        .await?;
    Ok(ApprovalList {
        approvals: found.into_iter().map(row).collect(),
        total,
    })
}

pub(super) async fn resolve(
    app: &App,
    caller: &Caller,
    params: ApprovalResolve,
) -> Result<ApprovalRow, Failure> {
    let answer = match params.answer {
        ApprovalAnswer::AllowOnce => Answer::AllowOnce,
        ApprovalAnswer::AllowForTask => Answer::AllowForTask,
        ApprovalAnswer::Deny => Answer::Deny,
    };
    let resolved = app
        .approvals()
        .resolve(&params.id, answer, actor_of(caller))
        .await?;
    Ok(row(resolved))
}

fn row(approval: Approval) -> ApprovalRow {
    let asked = approval.asked;
    ApprovalRow {
        id: asked.id,
        subject: asked.subject,
        kind: kind(asked.kind),
        value: asked.value,
        detail: asked.detail,
        actor: wire_actor(asked.actor),
        state: match approval.state {
            ApprovalState::Waiting => wire::ApprovalState::Waiting,
            ApprovalState::AllowedOnce => wire::ApprovalState::AllowedOnce,
            ApprovalState::AllowedForTask => wire::ApprovalState::AllowedForTask,
            ApprovalState::Denied => wire::ApprovalState::Denied,
            ApprovalState::Expired => wire::ApprovalState::Expired,
        },
        created_at: approval.created_at as f64,
        resolved_at: approval.resolved_at.map(|at| at as f64),
        resolver: approval.resolver.map(wire_actor),
    }
}

pub(super) fn kind(kind: GrantKind) -> ApprovalKind {
    match kind {
        GrantKind::Command => ApprovalKind::Command,
        GrantKind::Directory => ApprovalKind::Directory,
        GrantKind::Network => ApprovalKind::Network,
        GrantKind::Tool => ApprovalKind::Tool,
        GrantKind::Unsandboxed => ApprovalKind::Unsandboxed,
        GrantKind::FullNetwork => ApprovalKind::FullNetwork,
        GrantKind::Script => ApprovalKind::Script,
        GrantKind::Processes => ApprovalKind::Processes,
        GrantKind::Site => ApprovalKind::Site,
        GrantKind::Step => ApprovalKind::Step,
    }
}

fn stored(state: wire::ApprovalState) -> ApprovalState {
    match state {
        wire::ApprovalState::Waiting => ApprovalState::Waiting,
        wire::ApprovalState::AllowedOnce => ApprovalState::AllowedOnce,
        wire::ApprovalState::AllowedForTask => ApprovalState::AllowedForTask,
        wire::ApprovalState::Denied => ApprovalState::Denied,
        wire::ApprovalState::Expired => ApprovalState::Expired,
    }
}
