//! MCP over a stream of lines: what `pm mcp` passes between its client's pipes and the owner's socket
//! (`wire::Client::mcp_stream`). The same endpoint as behind `/mcp`, one service for each stream.
//!
//! Deliberately not here: pipes. `pm mcp` knows the client, this side knows the protocol.

use super::{Endpoint, Handler, Origin};
use crate::app::App;
use crate::http::failed;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, UPGRADE};
use axum::response::{IntoResponse, Response};
use base::Failure;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use rmcp::service::serve_server_with_ct;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio_util::sync::CancellationToken;

/// Bytes of one message of a client.
const LINE: usize = crate::http::BODY;

/// Turns the request into a stream, which lives until either side closes it or the owner has ended
/// its calls.
pub(crate) async fn open(State(app): State<App>, mut request: Request) -> Response {
    if app.inner.ending.is_cancelled() {
        return failed(&Failure::new("server_ending"), app.lang());
    }
    let named = request.headers().get(wire::MCP_CLIENT);
    let name = named.and_then(|name| name.to_str().ok()).map(str::to_owned);
    let upgrade = hyper::upgrade::on(&mut request);
    let bridges = app.inner.bridges.clone();
    bridges.spawn(async move {
        match upgrade.await {
            Ok(stream) => serve(app, name, stream).await,
            Err(error) => tracing::debug!(%error, "a client did not stay for its stream"),
        }
    });
    let headers = [(CONNECTION, "upgrade"), (UPGRADE, wire::MCP_STREAM)];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

async fn serve(app: App, name: Option<String>, stream: Upgraded) {
    let (read, write) = tokio::io::split(TokioIo::new(stream));
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(LINE);
    let close = CancellationToken::new();
    let _end = tokio_util::task::AbortOnDropHandle::new(tokio::spawn({
        let (app, close) = (app.clone(), close.clone());
        async move {
            // No new calls then; those that run get their answers through the stream.
            app.inner.ending.cancelled().await;
            app.finished().await;
            close.cancel();
        }
    }));
    let endpoint = Endpoint {
        app,
        origin: Origin::Stream(name),
        following: Default::default(),
    };
    let ended = match serve_server_with_ct(Handler::from(endpoint), transport, close).await {
        Ok(running) => running.waiting().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = ended {
        tracing::debug!(error, "a stream of MCP ended early");
    }
}
