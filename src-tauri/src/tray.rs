//! The tray icon: how the server is, start and stop it, its address, the window, the end.
//!
//! Linux shows no tooltips on tray icons, so the state is a line of the menu as well.

use crate::known::{Known, Server, ServerState};
use crate::{feed::Feed, native, window, words};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Wry};

const OPEN: &str = "open";
const START_OR_STOP: &str = "start-or-stop";
const COPY_ADDRESS: &str = "copy-address";
const ABOUT: &str = "about";
const QUIT: &str = "quit";

/// The page's own place for what "about" says.
const ABOUT_PLACE: &str = "/settings/about";

/// The icon in the tray, for as long as this value lives.
pub struct Tray {
    icon: TrayIcon<Wry>,
    status: MenuItem<Wry>,
    entries: Vec<MenuItem<Wry>>,
}

/// `None` where there can be no tray.
pub fn create(app: &AppHandle, known: &Known) -> Option<Tray> {
    // The library that draws it is looked for at run time; where it is missing its binding panics.
    let built = catch_unwind(AssertUnwindSafe(|| build(app, known)));
    match built {
        Ok(Ok(tray)) => Some(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "no tray icon");
            None
        }
        Err(_) => {
            tracing::warn!("no tray icon: its library is missing");
            None
        }
    }
}

fn build(app: &AppHandle, known: &Known) -> tauri::Result<Tray> {
    let entry = |id: &str| MenuItem::with_id(app, id, text(id, known), true, None::<&str>);
    let line = words::status(known.lang, &known.state);
    let status = MenuItem::with_id(app, "status", &line, false, None::<&str>)?;
    let (open, start_or_stop) = (entry(OPEN)?, entry(START_OR_STOP)?);
    let (copy, about, quit) = (entry(COPY_ADDRESS)?, entry(ABOUT)?, entry(QUIT)?);
    let line_between = || PredefinedMenuItem::separator(app);
    let menu = Menu::with_items(
        app,
        &[
            &status,
            &start_or_stop,
            &copy,
            &line_between()?,
            &open,
            &about,
            &line_between()?,
            &quit,
        ],
    )?;
    let mut builder = TrayIconBuilder::new()
        .menu(&menu)
        .tooltip(tooltip(&line))
        .on_menu_event(on_menu)
        .on_tray_icon_event(on_icon);
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    let tray = Tray {
        icon: builder.build(app)?,
        status,
        entries: vec![open, start_or_stop, copy, about, quit],
    };
    tray.show(known);
    Ok(tray)
}

impl Tray {
    pub fn show(&self, known: &Known) {
        let line = words::status(known.lang, &known.state);
        crate::log_failure("change the status line", self.status.set_text(&line));
        crate::log_failure("change the tooltip", self.icon.set_tooltip(Some(tooltip(&line))));
        for entry in &self.entries {
            let id = entry.id().as_ref();
            crate::log_failure("change an entry", entry.set_text(text(id, known)));
            crate::log_failure("enable an entry", entry.set_enabled(is_possible(id, known)));
        }
    }
}

fn tooltip(line: &str) -> String {
    format!("{}: {line}", words::APP)
}

fn text(id: &str, known: &Known) -> &'static str {
    match id {
        START_OR_STOP => words::start_or_stop(known.lang, &known.state),
        COPY_ADDRESS => words::copy_address(known.lang),
        ABOUT => words::about(known.lang),
        QUIT => words::quit(known.lang),
        _ => words::open(known.lang),
    }
}

fn is_possible(id: &str, known: &Known) -> bool {
    match id {
        COPY_ADDRESS => matches!(known.state, ServerState::Running { address: Some(_) }),
        // It is being done.
        START_OR_STOP => known.state != ServerState::Stopping,
        _ => true,
    }
}

fn on_menu(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        OPEN => window::open(app),
        START_OR_STOP => app.state::<Arc<Server>>().start_or_stop(),
        COPY_ADDRESS => {
            if let Some(address) = app.state::<Arc<Server>>().mcp_address()
                && let Err(failure) = native::set_clipboard_text(&address)
            {
                tracing::warn!(%failure, "could not copy the address");
            }
        }
        ABOUT => {
            app.state::<Arc<Feed>>().goto(ABOUT_PLACE);
            window::open(app);
        }
        QUIT => app.exit(0),
        _ => {}
    }
}

/// Where the desktop reports clicks on the icon itself, a double click opens the window.
fn on_icon(icon: &TrayIcon<Wry>, event: TrayIconEvent) {
    if let TrayIconEvent::DoubleClick { .. } = event {
        window::open(icon.app_handle());
    }
}

/// Whether somebody shows icons of the tray: without, a closed window could not be opened again.
#[cfg(target_os = "linux")]
pub async fn is_shown() -> bool {
    async fn asked() -> zbus::Result<bool> {
        let bus = zbus::Connection::session().await?;
        let answer = bus
            .call_method(
                Some("org.kde.StatusNotifierWatcher"),
                "/StatusNotifierWatcher",
                Some("org.freedesktop.DBus.Properties"),
                "Get",
                &("org.kde.StatusNotifierWatcher", "IsStatusNotifierHostRegistered"),
            )
            .await?;
        let value: zbus::zvariant::OwnedValue = answer.body().deserialize()?;
        Ok(bool::try_from(value)?)
    }
    match asked().await {
        Ok(shown) => shown,
        Err(error) => {
            tracing::debug!(%error, "nobody shows a tray");
            false
        }
    }
}

/// Elsewhere the tray is a part of the system.
#[cfg(not(target_os = "linux"))]
pub async fn is_shown() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Lang;

    #[test]
    fn entries_say_what_they_do_now_and_offer_only_what_is_possible() {
        let known = |state| Known {
            state,
            lang: Lang::En,
        };
        let running = known(ServerState::Running {
            address: Some("http://127.0.0.1:5621".to_owned()),
        });
        let stopped = known(ServerState::Stopped);
        assert_eq!(text(START_OR_STOP, &running), "Stop server");
        assert_eq!(text(START_OR_STOP, &stopped), "Start server");
        assert!(is_possible(COPY_ADDRESS, &running) && !is_possible(COPY_ADDRESS, &stopped));
        assert!(is_possible(START_OR_STOP, &stopped));
        assert!(!is_possible(START_OR_STOP, &known(ServerState::Stopping)));
        assert!(is_possible(QUIT, &stopped) && is_possible(OPEN, &stopped));
    }
}
