//! An owner at work: its socket, its port, its end.

#![allow(clippy::disallowed_methods, reason = "binds the socket under its own name")]

use super::visits::{self, Visitor, Visits};
use super::{OwnerError, Ownership};
use crate::app::App;
use crate::http::{self, Door, Entrance, Hosts, Peer, Prompt, router};
use axum::middleware;
use base::{DataHome, Settings};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinSet;
use toolbox::sync::BuiltIns;

/// Ports tried after the wanted one.
const NEXT_PORTS: u16 = 20;

/// Answers that are ready when the owner ends may take this long to be read.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Where to listen; what is not said comes from settings.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    pub host: Option<String>,
    /// 0 is any free port; otherwise a busy one means the next free one.
    pub port: Option<u16>,
}

/// Where the owner listens.
#[derive(Clone, Debug)]
pub struct Address {
    /// `http://127.0.0.1:5621`
    pub url: String,
    /// The port that was wanted, if it was taken.
    pub instead_of: Option<u16>,
}

/// This process owns the data home, until [`Owner::close`].
pub struct Owner {
    app: App,
    _ownership: Ownership,
    socket: PathBuf,
    address: Option<Address>,
    visits: Visits,
    /// Of both doors, our own included.
    presence: Visits,
    /// Each ends when its last connection has.
    listeners: JoinSet<()>,
}

impl Owner {
    /// Opens the product and its socket. Blocks for the time of migrations and sync.
    ///
    /// The socket is bound by the home's name as it was given, which may be a short link to a
    /// folder whose real path is too long for a socket.
    pub fn open(home: &DataHome, ownership: Ownership) -> Result<Self, OwnerError> {
        Owner::open_with(home, ownership, BuiltIns::from_environment()?)
    }

    /// The same, with the built-in tools of a folder.
    pub fn open_with_tools(home: &DataHome, ownership: Ownership, tools: &Path) -> Result<Self, OwnerError> {
        Owner::open_with(home, ownership, BuiltIns::at(tools)?)
    }

