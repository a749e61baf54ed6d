//! What can go wrong with a service, known by status and kind and never by its words.

use crate::service::Wrong;
use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Characters of what a service says itself.
pub(crate) const REASON: usize = 300;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("no service named {0:?}")]
    Unknown(String),
    #[error("no service is configured")]
    None,
    #[error("the service {service:?}: {field} is of no use ({reason:?})")]
    BadService {
        service: String,
        field: &'static str,
        reason: Wrong,
    },
    #[error("not a key")]
    BadKey { limit: usize },
    #[error("{service} has no key")]
    NoKey { service: String },
    #[error("{service} does not take the key ({status})")]
    Unauthorized { service: String, status: u16 },
    #[error("{service} has had enough")]
    RateLimited {
        service: String,
        /// When it wants to be asked again.
        after: Option<Duration>,
    },
    #[error("{service} knows no {model} at this address")]
    NotFound { service: String, model: String },
    #[error("{service} refuses: {reason}")]
    Refused {
        service: String,
        status: u16,
        reason: String,
    },
    #[error("{service} cannot answer now ({status})")]
    Unavailable {
        service: String,
        status: u16,
        reason: String,
        after: Option<Duration>,
    },
    #[error("{service} cannot be reached at {address}")]
    Unreachable {
        service: String,
        address: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("the answer of {service} was cut off")]
    CutOff { service: String },
    #[error("{service}: nothing for {} s", .seconds)]
    Timeout {
        service: String,
        seconds: f64,
        what: Patience,
    },
    #[error("the answer of {service} is longer than {limit} bytes")]
    TooLong { service: String, limit: usize },
    #[error("the answer of {service} is not understood: {reason}")]
    Unreadable { service: String, reason: String },
    #[error("no HTTP client")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Secret(#[from] secrets::SecretError),
    #[error("{path}")]
    KeysIo {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path} (line {line}, column {column})")]
    KeysInvalid {
        path: PathBuf,
        line: usize,
        column: usize,
    },
}

/// Which limit of time it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Nothing whole has come for so long.
    Silence,
    /// All of it took too long.
    Total,
}

impl ModelError {
    /// Whether the same may succeed a moment later.
    pub(crate) fn passes(&self) -> bool {
        matches!(
            self,
            ModelError::RateLimited { .. }
                | ModelError::Unavailable { .. }
                | ModelError::Unreachable { .. }
                | ModelError::CutOff { .. }
        )
    }

    /// When the service wants to be asked again, if it says so.
    pub(crate) fn after(&self) -> Option<Duration> {
        match self {
            ModelError::RateLimited { after, .. } | ModelError::Unavailable { after, .. } => *after,
            _ => None,
        }
    }
}

impl Coded for ModelError {
    fn code(&self) -> &'static str {
        match self {
            ModelError::Unknown(_) => "model_unknown",
            ModelError::None => "model_none",
            ModelError::BadService { reason, .. } => match reason {
                Wrong::Name => "model_name_invalid",
                Wrong::Model => "model_model_invalid",
                Wrong::Address => "model_address_invalid",
                Wrong::Terms => "model_terms_invalid",
            },
            ModelError::BadKey { .. } => "model_key_invalid",
            ModelError::NoKey { .. } => "model_key_missing",
            ModelError::Unauthorized { .. } => "model_unauthorized",
            ModelError::RateLimited { .. } => "model_rate_limited",
            ModelError::NotFound { .. } => "model_not_found",
            ModelError::Refused { .. } => "model_refused",
            ModelError::Unavailable { .. } => "model_unavailable",
            ModelError::Unreachable { .. } => "model_unreachable",
            ModelError::CutOff { .. } => "model_cut_off",
            ModelError::Timeout {
                what: Patience::Silence,
                ..
            } => "model_silent",
            ModelError::Timeout {
                what: Patience::Total,
                ..
            } => "model_timeout",
            ModelError::TooLong { .. } => "model_answer_too_long",
            ModelError::Unreadable { .. } => "model_answer_unreadable",
            ModelError::Client(_) => "model_client",
            ModelError::Secret(error) => error.code(),
            ModelError::KeysIo { .. } => "model_keys_io",
            ModelError::KeysInvalid { .. } => "model_keys_invalid",
        }
    }

    fn args(&self) -> Args {
        match self {
            ModelError::Unknown(service) => args! { service: service },
            ModelError::None | ModelError::Client(_) => args! {},
            ModelError::BadService { service, field, .. } => args! { service: service, field: field },
            ModelError::BadKey { limit } => args! { limit: limit },
            ModelError::NoKey { service } | ModelError::CutOff { service } => args! { service: service },
            ModelError::Unauthorized { service, status } => args! { service: service, status: status },
            ModelError::RateLimited { service, after } => match after {
                Some(after) => args! { service: service, seconds: after.as_secs() },
                None => args! { service: service },
            },
            ModelError::NotFound { service, model } => args! { service: service, model: model },
            ModelError::Refused {
                service,
                status,
                reason,
            } => args! { service: service, status: status, reason: reason },
            ModelError::Unavailable {
                service,
                status,
                reason,
                ..
            } => args! { service: service, status: status, reason: reason },
            ModelError::Unreachable { service, address, .. } => args! { service: service, address: address },
            ModelError::Timeout { service, seconds, .. } => args! { service: service, seconds: seconds },
            ModelError::TooLong { service, limit } => args! { service: service, limit: limit },
            ModelError::Unreadable { service, reason } => args! { service: service, reason: reason },
            ModelError::Secret(error) => error.args(),
            ModelError::KeysIo { path, source } => args! { path: path, reason: source.to_string() },
            ModelError::KeysInvalid { path, line, column } => {
                args! { path: path, line: line, column: column }
            }
        }
    }
}
