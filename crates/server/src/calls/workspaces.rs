//! Task folders and the policy about commands: values of `workspace` as wire types. Where a
//! workspace lies on this machine is told to the person alone.

use super::{actor_of, window, wire_actor};
use crate::app::App;
use crate::words::worded;
use crate::work::blocking;
use base::{Event, Failure, clock};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::path::Path;
use store::{AuditEntry, Binding, Change};
use wire::{
    Access, Caller, ChangeList, ChangeRow, PolicyCheck, PolicyDecision, PolicyVerdict, TrashEmptied, Unbound,
    VersionContent, VersionRef, WorkspaceBind, WorkspaceChanged, WorkspaceCompare, WorkspaceContent,
    WorkspaceDiff, WorkspaceEdit, WorkspaceEntries, WorkspaceEntry, WorkspaceFolder, WorkspaceHistory,
    WorkspaceList, WorkspaceMatch, WorkspaceMatches, WorkspaceMove, WorkspaceNumbers, WorkspacePath,
    WorkspaceRead, WorkspaceRef, WorkspaceRestore, WorkspaceRow, WorkspaceSearch, WorkspaceUndelete,
    WorkspaceVersion, WorkspaceWrite,
};
use workspace::files::{ReadAs, ReadRequest, SearchRequest};
use workspace::policy::{Decision, Policy};
use workspace::{EditRequest, MoveTo, Version, Workspace};

fn get(app: &App, task: &str) -> Result<Workspace, Failure> {
    Ok(app.inner.workspaces.get(task)?)
}

pub(super) async fn bind(app: &App, caller: &Caller, params: WorkspaceBind) -> Result<WorkspaceRow, Failure> {
    let path = Path::new(&params.workspace_path);
    let bound = app
        .inner
        .workspaces
        .bind(&params.task_id, path, actor_of(caller))
        .await?;
    Ok(row(caller, &bound))
}

pub(super) async fn unbind(app: &App, caller: &Caller, params: WorkspaceRef) -> Result<Unbound, Failure> {
    let removed = app
        .inner
        .workspaces
        .unbind(&params.task_id, actor_of(caller))
        .await?;
    app.inner.terminals.close_all(Some(&params.task_id)).await;
    Ok(Unbound { removed })
}

pub(super) fn list(app: &App, caller: &Caller) -> WorkspaceList {
    let all = app.inner.workspaces.list();
    WorkspaceList {
        workspaces: all
            .iter()
            .map(|workspace| row(caller, workspace.binding()))
            .collect(),
    }
}

fn row(caller: &Caller, binding: &Binding) -> WorkspaceRow {
    WorkspaceRow {
        task_id: binding.task.clone(),
        workspace_path: (caller.access >= Access::Ui).then(|| binding.path.clone()),
        created_at: binding.created_at,
    }
}

pub(super) async fn info(app: &App, params: WorkspaceRef) -> Result<WorkspaceNumbers, Failure> {
    let info = get(app, &params.task_id)?.info().await?;
    Ok(WorkspaceNumbers {
        file_count: info.file_count,
        dir_count: info.dir_count,
        total_size: info.total_size,
        last_modified: clock::iso_utc(info.last_modified),
        unreadable: (info.unreadable > 0).then_some(info.unreadable),
    })
}

pub(super) async fn ls(app: &App, params: WorkspaceFolder) -> Result<WorkspaceEntries, Failure> {
    let listing = get(app, &params.task_id)?.list(params.path.as_deref()).await?;
    let files = listing.files.into_iter().map(|entry| WorkspaceEntry {
        name: entry.name,
        r#type: entry.kind.name().to_owned(),
        size: entry.size,
    });
    Ok(WorkspaceEntries {
        files: files.collect(),
        truncated: listing.truncated,
    })
}

pub(super) async fn read(app: &App, params: WorkspaceRead) -> Result<WorkspaceContent, Failure> {
    let request = ReadRequest {
        offset: params.offset.unwrap_or(0),
        limit: params.limit,
        encoding: ReadAs::parse(params.encoding.as_deref())?,
    };
    let read = get(app, &params.task_id)?.read(&params.path, request).await?;
    Ok(WorkspaceContent {
        content: read.content,
        size: read.size,
        encoding: read.encoding.to_owned(),
        truncated: read.truncated,
        next_offset: read.next_offset,
    })
}

pub(super) async fn search(app: &App, params: WorkspaceSearch) -> Result<WorkspaceMatches, Failure> {
    let request = SearchRequest {
        pattern: params.pattern,
        path: params.path,
        glob: params.glob,
        ignore_case: params.ignore_case,
        limit: params
            .limit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
    };
    let found = get(app, &params.task_id)?.search(request).await?;
    let matches = found.matches.into_iter().map(|found| WorkspaceMatch {
        path: found.path,
        line: found.line,
        text: found.text,
    });
    Ok(WorkspaceMatches {
        matches: matches.collect(),
        truncated: found.truncated,
    })
}

pub(super) async fn write(
    app: &App,
    caller: &Caller,
    params: WorkspaceWrite,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    let content = params.content.into_bytes();
    Ok(done(
        &workspace.write(&params.path, content, actor_of(caller)).await?,
    ))
}

pub(super) async fn append(
    app: &App,
    caller: &Caller,
    params: WorkspaceWrite,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    let content = params.content.into_bytes();
    Ok(done(
        &workspace.append(&params.path, content, actor_of(caller)).await?,
    ))
}

