//! The desktop shell: a window with the web page, a tray icon, and the sidecar `pm serve`.
//!
//! A thin client of the owner like any other: what the window asks goes through one command
//! ([`call`]) to the owner's socket. No engine is linked here, no data home is opened, and no
//! use case is known. The page's own words are in `ui/src/locales`; the few of the tray are in
//! [`words`].

mod backoff;
mod call;
mod owner;
mod tray;
mod words;

use base::{Args, Coded, DataHome, HomeError, Lang, Settings, args};
use tauri::{Manager, WindowEvent};
use wire::Client;

/// The one window; src-tauri/capabilities names it too.
const MAIN_WINDOW: &str = "main";

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the data home")]
    Home(#[from] HomeError),
    #[error("the window system")]
    Window(#[from] tauri::Error),
}

impl Coded for StartError {
    fn code(&self) -> &'static str {
        match self {
            StartError::Home(error) => error.code(),
            StartError::Window(_) => "window_failed",
        }
    }
    fn args(&self) -> Args {
        match self {
            StartError::Home(error) => error.args(),
            StartError::Window(error) => args! { reason: error.to_string() },
        }
    }
}

/// Runs the desktop program until it is quit.
pub fn run() -> Result<(), StartError> {
    let home = DataHome::locate(None)?;
    let client = Client::new(&home.socket());
    // Broken settings are the owner's to report; the tray needs just the language.
    let lang = Settings::load(&home.settings()).map_or_else(|_| Lang::default(), |all| all.language);
    tauri::Builder::default()
        .plugin(tauri_plugin_shell::init())
        .manage(client.clone())
        .invoke_handler(tauri::generate_handler![call::call])
        .setup(move |app| {
            let tray = tray::create(app.handle(), lang)
                // Without a tray the program still works: closing the window then ends it.
                .inspect_err(|error| tracing::warn!(%error, "no tray icon"))
                .ok();
            if tray.is_some() {
                keep_when_closed(app.handle());
            }
            tauri::async_runtime::spawn(owner::keep(app.handle().clone(), client, move |state| {
                if let Some(tray) = &tray {
                    tray.show(state);
                }
            }));
            Ok(())
        })
        .run(tauri::generate_context!())?;
    Ok(())
}

/// Closing the window leaves the tray icon, which opens it again.
fn keep_when_closed(app: &tauri::AppHandle) {
    let Some(window) = app.get_webview_window(MAIN_WINDOW) else {
        return;
    };
    let hidden = window.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { api, .. } = event {
            api.prevent_close();
            log_failure("hide the window", hidden.hide());
        }
    });
}

/// Shows the window and gives it the focus.
fn open_window(app: &tauri::AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN_WINDOW) {
        log_failure("show the window", window.show());
        log_failure("restore the window", window.unminimize());
        log_failure("focus the window", window.set_focus());
    }
}

/// For what cannot be told to anybody: the window system refused.
fn log_failure(what: &str, result: tauri::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "could not {what}");
    }
}
