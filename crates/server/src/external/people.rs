//! What a person does with external servers, and what she sees of them.

use super::definitions::{Known, offered};
use super::entry::{self, Way};
use super::error::ExternalError;
use super::kept::{self, Kept};
use super::paste::{self, Pasted};
use super::{External, MOST, Why, bundle, renew, rights};
use crate::app::App;
use crate::words::worded;
use crate::work::blocking;
use base::Failure;
use base::name::ToolName;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use store::{Actor, GrantKind};
use toolbox::run_log::Secrets;
use wire::{
    ExternalAdd, ExternalAdded, ExternalAddedOne, ExternalApprove, ExternalBundle, ExternalBundleAdd,
    ExternalDetail, ExternalGrant, ExternalRow, ExternalState, ExternalSwitch, ExternalTool,
    ExternalToolState,
};

pub(crate) fn list(app: &App) -> Result<Vec<ExternalRow>, Failure> {
    app.inner.externals.check()?;
    Ok(app
        .inner
        .externals
        .all()
        .iter()
        .map(|one| row(app, one))
        .collect())
}

fn row(app: &App, server: &External) -> ExternalRow {
    let state = server.state();
    let tools = state.known.tools.iter();
    let (offered, waiting) = tools.fold((0, 0), |(offered, waiting), (name, tool)| match tool.state() {
        ExternalToolState::Approved => (offered + u32::from(!state.kept.off.contains(name)), waiting),
        ExternalToolState::New | ExternalToolState::Changed => (offered, waiting + 1),
    });
    ExternalRow {
        name: server.name.to_string(),
        target: state.kept.masked(&entry::target(&state.kept.entry)),
        remote: matches!(entry::way(&state.kept.entry), Way::Http(_)),
        enabled: state.kept.enabled,
        state: state.phase,
        problem: state.problem.as_ref().map(|failure| worded(failure, app.lang())),
        offered,
        waiting,
    }
}

pub(crate) async fn detail(app: &App, name: &str) -> Result<ExternalDetail, Failure> {
    let server = app.inner.externals.get(name)?;
    let rights = rights::of(app, &server).await?;
    let folder = app.inner.externals.place(&server.name).join("data");
    let row = row(app, &server);
    // Differences are not made under the lock, which every list of tools takes.
    let (known, kept) = {
        let state = server.state();
        (state.known.clone(), state.kept.clone())
    };
    let names = offered(server.name.as_str(), known.tools.keys());
    let tools = known.tools.iter().map(|(name, tool)| ExternalTool {
        name: name.clone(),
        offered_as: names[name.as_str()].clone(),
        enabled: !kept.off.contains(name),
        state: tool.state(),
        listed: tool.listed.clone(),
        approved: tool.approved.clone().filter(|approved| *approved != tool.listed),
        difference: tool.difference(),
    });
    Ok(ExternalDetail {
        server: row,
        implementation: known.implementation.clone(),
        instructions: known.instructions.clone(),
        env: entry::shown(&kept.entry.env, |name, value| {
            entry::is_secret(name, value) || kept.masked(value) != *value
        }),
        headers: entry::shown(&kept.entry.headers, |_, _| true),
        directories: rights.directories,
        hosts: rights.hosts,
        folder: app.inner.home.display(&folder),
        tools: tools.collect(),
    })
}

pub(crate) async fn add(app: &App, actor: &Actor, params: ExternalAdd) -> Result<ExternalAdded, Failure> {
    // Rights are looked at before anything is kept.
    let mut grants = Vec::new();
    for path in params.directories.clone() {
        grants.push((GrantKind::Directory, directory(app, path).await?));
    }
    for host in &params.hosts {
        grants.push((GrantKind::Network, rights::host(host)?));
    }
    let servers = match params.bundle.clone() {
        Some(bundle) => vec![add_bundle(app, actor, params.name, bundle, grants).await?],
        None => {
            let wanted = wanted(&params)?;
            if wanted.iter().any(|one| is_ours(app, &one.entry)) {
                return Err(ExternalError::BadEntry { reason: "url" }.into());
            }
            let _alone = app.inner.externals.changing.lock().await;
            let wanted = wanted.into_iter().map(|one| New {
                kept: Kept {
                    entry: one.entry,
                    enabled: one.enabled,
                    ..Kept::default()
                },
                name: one.name,
                ignored: one.ignored,
            });
            enter(app, actor, wanted.collect(), &grants).await?
        }
    };
    app.learn_secrets().await?;
    let started = servers.iter().map(|(server, _)| async {
        // Why one did not start is shown in its row.
        if server.state().kept.enabled {
            let _ = server.ready(app, Why::Person).await;
        }
        server.tell(app, "server.tools").await;
    });
    futures_util::future::join_all(started).await;
    let added = servers.iter().map(|(server, ignored)| ExternalAddedOne {
        server: row(app, server),
        ignored: ignored.clone(),
    });
    Ok(ExternalAdded {
        servers: added.collect(),
    })
}

