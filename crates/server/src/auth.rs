//! Who may knock: the token, sessions of web pages, one-time links, signed picture addresses.

use base::atomic::{self, Access};
use base::{Args, Coded, DataHome, args};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// A one-time link is good for this long.
const CODE_LIFE: Duration = Duration::from_secs(600);
/// A web page's session, from its last use.
const SESSION_LIFE: Duration = Duration::from_secs(12 * 3600);
/// The most of each that are kept; the oldest leave.
const MOST: usize = 256;
/// A picture's address, seconds.
const URL_LIFE: i64 = 3600;

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

pub(crate) struct Auth {
    token: String,
    /// Signs picture addresses; new at every start, so old addresses end with the process.
    key: [u8; 64],
    codes: Mutex<HashMap<String, Instant>>,
    sessions: Mutex<HashMap<String, Instant>>,
}

impl Auth {
    /// Reads the token, or makes it (0600).
    pub(crate) fn open(home: &DataHome) -> Result<Self, AuthError> {
        let path = home.token();
        let failed = |source| AuthError::Token {
            path: path.clone(),
            source,
        };
        let token = match std::fs::read_to_string(&path) {
            Ok(text) if text.trim().len() >= 32 => text.trim().to_owned(),
            Ok(_) => {
                return Err(failed(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "not a token; delete the file to get a new one",
                )));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = random()?;
                atomic::write(&path, format!("{token}\n").as_bytes(), Access::Private).map_err(failed)?;
                token
            }
            Err(error) => return Err(failed(error)),
        };
        let mut key = [0; 64];
        getrandom::fill(&mut key)?;
        Ok(Auth {
            token,
            key,
            codes: Mutex::default(),
            sessions: Mutex::default(),
        })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
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

    /// Trades a code for a session's token.
    pub(crate) fn redeem(&self, code: &str) -> Result<Option<String>, AuthError> {
        let made = lock(&self.codes).remove(code);
        if made.is_none_or(|made| made.elapsed() >= CODE_LIFE) {
            return Ok(None);
        }
        let session = random()?;
        keep(&mut lock(&self.sessions), session.clone());
        Ok(Some(session))
    }

    /// Whether it is a living session; being asked keeps it alive.
    pub(crate) fn is_session(&self, given: &str) -> bool {
        // Found by hash: the time of a lookup says nothing about the rest of a 256-bit secret.
        match lock(&self.sessions).get_mut(given) {
            Some(used) if used.elapsed() < SESSION_LIFE => {
                *used = Instant::now();
                true
            }
            _ => false,
        }
    }

    /// `/artifacts/{id}.png?until=…&sign=…`
    pub(crate) fn picture_url(&self, id: &str) -> String {
        let until = base::clock::now_ms() / 1000 + URL_LIFE;
        format!(
            "/artifacts/{id}.png?until={until}&sign={}",
            hex(&self.signature(id, until).finalize().into_bytes())
        )
    }

    pub(crate) fn is_picture_url(&self, id: &str, until: i64, sign: &str) -> bool {
        let Some(sign) = unhex(sign) else { return false };
        until > base::clock::now_ms() / 1000 && self.signature(id, until).verify_slice(&sign).is_ok()
    }

    fn signature(&self, id: &str, until: i64) -> Hmac<Sha256> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&self.key.into());
        mac.update(id.as_bytes());
        mac.update(b"\n");
        mac.update(until.to_string().as_bytes());
        mac
    }
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

fn random() -> Result<String, AuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
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
    }

    #[test]
    fn a_picture_address_is_for_one_picture_and_a_time() {
        let (_dir, _home, auth) = auth();
        let url = auth.picture_url("a");
        let (until, sign) = url.split_once("until=").unwrap().1.split_once("&sign=").unwrap();
        let until: i64 = until.parse().unwrap();
        assert!(auth.is_picture_url("a", until, sign));
        assert!(!auth.is_picture_url("b", until, sign));
        assert!(!auth.is_picture_url("a", until + 1, sign));
        assert!(!auth.is_picture_url("a", until, "zz"));
        let past = base::clock::now_ms() / 1000 - 1;
        let old = hex(&auth.signature("a", past).finalize().into_bytes());
        assert!(!auth.is_picture_url("a", past, &old));
    }
}
