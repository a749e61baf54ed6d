//! Pictures.

use super::{actor_of, wire_actor};
use crate::app::App;
use crate::auth::Size;
use base::Failure;
use store::Artifact;
use wire::{ArtifactDetail, ArtifactList, ArtifactRow, Caller, Done, Page};

/// `{uuid}`, `{uuid}.png`, `artifact:{uuid}`.
pub(crate) fn id_of(text: &str) -> Result<String, Failure> {
    let bare = text.strip_prefix("artifact:").unwrap_or(text);
    let bare = bare.strip_suffix(".png").unwrap_or(bare);
    match uuid::Uuid::try_parse(bare) {
        // As it is written in file names.
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(Failure::new("artifact_not_found").with("id", text)),
    }
}

pub(super) async fn list(app: &App, page: Page) -> Result<ArtifactList, Failure> {
    let (artifacts, total) = app.inner.store.artifacts(super::window(page)).await?;
    Ok(ArtifactList {
        artifacts: artifacts.into_iter().map(|artifact| row(app, artifact)).collect(),
        total,
    })
}

pub(super) async fn show(app: &App, id: &str) -> Result<ArtifactDetail, Failure> {
    let mut artifact = app.inner.store.artifact(id_of(id)?).await?;
    let code = std::mem::take(&mut artifact.code);
    Ok(ArtifactDetail {
        row: row(app, artifact),
        code,
    })
}

pub(super) async fn remove(app: &App, caller: &Caller, id: &str) -> Result<Done, Failure> {
    let id = id_of(id)?;
    app.inner
        .store
        .remove_artifact(id.clone(), actor_of(caller))
        .await?;
    app.inner.thumbs.forget(&app.inner.home, &id).await;
    Ok(Done {})
}

fn row(app: &App, artifact: Artifact) -> ArtifactRow {
    ArtifactRow {
        file: artifact.file_name(),
        url: app.inner.auth.picture_url(&artifact.id, Size::Full),
        thumb: app.inner.auth.picture_url(&artifact.id, Size::Thumb),
        id: artifact.id,
        title: artifact.title,
        kind: artifact.kind,
        size: artifact.size as f64,
        width: artifact.width,
        height: artifact.height,
        source: artifact.source,
        created_at: artifact.created_at as f64,
        actor: wire_actor(artifact.actor),
    }
}

pub(super) async fn restore(app: &App, caller: &Caller, id: &str) -> Result<Done, Failure> {
    app.inner
        .store
        .restore_artifact(id_of(id)?, actor_of(caller))
        .await?;
    Ok(Done {})
}
