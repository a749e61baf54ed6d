//! `POST /api/session {code}`: a one-time link becomes a page's session.

use super::{failed, guard};
use crate::app::App;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use base::Failure;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
pub(super) struct Code {
    code: String,
}

pub(super) async fn open(State(app): State<App>, headers: HeaderMap, Json(code): Json<Code>) -> Response {
    let lang = guard::language(&headers, app.lang());
    match app.inner.auth.redeem(&code.code) {
        Ok(Some(token)) => Json(json!({"token": token})).into_response(),
        Ok(None) => failed(&Failure::new("unauthorized"), lang),
        Err(error) => failed(&error.into(), lang),
    }
}
