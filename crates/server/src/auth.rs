//! Who may knock: the token, sessions of web pages, one-time links, signed picture addresses.
//!
//! Sessions and addresses are signed values, not entries of a list, so that an open page goes on
//! when the server starts again. What signs them is made of two secrets: a key that is given to
//! nobody, because a session may do what a program with the token may not, and the token, so that
//! a new token ends all sessions.

use base::atomic::{self, Access};
use base::text::hex;
use base::{Args, Coded, DataHome, args};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// A one-time link is good for this long.
const CODE_LIFE: Duration = Duration::from_secs(600);
/// A web page's session, seconds from its link.
const SESSION_LIFE: i64 = 7 * 24 * 3600;
/// The most codes that are kept; the oldest leave.
const MOST: usize = 256;
/// A picture's address is the same for so long, so that a page's cache knows it, and good for
/// between one and two of them; seconds.
const URL_LIFE: i64 = 3600;

/// What a signature is for: one cannot stand for the other.
const SESSION: &str = "prompt-manager session 1";
const PICTURE: &str = "prompt-manager picture 1";
const MARK: &str = "prompt-manager mark 1";

#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error("no randomness")]
    Random(#[from] getrandom::Error),
    #[error("{path}")]
    Token {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for AuthError {
    fn code(&self) -> &'static str {
        match self {
            AuthError::Random(_) => "no_randomness",
            AuthError::Token { .. } => "token_io",
        }
    }
    fn args(&self) -> Args {
        match self {
            AuthError::Random(error) => args! { reason: error.to_string() },
            AuthError::Token { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

/// Which form of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Full,
    Thumb,
}

pub(crate) struct Auth {
    token: String,
    session_key: Key,
    picture_key: Key,
    mark_key: Key,
    codes: Mutex<HashMap<String, Instant>>,
}

/// As HMAC wants it: a shorter key is filled up with zeros.
type Key = [u8; 64];

impl Auth {
    /// Reads the secrets, or makes them (0600).
    pub(crate) fn open(home: &DataHome) -> Result<Self, AuthError> {
        let token = secret(&home.token())?;
        let root = secret(&home.session_key())?;
        Ok(Auth {
            session_key: derived(&root, &token, SESSION),
            picture_key: derived(&root, &token, PICTURE),
            mark_key: derived(&root, &token, MARK),
            token,
            codes: Mutex::default(),
        })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Hashes by which a text is known again, for records that must not hold it: without the secrets
    /// nobody can try what it may have been.
    pub(crate) fn marker(&self) -> impl Fn(&str) -> String + Send + use<> {
        let key = self.mark_key;
        move |text| hex(&signature(&key, text).finalize().into_bytes())
    }

    pub(crate) fn is_token(&self, given: &str) -> bool {
        self.token.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// A code that opens one session.
    pub(crate) fn new_code(&self) -> Result<String, AuthError> {
        let code = random()?;
        keep(&mut lock(&self.codes), code.clone());
        Ok(code)
    }

    /// Trades a code for a session.
    pub(crate) fn redeem(&self, code: &str) -> Result<Option<String>, AuthError> {
        // Found by hash: the time of a lookup says nothing about the rest of a 256-bit secret.
        let made = lock(&self.codes).remove(code);
        if made.is_none_or(|made| made.elapsed() >= CODE_LIFE) {
            return Ok(None);
        }
        let body = format!("{}.{}", now() + SESSION_LIFE, random()?);
        let sign = hex(&signature(&self.session_key, &body).finalize().into_bytes());
        Ok(Some(format!("{body}.{sign}")))
    }

    /// Whether it is a session that was opened with this token and has not expired.
    pub(crate) fn is_session(&self, given: &str) -> bool {
        self.is_session_at(given, now())
    }

    fn is_session_at(&self, given: &str, now: i64) -> bool {
        let parts = given.rsplit_once('.').and_then(|(body, sign)| {
            let until: i64 = body.split_once('.')?.0.parse().ok()?;
            Some((body, until, unhex(sign)?))
        });
        let Some((body, until, sign)) = parts else {
            return false;
        };
        until > now && signature(&self.session_key, body).verify_slice(&sign).is_ok()
    }

    /// `/artifacts/{id}.png?until=…&sign=…`, and `&size=thumb`.
    pub(crate) fn picture_url(&self, id: &str, size: Size) -> String {
        let until = (now() / URL_LIFE + 2) * URL_LIFE;
        let sign = hex(&self.picture_signature(id, size, until).finalize().into_bytes());
        let size = match size {
            Size::Full => "",
            Size::Thumb => "&size=thumb",
        };
        format!("/artifacts/{id}.png?until={until}&sign={sign}{size}")
    }

    pub(crate) fn is_picture_url(&self, id: &str, size: Size, until: i64, sign: &str) -> bool {
        let Some(sign) = unhex(sign) else { return false };
        until > now()
            && self
                .picture_signature(id, size, until)
                .verify_slice(&sign)
                .is_ok()
    }

    fn picture_signature(&self, id: &str, size: Size, until: i64) -> Hmac<Sha256> {
        signature(&self.picture_key, &format!("{id}\n{size:?}\n{until}"))
    }
}

/// The secret in a file, which is made when there is none.
fn secret(path: &Path) -> Result<String, AuthError> {
    let failed = |source| AuthError::Token {
        path: path.to_owned(),
        source,
    };
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= 32 => Ok(text.trim().to_owned()),
        Ok(_) => Err(failed(io::Error::new(
            io::ErrorKind::InvalidData,
            "not a token; delete the file to get a new one",
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let secret = random()?;
            atomic::write(path, format!("{secret}\n").as_bytes(), Access::Private).map_err(failed)?;
            Ok(secret)
        }
        Err(error) => Err(failed(error)),
    }
}

fn derived(root: &str, token: &str, purpose: &str) -> Key {
    // Both secrets are hexadecimal words, the purpose is ours: the parts cannot run together.
    let root = key(&Sha256::digest(root));
    key(&signature(&root, &format!("{purpose}\n{token}"))
        .finalize()
        .into_bytes())
}

fn key(hash: &[u8]) -> Key {
    let mut key = [0; 64];
    key[..hash.len()].copy_from_slice(hash);
    key
}

fn signature(key: &Key, text: &str) -> Hmac<Sha256> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&(*key).into());
    mac.update(text.as_bytes());
    mac
}

fn now() -> i64 {
    base::clock::now_ms() / 1000
}

fn keep(map: &mut HashMap<String, Instant>, secret: String) {
    if map.len() >= MOST
        && let Some(oldest) = map
            .iter()
            .min_by_key(|(_, at)| **at)
            .map(|(name, _)| name.clone())
    {
        map.remove(&oldest);
    }
    map.insert(secret, Instant::now());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn random() -> Result<String, AuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "spoils the token file")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn auth() -> (tempfile::TempDir, DataHome, Auth) {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path()).unwrap();
        let auth = Auth::open(&home).unwrap();
        (dir, home, auth)
    }

    #[test]
    fn the_token_is_made_once_and_private() {
        let (_dir, home, auth) = auth();
        let mode = std::fs::metadata(home.token()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(Auth::open(&home).unwrap().token, auth.token);
        assert!(auth.is_token(&auth.token));
        for wrong in ["", "x", &auth.token[1..]] {
            assert!(!auth.is_token(wrong));
        }
        std::fs::write(home.token(), "short").unwrap();
        assert!(Auth::open(&home).is_err(), "never replaced silently");
    }

    #[test]
    fn a_code_opens_one_session() {
        let (_dir, _home, auth) = auth();
        let code = auth.new_code().unwrap();
        let session = auth.redeem(&code).unwrap().unwrap();
        assert!(auth.is_session(&session));
        assert!(!auth.is_session(&code));
        assert_eq!(auth.redeem(&code).unwrap(), None);
        assert_eq!(auth.redeem("made up").unwrap(), None);
        let other = auth.redeem(&auth.new_code().unwrap()).unwrap().unwrap();
        assert_ne!(session, other);
    }

    #[test]
    fn sessions_outlive_a_restart_but_not_their_week_nor_the_token() {
        let (_dir, home, auth) = auth();
        let code = auth.new_code().unwrap();
        let session = auth.redeem(&auth.new_code().unwrap()).unwrap().unwrap();
        let url = auth.picture_url("a", Size::Thumb);
        drop(auth);

        let again = Auth::open(&home).unwrap();
        assert!(again.is_session(&session));
        assert_eq!(again.picture_url("a", Size::Thumb), url);
        assert_eq!(again.redeem(&code).unwrap(), None, "codes end with the process");
        assert!(again.is_session_at(&session, now() + SESSION_LIFE - 60));
        assert!(!again.is_session_at(&session, now() + SESSION_LIFE + 1));

        for path in [home.token(), home.session_key()] {
            std::fs::remove_file(&path).unwrap();
            let renewed = Auth::open(&home).unwrap();
            assert!(!renewed.is_session(&session), "{}", path.display());
            assert_ne!(renewed.picture_url("a", Size::Thumb), url);
        }
    }

    #[test]
    fn a_session_cannot_be_made_of_the_token_nor_changed() {
        let (_dir, home, auth) = auth();
        let session = auth.redeem(&auth.new_code().unwrap()).unwrap().unwrap();
        let until = session.split('.').next().unwrap().to_owned();
        let later = (until.parse::<i64>().unwrap() + 9).to_string();
        let forged = |key: &Key| {
            let body = format!("{later}.00");
            format!("{body}.{}", hex(&signature(key, &body).finalize().into_bytes()))
        };
        for wrong in [
            session.replacen(&until, &later, 1),
            forged(&key(&Sha256::digest(&auth.token))),
            forged(&derived(&auth.token, &auth.token, SESSION)),
            forged(&auth.picture_key),
            session[1..].to_owned(),
            format!("{session}00"),
            format!("{later}..zz"),
            format!("{later}.字"),
            "..".to_owned(),
            String::new(),
            auth.token.clone(),
        ] {
            assert!(!auth.is_session(&wrong), "{wrong}");
        }
        let root = std::fs::read_to_string(home.session_key()).unwrap();
        assert!(!auth.is_token(root.trim()));
        let mode = std::fs::metadata(home.session_key())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_picture_address_is_for_one_picture_one_size_and_a_time() {
        let (_dir, _home, auth) = auth();
        for (size, other) in [(Size::Full, Size::Thumb), (Size::Thumb, Size::Full)] {
            let url = auth.picture_url("a", size);
            let (until, sign) = url.split_once("until=").unwrap().1.split_once("&sign=").unwrap();
            let sign = sign.trim_end_matches("&size=thumb");
            let until: i64 = until.parse().unwrap();
            assert!((now() + URL_LIFE..=now() + 2 * URL_LIFE).contains(&until));
            assert!(auth.is_picture_url("a", size, until, sign));
            assert!(!auth.is_picture_url("a", other, until, sign));
            assert!(!auth.is_picture_url("b", size, until, sign));
            assert!(!auth.is_picture_url("a", size, until + 1, sign));
            for wrong in ["zz", "", "字", "0"] {
                assert!(!auth.is_picture_url("a", size, until, wrong));
            }
            let past = now() - 1;
            let old = hex(&auth.picture_signature("a", size, past).finalize().into_bytes());
            assert!(!auth.is_picture_url("a", size, past, &old));
        }
    }
}
