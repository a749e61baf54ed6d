//! From a host's name to a connected socket: granted, resolved once, checked, connected.

use super::check_address;
use super::error::NetError;
use super::host::Host;
use super::listener::Listener;
use super::resolve::{Resolve, System};
use super::rules::HostRules;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// Addresses of one name that are tried.
const ADDRESSES: usize = 8;

/// Addresses that a subject was told and that are remembered with their name.
const TOLD: usize = 256;

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
    /// Addresses that were told by [`Network::lookup`], and of which name.
    told: Arc<Mutex<HashMap<IpAddr, Host>>>,
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
            told: Arc::default(),
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
        if !rules.allows(&host, port) && !self.was_told(&rules, &host, port) {
            return Err(match host.is_loopback() {
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
            Ok(Err((address, source))) => Err(NetError::Connect {
                host: name,
                port,
                address,
                source,
            }),
            Err(_) => Err(NetError::Timeout { host: name, port }),
        }
    }

    /// The addresses of a granted name that may be reached. Who is not granted learns nothing: a
    /// question for a name is a message to whoever answers for it.
    pub async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, NetError> {
        let rules = self.rules();
        let host = Host::parse(host)?;
        if let Host::Ip(ip) = &host {
            return Ok(vec![*ip]);
        }
        if let Some(loopback) = host.loopback_name() {
            return Ok(loopback.to_vec());
        }
        if !rules.allows_name(&host) {
            return Err(NetError::NotGranted {
                host: host.to_string(),
                port: 0,
            });
        }
        // Addresses of this machine are told to who may reach something on it.
        let port = rules.loopback().first().copied().unwrap_or(0);
        let found = self.addresses(&rules, &host, port).await?;
        let found: Vec<IpAddr> = found.into_iter().map(|address| address.ip()).collect();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for ip in &found {
            if told.len() < TOLD {
                told.insert(*ip, host.clone());
            }
        }
        Ok(found)
    }

    /// Whether this is an address that we gave for a name which is granted: who resolves first and
    /// connects then gets what he would get by name.
    fn was_told(&self, rules: &HostRules, host: &Host, port: u16) -> bool {
        let Host::Ip(ip) = host else { return false };
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(ip).is_some_and(|name| rules.allows(name, port))
    }

    /// Listens on loopback, on a granted port. For port 0 the first granted one that is free.
    pub async fn listen(&self, host: &str, port: u16) -> Result<Listener, NetError> {
        let rules = self.rules();
        let ip: IpAddr = match Host::parse(host)? {
            Host::Ip(IpAddr::V6(ip)) if ip == Ipv6Addr::LOCALHOST => ip.into(),
            // Everywhere includes here; nobody else is let in.
            Host::Ip(ip) if ip.is_unspecified() || ip.is_loopback() => Ipv4Addr::LOCALHOST.into(),
            host if host.loopback_name().is_some() => Ipv4Addr::LOCALHOST.into(),
            other => {
                return Err(NetError::Listen {
                    host: other.to_string(),
                    port,
                    source: io::ErrorKind::AddrNotAvailable.into(),
                });
            }
        };
        let own = self.own.all();
        let granted = |port: &u16| rules.has_loopback(*port) && !own.contains(port);
        let ports: Vec<u16> = match port {
            0 if rules.every_loopback() => vec![0],
            0 => rules.loopback().iter().copied().filter(granted).collect(),
            port if own.contains(&port) => {
                return Err(NetError::Address {
                    host: host.to_owned(),
                    address: ip,
                    range: super::Range::OwnPort,
                });
            }
            port => Some(port).into_iter().filter(granted).collect(),
        };
        let mut failed = NetError::LoopbackNotGranted { port };
        for port in ports {
            match Listener::bind((ip, port)).await {
                Ok(listener) => return Ok(listener),
                Err(source) => {
                    failed = NetError::Listen {
                        host: ip.to_string(),
                        port,
                        source,
                    }
                }
            }
        }
        Err(failed)
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
async fn race(
    addresses: Vec<SocketAddr>,
    stagger: Duration,
) -> Result<Connection, (Option<SocketAddr>, io::Error)> {
    let mut addresses = addresses.into_iter();
    // Dropped with the future: tries that are still open end.
    let mut tries = JoinSet::new();
    let mut failed = (None, io::Error::from(io::ErrorKind::NotFound));
    loop {
        let more = match addresses.next() {
            Some(address) => {
                tries.spawn(async move { open(address).await.map_err(|error| (Some(address), error)) });
                true
            }
            None => false,
        };
        tokio::select! {
            done = tries.join_next() => match done {
                Some(Ok(Ok(connection))) => return Ok(connection),
                Some(Ok(Err(error))) => failed = error,
                Some(Err(error)) => failed = (None, io::Error::other(error)),
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
