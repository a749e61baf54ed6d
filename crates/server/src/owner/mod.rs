//! Who owns the data home: one process at a time, by a lock on `run/owner.lock`. It alone opens
//! the database, starts workers, and serves the socket; `pm serve` the network port besides.

mod lock;
mod serve;
mod visits;

pub use lock::Ownership;
pub use serve::{Address, Owner, ServeOptions};

use crate::app::OpenError;
use base::home::HomeError;
use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Tools(#[from] toolbox::sync::NoTools),
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("another process owns the data home and does not answer")]
    Held,
    #[error("no address {host}, port {port}")]
    Address {
        host: String,
        port: u16,
        #[source]
        source: io::Error,
    },
}

impl Coded for OwnerError {
    fn code(&self) -> &'static str {
        match self {
            OwnerError::Home(error) => error.code(),
            OwnerError::Open(error) => error.code(),
            OwnerError::Tools(error) => error.code(),
            OwnerError::Io { .. } => "owner_io",
            OwnerError::Held => "owner_held",
            OwnerError::Address { .. } => "address_unavailable",
        }
    }
    fn args(&self) -> Args {
        match self {
            OwnerError::Home(error) => error.args(),
            OwnerError::Open(error) => error.args(),
            OwnerError::Tools(error) => error.args(),
            OwnerError::Io { path, source } => args! { path: path, reason: source.to_string() },
            OwnerError::Held => args! {},
            OwnerError::Address { host, port, source } => {
                args! { host: host, port: port, reason: source.to_string() }
            }
        }
    }
}
