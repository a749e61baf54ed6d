//! The tray icon: how the server is, open the window, quit.
//!
//! Linux shows no tooltips on tray icons, so the state is a line of the menu as well.

use crate::owner::ServerState;
use crate::words;
use base::Lang;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Wry};

const OPEN: &str = "open";
const QUIT: &str = "quit";

/// The icon in the tray, for as long as this value lives.
pub struct Tray {
    icon: TrayIcon<Wry>,
    status: MenuItem<Wry>,
    lang: Lang,
}

pub fn create(app: &AppHandle, lang: Lang) -> tauri::Result<Tray> {
    let line = words::status(lang, &ServerState::Starting);
    let status = MenuItem::new(app, &line, false, None::<&str>)?;
    let separator = PredefinedMenuItem::separator(app)?;
    let open = MenuItem::with_id(app, OPEN, words::open(lang), true, None::<&str>)?;
    let quit = MenuItem::with_id(app, QUIT, words::quit(lang), true, None::<&str>)?;
    let menu = Menu::with_items(app, &[&status, &separator, &open, &quit])?;
    let mut builder = TrayIconBuilder::new()
        .menu(&menu)
        .tooltip(format!("{}: {line}", words::APP))
        .on_menu_event(on_menu)
        .on_tray_icon_event(on_icon);
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    Ok(Tray {
        icon: builder.build(app)?,
        status,
        lang,
    })
}

impl Tray {
    pub fn show(&self, state: &ServerState) {
        let line = words::status(self.lang, state);
        crate::log_failure("change the status line", self.status.set_text(&line));
        let tip = format!("{}: {line}", words::APP);
        crate::log_failure("change the tooltip", self.icon.set_tooltip(Some(tip)));
    }
}

fn on_menu(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        OPEN => crate::open_window(app),
        QUIT => app.exit(0),
        _ => {}
    }
}

/// Where the desktop reports clicks on the icon itself, a double click opens the window.
fn on_icon(icon: &TrayIcon<Wry>, event: TrayIconEvent) {
    if let TrayIconEvent::DoubleClick { .. } = event {
        crate::open_window(icon.app_handle());
    }
}
