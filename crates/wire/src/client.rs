//! Speaks the table to an owner: HTTP/1.1 over its socket.
//!
//! Loopback TCP is for browsers and MCP clients; programs of the same user use the socket,
//! whose file permissions are the authentication. Whatever is being waited for ends when its
//! future is dropped: the connection is closed, and the owner sees that nobody listens.

mod connection;
mod events;
mod stream;

pub use events::EventStream;

use crate::types::WireError;
use base::{Args, Coded, Failure, args};
use bytes::Bytes;
use connection::Connection;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};

/// Largest answer that is read, bytes.
const ANSWER_LIMIT: usize = 256 * 1024 * 1024;

/// Header that makes a change safe to repeat.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Header beside the key: only the answer to a change that was asked for before is wanted. Nothing
/// is done; when the owner does not know the key, the failure is `answer_not_known`.
pub const IDEMPOTENCY_AGAIN: &str = "idempotency-again";

/// Header by which a program on the socket says which of the person's own it is.
pub const PROGRAM: &str = "pm-program";

/// The desktop window, as [`PROGRAM`] names it.
pub const DESKTOP: &str = "desktop";

/// The call by which the desktop program asks, always, whether there is something to do in its window. Nobody stays for
/// it.
pub const OFFER: &str = "assistant.work";

/// What a request to the owner turns into a stream of MCP by ([`Client::mcp_stream`]).
pub const MCP_STREAM: &str = "pm-mcp";

/// Header by which such a stream names the client that it is for.
pub const MCP_CLIENT: &str = "pm-mcp-client";

/// A client of the owner at one socket. Cheap to clone; connects for each call.
#[derive(Clone, Debug)]
pub struct Client {
    socket: PathBuf,
    program: Option<&'static str>,
}

/// Whether a change is asked for, or what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    First,
    /// The way to the answer broke: the key is that of the first time.
    Again,
}

/// The bytes behind an address that a row named, with what the owner says about them.
#[derive(Clone, Debug)]
pub struct Asset {
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens on the socket.
    #[error("no server listens on {socket}")]
    NotRunning {
        socket: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The call was made and failed; worded by the server.
    #[error("{}: {}", .0.code, .0.message)]
    Call(WireError),
    #[error("the connection to the server broke")]
    Broken(#[source] hyper::Error),
    #[error("the server's answer could not be read: {0}")]
    BadAnswer(String),
    /// A stream that must give a sign of life gave none.
    #[error("the server has fallen silent")]
    Silent,
}

impl Coded for ClientError {
    fn code(&self) -> &'static str {
        match self {
            ClientError::NotRunning { .. } => "server_not_running",
            ClientError::Call(_) => "call_failed",
            ClientError::Broken(_) | ClientError::Silent => "connection_broken",
            ClientError::BadAnswer(_) => "bad_answer",
        }
    }
    fn args(&self) -> Args {
        match self {
            ClientError::NotRunning { socket, .. } => args! { socket: socket },
            ClientError::Call(error) => args! { reason: error.message },
            ClientError::Broken(error) => args! { reason: error.to_string() },
            ClientError::Silent => args! { reason: self.to_string() },
            ClientError::BadAnswer(reason) => args! { reason: reason },
        }
    }
}

impl ClientError {
    /// The failure behind it: the server's own code where there is one.
    pub fn into_failure(self) -> Failure {
        match self {
            ClientError::Call(error) => Failure {
                code: error.code,
                args: error.args,
                detail: error.message,
            },
            other => Failure::from(other),
        }
    }
}

impl Client {
    pub fn new(socket: &Path) -> Self {
        Client {
            socket: socket.to_owned(),
            program: None,
        }
    }

    /// The same client, naming itself.
    pub fn named(self, program: &'static str) -> Self {
        Client {
            program: Some(program),
            ..self
        }
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Makes one call of the table; the typed methods are in `calls.rs`.
    pub async fn call<P: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        params: &P,
    ) -> Result<R, ClientError> {
        let key = uuid::Uuid::new_v4().to_string();
        self.call_with_key(name, params, &key, Asked::First).await
    }

    /// A call under a key of the caller's, so that its answer can be asked for again.
    pub async fn call_with_key<P: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        params: &P,
        key: &str,
        asked: Asked,
    ) -> Result<R, ClientError> {
        let body = serde_json::to_vec(params).map_err(|error| ClientError::BadAnswer(error.to_string()))?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("/api/{name}"))
            .header(CONTENT_TYPE, "application/json")
            .header(IDEMPOTENCY_KEY, key);
        let request = match asked {
            Asked::First => request,
            Asked::Again => request.header(IDEMPOTENCY_AGAIN, "1"),
        };
        let (_, bytes) = self.ask(request, body).await?;
        serde_json::from_slice(&bytes).map_err(|error| ClientError::BadAnswer(error.to_string()))
    }

    /// Fetches what a row's address names, for example
    /// `/artifacts/{id}.png?until=…&sign=…`. Only the owner reads the signature.
    pub async fn asset(&self, address: &str) -> Result<Asset, ClientError> {
        let (headers, bytes) = self.ask(Request::get(address), Vec::new()).await?;
        Ok(Asset { headers, bytes })
    }

    /// A successful answer, whole.
    async fn ask(
        &self,
        request: hyper::http::request::Builder,
        body: Vec<u8>,
    ) -> Result<(HeaderMap, Bytes), ClientError> {
        let connection = &mut Connection::open(&self.socket).await?;
        let request = match self.program {
            Some(program) => request.header(PROGRAM, program),
            None => request,
        };
        let response = connection.send(request, body).await?;
        let (head, body) = response.into_parts();
        let bytes = whole(body).await?;
        match head.status {
            StatusCode::OK => Ok((head.headers, bytes)),
            status => Err(refusal(status, &bytes)),
        }
    }
}

/// An answer that is no success, as the error it describes.
fn refusal(status: StatusCode, body: &[u8]) -> ClientError {
    match serde_json::from_slice::<WireError>(body) {
        Ok(error) => ClientError::Call(error),
        Err(_) => ClientError::BadAnswer(format!("status {status}")),
    }
}

async fn whole(body: Incoming) -> Result<Bytes, ClientError> {
    Ok(Limited::new(body, ANSWER_LIMIT)
        .collect()
        .await
        .map_err(|error| match error.downcast::<hyper::Error>() {
            Ok(broken) => ClientError::Broken(*broken),
            Err(other) => ClientError::BadAnswer(other.to_string()),
        })?
        .to_bytes())
}

#[cfg(test)]
mod tests;
