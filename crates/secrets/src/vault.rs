use crate::error::SecretError;
use crate::file::{Files, Row};
use crate::keychain::{Keychain, Trouble};
use crate::reference::{Owner, Place, Reference};
use base::clock;
use base::settings::SecretsIn;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of one value: a file of credentials, and not an archive.
const LONGEST: usize = 64 * 1024;

/// How long a keychain is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Not at all: what is known, or lies in the file.
    Never,
    /// Nobody has asked for anything.
    Short,
    /// Somebody waits for what he asked for, and may have to unlock the keychain.
    Person,
}

/// The secrets of one data home.
pub struct Vault {
    files: Files,
    keychain: Keychain,
    setting: Mutex<SecretsIn>,
    /// One change at a time.
    changing: Mutex<()>,
    /// What was read or kept before, by id: a reference never stands for another value. For as long as
    /// the process lives, which masks all of it in what it writes.
    known: Mutex<HashMap<String, (Owner, String)>>,
}

impl Vault {
    /// Nothing is read, made or asked for yet. `folder` is the data home's, for its person alone.
    pub fn at(folder: PathBuf, setting: SecretsIn) -> Self {
        Vault::with(folder, setting, Keychain::system())
    }

    fn with(folder: PathBuf, setting: SecretsIn, keychain: Keychain) -> Self {
        Vault {
            files: Files::at(folder),
            keychain,
            setting: Mutex::new(setting),
            changing: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// What a person changed holds for what is kept from now on.
    pub fn follow(&self, setting: SecretsIn) {
        *locked(&self.setting) = setting;
    }

    /// Where a new value goes; `None`: it stays where it is needed, as it is.
    pub fn place(&self) -> Option<Place> {
        let setting = *locked(&self.setting);
        match setting {
            SecretsIn::Env => None,
            SecretsIn::File => Some(Place::File),
            SecretsIn::Keychain => Some(Place::Keychain),
            SecretsIn::Auto => Some(match self.keychain.there() {
                Ok(()) => Place::Keychain,
                Err(_) => Place::File,
            }),
        }
    }

    /// Keeps a value. `None`: a person wants it where it is needed.
    pub fn keep(&self, of: &Owner, value: &str) -> Result<Option<Reference>, SecretError> {
        if value.len() > LONGEST {
            return Err(SecretError::TooLong { limit: LONGEST });
        }
        let Some(place) = self.place() else {
            return Ok(None);
        };
        let _one = locked(&self.changing);
        let kept = match place {
            Place::File => self.keep_in_file(of, value)?,
            Place::Keychain => match self.keep_in_keychain(of, value) {
                Ok(reference) => reference,
                Err(Unkept::Failed(error)) => return Err(error),
                // What is chosen by itself may be chosen anew; what a person chose may not.
                Err(Unkept::Keychain(trouble)) if *locked(&self.setting) == SecretsIn::Auto => {
                    tracing::warn!(
                        reason = trouble.reason(),
                        "the keychain takes no secret: it is kept in the file"
                    );
                    self.keep_in_file(of, value)?
                }
                Err(Unkept::Keychain(trouble)) => {
                    let reason = trouble.reason();
                    return Err(SecretError::NoKeychain { reason });
                }
            },
        };
        self.know(&kept, of, value);
        Ok(Some(kept))
    }

    /// The value that the reference names for its owner.
    pub fn read(&self, of: &Owner, reference: &Reference, patience: Patience) -> Result<String, SecretError> {
        if let Some((whose, value)) = locked(&self.known).get(&reference.id) {
            return match whose == of {
                true => Ok(value.clone()),
                false => Err(SecretError::missing(of, reference.place)),
            };
        }
        let value = match reference.place {
            Place::File => {
                let book = self.files.read()?;
                let row = book.rows.get(&reference.id).filter(|row| row.of == of.key());
                let sealed = row.and_then(|row| row.sealed.as_ref());
                let sealed = sealed.ok_or_else(|| SecretError::missing(of, Place::File))?;
                self.files.open(of, &reference.id, sealed)?
            }
            Place::Keychain if patience == Patience::Never => {
                return Err(SecretError::Unavailable {
                    of: of.name().to_owned(),
                    reason: "it was not asked".to_owned(),
                });
            }
            Place::Keychain => match self.keychain.get(entry(of, &reference.id), patience) {
                Ok(value) => value,
                Err(Trouble::Missing) => return Err(SecretError::missing(of, Place::Keychain)),
                Err(trouble) => {
                    return Err(SecretError::Unavailable {
                        of: of.name().to_owned(),
                        reason: trouble.reason(),
                    });
                }
            },
        };
        self.know(reference, of, &value);
        Ok(value)
    }

    /// Removes what is named nowhere any more. What cannot be removed now is swept later.
    pub fn forget(&self, gone: &[(Owner, Reference)]) -> Result<(), SecretError> {
        if gone.is_empty() {
            return Ok(());
        }
        self.remove(|id, row| {
            let named = gone.iter().find(|(_, reference)| reference.id == id);
            named.is_some_and(|(of, _)| of.key() == row.of)
        })
        .map(drop)
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> Result<bool, SecretError> {
        Ok(self.files.read()?.rows.is_empty())
    }

    /// Removes what was kept until that moment and is in no file that `used` was read from.
    pub fn sweep(&self, used: &HashSet<Reference>, before_ms: i64) -> Result<usize, SecretError> {
        let ids: HashSet<&str> = used.iter().map(|reference| reference.id.as_str()).collect();
        self.remove(|id, row| row.at <= before_ms && !ids.contains(id))
    }

    /// How many values are known, and all of them: for masking.
    pub fn known(&self) -> Vec<String> {
        locked(&self.known)
            .values()
            .map(|(_, value)| value.clone())
            .collect()
    }

    /// Grows whenever [`Vault::known`] does.
    pub fn known_count(&self) -> usize {
        locked(&self.known).len()
    }

    fn know(&self, reference: &Reference, of: &Owner, value: &str) {
        let known = (of.clone(), value.to_owned());
        locked(&self.known).insert(reference.id.clone(), known);
    }

    fn keep_in_file(&self, of: &Owner, value: &str) -> Result<Reference, SecretError> {
        let reference = Reference::new(Place::File);
        let mut book = self.files.read()?;
        let sealed = self.files.seal(&book, of, &reference.id, value)?;
        book.rows.insert(reference.id.clone(), row(of, Some(sealed)));
        self.files.write(book)?;
        Ok(reference)
    }

    fn keep_in_keychain(&self, of: &Owner, value: &str) -> Result<Reference, Unkept> {
        self.keychain.there().map_err(Unkept::Keychain)?;
        let reference = Reference::new(Place::Keychain);
        let mut book = self.files.read()?;
        book.rows.insert(reference.id.clone(), row(of, None));
        self.files.write(book)?;
        // What fails here may have been written all the same: the row stays, and is swept.
        self.keychain
            .set(entry(of, &reference.id), value.to_owned())
            .map_err(Unkept::Keychain)?;
        Ok(reference)
    }

    /// The keychain's entry before its row.
    fn remove(&self, which: impl Fn(&str, &Row) -> bool) -> Result<usize, SecretError> {
        let _one = locked(&self.changing);
        let mut book = self.files.read()?;
        let before = book.rows.len();
        book.rows.retain(|id, row| {
            let goes = which(id, row)
                && match row.sealed {
                    Some(_) => true,
                    None => match self.keychain.remove(format!("{}/{id}", row.of)) {
                        Ok(()) | Err(Trouble::Missing) => true,
                        Err(trouble) => {
                            let reason = trouble.reason();
                            tracing::warn!(reason, "a secret that nobody needs stays in the keychain");
                            false
                        }
                    },
                };
            !goes
        });
        let removed = before - book.rows.len();
        if removed > 0 {
            self.files.write(book)?;
        }
        Ok(removed)
    }
}

/// Why the keychain keeps nothing.
enum Unkept {
    Keychain(Trouble),
    Failed(SecretError),
}

impl From<SecretError> for Unkept {
    fn from(error: SecretError) -> Self {
        Unkept::Failed(error)
    }
}

fn row(of: &Owner, sealed: Option<crate::file::Sealed>) -> Row {
    Row {
        of: of.key().to_owned(),
        at: clock::now_ms(),
        sealed,
    }
}

fn entry(of: &Owner, id: &str) -> String {
    format!("{}/{id}", of.key())
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "vault_tests.rs"]
mod tests;
