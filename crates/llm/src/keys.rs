//! Keys of services, by name: a file that only its owner reads (0600 in a folder of 0700).
//!
//! Calls here read and write the file: callers on async threads move them off. Deliberately not here:
//! the system's keychain. `pm serve` runs where there is none (over ssh, as a service, in a
//! container), and the window and `pm` must find the same keys.

use crate::{Key, ModelError};
use base::atomic::{self, Access};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub struct Keys {
    path: PathBuf,
    /// One change at a time.
    changing: Mutex<()>,
}

impl Keys {
    /// Nothing is read or made yet.
    pub fn at(path: PathBuf) -> Self {
        Keys {
            path,
            changing: Mutex::new(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All of them. A missing file has none; a broken one is an error, never replaced.
    pub fn all(&self) -> Result<BTreeMap<String, Key>, ModelError> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(source) => return Err(self.io(source)),
        };
        // What the parser says of it may quote it.
        let found: BTreeMap<String, String> =
            serde_json::from_str(&text).map_err(|error| ModelError::KeysInvalid {
                path: self.path.clone(),
                line: error.line(),
                column: error.column(),
            })?;
        found
            .into_iter()
            .map(|(name, key)| Ok((name, Key::new(&key)?)))
            .collect()
    }

    pub fn get(&self, service: &str) -> Result<Option<Key>, ModelError> {
        Ok(self.all()?.remove(service))
    }

    pub fn set(&self, service: &str, key: Key) -> Result<(), ModelError> {
        self.change(|keys| {
            keys.insert(service.to_owned(), key);
        })
    }

    pub fn remove(&self, service: &str) -> Result<(), ModelError> {
        self.change(|keys| {
            keys.remove(service);
        })
    }

    /// The key goes with a service that gets another name.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), ModelError> {
        self.change(|keys| {
            if let Some(key) = keys.remove(from) {
                keys.insert(to.to_owned(), key);
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Key>)) -> Result<(), ModelError> {
        let _one: MutexGuard<'_, ()> = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.all()?;
        let mut keys = before.clone();
        change(&mut keys);
        if keys == before {
            return Ok(());
        }
        let plain: BTreeMap<&str, &str> = keys
            .iter()
            .map(|(name, key)| (name.as_str(), key.secret()))
            .collect();
        let text = format!("{:#}\n", serde_json::json!(plain));
        atomic::write_with_dirs(&self.path, text.as_bytes(), Access::Private)
            .map_err(|source| self.io(source))
    }

    fn io(&self, source: io::Error) -> ModelError {
        ModelError::KeysIo {
            path: self.path.clone(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn keys_are_kept_privately_and_go_with_their_service() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::at(dir.path().join("secrets/models.json"));
        assert_eq!(keys.get("a").unwrap(), None);
        keys.remove("a").unwrap();
        assert!(!keys.path().exists(), "nothing to keep");
        keys.set("a", Key::new("sk-1").unwrap()).unwrap();
        keys.set("b", Key::new("sk-2").unwrap()).unwrap();
        keys.rename("a", "c").unwrap();
        keys.rename("nobody", "b").unwrap();
        keys.remove("b").unwrap();
        let again = Keys::at(keys.path().to_owned());
        let all: Vec<_> = again.all().unwrap().into_keys().collect();
        assert_eq!(all, ["c"]);
        assert_eq!(again.get("c").unwrap().unwrap().secret(), "sk-1");
        let mode = std::fs::metadata(keys.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "spoils the file")]
    fn a_broken_file_is_said_without_its_words_and_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("models.json");
        for text in [
            "{\"a\": \"sk-secret\"",
            "{\"a\": [\"sk-secret\"]}",
            "\"sk-secret\"",
        ] {
            std::fs::write(&path, text).unwrap();
            let keys = Keys::at(path.clone());
            let error = keys.set("b", Key::new("x").unwrap()).unwrap_err();
            let said = base::Failure::of(&error);
            assert_eq!(said.code, "model_keys_invalid");
            assert!(!format!("{said:?}").contains("secret"), "{said:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
