//! What a page cannot do: pickers, the clipboard, files, the person's browser, starting at login.
//!
//! Each is a command of its own; the plugins behind them are used from here alone, so that the
//! window needs no permission for them.

use crate::call::coded;
use crate::known::Server;
use crate::words;
use base::Failure;
use base::atomic::{self, Access};
use std::path::PathBuf;
use std::sync::Arc;
use tauri::ipc::{InvokeBody, Request};
use tauri::{AppHandle, Manager, State, Url, WebviewWindow, Wry};
use tauri_plugin_autostart::ManagerExt;
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;
use wire::WireError;

/// Longest address that is passed on to a browser.
const URL_LIMIT: usize = 8 * 1024;
/// Longest name of the window, characters.
const TITLE_LIMIT: usize = 200;
/// Longest file name that is suggested, characters.
const NAME_LIMIT: usize = 120;
/// Header of `save_file`: the name, with `%XX` for all that is not ASCII.
const NAME_HEADER: &str = "file-name";

type Answer<T = ()> = Result<T, WireError>;

/// Names the window after the page that it shows. A command and not the engine's own event of a new
/// title: to answer that one from where it is heard stops the window system.
#[tauri::command]
pub async fn name_window(window: WebviewWindow, title: String) -> Answer {
    window
        .set_title(&window_title(&title))
        .map_err(|error| failed("window_failed", &error.to_string(), None))
}

/// One line of a length that every window system takes.
fn window_title(text: &str) -> String {
    let line = text.chars().filter(|letter| !letter.is_control());
    line.take(TITLE_LIMIT).collect()
}

/// A folder that the person chooses; nothing when she closes the dialog.
#[tauri::command]
pub async fn pick_folder(
    app: AppHandle,
    window: WebviewWindow,
    server: State<'_, Arc<Server>>,
) -> Answer<Option<PathBuf>> {
    let (send, chosen) = oneshot::channel();
    dialog(&app, &window, words::choose_folder(server.lang())).pick_folder(|path| drop(send.send(path)));
    path_of(chosen.await.ok().flatten())
}

/// A file that the person chooses; nothing when she closes the dialog.
#[tauri::command]
pub async fn pick_file(
    app: AppHandle,
    window: WebviewWindow,
    server: State<'_, Arc<Server>>,
) -> Answer<Option<PathBuf>> {
    let (send, chosen) = oneshot::channel();
    dialog(&app, &window, words::choose_file(server.lang())).pick_file(|path| drop(send.send(path)));
    path_of(chosen.await.ok().flatten())
}

/// Writes the body to a file that the person chooses. False when she closes the dialog.
#[tauri::command]
pub async fn save_file(
    app: AppHandle,
    window: WebviewWindow,
    server: State<'_, Arc<Server>>,
    request: Request<'_>,
) -> Answer<bool> {
    let bytes = body(&request)?.to_vec();
    let name = request
        .headers()
        .get(NAME_HEADER)
        .map(|name| file_name(name.as_bytes()))
        .unwrap_or_default();
    let (send, chosen) = oneshot::channel();
    dialog(&app, &window, words::save_as(server.lang()))
        .set_file_name(name)
        .save_file(|path| drop(send.send(path)));
    let Some(path) = path_of(chosen.await.ok().flatten())? else {
        return Ok(false);
    };
    let written = tauri::async_runtime::spawn_blocking(move || {
        atomic::write(&path, &bytes, Access::Shared).map_err(|error| (path, error.to_string()))
    });
    match written.await {
        Ok(Ok(())) => Ok(true),
        Ok(Err((path, reason))) => Err(failed("file_not_written", &reason, Some(path))),
        Err(error) => Err(failed("file_not_written", &error.to_string(), None)),
    }
}

#[tauri::command]
pub async fn copy_text(app: AppHandle, text: String) -> Answer {
    on_main_thread(&app, move || set_clipboard_text(&text)).await
}

/// The body is a PNG.
#[tauri::command]
pub async fn copy_image(app: AppHandle, request: Request<'_>) -> Answer {
    let bytes = body(&request)?.to_vec();
    on_main_thread(&app, move || set_clipboard_image(&bytes)).await
}

/// Opens an http or https address in the person's browser.
#[tauri::command]
pub async fn open_external(url: String) -> Answer {
    let url = web_address(&url).ok_or_else(|| failed("address_not_opened", &url, None))?;
    let opened =
        tauri::async_runtime::spawn_blocking(move || tauri_plugin_opener::open_url(url, None::<&str>));
    match opened.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(failed("address_not_opened", &error.to_string(), None)),
        Err(error) => Err(failed("address_not_opened", &error.to_string(), None)),
    }
}

#[tauri::command]
pub fn starts_at_login(app: AppHandle) -> Answer<bool> {
    app.autolaunch()
        .is_enabled()
        .map_err(|error| failed("login_start_failed", &error.to_string(), None))
}

#[tauri::command]
pub fn start_at_login(app: AppHandle, on: bool) -> Answer {
    let launch = app.autolaunch();
    let done = if on { launch.enable() } else { launch.disable() };
    done.map_err(|error| failed("login_start_failed", &error.to_string(), None))
}

/// Only addresses of the web leave the window, and whole: nothing is guessed.
pub fn web_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= URL_LIMIT)?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.to_string())
}

