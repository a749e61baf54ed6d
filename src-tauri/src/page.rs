//! The assistant's page window: a page of the web, in a window of its own that is no part of the product. It has no
//! rights ([`LABEL`] is in no capability), keeps nothing when it is closed, and does what the owner orders: the owner
//! looks at the page and works on it by a script, and never by this program's own hands.
//!
//! Deliberately not here: what is ordered and why (`server::browser`).

use std::sync::Mutex;
use std::time::Duration;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tokio::sync::oneshot;
use wire::{BrowserDone, BrowserOrder, BrowserOrderKind, BrowserWork, Client};

/// Of no capability: whatever is in it can call nothing.
const LABEL: &str = "page";

/// The first size, in logical pixels.
const WIDTH: f64 = 1100.0;
const HEIGHT: f64 = 800.0;
/// What a page does not answer by then it never will.
const ANSWER: Duration = Duration::from_secs(14);
/// Between two attempts to reach an owner.
const AGAIN: Duration = Duration::from_secs(2);

/// Takes orders from the owner for as long as the program runs.
pub async fn work(app: AppHandle, client: Client) {
    let window = format!("{}-{}", std::process::id(), since_start());
    let mut done = None;
    loop {
        let asked = BrowserWork {
            window: window.clone(),
            done: done.take(),
        };
        match client.assistant_work(asked).await {
            Ok(orders) => {
                if let Some(order) = orders.order {
                    done = Some(carry_out(&app, &order).await);
                }
            }
            // There is no owner just now, or it is an older one.
            Err(error) => {
                tracing::debug!(%error, "nobody has orders for the page window");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// Tells this program from one before it with the same number.
fn since_start() -> u128 {
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}

async fn carry_out(app: &AppHandle, order: &BrowserOrder) -> BrowserDone {
    let outcome = match order.kind {
        BrowserOrderKind::Evaluate => evaluate(app, &order.text).await.map(Some),
        BrowserOrderKind::Open => open(app, order).map(|()| None),
        BrowserOrderKind::Close => close(app).map(|()| None),
    };
    let url = app
        .get_webview_window(LABEL)
        .and_then(|window| window.url().ok())
        .map(|url| url.to_string())
        .unwrap_or_default();
    let (json, error) = match outcome {
        Ok(json) => (json, None),
        Err(reason) => (None, Some(reason.to_string())),
    };
    BrowserDone {
        order: order.id.clone(),
        json,
        url,
        error,
    }
}

#[derive(Debug, thiserror::Error)]
enum PageError {
    #[error("the window is closed")]
    Closed,
    #[error("{0} is no address of a page")]
    Address(String),
    #[error("the page does not answer")]
    Silent,
    #[error(transparent)]
    Window(#[from] tauri::Error),
}

async fn evaluate(app: &AppHandle, expression: &str) -> Result<String, PageError> {
    let window = app.get_webview_window(LABEL).ok_or(PageError::Closed)?;
    let (tell, answer) = oneshot::channel();
    // It is called once, and may be called from anywhere.
    let tell = Mutex::new(Some(tell));
    window.eval_with_callback(expression, move |json| {
        let tell = tell.lock().ok().and_then(|mut tell| tell.take());
        if let Some(tell) = tell {
            // Whoever asked may have gone.
            let _ = tell.send(json);
        }
    })?;
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(Ok(json)) => Ok(json),
        // A document that ended while it was asked gives nothing.
        Ok(Err(_)) => Ok(String::new()),
        Err(_) => Err(PageError::Silent),
    }
}

fn open(app: &AppHandle, order: &BrowserOrder) -> Result<(), PageError> {
    let url: Url = order
        .text
        .parse()
        .map_err(|_| PageError::Address(order.text.clone()))?;
    if !is_web(&url) {
        return Err(PageError::Address(order.text.clone()));
    }
    if let Some(window) = app.get_webview_window(LABEL) {
        return Ok(window.navigate(url)?);
    }
    let script = order.script.clone().unwrap_or_default();
    let here = app.clone();
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::External(url))
        .title(crate::words::APP)
        .inner_size(WIDTH, HEIGHT)
        .initialization_script_for_all_frames(script)
        // What it keeps goes with it.
        .incognito(true)
        .on_navigation(is_web)
        // One page at a time: what would be a window is the next page.
        .on_new_window(move |url, _| {
            if is_web(&url)
                && let Some(window) = here.get_webview_window(LABEL)
            {
                crate::log_failure("open a page", window.navigate(url));
            }
            NewWindowResponse::Deny
        })
        // Nothing is written to the person's disk by a page.
        .on_download(|_, _| false)
        .build()?;
    Ok(())
}

fn close(app: &AppHandle) -> Result<(), PageError> {
    match app.get_webview_window(LABEL) {
        Some(window) => Ok(WebviewWindow::destroy(&window)?),
        None => Ok(()),
    }
}

/// Neither files of this machine nor pages of the product.
fn is_web(url: &Url) -> bool {
    match url.scheme() {
        "http" | "https" => url.has_host(),
        "about" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_opened() {
        for (address, wanted) in [
            ("https://example.com/x", true),
            ("http://127.0.0.1:8080/", true),
            ("about:blank", true),
            ("file:///etc/passwd", false),
            ("tauri://localhost/", false),
            ("artifact://localhost/x.png", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
        ] {
            let url: Url = address.parse().unwrap();
            assert_eq!(is_web(&url), wanted, "{address}");
        }
    }
}
