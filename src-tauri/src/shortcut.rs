//! One key of the whole desktop: wherever the person is, it opens the window and looks for prompts.
//!
//! None is taken until she chooses one. X11, macOS and Windows give such keys to programs; on Wayland the desktop gives
//! them to commands, and `prompt-manager --find` is the command.

use crate::call::coded;
use crate::tray;
use base::atomic::{self, Access};
use base::{DataHome, Failure};
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt, Modifiers, Shortcut, ShortcutState};
use tokio::sync::Mutex;
use wire::WireError;

/// Starts at the search for prompts, or brings a program that runs to it.
pub const FIND: &str = "--find";

/// The chosen keys, in the data home's folder of the window.
const FILE: &str = "shortcut";
/// Longest text that is read as keys.
const LENGTH: usize = 100;

/// One change at a time.
#[derive(Default)]
pub struct Changing(Mutex<()>);

/// What the page shows.
#[derive(Debug, Serialize)]
pub struct Chosen {
    /// As `ctrl+alt+p`.
    keys: Option<String>,
    /// They are ours; otherwise another program has them.
    held: bool,
    /// The desktop gives keys to programs.
    possible: bool,
}

pub fn plugin() -> TauriPlugin<Wry> {
    Builder::new()
        .with_handler(|app, _, event| {
            if event.state == ShortcutState::Pressed {
                tray::show_place(app, tray::FIND_PLACE);
            }
        })
        .build()
}

/// Takes the keys that were chosen earlier.
pub async fn begin(app: AppHandle) {
    let taken = blocking(move || match chosen(&app)? {
        Some(keys) if is_possible() => take(&app, parse(&keys)?),
        _ => Ok(()),
    });
    if let Err(error) = taken.await {
        tracing::warn!(code = error.code, args = ?error.args, "the key of the desktop is not ours");
    }
}

#[tauri::command]
pub async fn shortcut(app: AppHandle) -> Result<Chosen, WireError> {
    blocking(move || {
        let keys = chosen(&app)?;
        // What stands in the file may be no keys: others can be chosen.
        let parsed = keys.as_deref().and_then(|keys| parse(keys).ok());
        Ok(Chosen {
            held: parsed.is_some_and(|keys| app.global_shortcut().is_registered(keys)),
            possible: is_possible(),
            keys,
        })
    })
    .await
}

/// Takes other keys, or none. What was chosen before stays when they cannot be had.
#[tauri::command]
pub async fn set_shortcut(app: AppHandle, keys: Option<String>) -> Result<(), WireError> {
    let changing = app.clone();
    let changing = changing.state::<Changing>();
    let one = changing.0.lock().await;
    let done = blocking(move || change(&app, keys)).await;
    drop(one);
    done
}

fn change(app: &AppHandle, keys: Option<String>) -> Result<(), Failure> {
    let wanted = keys.as_deref().map(parse).transpose()?;
    if wanted.is_some() && !is_possible() {
        return Err(Failure::new("shortcut_not_here").with("command", format!("prompt-manager {FIND}")));
    }
    let path = file(app);
    // What stands there may be no keys: then there is nothing to give back.
    let before = chosen(app)?.and_then(|keys| parse(&keys).ok());
    let manager = app.global_shortcut();
    let held = before.filter(|keys| manager.is_registered(*keys));
    if let Some(keys) = held {
        manager.unregister(keys).map_err(refused)?;
    }
    let changed = match wanted {
        Some(keys) => take(app, keys),
        None => Ok(()),
    };
    let changed = changed.and_then(|()| {
        let kept = match &keys {
            Some(keys) => atomic::write(&path, keys.as_bytes(), Access::Private),
            None => removed(std::fs::remove_file(&path)),
        };
        kept.map_err(|error| unreadable(&path, &error))
    });
    if changed.is_err() {
        if let Some(keys) = wanted.filter(|keys| manager.is_registered(*keys)) {
            manager.unregister(keys).map_err(refused)?;
        }
        if let Some(keys) = held {
            take(app, keys)?;
        }
    }
    changed
}

fn take(app: &AppHandle, keys: Shortcut) -> Result<(), Failure> {
    app.global_shortcut()
        .register(keys)
        .map_err(|error| Failure::new("shortcut_taken").with("reason", error.to_string()))
}

fn refused(error: tauri_plugin_global_shortcut::Error) -> Failure {
    Failure::new("window_failed").with("reason", error.to_string())
}

fn removed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn file(app: &AppHandle) -> PathBuf {
    app.state::<DataHome>().window().join(FILE)
}

fn chosen(app: &AppHandle) -> Result<Option<String>, Failure> {
    let path = file(app);
    match std::fs::read_to_string(&path) {
        Ok(keys) => Ok(Some(keys.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

fn unreadable(path: &std::path::Path, error: &io::Error) -> Failure {
    Failure::new("shortcut_not_kept")
        .with("path", path.to_string_lossy())
        .with("reason", error.to_string())
}

/// A letter alone would be lost to every other program.
fn parse(keys: &str) -> Result<Shortcut, Failure> {
    let unclear =
        || Failure::new("shortcut_unclear").with("keys", keys.chars().take(LENGTH).collect::<String>());
    if keys.len() > LENGTH {
        return Err(unclear());
    }
    let parsed: Shortcut = keys.parse().map_err(|_| unclear())?;
    let held = Modifiers::CONTROL | Modifiers::ALT | Modifiers::SUPER;
    match parsed.mods.intersects(held) {
        true => Ok(parsed),
        false => Err(unclear()),
    }
}

/// Programs of X that run on Wayland hear the keys of their own windows alone.
#[cfg(target_os = "linux")]
fn is_possible() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_none_or(|name| name.is_empty())
}

#[cfg(not(target_os = "linux"))]
fn is_possible() -> bool {
    true
}

/// The plugin waits for the thread of the window system.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, WireError> {
    match tauri::async_runtime::spawn_blocking(work).await {
        Ok(done) => done.map_err(coded),
        Err(error) => Err(coded(
            Failure::new("window_failed").with("reason", error.to_string()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_held_with_another_key() {
        for good in [
            "ctrl+alt+p",
            "super+space",
            "alt+f5",
            "ctrl+shift+comma",
            "ctrl+arrowup",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        let long = format!("ctrl+{}", "p".repeat(LENGTH));
        for bad in [
            "",
            "p",
            "shift+p",
            "ctrl+",
            "ctrl+p+q",
            "ctrl+nonsense",
            "+",
            &long,
        ] {
            assert_eq!(parse(bad).unwrap_err().code, "shortcut_unclear", "{bad}");
        }
    }
}
