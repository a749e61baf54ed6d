//! What a folder's packages are: what the lock says of each, and what lies there.
//!
//! Deliberately not here: whether every file is right (`verify`).

#![allow(clippy::disallowed_methods, reason = "reads the lock")]

use crate::commit::read_stamp;
use crate::error::NpmError;
use crate::integrity::Integrity;
use crate::lock::{self, Lock};
use crate::platform::Platform;
use crate::store::PackageStore;
use crate::verify::version;
use serde_json::{Map, Value};
use std::path::Path;

#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// There is a lock.
    pub locked: bool,
    /// The tree was made here.
    pub stamped: bool,
    /// In the order of the lock.
    pub packages: Vec<Listed>,
}

/// A place in the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// `node_modules/a/node_modules/b`
    pub place: String,
    pub name: String,
    pub locked: String,
    pub installed: Option<String>,
    /// It is for another machine.
    pub elsewhere: bool,
    pub license: Option<String>,
    pub deprecated: Option<String>,
    pub integrity: Option<String>,
    /// Bytes of its files; unknown when it is not in the store.
    pub size: Option<u64>,
    /// It wants to run a script when it is installed.
    pub script: bool,
}

pub fn list(folder: &Path, store: &PackageStore, platform: &Platform) -> Result<Listing, NpmError> {
    let path = folder.join("package-lock.json");
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Listing::default()),
        Err(error) => return Err(NpmError::io(&path, error)),
    };
    let lock = Lock::parse(&path, &bytes)?.unwrap_or_default();
    let stamp = read_stamp(folder);
    let omits_dev = stamp.as_ref().is_some_and(|stamp| stamp.omits_dev);
    let is_omitted = |entry: &Value| omits_dev && entry.get("dev") == Some(&Value::Bool(true));
    let entries = lock.packages.iter();
    let entries = entries.filter(|(place, entry)| !place.is_empty() && !is_omitted(entry));
    let packages =
        entries.filter_map(|(place, entry)| listed(folder, store, platform, place, entry.as_object()?));
    Ok(Listing {
        locked: true,
        stamped: stamp.is_some(),
        packages: packages.collect(),
    })
}

fn listed(
    folder: &Path,
    store: &PackageStore,
    platform: &Platform,
    place: &str,
    entry: &Map<String, Value>,
) -> Option<Listed> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let integrity = text("integrity");
    let package = integrity
        .as_deref()
        .and_then(Integrity::parse)
        .and_then(|integrity| store.look(&integrity));
    Some(Listed {
        name: text("name").or_else(|| lock::names(place)?.last().map(|name| (*name).to_owned()))?,
        locked: text("version").unwrap_or_default(),
        installed: version(&folder.join(place)),
        elsewhere: !platform.accepts(entry),
        license: text("license"),
        deprecated: text("deprecated"),
        size: package.map(|package| package.size()),
        script: entry.get("hasInstallScript") == Some(&Value::Bool(true)),
        place: place.to_owned(),
        integrity,
    })
}
