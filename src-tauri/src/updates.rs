//! Newer versions, from the channel that `settings.json` names (`updates`: addresses and a public key). Where it names
//! none, nobody is asked anything.
//!
//! What a channel offers is not trusted: a package is installed when its signature is of that key, for that version.

use crate::call::coded;
use crate::known::Server;
use base::atomic::{self, Access};
use base::settings::UpdateSettings;
use base::{DataHome, Failure, Settings};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;
use tauri::{AppHandle, Manager, State, Url};
use tauri_plugin_updater::{Error, Update, UpdaterExt};
use tokio::sync::{Mutex, Notify};
use wire::WireError;

/// A channel that has not answered by then, or is silent for so long, is out of reach.
const LIMIT: Duration = Duration::from_secs(30);
/// A package that is larger is none of ours. It is held in memory until its signature is known.
const BYTES: usize = 512 * 1024 * 1024;

/// What was found last, and how far it is.
#[derive(Default)]
pub struct Found {
    /// Locked while it is installed: nothing else is done meanwhile.
    update: Mutex<Option<Update>>,
    fetching: std::sync::Mutex<Option<Fetching>>,
    /// Heard only while it is fetched: an installation is not left half done.
    given_up: Notify,
}

/// In bytes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Fetching {
    fetched: usize,
    /// Where the channel says it.
    total: Option<u64>,
}

/// What the page asks again and again while a version is installed.
#[derive(Debug, Serialize)]
pub struct Progress {
    busy: bool,
    /// What can still be given up.
    fetching: Option<Fetching>,
}

/// How the page stands when it comes.
#[derive(Debug, Serialize)]
pub struct Standing {
    /// There is a channel.
    channel: bool,
    /// A version is being installed, or looked for.
    busy: bool,
}

/// What the page shows.
#[derive(Debug, Serialize)]
pub struct Offer {
    /// There is a channel.
    channel: bool,
    update: Option<Offered>,
}

#[derive(Debug, Serialize)]
pub struct Offered {
    version: String,
    /// Markdown.
    notes: Option<String>,
}

/// Whether the file names a channel. A broken one is told when it is asked.
pub fn has_channel(home: &DataHome) -> bool {
    !matches!(channel(home), Ok(None))
}

#[tauri::command]
pub async fn update_channel(app: AppHandle) -> Result<Standing, WireError> {
    // Whoever edits the file looks here: the tray follows.
    app.state::<Arc<Server>>().offers.notify_one();
    let home = app.state::<DataHome>().inner().clone();
    let channel = tauri::async_runtime::spawn_blocking(move || has_channel(&home));
    Ok(Standing {
        channel: channel.await.map_err(|error| coded(not_checked(&error)))?,
        busy: app.state::<Found>().update.try_lock().is_err(),
    })
}

#[tauri::command]
pub fn update_progress(found: State<'_, Found>) -> Progress {
    Progress {
        busy: found.update.try_lock().is_err(),
        fetching: *found.fetching(),
    }
}

/// Gives up what is being fetched; nothing where nothing is.
#[tauri::command]
pub fn update_give_up(found: State<'_, Found>) {
    found.given_up.notify_waiters();
}

/// Asks the channel; nothing where there is none, and where it has nothing newer.
#[tauri::command]
pub async fn update_check(app: AppHandle) -> Result<Offer, WireError> {
    let state = app.state::<Found>();
    let mut found = state.update.try_lock().map_err(|_| coded(busy()))?;
    let update = look(&app).await.map_err(coded)?;
    let offer = Offer {
        channel: update.is_some(),
        update: update.iter().flatten().next().map(|update| Offered {
            version: update.version.clone(),
            notes: update.body.clone().filter(|notes| !notes.trim().is_empty()),
        }),
    };
    *found = update.flatten();
    Ok(offer)
}

/// Fetches what was found, holds it against the key, installs it and starts again.
#[tauri::command]
pub async fn update_install(app: AppHandle) -> Result<(), WireError> {
    let state = app.state::<Found>();
    let found = state.update.try_lock().map_err(|_| coded(busy()))?;
    let Some(update) = found.clone() else {
        return Err(coded(Failure::new("update_not_there")));
    };
    let package = state.fetch(&update).await;
    let done = match package {
        Ok(package) => install(update, package).await,
        Err(failure) => Err(failure),
    };
    if let Err(failure) = &done {
        tracing::warn!(code = failure.code, args = ?failure.args, "the newer version was not installed");
    }
    done.map_err(coded)?;
    // What it was started with does not hold for this start: the person waits for the window.
    let mark = mark(&app.state::<DataHome>());
    if let Err(error) = atomic::write(&mark, b"", Access::Private) {
        tracing::warn!(%error, "the window may stay in the tray");
    }
    app.restart()
}

