//! Sockets for a worker that can make none: the host connects and passes what it connected.
//!
//! A message on the channel carries at most one socket, attached to its first byte. The kernel
//! never joins two such messages in one read, so a reader that reads exactly the bytes of its frames
//! knows to which frame a socket belongs. What does not have this form is refused and closed.
//!
//! Deliberately not here: what the messages say (the channel's protocol is its owner's). An open
//! socket outlives the grant that let it through, like any connection.

use super::{Attempt, Audit, Connection, Listener, NetError, Network, Via};
use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UnixStream;

/// A worker that reads nothing for so long is not waited for.
const PASS: Duration = Duration::from_secs(10);

/// Connects, if the host is granted, and tells the audit.
pub async fn connect(
    network: &Network,
    audit: &Audit,
    host: &str,
    port: u16,
) -> Result<Connection, NetError> {
    let connected = network.connect(host, port).await;
    let outcome = connected.as_ref().map(|connection| connection.address);
    audit(Attempt::of(Via::Broker, host, port, &outcome));
    connected
}

/// Resolves, if the host is granted with any port, and tells the audit of a refusal. An answer leads
/// nowhere by itself.
pub async fn lookup(network: &Network, audit: &Audit, host: &str) -> Result<Vec<IpAddr>, NetError> {
    let found = network.lookup(host).await;
    if let Err(error) = &found {
        audit(Attempt::of(Via::Broker, host, 0, &Err(error)));
    }
    found
}

/// Listens on loopback, if the port is granted, and tells the audit.
pub async fn listen(network: &Network, audit: &Audit, host: &str, port: u16) -> Result<Listener, NetError> {
    let listened = network.listen(host, port).await;
    let outcome = match &listened {
        Ok(listener) => {
            let address = listener.local_addr();
            Ok(address.unwrap_or_else(|_| SocketAddr::from((Ipv4Addr::LOCALHOST, port))))
        }
        Err(error) => Err(error),
    };
    audit(Attempt::of(Via::Broker, host, port, &outcome));
    listened
}

/// Sends `message` with a socket. After an error the channel may have carried a part of the message: it
/// is of no use any more.
pub async fn pass(channel: &UnixStream, message: &[u8], socket: OwnedFd) -> Result<(), NetError> {
    match tokio::time::timeout(PASS, send(channel, message, socket.as_fd())).await {
        Ok(sent) => sent.map_err(NetError::Pass),
        Err(_) => Err(NetError::Pass(io::ErrorKind::TimedOut.into())),
    }
}

/// Sends all of `message`, the socket with its first byte.
pub async fn send(channel: &UnixStream, message: &[u8], socket: BorrowedFd<'_>) -> io::Result<()> {
    if message.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut sent = channel
        .async_io(Interest::WRITABLE, || Ok(send_with(channel, message, socket)?))
        .await?;
    while sent < message.len() {
        channel.writable().await?;
        match channel.try_write(&message[sent..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(more) => sent += more,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn send_with(channel: &UnixStream, message: &[u8], socket: BorrowedFd) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [socket];
    if !control.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err(rustix::io::Errno::NOBUFS);
    }
    rustix::net::sendmsg(
        channel,
        &[IoSlice::new(message)],
        &mut control,
        SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
    )
}

/// The reading end of a channel that sockets come through. Reads like the channel itself; a socket
/// that came with what was read waits in [`Receiver::take_socket`].
#[derive(Debug)]
pub struct Receiver<C> {
    channel: C,
    socket: Option<OwnedFd>,
}

impl<C: AsFd> Receiver<C> {
    pub fn new(channel: C) -> Self {
        Receiver {
            channel,
            socket: None,
        }
    }

    /// The socket that came with the message just read. Closed when another program is executed.
    pub fn take_socket(&mut self) -> Option<OwnedFd> {
        self.socket.take()
    }
}

impl<C: AsFd> Read for Receiver<C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // An empty read would look like the end, and could take a socket without its byte.
        if buffer.is_empty() {
            return Ok(0);
        }
        let (count, socket) = receive(&self.channel, buffer)?;
        if socket.is_some() && self.socket.is_some() {
            return Err(unfit("a socket came before the last one was taken"));
        }
        self.socket = socket.or(self.socket.take());
        Ok(count)
    }
}

/// One read with the socket that came with it. Every socket of a message that is refused is closed.
pub fn receive(channel: impl AsFd, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(
            &channel,
            &mut [IoSliceMut::new(buffer)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    let mut sockets: Vec<OwnedFd> = Vec::new();
    let mut other = false;
    for message in control.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(found) => sockets.extend(found),
            _ => other = true,
        }
    }
    if received.flags.contains(ReturnFlags::CTRUNC) {
        return Err(unfit("control data were cut off"));
    }
    // Padding leaves room for two where one was asked for.
    if other || sockets.len() > 1 {
        return Err(unfit("more than one socket in a message"));
    }
    Ok((received.bytes, sockets.pop()))
}

fn unfit(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
