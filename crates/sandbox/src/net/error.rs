//! Why there is no connection.

use super::address::Range;
use base::{Args, Coded, args};
use std::io;
use std::net::{IpAddr, SocketAddr};

#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The text is already shortened and escaped.
    #[error("{host} is not the name or address of a host")]
    HostInvalid { host: String },
    #[error("{rule} is not a host that can be granted")]
    RuleInvalid { rule: String },
    #[error("{host} port {port} is not granted")]
    NotGranted { host: String, port: u16 },
    #[error("this machine's port {port} is not granted")]
    LoopbackNotGranted { port: u16 },
    #[error("{host} leads to {address} ({}), which is out of reach", range.as_str())]
    Address {
        host: String,
        address: IpAddr,
        range: Range,
    },
    #[error("{host} could not be resolved")]
    Resolve {
        host: String,
        #[source]
        source: io::Error,
    },
    #[error("no connection to {host} port {port}")]
    Connect {
        host: String,
        port: u16,
        /// The one that was tried last.
        address: Option<SocketAddr>,
        #[source]
        source: io::Error,
    },
    #[error("{host} port {port} did not answer in time")]
    Timeout { host: String, port: u16 },
    #[error("nothing can listen on {host} port {port}")]
    Listen {
        host: String,
        port: u16,
        #[source]
        source: io::Error,
    },
    #[error("the socket could not be passed")]
    Pass(#[source] io::Error),
}

impl NetError {
    /// Whether it is a matter of rights, and trying again is of no use.
    pub fn is_refusal(&self) -> bool {
        match self {
            NetError::HostInvalid { .. }
            | NetError::RuleInvalid { .. }
            | NetError::NotGranted { .. }
            | NetError::LoopbackNotGranted { .. }
            | NetError::Address { .. } => true,
            NetError::Resolve { .. }
            | NetError::Connect { .. }
            | NetError::Timeout { .. }
            | NetError::Listen { .. }
            | NetError::Pass(_) => false,
        }
    }
}

impl Coded for NetError {
    fn code(&self) -> &'static str {
        match self {
            NetError::HostInvalid { .. } => "network_host_invalid",
            NetError::RuleInvalid { .. } => "network_rule_invalid",
            NetError::NotGranted { .. } => "network_not_granted",
            NetError::LoopbackNotGranted { .. } => "network_loopback_not_granted",
            NetError::Address { .. } => "network_address_refused",
            NetError::Resolve { .. } => "network_resolve_failed",
            NetError::Connect { .. } => "network_connect_failed",
            NetError::Timeout { .. } => "network_timeout",
            NetError::Listen { .. } => "network_listen_failed",
            NetError::Pass(_) => "network_pass_failed",
        }
    }

    fn args(&self) -> Args {
        match self {
            NetError::HostInvalid { host } => args! { host: host },
            NetError::RuleInvalid { rule } => args! { host: rule },
            NetError::NotGranted { host, port } | NetError::Timeout { host, port } => {
                args! { host: host, port: port }
            }
            NetError::LoopbackNotGranted { port } => args! { port: port },
            NetError::Address { host, address, range } => {
                args! { host: host, address: address.to_string(), range: range.as_str() }
            }
            NetError::Resolve { host, source } => args! { host: host, reason: source.to_string() },
            NetError::Connect {
                host, port, source, ..
            }
            | NetError::Listen { host, port, source } => {
                args! { host: host, port: port, reason: source.to_string() }
            }
            NetError::Pass(source) => args! { reason: source.to_string() },
        }
    }
}
