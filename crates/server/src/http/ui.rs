//! The web UI, built by `ui/` and embedded.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

/// Empty in a checkout whose UI was never built; everything else works without it.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Dist;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) async fn page(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    match Dist::get(path) {
        Some(file) => {
            // Names of built assets carry their hash.
            let cache = if path.starts_with("assets/") {
                "public, max-age=31536000, immutable"
            } else {
                "no-cache"
            };
            let kind = file.metadata.mimetype().to_owned();
            let headers = [
                (CONTENT_TYPE, kind),
                (CACHE_CONTROL, cache.to_owned()),
                (CONTENT_SECURITY_POLICY, POLICY.to_owned()),
            ];
            (headers, file.data).into_response()
        }
        None if path == "index.html" => (
            StatusCode::NOT_FOUND,
            "The web page was not built: run `npm ci && npm run build` in ui/ and build pm again.\n",
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
