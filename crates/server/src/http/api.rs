//! `POST /api/{name}`: one call of the table.

use super::{failed, guard};
use crate::app::App;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use base::Failure;
use serde_json::Value;
use wire::{CALLS, Caller, Effect};

pub(super) async fn call(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let lang = guard::language(&headers, app.inner.settings.language);
    match answer(&app, &caller, &name, &headers, &body).await {
        Ok(value) => axum::Json(value).into_response(),
        Err(failure) => {
            if failure.code == "internal" {
                tracing::error!(call = name, failure = %failure, "call failed");
            }
            failed(&failure, lang)
        }
    }
}

async fn answer(
    app: &App,
    caller: &Caller,
    name: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Value, Failure> {
    if app.inner.ending.is_cancelled() {
        return Err(Failure::new("server_ending"));
    }
    let params: Value = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(body).map_err(|error| {
            Failure::new("invalid_args")
                .with("call", name)
                .with("reason", error.to_string())
        })?
    };
    let key = headers
        .get(wire::IDEMPOTENCY_KEY)
        .and_then(|value| value.to_str().ok());
    let changes = CALLS
        .iter()
        .any(|call| call.name == name && call.effect == Effect::Changes);
    // A client that goes away does not stop a change half-way: it runs as a task of its own.
    let task = app.inner.running.spawn({
        let (app, caller, name) = (app.clone(), caller.clone(), name.to_owned());
        async move { wire::dispatch(&app, &caller, &name, params).await }
    });
    let work = async {
        task.await
            .map_err(|error| Failure::new("internal").detail(error.to_string()))?
    };
    match key {
        Some(key) if changes => app.inner.repeated.once(&caller.actor.name, key, work).await,
        _ => work.await,
    }
}
