//! Sockets passed to a process that has made none.
#![allow(
    clippy::disallowed_methods,
    reason = "starts this very program as the other process"
)]

use crate::support::{Names, Web, notes};
use rustix::cmsg_space;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use sandbox::net::broker::{Receiver, connect, pass, receive, send};
use sandbox::net::{Decision, HostRules, NetError, Network, OwnPorts, Via};
use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

fn network(hosts: &[&str], loopback: &[u16], names: &[(&str, &str)]) -> Network {
    Network::new(HostRules::new(hosts, loopback).unwrap(), &OwnPorts::default())
        .with_resolver(Names::of(names))
}

fn channel() -> (tokio::net::UnixStream, UnixStream) {
    let (host, guest) = UnixStream::pair().unwrap();
    host.set_nonblocking(true).unwrap();
    (tokio::net::UnixStream::from_std(host).unwrap(), guest)
}

const CHILD: &str = "PM_TEST_BROKER_CHILD";

/// Not a test of its own: the other process of the one below. Its standard input is the channel.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut channel = Receiver::new(std::io::stdin());
    let mut frame = [0; 5];
    channel.read_exact(&mut frame).unwrap();
    assert_eq!(&frame, b"first");
    assert!(channel.take_socket().is_none());
    channel.read_exact(&mut frame).unwrap();
    assert_eq!(&frame, b"sockt");
    let mut socket = TcpStream::from(channel.take_socket().unwrap());
    socket.set_nonblocking(false).unwrap();
    socket.write_all(b"GET /child HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = [0; 8];
    socket.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_uses_what_the_host_connected() {
    let web = Web::start().await;
    let network = network(&["site.example"], &[web.port], &[("site.example", "127.0.0.1")]);
    let (host, guest) = channel();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "broker::child", "--nocapture"])
        .env(CHILD, "1")
        .stdin(Stdio::from(OwnedFd::from(guest)))
        .spawn()
        .unwrap();
    host.writable().await.unwrap();
    assert_eq!(host.try_write(b"first").unwrap(), 5);
    let (audit, attempts) = notes();
    let connection = connect(&network, &audit, "site.example", web.port).await.unwrap();
    assert_eq!(connection.address, ([127, 0, 0, 1], web.port).into());
    let socket = connection.stream.into_std().unwrap().into();
    pass(&host, b"sockt", socket).await.unwrap();
    let status = tokio::task::spawn_blocking(move || child.wait())
        .await
        .unwrap()
        .unwrap();
    assert!(status.success());
    assert_eq!(web.heard.all(), ["GET /child HTTP/1.1\r\n\r\n"]);
    let attempt = attempts.lock().unwrap().remove(0);
    assert_eq!((attempt.via, attempt.decision), (Via::Broker, Decision::Allowed));
}

#[tokio::test]
async fn what_is_refused_is_not_connected() {
    let web = Web::start().await;
    let network = network(&["inside.example"], &[], &[("inside.example", "10.0.0.1")]);
    let (audit, attempts) = notes();
    for (name, port) in [
        ("inside.example", 80),
        ("other.example", 80),
        ("127.0.0.1", web.port),
        ("a b", 80),
    ] {
        let refused = connect(&network, &audit, name, port).await;
        assert!(
            refused.as_ref().is_err_and(NetError::is_refusal),
            "{name}: {refused:?}"
        );
    }
    assert_eq!(attempts.lock().unwrap().len(), 4);
    assert_eq!(web.heard.all(), Vec::<String>::new());
}

/// Frames with and without sockets, one behind the other: each socket with its own frame.
#[tokio::test]
async fn a_socket_belongs_to_its_frame() {
    let (host, guest) = channel();
    let mut kept = Vec::new();
    for number in 0..20_u8 {
        if number % 3 == 0 {
            let (near, far) = UnixStream::pair().unwrap();
            send(&host, &[number; 7], far.as_fd()).await.unwrap();
            kept.push((number, near));
        } else {
            host.writable().await.unwrap();
            assert_eq!(host.try_write(&[number; 7]).unwrap(), 7);
        }
    }
    let mut channel = Receiver::new(guest);
    for number in 0..20_u8 {
        let mut frame = [0; 7];
        channel.read_exact(&mut frame[..3]).unwrap();
        channel.read_exact(&mut frame[3..]).unwrap();
        assert_eq!(frame, [number; 7]);
        let socket = channel.take_socket();
        assert_eq!(socket.is_some(), number % 3 == 0);
        if let Some(socket) = socket {
            assert!(
                rustix::io::fcntl_getfd(&socket)
                    .unwrap()
                    .contains(rustix::io::FdFlags::CLOEXEC)
            );
            UnixStream::from(socket).write_all(&[number]).unwrap();
        }
    }
    for (number, mut near) in kept {
        let mut byte = [0];
        near.read_exact(&mut byte).unwrap();
        assert_eq!(byte, [number]);
    }
}

/// A frame longer than the socket's buffer, read by somebody else meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn long_messages_arrive_whole() {
    let (host, guest) = channel();
    let message: Vec<u8> = (0..3_000_000_u32).map(|at| at as u8).collect();
    let wanted = message.clone();
    let reading = tokio::task::spawn_blocking(move || {
        let mut channel = Receiver::new(guest);
        let mut got = vec![0; wanted.len()];
        channel.read_exact(&mut got).unwrap();
        (got == wanted, channel.take_socket().is_some())
    });
    let (_near, far) = UnixStream::pair().unwrap();
    send(&host, &message, far.as_fd()).await.unwrap();
    assert_eq!(reading.await.unwrap(), (true, true));
    assert!(send(&host, b"", far.as_fd()).await.is_err());
}

fn send_many(channel: &UnixStream, sockets: &[BorrowedFd]) {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(8))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(control.push(SendAncillaryMessage::ScmRights(sockets)));
    rustix::net::sendmsg(channel, &[IoSlice::new(b"x")], &mut control, SendFlags::empty()).unwrap();
}

/// Control data that are cut off, or more than one socket: refused, and every one of them closed.
#[test]
fn more_than_one_socket_is_refused_and_closed() {
    for count in [2, 3, 8] {
        let (host, guest) = UnixStream::pair().unwrap();
        let pairs: Vec<_> = (0..count).map(|_| UnixStream::pair().unwrap()).collect();
        let far: Vec<BorrowedFd> = pairs.iter().map(|(_, far)| far.as_fd()).collect();
        send_many(&host, &far);
        let refused = receive(&guest, &mut [0; 16]);
        assert!(
            refused.is_err_and(|error| error.kind() == std::io::ErrorKind::InvalidData),
            "{count}"
        );
        for (mut near, far) in pairs {
            drop(far);
            assert_eq!(
                near.read(&mut [0; 1]).unwrap(),
                0,
                "a copy of {count} is still open somewhere"
            );
        }
    }
    let (host, guest) = UnixStream::pair().unwrap();
    let (_near, far) = UnixStream::pair().unwrap();
    send_many(&host, &[far.as_fd()]);
    assert!(
        receive(&guest, &mut [0; 16]).unwrap().1.is_some(),
        "one is as it should be"
    );
}

#[test]
fn a_socket_that_nobody_took_stops_the_next() {
    let (host, guest) = UnixStream::pair().unwrap();
    let (_near, far) = UnixStream::pair().unwrap();
    send_many(&host, &[far.as_fd()]);
    send_many(&host, &[far.as_fd()]);
    let mut channel = Receiver::new(guest);
    assert_eq!(channel.read(&mut [0; 1]).unwrap(), 1);
    assert!(channel.read(&mut [0; 1]).is_err());
}