/// One that is to be added.
struct New {
    name: ToolName,
    kept: Kept,
    ignored: Vec<String>,
}

type Entered = (Arc<External>, Vec<String>);

/// All of them or none. The caller changes servers alone.
async fn enter(
    app: &App,
    actor: &Actor,
    wanted: Vec<New>,
    grants: &[(GrantKind, String)],
) -> Result<Vec<Entered>, Failure> {
    let names: Vec<&ToolName> = wanted.iter().map(|one| &one.name).collect();
    check_free(app, &names)?;
    let mut servers = Vec::new();
    for New { name, kept, ignored } in wanted {
        // What another of this name left, and was not taken away with it, is not this one's.
        if !kept.bundle {
            clear(app, &name).await?;
        }
        let subject = rights::subject(&name);
        let kinds = &[GrantKind::Directory, GrantKind::Network];
        let store = &app.inner.store;
        store
            .set_grants(subject, kinds, grants.to_vec(), actor.clone())
            .await?;
        servers.push((Arc::new(External::new(name, kept, Known::default())), ignored));
    }
    save(app, |all| {
        for (server, _) in &servers {
            all.insert(server.name.clone(), server.clone());
        }
    })
    .await?;
    Ok(servers)
}

fn check_free(app: &App, names: &[&ToolName]) -> Result<(), Failure> {
    let externals = &app.inner.externals;
    externals.check()?;
    let known: Vec<ToolName> = externals.all().iter().map(|one| one.name.clone()).collect();
    let twice = |name: &ToolName| names.iter().filter(|other| **other == name).count() > 1;
    if let Some(name) = names.iter().find(|name| known.contains(name) || twice(name)) {
        return Err(ExternalError::Exists(name.to_string()).into());
    }
    match known.len() + names.len() > MOST {
        true => Err(ExternalError::TooMany(MOST).into()),
        false => Ok(()),
    }
}

/// What a bundle holds.
pub(crate) async fn look_at_bundle(app: &App, path: &str) -> Result<ExternalBundle, Failure> {
    let (path, staging) = (app.inner.home.expand(path)?, staging(app));
    let looked = blocking(move || {
        let (manifest, taken) = bundle::take(&path, &staging)?;
        bundle::remove(&staging)?;
        Ok::<_, Failure>(manifest.shown(&taken))
    });
    let mut found = looked.await??;
    if let Some(server) = renew::there(app, &found.name) {
        found.installed = Some(renew::shown(app, &server).await?);
    }
    Ok(found)
}

fn staging(app: &App) -> PathBuf {
    let name = uuid::Uuid::new_v4().simple().to_string();
    super::sockets(&app.inner.home).join(name)
}

