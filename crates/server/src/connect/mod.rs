//! Connecting a client: its configuration shown, and on a person's word written into its own file, from
//! which it can be taken out again.
//!
//! Before a file is changed, it is copied as it is, and what will be written is noted, both in the data
//! home. Undoing gives the file back byte for byte while nobody else has changed it since; after that
//! it only takes our entry out, or puts back the one that stood in its place.
//!
//! Deliberately not here: what clients may do once they are connected (`tokens`, `mcp`).

#![allow(clippy::disallowed_methods, reason = "reads files of other programs")]

mod clients;
mod edit;

use crate::app::App;
use base::atomic::{self, Access};
use base::{DataHome, Failure};
use clients::{CLIENTS, Client, ENTRY};
use edit::Unreadable;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use wire::{ClientConfig, ClientState};

/// Bytes of a client's file; larger ones are no configuration.
const FILE: u64 = 8 * 1024 * 1024;

/// All that are known.
pub(crate) async fn list(app: &App) -> Result<Vec<ClientConfig>, Failure> {
    let seen = crate::calls::seen(app).await?;
    within(app, move |home| {
        CLIENTS.iter().map(|client| shown(client, home, &seen)).collect()
    })
    .await
}

/// Writes our entry into the client's file.
pub(crate) async fn write(app: &App, id: &str) -> Result<ClientConfig, Failure> {
    change(app, id, written).await
}

/// Takes it out again.
pub(crate) async fn undo(app: &App, id: &str) -> Result<ClientConfig, Failure> {
    change(app, id, undone).await
}

async fn change(
    app: &App,
    id: &str,
    work: fn(&Client, &DataHome) -> Result<(), Failure>,
) -> Result<ClientConfig, Failure> {
    let client = known(id)?;
    let seen = crate::calls::seen(app).await?;
    let _turn = app.inner.connecting.lock().await;
    within(app, move |home| {
        work(client, home)?;
        shown(client, home, &seen)
    })
    .await
}

fn known(id: &str) -> Result<&'static Client, Failure> {
    let found = CLIENTS.iter().find(|client| client.id == id);
    found.ok_or_else(|| {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        Failure::new("unknown_client")
            .with("name", id)
            .with("known", names.join(", "))
    })
}

async fn within<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&DataHome) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let home = app.inner.home.clone();
    crate::work::blocking(move || work(&home)).await?
}

fn program() -> Result<String, Failure> {
    let path = std::env::current_exe().map_err(|error| failed(Path::new("pm"), error))?;
    Ok(path.to_string_lossy().into_owned())
}

fn shown(client: &Client, home: &DataHome, seen: &BTreeMap<String, i64>) -> Result<ClientConfig, Failure> {
    let path = client.file()?;
    let wanted = client.entry(&program()?, home);
    let text = edit::put(client.format, "", client.section, ENTRY, Some(&wanted))
        .map_err(|error| unreadable(&path, error))?;
    let (state, problem) = match found(client, &path) {
        Ok(None) => (ClientState::Absent, None),
        Ok(Some(entry)) if entry == wanted => (ClientState::Written, None),
        Ok(Some(_)) => (ClientState::Different, None),
        Err(failure) => (ClientState::Unreadable, Some(failure)),
    };
    Ok(ClientConfig {
        client: client.id.to_owned(),
        file: path.to_string_lossy().into_owned(),
        text,
        state,
        problem: problem.map(|failure| {
            failure
                .arg("reason")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        }),
        installed: path.parent().is_some_and(Path::is_dir),
        can_undo: note_file(home, client).is_file(),
        seen: seen.get(client.id).map(|at| *at as f64),
    })
}

fn found(client: &Client, path: &Path) -> Result<Option<Value>, Failure> {
    match read(path)? {
        Some(file) => edit::get(client.format, &file.text, client.section, ENTRY)
            .map_err(|error| unreadable(path, error)),
        None => Ok(None),
    }
}

struct File {
    /// Behind links, so that a file that is kept elsewhere stays a link.
    path: PathBuf,
    text: String,
    mode: u32,
}

/// `None`: there is none.
fn read(path: &Path) -> Result<Option<File>, Failure> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            return Ok(None);
        }
        Err(error) => return Err(failed(path, error)),
    };
    let meta = fs::metadata(&real).map_err(|error| failed(path, error))?;
    if !meta.is_file() || meta.len() > FILE {
        return Err(unreadable(path, Unreadable(format!("{} bytes", meta.len()))));
    }
    let bytes = fs::read(&real).map_err(|error| failed(path, error))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable(path, Unreadable(error.to_string())))?;
    Ok(Some(File {
        path: real,
        text,
        mode: meta.permissions().mode() & 0o777,
    }))
}

