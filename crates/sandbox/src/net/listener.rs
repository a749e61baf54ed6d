//! A socket that listens for a worker, and ends when its owner says so.

use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};

/// Listens until it is dropped; afterwards nobody is let in and the address is free.
///
/// Closing alone is not enough: a child that is being started holds copies of all descriptors from
/// `fork` to `exec`, and while one copy is open the kernel goes on letting connections in.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    pub(super) async fn bind(address: impl Into<SocketAddr>) -> io::Result<Self> {
        Ok(Listener(TcpListener::bind(address.into()).await?))
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Systems that refuse this for a socket which listens end it with its last descriptor.
        #[cfg(unix)]
        let _ = rustix::net::shutdown(&self.0, rustix::net::Shutdown::Both);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::net::Ipv4Addr;
    use std::os::fd::AsFd;

    #[tokio::test]
    async fn a_copy_that_a_child_holds_lets_nobody_in_when_it_is_over() {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let _copy = listener.0.as_fd().try_clone_to_owned().unwrap();
        let client = TcpStream::connect(address).await.unwrap();
        assert_eq!(listener.accept().await.unwrap().1, client.local_addr().unwrap());
        drop(listener);
        assert!(TcpStream::connect(address).await.is_err());
        Listener::bind(address).await.unwrap();
    }
}
