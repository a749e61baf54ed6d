//! The way from a worker that sockets cannot be passed to, which is Node, to whom its tool may reach: a
//! proxy on a socket that is bound into its sandbox and nowhere else. While a run is open it lets through
//! what that run may reach; between runs nobody is there.
//!
//! Deliberately not here: how Node's connections come to take this way (`js/node-network.mjs`). Whether they
//! do is no wall: there is no other way out of its namespace.

use super::children::Own;
use super::network::Reach;
use sandbox::net::proxy::{self, Options};
use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Dropped, nothing passes any more.
pub(crate) struct Link {
    listener: UnixListener,
    serving: Option<proxy::Proxy>,
    socket: proxy::Socket,
    _folder: Own,
}

impl Link {
    /// `sockets`: a folder of the owner's.
    pub(super) async fn new(sockets: &Path) -> io::Result<Link> {
        let sockets = sockets.to_owned();
        let folder = tokio::task::spawn_blocking(move || Own::make(&sockets)).await??;
        let (listener, socket) = proxy::listen(folder.path())?;
        Ok(Link {
            listener: listener.into_std()?,
            serving: None,
            socket,
            _folder: folder,
        })
    }

    pub(super) fn socket(&self) -> &Path {
        self.socket.path()
    }

    pub(crate) fn open_for(&mut self, reach: &Reach) -> io::Result<()> {
        let listener = tokio::net::UnixListener::from_std(self.listener.try_clone()?)?;
        let mut options = Options::new(reach.audit.clone());
        options.explain = reach.explain.clone();
        self.serving = Some(proxy::serve(listener, reach.network.clone(), options));
        Ok(())
    }

    /// Connections that are open end.
    pub(crate) fn close(&mut self) {
        self.serving = None;
    }
}
