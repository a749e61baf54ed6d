//! The network's connections, set up to answer at once.

use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections that do not hold small pieces back: together with a client that delays its
/// acknowledgements, each answer on a kept connection would take 40 ms longer.
pub(crate) struct Prompt(pub(crate) TcpListener);

impl Listener for Prompt {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let (stream, peer) = Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection stays slow");
        }
        (stream, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn accepted_connections_do_not_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut prompt = Prompt(listener);
        let (accepted, _client) = tokio::join!(Listener::accept(&mut prompt), TcpStream::connect(address));
        assert!(accepted.0.nodelay().unwrap());
    }
}
