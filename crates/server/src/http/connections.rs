//! Connections of a door: accepted, served, and ended with the owner once their answers are read.
//!
//! What axum::serve does, and one thing more: who does not say a request's head in time is hung up on,
//! and with him who has nothing to say for so long.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::pin::pin;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// A way in.
pub(crate) struct Entrance<L: Listener, C> {
    pub(crate) listener: L,
    /// Who is at the other end; each request carries it as [`ConnectInfo`].
    pub(crate) who: fn(&L::Io, &L::Addr) -> C,
    /// How long a head may take. Own programs have all the time.
    pub(crate) head: Option<Duration>,
}

/// Serves until `ending`, and then until the last connection has ended.
pub(crate) async fn serve<L, C>(entrance: Entrance<L, C>, router: Router, ending: CancellationToken)
where
    L: Listener,
    C: Clone + Send + Sync + 'static,
{
    let Entrance {
        mut listener,
        who,
        head,
    } = entrance;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let connections = TaskTracker::new();
    loop {
        let (io, address) = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ending.cancelled() => break,
        };
        let (peer, router) = (who(&io, &address), router.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer.clone()));
            router.clone().oneshot(request)
        });
        let connection = http.serve_connection(TokioIo::new(io), service).with_upgrades();
        let ending = ending.clone();
        connections.spawn(async move {
            let mut connection = pin!(connection);
            let served = tokio::select! {
                served = connection.as_mut() => served,
                () = ending.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = served {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Prompt;
    use axum::routing::get;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Notify;
    use tokio::task::JoinHandle;

    const HEAD: Duration = Duration::from_millis(300);

    /// What a test holds of a door that is open.
    struct Opened {
        address: SocketAddr,
        ending: CancellationToken,
        serving: JoinHandle<()>,
        /// A request is at the gate …
        came: Arc<Notify>,
        /// … and goes on.
        go: Arc<Notify>,
    }

    async fn opened() -> Opened {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let entrance = Entrance {
            listener: Prompt(listener),
            who: |_, peer: &SocketAddr| *peer,
            head: Some(HEAD),
        };
        let (came, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let gate = {
            let (came, go) = (came.clone(), go.clone());
            || async move {
                came.notify_one();
                go.notified().await;
                "through"
            }
        };
        let who = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() };
        let router = Router::new().route("/gate", get(gate)).route("/who", get(who));
        let ending = CancellationToken::new();
        let serving = tokio::spawn(serve(entrance, router, ending.clone()));
        Opened {
            address,
            ending,
            serving,
            came,
            go,
        }
    }

    async fn ask(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// All that comes until the connection is closed.
    async fn rest(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn who_does_not_finish_a_head_is_hung_up_on_and_who_waits_for_an_answer_is_not() {
        let door = opened().await;
        for unfinished in ["", "GET /who HTTP/1.1\r\nHost: x\r\n"] {
            let stream = ask(door.address, unfinished).await;
            assert_eq!(rest(stream).await, "");
        }
        let requests = "GET /gate HTTP/1.1\r\nHost: x\r\n\r\nGET /who HTTP/1.1\r\nHost: x\r\n\r\n";
        let stream = ask(door.address, requests).await;
        let own = stream.local_addr().unwrap().to_string();
        door.came.notified().await;
        tokio::time::sleep(HEAD * 2).await;
        door.go.notify_one();
        let text = rest(stream).await;
        assert!(text.contains("through") && text.ends_with(&own), "{text}");
    }

    #[tokio::test]
    async fn at_the_end_what_was_asked_is_answered_and_who_asks_nothing_is_let_go() {
        let door = opened().await;
        let busy = ask(door.address, "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n").await;
        door.came.notified().await;
        // Its answer shows that it is one of ours, and not still in the line before the door.
        let mut silent = ask(door.address, "GET /who HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let (own, mut said) = (silent.local_addr().unwrap().to_string(), Vec::new());
        while !said.ends_with(own.as_bytes()) {
            assert!(silent.read_buf(&mut said).await.unwrap() > 0);
        }
        door.ending.cancel();
        assert_eq!(rest(silent).await, "");
        door.go.notify_one();
        let text = rest(busy).await;
        assert!(text.ends_with("through"), "{text}");
        door.serving.await.unwrap();
        assert!(TcpStream::connect(door.address).await.is_err(), "nobody listens");
    }
}
