//! The tray icon: how the server is, start and stop it, its address, the window, the last pictures, favourite tools,
//! prompts, the end.
//!
//! Linux shows no tooltips on tray icons, so the state is a line of the menu as well. The menu is made anew whenever
//! something of it changes: on Linux what changes within a menu's menu does not reach those who show it.

use crate::known::{Known, Server, ServerState};
use crate::{feed::Feed, native, window, words};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem, Submenu};
use tauri::tray::{TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Wry};

const OPEN: &str = "open";
const START_OR_STOP: &str = "start-or-stop";
const COPY_ADDRESS: &str = "copy-address";
const PICTURES: &str = "pictures";
const TOOLS: &str = "tools";
const FIND: &str = "find";
const UPDATE: &str = "update";
const ABOUT: &str = "about";
const QUIT: &str = "quit";
/// Before the place to which an entry leads.
const PLACE: &str = "place:";

/// The page's own places: what "about" says, one picture, a tool's form.
const ABOUT_PLACE: &str = "/settings/about";
const UPDATE_PLACE: &str = "/settings/about?update=1";
const PICTURE_PLACE: &str = "/canvas/";
const TOOL_PLACE: &str = "/tools/";
const TOOL_FORM: &str = "/run";
/// Wherever the page is, prompts are looked for.
pub const FIND_PLACE: &str = "?find=prompt";

/// The icon in the tray, for as long as this value lives.
pub struct Tray {
    icon: TrayIcon<Wry>,
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
    let line = words::status(known.lang, &known.state);
    let mut builder = TrayIconBuilder::new()
        .menu(&menu(app, known)?)
        .tooltip(tooltip(&line))
        .on_menu_event(on_menu)
        .on_tray_icon_event(on_icon);
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    Ok(Tray {
        icon: builder.build(app)?,
    })
}

impl Tray {
    pub fn show(&self, app: &AppHandle, known: &Known) {
        let line = words::status(known.lang, &known.state);
        crate::log_failure("change the tooltip", self.icon.set_tooltip(Some(tooltip(&line))));
        let changed = menu(app, known).and_then(|menu| self.icon.set_menu(Some(menu)));
        crate::log_failure("change the menu", changed);
    }
}

fn menu(app: &AppHandle, known: &Known) -> tauri::Result<Menu<Wry>> {
    let entry = |id: &str| MenuItem::with_id(app, id, text(id, known), is_possible(id, known), None::<&str>);
    let submenu = |id: &str, entries: Vec<(String, String)>| {
        let submenu = Submenu::with_id(app, id, text(id, known), is_possible(id, known))?;
        for (place, text) in entries {
            let id = format!("{PLACE}{place}");
            // One alone would mark a letter to be typed.
            let text = text.replace('&', "&&");
            submenu.append(&MenuItem::with_id(app, id, text, true, None::<&str>)?)?;
        }
        Ok::<_, tauri::Error>(submenu)
    };
    let line = words::status(known.lang, &known.state);
    let status = MenuItem::with_id(app, "status", &line, false, None::<&str>)?;
    let pictures = known.offers.pictures.iter();
    let pictures = pictures.map(|one| (format!("{PICTURE_PLACE}{}", one.id), one.label.clone()));
    let tools = known.offers.tools.iter();
    let tools = tools.map(|name| (format!("{TOOL_PLACE}{name}{TOOL_FORM}"), name.clone()));
    Menu::with_items(
        app,
        &[
            &status,
            &entry(START_OR_STOP)?,
            &entry(COPY_ADDRESS)?,
            &PredefinedMenuItem::separator(app)?,
            &entry(OPEN)?,
            &submenu(TOOLS, tools.collect())?,
            &entry(FIND)?,
            &submenu(PICTURES, pictures.collect())?,
            &entry(UPDATE)?,
            &entry(ABOUT)?,
            &PredefinedMenuItem::separator(app)?,
            &entry(QUIT)?,
        ],
    )
}

fn tooltip(line: &str) -> String {
    format!("{}: {line}", words::APP)
}

fn text(id: &str, known: &Known) -> &'static str {
    match id {
        START_OR_STOP => words::start_or_stop(known.lang, &known.state),
        COPY_ADDRESS => words::copy_address(known.lang),
        PICTURES => words::pictures(known.lang),
        TOOLS => words::run_tool(known.lang),
        FIND => words::find_prompt(known.lang),
        UPDATE => words::update(known.lang),
        ABOUT => words::about(known.lang),
        QUIT => words::quit(known.lang),
        _ => words::open(known.lang),
    }
}

fn is_possible(id: &str, known: &Known) -> bool {
    match id {
        COPY_ADDRESS => matches!(known.state, ServerState::Running { address: Some(_) }),
        PICTURES => !known.offers.pictures.is_empty(),
        TOOLS => !known.offers.tools.is_empty(),
        UPDATE => known.offers.updates,
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
        UPDATE => show_place(app, UPDATE_PLACE),
        ABOUT => show_place(app, ABOUT_PLACE),
        FIND => show_place(app, FIND_PLACE),
        QUIT => app.exit(0),
        other => {
            if let Some(place) = other.strip_prefix(PLACE) {
                show_place(app, place);
            }
        }
    }
}

/// Opens the window at one of its places.
pub fn show_place(app: &AppHandle, place: &str) {
    app.state::<Arc<Feed>>().goto(place);
    window::open(app);
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
    use crate::known::Offers;
    use base::Lang;

    #[test]
    fn entries_say_what_they_do_now_and_offer_only_what_is_possible() {
        let known = |state| Known {
            state,
            lang: Lang::En,
            offers: Offers::default(),
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
        assert!(!is_possible(PICTURES, &running) && !is_possible(TOOLS, &running));
        assert!(is_possible(QUIT, &stopped) && is_possible(OPEN, &stopped));
    }
}
