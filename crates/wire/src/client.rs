//! Speaks the table to an owner: HTTP/1.1 over its socket.
//!
//! Loopback TCP is for browsers and MCP clients; programs of the same user use the socket,
//! whose file permissions are the authentication.

use crate::types::WireError;
use base::{Args, Coded, Failure, args};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::{Path, PathBuf};
use tokio::net::UnixStream;

/// Largest answer that is read, bytes.
const ANSWER_LIMIT: usize = 256 * 1024 * 1024;

/// Header that makes a change safe to repeat.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A client of the owner at one socket. Cheap to clone; connects for each call.
#[derive(Clone, Debug)]
pub struct Client {
    socket: PathBuf,
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
}

impl Coded for ClientError {
    fn code(&self) -> &'static str {
        match self {
            ClientError::NotRunning { .. } => "server_not_running",
            ClientError::Call(_) => "call_failed",
            ClientError::Broken(_) => "connection_broken",
            ClientError::BadAnswer(_) => "bad_answer",
        }
    }
    fn args(&self) -> Args {
        match self {
            ClientError::NotRunning { socket, .. } => args! { socket: socket },
            ClientError::Call(error) => args! { reason: error.message },
            ClientError::Broken(error) => args! { reason: error.to_string() },
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
        let body = serde_json::to_vec(params).map_err(|error| ClientError::BadAnswer(error.to_string()))?;
        let (status, bytes) = self.post(&format!("/api/{name}"), body).await?;
        if status != StatusCode::OK {
            return Err(match serde_json::from_slice::<WireError>(&bytes) {
                Ok(error) => ClientError::Call(error),
                Err(_) => ClientError::BadAnswer(format!("status {status}")),
            });
        }
        serde_json::from_slice(&bytes).map_err(|error| ClientError::BadAnswer(error.to_string()))
    }

    async fn post(&self, path: &str, body: Vec<u8>) -> Result<(StatusCode, Bytes), ClientError> {
        let stream = UnixStream::connect(&self.socket)
            .await
            .map_err(|source| ClientError::NotRunning {
                socket: self.socket.clone(),
                source,
            })?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(ClientError::Broken)?;
        let connection = tokio::spawn(connection);
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header(IDEMPOTENCY_KEY, uuid::Uuid::new_v4().to_string())
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| ClientError::BadAnswer(error.to_string()))?;
        let response = sender.send_request(request).await.map_err(ClientError::Broken)?;
        let status = response.status();
        let bytes = Limited::new(response.into_body(), ANSWER_LIMIT)
            .collect()
            .await
            .map_err(|error| ClientError::BadAnswer(error.to_string()))?
            .to_bytes();
        connection.abort();
        Ok((status, bytes))
    }
}
