//! `CONNECT` and SOCKS5.

use crate::support::{Guarded, Names, Web, read_until};
use sandbox::net::{Decision, HostRules, Via};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

fn connect(host: &str, port: u16) -> String {
    format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")
}

#[tokio::test]
async fn connect_carries_bytes_and_ends_of_both_directions() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = Names::of(&[("site.example", "127.0.0.1")]);
    let guarded = Guarded::new(&["site.example"], &[port], &names);
    let mut stream = guarded.open().await;
    // What comes right behind the request belongs to the tunnel.
    stream
        .write_all((connect("site.example", port) + "early").as_bytes())
        .await
        .unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let answer = read_until(&mut stream, "\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    stream.write_all(b" and late").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut heard = String::new();
    server.read_to_string(&mut heard).await.unwrap();
    assert_eq!(heard, "early and late", "the end of one direction arrives");
    server.write_all(b"answer after the end").await.unwrap();
    drop(server);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "answer after the end");
    assert_eq!(guarded.attempts()[0].via, Via::Connect);
}

#[tokio::test]
async fn connect_is_refused_like_everything_else() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1"), ("inside.example", "10.0.0.1")]);
    let guarded = Guarded::new(&["inside.example"], &[], &names);
    let mut stream = guarded.open().await;
    for host in [
        "site.example",
        "inside.example",
        "127.0.0.1",
        "[::ffff:7f00:1]",
        "0x7f.1",
        "localhost",
    ] {
        stream
            .write_all(connect(host, web.port).as_bytes())
            .await
            .unwrap();
        let answer = read_until(&mut stream, ".\n").await;
        assert!(
            answer.starts_with("HTTP/1.1 403 Forbidden\r\n"),
            "{host}: {answer}"
        );
        read_until(&mut stream, ".\n").await;
    }
    let codes: Vec<Decision> = guarded
        .decisions()
        .into_iter()
        .map(|(_, _, decision)| decision)
        .collect();
    assert_eq!(codes[0], Decision::Refused("network_not_granted"));
    assert_eq!(codes[1], Decision::Refused("network_address_refused"));
    assert!(
        codes[2..]
            .iter()
            .all(|code| *code == Decision::Refused("network_loopback_not_granted")),
        "{codes:?}"
    );
    // The same connection, once the rules let it through.
    guarded
        .network
        .change_rules(HostRules::new(&["site.example"], &[web.port]).unwrap());
    stream
        .write_all(connect("site.example", web.port).as_bytes())
        .await
        .unwrap();
    assert!(
        read_until(&mut stream, "\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 200 ")
    );
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    read_until(&mut stream, "hello").await;
}

/// Greets and asks; the reply's code.
async fn socks(guarded: &Guarded, command: u8, address: &[u8], port: u16) -> (u8, UnixStream) {
    let mut stream = guarded.open().await;
    stream.write_all(&[5, 2, 2, 0]).await.unwrap();
    let mut method = [0; 2];
    stream.read_exact(&mut method).await.unwrap();
    assert_eq!(method, [5, 0]);
    let mut request = vec![5, command, 0];
    request.extend(address);
    request.extend(port.to_be_bytes());
    stream.write_all(&request).await.unwrap();
    let mut reply = [0; 10];
    stream.read_exact(&mut reply).await.unwrap();
    assert_eq!([reply[0], reply[2], reply[3]], [5, 0, 1]);
    (reply[1], stream)
}

fn name(name: &str) -> Vec<u8> {
    [&[3, u8::try_from(name.len()).unwrap()], name.as_bytes()].concat()
}

fn ip(address: &str) -> Vec<u8> {
    match address.parse().unwrap() {
        IpAddr::V4(ip) => [&[1], ip.octets().as_slice()].concat(),
        IpAddr::V6(ip) => [&[4], ip.octets().as_slice()].concat(),
    }
}

#[tokio::test]
async fn socks_by_name_and_by_address() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1")]);
    let guarded = Guarded::new(&["site.example"], &[web.port], &names);
    for address in [
        name("Site.Example."),
        name("localhost"),
        name("127.1"),
        ip("127.0.0.1"),
        ip("::ffff:127.0.0.1"),
    ] {
        let (code, mut stream) = socks(&guarded, 1, &address, web.port).await;
        assert_eq!(code, 0, "{address:?}");
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        read_until(&mut stream, "hello").await;
    }
    assert!(
        guarded
            .attempts()
            .iter()
            .all(|one| one.via == Via::Socks && one.decision == Decision::Allowed)
    );

    if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await {
        let port = listener.local_addr().unwrap().port();
        guarded
            .network
            .change_rules(HostRules::new::<&str>(&[], &[port]).unwrap());
        let (code, _stream) = socks(&guarded, 1, &ip("::1"), port).await;
        assert_eq!(code, 0);
        listener.accept().await.unwrap();
    }
}

#[tokio::test]
async fn socks_refuses_with_its_own_words() {
    let web = Web::start().await;
    let names = Names::of(&[("inside.example", "192.168.7.7"), ("dead.example", "127.0.0.1")]);
    // Bound and not listening it refuses, and nobody else is given its port.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let closed = silent.local_addr().unwrap().port();
    let guarded = Guarded::new(&["*"], &[closed], &names);
    for (command, address, port, wanted) in [
        (1, name("inside.example"), 80, 2),
        (1, ip("127.0.0.1"), web.port, 2),
        (1, ip("::1"), web.port, 2),
        (1, ip("169.254.169.254"), 80, 2),
        (1, ip("64:ff9b::a00:1"), 80, 2),
        (1, name("a b"), 80, 2),
        (1, name("unknown.example"), 80, 4),
        (1, name("dead.example"), closed, 5),
        (2, name("inside.example"), 80, 7),
        (3, ip("1.1.1.1"), 53, 7),
    ] {
        assert_eq!(
            socks(&guarded, command, &address, port).await.0,
            wanted,
            "{command} {address:?} {port}"
        );
    }
    assert_eq!(web.heard.all(), Vec::<String>::new());
    assert_eq!(guarded.attempts().len(), 8, "what is not supported is no attempt");

    assert_eq!(
        guarded.say([5, 1, 2]).await.as_bytes(),
        "\u{5}\u{fffd}".as_bytes(),
        "passwords alone: 5, 255"
    );
    assert_eq!(
        guarded.say([5, 1, 0, 5, 1, 0, 9]).await.as_bytes(),
        [5, 0, 5, 8, 0, 1, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(
        guarded.say([5, 1, 0, 4, 1, 0, 1]).await.as_bytes(),
        [5, 0],
        "not SOCKS5 any more"
    );
    assert_eq!(guarded.say([5]).await, "");
}
