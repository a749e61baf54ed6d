//! A proxy on a Unix socket: HTTP `CONNECT`, plain HTTP and SOCKS5, told apart by the first byte.
//!
//! The socket is the only way out of a network namespace without network; whoever can open it may
//! use it, so it is bound where only that sandbox sees it. Names are resolved here, on the host.
//!
//! Everything that a client can grow has a limit ([`Limits`]). A refusal is answered in the
//! protocol, and what is refused or let through goes to the [`Audit`], never what was sent.
//!
//! Deliberately not here: TLS (it passes through), caches, redirects (the client's affair: the next
//! request is judged by itself), passwords, upgrades of plain HTTP (a WebSocket without TLS uses
//! `CONNECT`), HTTP/2 to the proxy, SOCKS4, BIND and UDP. No `Via` is added.

mod body;
mod head;
mod http;
mod socks;
mod tunnel;

use super::{Attempt, Audit, Connection, NetError, Network, Via};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open at once; more wait in the socket's queue.
    pub connections: usize,
    /// Bytes of the head of a request or an answer.
    pub head: usize,
    /// From the first byte of a head, or of a SOCKS greeting, to its last.
    pub head_time: Duration,
    /// Without a byte in either direction.
    pub idle: Duration,
    /// Bytes kept between two ends, for each direction.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 128,
            head: 64 * 1024,
            head_time: Duration::from_secs(15),
            idle: Duration::from_secs(300),
            buffer: 16 * 1024,
        }
    }
}

/// Words of a refusal: plain text that says what to grant.
pub type Explain = Arc<dyn Fn(&NetError) -> String + Send + Sync>;

#[derive(Clone)]
pub struct Options {
    pub limits: Limits,
    pub audit: Audit,
    pub explain: Explain,
}

impl Options {
    /// With the usual limits, refusals in plain English.
    pub fn new(audit: Audit) -> Self {
        Options {
            limits: Limits::default(),
            audit,
            explain: Arc::new(plainly),
        }
    }
}

/// What went wrong, and what a person could grant.
fn plainly(error: &NetError) -> String {
    let grant = match error {
        NetError::NotGranted { host, port } => format!("To allow it, grant the network host {host}:{port}."),
        NetError::LoopbackNotGranted { port } => format!("To allow it, grant the loopback port {port}."),
        NetError::Address { .. } => "No grant opens such addresses.".to_owned(),
        _ => return format!("Blocked by the sandbox's proxy: {error}.\n"),
    };
    format!("Blocked by the sandbox's proxy: {error}.\n{grant}\n")
}

/// A proxy at work; dropped, it ends with all its connections.
#[derive(Debug)]
pub struct Proxy(AbortHandle);

impl Drop for Proxy {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A socket that is bound; its file goes when this is dropped.
#[derive(Debug)]
pub struct Socket(PathBuf);

impl Socket {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "a proxy's socket was gone already");
        }
    }
}

/// Binds a new socket in `folder`, whose path may be longer than an address of a socket holds: by a
/// short name for the folder. Within a Tokio runtime.
pub fn listen(folder: &Path) -> io::Result<(UnixListener, Socket)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let held = std::fs::File::open(folder)?;
    let short = format!("/proc/self/fd/{}/{name}", held.as_raw_fd());
    let listener = UnixListener::bind(short)?;
    Ok((listener, Socket(folder.join(name))))
}

/// Serves a bound socket. Within a Tokio runtime.
pub fn serve(listener: UnixListener, network: Network, options: Options) -> Proxy {
    let door = Arc::new(Door { network, options });
    Proxy(tokio::spawn(accept(listener, door)).abort_handle())
}

async fn accept(listener: UnixListener, door: Arc<Door>) {
    // Dropped with this task, and with it every connection.
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            // A connection that panicked is a connection that ended.
            Some(_) = open.join_next() => {}
            accepted = listener.accept(), if open.len() < door.options.limits.connections => match accepted {
                Ok((stream, _)) => {
                    let door = door.clone();
                    open.spawn(async move {
                        if let Err(error) = door.connection(stream).await {
                            tracing::debug!(%error, "a connection to the proxy ended");
                        }
                    });
                }
                Err(error) => {
                    // Out of files. Nothing tells when one is free again and the listener stays
                    // ready, so without a pause this loop would take a core.
                    tracing::warn!(%error, "the proxy accepts nothing");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
}

/// What all connections share.
struct Door {
    network: Network,
    options: Options,
}

/// The client's side of a connection.
struct Client {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl Door {
    async fn connection(&self, stream: UnixStream) -> io::Result<()> {
        let (reader, writer) = stream.into_split();
        let mut client = Client {
            reader: BufReader::with_capacity(self.options.limits.buffer, reader),
            writer,
        };
        match self.first_byte(&mut client).await? {
            Some(socks::VERSION) => socks::serve(self, client).await,
            Some(byte) if byte.is_ascii_alphabetic() => http::serve(self, client).await,
            // SOCKS4, TLS, noise: there is no answer that it would understand.
            _ => Ok(()),
        }
    }

    /// The next byte, still in the buffer; `None` at the end.
    async fn first_byte(&self, client: &mut Client) -> io::Result<Option<u8>> {
        let waited = timeout(self.options.limits.idle, client.reader.fill_buf()).await;
        Ok(waited
            .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??
            .first()
            .copied())
    }

    /// Passes bytes until they end, or until the host is taken back.
    async fn while_granted<T>(
        &self,
        host: &str,
        port: u16,
        passing: impl Future<Output = io::Result<T>>,
    ) -> io::Result<T> {
        tokio::select! {
            passed = passing => passed,
            () = self.network.withdrawn(host, port) => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    /// Connects and tells the audit.
    async fn connect(&self, via: Via, host: &str, port: u16) -> Result<Connection, NetError> {
        let connected = self.network.connect(host, port).await;
        let outcome = connected.as_ref().map(|connection| connection.address);
        (self.options.audit)(Attempt::of(via, host, port, &outcome));
        connected
    }
}

/// At most so long for one step.
async fn within<T>(limit: Duration, step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match timeout(limit, step).await {
        Ok(done) => done,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
