//! The client against a real socket: what ends when nobody waits any more, and what is passed on.

use super::*;
use crate::types::WireEvent;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

struct Peer {
    _dir: tempfile::TempDir,
    listener: UnixListener,
    client: Client,
}

fn peer() -> Peer {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    Peer {
        listener: UnixListener::bind(&socket).unwrap(),
        client: Client::new(&socket),
        _dir: dir,
    }
}

impl Peer {
    /// Takes one connection and reads the head of its request.
    async fn request(&self) -> (UnixStream, String) {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains("\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0);
        }
        let text = String::from_utf8(bytes).unwrap();
        (stream, text.lines().next().unwrap().to_owned())
    }
}

async fn answer(stream: &mut UnixStream, status: &str, headers: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).await.unwrap();
}

fn event(cursor: &str, kind: &str) -> WireEvent {
    WireEvent {
        cursor: cursor.to_owned(),
        kind: kind.to_owned(),
        tags: vec!["runs".to_owned()],
        data: Value::Null,
    }
}

async fn send_event(stream: &mut UnixStream, event: &WireEvent) {
    let line = serde_json::to_string(event).unwrap() + "\n\n";
    let chunk = format!("{:x}\r\n{line}\r\n", line.len());
    stream.write_all(chunk.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    let peer = peer();
    let client = peer.client.clone();
    let call = tokio::spawn(async move {
        client
            .call::<_, Value>("log.window", &json!({ "tool": "x" }))
            .await
    });
    let (mut stream, line) = peer.request().await;
    assert_eq!(line, "POST /api/log.window HTTP/1.1");
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    // Ends only when the other side is closed.
    stream.read_to_end(&mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn assets_come_with_their_headers_and_refusals_with_their_code() {
    let peer = peer();
    let served = async {
        let (mut stream, line) = peer.request().await;
        assert_eq!(line, "GET /artifacts/a.png?until=5&sign=ff HTTP/1.1");
        answer(&mut stream, "200 OK", "content-type: image/png\r\n", "bytes").await;
        let (mut stream, _) = peer.request().await;
        let body = json!({ "code": "unauthorized", "message": "m" }).to_string();
        answer(&mut stream, "401 Unauthorized", "", &body).await;
    };
    let asked = async {
        let address = "/artifacts/a.png?until=5&sign=ff";
        let asset = peer.client.asset(address).await.unwrap();
        assert_eq!(asset.bytes, "bytes");
        assert_eq!(asset.headers[CONTENT_TYPE], "image/png");
        match peer.client.asset(address).await.unwrap_err() {
            ClientError::Call(error) => assert_eq!(error.code, "unauthorized"),
            other => panic!("{other}"),
        }
    };
    tokio::join!(served, asked);
}

#[tokio::test]
async fn events_arrive_as_they_are_sent_and_end_with_the_stream() {
    let peer = peer();
    let served = async {
        let (mut stream, line) = peer.request().await;
        assert_eq!(line, "GET /api/events?cursor=e1:7 HTTP/1.1");
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            .await
            .unwrap();
        send_event(&mut stream, &event("e1:8", "run.started")).await;
        stream
    };
    let (mut stream, events) = tokio::join!(served, peer.client.events(Some("e1:7")));
    let mut events = events.unwrap();
    // Read before the next is sent: nothing waits for a full buffer.
    assert_eq!(events.next().await.unwrap(), Some(event("e1:8", "run.started")));
    send_event(&mut stream, &event("e1:9", "run.finished")).await;
    assert_eq!(events.next().await.unwrap().unwrap().cursor, "e1:9");
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    assert_eq!(events.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_stream_that_is_cut_off_is_an_error_and_a_dropped_one_closes_its_connection() {
    let peer = peer();
    for cut in [true, false] {
        let served = async {
            let (mut stream, line) = peer.request().await;
            assert_eq!(line, "GET /api/events HTTP/1.1");
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                .await
                .unwrap();
            stream
        };
        let (mut stream, events) = tokio::join!(served, peer.client.events(None));
        let mut events = events.unwrap();
        if cut {
            drop(stream);
            assert!(matches!(events.next().await, Err(ClientError::Broken(_))));
        } else {
            drop(events);
            stream.read_to_end(&mut Vec::new()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn without_a_server_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let client = Client::new(&dir.path().join("none.sock"));
    let failed = [
        client.events(None).await.err().map(|error| error.code()),
        client
            .asset("/artifacts/a.png")
            .await
            .err()
            .map(|error| error.code()),
    ];
    assert_eq!(failed, [Some("server_not_running"); 2]);
}

/// The head of the next request, lower case, and its connection.
async fn head(peer: &Peer) -> (UnixStream, String) {
    let (mut stream, _) = peer.listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains("\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0);
    }
    (stream, String::from_utf8(bytes).unwrap().to_ascii_lowercase())
}

#[tokio::test]
async fn an_answer_is_asked_for_again_under_its_key_by_a_program_that_names_itself() {
    let peer = peer();
    let client = peer.client.clone().named(DESKTOP);
    for (asked, again) in [(Asked::First, false), (Asked::Again, true)] {
        let serve = async {
            let (mut stream, head) = head(&peer).await;
            assert!(head.contains("idempotency-key: k1\r\n"), "{head}");
            assert!(head.contains("pm-program: desktop\r\n"), "{head}");
            assert_eq!(head.contains("idempotency-again: 1\r\n"), again, "{head}");
            answer(&mut stream, "200 OK", "", "{}").await;
        };
        let params = json!({});
        let call = client.call_with_key::<_, Value>("tool.run", &params, "k1", asked);
        let (got, ()) = tokio::join!(call, serve);
        assert_eq!(got.unwrap(), params);
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_a_broken_connection() {
    let peer = peer();
    let serve = async {
        let (mut stream, _) = head(&peer).await;
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"half\":")
            .await
            .unwrap();
    };
    let params = json!({});
    let (got, ()) = tokio::join!(peer.client.call::<_, Value>("tool.run", &params), serve);
    assert_eq!(got.unwrap_err().code(), "connection_broken");
}
