//! Where no worker runs, no socket is passed.

use super::{Audit, Connection, Listener, NetError, Network};
use std::io::{self, Read};
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use tokio::net::UnixStream;

pub async fn connect(_: &Network, _: &Audit, _: &str, _: u16) -> Result<Connection, NetError> {
    Err(NetError::Pass(io::ErrorKind::Unsupported.into()))
}

pub async fn lookup(_: &Network, _: &Audit, _: &str) -> Result<Vec<IpAddr>, NetError> {
    Err(NetError::Pass(io::ErrorKind::Unsupported.into()))
}

pub async fn listen(_: &Network, _: &Audit, _: &str, _: u16) -> Result<Listener, NetError> {
    Err(NetError::Pass(io::ErrorKind::Unsupported.into()))
}

pub async fn pass(_: &UnixStream, _: &[u8], _: OwnedFd) -> Result<(), NetError> {
    Err(NetError::Pass(io::ErrorKind::Unsupported.into()))
}

#[derive(Debug)]
pub struct Receiver<C>(C);

impl<C> Receiver<C> {
    pub fn new(channel: C) -> Self {
        Receiver(channel)
    }

    pub fn take_socket(&mut self) -> Option<OwnedFd> {
        None
    }
}

impl<C: Read> Read for Receiver<C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
