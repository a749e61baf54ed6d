//! What the keeper makes of a server that answers, ends, or is not wanted. Sidecars are started by
//! the window test (tests/window).

use super::*;
use serde_json::json;
use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(10);

/// Answers `server.hello` in this language, and `server.stop` by ending.
async fn serve(socket: &Path, language: &str) {
    let listener = UnixListener::bind(socket).unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0);
        }
        let stops = bytes.starts_with(b"POST /api/server.stop ");
        let body = if stops {
            json!({})
        } else {
            json!({
                "product": "p", "version": "1", "build": "1+1", "pid": 1, "home": "/h",
                "address": "http://127.0.0.1:5621", "isolation": "full", "language": language,
            })
        };
        let body = body.to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        if stops {
            drop(listener);
            return std::fs::remove_file(socket).unwrap();
        }
    }
}

#[tokio::test]
async fn where_nobody_answers_nobody_is_attended_to() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(&dir.path().join("pm.sock"));
    let server = Server::new(Lang::En);
    let mut sidecar = None;
    let left = attend(&client, &server, &mut sidecar);
    assert_eq!(timeout(SOON, left).await.unwrap(), Left::Gone);
}

#[tokio::test]
async fn what_a_server_says_is_told_until_it_is_not_wanted_and_then_it_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    let client = Client::new(&socket);
    let server = Server::new(Lang::ZhCn);
    let watched = async {
        let left = attend(&client, &server, &mut None).await;
        assert_eq!(left, Left::Unwanted);
        stop(&client, &server, &mut None).await;
    };
    let person = async {
        let mut known = server.known.subscribe();
        let running = known
            .wait_for(|known| matches!(known.state, ServerState::Running { .. }))
            .await
            .unwrap()
            .clone();
        assert_eq!(running.lang, Lang::En, "the server's language is the person's");
        server.start_or_stop();
        known
            .wait_for(|known| known.state == ServerState::Stopping)
            .await
            .unwrap();
    };
    // Bound before it is asked: `join!` polls in this order.
    timeout(SOON, async {
        tokio::join!(serve(&socket, "en"), watched, person)
    })
    .await
    .unwrap();
    assert!(client.server_hello(NoParams {}).await.is_err());
}

#[tokio::test]
async fn a_rest_ends_when_a_server_is_wanted_again() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(&dir.path().join("pm.sock"));
    let server = Server::new(Lang::En);
    server.start_or_stop();
    let person = async {
        let mut known = server.known.subscribe();
        known
            .wait_for(|known| known.state == ServerState::Stopped)
            .await
            .unwrap();
        server.start_or_stop();
    };
    timeout(SOON, async { tokio::join!(rest(&client, &server), person) })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_rest_ends_when_somebody_starts_a_server_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    let client = Client::new(&socket);
    let server = Server::new(Lang::En);
    server.start_or_stop();
    tokio::select! {
        () = serve(&socket, "en") => panic!("it was not asked to stop"),
        done = timeout(SOON, rest(&client, &server)) => done.unwrap(),
    }
    assert_eq!(*server.wanted.borrow(), Wanted::Running);
}
