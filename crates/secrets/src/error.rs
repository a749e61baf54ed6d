use crate::reference::{Owner, Place};
use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;

/// Never holds a value, or what a keychain says of one.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("the keychain is not to be had: {reason}")]
    NoKeychain { reason: String },
    #[error("{of} cannot be read from the keychain: {reason}")]
    Unavailable { of: String, reason: String },
    #[error("{of} is not kept in the {place}")]
    Missing { of: String, place: Place },
    #[error("longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("{path}: {reason}")]
    Invalid { path: PathBuf, reason: &'static str },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl SecretError {
    pub(crate) fn missing(of: &Owner, place: Place) -> Self {
        SecretError::Missing {
            of: of.name().to_owned(),
            place,
        }
    }
}

impl Coded for SecretError {
    fn code(&self) -> &'static str {
        match self {
            SecretError::NoKeychain { .. } => "secret_no_keychain",
            SecretError::Unavailable { .. } => "secret_unavailable",
            SecretError::Missing { .. } => "secret_missing",
            SecretError::TooLong { .. } => "secret_too_long",
            SecretError::Invalid { .. } => "secret_store_invalid",
            SecretError::Io { .. } => "secret_store_io",
        }
    }

    fn args(&self) -> Args {
        match self {
            SecretError::NoKeychain { reason } => args! { reason: reason },
            SecretError::Unavailable { of, reason } => args! { name: of, reason: reason },
            SecretError::Missing { of, .. } => args! { name: of },
            SecretError::TooLong { limit } => args! { limit: limit },
            SecretError::Invalid { path, reason } => args! { path: path, reason: reason },
            SecretError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}