pub(super) async fn edit(
    app: &App,
    caller: &Caller,
    params: WorkspaceEdit,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    let edit = EditRequest {
        old: params.old,
        new: params.new,
        count: usize::try_from(params.count.unwrap_or(1)).unwrap_or(usize::MAX),
    };
    Ok(done(&workspace.edit(&params.path, edit, actor_of(caller)).await?))
}

pub(super) async fn move_file(
    app: &App,
    caller: &Caller,
    params: WorkspaceMove,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    let over = match params.overwrite {
        true => MoveTo::OverFile,
        false => MoveTo::Free,
    };
    let change = workspace
        .move_file(&params.from, &params.to, over, actor_of(caller))
        .await?;
    Ok(done(&change))
}

pub(super) async fn delete(
    app: &App,
    caller: &Caller,
    params: WorkspacePath,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    Ok(done(&workspace.delete(&params.path, actor_of(caller)).await?))
}

pub(super) async fn history(app: &App, params: WorkspaceHistory) -> Result<ChangeList, Failure> {
    let workspace = get(app, &params.task_id)?;
    let (changes, total) = workspace
        .history(params.path.as_deref(), window(params.page))
        .await?;
    Ok(ChangeList {
        changes: changes.into_iter().map(change_row).collect(),
        total,
    })
}

pub(super) async fn version_of(app: &App, params: WorkspaceVersion) -> Result<VersionContent, Failure> {
    let workspace = get(app, &params.task_id)?;
    let found = workspace.version(version(params.version)).await?;
    let content = found.map(|bytes| {
        let size = bytes.len() as u64;
        let (content, encoding) = match String::from_utf8(bytes) {
            Ok(text) => (text, "utf-8"),
            Err(error) => (STANDARD.encode(error.as_bytes()), "base64"),
        };
        WorkspaceContent {
            content,
            size,
            encoding: encoding.to_owned(),
            truncated: false,
            next_offset: None,
        }
    });
    Ok(VersionContent { content })
}

pub(super) async fn diff(app: &App, params: WorkspaceCompare) -> Result<WorkspaceDiff, Failure> {
    let workspace = get(app, &params.task_id)?;
    let diff = workspace.diff(version(params.old), version(params.new)).await?;
    Ok(WorkspaceDiff {
        old_path: diff.old_path,
        new_path: diff.new_path,
        old_size: diff.old_size,
        new_size: diff.new_size,
        text: diff.text,
        truncated: diff.truncated,
    })
}

pub(super) async fn restore(
    app: &App,
    caller: &Caller,
    params: WorkspaceRestore,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    let change = workspace
        .restore(version(params.version), actor_of(caller))
        .await?;
    Ok(done(&change))
}

pub(super) async fn trash(app: &App, params: WorkspaceRef) -> Result<ChangeList, Failure> {
    let changes = get(app, &params.task_id)?.trash().await?;
    Ok(ChangeList {
        total: u32::try_from(changes.len()).unwrap_or(u32::MAX),
        changes: changes.into_iter().map(change_row).collect(),
    })
}

pub(super) async fn empty_trash(
    app: &App,
    caller: &Caller,
    params: WorkspaceRef,
) -> Result<TrashEmptied, Failure> {
    let removed = get(app, &params.task_id)?.empty_trash().await?;
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "workspace.empty_trash".to_owned(),
        subject: format!("task:{}", params.task_id),
        detail: json!({"removed": removed}),
    };
    app.inner.store.audit(entry).await?;
    let event = Event::new("workspace.changed", json!({"task": params.task_id})).tag("workspace-files");
    app.inner.store.announce(vec![event]).await?;
    Ok(TrashEmptied {
        removed: u32::try_from(removed).unwrap_or(u32::MAX),
    })
}

pub(super) async fn undelete(
    app: &App,
    caller: &Caller,
    params: WorkspaceUndelete,
) -> Result<WorkspaceChanged, Failure> {
    let workspace = get(app, &params.task_id)?;
    Ok(done(&workspace.undelete(&params.change, actor_of(caller)).await?))
}

/// Judged where it may take its time: a command has up to 100,000 bytes.
pub(super) async fn check(app: &App, params: PolicyCheck) -> Result<PolicyVerdict, Failure> {
    let policy = app.inner.rules.policy().await?;
    let verdict = blocking(move || Policy::judge(&policy, &params.command)).await?;
    Ok(PolicyVerdict {
        decision: match verdict.decision {
            Decision::Block => PolicyDecision::Block,
            Decision::Ask => PolicyDecision::Ask,
            Decision::Allow => PolicyDecision::Allow,
        },
        blocked: verdict.blocked(),
        reason: verdict
            .reason()
            .map_or_else(String::new, |reason| worded(&reason, app.lang()).message),
    })
}

fn done(change: &Change) -> WorkspaceChanged {
    WorkspaceChanged {
        ok: true,
        change: change.id.clone(),
    }
}

fn change_row(change: Change) -> ChangeRow {
    ChangeRow {
        id: change.id,
        op: change.op.name().to_owned(),
        kind: change.kind,
        path: change.path,
        from: change.from,
        size_before: change.before.map(|content| bytes(content.size)),
        size_after: change.after.map(|content| bytes(content.size)),
        origin: change.origin,
        trashed: change.trashed.map(bytes),
        at: change.at,
        actor: wire_actor(change.actor),
    }
}

fn bytes(size: i64) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

fn version(version: VersionRef) -> Version {
    match version {
        VersionRef::Before(change) => Version::Before(change),
        VersionRef::After(change) => Version::After(change),
        VersionRef::Current(path) => Version::Current(path),
    }
}
