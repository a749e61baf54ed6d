//! `secrets/kept.json`: what is kept where, and the values that are kept here, each sealed by itself
//! (ChaCha20-Poly1305 of *ring*, which is in the tree for TLS) under the key in `secrets/key`.
//!
//! A row's owner and id are authenticated with its value: rows that are exchanged by hand do not open.
//! A file or key that is broken or gone is said and never replaced.

#![allow(clippy::disallowed_methods, reason = "reads the two files itself")]

use crate::error::SecretError;
use crate::reference::Owner;
use base::atomic::{self, Access};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const KEPT: &str = "kept.json";
const KEY: &str = "key";
const KEY_BYTES: usize = 32;
const FORM: u32 = 1;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Book {
    form: u32,
    /// By id.
    #[serde(default)]
    pub(crate) rows: BTreeMap<String, Row>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) of: String,
    /// Milliseconds since the epoch.
    pub(crate) at: i64,
    /// Absent: the value is in the keychain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sealed: Option<Sealed>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sealed {
    nonce: String,
    text: String,
}

/// Both files.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn at(folder: PathBuf) -> Self {
        Files { folder }
    }

    /// A missing file keeps nothing.
    pub(crate) fn read(&self) -> Result<Book, SecretError> {
        let path = self.folder.join(KEPT);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Book::default()),
            Err(source) => return Err(SecretError::Io { path, source }),
        };
        match serde_json::from_str::<Book>(&text) {
            Ok(book) if book.form == FORM => Ok(book),
            Ok(_) => Err(invalid(path, "of another version of this program")),
            Err(_) => Err(invalid(path, "not the JSON that was written")),
        }
    }

    pub(crate) fn write(&self, mut book: Book) -> Result<(), SecretError> {
        book.form = FORM;
        let path = self.folder.join(KEPT);
        let text = match serde_json::to_string_pretty(&book) {
            Ok(text) => format!("{text}\n"),
            Err(error) => {
                let source = io::Error::other(error);
                return Err(SecretError::Io { path, source });
            }
        };
        atomic::write_with_dirs(&path, text.as_bytes(), Access::Private)
            .map_err(|source| SecretError::Io { path, source })
    }

    pub(crate) fn seal(&self, book: &Book, of: &Owner, id: &str, value: &str) -> Result<Sealed, SecretError> {
        let key = self.key(book)?;
        let nonce: [u8; NONCE_LEN] = self.random()?;
        let mut text = value.as_bytes().to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(bound(of, id)),
            &mut text,
        )
        .map_err(|_| invalid(self.folder.join(KEY), "the value cannot be sealed"))?;
        Ok(Sealed {
            nonce: STANDARD.encode(nonce),
            text: STANDARD.encode(text),
        })
    }

    pub(crate) fn open(&self, of: &Owner, id: &str, sealed: &Sealed) -> Result<String, SecretError> {
        let broken = || invalid(self.folder.join(KEPT), "a value does not open with the key");
        let path = self.folder.join(KEY);
        let key = self.read_key()?.ok_or_else(|| invalid(path, "the key is gone"))?;
        let nonce = STANDARD.decode(&sealed.nonce).map_err(|_| broken())?;
        let nonce = Nonce::try_assume_unique_for_key(&nonce).map_err(|_| broken())?;
        let mut text = STANDARD.decode(&sealed.text).map_err(|_| broken())?;
        let opened = key
            .open_in_place(nonce, Aad::from(bound(of, id)), &mut text)
            .map_err(|_| broken())?;
        String::from_utf8(opened.to_vec()).map_err(|_| broken())
    }

    /// The key; a new one as long as nothing is sealed with another.
    fn key(&self, book: &Book) -> Result<LessSafeKey, SecretError> {
        if let Some(key) = self.read_key()? {
            return Ok(key);
        }
        let path = self.folder.join(KEY);
        if book.rows.values().any(|row| row.sealed.is_some()) {
            return Err(invalid(path, "the key is gone"));
        }
        let bytes: [u8; KEY_BYTES] = self.random()?;
        let text = format!("{}\n", STANDARD.encode(bytes));
        atomic::write_with_dirs(&path, text.as_bytes(), Access::Private).map_err(|source| {
            SecretError::Io {
                path: path.clone(),
                source,
            }
        })?;
        as_key(&path, &bytes)
    }

    fn read_key(&self) -> Result<Option<LessSafeKey>, SecretError> {
        let path = self.folder.join(KEY);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(SecretError::Io { path, source }),
        };
        let bytes = STANDARD
            .decode(text.trim())
            .map_err(|_| invalid(path.clone(), "not a key"))?;
        as_key(&path, &bytes).map(Some)
    }

    fn random<const N: usize>(&self) -> Result<[u8; N], SecretError> {
        let mut bytes = [0; N];
        match SystemRandom::new().fill(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(_) => Err(invalid(self.folder.join(KEY), "no random bytes are to be had")),
        }
    }
}

fn as_key(path: &Path, bytes: &[u8]) -> Result<LessSafeKey, SecretError> {
    UnboundKey::new(&CHACHA20_POLY1305, bytes)
        .map(LessSafeKey::new)
        .map_err(|_| invalid(path.to_owned(), "not a key"))
}

fn bound(of: &Owner, id: &str) -> String {
    format!("{id}/{}", of.key())
}

fn invalid(path: PathBuf, reason: &'static str) -> SecretError {
    SecretError::Invalid { path, reason }
}
