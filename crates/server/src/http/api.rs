//! `POST /api/{name}`: one call of the table.

use super::repeat::{Answer, Key, broken, written};
use super::{failed, guard};
use crate::app::App;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use base::Failure;
use futures_util::FutureExt as _;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use wire::{CALLS, Caller, Effect};

pub(super) async fn call(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let lang = guard::language(&headers, app.lang());
    match answer(&app, caller, &name, &headers, &body).await {
        Ok(json) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Err(failure) => {
            if failure.code == "internal" {
                tracing::error!(call = name, failure = %failure, "call failed");
            }
            failed(&failure, lang)
        }
    }
}

async fn answer(app: &App, caller: Caller, name: &str, headers: &HeaderMap, body: &[u8]) -> Answer {
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
    let key = key(headers, name).map(|given| Key::new(&caller, name, body, given));
    if headers.contains_key(wire::IDEMPOTENCY_AGAIN) {
        let known = key.and_then(|key| app.inner.repeated.again(key));
        let Some(asked) = known else {
            return Err(Failure::new("answer_not_known").with("call", name));
        };
        return asked.await;
    }
    // What a change does with it, it decides: most run on to their end.
    let (app_of_call, _here) = app.for_caller();
    let work = {
        let (app, name) = (app_of_call, name.to_owned());
        async move { wire::dispatch(&app, &caller, &name, params).await }
    };
    let running = &app.inner.running;
    if name == wire::OFFER {
        // Not waited for when the owner ends, and told so at once.
        let ending = &app.inner.ending;
        let order = ending.run_until_cancelled(work).await;
        return written(&order.ok_or_else(|| Failure::new("server_ending"))??);
    }
    if !changes(name) {
        // Nobody reads the answer of a client that went away: the work is dropped with it.
        let read = AssertUnwindSafe(running.track_future(work)).catch_unwind().await;
        return written(&read.map_err(|_| Failure::new("internal").detail("panicked"))??);
    }
    // A client that goes away does not stop a change half-way: it runs as a task of its own.
    match key {
        Some(key) => app.inner.repeated.once(running, key, work).await,
        None => {
            let done = running.spawn(work).await.map_err(|error| broken(&error))?;
            written(&done?)
        }
    }
}

/// The idempotency key that was given, if the call is one that takes it.
fn key<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    let given = headers.get(wire::IDEMPOTENCY_KEY)?.as_bytes();
    (changes(name) && !given.is_empty()).then_some(given)
}

fn changes(name: &str) -> bool {
    CALLS
        .iter()
        .any(|call| call.name == name && call.effect == Effect::Changes)
}
