//! `pm tool install` and its like. What is typed is the approval: the tool comes as it is just then, and its
//! rights are given with `--allow` or later.

use crate::external;
use crate::options::{How, Lifecycle};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::shipped;
use std::path::Path;
use std::process::ExitCode;
use wire::{
    Client, None, RemovedToolRef, ToolInstall, ToolLanguage, ToolNew, ToolPermissionAsked,
    ToolPermissionKind, ToolPreview, ToolRef, ToolRemove, ToolSource, ToolTake, ToolVersionRef,
};

/// What files of bundles of MCP end with.
const BUNDLE: &str = ".mcpb";

pub async fn lifecycle(session: &mut Session, verb: Lifecycle, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Lifecycle::Install { source, set, how } if source.ends_with(BUNDLE) => {
            return external::install(session, place(&source)?, &set, how.dry_run, json).await;
        }
        Lifecycle::Install { set, .. } if !set.is_empty() => {
            return Err(Failed::Usage("--set is for a .mcpb".to_owned()));
        }
        Lifecycle::Install { source, how, .. } => {
            let source = ToolSource {
                source: Some(place(&source)?),
                tool: Option::None,
            };
            take_in(session, source, false, &how, json).await?;
        }
        Lifecycle::Update { tool, source, how } => {
            let source = ToolSource {
                source: source.as_deref().map(place).transpose()?,
                tool: Some(tool),
            };
            take_in(session, source, true, &how, json).await?;
        }
        Lifecycle::Versions { tool } => versions(session, tool, json).await?,
        Lifecycle::Rollback { tool, version } => roll_back(session, tool, version, json).await?,
        Lifecycle::Remove { tool, keep_data } => {
            let params = ToolRemove { tool, keep_data };
            let removed = session.change(Client::tool_remove, params).await?;
            say(json, &removed, &format!("in the trash as {}", removed.id));
        }
        Lifecycle::Removed => {
            let found = session.read(Client::tool_removed, None {}).await?;
            if json {
                output::print(&found);
            }
            for one in found.tools.iter().filter(|_| !json) {
                let at = when(one.at);
                output::line(&format!("{}  {}  {}  {at}", one.id, one.tool, one.version));
            }
        }
        Lifecycle::Restore { tool } => restore(session, tool, json).await?,
        Lifecycle::Settle {
            tool,
            file,
            mine,
            new,
            merge,
            merged: _,
        } => {
            let take = match (mine, new, merge) {
                (true, _, _) => ToolTake::Mine,
                (_, true, _) => ToolTake::New,
                (_, _, true) => ToolTake::Merge,
                _ => ToolTake::Merged,
            };
            shipped::settle(session, tool, file, take, json).await?;
        }
        Lifecycle::Migrate { undo } => shipped::migrate(session, undo, json).await?,
        Lifecycle::New { tool, python } => {
            let language = match python {
                true => ToolLanguage::Python,
                false => ToolLanguage::Javascript,
            };
            let made = session
                .change(Client::tool_new, ToolNew { tool, language })
                .await?;
            say(json, &made, &made.folder);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn take_in(
    session: &mut Session,
    source: ToolSource,
    replace: bool,
    how: &How,
    json: bool,
) -> Result<(), Failed> {
    let preview = session.read(Client::tool_preview, source).await?;
    if !json {
        show(&preview);
    }
    if how.dry_run {
        if json {
            output::print(&preview);
        }
        return Ok(());
    }
    let wanted = preview
        .permissions
        .iter()
        .filter(|asked| !asked.granted && how.allow);
    let params = ToolInstall {
        source: preview.source.clone(),
        tool: preview.tool.clone(),
        digest: preview.digest.clone(),
        replace,
        allow: wanted.map(|asked| asked.permission.clone()).collect(),
        run: Option::None,
    };
    let installed = session.change(Client::tool_install, params).await?;
    let done = match &installed.before {
        Some(before) => format!("{} {before} -> {}", installed.tool, installed.version),
        Option::None => format!("{} {}", installed.tool, installed.version),
    };
    say(json, &installed, &done);
    let waits = preview.permissions.iter().any(|asked| !asked.granted);
    if waits && !how.allow && !json {
        output::line(&format!(
            "to give it what it asks for: pm tool grant {}",
            installed.tool
        ));
    }
    Ok(())
}

fn show(preview: &ToolPreview) {
    let before = preview
        .installed
        .as_ref()
        .and_then(|there| there.version.as_ref());
    let version = match before {
        Some(before) => format!("{before} -> {}", preview.version),
        Option::None => preview.version.clone(),
    };
    output::line(&format!("{} {version}  {}", preview.tool, preview.description));
    if !preview.inherits.is_empty() {
        let what = preview.inherits.join(", ");
        output::line(&format!(
            "  is given what a removed {} left: {what}",
            preview.tool
        ));
    }
    for asked in &preview.permissions {
        output::line(&format!(
            "  asks for {}",
            asks(asked, preview.installed.is_some())
        ));
    }
    for secret in &preview.secrets {
        output::line(&format!("  secret {secret}"));
    }
    for one in &preview.dependencies {
        let text = match (&one.before, &one.after) {
            (Some(before), Some(after)) if before != after => format!("{before} -> {after}"),
            (_, Some(after)) => after.clone(),
            (_, Option::None) => "no longer".to_owned(),
        };
        output::line(&format!("  needs {} {text}", one.name));
    }
    if preview.changes_total > 0 {
        output::line(&format!("  {} files differ", preview.changes_total));
    }
    for warning in &preview.warnings {
        output::aside(&format!("pm: {}", warning.message));
    }
}

fn asks(asked: &ToolPermissionAsked, installed: bool) -> String {
    let permission = &asked.permission;
    let what = match permission.kind {
        ToolPermissionKind::Directory => format!("directory {}", permission.value),
        ToolPermissionKind::Network => format!("network {}", permission.value),
        ToolPermissionKind::Processes => "programs".to_owned(),
    };
    let state = match (asked.granted, asked.added) {
        (true, _) => "  given",
        (false, true) if installed => "  new",
        (false, _) => "",
    };
    format!("{what}{state}")
}

async fn versions(session: &mut Session, tool: String, json: bool) -> Result<(), Failed> {
    let found = session.read(Client::tool_versions, ToolRef { tool }).await?;
    if json {
        output::print(&found);
        return Ok(());
    }
    if let Some(source) = &found.source {
        output::line(&format!("from {source}"));
    }
    for one in &found.versions {
        output::line(&format!("{}  {}  {}", one.id, one.version, when(one.at)));
    }
    Ok(())
}

async fn roll_back(
    session: &mut Session,
    tool: String,
    version: Option<String>,
    json: bool,
) -> Result<(), Failed> {
    let found = session
        .read(Client::tool_versions, ToolRef { tool: tool.clone() })
        .await?;
    let wanted = |one: &&wire::ToolVersion| {
        let named = |name: &String| one.id == *name || one.version == *name;
        version.as_ref().is_none_or(named)
    };
    // The newest that fits; a name that nothing has is for the owner to refuse.
    let id = match found.versions.iter().find(wanted) {
        Some(one) => one.id.clone(),
        Option::None => version.unwrap_or_default(),
    };
    let now = session
        .change(Client::tool_rollback, ToolVersionRef { tool, id })
        .await?;
    say(json, &now, &format!("{} {}", now.tool, now.version));
    Ok(())
}

async fn restore(session: &mut Session, tool: String, json: bool) -> Result<(), Failed> {
    let found = session.read(Client::tool_removed, None {}).await?;
    let named = found.tools.iter().find(|one| one.id == tool || one.tool == tool);
    let id = named.map_or(tool, |one| one.id.clone());
    let back = session
        .change(Client::tool_restore, RemovedToolRef { id })
        .await?;
    say(json, &back, &back.tool);
    Ok(())
}

pub(crate) fn say<T: serde::Serialize>(json: bool, answer: &T, text: &str) {
    match json {
        true => output::print(answer),
        false => output::line(text),
    }
}

fn when(at: f64) -> String {
    base::clock::iso_local(at as i64)
}

/// A path as the owner finds it; what names no file here is a package.
fn place(source: &str) -> Result<String, Failed> {
    if source.starts_with("npm:") || source.starts_with('~') {
        return Ok(source.to_owned());
    }
    let path = Path::new(source);
    let is_path = path.exists() || source.starts_with(['.', '/']);
    if !is_path {
        return Ok(source.to_owned());
    }
    let path = std::path::absolute(path).map_err(|error| output::file(path, &error))?;
    Ok(path.to_string_lossy().into_owned())
}
