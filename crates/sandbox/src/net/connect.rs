//! From a host's name to a connected socket: granted, resolved once, checked, connected.

use super::check_address;
use super::error::NetError;
use super::host::Host;
use super::resolve::{Resolve, System};
use super::rules::{HostRules, is_loopback};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// Addresses of one name that are tried.
const ADDRESSES: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub resolve: Duration,
    /// For all addresses together.
    pub connect: Duration,
    /// The next address is tried beside one that has not answered for so long (RFC 8305).
    pub stagger: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Times {
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(15),
            stagger: Duration::from_millis(250),
        }
    }
}

/// The ports on which this program listens. Clones share them: it may begin to listen, or move to
/// the next free port, after somebody was given a network.
#[derive(Clone, Debug, Default)]
pub struct OwnPorts(Arc<RwLock<Vec<u16>>>);

impl OwnPorts {
    pub fn add(&self, port: u16) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(port);
    }

    fn all(&self) -> Vec<u16> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What one subject may reach, and how it is reached. Cheap to clone; clones share the rules.
#[derive(Clone)]
pub struct Network {
    rules: watch::Sender<Arc<HostRules>>,
    own: OwnPorts,
    resolver: Arc<dyn Resolve>,
    times: Times,
}

/// A connection and where it leads.
#[derive(Debug)]
pub struct Connection {
    pub stream: TcpStream,
    pub address: SocketAddr,
}

impl Network {
    pub fn new(rules: HostRules, own: &OwnPorts) -> Self {
        Network {
            rules: watch::Sender::new(Arc::new(rules)),
            own: own.clone(),
            resolver: Arc::new(System),
            times: Times::default(),
        }
    }

    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    #[must_use]
    pub fn with_times(mut self, times: Times) -> Self {
        self.times = times;
        self
    }

    /// From the next connection on; open ones are told by [`Network::withdrawn`].
    pub fn change_rules(&self, rules: HostRules) {
        self.rules.send_replace(Arc::new(rules));
    }

    pub fn rules(&self) -> Arc<HostRules> {
        self.rules.borrow().clone()
    }

    /// Until this host may no longer be reached.
    pub async fn withdrawn(&self, host: &str, port: u16) {
        let Ok(host) = Host::parse(host) else { return };
        let mut rules = self.rules.subscribe();
        // The sender is in `self`.
        let _ = rules.wait_for(|rules| !rules.allows(&host, port)).await;
    }

    /// Connects to a host as somebody spelled it.
    pub async fn connect(&self, host: &str, port: u16) -> Result<Connection, NetError> {
        let rules = self.rules();
        let host = Host::parse(host)?;
        if !rules.allows(&host, port) {
            return Err(match is_loopback(&host) {
                true => NetError::LoopbackNotGranted { port },
                false => NetError::NotGranted {
                    host: host.to_string(),
                    port,
                },
            });
        }
        let addresses = self.addresses(&rules, &host, port).await?;
        let name = host.to_string();
        let deadline = Instant::now() + self.times.connect;
        match timeout_at(deadline, race(addresses, self.times.stagger)).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(source)) => Err(NetError::Connect {
                host: name,
                port,
                source,
            }),
            Err(_) => Err(NetError::Timeout { host: name, port }),
        }
    }

    /// What the host resolves to and may be reached, in the order in which it is tried.
    async fn addresses(
        &self,
        rules: &HostRules,
        host: &Host,
        port: u16,
    ) -> Result<Vec<SocketAddr>, NetError> {
        let found = match (host, host.loopback_name()) {
            (Host::Ip(ip), _) => vec![*ip],
            (_, Some(loopback)) => loopback.to_vec(),
            (Host::Name(name), None) => self.resolve(name, port).await?,
        };
        let name = host.to_string();
        let own = self.own.all();
        let mut refused = None;
        let mut allowed = Vec::new();
        for ip in found.into_iter().take(ADDRESSES * 2) {
            let address = SocketAddr::new(ip.to_canonical(), port);
            match check_address(rules, &name, address, &own) {
                Ok(()) if !allowed.contains(&address) => allowed.push(address),
                Ok(()) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match (allowed.is_empty(), refused) {
            (false, _) => Ok(interleaved(allowed)),
            (true, Some(error)) => Err(error),
            (true, None) => Err(NetError::Resolve {
                host: name,
                source: io::ErrorKind::NotFound.into(),
            }),
        }
    }

    async fn resolve(&self, name: &str, port: u16) -> Result<Vec<IpAddr>, NetError> {
        match tokio::time::timeout(self.times.resolve, self.resolver.resolve(name)).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(source)) => Err(NetError::Resolve {
                host: name.to_owned(),
                source,
            }),
            Err(_) => Err(NetError::Timeout {
                host: name.to_owned(),
                port,
            }),
        }
    }
}

/// Families by turns, beginning with the resolver's first choice: one that is dead costs little.
fn interleaved(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (one, other): (Vec<_>, Vec<_>) = addresses
        .into_iter()
        .partition(|address| address.is_ipv6() == first);
    let mut other = other.into_iter();
    let mut order = Vec::new();
    for address in one {
        order.push(address);
        order.extend(other.next());
    }
    order.extend(other);
    order.truncate(ADDRESSES);
    order
}

/// The first address that answers; the next one starts when one failed or keeps still.
async fn race(addresses: Vec<SocketAddr>, stagger: Duration) -> io::Result<Connection> {
    let mut addresses = addresses.into_iter();
    // Dropped with the future: tries that are still open end.
    let mut tries = JoinSet::new();
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    loop {
        let more = match addresses.next() {
            Some(address) => {
                tries.spawn(open(address));
                true
            }
            None => false,
        };
        tokio::select! {
            done = tries.join_next() => match done {
                Some(Ok(Ok(connection))) => return Ok(connection),
                Some(Ok(Err(error))) => failed = error,
                Some(Err(error)) => failed = io::Error::other(error),
                None => return Err(failed),
            },
            () = tokio::time::sleep(stagger), if more => {}
        }
    }
}

async fn open(address: SocketAddr) -> io::Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(Connection { stream, address })
}

#[cfg(test)]
#[path = "connect_tests.rs"]
mod tests;