/// Called on the main thread.
#[cfg(target_os = "linux")]
pub fn set_clipboard_text(text: &str) -> Result<(), Failure> {
    clipboard()?.set_text(text);
    Ok(())
}

#[cfg(target_os = "linux")]
fn set_clipboard_image(png: &[u8]) -> Result<(), Failure> {
    use gtk::gdk_pixbuf::{PixbufLoader, prelude::PixbufLoaderExt};
    let refused = |error: gtk::glib::Error| clipboard_refused(&error.to_string());
    let loader = PixbufLoader::with_type("png").map_err(refused)?;
    loader.write(png).map_err(refused)?;
    loader.close().map_err(refused)?;
    let picture = loader.pixbuf().ok_or_else(|| clipboard_refused("no picture"))?;
    clipboard()?.set_image(&picture);
    Ok(())
}

#[cfg(target_os = "linux")]
fn clipboard() -> Result<gtk::Clipboard, Failure> {
    let display = gtk::gdk::Display::default().ok_or_else(|| clipboard_refused("no display"))?;
    gtk::Clipboard::default(&display).ok_or_else(|| clipboard_refused("no clipboard"))
}

/// Elsewhere the page's own way to the clipboard is as good.
#[cfg(not(target_os = "linux"))]
pub fn set_clipboard_text(_: &str) -> Result<(), Failure> {
    Err(clipboard_refused("this system"))
}

#[cfg(not(target_os = "linux"))]
fn set_clipboard_image(_: &[u8]) -> Result<(), Failure> {
    Err(clipboard_refused("this system"))
}

fn clipboard_refused(reason: &str) -> Failure {
    Failure::new("clipboard_refused").with("reason", reason)
}

/// The clipboard belongs to the thread of the window system.
async fn on_main_thread(
    app: &AppHandle,
    work: impl FnOnce() -> Result<(), Failure> + Send + 'static,
) -> Answer {
    let (send, done) = oneshot::channel();
    app.run_on_main_thread(move || {
        // Nobody waits any more when the page is gone.
        let _ = send.send(work());
    })
    .map_err(|error| coded(clipboard_refused(&error.to_string())))?;
    match done.await {
        Ok(done) => done.map_err(coded),
        Err(_) => Err(coded(clipboard_refused("the program ends"))),
    }
}

fn body<'r>(request: &'r Request<'_>) -> Answer<&'r [u8]> {
    match request.body() {
        InvokeBody::Raw(bytes) => Ok(bytes),
        InvokeBody::Json(_) => Err(failed("invalid_args", "the body is no bytes", None)),
    }
}

/// A dialog of the system before the window. It begins in the person's home: otherwise the system shows files
/// of late, which are no folders.
fn dialog(app: &AppHandle, window: &WebviewWindow, title: &str) -> FileDialogBuilder<Wry> {
    let dialog = app.dialog().file().set_parent(window).set_title(title);
    match app.path().home_dir() {
        Ok(home) => dialog.set_directory(home),
        Err(error) => {
            tracing::debug!(%error, "no home folder");
            dialog
        }
    }
}

fn path_of(chosen: Option<FilePath>) -> Answer<Option<PathBuf>> {
    chosen
        .map(FilePath::into_path)
        .transpose()
        .map_err(|error| failed("not_a_path", &error.to_string(), None))
}

fn failed(code: &str, reason: &str, path: Option<PathBuf>) -> WireError {
    let mut failure = Failure::new(code).with("reason", reason);
    if let Some(path) = path {
        failure = failure.with("path", path.to_string_lossy());
    }
    coded(failure)
}

/// A suggestion without folders and without what no file system takes.
fn file_name(encoded: &[u8]) -> String {
    percent_encoding::percent_decode(encoded)
        .decode_utf8_lossy()
        .chars()
        .map(|c| match c {
            '/' | '\\' => '-',
            c if c.is_control() => ' ',
            c => c,
        })
        .take(NAME_LIMIT)
        .collect::<String>()
        .trim_matches(['.', ' '])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        for good in [
            "https://example.org/a?b=1#c",
            "http://127.0.0.1:5621/",
            "HTTPS://EXAMPLE.ORG",
        ] {
            assert!(web_address(good).is_some(), "{good}");
        }
        let long = format!("https://example.org/{}", "a".repeat(URL_LIMIT));
        for bad in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "mailto:a@example.org",
            "tauri://localhost/",
            "/etc/passwd",
            "--help",
            "example.org",
            "",
            &long,
        ] {
            assert_eq!(web_address(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_window_is_named_in_one_line() {
        assert_eq!(window_title("工具 · Prompt\n Manager\0"), "工具 · Prompt Manager");
        assert_eq!(window_title(&"é".repeat(300)).chars().count(), TITLE_LIMIT);
    }

    #[test]
    fn names_of_files_keep_their_language() {
        assert_eq!(file_name("%E5%9B%BE%E7%89%87%201.png".as_bytes()), "图片 1.png");
        assert_eq!(file_name(b"../../etc/passwd"), "-..-etc-passwd");
        assert_eq!(file_name(b"..hidden."), "hidden");
    }

    proptest! {
        #[test]
        fn no_suggestion_names_a_folder(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let name = file_name(&bytes);
            prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'));
            prop_assert!(name.chars().count() <= NAME_LIMIT);
        }
    }
}
