//! HTTP: the table of calls, events, pictures, the web UI, `/mcp` and `/health`.

mod api;
mod connections;
mod events;
mod guard;
pub(crate) mod held;
mod listener;
mod pictures;
mod repeat;
mod session;
mod slow;
mod ui;

pub(crate) use connections::{Entrance, serve};
pub(crate) use guard::{Door, Hosts, Peer};
pub(crate) use listener::Prompt;
pub(crate) use repeat::Repeated;
pub(crate) use slow::HEAD;

use crate::app::App;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base::Failure;

/// Bytes of one request's body.
pub(crate) const BODY: usize = 16 * 1024 * 1024;

/// All routes as one door sees them.
pub(crate) fn router(app: &App, door: Door) -> Router {
    let api = Router::new()
        .route("/api/events", get(events::stream))
        .route("/api/{name}", post(api::call))
        .route_layer(middleware::from_fn_with_state(
            (app.clone(), door.clone()),
            guard::authenticate,
        ));
    let mut router = Router::new()
        .merge(api)
        .route("/artifacts/{file}", get(pictures::get))
        .route("/health", get(health));
    if let Door::Socket = &door {
        router = router.route("/mcp/stream", get(crate::mcp::open_stream));
    } else {
        router = router
            .route("/api/session", post(session::open))
            .fallback(get(ui::page))
            .nest_service("/mcp", crate::mcp::service(app))
            .layer(middleware::from_fn_with_state(
                (app.clone(), door.clone()),
                guard::mcp,
            ))
            .layer(middleware::from_fn_with_state(app.clone(), slow::bodies));
    }
    router
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(door, guard::host_and_origin))
        .layer(middleware::map_response(guard::safe_headers))
        .with_state(app.clone())
}

async fn health() -> &'static str {
    "ok"
}

/// A failure as an HTTP answer, worded.
pub(crate) fn failed(failure: &Failure, lang: base::Lang) -> Response {
    let status = match failure.code.as_str() {
        "unauthorized" => StatusCode::UNAUTHORIZED,
        "access_denied" | "host_refused" | "origin_refused" => StatusCode::FORBIDDEN,
        "unknown_call" | "unknown_tool" | "artifact_not_found" | "grant_not_found" | "run_not_found"
        | "run_not_open" | "answer_not_known" => StatusCode::NOT_FOUND,
        "invalid_args" | "invalid_tool_name" | "invalid_token_name" | "unknown_scope" => {
            StatusCode::BAD_REQUEST
        }
        "session_not_found" => StatusCode::NOT_FOUND,
        "request_too_slow" => StatusCode::REQUEST_TIMEOUT,
        "too_many_requests" | "too_many_sessions" => StatusCode::TOO_MANY_REQUESTS,
        "server_ending" => StatusCode::SERVICE_UNAVAILABLE,
        "internal" | "store_failed" | "store_io" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, axum::Json(crate::words::worded(failure, lang))).into_response()
}
