//! `GET /artifacts/{id}.png?until=…&sign=…`: the bytes of one picture; with `&size=thumb` those of
//! its small copy. The address is the permission, on every door alike.

use super::{failed, guard};
use crate::app::App;
use crate::auth::Size;
use crate::calls::id_of;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base::Failure;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Signed {
    until: Option<i64>,
    sign: Option<String>,
    size: Option<String>,
}

pub(super) async fn get(
    State(app): State<App>,
    Path(file): Path<String>,
    Query(signed): Query<Signed>,
    headers: HeaderMap,
) -> Response {
    let lang = guard::language(&headers, app.lang());
    match answer(&app, &file, &signed, &headers).await {
        Ok(answer) => answer,
        Err(failure) => failed(&failure, lang),
    }
}

async fn answer(app: &App, file: &str, signed: &Signed, headers: &HeaderMap) -> Result<Response, Failure> {
    let (id, size) = permitted(app, file, signed)?;
    if let Some(page) = app.inner.browsers.picture(&id) {
        // Of the assistant's page: of no use when there is another.
        let about = [
            (CONTENT_TYPE, "image/png"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'"),
            (CACHE_CONTROL, "no-store"),
        ];
        return Ok((about, Body::from(page)).into_response());
    }
    let artifact = app.inner.store.artifact(id).await?;
    // A picture never changes; it only comes and goes.
    let tag = format!("\"{}-{size:?}\"", artifact.id);
    let kept = [
        (ETAG, tag.clone()),
        (CACHE_CONTROL, "private, max-age=3600, immutable".to_owned()),
    ];
    if headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes())
    {
        return Ok((StatusCode::NOT_MODIFIED, kept).into_response());
    }
    let path = app.inner.store.artifact_path(&artifact.id);
    let bytes = match size {
        Size::Thumb => app.inner.thumbs.get(&app.inner.home, &artifact.id, &path).await?,
        Size::Full => tokio::fs::read(&path).await.map_err(|error| {
            Failure::new("artifact_not_found")
                .with("id", artifact.id)
                .detail(error.to_string())
        })?,
    };
    let kind = [
        (CONTENT_TYPE, "image/png"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'"),
    ];
    Ok((kept, kind, Body::from(bytes)).into_response())
}

fn permitted(app: &App, file: &str, signed: &Signed) -> Result<(String, Size), Failure> {
    let id = id_of(file)?;
    let size = match signed.size.as_deref() {
        None => Size::Full,
        Some("thumb") => Size::Thumb,
        Some(_) => return Err(Failure::new("unauthorized")),
    };
    match (signed.until, &signed.sign) {
        (Some(until), Some(sign)) if app.inner.auth.is_picture_url(&id, size, until, sign) => Ok((id, size)),
        _ => Err(Failure::new("unauthorized")),
    }
}
