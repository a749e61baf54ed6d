//! Tools that come, change and go (`toolbox::lifecycle`), as calls.

use super::actor_of;
use super::tools::name;
use crate::app::App;
use crate::live;
use crate::words::{Spoken, worded};
use base::Failure;
use toolbox::lifecycle::{Data, FileChange, Kept, Language, Preview, Right, TakeIn};
use toolbox::modes::{Call, Nobody};
use wire::{
    Caller, RemovedTool, RemovedToolRef, RemovedTools, ToolDependencyChange, ToolFileChange,
    ToolFileChangeKind, ToolInstall, ToolInstalled, ToolLanguage, ToolMade, ToolNew, ToolPermission,
    ToolPermissionAsked, ToolPermissionKind, ToolPreview, ToolRef, ToolRemove, ToolSource, ToolSourceKind,
    ToolThere, ToolVersion, ToolVersionIs, ToolVersionRef, ToolVersions,
};

pub(super) async fn preview(app: &App, params: ToolSource) -> Result<ToolPreview, Failure> {
    let tool = params.tool.as_deref().map(name).transpose()?;
    let found = app
        .inner
        .toolbox
        .look_at(params.source.as_deref(), tool.as_ref())
        .await?;
    Ok(shown(app, found))
}

fn shown(app: &App, found: Preview) -> ToolPreview {
    let lang = app.lang();
    let metadata = found.description.metadata;
    ToolPreview {
        source: found.source,
        kind: match found.from {
            "git" => ToolSourceKind::Git,
            "file" => ToolSourceKind::File,
            "archive" => ToolSourceKind::Archive,
            "npm" => ToolSourceKind::Npm,
            _ => ToolSourceKind::Folder,
        },
        found: found.found,
        digest: found.digest,
        title: match metadata.name.is_empty() {
            true => found.tool.to_string(),
            false => metadata.name,
        },
        tool: found.tool.to_string(),
        version: metadata.version,
        description: metadata.description,
        author: metadata.author.unwrap_or_default(),
        files: count(found.files),
        bytes: found.bytes as f64,
        left_out: found.left_out,
        installed: found.installed.map(|there| ToolThere {
            version: there.version,
            same: there.same,
        }),
        inherits: found.inherits,
        permissions: found
            .asked
            .into_iter()
            .filter_map(|asked| {
                Some(ToolPermissionAsked {
                    permission: permission(asked.right)?,
                    granted: asked.granted,
                    added: asked.added,
                })
            })
            .collect(),
        secrets: found.secrets,
        node: found.node,
        python: found.python,
        dependencies: found
            .dependencies
            .into_iter()
            .map(|one| ToolDependencyChange {
                name: one.name,
                before: one.before,
                after: one.after,
            })
            .collect(),
        changes_total: count(found.changes.total),
        changes: found.changes.files.into_iter().map(change).collect(),
        warnings: found
            .problems
            .iter()
            .map(|problem| worded(problem, lang))
            .collect(),
    }
}

fn change((path, what): (String, FileChange)) -> ToolFileChange {
    let what = match what {
        FileChange::Added => ToolFileChangeKind::Added,
        FileChange::Changed => ToolFileChangeKind::Changed,
        FileChange::Removed => ToolFileChangeKind::Removed,
    };
    ToolFileChange { path, what }
}

const KINDS: [(ToolPermissionKind, &str); 3] = [
    (ToolPermissionKind::Directory, "directory"),
    (ToolPermissionKind::Network, "network"),
    (ToolPermissionKind::Processes, "processes"),
];

fn permission(right: Right) -> Option<ToolPermission> {
    let known = KINDS.iter().find(|(_, name)| *name == right.kind.name());
    known.map(|(kind, _)| ToolPermission {
        kind: *kind,
        value: right.value,
    })
}

fn right(permission: &ToolPermission) -> Option<Right> {
    let known = KINDS.iter().find(|(kind, _)| *kind == permission.kind);
    known.and_then(|(_, name)| Right::named(name, &permission.value))
}

pub(super) async fn install(
    app: &App,
    caller: &Caller,
    params: ToolInstall,
) -> Result<ToolInstalled, Failure> {
    let tool = name(&params.tool)?;
    let wanted = TakeIn {
        source: params.source,
        tool,
        digest: params.digest,
        replace: params.replace,
        give: params.allow.iter().filter_map(right).collect(),
    };
    let call = Call {
        actor: &actor_of(caller),
        cancel: app.inner.cancel.child_token(),
        words: &Spoken,
        run: live::chosen("tool.install", params.run)?,
        runs: &app.inner.live,
        asks: &Nobody,
    };
    let taken = app.inner.toolbox.take_in(wanted, call).await?;
    // What the new version declares a secret is one from now on.
    app.learn_secrets().await?;
    Ok(ToolInstalled {
        run: taken.run,
        tool: params.tool,
        version: taken.version,
        before: taken.before,
    })
}

pub(super) async fn versions(app: &App, params: ToolRef) -> Result<ToolVersions, Failure> {
    let found = app.inner.toolbox.versions(&name(&params.tool)?).await?;
    let version = |kept: Kept| ToolVersion {
        id: kept.id,
        version: kept.about.version,
        at: kept.about.at as f64,
    };
    Ok(ToolVersions {
        source: found.source,
        versions: found.kept.into_iter().map(version).collect(),
    })
}

pub(super) async fn rollback(
    app: &App,
    caller: &Caller,
    params: ToolVersionRef,
) -> Result<ToolVersionIs, Failure> {
    let tool = name(&params.tool)?;
    let toolbox = &app.inner.toolbox;
    let version = toolbox.roll_back(&tool, &params.id, &actor_of(caller)).await?;
    app.learn_secrets().await?;
    let tool = params.tool;
    Ok(ToolVersionIs { tool, version })
}

pub(super) async fn remove(
    app: &App,
    caller: &Caller,
    params: ToolRemove,
) -> Result<RemovedToolRef, Failure> {
    let data = match params.keep_data {
        true => Data::Stays,
        false => Data::Goes,
    };
    let tool = name(&params.tool)?;
    let id = app.inner.toolbox.remove(&tool, data, &actor_of(caller)).await?;
    Ok(RemovedToolRef { id })
}

pub(super) async fn removed(app: &App) -> Result<RemovedTools, Failure> {
    let all = app.inner.toolbox.removed().await?.into_iter();
    Ok(RemovedTools {
        tools: all
            .map(|kept| RemovedTool {
                id: kept.id,
                tool: kept.about.tool.to_string(),
                version: kept.about.version,
                at: kept.about.at as f64,
                data_stayed: kept.about.data_stayed,
            })
            .collect(),
    })
}

pub(super) async fn restore(app: &App, caller: &Caller, params: RemovedToolRef) -> Result<ToolRef, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.bring_back(&params.id, &actor_of(caller)).await?;
    app.learn_secrets().await?;
    Ok(ToolRef {
        tool: tool.to_string(),
    })
}

pub(super) async fn create(app: &App, caller: &Caller, params: ToolNew) -> Result<ToolMade, Failure> {
    let tool = name(&params.tool)?;
    let language = match params.language {
        ToolLanguage::Javascript => Language::JavaScript,
        ToolLanguage::Python => Language::Python,
    };
    let toolbox = &app.inner.toolbox;
    let folder = toolbox.create(&tool, language, &actor_of(caller)).await?;
    Ok(ToolMade {
        tool: params.tool,
        folder: folder.display().to_string(),
    })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
