//! `package-lock.json`, version 3: read, and written byte for byte as npm writes it.
//!
//! Deliberately not here: what belongs in it (`flags`, `install`), where the file lies.

use crate::collate;
use crate::error::NpmError;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;

/// Entries by path (`""`, `node_modules/a`, `node_modules/a/node_modules/b`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    pub name: Option<String>,
    pub version: Option<String>,
    pub packages: Map<String, Value>,
}

/// What npm puts first in every object.
const FIRST: [&str; 8] = [
    "name",
    "version",
    "lockfileVersion",
    "resolved",
    "integrity",
    "requires",
    "packages",
    "dependencies",
];

impl Lock {
    /// `None` for the old versions 1 and 2 without `packages`: they are resolved anew.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Option<Lock>, NpmError> {
        let wrong = |reason: String| NpmError::Format {
            path: path.to_owned(),
            reason,
        };
        let raw: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        let Some(packages) = raw.get("packages").and_then(Value::as_object) else {
            return Ok(None);
        };
        for (at, entry) in packages {
            if !entry.is_object() {
                return Err(wrong(format!("{at} is no object")));
            }
            if !at.is_empty() && names(at).is_none() {
                return Err(wrong(format!("{at} is no path below node_modules")));
            }
        }
        let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
        Ok(Some(Lock {
            name: text("name"),
            version: text("version"),
            packages: packages.clone(),
        }))
    }

    /// With the indentation of `package.json`, as npm does.
    pub fn bytes(&self, indent: &str) -> Vec<u8> {
        let mut top = Map::new();
        for (key, value) in [("name", &self.name), ("version", &self.version)] {
            if let Some(value) = value {
                top.insert(key.to_owned(), Value::from(value.as_str()));
            }
        }
        top.insert("lockfileVersion".to_owned(), Value::from(3));
        top.insert("requires".to_owned(), Value::Bool(true));
        top.insert("packages".to_owned(), Value::Object(self.packages.clone()));
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // A map of strings and plain values into memory has no way to fail.
        let _ = sorted(&Value::Object(top)).serialize(&mut serializer);
        bytes.push(b'\n');
        bytes
    }
}

/// The package names along a path of the lock; `None` where it is not below `node_modules`.
pub fn names(path: &str) -> Option<Vec<&str>> {
    let rest = path.strip_prefix("node_modules/")?;
    let names: Vec<&str> = rest.split("/node_modules/").collect();
    names
        .iter()
        .all(|name| crate::is_package_name(name))
        .then_some(names)
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|(a, av), (b, bv)| {
                let place = |key: &str| {
                    FIRST
                        .iter()
                        .position(|first| *first == key)
                        .unwrap_or(FIRST.len())
                };
                av.is_object()
                    .cmp(&bv.is_object())
                    .then_with(|| place(a).cmp(&place(b)))
                    .then_with(|| collate::compare(a, b))
            });
            entries
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As npm 11 wrote it.
    const NPMS: &str = r#"{
  "name": "fixture",
  "version": "1.0.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {
      "name": "fixture",
      "version": "1.0.0",
      "dependencies": {
        "send": "0.18.0"
      }
    },
    "node_modules/debug": {
      "version": "2.6.9",
      "integrity": "sha512-bC7ElrdJaJnPbAP+1EotYvqZsb3ecl5wi6Bfi6BJTUcNowp6cvspg0jXznRTKDjm/E7AdgFBVeAPVMNcKGsHMA==",
      "license": "MIT",
      "dependencies": {
        "ms": "2.0.0"
      }
    },
    "node_modules/debug/node_modules/ms": {
      "version": "2.0.0",
      "integrity": "sha512-Tpp60P6IUJDTuOq/5Z8cdskzJujfwqfOTkrwIwj7IRISpnkJnT6SyJ4PCPnGMoFjC9ddhal5KVIYtAt97ix05A==",
      "license": "MIT"
    }
  }
}
"#;

    #[test]
    fn npms_file_comes_back_byte_for_byte() {
        let lock = Lock::parse(Path::new("l"), NPMS.as_bytes()).unwrap().unwrap();
        assert_eq!(String::from_utf8(lock.bytes("  ")).unwrap(), NPMS);
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        for path in [
            "../x",
            "node_modules/../x",
            "packages/a",
            "node_modules/a/node_modules/..",
            "/etc",
        ] {
            let text = format!(r#"{{"packages": {{"{path}": {{}}}}}}"#);
            assert!(Lock::parse(Path::new("l"), text.as_bytes()).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            entries in proptest::collection::btree_map("[a-z][a-z0-9._-]{0,8}", "[0-9]\\.[0-9]\\.[0-9]", 0..12),
            tabs in any::<bool>(),
        ) {
            let mut lock = Lock { name: Some("x".into()), version: None, ..Lock::default() };
            for (name, version) in entries {
                lock.packages.insert(format!("node_modules/{name}"), serde_json::json!({"version": version}));
            }
            let bytes = lock.bytes(if tabs { "\t" } else { "  " });
            let back = Lock::parse(Path::new("l"), &bytes).unwrap().unwrap();
            prop_assert_eq!(&back, &lock);
            prop_assert_eq!(back.bytes(if tabs { "\t" } else { "  " }), bytes);
        }
    }
}
