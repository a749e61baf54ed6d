//! Which version of a package answers a range: npm's choice, which prefers `latest`, then versions
//! that are not deprecated and run on this Node.
//!
//! Deliberately not here: getting the list of versions (`registry`).

use crate::error::NpmError;
use crate::manifest::Manifest;
use crate::platform::Platform;
use crate::spec::Spec;
use nodejs_semver::{Range, Version};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The registry's document about a package; versions are read only when they are looked at.
#[derive(Deserialize)]
pub struct Packument {
    #[serde(default, rename = "dist-tags")]
    pub tags: HashMap<String, String>,
    #[serde(default)]
    pub versions: HashMap<String, Box<RawValue>>,
}

#[derive(Deserialize)]
struct Fitness {
    deprecated: Option<Value>,
    engines: Option<Value>,
}

impl Packument {
    pub fn pick(&self, name: &str, spec: &Spec, platform: &Platform) -> Result<Manifest, NpmError> {
        let none = |spec: &str| NpmError::NoVersion {
            name: name.to_owned(),
            spec: spec.to_owned(),
        };
        let version = match spec {
            Spec::Version(version) => self.exact(version).ok_or_else(|| none(version))?,
            Spec::Tag(tag) => {
                let version = self.tags.get(tag).ok_or_else(|| none(tag))?;
                self.exact(version).ok_or_else(|| none(tag))?
            }
            Spec::Range(range) => self.best(range, platform).ok_or_else(|| none(range))?,
            _ => return Err(none("?")),
        };
        self.manifest(name, version)
    }

    fn exact(&self, version: &str) -> Option<&str> {
        if let Some((key, _)) = self.versions.get_key_value(version) {
            return Some(key);
        }
        let wanted = Version::parse(version).ok()?;
        let mut keys = self.versions.keys();
        keys.find(|key| Version::parse(key).is_ok_and(|v| v == wanted))
            .map(String::as_str)
    }

    fn best(&self, range: &str, platform: &Platform) -> Option<&str> {
        let parsed = Range::parse(range).ok()?;
        let any = matches!(range.trim(), "" | "*");
        if let Some(latest) = self.tags.get("latest")
            && let Some(latest) = self.exact(latest)
            && (any || Version::parse(latest).is_ok_and(|v| parsed.satisfies(&v)))
        {
            let (current, runs) = self.fitness(latest, platform);
            if current && runs {
                return Some(latest);
            }
        }
        let fitting = self.versions.keys().filter_map(|key| {
            let version = Version::parse(key).ok()?;
            parsed.satisfies(&version).then_some((version, key))
        });
        fitting
            .map(|(version, key)| {
                let (current, runs) = self.fitness(key, platform);
                ((current && runs, runs, current, version), key)
            })
            .max_by(|(a, _), (b, _)| a.cmp(b))
            .map(|(_, key)| key.as_str())
    }

    /// Not deprecated; runs on this Node.
    fn fitness(&self, version: &str, platform: &Platform) -> (bool, bool) {
        let raw = self.versions.get(version);
        let Some(fitness) = raw.and_then(|raw| serde_json::from_str::<Fitness>(raw.get()).ok()) else {
            return (false, false);
        };
        let deprecated = match &fitness.deprecated {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        };
        (!deprecated, platform.runs(fitness.engines.as_ref()))
    }

    fn manifest(&self, name: &str, version: &str) -> Result<Manifest, NpmError> {
        let raw = self.versions.get(version).map_or("{}", |raw| raw.get());
        let fields = serde_json::from_str(raw).map_err(|error| NpmError::Network {
            name: name.to_owned(),
            reason: format!("its metadata cannot be read: {error}"),
        })?;
        let mut manifest = Manifest::new(name, fields);
        // The key rules: a registry cannot answer for another package or version.
        name.clone_into(&mut manifest.name);
        version.clone_into(&mut manifest.version);
        manifest.semver = Version::parse(version).ok();
        manifest.fields.insert("version".to_owned(), Value::from(version));
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn packument(value: Value) -> Packument {
        serde_json::from_str(&value.to_string()).unwrap()
    }

    fn here() -> Platform {
        Platform {
            os: "linux".into(),
            cpu: "x64".into(),
            libc: None,
            node: "20.0.0".into(),
        }
    }

    #[test]
    fn latest_first_then_what_is_fit() {
        let of = |latest: &str| {
            packument(json!({
                "dist-tags": {"latest": latest, "next": "3.0.0-rc.1"},
                "versions": {
                    "1.0.0": {}, "1.1.0": {}, "1.2.0": {"deprecated": "no"}, "1.3.0": {"engines": {"node": ">=22"}},
                    "2.0.0": {}, "3.0.0-rc.1": {}
                }
            }))
        };
        let pick = |latest: &str, spec: &str| {
            let picked = of(latest).pick("x", &Spec::parse(spec), &here());
            picked.map(|manifest| manifest.version).unwrap_or_default()
        };
        assert_eq!(
            pick("1.0.0", "^1.0.0"),
            "1.0.0",
            "latest satisfies: not the highest"
        );
        assert_eq!(
            pick("2.0.0", "^1.0.0"),
            "1.1.0",
            "neither deprecated nor for another Node"
        );
        assert_eq!(
            pick("2.0.0", "1.2.x"),
            "1.2.0",
            "deprecated is better than nothing"
        );
        assert_eq!(pick("2.0.0", "1.3.x"), "1.3.0", "and so is another Node");
        assert_eq!(pick("2.0.0", "*"), "2.0.0");
        assert_eq!(pick("2.0.0", "next"), "3.0.0-rc.1");
        assert_eq!(pick("2.0.0", "v1.1.0"), "1.1.0");
        assert_eq!(pick("2.0.0", ">=3"), "", "no prerelease for a plain range");
        assert_eq!(pick("2.0.0", "absent"), "");
    }
}
