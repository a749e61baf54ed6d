//! Keys of services, by name: a file that only its owner reads (0600 in a folder of 0700) and that names
//! them; the vault keeps them, unless the settings want them in the file itself.
//!
//! Calls here read and write files and may wait for a keychain: callers on async threads move them off.
//! Deliberately not here: which keychain, and what protects them where there is none (`secrets`).

use crate::{Key, ModelError};
use base::atomic::{self, Access};
use secrets::{Owner, Patience, Reference, Vault};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the file says: keys, or references to them.
type Written = BTreeMap<String, String>;

pub struct Keys {
    path: PathBuf,
    vault: Arc<Vault>,
    /// One change at a time.
    changing: Mutex<()>,
}

impl Keys {
    /// Nothing is read or made yet.
    pub fn at(path: PathBuf, vault: Arc<Vault>) -> Self {
        Keys {
            path,
            vault,
            changing: Mutex::new(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Services that have one. A missing file has none; a broken one is an error, never replaced.
    pub fn names(&self) -> Result<BTreeSet<String>, ModelError> {
        Ok(self.written()?.into_keys().collect())
    }

    /// All that can be had without anybody's help, for masking.
    pub fn all(&self) -> Result<Vec<Key>, ModelError> {
        let mut all = Vec::new();
        for (name, written) in self.written()? {
            match self.opened(&name, &written, Patience::Short) {
                Ok(key) => all.push(key),
                Err(error) => {
                    tracing::warn!(service = name, error = %base::failure::chain(&error), "a key is not known");
                }
            }
        }
        Ok(all)
    }

    pub fn get(&self, service: &str) -> Result<Option<Key>, ModelError> {
        match self.written()?.get(service) {
            Some(written) => self.opened(service, written, Patience::Person).map(Some),
            None => Ok(None),
        }
    }

    pub fn set(&self, service: &str, key: Key) -> Result<(), ModelError> {
        let _one = self.one();
        self.put(service, &key)
    }

    pub fn remove(&self, service: &str) -> Result<(), ModelError> {
        let _one = self.one();
        self.change(|written| {
            written.remove(service);
        })
    }

    /// The key goes with a service that gets another name.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), ModelError> {
        let _one = self.one();
        let Some(written) = self.written()?.remove(from) else {
            return Ok(());
        };
        let key = self.opened(from, &written, Patience::Person)?;
        self.put(to, &key)?;
        self.change(|written| {
            written.remove(from);
        })
    }

    /// Moves keys that stand in the file to where new ones go. How many. This file is the program's own:
    /// nobody is asked.
    pub fn move_plain(&self) -> Result<usize, ModelError> {
        let _one = self.one();
        let written = self.written()?.into_iter();
        let plain: Vec<_> = written
            .filter(|(_, written)| reference(written).is_none())
            .collect();
        if plain.is_empty() || self.vault.place().is_none() {
            return Ok(0);
        }
        for (name, key) in &plain {
            self.put(name, &Key::new(key)?)?;
        }
        Ok(plain.len())
    }

    /// What the file names in the vault.
    pub fn references(&self) -> Result<HashSet<Reference>, ModelError> {
        let written = self.written()?;
        Ok(written
            .values()
            .filter_map(|written| reference(written))
            .collect())
    }

    fn one(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vault first: what the file names is there.
    fn put(&self, service: &str, key: &Key) -> Result<(), ModelError> {
        if let Some(now) = self.written()?.get(service)
            && self
                .opened(service, now, Patience::Person)
                .is_ok_and(|now| now == *key)
            && reference(now).is_some()
        {
            return Ok(());
        }
        let kept = self.vault.keep(&Owner::model(service), key.secret())?;
        let text = kept
            .as_ref()
            .map_or_else(|| key.secret().to_owned(), ToString::to_string);
        let changed = self.change(|written| {
            written.insert(service.to_owned(), text);
        });
        if let (Err(_), Some(kept)) = (&changed, kept) {
            self.vault.forget(&[(Owner::model(service), kept)])?;
        }
        changed
    }

    fn opened(&self, service: &str, written: &str, patience: Patience) -> Result<Key, ModelError> {
        match reference(written) {
            Some(named) => Key::new(&self.vault.read(&Owner::model(service), &named, patience)?),
            None => Key::new(written),
        }
    }

    fn written(&self) -> Result<Written, ModelError> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::new()),
            Err(source) => return Err(self.io(source)),
        };
        // What the parser says of it may quote it.
        serde_json::from_str(&text).map_err(|error| ModelError::KeysInvalid {
            path: self.path.clone(),
            line: error.line(),
            column: error.column(),
        })
    }