/// Taken in as it was looked at, and filled with what a person set.
async fn add_bundle(
    app: &App,
    actor: &Actor,
    name: Option<String>,
    wanted: ExternalBundleAdd,
    mut grants: Vec<(GrantKind, String)>,
) -> Result<Entered, Failure> {
    let name = match name {
        Some(name) => entry::name(&name)?,
        None => entry::name(&look_at_bundle(app, &wanted.path).await?.name)?,
    };
    let _alone = app.inner.externals.changing.lock().await;
    if let Some(server) = renew::there(app, name.as_str()) {
        renew::renew(app, actor, &server, wanted, grants).await?;
        return Ok((server, Vec::new()));
    }
    let ExternalBundleAdd { path, digest, values } = wanted;
    let set = values.clone();
    check_free(app, &[&name])?;
    clear(app, &name).await?;
    let path = app.inner.home.expand(&path)?;
    let place = app.inner.externals.place(&name).join(rights::BUNDLE);
    let filled = blocking(move || {
        let (manifest, taken) = bundle::take(&path, &place)?;
        let filled = match taken.digest == digest {
            true => manifest.fill(&place, &values, bundle::has_uv()),
            false => Err(ExternalError::OtherBundle),
        };
        if filled.is_err() {
            bundle::remove(&place)?;
            // Only if nothing else is there.
            let _ = place.parent().map(std::fs::remove_dir);
        }
        Ok::<_, Failure>(filled?)
    })
    .await??;
    // She named them for it.
    for path in filled.directories {
        grants.push((GrantKind::Directory, directory(app, path).await?));
    }
    let kept = Kept {
        entry: filled.entry,
        bundle: true,
        values: set,
        hidden: filled.hidden,
        ..Kept::default()
    };
    let new = New {
        name,
        kept,
        ignored: Vec::new(),
    };
    let mut entered = enter(app, actor, vec![new], &grants).await?;
    entered.pop().ok_or_else(|| Failure::new("internal"))
}

