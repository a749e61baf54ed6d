//! Rights that persons gave, and what they come to for the commands of a task.

use super::{actor_of, approvals, commands, network, wire_actor};
use crate::app::App;
use crate::words::worded;
use base::Failure;
use base::name::ToolName;
use std::path::Path;
use store::{Grant, GrantKind, Granted};
use wire::{
    ApprovalKind, Caller, Done, GrantList, GrantQuery, GrantRef, GrantRow, GrantScope, NetworkMode, Tier,
    Weakness, WorkspaceIsolation, WorkspaceRef,
};

pub(super) async fn list(app: &App, query: GrantQuery) -> Result<GrantList, Failure> {
    let window = super::window(query.page);
    let (found, total) = app.inner.store.all_grants(query.subject, window).await?;
    Ok(GrantList {
        grants: found.into_iter().map(row).collect(),
        total,
    })
}

/// Rights of a task that are not answers to a question.
pub(super) async fn add(app: &App, caller: &Caller, params: GrantRef) -> Result<GrantRow, Failure> {
    let invalid = |reason: &str| {
        Failure::new("invalid_args")
            .with("call", "grant.add")
            .with("reason", reason)
    };
    let task = params
        .subject
        .strip_prefix("task:")
        .ok_or_else(|| invalid("subject: task:ID"))?;
    app.inner.workspaces.get(task)?;
    let kind = match params.kind {
        ApprovalKind::Unsandboxed if params.value.is_empty() => GrantKind::Unsandboxed,
        ApprovalKind::Unsandboxed => return Err(invalid("value: none for unsandboxed")),
        // Hosts come by `workspace.network`, which knows their normal form.
        _ => return Err(invalid("kind: unsandboxed")),
    };
    let grant = Grant {
        subject: params.subject,
        kind,
        value: params.value,
        code_hash: String::new(),
        actor: actor_of(caller),
    };
    app.inner.store.add_grant(grant.clone()).await?;
    let at = base::clock::now_ms();
    Ok(row(Granted { grant, at }))
}

pub(super) async fn revoke(app: &App, caller: &Caller, params: GrantRef) -> Result<Done, Failure> {
    let GrantRef { subject, kind, value } = params;
    let (actor, kind) = (actor_of(caller), stored(kind));
    if let Some(server) = crate::external::subject_of(&subject) {
        return revoke_server(app, server, kind, value, actor).await;
    }
    let tool = ToolName::parse(&subject).ok();
    let gone = match (tool, kind) {
        // A warm worker still has the folder.
        (Some(tool), GrantKind::Directory) => {
            let toolbox = &app.inner.toolbox;
            toolbox.revoke(&tool, Path::new(&value), &actor).await?
        }
        // Commands that run now have it as well.
        (None, GrantKind::Network | GrantKind::FullNetwork) => {
            let task = subject.strip_prefix("task:").unwrap_or_default();
            app.inner.networks.revoke(task, kind, &value, actor).await?
        }
        (None, GrantKind::Unsandboxed) => {
            let task = subject.strip_prefix("task:").unwrap_or_default();
            app.inner.commands.no_longer_without(task, actor).await?
        }
        // A warm worker has the sockets that were passed to it.
        (Some(tool), GrantKind::Network) => {
            let toolbox = &app.inner.toolbox;
            toolbox.revoke_host(&tool, &value, &actor).await?
        }
        // What the script made is there until the tree is made again.
        (Some(tool), GrantKind::Script) => {
            let toolbox = &app.inner.toolbox;
            let tool = toolbox.get(&tool).await?;
            toolbox.revoke_script(&tool, &value, &actor).await?
        }
        _ => {
            let store = &app.inner.store;
            store.revoke(subject.clone(), kind, value.clone(), actor).await?
        }
    };
    match gone {
        true => Ok(Done {}),
        false => Err(Failure::new("grant_not_found").with("directory", value)),
    }
}

/// It ends, to be started without the right.
async fn revoke_server(
    app: &App,
    server: &str,
    kind: GrantKind,
    value: String,
    actor: store::Actor,
) -> Result<Done, Failure> {
    let subject = format!("server:{server}");
    let gone = app
        .inner
        .store
        .revoke(subject, kind, value.clone(), actor)
        .await?;
    if let Ok(server) = app.inner.externals.get(server) {
        server.stop().await;
    }
    match gone {
        true => Ok(Done {}),
        false => Err(Failure::new("grant_not_found").with("directory", value)),
    }
}

pub(super) async fn isolation(app: &App, params: WorkspaceRef) -> Result<WorkspaceIsolation, Failure> {
    let workspace = app.inner.workspaces.get(&params.task_id)?;
    let (tier, weaker) = app.inner.commands.tier().await;
    let tier = commands::tier(tier);
    let unsandboxed = app
        .inner
        .commands
        .may_go_without(workspace.task().as_str())
        .await?;
    let reach = app.inner.networks.of(workspace.task().as_str()).await?;
    let reach = network::shown(reach);
    let weaker = weaker.into_iter().map(|what| {
        let code = what.code().to_owned();
        let words = worded(&Failure::new(format!("sandbox_weaker_{code}")), app.lang());
        Weakness {
            code,
            text: words.message,
        }
    });
    Ok(WorkspaceIsolation {
        weaker: weaker.collect(),
        // Without any wall nothing keeps a command from the network.
        network: match tier {
            Tier::None => NetworkMode::Full,
            Tier::Reduced | Tier::Full => reach.mode,
        },
        hosts: reach.hosts,
        available: tier != Tier::None || unsandboxed,
        unsandboxed,
        tier,
    })
}

fn row(granted: Granted) -> GrantRow {
    let Granted { grant, at } = granted;
    GrantRow {
        scope: match (grant.subject.starts_with("task:"), grant.code_hash.is_empty()) {
            (true, _) => GrantScope::Task,
            (false, false) => GrantScope::Code,
            (false, true) => GrantScope::Tool,
        },
        subject: grant.subject,
        kind: approvals::kind(grant.kind),
        value: grant.value,
        actor: wire_actor(grant.actor),
        at: at as f64,
    }
}

fn stored(kind: ApprovalKind) -> GrantKind {
    match kind {
        ApprovalKind::Command => GrantKind::Command,
        ApprovalKind::Directory => GrantKind::Directory,
        ApprovalKind::Network => GrantKind::Network,
        ApprovalKind::Tool => GrantKind::Tool,
        ApprovalKind::Unsandboxed => GrantKind::Unsandboxed,
        ApprovalKind::FullNetwork => GrantKind::FullNetwork,
        ApprovalKind::Script => GrantKind::Script,
        ApprovalKind::Processes => GrantKind::Processes,
        ApprovalKind::Site => GrantKind::Site,
        ApprovalKind::Step => GrantKind::Step,
    }
}