    fn open_with(home: &DataHome, ownership: Ownership, built_ins: BuiltIns) -> Result<Self, OwnerError> {
        // Everything in the toolbox would have the rights of what is shipped.
        if let Some(root) = built_ins.checkout()
            && std::fs::canonicalize(home.root()).is_ok_and(|home| root.starts_with(home))
        {
            return Err(toolbox::sync::NoTools(root.to_owned()).into());
        }
        let app = tokio::task::block_in_place(|| App::open(home.clone(), built_ins))?;
        let socket = home.socket();
        let failed = |source| OwnerError::Io {
            path: socket.clone(),
            source,
        };
        match std::fs::remove_file(&socket) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        // The folder is 0700: between bind and chmod nobody else can reach the socket either.
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        std::fs::set_permissions(&socket, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(failed)?;
        let (visits, presence) = (Visits::default(), Visits::default());
        let router = router(&app, Door::Socket)
            .layer(middleware::from_fn_with_state(visits.clone(), visits::count))
            .layer(middleware::from_fn_with_state(presence.clone(), visits::attend));
        let mut listeners = JoinSet::new();
        let entrance = Entrance {
            listener,
            who: |stream, _| Visitor::of(stream),
            head: None,
        };
        listeners.spawn(http::serve(entrance, router, app.inner.ending.clone()));
        Ok(Owner {
            app,
            _ownership: ownership,
            socket,
            address: None,
            visits,
            presence,
            listeners,
        })
    }

    /// Opens the port, too.
    pub async fn listen(&mut self, options: &ServeOptions) -> Result<Address, OwnerError> {
        let settings: &Settings = &self.app.inner.settings;
        let host = options
            .host
            .clone()
            .unwrap_or_else(|| settings.server.host.clone());
        let wanted = options.port.unwrap_or(settings.server.port);
        let failed = |source| OwnerError::Address {
            host: host.clone(),
            port: wanted,
            source,
        };
        let listener = bind(&host, wanted).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let url = format!("http://{}", authority(&host, bound));
        let door = Door::Tcp {
            hosts: Hosts {
                names: names(&host),
                any_address: bound.ip().is_unspecified(),
            },
            port: bound.port(),
        };
        self.app.inner.host.own_ports().add(bound.port());
        // Only set here, once.
        let _ = self.app.inner.address.set(url.clone());
        let presence = middleware::from_fn_with_state(self.presence.clone(), visits::attend);
        let router = router(&self.app, door).layer(presence);
        let entrance = Entrance {
            listener: Prompt(listener),
            who: |_, address| Peer(*address),
            head: Some(http::HEAD),
        };
        let ending = self.app.inner.ending.clone();
        self.listeners.spawn(http::serve(entrance, router, ending));
        self.app.follow_skills().await;
        // Their events are read meanwhile: nobody waits for them to reach the server.
        let app = self.app.clone();
        self.app
            .keep(tokio::spawn(async move { app.resume_societies().await }));
        // Read before the first command, good rules are there to hold when a person breaks them by then. Whoever is
        // judged is told what is wrong.
        let app = self.app.clone();
        self.app
            .keep(tokio::spawn(async move { drop(app.inner.rules.broken().await) }));
        let address = Address {
            url,
            instead_of: (wanted != 0 && bound.port() != wanted).then_some(wanted),
        };
        self.address = Some(address.clone());
        Ok(address)
    }

    /// The product that is open.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// A link that opens the web page once.
    pub fn link(&self) -> Result<String, base::Failure> {
        let address = self
            .address
            .as_ref()
            .ok_or_else(|| base::Failure::new("no_web_address"))?;
        Ok(format!(
            "{}/#code={}",
            address.url,
            self.app.inner.auth.new_code()?
        ))
    }

    /// Resolves when somebody asked the owner to end.
    pub async fn asked_to_end(&self) {
        self.app.inner.ending.cancelled().await;
    }

    /// Resolves when no other process has a call running here, and none is about to make its
    /// next one. There is no limit: what others run ends by its own limits. For an owner that
    /// exists for one verb, when that verb is done.
    pub async fn deserted(&self) {
        loop {
            self.visits.quiet(visits::QUIET).await;
            if self.is_left() {
                return;
            }
            // A caller that went away left its call behind.
            self.left().await;
        }
    }

    /// Resolves when nobody has asked for anything for so long, and nothing runs.
    pub async fn idle(&self, long: Duration) {
        // From now on, if nobody ever comes.
        self.presence.during(async {}).await;
        loop {
            self.presence.quiet(long).await;
            if self.is_left() {
                return;
            }
            self.presence.during(self.left()).await;
        }
    }

    fn is_left(&self) -> bool {
        let inner = &self.app.inner;
        let at_work = self.app.society().is_ok_and(|society| society.is_at_work());
        inner.running.is_empty() && inner.bridges.is_empty() && !at_work
    }

    async fn left(&self) {
        self.app.finished().await;
        self.app.left().await;
    }

    /// Tells running calls to stop; their callers get answers that say so.
    pub fn cancel_calls(&self) {
        self.app.inner.cancel.cancel();
    }

    /// Finishes running calls, ends the workers, lets the answers be read, gives the data home
    /// back.
    pub async fn close(mut self) {
        self.app.drain().await;
        let answered = async {
            while self.listeners.join_next().await.is_some() {}
            self.app.left().await;
        };
        if tokio::time::timeout(LAST_WORDS, answered).await.is_err() {
            tracing::warn!("a client did not read its answer");
        }
        self.app.shut_down().await;
        if let Err(error) = std::fs::remove_file(&self.socket) {
            tracing::debug!(%error, "the socket was gone already");
        }
    }
}

/// The wanted port, else the next free one.
async fn bind(host: &str, wanted: u16) -> io::Result<TcpListener> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let mut port = wanted;
    loop {
        match TcpListener::bind((host, port)).await {
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse && port.wrapping_sub(wanted) < NEXT_PORTS =>
            {
                port = port.checked_add(1).ok_or(error)?;
            }
            bound => return bound,
        }
    }
}

fn authority(host: &str, bound: SocketAddr) -> String {
    match bound.ip() {
        // Nobody connects to "any".
        ip if ip.is_unspecified() => format!("127.0.0.1:{}", bound.port()),
        IpAddr::V6(ip) => format!("[{ip}]:{}", bound.port()),
        IpAddr::V4(_) if host.parse::<IpAddr>().is_err() => format!("{host}:{}", bound.port()),
        IpAddr::V4(ip) => format!("{ip}:{}", bound.port()),
    }
}

/// Names by which a request may call us.
fn names(host: &str) -> Vec<String> {
    let mut names = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).to_vec();
    let own = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    if !names.contains(&own) {
        names.push(own);
    }
    names
}
