//! `artifact://localhost/artifacts/{id}.png?until=…&sign=…`: bytes of pictures for the page, which
//! has no way to the owner's port.
//!
//! The owner checks the signature. Here is only seen to it that nothing but a picture of the
//! product's own window goes through.

use crate::MAIN_WINDOW;
use tauri::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use tauri::http::{HeaderValue, Method, Request, Response, StatusCode};
use tauri::{Manager, Runtime, UriSchemeContext, UriSchemeResponder};
use tokio::sync::Semaphore;
use wire::{Asset, Client, ClientError};

pub const SCHEME: &str = "artifact";

/// Pictures fetched at one time; a gallery asks for hundreds.
static PLACES: Semaphore = Semaphore::const_new(8);

pub fn serve<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let ours = context.webview_label() == MAIN_WINDOW;
    let client = context.app_handle().state::<Client>().inner().clone();
    tauri::async_runtime::spawn(async move {
        let answer = match address(&request).filter(|_| ours) {
            Some(address) => fetch(&client, &address).await,
            None => bare(StatusCode::NOT_FOUND),
        };
        responder.respond(answer);
    });
}

/// The owner's address of what is asked for, if it is a picture.
fn address(request: &Request<Vec<u8>>) -> Option<String> {
    let path = request.uri().path();
    let name = path.strip_prefix("/artifacts/")?.strip_suffix(".png")?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if request.method() != Method::GET || !plain {
        return None;
    }
    Some(match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    })
}

async fn fetch(client: &Client, address: &str) -> Response<Vec<u8>> {
    // Never closed.
    let _place = PLACES.acquire().await;
    match client.asset(address).await {
        Ok(asset) => picture(asset),
        Err(error) => {
            tracing::debug!(%error, "picture");
            bare(match error {
                ClientError::Call(error) if error.code == "unauthorized" => StatusCode::UNAUTHORIZED,
                ClientError::Call(_) => StatusCode::NOT_FOUND,
                _ => StatusCode::BAD_GATEWAY,
            })
        }
    }
}

fn picture(mut asset: Asset) -> Response<Vec<u8>> {
    if asset
        .headers
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind != "image/png")
    {
        return bare(StatusCode::NOT_FOUND);
    }
    let mut answer = bare(StatusCode::OK);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("image/png"));
    if let Some(cache) = asset.headers.remove(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, cache);
    }
    *answer.body_mut() = asset.bytes.into();
    answer
}

fn bare(status: StatusCode) -> Response<Vec<u8>> {
    let mut answer = Response::new(Vec::new());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'"),
    );
    // The page reads pixels of what it shows; only its own webview gets here at all.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: &str, uri: &str) -> Option<String> {
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .body(Vec::new())
            .unwrap();
        address(&request)
    }

    #[test]
    fn only_pictures_are_asked_for() {
        let signed = "/artifacts/0b5e-4f.png?until=5&sign=ab&size=thumb";
        assert_eq!(
            asked("GET", &format!("artifact://localhost{signed}")).as_deref(),
            Some(signed)
        );
        for (method, path) in [
            ("POST", signed),
            ("GET", "/api/server.token"),
            ("GET", "/artifacts/../api/x.png"),
            ("GET", "/artifacts/%2e%2e.png"),
            ("GET", "/artifacts/.png"),
            ("GET", "/artifacts/a.json"),
            ("GET", "/"),
        ] {
            assert_eq!(
                asked(method, &format!("artifact://localhost{path}")),
                None,
                "{path}"
            );
        }
    }

    #[test]
    fn what_is_no_picture_does_not_go_through() {
        let asset = |kind| Asset {
            headers: [
                (CONTENT_TYPE, HeaderValue::from_static(kind)),
                (CACHE_CONTROL, HeaderValue::from_static("private")),
            ]
            .into_iter()
            .collect(),
            bytes: vec![1, 2, 3].into(),
        };
        let page = picture(asset("text/html"));
        assert_eq!((page.status(), page.body().len()), (StatusCode::NOT_FOUND, 0));
        let found = picture(asset("image/png"));
        assert_eq!((found.status(), found.body().len()), (StatusCode::OK, 3));
        assert_eq!(found.headers()[CACHE_CONTROL], "private");
        assert_eq!(found.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}
