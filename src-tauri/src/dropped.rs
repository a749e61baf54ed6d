//! What the person lets fall on the window. The page is led to a question about it: what a file is good for is its
//! to know. It may read what fell last, and nothing else.

use crate::call::coded;
use crate::tray;
use base::Failure;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::ipc::Response;
use tauri::{AppHandle, DragDropEvent, Manager, State, WebviewWindow, WindowEvent};
use wire::WireError;

/// Wherever the page is, it asks what is to be done with what fell.
const PLACE: &str = "?dropped=1";
/// Who lets more fall than anybody would answer for is asked about the first.
const MOST: usize = 20;
/// Bytes that are read of a file.
const READ_LIMIT: u64 = 8 << 20;

/// What fell last.
#[derive(Default)]
pub struct Dropped(Mutex<Vec<PathBuf>>);

impl Dropped {
    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fell(&self, paths: &[PathBuf]) {
        *self.lock() = paths.iter().take(MOST).cloned().collect();
    }

    fn has(&self, path: &Path) -> bool {
        self.lock().iter().any(|one| one == path)
    }
}

/// As the page sees it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Thing {
    path: String,
    folder: bool,
}

/// Listens for what falls on the window.
pub fn listen(window: &WebviewWindow) {
    let app = window.app_handle().clone();
    window.on_window_event(move |event| {
        if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event
            && !paths.is_empty()
        {
            app.state::<Dropped>().fell(paths);
            tray::show_place(&app, PLACE);
        }
    });
}

/// What fell last; what is no text as a path cannot be named to anybody.
#[tauri::command]
pub async fn dropped(app: AppHandle) -> Result<Vec<Thing>, WireError> {
    let paths = app.state::<Dropped>().lock().clone();
    let looked =
        tauri::async_runtime::spawn_blocking(move || paths.iter().filter_map(|path| thing(path)).collect());
    looked
        .await
        .map_err(|error| unread(&error.to_string(), Path::new("")))
}

fn thing(path: &Path) -> Option<Thing> {
    Some(Thing {
        path: path.to_str()?.to_owned(),
        folder: path.is_dir(),
    })
}

/// The bytes of a file that fell.
#[tauri::command]
pub async fn read_dropped(dropped: State<'_, Dropped>, path: PathBuf) -> Result<Response, WireError> {
    if !dropped.has(&path) {
        return Err(unread("it did not fall on the window", &path));
    }
    let file = path.clone();
    let read = tauri::async_runtime::spawn_blocking(move || read(&file));
    match read.await {
        Ok(Ok(Some(bytes))) => Ok(Response::new(bytes)),
        Ok(Ok(None)) => Err(coded(
            Failure::new("dropped_too_large")
                .with("path", path.to_string_lossy())
                .with("megabytes", READ_LIMIT >> 20),
        )),
        Ok(Err(error)) => Err(unread(&error.to_string(), &path)),
        Err(error) => Err(unread(&error.to_string(), &path)),
    }
}

/// `None` where there is more than may be read.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(READ_LIMIT + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= READ_LIMIT).then_some(bytes))
}

fn unread(reason: &str, path: &Path) -> WireError {
    let failure = Failure::new("dropped_not_read").with("reason", reason);
    coded(failure.with("path", path.to_string_lossy()))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "writes files as a person would")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_fell_last_is_known_and_no_more_than_one_would_answer_for() {
        let dropped = Dropped::default();
        let paths: Vec<PathBuf> = (0..50).map(|nth| format!("/tmp/{nth}").into()).collect();
        dropped.fell(&paths);
        assert!(dropped.has(&paths[0]) && !dropped.has(&paths[MOST]));
        dropped.fell(&paths[30..31]);
        assert!(!dropped.has(&paths[0]) && dropped.has(&paths[30]));
    }

    #[test]
    fn folders_and_files_are_told_apart_and_large_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.png");
        fs::write(&file, b"png").unwrap();
        assert!(!thing(&file).unwrap().folder);
        assert!(thing(folder.path()).unwrap().folder);
        assert_eq!(read(&file).unwrap(), Some(b"png".to_vec()));
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_len(READ_LIMIT + 1)
            .unwrap();
        assert_eq!(read(&file).unwrap(), None);
        assert!(read(&folder.path().join("none")).is_err());
    }
}