impl Found {
    fn fetching(&self) -> MutexGuard<'_, Option<Fetching>> {
        self.fetching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The package, when its signature is right.
    async fn fetch(&self, update: &Update) -> Result<Vec<u8>, Failure> {
        let given_up = self.given_up.notified();
        *self.fetching() = Some(Fetching::default());
        let (mut fetched, too_large) = (0, Notify::new());
        let count = |bytes: usize, total| {
            fetched += bytes;
            *self.fetching() = Some(Fetching { fetched, total });
            if fetched > BYTES {
                too_large.notify_one();
            }
        };
        let package = tokio::select! {
            package = update.download(count, || ()) => package.map_err(|error| match error {
                Error::Reqwest(_) | Error::Network(_) => failed("update_not_fetched", &error),
                // What is left is what its signature is held against.
                other => failed("update_not_signed", &other),
            }),
            () = too_large.notified() => Err(failed("update_not_fetched", &format!("over {BYTES} bytes"))),
            () = given_up => Err(Failure::new("update_given_up")),
        };
        *self.fetching() = None;
        package
    }
}

async fn install(update: Update, package: Vec<u8>) -> Result<(), Failure> {
    // The system's own installer asks the person, and works meanwhile.
    let not_installed = |error: &dyn std::fmt::Display| failed("update_not_installed", error);
    tauri::async_runtime::spawn_blocking(move || update.install(package))
        .await
        .map_err(|error| not_installed(&error))?
        .map_err(|error| not_installed(&error))
}

/// Whether this start follows an update; says so once.
pub fn was_updated(home: &DataHome) -> bool {
    std::fs::remove_file(mark(home)).is_ok()
}

fn mark(home: &DataHome) -> PathBuf {
    home.window().join("updated")
}

fn failed(code: &'static str, reason: &dyn std::fmt::Display) -> Failure {
    Failure::new(code).with("reason", reason.to_string())
}

fn busy() -> Failure {
    Failure::new("update_running")
}

/// `None` without a channel, `Some(None)` when it has nothing newer.
async fn look(app: &AppHandle) -> Result<Option<Option<Update>>, Failure> {
    let home = app.state::<DataHome>().inner().clone();
    let read = tauri::async_runtime::spawn_blocking(move || channel(&home));
    let read = read.await.map_err(|error| not_checked(&error))?;
    let Some((endpoints, key)) = read? else {
        return Ok(None);
    };
    let updater = app
        .updater_builder()
        .pubkey(key)
        .endpoints(endpoints)
        .and_then(|builder| {
            let patient = |client: reqwest::ClientBuilder| client.connect_timeout(LIMIT).read_timeout(LIMIT);
            builder.timeout(LIMIT).configure_client(patient).build()
        })
        .map_err(|error| unclear(&error))?;
    updater
        .check()
        .await
        .map(Some)
        .map_err(|error| not_checked(&error))
}

/// What the file says now, not what it said at the start.
fn channel(home: &DataHome) -> Result<Option<(Vec<Url>, String)>, Failure> {
    let UpdateSettings {
        endpoints,
        public_key,
    } = Settings::load(&home.settings())?.updates;
    if endpoints.is_empty() {
        return Ok(None);
    }
    let key = public_key.ok_or_else(|| unclear(&"publicKey"))?;
    let endpoints = endpoints
        .iter()
        .map(|endpoint| Url::parse(endpoint).map_err(|error| unclear(&format!("{endpoint}: {error}"))))
        .collect::<Result<_, _>>()?;
    Ok(Some((endpoints, key)))
}

fn unclear(reason: &dyn std::fmt::Display) -> Failure {
    failed("update_channel_unclear", reason)
}

fn not_checked(reason: &dyn std::fmt::Display) -> Failure {
    failed("update_not_checked", reason)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "settings as a person writes them")]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Option<(Vec<Url>, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let home = DataHome::at(folder.path()).unwrap();
        std::fs::write(home.settings(), text).unwrap();
        channel(&home).map_err(|failure| failure.code)
    }

    #[test]
    fn a_channel_is_an_address_with_a_key() {
        assert_eq!(of("{}").unwrap(), None);
        assert_eq!(
            of(r#"{"updates":{"publicKey":"k"}}"#).unwrap(),
            None,
            "a key alone asks nobody"
        );
        let whole = r#"{"updates":{"endpoints":["https://example.org/{{target}}.json"],"publicKey":"k"}}"#;
        assert_eq!(of(whole).unwrap().unwrap().1, "k");
        for bad in [
            r#"{"updates":{"endpoints":["https://example.org"]}}"#,
            r#"{"updates":{"endpoints":["no address"],"publicKey":"k"}}"#,
        ] {
            assert_eq!(of(bad).unwrap_err(), "update_channel_unclear");
        }
    }
}
