//! Lifecycle scripts of packages: which a package has, and which may run.
//!
//! Deliberately not here: running them. Nothing of this crate starts a process; whoever grants
//! scripts runs them behind walls ([`Scripts::run`]).

#![allow(clippy::disallowed_methods, reason = "reads manifests of the new tree")]

use crate::error::NpmError;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What npm runs for a dependency, in this order.
const EVENTS: [&str; 3] = ["preinstall", "install", "postinstall"];
/// What npm runs for a package that is to be compiled and has no `install` of its own.
const COMPILE: &str = "node-gyp rebuild";
/// A manifest is not longer.
const MANIFEST_LIMIT: u64 = 4 << 20;

/// The scripts that may run, and who runs them.
#[derive(Clone)]
pub struct Scripts {
    pub allowed: Vec<Allowed>,
    /// Runs one package's scripts. It may write below the package's folder, and only there.
    pub run: Run,
}

pub type Run = Arc<dyn Fn(Scripted) -> BoxFuture<'static, Result<(), NpmError>> + Send + Sync>;

/// A package whose scripts a person allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allowed {
    /// `name@version`.
    pub package: String,
    /// Other content under the same name is another package.
    pub integrity: String,
}

/// A package in its place of the new tree, with files of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripted {
    pub name: String,
    pub version: String,
    /// Absolute.
    pub folder: PathBuf,
    /// The `node_modules` that it lies in, at the top.
    pub tree: PathBuf,
    /// Event and text, in the order in which they are run.
    pub scripts: Vec<(&'static str, String)>,
}

/// The scripts of the package in this folder.
pub(crate) fn scripts_of(folder: &Path) -> Result<Vec<(&'static str, String)>, NpmError> {
    let path = folder.join("package.json");
    let failed = |error| NpmError::io(&path, error);
    if std::fs::metadata(&path).map_err(failed)?.len() > MANIFEST_LIMIT {
        return Err(NpmError::Format {
            path,
            reason: "too long".to_owned(),
        });
    }
    let bytes = std::fs::read(&path).map_err(failed)?;
    let manifest: Value = serde_json::from_slice(&bytes).map_err(|error| NpmError::Format {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    let text = |event: &str| {
        let script = manifest.get("scripts")?.get(event)?.as_str()?;
        (!script.trim().is_empty()).then(|| script.to_owned())
    };
    let mut scripts: Vec<_> = EVENTS
        .into_iter()
        .filter_map(|event| Some((event, text(event)?)))
        .collect();
    let compiles =
        folder.join("binding.gyp").is_file() && manifest.get("gypfile") != Some(&Value::Bool(false));
    if compiles && !scripts.iter().any(|(event, _)| *event != "postinstall") {
        scripts.insert(0, ("install", COMPILE.to_owned()));
    }
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_those_that_npm_would_run() {
        let of = |manifest: &str, gyp: bool| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("package.json"), manifest).unwrap();
            if gyp {
                std::fs::write(folder.path().join("binding.gyp"), "{}").unwrap();
            }
            scripts_of(folder.path()).map_err(|error| base::Coded::code(&error))
        };
        let named = |scripts: &[(&'static str, &str)]| -> Result<Vec<(&'static str, String)>, _> {
            Ok(scripts
                .iter()
                .map(|(event, text)| (*event, (*text).to_owned()))
                .collect())
        };
        let all = r#"{"scripts": {"postinstall": "c", "install": "b", "preinstall": "a", "prepare": "d", "test": "e"}}"#;
        assert_eq!(
            of(all, false),
            named(&[("preinstall", "a"), ("install", "b"), ("postinstall", "c")])
        );
        assert_eq!(of(all, true), of(all, false), "it compiles in its own way");
        assert_eq!(of("{}", false), named(&[]));
        assert_eq!(of("{}", true), named(&[("install", COMPILE)]));
        assert_eq!(of(r#"{"gypfile": false}"#, true), named(&[]));
        let after = r#"{"scripts": {"postinstall": "c", "install": " "}}"#;
        assert_eq!(
            of(after, true),
            named(&[("install", COMPILE), ("postinstall", "c")])
        );
        assert_eq!(of("[", false), Err("package_file_invalid"));
    }
}
