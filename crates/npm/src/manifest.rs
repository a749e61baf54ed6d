//! What a package says of itself: the fields of `package.json`, of a version in the registry and of
//! an entry in the lock, brought into the one form that the lock has.
//!
//! Deliberately not here: choosing a version (`pick`), where it lies in the tree (`tree`).

use crate::error::NpmError;
use crate::integrity::Integrity;
use nodejs_semver::Version;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The fields that npm carries over into the lock.
const FIELDS: [&str; 17] = [
    "version",
    "dependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "optionalDependencies",
    "bundleDependencies",
    "acceptDependencies",
    "funding",
    "engines",
    "os",
    "cpu",
    "libc",
    "license",
    "hasInstallScript",
    "bin",
    "deprecated",
    "workspaces",
];

/// Why a package is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Prod,
    Dev,
    Optional,
    Peer,
    PeerOptional,
}

impl Kind {
    pub fn is_peer(self) -> bool {
        matches!(self, Kind::Peer | Kind::PeerOptional)
    }
    pub fn is_optional(self) -> bool {
        matches!(self, Kind::Optional | Kind::PeerOptional)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub semver: Option<Version>,
    /// As the lock has them.
    pub fields: Map<String, Value>,
    /// The address of the tarball, or `file:…`.
    pub resolved: Option<String>,
    pub integrity: Option<Integrity>,
}

impl Manifest {
    /// `name` where the fields have none.
    pub fn new(name: &str, mut raw: Map<String, Value>) -> Manifest {
        let text =
            |raw: &Map<String, Value>, key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = text(&raw, "name").unwrap_or_else(|| name.to_owned());
        let version = text(&raw, "version").unwrap_or_default();
        let dist = raw.get("dist").and_then(Value::as_object);
        let resolved = dist
            .and_then(|dist| text(dist, "tarball"))
            .or_else(|| text(&raw, "resolved"));
        let integrity = text(&raw, "integrity")
            .or_else(|| dist.and_then(|dist| text(dist, "integrity")))
            .and_then(|text| Integrity::parse(&text))
            .or_else(|| Integrity::from_shasum(&dist.and_then(|dist| text(dist, "shasum"))?));
        if has_install_script(&raw) {
            raw.insert("hasInstallScript".into(), Value::Bool(true));
        }
        let fields = fields(&name, raw);
        Manifest {
            semver: Version::parse(&version).ok(),
            name,
            version,
            fields,
            resolved,
            integrity,
        }
    }

    /// Every dependency: name, range, why. A name that stands in two lists counts once, as npm
    /// counts it.
    pub fn wants(&self) -> BTreeMap<String, (String, Kind)> {
        let mut wants = BTreeMap::new();
        let is_optional = |name: &str| {
            let meta = self
                .fields
                .get("peerDependenciesMeta")
                .and_then(|meta| meta.get(name));
            meta.and_then(|meta| meta.get("optional")) == Some(&Value::Bool(true))
        };
        for (name, range) in self.list("peerDependencies") {
            let kind = if is_optional(name) {
                Kind::PeerOptional
            } else {
                Kind::Peer
            };
            wants.insert(name.to_owned(), (range.to_owned(), kind));
        }
        for (list, kind) in [
            ("dependencies", Kind::Prod),
            ("optionalDependencies", Kind::Optional),
        ] {
            for (name, range) in self.list(list) {
                wants.insert(name.to_owned(), (range.to_owned(), kind));
            }
        }
        wants
    }

    pub fn list(&self, key: &str) -> impl Iterator<Item = (&str, &str)> {
        let map = self.fields.get(key).and_then(Value::as_object);
        map.into_iter()
            .flatten()
            .filter_map(|(name, range)| Some((name.as_str(), range.as_str()?)))
    }

    /// Names that lie in the tarball's own `node_modules`.
    pub fn bundled(&self) -> impl Iterator<Item = &str> {
        let names = self.fields.get("bundleDependencies").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str)
    }

    pub fn flag(&self, key: &str) -> bool {
        self.fields.get(key) == Some(&Value::Bool(true))
    }
}

fn has_install_script(raw: &Map<String, Value>) -> bool {
    let script = |name: &str| {
        let scripts = raw.get("scripts").and_then(|scripts| scripts.get(name));
        scripts
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty())
    };
    ["preinstall", "install", "postinstall"].into_iter().any(script)
}

fn fields(name: &str, mut raw: Map<String, Value>) -> Map<String, Value> {
    if let Some(bundle) = raw.remove("bundledDependencies") {
        raw.entry("bundleDependencies").or_insert(bundle);
    }
    if raw.get("bundleDependencies") == Some(&Value::Bool(true)) {
        let all = raw.get("dependencies").and_then(Value::as_object);
        let names = all.map(|all| all.keys().cloned().map(Value::String).collect());
        raw.insert(
            "bundleDependencies".into(),
            Value::Array(names.unwrap_or_default()),
        );
    }
    // The registry lists optional dependencies twice.
    if let Some(Value::Object(optional)) = raw.get("optionalDependencies").cloned()
        && let Some(Value::Object(plain)) = raw.get_mut("dependencies")
    {
        plain.retain(|name, _| !optional.contains_key(name));
    }
    let mut fields = Map::new();
    for key in FIELDS {
        let Some(value) = raw.remove(key) else { continue };
        let value = match key {
            "bin" => bins(name, value),
            "funding" => funding(value),
            "license" => match value {
                Value::Object(mut license) => license.remove("type").unwrap_or(Value::Null),
                other => other,
            },
            _ => value,
        };
        let is_empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            Value::Bool(true) | Value::Number(_) => false,
        };
        if !is_empty {
            fields.insert(key.to_owned(), value);
        }
    }
    fields
}

