//! The network as the host gives it to processes that have none of their own.
//!
//! Two doors lead out of a sandbox, and both stand on the host's side of the wall: the [`proxy`]
//! on a Unix socket, for commands in a network namespace of their own, and the [`broker`], which
//! connects for a QuickJS worker and passes the socket. Both ask the same [`Network`]: is the host
//! granted ([`HostRules`]), what does its name resolve to, may that address be reached
//! ([`check_address`]). The address that was checked is the address that is connected to; a name is
//! never resolved twice for one connection.
//!
//! What this cannot see: inside TLS. Whoever may reach one host of a shared front may name another
//! in the encrypted part. A grant is for a host and, if it says so, a port; not for a URL.
//!
//! Deliberately not here: who has which grant, contents of connections (they are neither kept nor
//! shown), TLS, UDP, listening for connections from outside.

mod address;
#[cfg_attr(not(target_os = "linux"), path = "broker_elsewhere.rs")]
pub mod broker;
mod connect;
mod error;
mod host;
mod listener;
pub mod proxy;
mod resolve;
mod rules;
mod tally;

pub use address::{Range, check_address, range};
pub use connect::{Connection, Network, OwnPorts, Times};
pub use error::NetError;
pub use host::Host;
pub use listener::Listener;
pub use resolve::{Lookup, Resolve, System};
pub use rules::HostRules;
pub use tally::{Tallied, Tally};

use std::net::SocketAddr;
use std::sync::Arc;

/// One try to reach something: for the audit. Never holds what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub via: Via,
    /// In normal form, or, where it has none, the beginning of what was asked for, escaped.
    pub host: String,
    pub port: u16,
    /// Where the connection was made.
    pub address: Option<SocketAddr>,
    pub decision: Decision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// HTTP `CONNECT`.
    Connect,
    /// Plain HTTP.
    Http,
    Socks,
    /// A socket passed to a worker.
    Broker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Allowed,
    /// Not granted, or an address that nobody may reach; the code of the [`NetError`].
    Refused(&'static str),
    /// Granted, but there was no connection; the code of the [`NetError`].
    Failed(&'static str),
}

/// Hears of every attempt. Must not block.
pub type Audit = Arc<dyn Fn(Attempt) + Send + Sync>;

impl Attempt {
    pub(crate) fn of(via: Via, host: &str, port: u16, outcome: &Result<SocketAddr, &NetError>) -> Self {
        use base::Coded;
        let decision = match outcome {
            Ok(_) => Decision::Allowed,
            Err(error) if error.is_refusal() => Decision::Refused(error.code()),
            Err(error) => Decision::Failed(error.code()),
        };
        Attempt {
            via,
            host: Host::parse(host).map_or_else(|_| host::shown(host), |host| host.to_string()),
            port,
            address: outcome.as_ref().ok().copied(),
            decision,
        }
    }
}
