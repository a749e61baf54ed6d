//! What a client can grow has an end.

use crate::support::{Guarded, Names, Web, read_until};
use sandbox::net::proxy::Limits;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

#[tokio::test]
async fn long_heads_and_slow_heads_are_answered() {
    let limits = Limits {
        head: 2000,
        head_time: Duration::from_millis(100),
        ..Limits::default()
    };
    let guarded = Guarded::with(&["*"], &[], &Names::of(&[]), limits);
    let long = format!(
        "GET http://a.example/ HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n",
        "x".repeat(3000)
    );
    assert!(guarded.say(long).await.starts_with("HTTP/1.1 431 "));
    let many = format!(
        "GET http://a.example/ HTTP/1.1\r\nHost: a\r\n{}\r\n",
        "X: y\r\n".repeat(200)
    );
    assert!(guarded.say(many).await.starts_with("HTTP/1.1 400 "));
    let mut stream = guarded.open().await;
    stream.write_all(b"GET http://").await.unwrap();
    assert!(
        read_until(&mut stream, "did not end.\n")
            .await
            .starts_with("HTTP/1.1 408 ")
    );
    let mut stream = guarded.open().await;
    stream.write_all(&[5, 1]).await.unwrap();
    assert_eq!(
        stream.read(&mut [0; 1]).await.unwrap(),
        0,
        "SOCKS has no words for it"
    );
    assert_eq!(guarded.attempts(), []);
}

#[tokio::test]
async fn who_is_silent_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let limits = Limits {
        idle: Duration::from_millis(150),
        ..Limits::default()
    };
    let guarded = Guarded::with(&[], &[port], &Names::of(&[]), limits);
    let mut mute = guarded.open().await;
    assert_eq!(mute.read(&mut [0; 1]).await.unwrap(), 0);
    let mut tunnel = guarded.open().await;
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    tunnel.write_all(request.as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    read_until(&mut tunnel, "\r\n\r\n").await;
    assert_eq!(tunnel.read(&mut [0; 1]).await.unwrap(), 0);
    assert_eq!(
        server.read(&mut [0; 1]).await.unwrap(),
        0,
        "and the server's side is closed, too"
    );
    // A server that says nothing.
    let mut waiting = guarded.open().await;
    let request = format!("GET http://localhost:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n");
    waiting.write_all(request.as_bytes()).await.unwrap();
    let _server = listener.accept().await.unwrap();
    assert!(
        read_until(&mut waiting, "too long.\n")
            .await
            .starts_with("HTTP/1.1 502 ")
    );
}

#[tokio::test]
async fn the_one_too_many_waits_for_its_turn() {
    let web = Web::start().await;
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    let guarded = Guarded::with(&[], &[web.port], &Names::of(&[]), limits);
    let request = format!("GET http://localhost:{}/ HTTP/1.1\r\nHost: x\r\n\r\n", web.port);
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = guarded.open().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        read_until(&mut stream, "hello").await;
        open.push(stream);
    }
    let mut third = guarded.open().await;
    third.write_all(request.as_bytes()).await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(200), read_until(&mut third, "hello")).await;
    assert!(early.is_err());
    assert_eq!(web.heard.all().len(), 2);
    open.pop();
    read_until(&mut third, "hello").await;
}

#[tokio::test]
async fn its_end_is_the_end_of_its_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let guarded = Guarded::new(&[], &[port], &Names::of(&[]));
    let mut tunnel = guarded.open().await;
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    tunnel.write_all(request.as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    read_until(&mut tunnel, "\r\n\r\n").await;
    let Guarded { proxy, socket, .. } = guarded;
    drop(proxy);
    assert_eq!(server.read(&mut [0; 1]).await.unwrap(), 0);
    assert_eq!(tunnel.read(&mut [0; 1]).await.unwrap(), 0);
    // Whoever listens ends beside the connections, which may be seen first.
    let refused = async {
        while tokio::net::UnixStream::connect(&socket).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(10), refused).await;
    assert!(refused.is_ok(), "somebody listens still");
}