    /// What the file no longer names leaves the vault when the file is written.
    fn change(&self, change: impl FnOnce(&mut Written)) -> Result<(), ModelError> {
        let before = self.written()?;
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return Ok(());
        }
        let text = format!("{:#}\n", serde_json::json!(after));
        atomic::write_with_dirs(&self.path, text.as_bytes(), Access::Private)
            .map_err(|source| self.io(source))?;
        let gone = before
            .iter()
            .filter(|(name, written)| after.get(*name) != Some(*written));
        let gone: Vec<_> = gone
            .filter_map(|(name, written)| Some((Owner::model(name), reference(written)?)))
            .collect();
        // The file is written, and what it says is done: what stays in the vault is swept.
        if let Err(error) = self.vault.forget(&gone) {
            tracing::warn!(error = %base::failure::chain(&error), "a key that nothing names stays for now");
        }
        Ok(())
    }

    fn io(&self, source: io::Error) -> ModelError {
        ModelError::KeysIo {
            path: self.path.clone(),
            source,
        }
    }
}

fn reference(written: &str) -> Option<Reference> {
    written.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::settings::SecretsIn;
    use std::os::unix::fs::PermissionsExt;

    fn keys(folder: &Path, setting: SecretsIn) -> Keys {
        let vault = Vault::at(folder.join("secrets"), setting);
        Keys::at(folder.join("secrets/models.json"), Arc::new(vault))
    }

    fn secret(keys: &Keys, service: &str) -> Option<String> {
        keys.get(service).unwrap().map(|key| key.secret().to_owned())
    }

    #[test]
    fn keys_are_kept_privately_and_go_with_their_service() {
        for setting in [SecretsIn::File, SecretsIn::Env] {
            let dir = tempfile::tempdir().unwrap();
            let there = keys(dir.path(), setting);
            assert_eq!(there.get("a").unwrap(), None);
            there.remove("a").unwrap();
            assert!(!there.path().exists(), "nothing to keep");
            there.set("a", Key::new("sk-1111").unwrap()).unwrap();
            there.set("b", Key::new("sk-2222").unwrap()).unwrap();
            there.rename("a", "c").unwrap();
            there.rename("nobody", "b").unwrap();
            there.remove("b").unwrap();
            let again = keys(dir.path(), setting);
            assert_eq!(again.names().unwrap().into_iter().collect::<Vec<_>>(), ["c"]);
            assert_eq!(secret(&again, "c").unwrap(), "sk-1111");
            let mode = std::fs::metadata(again.path()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let text = std::fs::read_to_string(again.path()).unwrap();
            assert_eq!(text.contains("sk-1111"), setting == SecretsIn::Env, "{text}");
            let named = again.references().unwrap().len();
            assert_eq!(named, usize::from(setting == SecretsIn::File));
            // What is not named any more is not kept either.
            assert_eq!(again.vault.is_empty().unwrap(), named == 0);
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "an older program's file")]
    fn plain_keys_move_once() {
        let dir = tempfile::tempdir().unwrap();
        let before = keys(dir.path(), SecretsIn::Env);
        for name in ["a", "b"] {
            before
                .set(name, Key::new(&format!("sk-{name}-plain")).unwrap())
                .unwrap();
        }
        assert_eq!(before.move_plain().unwrap(), 0, "they are to stay");
        let now = keys(dir.path(), SecretsIn::File);
        assert_eq!(secret(&now, "a").unwrap(), "sk-a-plain");
        assert_eq!(now.move_plain().unwrap(), 2);
        assert_eq!(now.move_plain().unwrap(), 0);
        let text = std::fs::read_to_string(now.path()).unwrap();
        assert!(!text.contains("plain"), "{text}");
        let again = keys(dir.path(), SecretsIn::Env);
        assert_eq!(secret(&again, "b").unwrap(), "sk-b-plain");
        // Copied to another service, a reference is of no use.
        std::fs::write(again.path(), text.replace("\"a\"", "\"z\"")).unwrap();
        let lost = keys(dir.path(), SecretsIn::Env).get("z").unwrap_err();
        assert_eq!(base::Failure::of(&lost).code, "secret_missing");
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "spoils the file")]
    fn a_broken_file_is_said_without_its_words_and_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        for text in [
            "{\"a\": \"sk-hidden\"",
            "{\"a\": [\"sk-hidden\"]}",
            "\"sk-hidden\"",
        ] {
            let keys = keys(dir.path(), SecretsIn::File);
            std::fs::create_dir_all(keys.path().parent().unwrap()).unwrap();
            std::fs::write(keys.path(), text).unwrap();
            let error = keys.set("b", Key::new("x").unwrap()).unwrap_err();
            let said = base::Failure::of(&error);
            assert_eq!(said.code, "model_keys_invalid");
            assert!(!format!("{said:?}").contains("hidden"), "{said:?}");
            assert_eq!(std::fs::read_to_string(keys.path()).unwrap(), text);
        }
    }
}
