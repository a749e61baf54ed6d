//! A bundle that is there already and comes in another version: taken in beside the old one, put in its place by one
//! write of `servers.json`, proved by a start, taken back when it does not start. The old one lies there until then.
//!
//! What a person set and granted stays; a setting that is new and has no value is asked for, and tools that are new or
//! say something else of themselves wait for her as always.
//! Deliberately not here: a bundle that comes for the first time (`people`).

use super::error::ExternalError;
use super::kept::Kept;
use super::people::{directory, save};
use super::{External, Why, bundle, rights};
use crate::app::App;
use crate::words::worded;
use crate::work::blocking;
use base::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Actor, GrantKind};
use wire::{ExternalBundleAdd, ExternalBundleThere};

const KINDS: [GrantKind; 2] = [GrantKind::Directory, GrantKind::Network];

/// The server that a bundle of this name would replace.
pub(super) fn there(app: &App, name: &str) -> Option<Arc<External>> {
    let server = app.inner.externals.get(name).ok()?;
    let is_bundle = server.state().kept.bundle;
    is_bundle.then_some(server)
}

/// What of it stays, and which version it is.
pub(super) async fn shown(app: &App, server: &External) -> Result<ExternalBundleThere, Failure> {
    let rights = rights::of(app, server).await?;
    let kept = server.state().kept.clone();
    let folder = place(app, server, &kept);
    let version = blocking(move || bundle::version(&folder)).await?;
    Ok(ExternalBundleThere {
        version,
        settings: kept.values.into_keys().collect(),
        directories: rights.directories,
        hosts: rights.hosts,
    })
}

fn place(app: &App, server: &External, kept: &Kept) -> PathBuf {
    app.inner.externals.place(&server.name).join(kept.bundle_folder())
}

/// `given`: what is granted with it. The caller changes servers alone.
pub(super) async fn renew(
    app: &App,
    actor: &Actor,
    server: &Arc<External>,
    wanted: ExternalBundleAdd,
    mut given: Vec<(GrantKind, String)>,
) -> Result<(), Failure> {
    let before = server.state().kept.clone();
    let folder = format!("{}-{}", rights::BUNDLE, uuid::Uuid::new_v4().simple());
    let into = app.inner.externals.place(&server.name).join(&folder);
    let path = app.inner.home.expand(&wanted.path)?;
    let (place, old, new) = (into.clone(), before.values.clone(), wanted.values.clone());
    let filled = blocking(move || {
        let (manifest, taken) = bundle::take(&path, &place)?;
        let values = manifest.values(&old, &new);
        let filled = match taken.digest == wanted.digest {
            true => manifest.fill(&place, &values, bundle::has_uv()),
            false => Err(ExternalError::OtherBundle),
        };
        if filled.is_err() {
            bundle::remove(&place)?;
        }
        Ok::<_, Failure>((filled?, values))
    });
    let (filled, values) = filled.await??;
    let changed = async {
        // Those that she named now; what she named before was granted then, or taken back since.
        for path in filled.directories {
            if wanted
                .values
                .values()
                .any(|value| value.lines().any(|line| line == path))
            {
                given.push((GrantKind::Directory, directory(app, path).await?));
            }
        }
        let kept = Kept {
            entry: filled.entry,
            enabled: before.enabled,
            bundle: true,
            folder: Some(folder),
            values,
            hidden: filled.hidden,
            off: before.off.clone(),
        };
        exchange(app, actor, server, kept, given).await
    };
    let changed = changed.await;
    let goes = match &changed {
        Ok(()) => self::place(app, server, &before),
        Err(_) => into,
    };
    // Nobody runs it any more; what stays goes when the next owner starts.
    if let Err(error) = blocking(move || bundle::remove(&goes)).await? {
        tracing::warn!(server = %server.name, error = %base::failure::chain(&error), "a version of a bundle stays");
    }
    changed
}

/// The new one is there and starts, or all is as it was.
async fn exchange(
    app: &App,
    actor: &Actor,
    server: &Arc<External>,
    kept: Kept,
    given: Vec<(GrantKind, String)>,
) -> Result<(), Failure> {
    let before = server.state().kept.clone();
    let granted = rights::of(app, server).await?;
    let directories = granted.directories.into_iter();
    let hosts = granted.hosts.into_iter();
    let held: Vec<(GrantKind, String)> = directories
        .map(|one| (GrantKind::Directory, one))
        .chain(hosts.map(|one| (GrantKind::Network, one)))
        .collect();
    let mut all = held.clone();
    all.extend(given.into_iter().filter(|one| !held.contains(one)));
    let proved = async {
        put(app, actor, server, kept, all).await?;
        match before.enabled {
            true => server.ready(app, Why::Person).await.map(|_| ()),
            // Nobody wants it to run: it is proved when somebody does.
            false => Ok(()),
        }
    };
    let Err(failure) = proved.await else {
        return Ok(());
    };
    put(app, actor, server, before.clone(), held).await?;
    if before.enabled {
        // Why the old one does not start either is shown in its row.
        let _ = server.ready(app, Why::Person).await;
    }
    Err(ExternalError::TakenBack {
        server: server.name.to_string(),
        reason: worded(&failure, app.lang()).message,
    }
    .into())
}

/// Nothing of it runs while it becomes another.
async fn put(
    app: &App,
    actor: &Actor,
    server: &Arc<External>,
    kept: Kept,
    grants: Vec<(GrantKind, String)>,
) -> Result<(), Failure> {
    server.state().kept.enabled = false;
    server.stop().await;
    let subject = rights::subject(&server.name);
    let store = &app.inner.store;
    store.set_grants(subject, &KINDS, grants, actor.clone()).await?;
    server.state().kept = kept;
    save(app, |_| ()).await
}

/// Removes versions that nothing names: what a kill left. Blocking, at start.
pub(super) fn sweep(place: &Path, kept: &Kept) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_version = name.to_string_lossy().starts_with(rights::BUNDLE);
        if is_version
            && name != kept.bundle_folder()
            && let Err(error) = bundle::remove(&entry.path())
        {
            tracing::warn!(error = %base::failure::chain(&error), "a version of a bundle stays");
        }
    }
}