/// What was done to a client's file, for as long as it can be undone.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// Whether there was a file before.
    existed: bool,
    /// The entry that stood in our place before.
    previous: Option<Value>,
    /// SHA-256 of the file as we left it; empty when the copy is not what was before.
    wrote: String,
}

fn note_file(home: &DataHome, client: &Client) -> PathBuf {
    home.clients().join(format!("{}.json", client.id))
}

/// The file as it was.
fn copy_file(home: &DataHome, client: &Client) -> PathBuf {
    home.clients().join(format!("{}.before", client.id))
}

fn hash(text: &str) -> String {
    base::text::hex(&Sha256::digest(text.as_bytes()))
}

fn note(home: &DataHome, client: &Client) -> Result<Option<Note>, Failure> {
    let path = note_file(home, client);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| unreadable(&path, Unreadable(error.to_string()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&path, error)),
    }
}

fn keep(home: &DataHome, client: &Client, note: &Note) -> Result<(), Failure> {
    let path = note_file(home, client);
    let bytes =
        serde_json::to_vec(note).map_err(|error| Failure::new("internal").detail(error.to_string()))?;
    atomic::write_with_dirs(&path, &bytes, Access::Private).map_err(|error| failed(&path, error))
}

fn written(client: &Client, home: &DataHome) -> Result<(), Failure> {
    let path = client.file()?;
    let before = read(&path)?;
    let text = before.as_ref().map_or("", |file| &file.text);
    let entry = client.entry(&program()?, home);
    let wrong = |error| unreadable(&path, error);
    let previous = edit::get(client.format, text, client.section, ENTRY).map_err(wrong)?;
    if previous.as_ref() == Some(&entry) {
        return Ok(());
    }
    let after = edit::put(client.format, text, client.section, ENTRY, Some(&entry)).map_err(wrong)?;
    // What is written is read back by the same rules before it replaces anything.
    if edit::get(client.format, &after, client.section, ENTRY).map_err(wrong)? != Some(entry) {
        return Err(wrong(Unreadable("the entry does not read back".to_owned())));
    }
    let wrote = hash(&after);
    let note = match note(home, client)? {
        // Ours already stands there, older: what was before it is still what undoing means. The copy is
        // that only while nobody else has changed the file.
        Some(old) if previous.is_some() => Note {
            wrote: if old.wrote == hash(text) {
                wrote
            } else {
                String::new()
            },
            ..old
        },
        _ => {
            let copy = copy_file(home, client);
            atomic::write_with_dirs(&copy, text.as_bytes(), Access::Private)
                .map_err(|error| failed(&copy, error))?;
            Note {
                existed: before.is_some(),
                previous,
                wrote,
            }
        }
    };
    keep(home, client, &note)?;
    let (target, access) = match &before {
        Some(file) => (&file.path, Access::Mode(file.mode)),
        None => (&path, Access::Private),
    };
    atomic::write_with_dirs(target, after.as_bytes(), access).map_err(|error| failed(&path, error))
}

fn undone(client: &Client, home: &DataHome) -> Result<(), Failure> {
    let path = client.file()?;
    let Some(note) = note(home, client)? else {
        return Err(Failure::new("client_not_written")
            .with("name", client.id)
            .with("path", path.to_string_lossy()));
    };
    if let Some(file) = read(&path)? {
        let io = |error| failed(&path, error);
        let copy = copy_file(home, client);
        match hash(&file.text) == note.wrote {
            true if note.existed => {
                let before = fs::read(&copy).map_err(|error| failed(&copy, error))?;
                atomic::write(&file.path, &before, Access::Mode(file.mode)).map_err(io)?;
            }
            true => {
                fs::remove_file(&file.path).map_err(io)?;
                if let Some(folder) = file.path.parent() {
                    atomic::sync_dir(folder).map_err(io)?;
                }
            }
            false => {
                let text = edit::put(
                    client.format,
                    &file.text,
                    client.section,
                    ENTRY,
                    note.previous.as_ref(),
                )
                .map_err(|error| unreadable(&path, error))?;
                atomic::write(&file.path, text.as_bytes(), Access::Mode(file.mode)).map_err(io)?;
            }
        }
    }
    for done in [note_file(home, client), copy_file(home, client)] {
        match fs::remove_file(&done) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&done, error)),
            _ => {}
        }
    }
    Ok(())
}

fn failed(path: &Path, error: io::Error) -> Failure {
    Failure::new("client_file_io")
        .with("path", path.to_string_lossy())
        .with("reason", error.to_string())
}

fn unreadable(path: &Path, error: Unreadable) -> Failure {
    Failure::new("client_file_unreadable")
        .with("path", path.to_string_lossy())
        .with("reason", error.0)
}
