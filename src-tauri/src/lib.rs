//! The desktop shell: a window with the web page, a tray icon, and the sidecar `pm serve`.
//!
//! A thin client of the owner like any other: what the window asks goes through one command
//! ([`call`]) to the owner's socket, and what happens there comes back as news ([`feed`]). No
//! engine is linked here, no data home is opened, and no use case is known. The page's own words
//! are in `ui/src/locales`; the few of the tray are in [`words`].

mod backoff;
mod call;
mod dropped;
mod feed;
mod known;
mod native;
mod offers;
mod owner;
mod page;
mod pictures;
mod shortcut;
mod tray;
mod updates;
mod window;
mod words;

use base::{Args, Coded, DataHome, HomeError, Settings, args};
use feed::Feed;
use known::Server;
use std::sync::Arc;
use tauri::{AppHandle, Manager, RunEvent};
use wire::Client;

/// The one window; src-tauri/capabilities names it too.
const MAIN_WINDOW: &str = "main";

/// Starts in the tray, without a window on the screen: for starts at login.
const MINIMIZED: &str = "--minimized";

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
    let client = Client::new(&home.socket()).named(wire::DESKTOP);
    // Broken settings are the owner's to report; the tray needs just the language.
    let lang = Settings::load(&home.settings())
        .ok()
        .and_then(|all| all.language)
        .unwrap_or_default();
    tauri::Builder::default()
        // First: a second program ends here, before it has done anything.
        .plugin(tauri_plugin_single_instance::init(|app, arguments, _| {
            let said = |word: &str| arguments.iter().any(|argument| argument == word);
            if said(shortcut::FIND) {
                tray::show_place(app, tray::FIND_PLACE);
            } else if !said(MINIMIZED) {
                window::open(app);
            }
        }))
        .plugin(tauri_plugin_shell::init())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(shortcut::plugin())
        .plugin(tauri_plugin_updater::Builder::new().build())
        .plugin(
            tauri_plugin_autostart::Builder::new()
                .app_name(words::APP)
                .arg(MINIMIZED)
                .build(),
        )
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_state_flags(window::remembered())
                .with_filename(window::place(&home))
                .build(),
        )
        .register_asynchronous_uri_scheme_protocol(pictures::SCHEME, pictures::serve)
        .manage(client)
        .manage(home)
        .manage(call::OpenCalls::new())
        .manage(Arc::new(Server::new(lang)))
        .manage(Arc::new(Feed::new()))
        .manage(shortcut::Changing::default())
        .manage(updates::Found::default())
        .manage(dropped::Dropped::default())
        .invoke_handler(tauri::generate_handler![
            call::call,
            call::cancel_call,
            call::news,
            native::name_window,
            native::pick_folder,
            native::pick_file,
            native::save_file,
            native::copy_text,
            native::copy_image,
            native::open_external,
            dropped::dropped,
            dropped::read_dropped,
            native::starts_at_login,
            native::start_at_login,
            shortcut::shortcut,
            shortcut::set_shortcut,
            updates::update_channel,
            updates::update_check,
            updates::update_give_up,
            updates::update_install,
            updates::update_progress,
        ])
        .setup(|app| Ok(set_up(app.handle())?))
        .build(tauri::generate_context!())?
        .run(|app, event| {
            if let RunEvent::Exit = event {
                window::leave_no_folder(app);
            }
        });
    Ok(())
}

fn set_up(app: &AppHandle) -> tauri::Result<()> {
    let client = app.state::<Client>().inner().clone();
    let server = app.state::<Arc<Server>>().inner().clone();
    let feed = app.state::<Arc<Feed>>().inner().clone();
    tauri::async_runtime::spawn(owner::keep(app.clone(), client.clone(), server.clone()));
    tauri::async_runtime::spawn(page::work(app.clone(), client.clone()));
    tauri::async_runtime::spawn(offers::follow(app.clone(), client.clone(), server.clone()));
    tauri::async_runtime::spawn(feed::follow(client, server.clone(), feed));
    tauri::async_runtime::spawn(shortcut::begin(app.clone()));
    tauri::async_runtime::spawn(end_when_asked(app.clone()));
    let known = server.known.borrow().clone();
    let updated = updates::was_updated(&app.state::<DataHome>());
    let said = |word: &str| !updated && std::env::args().any(|argument| argument == word);
    if said(shortcut::FIND) {
        app.state::<Arc<Feed>>().goto(tray::FIND_PLACE);
    }
    let tray = tray::create(app, &known);
    let first = match &tray {
        Some(_) if said(MINIMIZED) => window::First::Hidden,
        _ => window::First::Shown,
    };
    if let Some(tray) = tray {
        app.manage(tray);
        tauri::async_runtime::spawn(show_in_tray(app.clone(), server));
    }
    window::create(app, first)
}

async fn show_in_tray(app: AppHandle, server: Arc<Server>) {
    let mut known = server.known.subscribe();
    loop {
        let now = known.borrow_and_update().clone();
        app.state::<tray::Tray>().show(&app, &now);
        if known.changed().await.is_err() {
            return;
        }
    }
}

/// SIGTERM and SIGINT are a quit like the one in the tray: what is remembered is written, and the
/// sidecar's lifetime pipe closes.
#[cfg(unix)]
async fn end_when_asked(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            app.exit(0);
        }
        (Err(error), _) | (_, Err(error)) => tracing::warn!(%error, "signals end the program at once"),
    }
}

#[cfg(not(unix))]
async fn end_when_asked(_: AppHandle) {}

/// For what cannot be told to anybody: the window system refused.
fn log_failure(what: &str, result: tauri::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "could not {what}");
    }
}