/// Our own endpoint would offer itself what it offers, without end.
fn is_ours(app: &App, entry: &wire::ExternalEntry) -> bool {
    let port = |url: &str| {
        reqwest::Url::parse(url)
            .ok()
            .and_then(|url| url.port_or_known_default())
    };
    let here = |url: &str| {
        let host = reqwest::Url::parse(url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        host.is_some_and(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]"))
    };
    match (&entry.url, app.inner.address.get()) {
        (Some(url), Some(own)) => here(url) && port(url) == port(own),
        (Some(_), None) | (None, _) => false,
    }
}

fn wanted(params: &ExternalAdd) -> Result<Vec<Pasted>, ExternalError> {
    match (&params.entry, &params.text) {
        (Some(entry), None) => {
            let name = params
                .name
                .as_deref()
                .ok_or(ExternalError::BadEntry { reason: "name" })?;
            entry::check(entry)?;
            let (name, entry) = (entry::name(name)?, entry.clone());
            Ok(vec![Pasted {
                name,
                entry,
                enabled: true,
                ignored: Vec::new(),
            }])
        }
        (None, Some(text)) => paste::read(text, params.name.as_deref()),
        (Some(_), Some(_)) | (None, None) => Err(ExternalError::BadEntry {
            reason: "entry | text",
        }),
    }
}

/// Changes which servers there are, and keeps that.
pub(super) async fn save(
    app: &App,
    change: impl FnOnce(&mut BTreeMap<ToolName, Arc<External>>),
) -> Result<(), Failure> {
    let externals = &app.inner.externals;
    let mut all = externals
        .all
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    change(&mut all);
    let file = all
        .iter()
        .map(|(name, one)| (name.clone(), one.state().kept.clone()))
        .collect();
    let folder = externals.folder.clone();
    blocking(move || kept::write_all(&folder, file)).await??;
    *externals.all.write().unwrap_or_else(PoisonError::into_inner) = all;
    Ok(())
}

pub(crate) async fn remove(app: &App, actor: &Actor, name: &str) -> Result<(), Failure> {
    let externals = &app.inner.externals;
    let server = externals.get(name)?;
    let _alone = externals.changing.lock().await;
    // From now on nobody starts it.
    server.state().kept.enabled = false;
    server.stop().await;
    // It is known until all else is gone: who is interrupted can do it again.
    let (subject, kinds) = (
        rights::subject(&server.name),
        &[GrantKind::Directory, GrantKind::Network],
    );
    let store = &app.inner.store;
    store
        .set_grants(subject, kinds, Vec::new(), actor.clone())
        .await?;
    clear(app, &server.name).await?;
    save(app, |all| _ = all.remove(&server.name)).await?;
    server.tell(app, "server.tools").await;
    Ok(())
}

/// Nothing is left in the place of a server, whatever it did there to stay.
async fn clear(app: &App, name: &ToolName) -> Result<(), Failure> {
    let externals = &app.inner.externals;
    let log = externals.logs.of(name, Secrets::default());
    // What is not written now has no place any more.
    let _ = log.flush().await;
    let place = externals.place(name);
    Ok(blocking(move || bundle::remove(&place)).await??)
}

pub(crate) async fn switch(app: &App, params: ExternalSwitch) -> Result<ExternalDetail, Failure> {
    let server = app.inner.externals.get(&params.name)?;
    {
        let _alone = app.inner.externals.changing.lock().await;
        let before = {
            let mut state = server.state();
            let before = state.kept.clone();
            match params.tool {
                None => state.kept.enabled = params.enabled,
                Some(tool) if !state.known.tools.contains_key(&tool) => {
                    let server = server.name.to_string();
                    return Err(ExternalError::UnknownTool {
                        server,
                        tool: base::text::cut(&tool, 80),
                    }
                    .into());
                }
                Some(tool) => {
                    match params.enabled {
                        true => state.kept.off.remove(&tool),
                        false => state.kept.off.insert(tool),
                    };
                }
            }
            before
        };
        if let Err(failure) = save(app, |_| {}).await {
            server.state().kept = before;
            return Err(failure);
        }
    }
    let enabled = server.state().kept.enabled;
    if !enabled {
        server.stop().await;
    }
    let phase = server.state().phase;
    match (enabled, phase) {
        (false, ExternalState::Off) | (true, ExternalState::Starting | ExternalState::Running) => {}
        (false, _) => server.phase(app, ExternalState::Off, None).await,
        (true, ExternalState::Off) => server.phase(app, ExternalState::Idle, None).await,
        (true, ExternalState::Idle | ExternalState::Failed) => {}
    }
    server.tell(app, "server.tools").await;
    detail(app, server.name.as_str()).await
}

pub(crate) async fn restart(app: &App, name: &str) -> Result<ExternalDetail, Failure> {
    let server = app.inner.externals.get(name)?;
    server.stop().await;
    server.ready(app, Why::Person).await?;
    detail(app, server.name.as_str()).await
}

pub(crate) async fn approve(app: &App, params: ExternalApprove) -> Result<ExternalDetail, Failure> {
    let server = app.inner.externals.get(&params.name)?;
    // All or none: each has to be what was looked at.
    for looked in &params.tools {
        let state = server.state();
        let (server, tool) = (server.name.to_string(), base::text::cut(&looked.tool, 80));
        match state.known.tools.get(&looked.tool) {
            None => return Err(ExternalError::UnknownTool { server, tool }.into()),
            Some(known) if known.listed != looked.listed => {
                return Err(ExternalError::Moved { server, tool }.into());
            }
            Some(_) => {}
        }
    }
    server
        .learnt(app, |known| {
            for looked in params.tools {
                if let Some(tool) = known.tools.get_mut(&looked.tool) {
                    tool.approved = Some(looked.listed);
                }
            }
        })
        .await?;
    detail(app, server.name.as_str()).await
}

pub(crate) async fn grant(
    app: &App,
    actor: &Actor,
    params: ExternalGrant,
) -> Result<ExternalDetail, Failure> {
    // Not while a new version of it is tried, which may bring back the rights of before.
    let alone = app.inner.externals.changing.lock().await;
    let server = app.inner.externals.get(&params.name)?;
    for path in params.directories {
        let path = match params.granted {
            true => directory(app, path).await?,
            // It need not be there any more.
            false => app.inner.home.expand(&path)?.display().to_string(),
        };
        rights::change(
            app,
            &server.name,
            (GrantKind::Directory, path),
            params.granted,
            actor,
        )
        .await?;
    }
    for host in &params.hosts {
        let host = rights::host(host)?;
        rights::change(
            app,
            &server.name,
            (GrantKind::Network, host),
            params.granted,
            actor,
        )
        .await?;
    }
    // It is started with them when it is needed, and at once when it may have failed for want of them.
    let failed = server.state().phase == ExternalState::Failed;
    server.stop().await;
    server.state().backoff.forgive();
    // A start may take long, and changes nothing that others change.
    drop(alone);
    if failed && params.granted {
        // They are granted all the same; why it fails is its state.
        let _ = server.ready(app, Why::Person).await;
    }
    detail(app, server.name.as_str()).await
}

pub(super) async fn directory(app: &App, path: String) -> Result<String, Failure> {
    let app = app.clone();
    let found = blocking(move || rights::directory(&app, &path)).await??;
    Ok(found.display().to_string())
}
