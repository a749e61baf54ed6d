//! What a tree has that its lock does not say, and the other way round.
//!
//! Deliberately not here: repairing (an install does).

#![allow(clippy::disallowed_methods, reason = "reads node_modules")]

use crate::commit::read_stamp;
use crate::error::NpmError;
use crate::integrity::Integrity;
use crate::lock::Lock;
use crate::platform::Platform;
use crate::store::{PackageStore, hash_of};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Difference {
    Missing {
        path: String,
    },
    Extraneous {
        path: String,
    },
    Version {
        path: String,
        locked: String,
        found: String,
    },
    /// A file is not as the package has it.
    Changed {
        path: String,
    },
}

/// Compares `folder/node_modules` with `folder/package-lock.json`.
pub fn verify(folder: &Path, store: &PackageStore, platform: &Platform) -> Result<Vec<Difference>, NpmError> {
    let path = folder.join("package-lock.json");
    let bytes = fs::read(&path).map_err(|error| NpmError::io(&path, error))?;
    let lock = Lock::parse(&path, &bytes)?.unwrap_or_default();
    let omits_dev = read_stamp(folder).is_some_and(|stamp| stamp.omits_dev);
    let mut differences = Vec::new();
    let mut expected = BTreeSet::new();
    for (at, entry) in &lock.packages {
        let Some(entry) = entry.as_object().filter(|_| !at.is_empty()) else {
            continue;
        };
        expected.insert(at.clone());
        let place = folder.join(at);
        let Some(found) = version(&place) else {
            let is = |key: &str| entry.get(key) == Some(&Value::Bool(true));
            let may_miss = is("optional") || is("devOptional") || (omits_dev && is("dev"));
            if !may_miss && platform.accepts(entry) {
                differences.push(Difference::Missing { path: at.clone() });
            }
            continue;
        };
        let locked = entry.get("version").and_then(Value::as_str).unwrap_or_default();
        if found != locked {
            differences.push(Difference::Version {
                path: at.clone(),
                locked: locked.to_owned(),
                found,
            });
            continue;
        }
        let integrity = entry
            .get("integrity")
            .and_then(Value::as_str)
            .and_then(Integrity::parse);
        if let Some(package) = integrity.and_then(|integrity| store.get(&integrity)) {
            for file in package.files() {
                if hash_of(&place.join(&file.path)).map_or(true, |hash| hash != file.sha256) {
                    differences.push(Difference::Changed {
                        path: format!("{at}/{}", file.path),
                    });
                }
            }
        }
    }
    for path in installed(folder, "node_modules") {
        if !expected.contains(&path) {
            differences.push(Difference::Extraneous { path });
        }
    }
    differences.sort();
    Ok(differences)
}

pub(crate) fn version(place: &Path) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(place.join("package.json")).ok()?).ok()?;
    manifest.get("version")?.as_str().map(str::to_owned)
}

/// Places of packages below a `node_modules`.
fn installed(folder: &Path, modules: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in names(&folder.join(modules)) {
        let packages = match name.strip_prefix('@') {
            Some(_) => names(&folder.join(modules).join(&name))
                .into_iter()
                .map(|own| format!("{name}/{own}"))
                .collect(),
            None => vec![name],
        };
        for package in packages {
            let place = format!("{modules}/{package}");
            found.extend(installed(folder, &format!("{place}/node_modules")));
            if folder.join(&place).join("package.json").is_file() {
                found.push(place);
            }
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect()
}
