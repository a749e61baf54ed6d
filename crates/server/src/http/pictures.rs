//! `GET /artifacts/{id}.png?until=…&sign=…`: the bytes of one picture.

use super::{failed, guard};
use crate::app::App;
use crate::calls::id_of;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use base::Failure;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Signed {
    until: Option<i64>,
    sign: Option<String>,
}

pub(super) async fn get(
    State(app): State<App>,
    Path(file): Path<String>,
    Query(signed): Query<Signed>,
    headers: HeaderMap,
) -> Response {
    let lang = guard::language(&headers, app.inner.settings.language);
    match bytes(&app, &file, &signed).await {
        Ok(bytes) => {
            let headers = [
                (CONTENT_TYPE, "image/png"),
                (CACHE_CONTROL, "private, max-age=3600, immutable"),
                (CONTENT_SECURITY_POLICY, "default-src 'none'"),
            ];
            (headers, Body::from(bytes)).into_response()
        }
        Err(failure) => failed(&failure, lang),
    }
}

async fn bytes(app: &App, file: &str, signed: &Signed) -> Result<Vec<u8>, Failure> {
    let id = id_of(file)?;
    let known = match (signed.until, &signed.sign) {
        (Some(until), Some(sign)) => app.inner.auth.is_picture_url(&id, until, sign),
        _ => false,
    };
    if !known {
        return Err(Failure::new("unauthorized"));
    }
    let artifact = app.inner.store.artifact(id).await?;
    let path = app.inner.store.artifact_path(&artifact.id);
    tokio::fs::read(&path).await.map_err(|error| {
        Failure::new("artifact_not_found")
            .with("id", artifact.id)
            .detail(error.to_string())
    })
}
