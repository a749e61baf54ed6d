//! The window: made hidden or shown, kept in the tray when it is closed, never led astray.

use crate::call::OpenCalls;
use crate::known::Server;
use crate::{MAIN_WINDOW, dropped, log_failure, native, tray, words};
use base::DataHome;
use base::atomic::{self, Access};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Manager, Url, WebviewWindow, WebviewWindowBuilder, WindowEvent};
use tauri_plugin_notification::NotificationExt;
use tauri_plugin_window_state::{AppHandleExt, StateFlags};

/// A page that takes longer has failed, and its window says more than none.
const PAGE_LIMIT: Duration = Duration::from_secs(5);

/// Exists when the person has been told that the program stays in the tray.
const TOLD: &str = "told-about-tray";

/// What is remembered of the window. Not whether it was hidden: who starts the program wants it.
pub fn remembered() -> StateFlags {
    StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN
}

/// The file of what is remembered. The window-state plugin joins it to the system's folder for
/// settings, which an absolute path replaces: all that is kept is in the data home.
pub fn place(home: &DataHome) -> String {
    home.window().join("place.json").to_string_lossy().into_owned()
}

/// The plugin makes the system's folder all the same; empty, it is taken away again.
pub fn leave_no_folder(app: &AppHandle) {
    if let Ok(folder) = app.path().app_config_dir()
        && let Err(error) = std::fs::remove_dir(&folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "a folder stays");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    Shown,
    /// In the tray alone: started at login.
    Hidden,
}

/// Makes the window of tauri.conf.json.
pub fn create(app: &AppHandle, first: First) -> tauri::Result<()> {
    let config = app
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == MAIN_WINDOW)
        .ok_or(tauri::Error::WindowNotFound)?;
    let own = app.state::<DataHome>().window();
    // The plugin and the page's storage make files in it, not itself.
    if let Err(error) = atomic::create_dir_all(&own) {
        tracing::warn!(%error, "the window will remember nothing");
    }
    let dev = app.config().build.dev_url.clone().filter(|_| tauri::is_dev());
    let curtain = Curtain::new(first);
    let loaded = curtain.clone();
    let window = WebviewWindowBuilder::from_config(app, config)?
        .data_directory(own)
        .on_navigation(move |url| is_own(url, dev.as_ref()) || leave(url))
        .on_new_window(|url, _| {
            leave(&url);
            NewWindowResponse::Deny
        })
        .on_page_load(move |window, load| match load.event() {
            // Nobody waits for what an earlier page asked.
            PageLoadEvent::Started => window.state::<OpenCalls>().cancel_all(),
            PageLoadEvent::Finished => loaded.show(&window),
        })
        .build()?;
    keep_when_closed(&window);
    dropped::listen(&window);
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PAGE_LIMIT).await;
        curtain.show(&window);
    });
    Ok(())
}

/// Keeps a window unseen until its page is there: nobody should see it empty and white.
#[derive(Clone, Debug)]
struct Curtain(Arc<AtomicBool>);

impl Curtain {
    fn new(first: First) -> Self {
        Curtain(Arc::new(AtomicBool::new(first == First::Shown)))
    }

    /// Once: a page that is loaded again must not bring back a window that was closed.
    fn show(&self, window: &WebviewWindow) {
        if self.0.swap(false, Ordering::Relaxed) {
            log_failure("show the window", window.show().and_then(|()| window.set_focus()));
        }
    }
}

/// Whether the address is one of the window's own page: embedded, or of the development server.
fn is_own(url: &Url, dev: Option<&Url>) -> bool {
    let place = |url: &Url| {
        (
            url.scheme().to_owned(),
            url.host_str().map(str::to_owned),
            url.port(),
        )
    };
    let embedded = if cfg!(windows) {
        ("http", "tauri.localhost")
    } else {
        ("tauri", "localhost")
    };
    (url.scheme(), url.host_str()) == (embedded.0, Some(embedded.1))
        || dev.is_some_and(|dev| place(dev) == place(url))
}

/// What leads out of the window is the browser's.
fn leave(url: &Url) -> bool {
    if let Some(url) = native::web_address(url.as_str()) {
        tauri::async_runtime::spawn(async move {
            if let Err(error) = native::open_external(url).await {
                tracing::warn!(code = error.code, "a link was not opened");
            }
        });
    }
    false
}

/// Closing the window leaves the tray icon, which opens it again. Where nobody shows one, closing
/// ends the program.
fn keep_when_closed(window: &WebviewWindow) {
    let hidden = window.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { api, .. } = event {
            api.prevent_close();
            let window = hidden.clone();
            tauri::async_runtime::spawn(async move {
                let app = window.app_handle();
                if app.try_state::<tray::Tray>().is_none() || !tray::is_shown().await {
                    app.exit(0);
                    return;
                }
                remember(app);
                log_failure("hide the window", window.hide());
                tell_once(app);
            });
        }
    });
}

/// Shows the window and gives it the focus.
pub fn open(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN_WINDOW) {
        log_failure("show the window", window.show());
        log_failure("restore the window", window.unminimize());
        log_failure("focus the window", window.set_focus());
    }
}

/// Keeps where the window is, so that even a kill does not lose it.
fn remember(app: &AppHandle) {
    if let Err(error) = app.save_window_state(remembered()) {
        tracing::warn!(%error, "could not keep the window's place");
    }
    leave_no_folder(app);
}

/// The first time that the window is closed, the person is told where it went.
fn tell_once(app: &AppHandle) {
    let told = app.state::<DataHome>().window().join(TOLD);
    if told.exists() {
        return;
    }
    let (title, text) = words::still_here(app.state::<Arc<Server>>().lang());
    let shown = app.notification().builder().title(title).body(text).show();
    if let Err(error) = shown {
        tracing::warn!(%error, "could not tell about the tray");
        return;
    }
    if let Err(error) = atomic::write_with_dirs(&told, b"", Access::Shared) {
        tracing::warn!(%error, "will tell about the tray again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_windows_own_page_is_shown_in_it() {
        let dev = Url::parse("http://127.0.0.1:5173").unwrap();
        let own = |url: &str, dev| is_own(&Url::parse(url).unwrap(), dev);
        assert!(own("http://127.0.0.1:5173/#/tools", Some(&dev)));
        for foreign in [
            "http://127.0.0.1:5173/",
            "https://example.org/",
            "tauri://other/",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!own(foreign, None), "{foreign}");
        }
        assert!(!own("http://127.0.0.1:5174/", Some(&dev)));
        assert_eq!(own("tauri://localhost/index.html#/x", None), !cfg!(windows));
    }
}