fn bins(name: &str, value: Value) -> Value {
    let plain = |path: &str| {
        let parts: Vec<&str> = path
            .split(['/', '\\'])
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        parts.join("/")
    };
    let own = name.rsplit('/').next().unwrap_or(name);
    match value {
        Value::String(path) => Value::Object(Map::from_iter([(own.to_owned(), Value::String(plain(&path)))])),
        Value::Object(map) => {
            let named = map.into_iter().filter_map(|(name, path)| {
                let base = name.rsplit(['/', '\\', ':']).next()?.to_owned();
                let is_name = !base.is_empty() && base != "." && base != "..";
                is_name.then_some((base, Value::String(plain(path.as_str()?))))
            });
            Value::Object(named.collect())
        }
        _ => Value::Null,
    }
}

fn funding(value: Value) -> Value {
    match value {
        // Strings within a list stay as they are.
        Value::String(url) => Value::Object(Map::from_iter([("url".to_owned(), Value::String(url))])),
        other => other,
    }
}

/// The `package.json` of the folder that is installed into.
#[derive(Clone, Debug)]
pub struct Project {
    pub manifest: Manifest,
    pub dev: BTreeMap<String, String>,
    pub overrides: Option<Value>,
    pub bytes: Vec<u8>,
    /// Fields of the root entry that only the root has, as they stand.
    pub raw: Map<String, Value>,
}

impl Project {
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Project, NpmError> {
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let raw: Map<String, Value> =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| NpmError::Format {
                path: path.to_owned(),
                reason: error.to_string(),
            })?;
        let dev = raw.get("devDependencies").and_then(Value::as_object);
        let dev = dev.into_iter().flatten();
        Ok(Project {
            manifest: Manifest::new("", raw.clone()),
            dev: dev
                .filter_map(|(name, range)| Some((name.clone(), range.as_str()?.to_owned())))
                .collect(),
            overrides: raw.get("overrides").cloned(),
            bytes,
            raw,
        })
    }

    pub fn wants(&self) -> BTreeMap<String, (String, Kind)> {
        let mut wants = self.manifest.wants();
        for (name, range) in &self.dev {
            wants.insert(name.clone(), (range.clone(), Kind::Dev));
        }
        wants
    }

    /// The indentation a person chose; npm writes the lock with the same.
    pub fn indent(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let mut lines = text.lines().skip(1);
        let indented = lines.find(|line| line.starts_with([' ', '\t']));
        let indent: String = indented
            .unwrap_or("  ")
            .chars()
            .take_while(|c| matches!(c, ' ' | '\t'))
            .take(10)
            .collect();
        indent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_form_for_what_registries_write() {
        let raw = json!({
            "name": "@s/tool", "version": "1.0.0", "bin": "./cli.js", "funding": "https://example.org",
            "license": {"type": "MIT", "url": "x"}, "scripts": {"postinstall": "evil"},
            "dependencies": {"a": "1", "o": "2"}, "optionalDependencies": {"o": "2"}, "engines": {},
            "dist": {"tarball": "https://example.org/t.tgz", "shasum": "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"}
        });
        let manifest = Manifest::new("x", raw.as_object().unwrap().clone());
        let fields = Value::Object(manifest.fields.clone());
        assert_eq!(
            fields,
            json!({
                "version": "1.0.0", "dependencies": {"a": "1"}, "optionalDependencies": {"o": "2"},
                "funding": {"url": "https://example.org"}, "license": "MIT", "hasInstallScript": true,
                "bin": {"tool": "cli.js"}
            })
        );
        assert!(manifest.integrity.unwrap().to_string().starts_with("sha1-"));
    }

    #[test]
    fn bins_stay_in_their_folders() {
        let raw = json!({"bin": {"../../x": "../../../etc/passwd", "..": "a.js", "ok": "./b/c.js"}});
        let manifest = Manifest::new("x", raw.as_object().unwrap().clone());
        assert_eq!(manifest.fields["bin"], json!({"x": "etc/passwd", "ok": "b/c.js"}));
    }

    #[test]
    fn the_later_list_rules() {
        let raw = json!({
            "peerDependencies": {"p": "1", "q": "2", "both": "1"}, "peerDependenciesMeta": {"q": {"optional": true}},
            "dependencies": {"both": "2"}
        });
        let wants = Manifest::new("x", raw.as_object().unwrap().clone()).wants();
        assert_eq!(wants["p"], ("1".into(), Kind::Peer));
        assert_eq!(wants["q"], ("2".into(), Kind::PeerOptional));
        assert_eq!(wants["both"], ("2".into(), Kind::Prod));
    }
}
